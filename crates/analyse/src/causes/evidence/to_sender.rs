//! Round trips between the capture point and the sender.
//!
//! They are measured by timestamps that come back, as K. Nichols's `pping` does, or else taken from the handshake.

use airpath_base::Time;

use super::one_way::OneWay;
use crate::causes::event::Segment;
use crate::causes::stretch::Range;
use crate::sequence::after;

/// Echoes in segments that waited from which the round trip is known.
const BOUNDS: u32 = 8;

/// Round trips to the sender, in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct ToSender {
    /// The last two; zero if not known.
    last: [u64; 2],
    /// The least; the greatest number if not known.
    least: u64,
    /// Without a handshake: the number of echoes in segments that may have waited, and the least time until one.
    bound: Option<(u32, u64)>,
    /// A timestamp of the receiver's that will come back, and the time at which it passed.
    probe: Option<(u32, Time)>,
    /// Delays of the sender's segments.
    way: OneWay,
    /// Those of the present stretch.
    here: Range,
}

impl ToSender {
    /// Begins with the round trip of the handshake, if there was one.
    pub(crate) fn new(handshake: Option<u64>) -> ToSender {
        let far = handshake.unwrap_or(0);
        let least = if far > 0 { far } else { u64::MAX };
        let (way, here) = (OneWay::default(), Range::default());
        let bound = handshake.is_none().then_some((0, u64::MAX));
        ToSender { last: [far, far], least, bound, probe: None, way, here }
    }

    /// Round trip by which ACKs move: the lesser of the last two; zero if not known. A sender that waited each time did
    /// so for no long time at least once.
    pub(crate) fn shift(&self) -> u64 {
        match (self.last[0].min(self.last[1]), self.bound) {
            (0, Some((echoes, least))) if echoes >= BOUNDS => least,
            (shift, _) => shift,
        }
    }

    /// Least round trip; not above the shift.
    pub(crate) fn least(&self) -> u64 {
        self.least.min(self.shift())
    }

    /// A timestamp of the receiver's passes.
    pub(crate) fn probe(&mut self, value: u32, at: Time) {
        self.probe.get_or_insert((value, at));
    }

    /// The present timestamp will come back too late to measure anything.
    pub(crate) fn forget(&mut self) {
        self.probe = None;
    }

    /// By how much a segment comes later than its timestamp says, in nanoseconds; zero if not known.
    pub(crate) fn late(&mut self, seg: &Segment) -> u64 {
        seg.stamps.map_or(0, |(value, _)| self.way.pass(seg.at, value))
    }

    /// Data passes. An echo in it took the round trip, if the segment did not wait for anything else (`waited`).
    #[inline]
    pub(crate) fn sent(&mut self, seg: &Segment, waited: bool) {
        let (Some((value, at)), Some((_, echo))) = (self.probe, seg.stamps) else { return };
        if after(value, echo) {
            return;
        }
        self.probe = None;
        let far = seg.at.saturating_since(at).as_nanos();
        // A wait makes a round trip longer, so that one below the estimate bounds it.
        if waited && far >= self.shift() {
            self.bound =
                self.bound.map(|(echoes, least)| (echoes.saturating_add(1), least.min(far)));
        } else {
            self.last = [far, self.last[0]];
            self.least = self.least.min(far);
            self.here.add(far);
        }
    }

    /// True if the lags of the sender's segments measure delays.
    pub(crate) fn serves(&self) -> bool {
        self.way.serves()
    }

    /// Ends a stretch: its round trips, and lags of the sender's segments.
    pub(crate) fn cut(&mut self) -> (Range, Range) {
        (std::mem::take(&mut self.here), self.way.cut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round trip to the sender where each echo has waited for so many milliseconds, beside 20 ms of the path.
    fn shift(handshake: Option<u64>, waits: &[u64]) -> u64 {
        let mut gauge = ToSender::new(handshake);
        for (n, wait) in (1..).zip(waits) {
            let passed = Time::from_millis(1000 * u64::from(n));
            gauge.probe(n, passed);
            let at = Time::from_millis(1000 * u64::from(n) + 20 + wait);
            let seg = Segment {
                at,
                end: 0,
                len: 1000,
                mss: 1460,
                stamps: Some((n, n)),
                recovering: false,
                skips: false,
                number: n,
            };
            gauge.sent(&seg, true);
        }
        gauge.shift()
    }

    #[test]
    fn echoes_that_waited_bound_the_round_trip() {
        let waits = [300, 70, 0, 120, 45, 200, 90, 10];
        assert_eq!(shift(None, &waits), 20_000_000);
        assert_eq!(shift(None, &waits[..7]), 0, "too few");
        // A radio that woke up made the handshake slow.
        assert_eq!(shift(Some(500_000_000), &waits), 20_000_000);
        assert_eq!(shift(Some(15_000_000), &waits), 15_000_000);
    }
}
