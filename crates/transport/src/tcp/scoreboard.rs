//! The sender's memory of its segments (RFC 6675, 3 and 4).
//!
//! Segments stand in order of sequence in a deque. Each keeps whether it has been SACKed, is
//! thought lost, or has been retransmitted. The pipe and the number of lost segments not yet
//! retransmitted are kept up to date with each change. Marking and searching go on from where they
//! stopped. An acknowledgement therefore costs amortised constant time and a binary search for each
//! new SACK block. RACK goes through transmissions in the order in which they left. Those that have
//! arrived, or are known to be lost, leave that order when RACK meets them.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

use super::ranges::RangeSet;
use super::rate::Snapshot;

/// A segment that is sent and not cumulatively acknowledged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub start: u64,
    /// Sequence numbers that it takes: data, and one for FIN.
    pub len: u32,
    pub fin: bool,
    pub sacked: bool,
    pub lost: bool,
    /// A retransmission is on its way.
    pub retx_in_flight: bool,
    /// It has been sent more than once.
    pub retransmitted: bool,
    pub at: Time,
    pub snapshot: Snapshot,
}

/// Segments that an acknowledgement newly reports.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NewlyAcked {
    pub acked: u64,
    pub sacked: u64,
    /// It has a SACK block, with new ranges or not.
    pub blocks: bool,
    pub delivered: u64,
    /// Segments that these bytes make up.
    pub packets: u32,
    /// RTT of the first reported segment that Karn's algorithm allows.
    pub first_rtt: Option<Duration>,
    /// RTT of the one sent last.
    pub last_rtt: Option<Duration>,
    /// The segment sent last, and when.
    pub newest: Option<(Snapshot, Time)>,
    /// The latest transmission that arrived: its number, when it left, and whether it was
    /// a retransmission.
    pub latest: Option<(u64, Time, bool)>,
    /// True if a cumulatively acknowledged segment had been retransmitted.
    pub retransmitted: bool,
    /// True if something arrived behind what had been sent after it.
    pub reordered: bool,
}

/// The sender's segments.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    segments: VecDeque<Sent>,
    /// Transmissions in the order in which they left: the number of each, and where its segment
    /// ends. Some may be of segments that have arrived, are lost, or have been sent again.
    departed: VecDeque<(u64, u64)>,
    sacked: RangeSet,
    sacked_bytes: u64,
    pipe: u64,
    /// Lost segments of which no retransmission is on its way.
    to_retransmit: usize,
    /// All that is not SACKed below this position is lost.
    lost_edge: u64,
    /// No segment below this position needs a retransmission.
    search_from: u64,
    /// No segment below this position may be sent by rule 3.
    high_rxt: u64,
    /// A retransmission has been found lost.
    retransmission_lost: bool,
    /// It is kept as ns-3 does (see `ns3`).
    as_ns3: bool,
    /// Bytes found lost so far.
    lost_in_all: u64,
    /// Lost segments that have not been reported, and the state when the newest of them was sent.
    lost: Found,
    lost_newest: Option<(Snapshot, Time)>,
}

/// Segments found lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub packets: u32,
    pub bytes: u64,
    /// Ranges of sequence numbers. One that goes on from the end of the last is none of its own.
    pub ranges: u32,
    /// End of the last range.
    end: Option<u64>,
}

impl Sent {
    /// Bytes that it adds to the pipe (RFC 6675, 4, SetPipe).
    fn in_pipe(&self) -> u64 {
        let original = !self.lost && !self.sacked;
        (u64::from(original) + u64::from(self.retx_in_flight)) * u64::from(self.len)
    }

    fn needs_retransmission(&self) -> bool {
        self.lost && !self.retx_in_flight && !self.sacked
    }

    fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// Bytes of data.
    pub fn payload(&self) -> u32 {
        self.len - u32::from(self.fin)
    }
}

impl NewlyAcked {
    fn arrived(&mut self, now: Time, segment: &Sent, bytes: u64) {
        self.delivered += bytes;
        self.packets += 1;
        if !segment.retransmitted {
            let rtt = now.saturating_since(segment.at);
            self.first_rtt.get_or_insert(rtt);
        }
        let order = segment.snapshot.order;
        if self.latest.is_none_or(|(latest, ..)| order > latest) {
            self.latest = Some((order, segment.at, segment.retransmitted));
        }
        if self.newest.is_none_or(|(_, at)| segment.at >= at) {
            self.newest = Some((segment.snapshot, segment.at));
            let rtt = now.saturating_since(segment.at);
            self.last_rtt = (!segment.retransmitted).then_some(rtt);
        }
    }
}

