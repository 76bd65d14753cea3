//! Tests of verdicts.

use super::*;
use crate::observe::FlowMeasured;

fn claim(published: &str, tolerance: f64, margin: f64, holds: Option<&str>) -> Claim {
    Claim {
        id: "X-1".into(),
        part: None,
        place: String::new(),
        condition: String::new(),
        metric: String::new(),
        unit: "count".into(),
        published: published.into(),
        reference: None,
        kind: "simulated".into(),
        tolerance: Some(tolerance),
        margin: Some(margin),
        quantity: "retransmissions@run.flow".into(),
        holds: holds.map(str::to_owned),
        note: None,
    }
}

fn runs(retransmissions: &[u64]) -> Vec<Vec<Option<Measured>>> {
    let one = |n: &u64| {
        let flow = FlowMeasured { retransmissions: *n, ..FlowMeasured::default() };
        let flow = FlowMeasured { flow: "flow".into(), ..flow };
        Some(Measured { flows: vec![flow], ..Measured::default() })
    };
    vec![retransmissions.iter().map(one).collect()]
}

fn row(claim: &Claim, own: &[u64], published: bool) -> Row {
    let (names, measured) = (["run".to_owned()], runs(own));
    let repeated = own.len() > 1;
    let differs = (!published).then_some("another configuration");
    let evidence = Evidence {
        reading: "x",
        differs,
        judged: Form::Published,
        repeated,
        runs: &names,
        measured: &measured,
        failures: &[],
    };
    judge(claim, evidence).expect("valid data").expect("a row")
}

#[test]
fn a_single_run_agrees_within_the_larger_of_tolerance_and_margin() {
    let verdict =
        |own, tolerance, margin| row(&claim("100", tolerance, margin, None), &[own], true).verdict;
    assert_eq!(verdict(110, 0.1, 0.0), Verdict::Holds);
    assert_eq!(verdict(111, 0.1, 0.0), Verdict::Fails);
    assert_eq!(verdict(89, 0.1, 11.0), Verdict::Holds);
    assert_eq!(verdict(88, 0.1, 11.0), Verdict::Fails);
}

#[test]
fn statements_go_by_their_condition() {
    let lower = claim("lower", 0.0, 0.0, Some("retransmissions@run.flow < 10"));
    assert_eq!(row(&lower, &[9], true).verdict, Verdict::Holds);
    assert_eq!(row(&lower, &[10], true).verdict, Verdict::Fails);
    assert_eq!(row(&lower, &[9], false).verdict, Verdict::Holds);
    let number = row(&claim("100", 0.1, 0.0, None), &[100], false);
    assert_eq!(number.verdict, Verdict::NotComparable);
    assert_eq!(number.reason.as_deref(), Some("another configuration"));
}

#[test]
fn repeated_runs_go_by_the_interval_of_their_share() {
    let lower = claim("lower", 0.0, 0.0, Some("retransmissions@run.flow < 10"));
    // Wilson's interval of 9 in 10 begins at 0.596, of 5 in 10 at 0.237 (to 0.763).
    let own =
        |below: usize| -> Vec<u64> { (0..10).map(|n| if n < below { 1 } else { 20 }).collect() };
    assert_eq!(row(&lower, &own(9), false).verdict, Verdict::Holds);
    assert_eq!(row(&lower, &own(5), false).verdict, Verdict::NotResolved);
    assert_eq!(row(&lower, &own(1), false).verdict, Verdict::Fails);
    let share = row(&lower, &own(9), false).holds_in.expect("a share");
    assert_eq!((share.holds, share.runs), (9, 10));
    assert!((share.low - 0.596).abs() < 1e-3);
}

#[test]
fn of_a_hundred_runs_sixty_make_a_majority() {
    // Wilson's interval of 60 in 100 is 0.502 to 0.691, of 59 in 100 0.492 to 0.681.
    let lower = claim("lower", 0.0, 0.0, Some("retransmissions@run.flow < 10"));
    let verdict = |below: usize| {
        let own: Vec<u64> = (0..100).map(|n| if n < below { 1 } else { 20 }).collect();
        row(&lower, &own, false).verdict
    };
    assert_eq!([60, 59].map(verdict), [Verdict::Holds, Verdict::NotResolved]);
    assert_eq!([41, 40].map(verdict), [Verdict::NotResolved, Verdict::Fails]);
}

