//! Segments that passed the capture point and are not acknowledged yet, and the gaps
//! between them.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_wire::SackBlocks;

use crate::sequence::after;

/// Segments that are kept of a direction; what comes while there are so many gives no
/// RTT.
const MOST_SEGMENTS: usize = 16_384;
/// Gaps that are kept; the oldest is forgotten first.
const MOST_GAPS: usize = 64;
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
    /// True if the segment passed more than once.
    pub(crate) repeated: bool,
    /// True if the segment had other timestamps before.
    pub(crate) distinct: bool,
    /// True if the segment was sent again but passed once, the first copy having been lost before
    /// the capture point.
    pub(crate) resent: bool,
}

/// Passage of a segment: its time, TSval and fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passes {
    pub(crate) at: Time,
    pub(crate) timestamp: u32,
    pub(crate) print: u32,
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
    gaps: Vec<(u32, u32)>,
    /// Time of the last retransmission.
    copied_at: Time,
}

impl Segment {
    #[inline]
    fn new(end: u32, passes: Passes) -> Segment {
        let Passes { at, timestamp, print } = passes;
        Segment { end, at, timestamp, print, repeated: false, distinct: false, resent: false }
    }
}

impl Queue {
    /// New data up to `end`.
    #[inline]
    pub(crate) fn push(&mut self, end: u32, passes: Passes) {
        if self.segments.len() < MOST_SEGMENTS {
            self.segments.push_back(Segment::new(end, passes));
        }
    }

    /// Data [seq, end) that lies before what came already.
    pub(crate) fn repeat(&mut self, seq: u32, end: u32, passes: Passes) {
        let Passes { at, timestamp, print } = passes;
        let first = self.segments.partition_point(|s| after(seq, s.end) || seq == s.end);
        for segment in self.segments.iter_mut().skip(first) {
            let past = segment.end != end && after(segment.end, end);
            segment.distinct = segment.timestamp != timestamp;
            (segment.at, segment.timestamp, segment.repeated) = (at, timestamp, true);
            segment.print = print;
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

    /// Notes that [from, to) has not come.
    pub(crate) fn gap(&mut self, from: u32, to: u32) {
        if self.gaps.len() >= MOST_GAPS {
            self.gaps.remove(0);
        }
        self.gaps.push((from, to));
    }

    /// Fills [seq, end), and puts the segment among those under way. True if any byte was missing.
    pub(crate) fn fill(&mut self, seq: u32, end: u32, passes: Passes) -> bool {
        let touched = |gap: &(u32, u32)| after(gap.1, seq) && after(end, gap.0);
        if !self.gaps.iter().any(touched) {
            return false;
        }
        let mut left = Vec::with_capacity(self.gaps.len() + 1);
        let (mut passed, mut from) = (Vec::new(), seq);
        for gap in &self.gaps {
            if !touched(gap) {
                left.push(*gap);
                continue;
            }
            if after(gap.0, from) {
                passed.push((from, gap.0));
            }
            from = gap.1;
            if after(seq, gap.0) {
                left.push((gap.0, seq));
            }
            if after(gap.1, end) {
                left.push((end, gap.1));
            }
        }
        self.gaps = left;
        if after(end, from) {
            passed.push((from, end));
        }
        // Bytes outside of the gaps pass for the second time.
        passed.iter().for_each(|(from, to)| self.repeat(*from, *to, passes));
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
        if !self.gaps.is_empty() {
            self.gaps.retain(|gap| after(gap.1, ack));
        }
        acked
    }

    /// Time of the segment that ends at `end`, if it passed once only.
    pub(crate) fn sent(&self, end: u32) -> Option<Time> {
        let place = self.segments.partition_point(|s| after(end, s.end));
        self.segments.get(place).filter(|s| s.end == end && !s.repeated).map(|s| s.at)
    }

    /// Time of the last passage of the segment that ends at `end`, and its fingerprint.
    pub(crate) fn passed(&self, end: u32) -> Option<(Time, u32)> {
        let place = self.segments.partition_point(|s| after(end, s.end));
        self.segments.get(place).filter(|s| s.end == end).map(|s| (s.at, s.print))
    }

    /// The first that ends behind `end`.
    pub(crate) fn behind_end(&self, end: u32) -> Option<&Segment> {
        let place = self.segments.partition_point(|s| !after(s.end, end));
        self.segments.get(place)
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

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.segments.capacity() * size_of::<Segment>() + self.gaps.capacity() * 8
    }

    /// True if there is memory for it.
    pub(crate) fn is_kept(&self) -> bool {
        self.segments.capacity() + self.gaps.capacity() > 0
    }

    /// True if the queue is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.gaps.is_empty()
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
