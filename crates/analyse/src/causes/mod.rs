//! Why a sender did not send faster: a cause for each round trip.
//!
//! A [`Watch`] follows one direction of a connection. It puts itself at the sender's place
//! ([`view`]): what the sender hears is what passes here, later by the round trip between here
//! and there. It cuts the time into round trips, pauses, silences and waits for the timer
//! ([`rounds`]), and says of each what the sender waited for ([`judge`], with the sources of the
//! rules). Shares are summed as time goes by. The list of [`Interval`]s is kept only for flows
//! that are asked for, with [`Options::keep`](crate::Options::keep):
//!
//! ```no_run
//! use airpath_analyse::{Analyser, Keep, Options};
//!
//! let options = Options { keep: Keep::All, ..Options::default() };
//! let mut analyser = Analyser::new(options, |flow| {
//!     for interval in &flow.down.intervals {
//!         println!("{:.3} to {:.3} s: {}", interval.from_s, interval.to_s, interval.cause.name());
//!     }
//! });
//! analyser.read("a capture", std::fs::File::open("a.pcap").unwrap()).unwrap();
//! analyser.finish();
//! ```

mod judge;
mod outcome;
mod position;
mod rounds;
mod sentence;
mod sums;
mod ticks;
mod view;
mod waits;
mod windows;

pub(crate) use position::Place;
pub use position::Position;
pub use sentence::Verdict;
pub(crate) use sentence::verdict;
pub use sums::{Bottleneck, Causes};
pub(crate) use view::{Heard, Sending, Watch};

use serde::Serialize;

/// What a sender waited for in a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The sending application had nothing to send; a server thinks.
    Application,
    /// The client's last request is answered and the next has not come; down only.
    ClientIdle,
    /// The receiver announced no more room: its program reads slowly, or its buffer is small.
    ReceiverWindow,
    /// The initial growth of the congestion window, the path not yet full.
    SlowStart,
    /// A link was full, and the queue before it was this flow's.
    Bottleneck,
    /// A link was full, and the queue before it was there without this flow.
    SharedBottleneck,
    /// Losses made the sender slow down though no queue had grown.
    LossWithoutQueue,
    /// The sender waited for its retransmission timer, or recovers from it.
    Timeout,
    /// A radio woke up: data after a silence took longer than the path takes.
    RadioPromotion,
    /// Nothing came for longer than the path takes, and nothing of it was lost.
    RadioGap,
    /// The other end did not answer any more.
    PeerGone,
    /// The capture does not tell.
    CannotTell,
}

/// A stretch of time with one cause.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Seconds since the flow's first packet; at the capture point, as packets of the data's
    /// direction pass there.
    pub from_s: f64,
    /// Its end, in the same way.
    pub to_s: f64,
    /// Its cause.
    pub cause: Cause,
}

/// How sure the causes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The sender's place, its window or its round trip is not known.
    Doubtful,
    /// What the sender saw is worked out from another place.
    Likely,
    /// Captured at the sender, the handshake included.
    Certain,
}

impl Cause {
    /// How many there are.
    pub const COUNT: usize = 12;

    /// All of them.
    pub const ALL: [Cause; Cause::COUNT] = [
        Cause::Application,
        Cause::ClientIdle,
        Cause::ReceiverWindow,
        Cause::SlowStart,
        Cause::Bottleneck,
        Cause::SharedBottleneck,
        Cause::LossWithoutQueue,
        Cause::Timeout,
        Cause::RadioPromotion,
        Cause::RadioGap,
        Cause::PeerGone,
        Cause::CannotTell,
    ];

    /// As in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::Application => "application",
            Cause::ClientIdle => "client_idle",
            Cause::ReceiverWindow => "receiver_window",
            Cause::SlowStart => "slow_start",
            Cause::Bottleneck => "bottleneck",
            Cause::SharedBottleneck => "shared_bottleneck",
            Cause::LossWithoutQueue => "loss_without_queue",
            Cause::Timeout => "timeout",
            Cause::RadioPromotion => "radio_promotion",
            Cause::RadioGap => "radio_gap",
            Cause::PeerGone => "peer_gone",
            Cause::CannotTell => "cannot_tell",
        }
    }
}

impl Confidence {
    /// As in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Confidence::Doubtful => "doubtful",
            Confidence::Likely => "likely",
            Confidence::Certain => "certain",
        }
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod truth;

#[cfg(test)]
mod bench_tests;

#[cfg(test)]
#[path = "causes_tests.rs"]
mod tests;
