//! The share of marked packets, with a slow memory.

use super::super::shared::Acked;
use crate::ticks::Ticks;

/// Ten milliseconds: updated as often, or once per RTT if that is shorter.
const INTERVAL: Ticks = 655;
/// Gain upwards, and decay.
const GAIN_UP: f64 = 1.0 / 8.0;
const DECAY: f64 = 1.0 / 128.0;

#[derive(Debug)]
pub(super) struct Alpha {
    value: f64,
    share: f64,
    marked: u32,
    delivered: u32,
    updated: Ticks,
}

impl Default for Alpha {
    fn default() -> Alpha {
        Alpha { value: 0.1, share: 0.0, marked: 0, delivered: 0, updated: 0 }
    }
}

impl Alpha {
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Marks do not count.
    pub fn ignore(&mut self) {
        self.value = 0.0;
    }

    /// The share at the last update.
    pub fn share(&self) -> f64 {
        self.share
    }

    pub fn add(&mut self, acked: Acked) {
        self.delivered = self.delivered.saturating_add(1);
        self.marked += u32::from(acked.ce);
    }

    pub fn update(&mut self, now: Ticks, srtt: Ticks) {
        if now.saturating_sub(self.updated) <= srtt.min(INTERVAL) {
            return;
        }
        self.updated = now;
        self.share = 0.0;
        if self.delivered == 0 {
            return;
        }
        self.share = f64::from(self.marked) / f64::from(self.delivered);
        self.value = match self.share >= self.value {
            true => (GAIN_UP * self.share + (1.0 - GAIN_UP) * self.value).min(1.0),
            false => self.value * (1.0 - DECAY),
        };
        (self.marked, self.delivered) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_up_and_slow_down() {
        // Expected: 0.1 * 127/128; then F = 0.5 and 1 with gain 1/8; then 127/128 each.
        let shares = [(0, 50), (0, 50), (25, 50), (50, 50), (1, 50), (0, 50)];
        let expected =
            [0.099_218_8, 0.098_443_6, 0.148_638_2, 0.255_058_4, 0.253_065_7, 0.251_088_7];
        let mut alpha = Alpha::default();
        for (n, ((marked, all), expected)) in shares.into_iter().zip(expected).enumerate() {
            (0..all).for_each(|k| alpha.add(Acked { size: 1000, ce: k < marked, last: false }));
            alpha.update(700 * (n as u64 + 1), 3277);
            assert!((alpha.value() - expected).abs() < 1e-6, "{n}: {}", alpha.value());
        }
    }
}
