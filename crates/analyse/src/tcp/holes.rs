//! Holes in a direction's sequence numbers, and the fate of what fills them.
//!
//! A segment behind the hole passed first. What fills the hole was sent before it and overtaken, or was sent again.
//! A newer TSval (RFC 7323, 3) than that of the segment behind shows the latter, an older one the former. Equal ones
//! were sent within a tick of the sender's clock. Then IPv4's identification counts, where it counts packets up
//! (RFC 6864, 4), or else the time. A retransmission answers ACKs of what lies behind the hole, and comes an RTT later.

use std::collections::VecDeque;

use airpath_base::Time;

use super::queue::Passes;
use crate::sequence::after;

/// Holes that are kept; the oldest is forgotten first.
pub(super) const MOST_HOLES: usize = 512;
/// Largest step of an identification from one segment to the next that is taken for a counter's. Other flows of the
/// sender may share the counter.
const MOST_STEP: u16 = 2048;
/// Reversals that are remembered of a direction.
const MOST_LATE: usize = 32;

/// A hole: sequence numbers [from, to) have not passed, what lies behind has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    from: u32,
    to: u32,
    /// TSval of the segment behind, and the time of its passage.
    timestamp: u32,
    since: Time,
    /// Identifications of the segments before and behind.
    before: u16,
    behind: u16,
}

/// Fate of a segment that passes behind later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was overtaken.
    Overtaken,
    /// It was sent again.
    SentAgain,
    /// The capture does not tell. The flag is true if it is more likely that it was sent again.
    Either(bool),
}

/// Holes of a direction in the order of their numbers, and the course of its identifications.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holes {
    holes: VecDeque<Hole>,
    idents: Idents,
    /// Segments that were sent again and filled a hole: numbers, TSval and identification.
    filled: Vec<(u32, u32, Sent)>,
}

/// Course of a direction's identifications.
#[derive(Clone, Copy, Debug, Default)]
struct Idents {
    /// Identification of the latest segment with new data, and of the latest that was not overtaken.
    new: u16,
    latest: u16,
    /// A bit for each of the last eight steps of new data, set if a counter may have made it.
    steps: u8,
}

/// TSval and identification of a segment.
pub(crate) type Sent = (u32, u16);

impl Fate {
    /// True if it counts as sent again.
    pub(crate) fn is_resent(self) -> bool {
        matches!(self, Fate::SentAgain | Fate::Either(true))
    }
}

impl Holes {
    /// Follows the identifications of new data.
    #[inline]
    pub(crate) fn step(&mut self, ident: u16) {
        let steps = self.idents.steps << 1 | u8::from(follows(self.idents.new, ident));
        self.idents = Idents { new: ident, latest: ident, steps };
    }

    /// Notes that [from, to) has not come, but what lies behind.
    pub(crate) fn open(&mut self, from: u32, to: u32, behind: &Passes) {
        if self.holes.len() >= MOST_HOLES {
            self.holes.pop_front();
        }
        let Passes { at, timestamp, ident, .. } = *behind;
        let before = self.idents.new;
        self.holes.push_back(Hole { from, to, timestamp, since: at, before, behind: ident });
    }

    /// Forgets what lies before `ack`.
    #[inline]
    pub(crate) fn ack(&mut self, ack: u32) {
        while self.holes.front().is_some_and(|hole| !after(hole.to, ack)) {
            self.holes.pop_front();
        }
    }

    /// The first hole that [seq, end) touches.
    pub(crate) fn touched(&self, seq: u32, end: u32) -> Option<Hole> {
        let first = self.holes.partition_point(|hole| !after(hole.to, seq));
        self.holes.get(first).filter(|hole| after(end, hole.from)).copied()
    }

    /// Fills [seq, end). Gives the parts that were none of a hole.
    pub(crate) fn fill(&mut self, seq: u32, end: u32) -> Vec<(u32, u32)> {
        let mut n = self.holes.partition_point(|hole| !after(hole.to, seq));
        let (mut passed, mut from) = (Vec::new(), seq);
        while let Some(hole) = self.holes.get(n).filter(|hole| after(end, hole.from)).copied() {
            self.holes.remove(n);
            if after(hole.from, from) {
                passed.push((from, hole.from));
            }
            from = hole.to;
            if after(seq, hole.from) {
                self.holes.insert(n, Hole { to: seq, ..hole });
                n += 1;
            }
            if after(hole.to, end) {
                self.holes.insert(n, Hole { from: end, ..hole });
                break;
            }
        }
        if after(end, from) {
            passed.push((from, end));
        }
        passed
    }

    /// Fate of a segment that touches the hole, if anything but a guess decides it. `rtt` is the path's in
    /// nanoseconds, if it is known.
    pub(crate) fn fate(&self, hole: &Hole, passes: &Passes, rtt: Option<u64>) -> Option<Fate> {
        let Passes { at, timestamp, ident, .. } = *passes;
        if timestamp != 0 && hole.timestamp != 0 && timestamp != hole.timestamp {
            let newer = after(timestamp, hole.timestamp);
            return Some(if newer { Fate::SentAgain } else { Fate::Overtaken });
        }
        if self.counts_up() {
            let room = hole.behind.wrapping_sub(hole.before);
            if (1..room).contains(&ident.wrapping_sub(hole.before)) {
                return Some(Fate::Overtaken);
            }
            if follows(self.idents.latest, ident) {
                return Some(Fate::SentAgain);
            }
        }
        let (rtt, elapsed) = (rtt?, at.saturating_since(hole.since).as_nanos());
        let early = elapsed < rtt / 4 * 3;
        Some(if early { Fate::Overtaken } else { Fate::Either(elapsed >= rtt) })
    }

    /// True if a segment without a hole was overtaken by its own retransmission, which passed with `last`, or not
    /// long ago.
    pub(crate) fn is_late(&self, end: u32, passes: &Passes, last: Option<Sent>) -> bool {
        let older = |(timestamp, ident): Sent| match passes.timestamp {
            0 => self.counts_up() && follows(passes.ident, ident),
            own if own == timestamp => self.counts_up() && follows(passes.ident, ident),
            own => timestamp != 0 && after(timestamp, own),
        };
        let filled = self.filled.iter().find(|(from, to, _)| after(end, *from) && !after(end, *to));
        last.is_some_and(older) || filled.is_some_and(|(_, _, sent)| older(*sent))
    }

    /// Notes that [seq, end) was sent again, and whether it `filled` a hole.
    pub(crate) fn resent(&mut self, (seq, end): (u32, u32), passes: &Passes, filled: bool) {
        self.idents.latest = passes.ident;
        if filled {
            if self.filled.len() >= MOST_LATE {
                self.filled.remove(0);
            }
            self.filled.push((seq, end, (passes.timestamp, passes.ident)));
        }
    }

    /// Gives the memory of the holes back.
    pub(crate) fn release(&mut self) {
        self.holes = VecDeque::new();
    }

    /// True if the identification counts packets up, as far as the last segments show.
    fn counts_up(&self) -> bool {
        self.idents.steps == u8::MAX
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.holes.capacity() * size_of::<Hole>()
            + self.filled.capacity() * size_of::<(u32, u32, Sent)>()
    }

    /// Number of holes.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.holes.len()
    }

    /// True if there is no hole.
    pub(crate) fn is_empty(&self) -> bool {
        self.holes.is_empty()
    }
}

/// True if a counter may have gone from one identification to the other.
fn follows(before: u16, after: u16) -> bool {
    after.wrapping_sub(before).wrapping_sub(1) < MOST_STEP
}

#[cfg(test)]
#[path = "holes_tests.rs"]
mod tests;
