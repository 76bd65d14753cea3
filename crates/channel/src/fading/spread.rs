//! Delay spreads: the names of TR 38.901, 7.7.3, and what is typical of an environment.

use airpath_base::{Duration, math};

use super::Profile;
use crate::{Condition, Environment, Sight};

/// A delay spread by name (TR 38.901, table 7.7.3-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NamedSpread {
    /// 10 ns.
    VeryShort,
    /// 30 ns.
    Short,
    /// 100 ns.
    Nominal,
    /// 300 ns.
    Long,
    /// 1000 ns.
    VeryLong,
}

impl NamedSpread {
    /// Root mean square delay spread.
    pub fn duration(self) -> Duration {
        Duration::from_nanos(match self {
            NamedSpread::VeryShort => 10,
            NamedSpread::Short => 30,
            NamedSpread::Nominal => 100,
            NamedSpread::Long => 300,
            NamedSpread::VeryLong => 1000,
        })
    }
}

/// The median delay spread of links of an environment at a carrier in GHz
/// (TR 38.901, table 7.5-6; TR 36.873, table 7.3-6).
///
/// With line of sight it is about the "short", without it the "normal" delay spread that
/// TR 38.901, table 7.7.3-2, proposes for tapped delay lines.
pub fn typical_delay_spread(
    environment: Environment,
    condition: Condition,
    carrier_ghz: f64,
) -> Duration {
    let seconds = math::exp10(log_delay_spread(environment, condition, carrier_ghz));
    Duration::from_secs_f64(seconds)
}

/// The profile that is usual for a link: TDL-D with line of sight, else TDL-C, also behind a
/// wall. The report leaves the choice open.
pub fn typical_profile(condition: Condition) -> Profile {
    match condition {
        Condition { sight: Sight::Los, indoors: false } => Profile::TdlD,
        _ => Profile::TdlC,
    }
}

/// Mean of the logarithm to base 10 of the delay spread in seconds.
#[expect(clippy::approx_constant, reason = "6.28 is a value of the table, not 2 pi")]
fn log_delay_spread(environment: Environment, condition: Condition, carrier_ghz: f64) -> f64 {
    // Below 6 GHz (UMi: 2 GHz) the values of that frequency hold (table 7.5-6, notes).
    let above = |least: f64| carrier_ghz.max(least);
    let (los, nlos, indoors) = match environment {
        Environment::Uma => {
            let log = math::log10(above(6.0));
            (-6.955 - 0.0963 * log, -6.28 - 0.204 * log, -6.62)
        }
        Environment::Umi => {
            let log = math::log10(1.0 + above(2.0));
            (-7.14 - 0.24 * log, -6.83 - 0.24 * log, -6.62)
        }
        Environment::Rma => (-7.49, -7.43, -7.47),
        Environment::InhOpen | Environment::InhMixed => {
            let log = math::log10(1.0 + above(6.0));
            let nlos = -7.173 - 0.28 * log;
            (-7.692 - 0.01 * log, nlos, nlos)
        }
        Environment::Uma3d => (-7.03, -6.44, -6.62),
        Environment::Umi3d => (-7.19, -6.89, -6.62),
    };
    match condition {
        Condition { indoors: true, .. } if !environment.is_office() => indoors,
        Condition { sight: Sight::Los, .. } => los,
        Condition { sight: Sight::Nlos, .. } => nlos,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOS: Condition = Condition { sight: Sight::Los, indoors: false };
    const NLOS: Condition = Condition { sight: Sight::Nlos, indoors: false };
    const INDOORS: Condition = Condition { sight: Sight::Nlos, indoors: true };

    #[test]
    fn medians_are_the_report_s_typical_values() {
        // TR 38.901, table 7.7.3-2: short and normal profiles, in ns.
        for (environment, condition, ghz, expected) in [
            (Environment::Uma, LOS, 2.0, 93.0),
            (Environment::Uma, LOS, 28.0, 80.0),
            (Environment::Uma, NLOS, 2.0, 363.0),
            (Environment::Uma, NLOS, 6.0, 363.0),
            (Environment::Uma, NLOS, 28.0, 266.0),
            (Environment::Umi, NLOS, 6.0, 93.0),
            (Environment::Umi, NLOS, 28.0, 66.0),
            (Environment::Umi, NLOS, 70.0, 53.0),
            (Environment::Rma, LOS, 0.7, 32.0),
            (Environment::Rma, NLOS, 0.7, 37.0),
            (Environment::Uma, INDOORS, 2.0, 242.0),
        ] {
            let spread = typical_delay_spread(environment, condition, ghz).as_nanos() as f64;
            let error = (spread / expected - 1.0).abs();
            assert!(error < 0.02, "{environment:?} {condition:?} {ghz}: {spread}");
        }
    }

    #[test]
    fn offices_have_no_walls_between() {
        let nlos = typical_delay_spread(Environment::InhOpen, NLOS, 3.5);
        assert_eq!(nlos, typical_delay_spread(Environment::InhOpen, INDOORS, 3.5));
        // 10^(-7.173 - 0.28 log10 7) s, by hand.
        assert_eq!(nlos, Duration::from_nanos(39));
        assert_eq!(typical_profile(INDOORS), Profile::TdlC);
        assert_eq!(typical_profile(LOS), Profile::TdlD);
        assert_eq!(NamedSpread::Long.duration(), Duration::from_nanos(300));
    }
}
