//! Causes of a sender's limited rate: one for each round trip.
//!
//! A [`Watch`] takes the [`Event`]s of one direction of a connection. Gauges follow what the sender sees ([`evidence`]).
//! The watch cuts the sender's time into round trips, pauses, silences and waits for the timer ([`stretch`]). The first
//! rule that holds gives the cause of a stretch ([`judge`], [`hypotheses`]). Neither side sees the other's state: `tcp` emits
//! events, and nothing here imports `tcp`. A field of a gauge is private to the gauge's file.
//!
//! Shares are summed as time goes by. The list of [`Interval`]s is kept only for flows that
//! [`Options::keep`](crate::Options::keep) names:
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

mod beside;
mod event;
mod evidence;
mod exhibits;
mod hypotheses;
mod judge;
mod likelihood;
mod media;
mod outcome;
mod position;
mod queue_course;
mod quic;
mod round;
mod sentence;
mod silence;
mod stretch;
mod sums;
mod watch;

pub(crate) use beside::{Beside, Board, Standing};
pub(crate) use event::{Ack, Event, Segment};
pub use likelihood::{Evidence, Hypothesis};
pub(crate) use media::{MediaPacket, MediaWatch};
pub(crate) use outcome::Outcome;
pub(crate) use position::Place;
pub use position::Position;
#[cfg(test)]
pub(crate) use queue_course::Passed;
pub(crate) use queue_course::QueueCourse;
pub(crate) use quic::QuicWatch;
pub use round::Round;
pub use sentence::Verdict;
pub(crate) use sentence::{Mentioned, Part, bits, seconds, verdict};
pub use sums::{Bottleneck, Causes};
pub(crate) use watch::{Start, Watch};

use airpath_wire::Endpoint;
use hypotheses::Rule;
use serde::Serialize;

/// Declares the causes, in the order in which their rules are tried. The number of a cause is its position in tables
/// and in [`Cause::ALL`], and the text its name in JSON.
macro_rules! causes {
    ($($(#[$doc:meta])* $cause:ident = $index:literal, $name:literal, $rule:path;)*) => {
        /// Reason for which a sender did not send faster in a round trip.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Cause {
            $($(#[$doc])* $cause = $index,)*
        }

        /// Rules of all causes; the first that holds for a stretch has its cause.
        pub(crate) const RULES: &[(Cause, Rule)] = &[$((Cause::$cause, $rule),)*];

        impl Cause {
            /// Number of causes.
            pub const COUNT: usize = [$($index),*].len();

            /// All of them, in the order of tables.
            pub const ALL: [Cause; Cause::COUNT] = {
                let mut all = [Cause::CannotTell; Cause::COUNT];
                $(all[$index] = Cause::$cause;)*
                all
            };

            /// Name in JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Cause::$cause => $name,)*
                }
            }

            fn rule(self) -> &'static Rule {
                match self {
                    $(Cause::$cause => &$rule,)*
                }
            }
        }
    };
}

causes! {
    /// The other end did not answer any more.
    PeerGone = 10, "peer_gone", hypotheses::peer_gone::RULE;
    /// Nothing came for longer than the path takes, and nothing of it was lost.
    RadioGap = 9, "radio_gap", hypotheses::radio_gap::RULE;
    /// A radio woke up: data after a silence took longer than the path takes.
    RadioPromotion = 8, "radio_promotion", hypotheses::radio_promotion::RULE;
    /// The client's last request is answered and the next has not come; down only.
    ClientIdle = 1, "client_idle", hypotheses::client_idle::RULE;
    /// The sender waited for its retransmission timer, or recovers from it.
    Timeout = 7, "timeout", hypotheses::timeout::RULE;
    /// All data was sent before the first answer: one round trip, whatever the path.
    NothingLimits = 15, "nothing_limits", hypotheses::nothing_limits::RULE;
    /// A queue before the capture point held data back, in the sender's host or behind it.
    QueueBefore = 13, "queue_before", hypotheses::queue_before::RULE;
    /// The sender's host held data back: its buffer, its pacing rate, or Nagle's algorithm.
    SenderHost = 12, "sender_host", hypotheses::sender_host::RULE;
    /// The sending application had nothing to send; a server thinks.
    Application = 0, "application", hypotheses::application::RULE;
    /// The receiver announced no more room: its program reads slowly, or its buffer is small.
    ReceiverWindow = 2, "receiver_window", hypotheses::receiver_window::RULE;
    /// ACKs waited in a queue on the way back.
    BottleneckBack = 14, "bottleneck_back", hypotheses::bottleneck_back::RULE;
    /// A link was full, and the queue before it was there without this flow.
    SharedBottleneck = 5, "shared_bottleneck", hypotheses::shared_bottleneck::RULE;
    /// A link was full, and the queue before it was this flow's.
    Bottleneck = 4, "bottleneck", hypotheses::bottleneck::RULE;
    /// Losses made the sender slow down though no queue had grown.
    LossWithoutQueue = 6, "loss_without_queue", hypotheses::loss_without_queue::RULE;
    /// The initial growth of the congestion window, the path not yet full.
    SlowStart = 3, "slow_start", hypotheses::slow_start::RULE;
    /// The capture does not show the cause.
    CannotTell = 11, "cannot_tell", hypotheses::cannot_tell::RULE;
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

/// Flows whose intervals of causes are kept: for a picture, say. They take 24 bytes each, and
/// there are at most 100,000 for a direction, neighbours with one cause being one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// None.
    #[default]
    Nothing,
    /// All flows: for small captures.
    All,
    /// Flows between a client and a server.
    Between(Endpoint, Endpoint),
}

/// Confidence in the causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The sender's position, its window or its round trip is not known.
    Doubtful,
    /// The view of the sender is computed from another position.
    Likely,
    /// Captured at the sender, the handshake included.
    Certain,
}

impl Keep {
    /// True if the intervals of flows between this client and server are kept.
    pub(crate) fn keeps(self, client: Endpoint, server: Endpoint) -> bool {
        match self {
            Keep::Nothing => false,
            Keep::All => true,
            Keep::Between(one, other) => (one, other) == (client, server),
        }
    }
}

impl Confidence {
    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Confidence::Doubtful => "doubtful",
            Confidence::Likely => "likely",
            Confidence::Certain => "certain",
        }
    }
}

#[cfg(test)]
mod added_tests;
#[cfg(test)]
mod by_hand;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod truth;

#[cfg(test)]
mod bench_tests;

#[cfg(test)]
mod rows_tests;

#[cfg(test)]
#[path = "causes_tests.rs"]
mod tests;
