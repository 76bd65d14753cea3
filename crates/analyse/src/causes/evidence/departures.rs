//! Departures of data: gaps between bursts, their evenness, and what ended them.

use airpath_base::Time;

use crate::sequence::after;

/// Gap in nanoseconds that separates bursts. A host hands merged segments over in less.
const GAP: u64 = 300_000;
/// Time in nanoseconds within which a program or a timer of the kernel reacts to an ACK.
const REACTION: u64 = 1_000_000;
/// Part by which gaps of even departures differ, for the bytes before them. Timers of pacing are more exact than that,
/// and a link on the way is, too.
const EVEN: f64 = 0.2;
/// Bytes for each small segment from which small ones are rare. It is the usual size of a large write.
const LARGE: u32 = 16_384;
/// Fewest bursts that show a clock.
const CLOCKED: u32 = 8;

/// Departures of the present stretch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Departures {
    /// Time of the last segment; zero before the first.
    last: Time,
    /// Bytes of the present burst, and its begin.
    bytes: u32,
    begun: Time,
    /// Mean nanoseconds from burst to burst for a byte; zero if not known.
    pace: f64,
    /// Number behind the last small segment.
    small_end: Option<u32>,
    here: Bursts,
}

/// Bursts of a stretch, and gaps between them. Long gaps count more: by their squares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bursts {
    /// Their number, and those that left at even intervals for their bytes.
    pub(crate) count: u32,
    pub(crate) even: u32,
    /// All gaps and those that an ACK ended, in square microseconds, and the longest in microseconds.
    pub(crate) gaps: u64,
    pub(crate) ended: u64,
    pub(crate) longest: u32,
    /// Segments that were not full, though the window had room.
    pub(crate) small: u32,
    /// Bytes that left.
    pub(crate) bytes: u32,
    /// Small segments that left while an earlier one was not acknowledged. Nagle's algorithm would have held them.
    pub(crate) loose: u32,
}

impl Bursts {
    /// Adds those of a stretch that goes on.
    pub(crate) fn join(&mut self, next: Bursts) {
        self.count = self.count.saturating_add(next.count);
        self.even = self.even.saturating_add(next.even);
        self.gaps = self.gaps.saturating_add(next.gaps);
        self.ended = self.ended.saturating_add(next.ended);
        self.longest = self.longest.max(next.longest);
        self.small = self.small.saturating_add(next.small);
        self.loose = self.loose.saturating_add(next.loose);
        self.bytes = self.bytes.saturating_add(next.bytes);
    }

    /// True if nearly all left at even intervals, in full segments.
    pub(crate) fn are_even(self) -> bool {
        self.count > 0 && 4 * u64::from(self.even) >= 3 * u64::from(self.count) && self.small == 0
    }

    /// True if a link clocked the arrival of so many bursts at least: nearly all came at even intervals.
    pub(crate) fn are_clocked(self) -> bool {
        self.count >= CLOCKED && 10 * u64::from(self.even) >= 9 * u64::from(self.count)
    }

    /// True if a clock and no ACKs made so many full bursts leave, at even intervals.
    pub(crate) fn are_driven(self) -> bool {
        self.are_clocked() && self.small == 0 && self.ended < self.gaps / 10
    }

    /// True if few segments were small: a program's writes do not end in each burst.
    pub(crate) fn are_large(self) -> bool {
        let rare = self.bytes >= LARGE.saturating_mul(self.small);
        self.small <= 1 && self.loose == 0 || rare || 4 * self.small <= self.count
    }

    /// True if ACKs ended nearly all of the gaps.
    pub(crate) fn are_released(self) -> bool {
        self.are_large() && self.gaps > 0 && self.ended >= self.gaps / 10 * 7
    }
}

impl Departures {
    /// So many bytes are sent. `answered` is the time of the last ACK that may have released them, and `far` the round
    /// trip to the sender, which blurs this time. Gives true if the ACK released them.
    #[inline]
    pub(crate) fn sent(&mut self, at: Time, bytes: u32, answered: Time, far: u64) -> bool {
        let (last, first) = (self.last, self.last == Time::ZERO);
        self.last = at;
        self.here.bytes = self.here.bytes.saturating_add(bytes);
        let gap = at.saturating_since(last).as_nanos();
        if gap < GAP && !first {
            self.bytes = self.bytes.saturating_add(bytes);
            return false;
        }
        let waited = at.saturating_since(answered).as_nanos();
        let released = at >= answered && waited <= REACTION + far / 16;
        self.here.count += 1;
        if !first {
            let micros = u32::try_from(gap / 1000).unwrap_or(u32::MAX);
            let square = u64::from(micros) * u64::from(micros);
            self.here.gaps = self.here.gaps.saturating_add(square);
            self.here.ended = self.here.ended.saturating_add(if released { square } else { 0 });
            self.here.longest = self.here.longest.max(micros);
            self.paces(at.saturating_since(self.begun).as_nanos() as f64);
        }
        (self.bytes, self.begun) = (bytes, at);
        released
    }

    /// A burst begins so many nanoseconds behind the one before.
    fn paces(&mut self, nanos: f64) {
        let pace = nanos / f64::from(self.bytes.max(1));
        let even = (pace - self.pace).abs() <= EVEN * self.pace;
        self.here.even += u32::from(even);
        self.pace = if self.pace == 0.0 { pace } else { 0.75 * self.pace + 0.25 * pace };
    }

    /// The last segment, which ends at `end`, was not full, though the window had room. All up to `una` is acknowledged.
    pub(crate) fn small(&mut self, end: u32, una: u32) {
        self.here.small += 1;
        self.here.loose += u32::from(self.small_end.is_some_and(|before| after(before, una)));
        self.small_end = Some(end);
    }

    /// Ends a stretch: its bursts.
    pub(crate) fn cut(&mut self) -> Bursts {
        std::mem::take(&mut self.here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_drives_departures_that_no_ack_releases() {
        let driven = |behind: u64| {
            let mut departures = Departures::default();
            for n in 1..=20u64 {
                // The ACK comes so many milliseconds before the data.
                let at = 10 * n;
                departures.sent(Time::from_millis(at), 2896, Time::from_millis(at - behind), 0);
            }
            departures.cut().are_driven()
        };
        assert!(driven(4) && !driven(0));
    }

    #[test]
    fn a_small_segment_behind_another_one_under_way_ends_a_write() {
        let large = |una: u32| {
            let mut departures = Departures::default();
            for n in 1..=2u32 {
                // 3000 bytes each 9 ms are two segments of 1448 bytes, and one of 104.
                let at = Time::from_millis(9 * u64::from(n));
                departures.sent(at, 3000, Time::ZERO, 0);
                departures.small(3000 * n, if n == 1 { 0 } else { una });
            }
            departures.cut().are_large()
        };
        assert!(!large(0) && !large(3000));
        let mut departures = Departures::default();
        departures.sent(Time::from_millis(9), 3000, Time::ZERO, 0);
        departures.small(3000, 0);
        assert!(departures.cut().are_large(), "a single one may wait for an ACK");
        departures.sent(Time::from_millis(18), 3000, Time::ZERO, 0);
        departures.small(6000, 2999);
        assert!(!departures.cut().are_large(), "Nagle's algorithm would have held it");
    }
}
