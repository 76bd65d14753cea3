//! Drains of the sender's buffer while data was under way.

use crate::causes::stretch::Stretch;

/// Round trips for which a drain counts.
const RECENT: u32 = 2;
/// Fewest drains of a program that writes less than the path takes.
const FEWEST: u32 = 3;
/// Part of a round trip, as its inverse, that counts as a drain.
const PART: u64 = 50;

/// Drains until now.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Drains {
    /// Their number, and round trips since the last.
    count: u32,
    since: u32,
}

impl Drains {
    /// Adds a round trip.
    pub(crate) fn meet(&mut self, stretch: &Stretch) {
        let small = stretch.bursts.small > 0;
        let drained = small && stretch.drained > stretch.nanos() / PART;
        self.since = if drained { 0 } else { self.since.saturating_add(1) };
        self.count = self.count.saturating_add(u32::from(drained));
    }

    /// True if the program has let its buffer run empty again and again, and lately.
    pub(crate) fn are_recent(&self) -> bool {
        self.count >= FEWEST && self.since <= RECENT
    }
}
