//! Congestion control: what a connection tells it and what it answers.
//!
//! A [`CongestionControl`] decides how much may be in flight and how fast it may
//! leave; loss detection and retransmission belong to the connection. The known
//! controllers are an enum, [`Controller`], so that the common case needs no
//! indirect call; [`Controller::Custom`] takes any other.

mod bbr;
mod choice;
mod cubic;
mod dctcp;
mod hystart;
mod newreno;
mod prague;
mod sample;
mod slow_start;

use airpath_base::{BitRate, Time};
use airpath_net::PathModel;
use airpath_wire::Ecn;

pub use bbr::{Bbr, Bbr1, BbrConfig};
pub use choice::{Controller, ControllerName};
pub use cubic::{Cubic, CubicConfig};
pub use dctcp::{Dctcp, DctcpConfig};
pub use newreno::{Avoidance, NewReno, NewRenoConfig};
pub use prague::{Counts, Prague, PragueConfig, PragueCore, PragueCoreConfig, PragueResponse};
pub use sample::{AckSample, EcnFeedback, LossEvent, Lost, RateSample, Start};
pub use slow_start::HyStartKind;

/// Decides how much a sender may have in flight.
///
/// All sizes are in bytes of payload.
pub trait CongestionControl: Send {
    /// The connection is established; sizes are known now. Called once, before
    /// anything else.
    fn on_start(&mut self, start: &Start);

    /// A segment of `bytes` leaves; `in_flight` does not count it yet.
    fn on_sent(&mut self, _now: Time, _bytes: u32, _in_flight: u64) {}

    /// An acknowledgement brought news.
    fn on_ack(&mut self, sample: &AckSample);

    /// Segments have been found lost, at any time, in recovery too. Most
    /// controllers answer [`on_loss`](Self::on_loss) instead.
    fn on_lost(&mut self, _lost: &Lost) {}

    /// A loss recovery begins: once for each window (RFC 6675, 5, step 4.2).
    fn on_loss(&mut self, loss: &LossEvent);

    /// The path has marked packets (CE): called once for each window, as for
    /// losses (RFC 3168, 6.1.2), whatever the kind of feedback. Controllers that
    /// count marks take them from [`AckSample`] and do nothing here. By default
    /// as after a loss.
    fn on_congestion(&mut self, mark: &LossEvent) {
        self.on_loss(mark);
    }

    /// Loss recovery, from losses or a timeout, is over.
    fn on_recovered(&mut self, _now: Time) {}

    /// The retransmission timer ran out.
    fn on_rto(&mut self, loss: &LossEvent);

    /// The last [`on_loss`](Self::on_loss) or [`on_rto`](Self::on_rto) was for
    /// nothing: the segments had not been lost (RFC 4015).
    fn on_spurious(&mut self, now: Time);

    /// The sender resumes after nothing was sent for longer than a
    /// retransmission timeout; `restart_window` is RFC 5681's (4.1).
    fn on_idle(&mut self, _restart_window: u64) {}

    /// Congestion window in bytes. The connection lets one segment be in flight
    /// however small this is.
    fn cwnd(&self) -> u64;

    /// Slow start threshold in bytes; `u64::MAX` before the first loss, and for
    /// controllers without one.
    fn ssthresh(&self) -> u64;

    /// Rate of payload at which data may leave; `None` for as fast as the window allows.
    fn pacing_rate(&self) -> Option<BitRate> {
        None
    }

    /// Bytes that may leave at once when they are paced. The connection lets one segment go however
    /// small this is.
    fn send_quantum(&self) -> u64 {
        0
    }

    /// True if rates of what is in flight are no measure of the path, as the controller itself holds back. The
    /// connection then counts as application-limited until all of that has been delivered (draft-ietf-ccwg-bbr, 4.1,
    /// MarkConnectionAppLimited). Looked at after each acknowledgement.
    fn marks_app_limited(&self) -> bool {
        false
    }

    /// Segments of data at the begin of a connection that leave without pacing.
    fn unpaced_segments(&self) -> u64 {
        0
    }

    /// The model of the path; none for a controller without.
    fn model(&self) -> Option<PathModel> {
        None
    }

    /// Code point of packets if both ends agreed on ECN. It is ECT(1) for a controller that answers
    /// marks as RFC 9331, 4.3, requires. It is ECT(0) for one that answers as RFC 3168, 5, and
    /// Not-ECT for one that does not answer. With classic feedback ECT(1) becomes ECT(0).
    fn ect(&self) -> Ecn {
        Ecn::Ect0
    }
}
