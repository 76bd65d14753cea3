//! Segments that passed the capture point and are not acknowledged yet, and the gaps
//! between them.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_wire::SackBlocks;

use super::holes::{Fate, Holes};
use crate::sequence::after;

/// Segments that are kept of a direction; what comes while there are so many gives no
/// RTT.
const MOST_SEGMENTS: usize = 16_384;
/// Segments that are looked at for each SACK block; one ACK seldom reports more new ones.
const MOST_NEW: usize = 32;

/// A segment that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Sequence number behind it.
    pub(crate) end: u32,
    /// Time of the last passage.
    pub(crate) at: Time,
    /// Its TSval then; zero without timestamps.
    pub(crate) timestamp: u32,
    /// Fingerprint of the last passage.
    print: u32,
    /// IPv4's identification then.
    ident: u16,
    /// True if the segment passed more than once.
    pub(crate) repeated: bool,
    /// True if the segment had other timestamps before.
    pub(crate) distinct: bool,
    /// True if the segment was sent again but passed once, the first copy having been lost before
    /// the capture point.
    pub(crate) resent: bool,
}

/// Passage of a segment: its time, TSval, fingerprint and identification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passes {
    pub(crate) at: Time,
    pub(crate) timestamp: u32,
    pub(crate) print: u32,
    pub(crate) ident: u16,
}

/// Segments that an ACK acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acked {
    /// Segments.
    pub(crate) segments: u32,
    /// Time of the segment that ends at the ACK's number, if there is one.
    pub(crate) exact: Option<Time>,
    /// True if any of them passed more than once.
    repeated: bool,
    /// True if any of them was a retransmission.
    pub(crate) resent: bool,
    /// The RTT that it gives, if it is clear which packet it answers.
    pub(crate) rtt: Option<u64>,
    /// RTT of an ACK of a part of a packet, as offload makes them large.
    pub(crate) part: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    segments: VecDeque<Segment>,
    holes: Holes,
    /// Time of the last retransmission.
    copied_at: Time,
}

impl Segment {
    #[inline]
    fn new(end: u32, passes: Passes) -> Segment {
        let Passes { at, timestamp, print, ident } = passes;
        let (repeated, distinct, resent) = (false, false, false);
        Segment { end, at, timestamp, print, ident, repeated, distinct, resent }
    }
}

impl Queue {
    /// New data up to `end`.
    #[inline]
    pub(crate) fn push(&mut self, end: u32, passes: Passes) {
        self.holes.step(passes.ident);
        if self.segments.len() < MOST_SEGMENTS {
            self.segments.push_back(Segment::new(end, passes));
        }
    }

    /// Data [seq, end) that lies before what came already.
    pub(crate) fn repeat(&mut self, seq: u32, end: u32, passes: Passes) {
        let Passes { at, timestamp, print, ident } = passes;
        let first = self.segments.partition_point(|s| after(seq, s.end) || seq == s.end);
        for segment in self.segments.iter_mut().skip(first) {
            let past = segment.end != end && after(segment.end, end);
            segment.distinct = segment.timestamp != timestamp;
            (segment.at, segment.timestamp, segment.repeated) = (at, timestamp, true);
            (segment.print, segment.ident) = (print, ident);
            if segment.end == end || past {
                break;
            }
        }
    }

    /// Something passes once more, acknowledged or not. Its receiver answers with an ACK of all
    /// that it has, which then says nothing of when the last of that came.
    pub(crate) fn copied(&mut self, at: Time) {
        self.copied_at = at;
    }

    /// Takes the segment that ends at `end` as a retransmission which has filled a gap.
    pub(crate) fn resent(&mut self, end: u32) {
        let place = self.segments.partition_point(|s| after(end, s.end));
        if let Some(segment) = self.segments.get_mut(place).filter(|s| s.end == end) {
            segment.resent = true;
        }
    }

    /// Notes that [from, to) has not come, but what lies behind.
    pub(crate) fn gap(&mut self, from: u32, to: u32, behind: &Passes) {
        self.holes.open(from, to, behind);
    }

    /// Fate of [seq, end), which passes behind later segments; none if it fills a hole, and only a guess decides.
    pub(crate) fn fate(
        &self,
        (seq, end): (u32, u32),
        passes: &Passes,
        rtt: Option<u64>,
    ) -> Option<Fate> {
        if let Some(hole) = self.holes.touched(seq, end) {
            return self.holes.fate(&hole, passes, rtt);
        }
        let last = self.at_end(end).map(|segment| (segment.timestamp, segment.ident));
        let late = self.holes.is_late(end, passes, last);
        Some(if late { Fate::Overtaken } else { Fate::SentAgain })
    }

    /// Notes that [seq, end) was sent again, and whether it `filled` a hole.
    pub(crate) fn sent_again(&mut self, range: (u32, u32), passes: &Passes, filled: bool) {
        self.holes.resent(range, passes, filled);
    }

