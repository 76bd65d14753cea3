//! Delays of one direction up to the capture point, by the clock of its end.

use airpath_base::Time;

use super::ticks::Ticks;
use crate::causes::stretch::Range;

/// Delays of the segments of one end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OneWay {
    ticks: Ticks,
    /// Lags of the present stretch.
    here: Range,
}

impl OneWay {
    /// A segment with this timestamp passes. Gives the nanoseconds by which it is later than the earliest one was;
    /// zero if not known.
    #[inline]
    pub(crate) fn pass(&mut self, at: Time, value: u32) -> u64 {
        let late = self.ticks.late(at, value);
        let lag = self.ticks.lag();
        self.here.join(Range { least: lag, most: lag });
        late
    }

    /// True if the lags measure delays.
    pub(crate) fn serves(&self) -> bool {
        self.ticks.serves()
    }

    /// Ends a stretch: its lags in microseconds, whose zero is arbitrary.
    pub(crate) fn cut(&mut self) -> Range {
        std::mem::take(&mut self.here)
    }
}
