use airpath_base::math;
use airpath_stats::Verdict;

use crate::network::judge::tests::{arm, judged};
use crate::network::page::tests::empty;
use crate::network::{ArmRuns, Data};

const RATES: [f64; 5] = [4.0, 5.0, 2.0, 8.0, 4.0];

/// Runs of one user whose rate is a factor times [`RATES`], but for a factor of each run.
fn runs(variant: &str, load: u32, factor: f64, noise: [f64; 5]) -> ArmRuns {
    let rates: Vec<[f64; 1]> =
        RATES.iter().zip(noise).map(|(rate, noise)| [rate * factor * noise]).collect();
    let rates: Vec<&[f64]> = rates.iter().map(<[f64; 1]>::as_slice).collect();
    arm("RR", variant, load, &rates, &[100.0; 5])
}

/// L4S by none is 0.5 at 2 users, 1.1 at 5 and 0.8 at 10, within some percent.
fn data() -> Data {
    let noise = [0.97, 1.04, 1.0, 1.01, 0.98];
    let mut arms = Vec::new();
    for (load, factor) in [(2, 0.5), (5, 1.1), (10, 0.8)] {
        arms.push(runs("none", load, 1.0, [1.0; 5]));
        arms.push(runs("L4S", load, factor, noise));
    }
    Data { arms, ..empty() }
}

fn test(test: &str, relation: &str, of: &str, loads: &[u32]) -> String {
    format!(
        r#"[{{"test": "{test}", "kpi": "rate", "of": "{of}", "relation": "{relation}", "first": ["RR/L4S"], "second": ["RR/none"], "loads": {loads:?}}}]"#
    )
}

#[test]
fn a_remark_counts_in_the_mean_and_has_each_load_beside_it() {
    let found = judged(&test("mean", "lower", "mean", &[2, 5, 10]), &data(), false);
    assert_eq!((found.outcome, found.places.len()), (Verdict::Holds, 1));
    let place = &found.places[0];
    // The cube root of 0.5·1.1·0.8, times the noise's geometric mean.
    let noise = math::pow(0.97 * 1.04 * 1.01 * 0.98, 0.2);
    assert!((place.value - math::cbrt(0.44) * noise).abs() < 1e-9, "{place:?}");
    assert_eq!((place.runs, place.ratio), (15, true));
    assert!(place.name.starts_with("mean over 2, 5, 10 users, RR/L4S by RR/none"), "{place:?}");
    let loads: Vec<f64> = place.loads.iter().map(|load| load.value / noise).collect();
    assert!(loads.iter().zip([0.5, 1.1, 0.8]).all(|(a, b)| (a - b).abs() < 1e-9), "{loads:?}");
    // The same seeds have the same noise at each load, so the mean has the spread of one load.
    let width = |low: f64, high: f64| math::ln(high / low);
    let one = &place.loads[0];
    assert!((width(place.low, place.high) - width(one.low, one.high)).abs() < 1e-9);
    let strict = judged(&test("compare", "lower", "mean", &[2, 5, 10]), &data(), false);
    assert_eq!(strict.outcome, Verdict::Fails, "5 users contradict it");
    let higher = judged(&test("mean", "higher", "mean", &[2, 5, 10]), &data(), false);
    assert_eq!(higher.outcome, Verdict::Fails);
    let equal = judged(&test("mean", "equal", "mean", &[5, 10]), &data(), false);
    assert_eq!(equal.outcome, Verdict::Holds, "0.94 in the mean");
}

#[test]
fn a_mean_over_fewer_loads_is_another() {
    let loads = [2, 5, 10, 30];
    let found = judged(&test("mean", "lower", "mean", &loads), &data(), false);
    assert_eq!((found.outcome, found.missing), (Verdict::NotMade, 1));
    let partly = judged(&test("mean", "lower", "mean", &loads), &data(), true);
    assert_eq!((partly.outcome, partly.missing), (Verdict::Holds, 1));
    assert_eq!(partly.places[0].loads.len(), 3);
    let none = judged(&test("mean", "lower", "mean", &[30]), &data(), true);
    assert_eq!((none.outcome, none.missing), (Verdict::NotMade, 1));
}

#[test]
fn percentiles_and_values_of_zero() {
    let found = judged(&test("mean", "lower", "p99", &[2, 10]), &data(), false);
    // The largest of five rates, in the run with a noise of 1.01.
    let place = &found.places[0];
    assert!((place.value - 1.01 * 0.4_f64.sqrt()).abs() < 1e-9, "{place:?}");
    let mut zero = data();
    zero.arms[0].runs[0].users[0][0] = Some(0.0);
    let found = judged(&test("mean", "lower", "mean", &[2, 10]), &zero, false);
    let place = &found.places[0];
    assert!(!place.ratio && place.loads[1].ratio, "differences in the mean: {place:?}");
    let sum = |factor: f64| {
        factor
            * RATES
                .iter()
                .zip([0.97, 1.04, 1.0, 1.01, 0.98])
                .map(|(rate, noise)| rate * noise)
                .sum::<f64>()
    };
    let expected = (sum(0.5) - 19.0 + sum(0.8) - 23.0) / 10.0;
    assert!((place.value - expected).abs() < 1e-9, "{} and {expected}", place.value);
}
