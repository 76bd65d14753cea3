//! What tells the reference code of early 2020 from that of mid 2020, beside the pace.

use super::super::config::Pacing;
use super::super::ticks::{SECOND, Ticks};

#[derive(Clone, Copy, Debug)]
pub(super) struct Edition {
    /// Seconds of bytes in flight that limit the window (RFC 8298, 4.1.2.3: 5).
    pub flight_seconds: usize,
    /// How far the window may exceed what was in flight (RFC 8298: 1.1).
    pub headroom: f64,
    /// Fast start resumes after so long without congestion (RFC 8298, 4.1.2.2: 5 s).
    pub resume: Ticks,
    /// Least scale of growth near the last maximum (RFC 8298, 4.1.3: 0.2).
    pub near_floor: f64,
    /// Time between notes of the last maximum as growth ends.
    pub inflection_gap: Ticks,
    /// With L4S, queue and trend count for the target below this share of marks.
    pub few_marks: f64,
    /// An encoder that makes less than this share of its target is idle.
    pub idle_below: f64,
    pub hold_back: HoldBack,
}

/// How growth is held back when the encoder does not make use of its target.
#[derive(Clone, Copy, Debug)]
pub(super) enum HoldBack {
    /// No growth once the target exceeds the rate by so much.
    Above(f64),
    /// The less growth the more the target exceeds the rate.
    Gradual,
}

const EARLY: Edition = Edition {
    flight_seconds: 5,
    headroom: 1.1,
    resume: 5 * SECOND,
    near_floor: 0.2,
    inflection_gap: 2 * SECOND,
    few_marks: 0.001,
    idle_below: 0.9,
    hold_back: HoldBack::Above(1.25),
};

const MID: Edition = Edition {
    flight_seconds: 20,
    headroom: 1.25,
    resume: SECOND,
    near_floor: 0.05,
    inflection_gap: SECOND,
    few_marks: 0.01,
    idle_below: 1.0,
    hold_back: HoldBack::Gradual,
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
