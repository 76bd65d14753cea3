use super::*;
use crate::network::page::tests::empty;
use crate::network::{ArmRuns, Run};

/// A run whose users have these rates in Mbit/s; pages are the second number.
fn run(seed: u64, rates: &[f64], pages: f64) -> Run {
    let user = |rate: &f64| {
        let mut values = vec![Some(1.0); 10];
        values[0] = Some(rate * 1e6);
        values
    };
    let mut values = vec![None; 10];
    values[0] = Some(pages);
    Run { seed, extra: seed > 4, values, users: rates.iter().map(user).collect() }
}

pub(super) fn arm(
    scheduler: &str,
    variant: &str,
    load: u32,
    rates: &[&[f64]],
    pages: &[f64],
) -> ArmRuns {
    let runs = (1..).zip(rates.iter().zip(pages)).map(|(seed, (r, p))| run(seed, r, *p)).collect();
    let name = format!("{scheduler}/{variant}");
    ArmRuns { experiment: "main".into(), load, name, runs }
}

fn data() -> Data {
    let base: [&[f64]; 5] = [&[4.0, 6.0], &[5.0, 9.0], &[2.0, 3.0], &[8.0, 1.0], &[4.0, 4.0]];
    let less: Vec<Vec<f64>> =
        base.iter().map(|run| run.iter().map(|r| r * 0.8).collect()).collect();
    let less: Vec<&[f64]> = less.iter().map(Vec::as_slice).collect();
    let pages = [100.0, 90.0, 110.0, 95.0, 105.0];
    let few = pages.map(|pages| pages * 1.01);
    Data {
        arms: vec![
            arm("RR", "none", 2, &base, &pages),
            arm("RR", "L4S", 2, &less, &few),
            arm("RR", "none", 5, &base, &pages),
        ],
        ..empty()
    }
}

