//! Probability of line of sight.
//!
//! For a UE in a building it is that of the wall, so distances are those outside.
//! TR 38.900 has the same probabilities in another form.

use airpath_base::math;

use crate::environment::Environment;

/// Probability of line of sight at `outside_m` metres of ground outside buildings, for a UE
/// `ue_m` metres above ground.
///
/// TR 38.901, table 7.4.2-1; TR 36.873, table 7.2-2.
pub fn probability(environment: Environment, outside_m: f64, ue_m: f64) -> f64 {
    match environment {
        Environment::Uma | Environment::Uma3d => {
            let street = street(outside_m, 63.0);
            (street * (1.0 + elevation(outside_m, ue_m))).min(1.0)
        }
        Environment::Umi | Environment::Umi3d => street(outside_m, 36.0),
        Environment::Rma => math::exp(-(outside_m - 10.0).max(0.0) / 1_000.0),
        Environment::InhOpen => office(outside_m, (5.0, 70.8), (49.0, 211.7, 0.54)),
        Environment::InhMixed => office(outside_m, (1.2, 4.7), (6.5, 32.6, 0.32)),
    }
}

/// Distance in metres over which the state of sight of a UE that moves decorrelates (TR 38.901, table 7.6.3.1-2). TR
/// 36.873 has none; its environments have those of the same name.
pub fn correlation_m(environment: Environment) -> f64 {
    match environment {
        Environment::Uma | Environment::Uma3d | Environment::Umi | Environment::Umi3d => 50.0,
        Environment::Rma => 60.0,
        Environment::InhOpen | Environment::InhMixed => 10.0,
    }
}

fn street(distance_m: f64, scale_m: f64) -> f64 {
    let near = (18.0 / distance_m.max(1e-9)).min(1.0);
    near + math::exp(-distance_m / scale_m) * (1.0 - near)
}

/// C of table 7.4.2-1 and of note 1 of table 7.4.1-1: how much higher floors see further.
pub(crate) fn elevation(outside_m: f64, ue_m: f64) -> f64 {
    if ue_m < 13.0 || outside_m <= 18.0 {
        return 0.0;
    }
    let height = math::pow((ue_m.min(23.0) - 13.0) / 10.0, 1.5);
    let share = outside_m / 100.0;
    height * 1.25 * share * share * share * math::exp(-outside_m / 150.0)
}

/// One up to the first distance, then two exponentials.
fn office(distance_m: f64, near: (f64, f64), far: (f64, f64, f64)) -> f64 {
    if distance_m <= near.0 {
        1.0
    } else if distance_m <= far.0 {
        math::exp(-(distance_m - near.0) / near.1)
    } else {
        far.2 * math::exp(-(distance_m - far.0) / far.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_by_hand() {
        let at = |environment, outside_m, ue_m| probability(environment, outside_m, ue_m);
        let near = |value: f64, wanted: f64| assert!((value - wanted).abs() < 1e-4, "{value}");
        // 0.18 + exp(-100/63) 0.82 = 0.18 + 0.204457 x 0.82.
        near(at(Environment::Uma, 100.0, 1.5), 0.34765);
        // (22.5 - 13)/10 to the 1.5 is 0.925945; 1.25 x exp(-2/3) = 0.641771; C = 0.594245.
        near(at(Environment::Uma, 100.0, 22.5), 0.34765 * 1.594245);
        // 0.18 + exp(-100/36) 0.82 = 0.18 + 0.062177 x 0.82.
        near(at(Environment::Umi, 100.0, 1.5), 0.23098);
        // exp(-0.99).
        near(at(Environment::Rma, 1_000.0, 1.5), 0.37158);
        // exp(-25/70.8) and 0.54 exp(-11/211.7).
        near(at(Environment::InhOpen, 30.0, 1.0), 0.70252);
        near(at(Environment::InhOpen, 60.0, 1.0), 0.51266);
        // exp(-1.8/4.7) and 0.32 exp(-3.5/32.6).
        near(at(Environment::InhMixed, 3.0, 1.0), 0.68183);
        near(at(Environment::InhMixed, 10.0, 1.0), 0.28743);
    }

    #[test]
    fn near_is_in_sight_and_far_is_not() {
        for environment in Environment::ALL {
            assert_eq!(probability(environment, 1.0, 1.5), 1.0, "{environment:?}");
            let mut last = 1.0;
            for metres in 0..5_000 {
                let now = probability(environment, f64::from(metres), 1.5);
                // The report's own step at 49 m in open offices: 0.537 to 0.540.
                assert!(now <= last + 0.004 && now > 0.0, "{environment:?} {metres}");
                last = now;
            }
        }
    }
}
