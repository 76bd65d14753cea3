//! Windows and rates: whether the rate follows the window.
//!
//! Behind a full link it does not (T-RAT, "bandwidth limited"): what is sent more waits longer. Where jitter raises
//! round trips, it does.

use crate::causes::stretch::Stretch;

/// Fewest round trips of each kind.
const KNOWN: u64 = 4;
/// Part by which large windows have to be greater.
const GREATER: f64 = 0.15;

/// Round trips with windows below and above the mean.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Windows {
    small: Sum,
    large: Sum,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    rounds: u64,
    flight: u64,
    delivered: u64,
    nanos: u64,
}

impl Sum {
    fn window(&self) -> f64 {
        self.flight as f64 / self.rounds.max(1) as f64
    }

    fn rate(&self) -> f64 {
        self.delivered as f64 / self.nanos.max(1) as f64
    }
}

impl Windows {
    /// Adds a round trip.
    pub(crate) fn add(&mut self, stretch: &Stretch) {
        let rounds = self.small.rounds + self.large.rounds;
        let mean = (self.small.flight + self.large.flight) / rounds.max(1);
        let sum = if u64::from(stretch.flight) > mean { &mut self.large } else { &mut self.small };
        sum.rounds = sum.rounds.saturating_add(1);
        sum.flight = sum.flight.saturating_add(stretch.flight.into());
        sum.delivered = sum.delivered.saturating_add(stretch.delivered.into());
        sum.nanos = sum.nanos.saturating_add(stretch.nanos());
    }

    /// True if the rate follows the window, by more than half.
    pub(crate) fn lead(&self) -> bool {
        let known = self.small.rounds.min(self.large.rounds) >= KNOWN;
        let greater = self.large.window() / self.small.window().max(1.0) - 1.0;
        let faster = self.large.rate() / self.small.rate().max(f64::MIN_POSITIVE) - 1.0;
        known && greater >= GREATER && 2.0 * faster >= greater
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::Time;

    use super::*;

    fn windows(nanos: impl Fn(u32) -> u64) -> Windows {
        let mut windows = Windows::default();
        for flight in [10_000, 20_000].repeat(10) {
            let to = Time::from_nanos(nanos(flight));
            windows.add(&Stretch { to, flight, delivered: flight, ..Stretch::default() });
        }
        windows
    }

    #[test]
    fn behind_a_full_link_a_larger_window_waits_longer() {
        // 1 byte a microsecond, and a round trip of 30 ms.
        assert!(!windows(|flight| 1000 * u64::from(flight)).lead());
        assert!(windows(|_| 30_000_000).lead());
    }
}
