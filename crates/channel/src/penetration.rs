//! Loss into buildings and cars.
//!
//! Sources: TR 38.901, 7.4.3; TR 36.873, table 7.2-1 (walls of 20 dB).

use airpath_base::math;
use airpath_schema::choice;

/// Loss through the body of a car in dB: mean and standard deviation (TR 38.901, 7.4.3.2).
pub const CAR_DB: (f64, f64) = (9.0, 5.0);
/// Loss within a building in dB a metre (TR 38.901, table 7.4.3-2).
pub const INSIDE_DB_PER_METRE: f64 = 0.5;

/// The outer wall of a building.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wall {
    /// Low loss: 30% glass, 70% concrete.
    Low,
    /// High loss: 70% coated glass, 30% concrete.
    High,
    /// 20 dB at any carrier, for comparison with older models (TR 38.901, table 7.4.3-3).
    Legacy,
}

impl Wall {
    /// Mean loss through it in dB (TR 38.901, tables 7.4.3-1 to 7.4.3-3).
    pub fn loss_db(self, carrier_hz: f64) -> f64 {
        let ghz = carrier_hz / 1e9;
        let (glass, coated, concrete) = (2.0 + 0.2 * ghz, 23.0 + 0.3 * ghz, 5.0 + 4.0 * ghz);
        match self {
            Wall::Low => through(0.3, glass, concrete),
            Wall::High => through(0.7, coated, concrete),
            Wall::Legacy => 20.0,
        }
    }

    /// Standard deviation of the loss over UEs in dB (the same tables).
    pub fn sigma_db(self) -> f64 {
        match self {
            Wall::Low => 4.4,
            Wall::High => 6.5,
            Wall::Legacy => 0.0,
        }
    }
}

/// 5 dB more than the power that comes through two materials (TR 38.901, equation 7.4-3).
fn through(share: f64, first_db: f64, second_db: f64) -> f64 {
    let power =
        share * math::exp10(-first_db / 10.0) + (1.0 - share) * math::exp10(-second_db / 10.0);
    5.0 - 10.0 * math::log10(power)
}

choice! {
    /// Walls of buildings.
    #[derive(Hash)]
    pub enum Buildings {
        /// Low loss (TR 38.901, 7.4.3.1).
        Low = "low",
        /// High loss (TR 38.901, 7.4.3.1).
        High = "high",
        /// Half of the UEs behind low, half behind high loss (TR 38.901, table 7.8-1).
        Mixed = "mixed",
        /// 20 dB at any carrier (TR 36.873, table 7.2-1; TR 38.901, table 7.4.3-3).
        Legacy = "20 dB",
    }
}

impl Buildings {
    /// The wall of one of them, by an even draw.
    pub fn wall(self, draw: f64) -> Wall {
        match self {
            Buildings::Low => Wall::Low,
            Buildings::High => Wall::High,
            Buildings::Legacy => Wall::Legacy,
            Buildings::Mixed if draw < 0.5 => Wall::Low,
            Buildings::Mixed => Wall::High,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_by_hand() {
        // 6 GHz: glass 3.2, coated 24.8, concrete 29 dB.
        // 0.3 x 0.478630 + 0.7 x 0.001259 = 0.144470: 8.4022 dB.
        assert!((Wall::Low.loss_db(6e9) - 13.4022).abs() < 1e-3);
        // 0.7 x 0.0033113 + 0.3 x 0.001259 = 0.00269561: 25.6934 dB.
        assert!((Wall::High.loss_db(6e9) - 30.6934).abs() < 1e-3);
        assert_eq!(Wall::Legacy.loss_db(700e6), 20.0);
    }

    #[test]
    fn half_of_mixed_buildings_have_low_loss() {
        assert_eq!(Buildings::Mixed.wall(0.49), Wall::Low);
        assert_eq!(Buildings::Mixed.wall(0.5), Wall::High);
        assert_eq!(Buildings::High.wall(0.1), Wall::High);
    }
}
