//! Kept cards and their page.

use airpath_evaluate::{Card, Controller, Kept, Options, Suite, evaluate};
use airpath_stats::Verdict;

/// The card of a case of the suite `cubic`, with all its seeds.
fn card() -> Card {
    let mut suite = Suite::known("cubic").expect("a suite");
    suite.cases.retain(|case| case.name == "timeout");
    let known = |name: &str| Controller::known(name).expect("a controller");
    let controllers = [known("cubic"), known("newreno"), known("scream")];
    evaluate(&[suite], &controllers, Options::default()).expect("a card")
}

#[test]
fn a_kept_card_has_the_verdicts_of_the_card() {
    let card = card();
    let kept = Kept::of(&card, "cubic");
    let again = Kept::parse("cubic.json", &kept.to_json()).expect("a kept card");
    assert_eq!(again, kept);
    assert!(kept.rows.iter().all(|row| row.controller != "scream"), "nothing to compare");
    let page = Kept::page(std::slice::from_ref(&kept)).expect("a page");
    for name in ["cubic", "newreno"] {
        let own: Vec<Verdict> =
            card.verdicts(name).filter(|own| *own != Verdict::NotComparable).collect();
        let held = own.iter().filter(|own| **own == Verdict::Holds).count();
        let section = format!("## {name}\n\n{held} of {} criteria hold.", own.len());
        assert!(page.contains(&section), "{section}\n{page}");
    }
    assert!(page.contains("0 of 0 criteria hold"), "{page}");
    assert!(page.contains("| case | cubic | newreno |"), "{page}");
}

#[test]
fn kept_values_are_judged_by_the_present_criteria() {
    let kept = Kept::of(&card(), "cubic");
    let mut far = kept.clone();
    // No bound of a criterion is this large, and all that have a lower bound alone have an upper one here.
    for row in &mut far.rows {
        row.values = vec![Some(-1e9); 5];
    }
    let held = |kept: &Kept| {
        let page = Kept::page(std::slice::from_ref(kept)).expect("a page");
        page.matches("| fails | -1000000000 ± 0 ").count()
    };
    assert_eq!(held(&kept), 0);
    let suite = Suite::known("cubic").expect("a suite");
    let case = suite.cases.iter().find(|case| case.name == "timeout").expect("the case");
    let low = case.file.criterion.iter().filter(|own| !own.bbr_only && own.at_least.is_some());
    // Two controllers.
    assert_eq!(held(&far), 2 * low.count());
    let mut other = kept;
    other.rows[0].criterion = "no longer there".to_owned();
    let fault = Kept::page(&[other]).expect_err("another criterion").to_string();
    assert!(fault.contains("no longer there") && fault.contains("make cards"), "{fault}");
    assert!(Kept::parse("a.json", "{}").expect_err("no card").to_string().contains("a.json"));
}
