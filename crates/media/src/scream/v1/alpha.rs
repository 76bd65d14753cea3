//! The share of marked bytes, as DCTCP averages it (RFC 8257), of the L4S extension.

use super::super::shared::Acked;
use crate::ticks::Ticks;

/// Gain of the average.
const GAIN: f64 = 1.0 / 8.0;

/// Gains of the average.
#[derive(Clone, Copy, Debug)]
pub(super) struct AlphaRule {
    /// Factor by which the average goes up faster.
    pub up: f64,
    /// Its largest value.
    pub most: f64,
    /// Of each report only the newest packet's mark is seen, and what the window has not
    /// used yet counts again with the next report.
    pub newest_only: bool,
}

#[derive(Debug)]
pub(super) struct Alpha {
    rule: AlphaRule,
    value: f64,
    marked: u64,
    delivered: u64,
    updated: Ticks,
}

impl Alpha {
    pub fn new(rule: AlphaRule) -> Alpha {
        Alpha { rule, value: 0.1, marked: 0, delivered: 0, updated: 0 }
    }

    pub fn value(&self) -> f64 {
        self.value
    }

    /// Notes a packet; says whether a mark was seen.
    pub fn add(&mut self, acked: Acked) -> bool {
        let marked = acked.ce && (acked.last || !self.rule.newest_only);
        self.marked += if marked { acked.size } else { 0 };
        self.delivered += if self.rule.newest_only { 0 } else { acked.size };
        marked
    }

    /// Once per RTT; `unused` bytes have left the flight and not changed the window yet.
    pub fn update(&mut self, now: Ticks, srtt: Ticks, unused: u64) {
        self.delivered += if self.rule.newest_only { unused } else { 0 };
        if now.saturating_sub(self.updated) <= srtt {
            return;
        }
        self.updated = now;
        if self.delivered == 0 {
            return;
        }
        let share = self.marked as f64 / self.delivered as f64;
        let gain = GAIN * if share > self.value { self.rule.up } else { 1.0 };
        self.value = (gain * share + (1.0 - gain) * self.value).min(self.rule.most);
        (self.marked, self.delivered) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alpha(newest_only: bool) -> Alpha {
        Alpha::new(AlphaRule { up: 4.0, most: 0.25, newest_only })
    }

    #[test]
    fn faster_up_than_down_and_never_above_a_quarter() {
        let mut alpha = alpha(false);
        let mut step = |n: u64, ce: bool| {
            alpha.add(Acked { size: 1000, ce, last: false });
            alpha.update(100 * n, 50, 0);
            alpha.value()
        };
        assert!((step(1, false) - 0.0875).abs() < 1e-12); // 0.1 * 7 / 8
        assert_eq!(step(2, true), 0.25); // 0.5 + 0.5 * 0.0875, cut
        assert_eq!(step(3, false), 0.21875); // 0.25 * 7 / 8
    }

    #[test]
    fn the_newest_packet_alone() {
        let mut alpha = alpha(true);
        let seen = [false, true].map(|last| alpha.add(Acked { size: 100, ce: true, last }));
        assert_eq!(seen, [false, true]);
        alpha.update(100, 50, 800);
        assert!((alpha.value() - 0.1125).abs() < 1e-12); // (0.1 + 100 / 800) / 2
    }
}
