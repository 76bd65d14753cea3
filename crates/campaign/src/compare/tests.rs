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
    let choice = Choice::Named(vec![first.to_owned()]);
    let options = Options { choice, ..options.clone() };
    let comparison = compare(&cubic, &side("Prague", first, second.1), &options);
    comparison.expect("shared seeds").metrics.remove(0)
}

/// Differences -44, -46, -48: s = 2, half width 4.302653·2/√3 = 4.968275. Logarithms of the ratios
/// have the mean -1.35525 and s = 0.04233, half width 0.10516: 0.2579·e^∓0.10516.
#[test]
fn a_difference_in_a_sentence() {
    let row = found(&[60.0, 61.0, 65.0], &[16.0, 15.0, 17.0], &Options::default());
    assert_eq!(
        row.sentence,
        "the p99 queue delay is 46 ms lower with Prague than with CUBIC, 41 to 51, 0.258 times \
         (0.232 to 0.286), 3 paired seeds"
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
        "whether the p99 queue delay differs with Prague and with CUBIC is not resolved: 1 ms, \
         -0.271 to 2.27, 12 paired seeds; 22 more seeds would be needed"
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
    assert!(
        row.sentence.contains("equals that with CUBIC within 10%: 1.01 times"),
        "{}",
        row.sentence
    );
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

/// A person sees each metric that has information, once. Zeros are left out, and a flow group that
/// has the value of all flows. Users are there where there are several.
#[test]
fn what_is_compared_if_nothing_is_said() {
    let values = |goodput: f64| {
        [
            ("goodput_bps", goodput),
            ("loss_rate", 0.0),
            ("page_p50_ms", 300.0),
            ("page_p95_ms", 700.0),
            ("delay_p50_ms", 20.0),
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
    let expected = [
        "goodput_bps",
        "page_p50_ms",
        "page_p95_ms",
        "web.goodput_bps",
        "users.web.down.transmitted_bps.p5",
    ];
    assert_eq!(names, expected);
}

/// Of 90 and 99 frames in a hundred, the difference is 9 points: nine thresholds. One arm alone names no time for its packets.
#[test]
fn the_share_within_a_time_is_compared_where_both_have_it() {
    let with = |share: f64| {
        let metrics = [("goodput_bps", 2e6), ("within_share", share), ("frames_late_share", 0.1)];
        arm_of("with", &["xr"], &metrics)
    };
    let without = arm_of("without", &["xr"], &[("goodput_bps", 2e6), ("frames_late_share", 0.1)]);
    let has = |first: &Side, second: &Side| {
        let found = compare(first, second, &Options::default()).expect("shared seeds");
        let row = found.metrics.into_iter().find(|row| row.metric == "within_share")?;
        Some((row.better, row.threshold, row.difference.expect("pairs").estimate))
    };
    let (better, threshold, difference) = has(&with(0.9), &with(0.99)).expect("a row");
    assert_eq!((better, threshold), (Some(true), Some(0.01)));
    assert!((difference - 0.09).abs() < 1e-3, "{difference}");
    assert_eq!(has(&with(0.9), &without), None);
}

/// A percentile over users is that of the users of all runs together. Values 1 to 20 of four runs
/// have the median 10. The medians of the runs have the mean 10.5 in one arm and 16.5 in the other,
/// where one run has most of the users.
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

/// An arm with these metrics in each of ten runs, each the more the higher the seed, and flows of
/// these kinds.
fn arm_of(name: &str, kinds: &[&str], metrics: &[(&str, f64)]) -> Side {
    let flows: Vec<_> = kinds.iter().map(|kind| json!({"name": kind, "kind": kind})).collect();
    let run = |seed: u64| {
        let wobble = 1.0 + 1e-3 * (seed % 3) as f64;
        let of = |(name, value): &(&str, f64)| ((*name).to_owned(), value * wobble);
        (seed, Run { metrics: metrics.iter().map(of).collect(), users: vec![] })
    };
    let names: Vec<String> = metrics.iter().map(|(name, _)| (*name).to_owned()).collect();
    Side {
        name: name.to_owned(),
        scenario: json!({ "flow": flows }),
        known: names.iter().cloned().collect(),
        metrics: names,
        runs: (1..=10).map(run).collect(),
        ..Side::default()
    }
}

/// The question of the tutorial: voice waits 775 ms less, while the download waits 50 ms more. In
/// thresholds of 20 ms the voice's difference is the larger one by far, and all flows together
/// answer nobody.
#[test]
fn the_group_that_changes_most_is_told_first() {
    let of = |name: &str, voice: f64, download: f64, pooled: f64| {
        let metrics = [
            ("goodput_bps", 3.1e6),
            ("delay_p50_ms", pooled),
            ("delay_p99_ms", pooled),
            ("download.goodput_bps", 3.06e6),
            ("download.delay_p50_ms", download),
            ("download.delay_p99_ms", download),
            ("voice.goodput_bps", 66e3),
            ("voice.delay_p50_ms", voice / 2.0),
            ("voice.delay_p99_ms", voice),
            ("pdsch_share", pooled / 2000.0),
        ];
        arm_of(name, &["tcp", "rtp"], &metrics)
    };
    let shared = of("shared", 1001.0, 998.0, 1000.0);
    let bearer = of("own", 226.0, 1048.0, 1050.0);
    let found = compare(&shared, &bearer, &Options::default()).expect("shared seeds");
    assert_eq!(found.answer[0].metrics, ["voice.delay_p99_ms"]);
    let first = &found.answer[0].text;
    assert!(
        first.starts_with("the p99 delay of voice is 776 ms lower with own than with shared"),
        "{first}"
    );
    assert_eq!(found.answer[1].metrics, ["download.delay_p99_ms"]);
    assert!(found.metrics.iter().all(|row| row.metric != "delay_p99_ms"));
    // Metrics of no person stand behind.
    let place = |metric: &str| {
        found.answer.iter().position(|told| told.metrics[0] == metric).expect("a sentence")
    };
    assert!(place("pdsch_share") > place("download.delay_p99_ms"));
}

/// By hand: the median rises by 2 thresholds, the 99th percentile falls by 10.
#[test]
fn percentiles_that_go_both_ways_are_one_sentence() {
    let of = |name: &str, median: f64, p95: f64, p99: f64| {
        let metrics = [("delay_p50_ms", median), ("delay_p95_ms", p95), ("delay_p99_ms", p99)];
        arm_of(name, &["tcp"], &metrics)
    };
    let (first, second) = (of("a", 10.0, 100.0, 400.0), of("b", 50.0, 100.0, 200.0));
    let found = compare(&first, &second, &Options::default()).expect("shared seeds");
    assert_eq!(found.answer.len(), 1);
    let text = &found.answer[0].text;
    assert!(
        text.starts_with("the delay goes both ways with b against a: its median is 40"),
        "{text}"
    );
    assert!(
        text.contains("its p95 is the same") && text.contains("its p99 is 200 ms lower"),
        "{text}"
    );
    assert_eq!(found.answer[0].metrics, ["delay_p50_ms", "delay_p95_ms", "delay_p99_ms"]);
    // All that go one way: the one that differs most.
    let third = of("c", 5.0, 60.0, 200.0);
    let found = compare(&first, &third, &Options::default()).expect("shared seeds");
    assert_eq!(found.answer[0].metrics, ["delay_p99_ms"]);
}

/// A difference of 5 ms, however certain, is less to a person than 30 ms that is spread.
#[test]
fn certainty_alone_is_no_reason_to_be_first() {
    let mut first = arm_of("a", &["tcp"], &[("delay_p99_ms", 30.0), ("jitter_ms", 0.0)]);
    let mut second = arm_of("b", &["tcp"], &[("delay_p99_ms", 35.0), ("jitter_ms", 0.0)]);
    for (seed, run) in first.runs.iter_mut().chain(&mut second.runs) {
        let spread = if seed % 2 == 0 { 5.0 } else { -5.0 };
        run.metrics.insert("jitter_ms".into(), 20.0 + spread);
    }
    for run in second.runs.values_mut() {
        *run.metrics.get_mut("jitter_ms").expect("a value") += 40.0;
        let odd = run.metrics["jitter_ms"] > 60.0;
        *run.metrics.get_mut("jitter_ms").expect("a value") += if odd { 4.0 } else { 0.0 };
    }
    let all = Options { choice: Choice::All, ..Options::default() };
    let found = compare(&first, &second, &all).expect("shared seeds");
    assert_eq!(found.answer[0].metrics, ["jitter_ms"]);
    // RFC 3551, 4.2: a frame of 20 ms.
    let jitter = found.metrics.iter().find(|row| row.metric == "jitter_ms").expect("a row");
    assert_eq!(jitter.threshold, Some(20.0));
}