pub(super) fn judged(tests: &str, data: &Data, partly: bool) -> Judged {
    let row =
        format!(r#"{{"id": "X", "place": "1", "says": "so", "part": "main", "tests": {tests}}}"#);
    judge_row(serde_json::from_str(&row).expect("a row"), data, partly)
}

const LOWER: &str = r#"{"test": "compare", "kpi": "rate", "relation": "lower", "first": ["RR/L4S"], "second": ["RR/none"], "loads": [2]}"#;
const HIGHER: &str = r#"{"test": "compare", "kpi": "rate", "relation": "higher", "first": ["RR/L4S"], "second": ["RR/none"], "loads": [2]}"#;
const EQUAL_PAGES: &str = r#"{"test": "compare", "kpi": "pages", "relation": "equal", "first": ["RR/L4S"], "second": ["RR/none"], "loads": [2]}"#;
const ELSEWHERE: &str = r#"{"test": "compare", "kpi": "rate", "relation": "lower", "first": ["RR/L4S"], "second": ["RR/none"], "loads": [2, 5]}"#;

#[test]
fn a_statement_holds_or_fails() {
    let lower = judged(&format!("[{LOWER}]"), &data(), false);
    assert_eq!((lower.outcome, lower.missing), (Verdict::Holds, 0));
    let place = &lower.places[0];
    assert!(place.ratio && (place.value - 0.8).abs() < 1e-9 && place.runs == 5, "{place:?}");
    assert_eq!(judged(&format!("[{HIGHER}]"), &data(), false).outcome, Verdict::Fails);
    let equal = judged(&format!("[{EQUAL_PAGES}]"), &data(), false);
    assert_eq!(equal.outcome, Verdict::Holds);
}

#[test]
fn one_contradiction_is_enough() {
    let both = judged(&format!("[{LOWER}, {HIGHER}]"), &data(), false);
    assert_eq!(both.outcome, Verdict::Fails);
    assert_eq!(both.deciding().map(|place| place.p_fails < 0.01), Some(true));
}

#[test]
fn what_was_not_made_is_not_said_to_hold() {
    let partly = judged(&format!("[{ELSEWHERE}]"), &data(), true);
    assert_eq!((partly.outcome, partly.missing), (Verdict::Holds, 1));
    assert_eq!(judged(&format!("[{ELSEWHERE}]"), &data(), false).outcome, Verdict::NotResolved);
    assert_eq!(judged(&format!("[{LOWER}]"), &empty(), true).outcome, Verdict::NotMade);
}

#[test]
fn single_arms() {
    let low = |low: f64, high: f64| {
        format!(
            r#"[{{"test": "value", "kpi": "rate", "arms": ["RR/none"], "loads": [2], "low": {low}, "high": {high}}}]"#
        )
    };
    // Means of the runs: 5, 7, 2.5, 4.5, 4; their mean is 4.6, s = 1.6355, so at 90% 4.6 ± 2.1318·1.6355/√5.
    let place = judged(&low(2.0, 7.0), &data(), false).places[0].clone();
    assert!((place.value - 4.6).abs() < 1e-9 && (place.high - place.value - 1.5593).abs() < 1e-3);
    assert_eq!(judged(&low(1.0, 20.0), &data(), false).outcome, Verdict::Holds);
    assert_eq!(judged(&low(4.0, 5.0), &data(), false).outcome, Verdict::NotResolved);
    assert_eq!(judged(&low(20.0, 30.0), &data(), false).outcome, Verdict::Fails);
}

#[test]
fn a_published_single_run() {
    let row = |published: f64| {
        format!(
            r#"[{{"test": "predict", "kpi": "rate", "arm": "RR/none", "load": 2, "published": {published}}}]"#
        )
    };
    assert_eq!(judged(&row(8.0), &data(), false).outcome, Verdict::Holds);
    assert_eq!(judged(&row(80.0), &data(), false).outcome, Verdict::Fails);
}

#[test]
fn rows_name_what_there_is() {
    for study in crate::STUDIES.iter().filter_map(|kept| kept.study().network()) {
        let plan = study.plan().expect("a plan");
        let rows = rows(&study, &empty().measures).expect("rows");
        assert_eq!(rows.len(), 73);
        crate::check::check_arms(&study, &plan, "rows.json", &rows)
            .expect("arms of some experiment");
        for row in &rows {
            assert!(plan.parts().contains(&row.part.as_str()), "{}", row.id);
            assert!(!row.tests.is_empty());
        }
    }
}

#[test]
fn the_number_of_runs_that_the_source_made() {
    let cut = data().as_published();
    assert!(cut.arms.iter().all(|arm| arm.runs.len() == 4));
}

#[test]
fn runs_that_another_experiment_adds_join_their_arm() {
    let mut both = data();
    let (arm, before) = (both.arms[0].clone(), both.arms.len());
    let runs = arm.runs.iter().map(|run| Run { seed: run.seed + 1000, extra: true, ..run.clone() });
    both.arms.push(ArmRuns { experiment: "more".into(), runs: runs.collect(), ..arm.clone() });
    let joined = both.joined();
    assert_eq!(joined.arms.len(), before);
    let runs = joined.arm(&arm.name, arm.load).expect("an arm");
    assert_eq!(runs.len(), 2 * arm.runs.len());
    let cut = joined.as_published();
    let cut = cut.arm(&arm.name, arm.load).expect("an arm");
    assert!(cut.iter().all(|run| run.seed < 1000) && cut.len() < runs.len());
}

#[test]
fn a_row_of_an_unknown_measure_is_refused() {
    let study = crate::network::page::tests::study();
    let text = study.text("rows.json").expect("rows").replacen("\"rate\"", "\"rats\"", 1);
    let error = rows(&study.with("rows.json", &text), &empty().measures).expect_err("unknown");
    assert!(error.to_string().contains("rows.json: L4S-001: no measure rats"), "{error}");
}

#[test]
fn a_row_of_an_arm_or_a_load_that_no_experiment_has_is_refused() {
    let study = crate::network::page::tests::study();
    let (plan, text) = (study.plan().expect("a plan"), study.text("rows.json").expect("rows"));
    let refused = |old: &str, new: &str, says: &str| {
        let study = study.clone().with("rows.json", &text.replacen(old, new, 1));
        let rows = rows(&study, &empty().measures).expect("rows");
        let error =
            crate::check::check_arms(&study, &plan, "rows.json", &rows).expect_err("unknown");
        assert!(error.to_string().contains(says), "{says}: {error}");
    };
    let says = "L4S-001: no experiment has the arm: RR/smal, alpha 1.0 at the load 4";
    refused("RR/small, alpha 1.0", "RR/smal, alpha 1.0", says);
    refused("\"load\": 4", "\"load\": 5", "alpha 1.0 at the load 5");
}
