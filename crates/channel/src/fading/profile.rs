//! Power delay profiles: the tapped delay lines of TR 38.901, 7.7.2.

use airpath_base::Db;
use airpath_schema::choice;

choice! {
    /// A power delay profile.
    #[derive(Hash)]
    pub enum Profile {
        /// Flat fading: the same along the carrier, one Rayleigh tap.
        Flat = "flat",
        /// TDL-A, without line of sight (TR 38.901, table 7.7.2-1).
        TdlA = "tdl-a",
        /// TDL-B, without line of sight (TR 38.901, table 7.7.2-2).
        TdlB = "tdl-b",
        /// TDL-C, without line of sight (TR 38.901, table 7.7.2-3).
        TdlC = "tdl-c",
        /// TDL-D, with line of sight (TR 38.901, table 7.7.2-4).
        TdlD = "tdl-d",
        /// TDL-E, with line of sight (TR 38.901, table 7.7.2-5).
        TdlE = "tdl-e",
    }
}

/// A scattered component of a profile: a Rayleigh tap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tap {
    /// Delay in delay spreads of the profile.
    pub delay: f64,
    /// Mean power; all of a profile, with its direct path, add up to 1.
    pub power: f64,
}

impl Profile {
    /// The scattered taps.
    pub fn taps(self) -> Vec<Tap> {
        let total = self.table_power();
        let tap = |&(delay, power): &(f64, f64)| Tap { delay, power: Db(power).linear() / total };
        self.table().iter().map(tap).collect()
    }

    /// Share of the power that comes on the direct path, at delay zero.
    pub fn direct(self) -> f64 {
        self.direct_db().map_or(0.0, |power| Db(power).linear() / self.table_power())
    }

    fn table_power(self) -> f64 {
        let direct = self.direct_db().map_or(0.0, |power| Db(power).linear());
        direct + self.table().iter().map(|&(_, power)| Db(power).linear()).sum::<f64>()
    }

    /// The direct path's power in dB, on the scale of the table.
    fn direct_db(self) -> Option<f64> {
        match self {
            Profile::TdlD => Some(-0.2),
            Profile::TdlE => Some(-0.03),
            _ => None,
        }
    }

    /// Normalised delays and powers in dB of the Rayleigh taps.
    fn table(self) -> &'static [(f64, f64)] {
        match self {
            Profile::Flat => &[(0.0, 0.0)],
            Profile::TdlA => &TDL_A,
            Profile::TdlB => &TDL_B,
            Profile::TdlC => &TDL_C,
            Profile::TdlD => &TDL_D,
            Profile::TdlE => &TDL_E,
        }
    }
}

/// TR 38.901, table 7.7.2-1.
const TDL_A: [(f64, f64); 23] = [
    (0.0, -13.4),
    (0.3819, 0.0),
    (0.4025, -2.2),
    (0.5868, -4.0),
    (0.4610, -6.0),
    (0.5375, -8.2),
    (0.6708, -9.9),
    (0.5750, -10.5),
    (0.7618, -7.5),
    (1.5375, -15.9),
    (1.8978, -6.6),
    (2.2242, -16.7),
    (2.1718, -12.4),
    (2.4942, -15.2),
    (2.5119, -10.8),
    (3.0582, -11.3),
    (4.0810, -12.7),
    (4.4579, -16.2),
    (4.5695, -18.3),
    (4.7966, -18.9),
    (5.0066, -16.6),
    (5.3043, -19.9),
    (9.6586, -29.7),
];

/// TR 38.901, table 7.7.2-2.
const TDL_B: [(f64, f64); 23] = [
    (0.0, 0.0),
    (0.1072, -2.2),
    (0.2155, -4.0),
    (0.2095, -3.2),
    (0.2870, -9.8),
    (0.2986, -1.2),
    (0.3752, -3.4),
    (0.5055, -5.2),
    (0.3681, -7.6),
    (0.3697, -3.0),
    (0.5700, -8.9),
    (0.5283, -9.0),
    (1.1021, -4.8),
    (1.2756, -5.7),
    (1.5474, -7.5),
    (1.7842, -1.9),
    (2.0169, -7.6),
    (2.8294, -12.2),
    (3.0219, -9.8),
    (3.6187, -11.4),
    (4.1067, -14.9),
    (4.2790, -9.2),
    (4.7834, -11.3),
];

