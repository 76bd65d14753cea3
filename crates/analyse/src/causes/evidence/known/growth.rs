//! Growth of the data under way.

use super::path::Path;
use crate::causes::stretch::Stretch;

/// Round trips without growth after which a sender is taken not to fill its window. They are twice as many as the
/// slowest growth takes for a segment.
const STALE: u32 = 4;
/// Round trips without growth for a sender far from the capture point. Its data under way is computed, and is less
/// exact.
const STALE_AFAR: u32 = 8;

/// Growth of the data under way. A window that a sender fills grows, before losses by half a segment a round trip at
/// the least (RFC 9438, 4.3). One that does not grow is not filled (RFC 7661, 4.3).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Growth {
    /// Most bytes that were under way, and round trips since they grew.
    flight: u32,
    stale: u32,
    /// True if they grew by less than an eighth in the last round trip.
    slow: bool,
}

impl Growth {
    /// Adds a round trip, with full segments of so many bytes.
    pub(crate) fn meet(&mut self, stretch: &Stretch, segment: u32) {
        self.slow = stretch.flight <= self.flight.saturating_add(self.flight / 8);
        if stretch.flight >= self.flight.saturating_add(segment) {
            (self.flight, self.stale) = (stretch.flight, 0);
        } else {
            self.stale = self.stale.saturating_add(1);
        }
    }

    /// True if the data under way hardly grew in the last round trip.
    pub(crate) fn is_slow(&self) -> bool {
        self.slow
    }

    /// True if the data under way has not grown for long.
    pub(crate) fn is_stale(&self, path: &Path) -> bool {
        self.stale >= if path.is_behind() { STALE } else { STALE_AFAR }
    }
}
