//! The share of marked bytes, as DCTCP averages it (RFC 8257), of the L4S extension.

use super::super::shared::Acked;
use super::super::ticks::Ticks;

/// Gain of the average; four times as much upwards.
const GAIN: f64 = 1.0 / 8.0;
const GAIN_UP: f64 = 4.0 * GAIN;
/// Largest value: the source is limited in rate and the queue delay is watched as well.
const MOST: f64 = 0.25;

#[derive(Debug)]
pub(super) struct Alpha {
    value: f64,
    marked: u64,
    delivered: u64,
    updated: Ticks,
}

impl Default for Alpha {
    fn default() -> Alpha {
        Alpha { value: 0.1, marked: 0, delivered: 0, updated: 0 }
    }
}

impl Alpha {
    pub fn value(&self) -> f64 {
        self.value
    }

    pub fn add(&mut self, acked: Acked) {
        self.delivered += acked.size;
        self.marked += if acked.ce { acked.size } else { 0 };
    }

    /// Once per RTT.
    pub fn update(&mut self, now: Ticks, srtt: Ticks) {
        if now.saturating_sub(self.updated) <= srtt {
            return;
        }
        self.updated = now;
        if self.delivered == 0 {
            return;
        }
        let share = self.marked as f64 / self.delivered as f64;
        let gain = if share > self.value { GAIN_UP } else { GAIN };
        self.value = (gain * share + (1.0 - gain) * self.value).min(MOST);
        (self.marked, self.delivered) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faster_up_than_down_and_never_above_a_quarter() {
        let mut alpha = Alpha::default();
        let mut step = |n: u64, ce: bool| {
            alpha.add(Acked { size: 1000, ce });
            alpha.update(100 * n, 50);
            alpha.value()
        };
        assert!((step(1, false) - 0.0875).abs() < 1e-12); // 0.1 * 7 / 8
        assert_eq!(step(2, true), 0.25); // 0.5 + 0.5 * 0.0875, cut
        assert_eq!(step(3, false), 0.21875); // 0.25 * 7 / 8
    }
}