#[test]
fn a_reading_without_the_runs_has_no_row() {
    let evidence = Evidence {
        reading: "x",
        differs: None,
        judged: Form::Published,
        repeated: false,
        runs: &[],
        measured: &[],
        failures: &[],
    };
    assert_eq!(judge(&claim("1", 0.1, 0.0, None), evidence).expect("valid data"), None);
}

#[test]
fn a_finding_may_hold_where_there_is_no_figure() {
    let more = "retransmissions@run.flow - retransmissions@run.none > 0";
    let mut claim = claim("460", 0.4, 0.0, Some(more));
    claim.quantity = "retransmissions@run.flow % retransmissions@run.none".into();
    let flow = |name: &str, retransmissions| FlowMeasured {
        flow: name.into(),
        retransmissions,
        ..FlowMeasured::default()
    };
    let run = Measured { flows: vec![flow("flow", 112), flow("none", 0)], ..Measured::default() };
    let evidence = Evidence {
        reading: "x",
        differs: Some("another configuration"),
        judged: Form::True,
        repeated: false,
        runs: &["run".to_owned()],
        measured: &[vec![Some(run)]],
        failures: &[],
    };
    let row = judge(&claim, evidence).expect("valid data").expect("a row");
    assert_eq!((row.measured, row.verdict), (None, Verdict::Holds));
}

#[test]
fn a_figure_is_compared_with_the_reference_by_its_own_tolerance() {
    let claim = |figure| Claim { reference: Some(figure), ..claim("1", 0.25, 2.0, None) };
    // A quarter of 20 is 5; a quarter of 4 is 1, so that 2 counts.
    let verdict = |reference, own| against_reference(&claim(reference), Some(own));
    assert_eq!(verdict(20.0, 25.0), Some(Verdict::Holds));
    assert_eq!(verdict(20.0, 25.1), Some(Verdict::Fails));
    assert_eq!(verdict(4.0, 6.0), Some(Verdict::Holds));
    assert_eq!(verdict(4.0, 1.9), Some(Verdict::Fails));
    assert_eq!(against_reference(&claim(4.0), None), None);
}

#[test]
fn a_run_that_failed_counts_for_nothing_and_is_named() {
    let names = ["run".to_owned(), "other".to_owned()];
    let [good, other] = [&[20][..], &[500]].map(|own| runs(own).remove(0).remove(0));
    let of = |measured: &[Vec<Option<Measured>>; 2], quantity: &str| {
        let claim = Claim { quantity: quantity.into(), ..claim("20", 0.1, 0.0, None) };
        let repeated = measured[0].len() > 1;
        let (differs, judged) = (None, Form::Published);
        let why = "internal error: a model panicked: index out of bounds";
        let failures =
            [Failure { reading: "x".into(), run: "other".into(), seed: 1, why: why.into() }];
        let (reading, runs, failures) = ("x", &names[..], &failures[..]);
        let evidence = Evidence { reading, differs, judged, repeated, runs, measured, failures };
        judge(&claim, evidence).expect("valid data").expect("a row")
    };
    let [own, largest] =
        ["retransmissions@run.flow", "retransmissions@run.flow ; retransmissions@other.flow"];
    // One of three repetitions failed: the rest are judged.
    let repeated = [vec![good.clone(), None, good.clone()], vec![None; 3]];
    let row = of(&repeated, own);
    assert_eq!(
        (row.measured, row.holds_in.map(|share| (share.holds, share.runs))),
        (Some(20.0), Some((2, 2)))
    );
    // The largest of two is not the one that is there.
    let row = of(&[vec![good], vec![None]], largest);
    assert_eq!((row.measured, row.verdict), (None, Verdict::NotMade));
    assert_eq!(row.verdict.figure_word(), "not made");
    let why = "run other with seed 1 failed: internal error: a model panicked: index out of bounds";
    assert_eq!(row.reason.as_deref(), Some(why));
    assert_eq!(of(&[vec![other], vec![None]], own).verdict, Verdict::Fails);
}
