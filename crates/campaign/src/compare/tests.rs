use airpath_results::users::UserRow;
use serde_json::json;

use super::*;

/// An arm with one metric of these values, with seeds from 1 on.
fn side(name: &str, metric: &str, values: &[f64]) -> Side {
    let run = |value: &f64| Run { metrics: [(metric.to_owned(), *value)].into(), users: vec![] };
    Side {
        name: name.to_owned(),
        scenario: json!({ "control": name }),
        metrics: vec![metric.to_owned()],
        known: [metric.to_owned()].into(),
        runs: (1..).zip(values.iter().map(run)).collect(),
        ..Side::default()
    }
}

fn found(first: &[f64], second: &[f64], options: &Options) -> Row {
    let (first, second) = ("queue_delay_p99_ms", (first, second));
    let cubic = side("CUBIC", first, second.0);
    let comparison = compare(&cubic, &side("Prague", first, second.1), options);
    comparison.expect("shared seeds").metrics.remove(0)
}

/// Differences -44, -46, -48: s = 2, half width 4.302653·2/√3 = 4.968275. Logarithms of the ratios
/// have the mean -1.35525 and s = 0.04233, half width 0.10516: 0.2579·e^∓0.10516.
#[test]
fn a_difference_in_a_sentence() {
    let row = found(&[60.0, 61.0, 65.0], &[16.0, 15.0, 17.0], &Options::default());
    assert_eq!(
        row.sentence,
        "Prague's p99 queue delay is 46 ms lower than CUBIC's, 41 to 51, 0.258 times (0.232 to \
         0.286), 3 paired seeds"
    );
    assert_eq!((row.finding, row.better, row.pairs), (Finding::Lower, Some(true), 3));
    assert_eq!(row.seeds_needed, None);
    let difference = row.difference.expect("pairs");
    assert!((difference.low.expect("three") + 50.968_275).abs() < 1e-6);
}

#[test]
fn what_is_not_resolved_says_what_would() {
    // Differences 1 ± 1.914854, six of each: s = 2. Of one comparison 34 pairs are needed.
    let first = [10.0; 12];
    let second: Vec<f64> =
        (0..12).map(|n| 11.0 + if n % 2 == 0 { 1.914_854 } else { -1.914_854 }).collect();
    let row = found(&first, &second, &Options::default());
    assert_eq!(
        row.sentence,
        "Prague's p99 queue delay against CUBIC's is not resolved: 1 ms, -0.271 to 2.27, \
         12 paired seeds; 22 more seeds would be needed"
    );
    assert_eq!((row.finding, row.seeds_needed, row.better), (Finding::NotResolved, Some(22), None));
}

#[test]
fn one_pair_and_none_and_the_same() {
    let row = found(&[60.0], &[15.0], &Options::default());
    assert_eq!((row.finding, row.p), (Finding::OnePair, None));
    assert!(row.sentence.contains("45 ms lower"), "{}", row.sentence);
    assert!(row.sentence.ends_with("one pair gives no interval"), "{}", row.sentence);
    let row = found(&[5.0, 6.0], &[5.0, 6.0], &Options::default());
    assert_eq!(row.finding, Finding::Same);
    let cubic = side("CUBIC", "delay_p99_ms", &[1.0, 2.0]);
    let prague = side("Prague", "goodput_bps", &[1.0, 2.0]);
    let options = Options { choice: Choice::All, ..Options::default() };
    let comparison = compare(&cubic, &prague, &options).expect("shared seeds");
    assert_eq!(comparison.comparisons, 0);
    assert!(comparison.metrics.iter().all(|row| row.finding == Finding::Nothing));
}

#[test]
fn equality_is_shown_by_ratios() {
    let first = [100.0, 102.0, 98.0, 101.0, 99.0];
    let second = [101.0, 102.5, 99.0, 101.5, 100.5];
    let row = found(&first, &second, &Options { margin: Some(0.1), ..Options::default() });
    assert_eq!(row.finding, Finding::Equal);
    assert!(row.sentence.contains("equals CUBIC's within 10%: 1.01 times"), "{}", row.sentence);
    let wide = found(
        &[1.0, 2.0, 3.0],
        &[3.0, 1.0, 2.0],
        &Options { margin: Some(0.1), ..Options::default() },
    );
    assert_eq!(wide.finding, Finding::NotResolved);
}

/// With p alone of 0.0331 (differences of 0 and 2 over eight pairs have t = √7), a second, equal
/// comparison doubles it.
#[test]
fn many_comparisons_share_the_level() {
    let values =
        |high: f64| -> Vec<f64> { (0..8).map(|n| if n % 2 == 0 { 10.0 } else { high }).collect() };
    let arm = |name: &str, high: f64| {
        let mut arm = side(name, "delay_p99_ms", &values(high));
        for run in arm.runs.values_mut() {
            let value = run.metrics["delay_p99_ms"];
            run.metrics.insert("jitter_ms".to_owned(), value);
        }
        arm.metrics.push("jitter_ms".to_owned());
        arm
    };
    let (first, second) = (arm("a", 10.0), arm("b", 12.0));
    let all = Options { choice: Choice::All, ..Options::default() };
    let comparison = compare(&first, &second, &all).expect("shared seeds");
    let row = &comparison.metrics[0];
    assert!((row.p.expect("pairs") - 0.033_145).abs() < 1e-5, "{:?}", row.p);
    assert_eq!(row.p_corrected, row.p.map(|p| 2.0 * p));
    assert_eq!(row.finding, Finding::NotResolved);
    let named = Options { choice: Choice::Named(vec!["jitter_ms".to_owned()]), ..all };
    let comparison = compare(&first, &second, &named).expect("shared seeds");
    assert_eq!(comparison.metrics[0].finding, Finding::Higher);
}

