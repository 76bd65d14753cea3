//! Congestion control: what a connection tells it and what it answers.
//!
//! A [`CongestionControl`] decides how much may be in flight and how fast it may
//! leave; loss detection and retransmission belong to the connection. The known
//! controllers are an enum, [`Controller`], so that the common case needs no
//! indirect call; [`Controller::Custom`] takes any other.

mod cubic;
mod newreno;
mod sample;

use airpath_base::{BitRate, Time};

pub use cubic::{Cubic, CubicConfig};
pub use newreno::{Avoidance, NewReno, NewRenoConfig};
pub use sample::{AckSample, LossEvent, RateSample, Start};

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

    /// A loss recovery begins: once for each window (RFC 6675, 5, step 4.2).
    fn on_loss(&mut self, loss: &LossEvent);

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

    /// How fast data may leave; `None` for as fast as the window allows.
    fn pacing_rate(&self) -> Option<BitRate> {
        None
    }
}

/// Which controller, with its options.
#[derive(Clone, Debug, PartialEq)]
pub enum ControllerConfig {
    /// RFC 5681 and 6582.
    NewReno(NewRenoConfig),
    /// RFC 9438.
    Cubic(CubicConfig),
}

impl Default for ControllerConfig {
    /// CUBIC, the controller of all common hosts (RFC 9438, 1).
    fn default() -> ControllerConfig {
        ControllerConfig::Cubic(CubicConfig::default())
    }
}

/// One of the known controllers, or the user's own.
pub enum Controller {
    /// RFC 5681 and 6582.
    NewReno(NewReno),
    /// RFC 9438.
    Cubic(Cubic),
    /// Brought by the user.
    Custom(Box<dyn CongestionControl>),
}

impl Controller {
    /// The controller that `config` describes.
    pub fn new(config: &ControllerConfig) -> Controller {
        match config {
            ControllerConfig::NewReno(config) => Controller::NewReno(NewReno::new(config.clone())),
            ControllerConfig::Cubic(config) => Controller::Cubic(Cubic::new(config.clone())),
        }
    }

    fn inner(&self) -> &dyn CongestionControl {
        match self {
            Controller::NewReno(controller) => controller,
            Controller::Cubic(controller) => controller,
            Controller::Custom(controller) => controller.as_ref(),
        }
    }

    fn inner_mut(&mut self) -> &mut dyn CongestionControl {
        match self {
            Controller::NewReno(controller) => controller,
            Controller::Cubic(controller) => controller,
            Controller::Custom(controller) => controller.as_mut(),
        }
    }
}

impl CongestionControl for Controller {
    fn on_start(&mut self, start: &Start) {
        self.inner_mut().on_start(start);
    }

    fn on_sent(&mut self, now: Time, bytes: u32, in_flight: u64) {
        self.inner_mut().on_sent(now, bytes, in_flight);
    }

    fn on_ack(&mut self, sample: &AckSample) {
        match self {
            Controller::NewReno(controller) => controller.on_ack(sample),
            Controller::Cubic(controller) => controller.on_ack(sample),
            Controller::Custom(controller) => controller.on_ack(sample),
        }
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.inner_mut().on_loss(loss);
    }

    fn on_rto(&mut self, loss: &LossEvent) {
        self.inner_mut().on_rto(loss);
    }

    fn on_spurious(&mut self, now: Time) {
        self.inner_mut().on_spurious(now);
    }

    fn on_idle(&mut self, restart_window: u64) {
        self.inner_mut().on_idle(restart_window);
    }

    fn cwnd(&self) -> u64 {
        match self {
            Controller::NewReno(controller) => controller.cwnd(),
            Controller::Cubic(controller) => controller.cwnd(),
            Controller::Custom(controller) => controller.cwnd(),
        }
    }

    fn ssthresh(&self) -> u64 {
        self.inner().ssthresh()
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        self.inner().pacing_rate()
    }
}
