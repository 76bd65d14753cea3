//! Tests of verdicts.

use super::*;

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

/// A run with so many retransmissions of a flow in each repetition.
fn run(name: &str, flow: &str, retransmissions: &[f64]) -> (String, Vec<Repetition>) {
    let one = |n: &f64| {
        let value = |form| (("retransmissions", flow.to_owned(), form), *n);
        Repetition::Made([Form::Published, Form::True].map(value).into())
    };
    (name.to_owned(), retransmissions.iter().map(one).collect())
}

fn reading(differs: Option<&str>, repeated: bool) -> Reading {
    Reading {
        name: "x".into(),
        differs: differs.map(str::to_owned),
        repeated,
        ..Reading::default()
    }
}

fn judged(claim: &Claim, reading: &Reading, runs: &[(String, Vec<Repetition>)]) -> Row {
    judge(claim, Evidence { reading, runs }).expect("valid data").expect("a row")
}

fn row(claim: &Claim, own: &[u64], published: bool) -> Row {
    let own: Vec<f64> = own.iter().map(|n| *n as f64).collect();
    let reading = reading((!published).then_some("another configuration"), own.len() > 1);
    judged(claim, &reading, &[run("run", "flow", &own)])
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
    let evidence = Evidence { reading: &reading(None, false), runs: &[] };
    assert_eq!(judge(&claim("1", 0.1, 0.0, None), evidence).expect("valid data"), None);
}

#[test]
fn a_finding_may_hold_where_there_is_no_figure() {
    let more = "retransmissions@run.flow - retransmissions@other.flow > 0";
    let mut claim = claim("460", 0.4, 0.0, Some(more));
    claim.quantity = "retransmissions@run.flow % retransmissions@other.flow".into();
    let reading = Reading { judged: Form::True, ..reading(Some("another configuration"), false) };
    let runs = [run("run", "flow", &[112.0]), run("other", "flow", &[0.0])];
    let row = judged(&claim, &reading, &runs);
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
    let of = |runs: [(String, Vec<Repetition>); 2], quantity: &str| {
        let claim = Claim { quantity: quantity.into(), ..claim("20", 0.1, 0.0, None) };
        judged(&claim, &reading(None, runs[0].1.len() > 1), &runs)
    };
    let why = "internal error: a model panicked: index out of bounds";
    let failed = || Repetition::Failed(why.into());
    let other = |all| ("other".to_owned(), all);
    let [own, largest] =
        ["retransmissions@run.flow", "retransmissions@run.flow ; retransmissions@other.flow"];
    // One of three repetitions failed: the rest are judged.
    let mut repeated = run("run", "flow", &[20.0, 0.0, 20.0]);
    repeated.1[1] = failed();
    let row = of([repeated, other(vec![failed(), failed(), failed()])], own);
    assert_eq!(
        (row.measured, row.holds_in.map(|share| (share.holds, share.runs))),
        (Some(20.0), Some((2, 2)))
    );
    // The largest of two is not the one that is there.
    let row = of([run("run", "flow", &[20.0]), other(vec![failed()])], largest);
    assert_eq!((row.measured, row.verdict), (None, Verdict::NotMade));
    assert_eq!(row.verdict.figure_word(), "not made");
    let why = "run other with seed 1 failed: internal error: a model panicked: index out of bounds";
    assert_eq!(row.reason.as_deref(), Some(why));
    let wrong = [run("run", "flow", &[500.0]), other(vec![failed()])];
    assert_eq!(of(wrong, own).verdict, Verdict::Fails);
}

#[test]
fn a_run_that_is_not_made_has_its_reason() {
    let lacking = Repetition::NotMade("it takes the source's testbed".into());
    let runs = [("run".to_owned(), vec![lacking])];
    let row = judged(&claim("20", 0.1, 0.0, None), &reading(None, false), &runs);
    assert_eq!(row.verdict, Verdict::NotMade);
    let why = "run run was not made: it takes the source's testbed";
    assert_eq!(row.reason.as_deref(), Some(why));
}