    /// Fills [seq, end), and puts the segment among those under way. True if any byte was missing.
    pub(crate) fn fill(&mut self, seq: u32, end: u32, passes: Passes) -> bool {
        if self.holes.touched(seq, end).is_none() {
            return false;
        }
        // Bytes outside of the holes pass for the second time.
        for (from, to) in self.holes.fill(seq, end) {
            self.repeat(from, to, passes);
        }
        let place = self.segments.partition_point(|s| after(end, s.end));
        if self.segments.len() < MOST_SEGMENTS
            && self.segments.get(place).is_none_or(|segment| segment.end != end)
        {
            self.segments.insert(place, Segment::new(end, passes));
        }
        true
    }

    /// Everything before `ack` has arrived. `echo` is the ACK's TSecr.
    #[inline]
    pub(crate) fn ack(&mut self, ack: u32, at: Time, echo: Option<u32>) -> Acked {
        let mut acked = Acked::default();
        let (mut echoed, mut latest) = (None, Time::ZERO);
        while let Some(segment) = self.segments.front().copied() {
            if after(segment.end, ack) {
                break;
            }
            self.segments.pop_front();
            acked.segments += 1;
            acked.repeated |= segment.repeated;
            acked.resent |= segment.repeated | segment.resent;
            latest = latest.max(segment.at);
            if segment.distinct && echo == Some(segment.timestamp) {
                echoed = Some(segment.at); // RFC 7323, 4.1: the echo names the copy
            }
            if segment.end == ack {
                acked.exact = Some(segment.at);
            }
        }
        // Karn's rule (RFC 6298, 3); and what waited behind a gap, or whose first ACK was lost,
        // was not acknowledged when it arrived.
        let latest = latest.max(self.copied_at);
        let exact = acked.exact.filter(|sent| latest <= *sent);
        let from = if acked.repeated { echoed } else { exact };
        acked.rtt = from.map(|from| at.saturating_since(from).as_nanos());
        if acked.exact.is_none() && !acked.repeated {
            let part = self.segments.front().filter(|s| !s.repeated && s.at >= latest);
            acked.part = part.map(|segment| at.saturating_since(segment.at).as_nanos());
        }
        self.holes.ack(ack);
        acked
    }

    /// Time of the segment that ends at `end`, if it passed once only.
    pub(crate) fn sent(&self, end: u32) -> Option<Time> {
        self.at_end(end).filter(|s| !s.repeated).map(|s| s.at)
    }

    /// Time of the last passage of the segment that ends at `end`, and its fingerprint.
    pub(crate) fn passed(&self, end: u32) -> Option<(Time, u32)> {
        self.at_end(end).map(|s| (s.at, s.print))
    }

    /// The segment that ends at `end`.
    fn at_end(&self, end: u32) -> Option<&Segment> {
        let place = self.segments.partition_point(|s| after(end, s.end));
        self.segments.get(place).filter(|s| s.end == end)
    }

    /// Segment at `seq`, if it was sent again.
    pub(crate) fn copy(&self, seq: u32) -> Option<&Segment> {
        let place = self.segments.partition_point(|s| !after(s.end, seq));
        self.segments.get(place).filter(|s| s.repeated || s.resent)
    }

    /// Time of the latest segment that a SACK block reports and the blocks `known` before did not.
    /// The last copy counts if a segment passed more than once: a segment that has been sent again
    /// was missing.
    pub(crate) fn latest(&self, (left, right): (u32, u32), known: &SackBlocks) -> Option<Time> {
        let up_to = |end: u32| self.segments.partition_point(|s| !after(s.end, end));
        let (mut n, mut latest) = (up_to(right), None);
        for _ in 0..MOST_NEW {
            let Some(segment) = n.checked_sub(1).and_then(|n| self.segments.get(n)) else { break };
            if !after(segment.end, left) {
                break;
            }
            let holds = |from: u32, to: u32| after(segment.end, from) && !after(segment.end, to);
            match known.as_slice().iter().find(|(from, to)| holds(from.0, to.0)) {
                Some((from, _)) => n = up_to(from.0),
                None => (n, latest) = (n - 1, latest.max(Some(segment.at))),
            }
        }
        latest
    }

    /// Time of the n-th segment behind the first, if it passed once only.
    pub(crate) fn behind(&self, n: u32) -> Option<Time> {
        self.segments.get(n as usize).filter(|s| !s.repeated).map(|s| s.at)
    }

    /// Gives the memory back, if nothing is kept.
    pub(crate) fn release(&mut self) {
        if self.is_empty() {
            self.segments = VecDeque::new();
            self.holes.release();
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.segments.capacity() * size_of::<Segment>() + self.holes.heap()
    }

    /// True if there is memory for it.
    pub(crate) fn is_kept(&self) -> bool {
        self.segments.capacity() > 0 || self.holes.heap() > 0
    }

    /// True if the queue is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.holes.is_empty()
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
