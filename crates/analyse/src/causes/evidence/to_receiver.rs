//! Round trips between the capture point and the receiver.

use airpath_base::Time;

use super::earlier;
use crate::causes::stretch::Range;

/// Round trips to the receiver, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToReceiver {
    /// Smoothed and least; zero and the greatest number if not known.
    usual: u64,
    least: u64,
    /// Round trip of the whole path, smoothed; zero if not known.
    whole: u64,
    /// End of the last time in which the path stood still.
    stalled_at: Time,
    /// Those of the present stretch.
    here: Range,
}

impl ToReceiver {
    /// Begins with the round trips of the handshake to the receiver and of the whole path; zero if not known.
    pub(crate) fn new(near: u64, whole: u64) -> ToReceiver {
        let least = if near > 0 { near } else { u64::MAX };
        ToReceiver { usual: 0, least, whole, stalled_at: Time::ZERO, here: Range::default() }
    }

    /// Round trip of the whole path, smoothed; zero if not known.
    pub(crate) fn whole(&self) -> u64 {
        self.whole
    }

    /// Smoothed round trip; zero if not known.
    pub(crate) fn usual(&self) -> u64 {
        self.usual
    }

    /// Least round trip; the greatest number if not known.
    pub(crate) fn least(&self) -> u64 {
        self.least
    }

    /// Round trips of the present stretch.
    pub(crate) fn here(&self) -> Range {
        self.here
    }

    /// An ACK arrives whose data took `sample`, where the round trip to the sender is `shift`. Data from before the
    /// end of a stall says nothing of the usual.
    pub(crate) fn sample(&mut self, at: Time, sample: u64, shift: u64) {
        self.least = self.least.min(sample);
        let whole = sample.saturating_add(shift);
        if earlier(at, whole) >= self.stalled_at {
            self.usual = smoothed(self.usual, sample);
            self.here.add(sample);
            self.whole = smoothed(self.whole, whole);
        }
    }

    /// The path stood still up to `at`.
    pub(crate) fn stalled(&mut self, at: Time) {
        self.stalled_at = at;
    }

    /// Ends a stretch: its round trips.
    pub(crate) fn cut(&mut self) -> Range {
        std::mem::take(&mut self.here)
    }
}

/// The mean with a new sample's weight of an eighth, as SRTT (RFC 6298, 2).
fn smoothed(mean: u64, sample: u64) -> u64 {
    if mean == 0 { sample } else { mean / 8 * 7 + sample / 8 }
}