#[test]
fn bad_input_says_what_there_is() {
    let cubic = side("CUBIC", "delay_p99_ms", &[1.0, 2.0]);
    let mut other = side("Prague", "delay_p99_ms", &[1.0, 2.0]);
    let named = Choice::Named(vec!["delay_p9_ms".to_owned()]);
    let options = Options { choice: named, ..Options::default() };
    let error = compare(&cubic, &other, &options).expect_err("no such metric");
    assert!(error.to_string().contains("did you mean `delay_p99_ms`?"), "{error}");
    other.version = "9.9.9".to_owned();
    let error = compare(&cubic, &other, &Options::default()).expect_err("another version");
    assert!(error.to_string().contains("`Prague` by 9.9.9"), "{error}");
    other.version.clone_from(&cubic.version);
    other.runs = other.runs.into_iter().map(|(seed, run)| (seed + 10, run)).collect();
    let error = compare(&cubic, &other, &Options::default()).expect_err("no shared seed");
    assert!(error.to_string().contains("`CUBIC` has seeds 1 to 2, `Prague` 11 to 12"), "{error}");
}

/// Of all metrics a person sees those that say something, once: no zeros, no flow group that has
/// what all flows have, users where there are several.
#[test]
fn what_is_compared_if_nothing_is_said() {
    let values = |goodput: f64| {
        [
            ("goodput_bps", goodput),
            ("loss_rate", 0.0),
            ("page_p95_ms", 700.0),
            ("fairness", 0.9),
            ("web.goodput_bps", goodput / 2.0),
            ("web.page_p95_ms", 700.0),
            ("users.web.down.count", 10.0),
            ("users.web.down.transmitted_bps.p5", 1e6),
            ("users.web.down.transmitted_bps.p95", 2e6),
            ("users.game.down.count", 1.0),
            ("users.game.down.transmitted_bps.p5", 1e6),
        ]
    };
    let arm = |goodput| {
        let named = values(goodput).map(|(name, value)| (name.to_owned(), value));
        let run = Run { metrics: named.clone().into(), users: vec![] };
        let metrics: Vec<String> = named.into_iter().map(|(name, _)| name).collect();
        let runs = [(1, run.clone()), (2, run)].into();
        Side { known: metrics.iter().cloned().collect(), metrics, runs, ..Side::default() }
    };
    let comparison = compare(&arm(2e6), &arm(3e6), &Options::default()).expect("shared seeds");
    let names: Vec<&str> = comparison.metrics.iter().map(|row| row.metric.as_str()).collect();
    let expected =
        ["goodput_bps", "page_p95_ms", "web.goodput_bps", "users.web.down.transmitted_bps.p5"];
    assert_eq!(names, expected);
}

/// A percentile over users is that of the users of all runs together: values 1 to 20 of four runs
/// have the median 10, where the medians of the runs have the mean 10.5 in one arm and 16.5 in the
/// other, where one run has most of the users.
#[test]
fn users_of_all_runs_count_together() {
    let place = airpath_results::users::measures()
        .position(|measure| measure == "transmitted_bps")
        .expect("a measure");
    let user = |value: f64| UserRow {
        ue: "ue".to_owned(),
        cell: None,
        application: "web".to_owned(),
        direction: Some("down".to_owned()),
        flows: 1,
        values: (0..=place).map(|n| (n == place).then_some(value)).collect(),
    };
    let name = "users.web.down.transmitted_bps.p50";
    let arm = |runs: [std::ops::RangeInclusive<u32>; 4]| {
        let mut side = side("arm", name, &[0.0; 4]);
        for (run, values) in side.runs.values_mut().zip(runs) {
            run.users = values.map(|value| user(f64::from(value))).collect();
        }
        side
    };
    let (first, second) =
        (arm([1..=5, 6..=10, 11..=15, 16..=20]), arm([1..=17, 18..=18, 19..=19, 20..=20]));
    let options = Options { choice: Choice::All, ..Options::default() };
    let row = compare(&first, &second, &options).expect("shared seeds").metrics.remove(0);
    let estimate = |side: Option<Estimate>| side.expect("users").estimate;
    assert_eq!((estimate(row.first), estimate(row.second)), (10.0, 10.0));
    assert_eq!((row.pairs, estimate(row.difference)), (4, 0.0));
    assert!(row.first.expect("users").low.expect("four runs") < 10.0);
}
