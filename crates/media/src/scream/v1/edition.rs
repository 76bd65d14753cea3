//! Differences between the reference code of early 2020 and of mid 2020, beside the pace.

use super::super::config::Pacing;
use super::alpha::AlphaRule;
use crate::ticks::{SECOND, Ticks};

#[derive(Clone, Copy, Debug)]
pub(super) struct Edition {
    /// Factor by which the window may exceed the bytes in flight (RFC 8298: 1.1).
    pub headroom: f64,
    /// With L4S, queue and trend count for the target below this share of marks.
    pub few_marks: f64,
    pub hold_back: HoldBack,
    /// Least time between two clearings of the RTP queue.
    pub discards_apart: Ticks,
    /// True if losses are looked for at the end of a frame, too.
    pub at_markers: bool,
    pub alpha: AlphaRule,
}

/// Rule that holds growth back if the encoder does not use its target.
#[derive(Clone, Copy, Debug)]
pub(super) enum HoldBack {
    /// No growth once the target exceeds the rate by so much.
    Above(f64),
    /// The less growth the more the target exceeds the rate.
    Gradual,
}

/// The code of 20 March 2020: EricssonResearch/scream, commit 975f6d84, bw-test-tool.
const EARLY: Edition = Edition {
    headroom: 1.2,
    few_marks: 0.001,
    hold_back: HoldBack::Above(1.25),
    discards_apart: SECOND,
    at_markers: false,
    alpha: AlphaRule { up: 2.0, most: f64::INFINITY, newest_only: true },
};

/// The code of mid 2020: EricssonResearch/scream, commit 9cecbb56. The source is limited
/// in rate and the queue delay is watched as well, so alpha need not exceed a quarter.
const MID: Edition = Edition {
    headroom: 1.25,
    few_marks: 0.01,
    hold_back: HoldBack::Gradual,
    discards_apart: SECOND / 4,
    at_markers: true,
    alpha: AlphaRule { up: 4.0, most: 0.25, newest_only: false },
};

impl Edition {
    pub fn of(pacing: Pacing) -> Edition {
        match pacing {
            Pacing::Window => EARLY,
            Pacing::Target => MID,
        }
    }
}

impl HoldBack {
    /// Factor of growth at this target and this rate.
    pub fn factor(self, target: f64, rate: f64) -> f64 {
        match self {
            HoldBack::Above(margin) if target > margin * rate => 0.0,
            HoldBack::Gradual if target > rate => 1.0 + (2.0 * (rate / target - 1.0)).max(-1.0),
            _ => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HoldBack;

    #[test]
    fn growth_ends_at_once_or_gradually() {
        let factors = |how: HoldBack| [0.9, 1.0, 1.25, 1.3, 2.0].map(|x| how.factor(x, 1.0));
        assert_eq!(factors(HoldBack::Above(1.25)), [1.0, 1.0, 1.0, 0.0, 0.0]);
        // 1 + 2 (1 / x - 1), at least zero.
        let gradual = factors(HoldBack::Gradual);
        let expected = [1.0, 1.0, 0.6, 1.0 - 0.6 / 1.3, 0.0];
        gradual.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} {b}"));
    }
}
