//! Against numbers computed apart from this code, from the formulas of the tables.

use super::*;

fn loss(environment: Environment, sight: Sight, ghz: f64, span: [f64; 3]) -> f64 {
    let [ground_m, base_m, ue_m] = span;
    let span = Span { ground_m, inside_m: 0.0, base_m, ue_m };
    path_loss_db(environment, sight, ghz * 1e9, &span, 1.0)
}

#[test]
fn formulas_of_the_reports() {
    use Environment::{InhOpen, Rma, Uma, Uma3d, Umi, Umi3d};
    use Sight::{Los, Nlos};
    for (environment, sight, ghz, span, wanted) in [
        (Uma, Los, 6.0, [100.0, 25.0, 1.5], 87.8198),
        // Beyond the breakpoint at 960 m.
        (Uma, Los, 6.0, [2_000.0, 25.0, 1.5], 121.9222),
        (Uma, Nlos, 6.0, [500.0, 25.0, 13.5], 127.3833),
        (Umi, Los, 6.0, [100.0, 10.0, 1.5], 89.9959),
        (Umi, Los, 6.0, [1_000.0, 10.0, 1.5], 119.3916),
        (Umi, Nlos, 6.0, [100.0, 10.0, 1.5], 109.6298),
        (Rma, Los, 0.7, [600.0, 35.0, 1.5], 86.3874),
        (Rma, Los, 0.7, [2_000.0, 35.0, 1.5], 105.4155),
        (Rma, Nlos, 0.7, [1_000.0, 35.0, 1.5], 116.4449),
        (InhOpen, Los, 30.0, [30.0, 3.0, 1.0], 87.5133),
        (InhOpen, Nlos, 30.0, [30.0, 3.0, 1.0], 110.6909),
        (Uma3d, Nlos, 2.0, [500.0, 25.0, 13.5], 117.8628),
        (Umi3d, Los, 2.0, [100.0, 10.0, 4.5], 78.0350),
        (Umi3d, Nlos, 2.0, [100.0, 10.0, 4.5], 103.0509),
    ] {
        let ours = loss(environment, sight, ghz, span);
        assert!((ours - wanted).abs() < 1e-3, "{environment:?} {sight:?} {span:?}: {ours}");
    }
}

#[test]
fn no_sight_never_loses_less() {
    for environment in Environment::ALL {
        let limits = environment.limits();
        for step in 1..200 {
            let span = [10.0 * f64::from(step), 10.0_f64.min(limits.base_m.1), limits.ue_m.0];
            let at = |sight| loss(environment, sight, limits.carrier_ghz.0, span);
            assert!(at(Sight::Nlos) >= at(Sight::Los), "{environment:?} {span:?}");
        }
    }
}