impl Scoreboard {
    /// An empty one, kept as ns-3 does or as RFC 6675 asks.
    pub fn new(as_ns3: bool) -> Scoreboard {
        Scoreboard { as_ns3, ..Scoreboard::default() }
    }

    /// Bytes thought to be in the network (RFC 6675, 4, SetPipe).
    pub fn pipe(&self) -> u64 {
        self.pipe
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// The segment at an index that this scoreboard gave.
    pub fn get(&self, n: usize) -> Option<&Sent> {
        self.segments.get(n)
    }

    /// The first segment that starts at or after `position`.
    pub fn first_from(&self, position: u64) -> Option<&Sent> {
        self.segments.get(self.index_from(position))
    }

    /// A new segment leaves.
    pub fn push(&mut self, segment: Sent) {
        self.pipe += segment.in_pipe();
        self.departed.push_back((segment.snapshot.order, segment.end()));
        self.segments.push_back(segment);
    }

    /// Changes a segment and keeps the sums.
    fn alter(&mut self, n: usize, change: impl FnOnce(&mut Sent)) {
        let segment = &mut self.segments[n];
        self.pipe -= segment.in_pipe();
        self.to_retransmit -= usize::from(segment.needs_retransmission());
        change(segment);
        self.pipe += segment.in_pipe();
        self.to_retransmit += usize::from(segment.needs_retransmission());
    }

    /// Index of the first segment that starts at or after `position`.
    fn index_from(&self, position: u64) -> usize {
        self.segments.partition_point(|s| s.start < position)
    }

    /// Takes a cumulative acknowledgement of all below `ack`.
    pub fn acknowledge(&mut self, now: Time, ack: u64, newly: &mut NewlyAcked) {
        while let Some(&front) = self.segments.front().filter(|front| front.start < ack) {
            let covered = front.end().min(ack) - front.start;
            newly.acked += covered;
            newly.retransmitted |= front.retransmitted;
            if front.sacked {
                self.sacked_bytes -= covered;
            } else {
                newly.reordered |= self.sacked_bytes > 0 && !front.retransmitted;
                newly.arrived(now, &front, covered);
            }
            if front.end() > ack {
                self.alter(0, |s| (s.start, s.len) = (ack, s.len - covered as u32));
                break;
            }
            self.pipe -= front.in_pipe();
            self.to_retransmit -= usize::from(front.needs_retransmission());
            self.segments.pop_front();
        }
        self.sacked.remove_below(ack);
        while self.departed.front().is_some_and(|(_, end)| *end <= ack) {
            self.departed.pop_front();
        }
    }

    /// Takes a SACK block, cut down to whole segments.
    pub fn sack(&mut self, now: Time, left: u64, right: u64, newly: &mut NewlyAcked) {
        if left >= right || self.sacked.containing(left).is_some_and(|r| r.1 >= right) {
            return;
        }
        let first = self.index_from(left);
        let past = self.segments.partition_point(|s| s.end() <= right);
        if past <= first {
            return;
        }
        let (left, right) = (self.segments[first].start, self.segments[past - 1].end());
        let mut sacked = std::mem::take(&mut self.sacked);
        sacked.insert(left, right, |from, to| self.mark_sacked(now, from, to, newly));
        self.sacked = sacked;
    }

    fn mark_sacked(&mut self, now: Time, from: u64, to: u64, newly: &mut NewlyAcked) {
        let mut n = self.index_from(from);
        while self.segments.get(n).is_some_and(|s| s.end() <= to) {
            let segment = self.segments[n];
            let bytes = u64::from(segment.len);
            newly.arrived(now, &segment, bytes);
            newly.sacked += bytes;
            self.sacked_bytes += bytes;
            let outstanding = segment.retx_in_flight && self.as_ns3;
            self.alter(n, |s| (s.sacked, s.lost, s.retx_in_flight) = (true, false, outstanding));
            n += 1;
        }
    }

    /// Marks as lost all that IsLost (RFC 6675, 4) says is: below `threshold`
    /// separate SACKed ranges, or below more than (threshold - 1) segments of
    /// SACKed bytes.
    pub fn update_lost(&mut self, threshold: u32, segment: u32) {
        let enough = u64::from(threshold - 1) * u64::from(segment);
        let (mut bytes, mut ranges, mut edge) = (0, 0, 0);
        for (left, right) in self.sacked.descending() {
            bytes += right - left;
            ranges += 1;
            if bytes > enough || ranges >= threshold {
                // Within the range itself nothing is missing; bytes of it that
                // lie above a hole below it all count.
                edge = left;
                break;
            }
        }
        if edge <= self.lost_edge {
            return;
        }
        let mut n = self.index_from(self.lost_edge);
        while self.segments.get(n).is_some_and(|s| s.start < edge) {
            self.mark_lost(n);
            n += 1;
        }
        self.lost_edge = edge;
    }

    fn mark_lost(&mut self, n: usize) {
        let Sent { start, sacked, lost, .. } = self.segments[n];
        if !sacked && !lost {
            self.count_lost(n);
            self.alter(n, |s| s.lost = true);
            self.search_from = self.search_from.min(start);
        }
    }

    fn count_lost(&mut self, n: usize) {
        let Sent { start, len, at, snapshot, .. } = self.segments[n];
        self.lost_in_all += u64::from(len);
        let found = &mut self.lost;
        found.ranges += u32::from(found.end != Some(start));
        (found.packets, found.end) = (found.packets + 1, Some(start + u64::from(len)));
        found.bytes += u64::from(len);
        if self.lost_newest.is_none_or(|(_, newest)| at >= newest) {
            self.lost_newest = Some((snapshot, at));
        }
    }

    /// Bytes found lost so far.
    pub fn lost_in_all(&self) -> u64 {
        self.lost_in_all
    }

    /// Segments found lost since the last call, with the state when the newest was sent. Those that a timeout gives up do
    /// not count.
    pub fn take_lost(&mut self) -> Option<(Snapshot, Found)> {
        let (newest, _) = self.lost_newest.take()?;
        let end = self.lost.end;
        Some((newest, std::mem::replace(&mut self.lost, Found { end, ..Found::default() })))
    }

    /// The first segment is lost; by `forget_retransmission` a retransmission of it too.
    pub fn mark_head_lost(&mut self, forget_retransmission: bool) {
        if self.segments.is_empty() {
            return;
        }
        self.mark_lost(0);
        if forget_retransmission {
            self.forget_retransmission();
        }
    }

    /// A retransmission of the first segment is no longer on its way.
    pub fn forget_retransmission(&mut self) {
        if let Some(start) = self.segments.front().map(|s| s.start) {
            self.alter(0, |s| s.retx_in_flight = false);
            self.search_from = self.search_from.min(start);
        }
    }

    /// True if a SACK block covers a whole segment, newly or not.
    pub fn covers(&self, left: u64, right: u64) -> bool {
        self.segments.get(self.index_from(left)).is_some_and(|s| s.end() <= right)
    }

    /// True if the first segment from `position` to the highest SACKed one that is SACKed or lost
    /// is lost.
    pub fn is_lost_from(&self, position: u64) -> bool {
        let known = self.sacked.descending().next().is_some_and(|(_, top)| position < top);
        let mut above = self.segments.range(self.index_from(position)..);
        known && above.find(|s| s.lost || s.sacked).is_some_and(|s| s.lost)
    }

    /// A segment is to be retransmitted as a probe, without being counted as lost.
    pub fn lose(&mut self, n: usize) {
        self.alter(n, |s| s.lost = true);
    }

    /// True if a lost segment has not been retransmitted.
    pub fn has_lost_to_retransmit(&self) -> bool {
        self.to_retransmit > 0
    }

    /// Marks as lost what was sent before the transmission `latest` and at least `wait` ago,
    /// retransmissions too (RFC 8985, 6.2, step 5, RACK_detect_loss). Gives the time at which the
    /// last of those comes due that were sent before it but not so long ago.
    pub fn detect_loss(&mut self, latest: u64, now: Time, wait: Duration) -> Option<Time> {
        let mut waiting = Vec::new();
        let mut due = None;
        while let Some(&(order, end)) = self.departed.front().filter(|(order, _)| *order < latest) {
            self.departed.pop_front();
            let Some(n) = self.on_its_way(order, end) else { continue };
            let Sent { start, at, retx_in_flight, .. } = self.segments[n];
            let expires = at + wait;
            if expires > now {
                // Those that left later expire later.
                due = Some(expires);
                waiting.push((order, end));
                continue;
            }
            self.retransmission_lost |= retx_in_flight;
            self.count_lost(n);
            self.alter(n, |s| (s.lost, s.retx_in_flight) = (true, false));
            self.search_from = self.search_from.min(start);
        }
        waiting.into_iter().rev().for_each(|one| self.departed.push_front(one));
        due
    }

    /// The segment of a transmission that has neither arrived nor is known to be lost.
    fn on_its_way(&self, order: u64, end: u64) -> Option<usize> {
        let n = self.segments.partition_point(|s| s.end() < end);
        let segment = self.segments.get(n)?;
        let known = segment.sacked || (segment.lost && !segment.retx_in_flight);
        (segment.snapshot.order == order && !known).then_some(n)
    }

    /// True if a retransmission has been found lost since the last call.
    pub fn take_retransmission_lost(&mut self) -> bool {
        std::mem::take(&mut self.retransmission_lost)
    }

    /// True if the first segment is thought lost.
    pub fn is_head_lost(&self) -> bool {
        self.segments.front().is_some_and(|s| s.lost && !s.sacked)
    }

    /// After a timeout all that is not SACKed is lost, retransmissions too.
    pub fn all_lost(&mut self) {
        for segment in &mut self.segments {
            (segment.lost, segment.retx_in_flight) = (!segment.sacked, false);
        }
        self.pipe = 0;
        self.to_retransmit = self.segments.iter().filter(|s| s.needs_retransmission()).count();
        self.search_from = 0;
        self.lost_edge = self.segments.back().map_or(self.lost_edge, Sent::end);
    }

    /// Nothing was lost after all: what has not been retransmitted is still on its way.
    pub fn none_lost(&mut self) {
        for segment in &mut self.segments {
            segment.lost = false;
            segment.retx_in_flight = false;
        }
        self.to_retransmit = 0;
        self.pipe = self.segments.iter().map(Sent::in_pipe).sum();
        self.lost_edge = 0;
        let left = self.segments.iter().filter(|s| !s.sacked);
        let mut departed: Vec<_> = left.map(|s| (s.snapshot.order, s.end())).collect();
        departed.sort_unstable();
        self.departed = departed.into();
    }

    /// The first lost segment that has not been retransmitted (rule 1).
    pub fn next_lost(&mut self) -> Option<usize> {
        if self.to_retransmit == 0 {
            return None;
        }
        let mut n = self.index_from(self.search_from);
        while !self.segments.get(n)?.needs_retransmission() {
            n += 1;
        }
        self.search_from = self.segments[n].start;
        Some(n)
    }

    /// The first segment above all retransmissions and below the highest SACKed
    /// one that is neither SACKed nor known to be lost (rule 3).
    pub fn next_speculative(&mut self) -> Option<usize> {
        if self.as_ns3 {
            return self.segments.iter().position(|s| !s.sacked && !s.retx_in_flight);
        }
        let (_, top) = self.sacked.descending().next()?;
        let mut n = self.index_from(self.high_rxt);
        while let Some(segment) = self.segments.get(n).filter(|s| s.start < top) {
            // A segment that has been passed over never becomes a candidate again.
            self.high_rxt = segment.start;
            if !segment.sacked && !segment.retx_in_flight {
                return Some(n);
            }
            n += 1;
        }
        None
    }

    /// The highest segment that is not SACKed (rule 4).
    pub fn last_missing(&self) -> Option<usize> {
        self.segments.iter().rposition(|s| !s.sacked)
    }

    /// A retransmission leaves.
    pub fn on_retransmit(&mut self, n: usize, now: Time, snapshot: Snapshot, rescue: bool) {
        self.alter(n, |s| {
            (s.retx_in_flight, s.retransmitted, s.at, s.snapshot) = (true, true, now, snapshot);
        });
        self.departed.push_back((snapshot.order, self.segments[n].end()));
        if !rescue {
            self.high_rxt = self.high_rxt.max(self.segments[n].end());
        }
    }

    /// A recovery begins: retransmissions are counted anew.
    pub fn begin_recovery(&mut self) {
        self.high_rxt = 0;
    }
}

#[cfg(test)]
#[path = "scoreboard_tests.rs"]
mod tests;
