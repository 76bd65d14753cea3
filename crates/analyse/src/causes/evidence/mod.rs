//! View of the sender: gauges of one direction, each with state that its own file alone changes.
//!
//! The capture point sees data some time after the sender sent it, and ACKs some time before they arrive there
//! ([`delay`]). A gauge takes what the sender sees, and gives its part of each [`Stretch`](super::stretch::Stretch).

pub(super) mod delay;
pub(super) mod departures;
pub(super) mod flight;
pub(super) mod known;
pub(super) mod one_way;
pub(super) mod recovery;
pub(super) mod room;
mod scale;
pub(super) mod segments;
pub(super) mod stretches;
pub(super) mod supply;
mod ticks;
pub(super) mod to_receiver;
pub(super) mod to_sender;

use airpath_base::{Duration, Time};

/// The time so many nanoseconds before another.
pub(super) fn earlier(at: Time, nanos: u64) -> Time {
    at.saturating_sub(Duration::from_nanos(nanos))
}

/// The time so many nanoseconds behind another.
pub(super) fn later(at: Time, nanos: u64) -> Time {
    at.saturating_add(Duration::from_nanos(nanos))
}
