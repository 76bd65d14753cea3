//! Example of a cause that is added, and what each cause has.

use super::by_hand::Hand;
use super::hypotheses::{Measure, Rule};
use super::{Cause, RULES};

mod trickle {
    //! Trickle: the sender has next to nothing under way.
    //!
    //! Less than 100 bytes were acknowledged in a round trip. Source: RFC 896, "the small-packet problem".

    use super::{Measure, Rule};

    pub(super) const RULE: Rule = Rule {
        words: "the sender sent small packets",
        rivals: &[],
        trust: |_| 1.0,
        measure: Measure::Flight,
        holds: |case| case.stretch.is_round() && case.stretch.delivered < 100,
    };
}

/// The list with its entry. `CannotTell` stands for the variant that it would have.
const ADDED: [(Cause, Rule); RULES.len() + 1] = {
    let mut rules = [(Cause::CannotTell, trickle::RULE); RULES.len() + 1];
    let mut n = 0;
    while n < RULES.len() {
        rules[n + 1] = RULES[n];
        n += 1;
    }
    rules
};

/// Shares of the time by such a list: first small segments, then large ones.
fn shares(rules: &'static [(Cause, Rule)]) -> Vec<(Cause, f64)> {
    let mut hand = Hand::by(100, rules);
    for n in 0..4 {
        let len = if n < 2 { 40 } else { 1000 };
        hand.sent(100 * n, len).acknowledged(100 * n + 100);
    }
    hand.shares()
}

#[test]
fn a_rule_and_an_entry_are_a_cause() {
    assert!(shares(RULES).iter().all(|(cause, _)| *cause != Cause::CannotTell));
    let added = shares(&ADDED);
    assert!(added.contains(&(Cause::CannotTell, 0.5)), "{added:?}");
}

#[test]
fn each_cause_has_a_file_with_its_source_and_its_test() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/causes/hypotheses/");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), Cause::COUNT + 1, "but for mod.rs");
    for (n, cause) in Cause::ALL.into_iter().enumerate() {
        let (name, file) = (cause.name(), format!("{folder}{}.rs", cause.name()));
        let text = std::fs::read_to_string(file).unwrap();
        let head: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(head.contains("Source: ") && text.contains("#[test]"), "{name}");
        assert_eq!((cause as usize, format!("{cause:?}").len()), (n, name.replace('_', "").len()));
    }
}