/// TR 38.901, table 7.7.2-3.
#[expect(clippy::approx_constant, reason = "0.6366 is a delay, not 2 / pi")]
const TDL_C: [(f64, f64); 24] = [
    (0.0, -4.4),
    (0.2099, -1.2),
    (0.2219, -3.5),
    (0.2329, -5.2),
    (0.2176, -2.5),
    (0.6366, 0.0),
    (0.6448, -2.2),
    (0.6560, -3.9),
    (0.6584, -7.4),
    (0.7935, -7.1),
    (0.8213, -10.7),
    (0.9336, -11.1),
    (1.2285, -5.1),
    (1.3083, -6.8),
    (2.1704, -8.7),
    (2.7105, -13.2),
    (4.2589, -13.9),
    (4.6003, -13.9),
    (5.4902, -15.8),
    (5.6077, -17.1),
    (6.3065, -16.0),
    (6.6374, -15.7),
    (7.0427, -21.6),
    (8.6523, -22.8),
];

/// TR 38.901, table 7.7.2-4, without the direct path of its first tap.
const TDL_D: [(f64, f64); 13] = [
    (0.0, -13.5),
    (0.035, -18.8),
    (0.612, -21.0),
    (1.363, -22.8),
    (1.405, -17.9),
    (1.804, -20.1),
    (2.596, -21.9),
    (1.775, -22.9),
    (4.042, -27.8),
    (7.937, -23.6),
    (9.424, -24.8),
    (9.708, -30.0),
    (12.525, -27.7),
];

/// TR 38.901, table 7.7.2-5, without the direct path of its first tap.
const TDL_E: [(f64, f64); 14] = [
    (0.0, -22.03),
    (0.5133, -15.8),
    (0.5440, -18.1),
    (0.5630, -19.8),
    (0.5440, -22.9),
    (0.7112, -22.4),
    (1.9092, -18.6),
    (1.9293, -20.8),
    (1.9589, -22.6),
    (2.6426, -22.3),
    (3.7136, -25.6),
    (5.4524, -20.2),
    (12.0034, -29.8),
    (20.6519, -29.2),
];

#[cfg(test)]
mod tests {
    use super::*;

    const TAPPED: [Profile; 5] =
        [Profile::TdlA, Profile::TdlB, Profile::TdlC, Profile::TdlD, Profile::TdlE];

    #[test]
    fn the_delay_spread_of_a_profile_is_one() {
        // The tables are normalised (TR 38.901, 7.7.3); TDL-D is so to 0.6 %.
        for profile in TAPPED {
            let taps = profile.taps();
            let power: f64 = profile.direct() + taps.iter().map(|tap| tap.power).sum::<f64>();
            assert!((power - 1.0).abs() < 1e-12, "{profile:?} {power}");
            let mean: f64 = taps.iter().map(|tap| tap.power * tap.delay).sum();
            let square: f64 = taps.iter().map(|tap| tap.power * tap.delay * tap.delay).sum();
            let spread = (square - mean * mean).sqrt();
            assert!((spread - 1.0).abs() < 0.007, "{profile:?} {spread}");
        }
    }

    #[test]
    fn the_first_tap_has_the_k_factor_of_its_table() {
        // TR 38.901, notes to tables 7.7.2-4 and -5: 13.3 dB and 22 dB.
        for (profile, k_db) in [(Profile::TdlD, 13.3), (Profile::TdlE, 22.0)] {
            let k = Db::from_linear(profile.direct() / profile.taps()[0].power);
            assert!((k.0 - k_db).abs() < 0.01, "{profile:?} {k:?}");
        }
    }
}
