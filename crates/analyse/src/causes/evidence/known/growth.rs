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
    /// Greatest rate in bytes a nanosecond, and round trips since it grew by an eighth.
    rate: f64,
    flat: u32,
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
        if stretch.rate() > self.rate * 1.125 {
            (self.rate, self.flat) = (stretch.rate(), 0);
        } else {
            self.flat = self.flat.saturating_add(1);
        }
    }

    /// True if the data under way hardly grew in the last round trip.
    pub(crate) fn is_slow(&self) -> bool {
        self.slow
    }

    /// True if the rate has not grown for long.
    pub(crate) fn is_flat(&self, path: &Path) -> bool {
        self.flat >= if path.is_behind() { STALE } else { STALE_AFAR }
    }

    /// True if the data under way has not grown for long.
    pub(crate) fn is_stale(&self, path: &Path) -> bool {
        self.stale >= if path.is_behind() { STALE } else { STALE_AFAR }
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::Time;

    use super::*;
    use crate::causes::stretch::Range;

    #[test]
    fn a_rate_that_stays_while_the_window_grows_is_flat() {
        let mut path = Path::new(0);
        let near = Range { least: 60_000, most: 60_000 };
        path.meet(&Stretch { near, ..Stretch::default() });
        let mut growth = Growth::default();
        let to = Time::from_millis(100);
        for n in 1..=6 {
            let flight = 10_000 * n;
            growth.meet(&Stretch { to, delivered: 20_000, flight, ..Stretch::default() }, 1000);
            // Four round trips behind the first, near the sender.
            assert_eq!(growth.is_flat(&path), n >= 5, "{n}");
            assert!(!growth.is_stale(&path));
        }
        growth.meet(&Stretch { to, delivered: 30_000, ..Stretch::default() }, 1000);
        assert!(!growth.is_flat(&path));
    }
}
