use super::*;
use crate::network::judge::rows;
use crate::network::page::tests::{empty, study};

fn read(study: &Study) -> Result<Rules, StudyError> {
    let measures = empty().measures;
    Rules::of(study, &rows(study, &measures)?, &measures)
}

/// A test as text without its name and loads.
fn plain(test: &Test) -> String {
    let mut test = serde_json::to_value(test).expect("a test");
    let fields = test.as_object_mut().expect("fields");
    fields.remove("test");
    fields.remove("loads");
    test.to_string()
}

#[test]
fn rules_change_no_more_than_the_mean_over_loads() {
    let (study, measures) = (study(), empty().measures);
    let (rules, rows) = (read(&study).expect("rules"), rows(&study, &measures).expect("rows"));
    let changed = rules.rows(&rows);
    assert_eq!(
        (rules.sentences.iter().map(|s| s.rows.len()).sum::<usize>(), changed.len()),
        (73, 21)
    );
    for row in &changed {
        let strict = rows.iter().find(|strict| strict.id == row.id).expect("the row");
        assert_eq!(strict.tests.len(), row.tests.len(), "{}", row.id);
        for (old, new) in strict.tests.iter().zip(&row.tests) {
            assert_eq!(plain(old), plain(new), "{}", row.id);
            assert!(old == new || matches!((old, new), (Test::Compare(_), Test::Mean(_))));
            assert!(new.arms().1.iter().all(|load| old.arms().1.contains(load)), "{}", row.id);
        }
    }
    for sentence in &rules.sentences {
        assert!(sentence.quote.split_whitespace().count() <= 25, "{}", sentence.quote);
        let changes = [sentence.old.is_some(), sentence.new.is_some(), sentence.rule == "mean"];
        assert_eq!(changes, [!sentence.tests.is_empty(); 3], "{:?}", sentence.rows);
    }
    let plan = study.plan().expect("a plan");
    crate::check::check_arms(&study, &plan, "rules.json", &changed).expect("arms");
}

#[test]
fn a_rule_that_fits_no_row_is_refused() {
    let study = study();
    let text = study.text(FILE).expect("rules").to_owned();
    let refused = |old: &str, new: &str, says: &str| {
        assert!(text.contains(old), "{old}");
        let study = study.clone().with(FILE, &text.replacen(old, new, 1));
        let error = read(&study).expect_err(says);
        assert!(error.to_string().contains(says), "{says}: {error}");
    };
    refused("\"rule\": \"figure\"", "\"rule\": \"fig\"", "rules.json: L4S-041: no rule fig");
    refused("[\"L4S-041\"]", "[\"L4S-41\"]", "rules.json: no row L4S-41");
    refused("[\"L4S-041\"]", "[\"L4S-040\"]", "two sentences of the row L4S-040");
    refused("[\"L4S-041\"]", "[]", "no sentence of the row L4S-041");
    refused("\"kpi\": \"rate\"", "\"kpi\": \"rats\"", "rules.json: L4S-042a: no measure rats");
    refused("\"quote\"", "\"quota\"", "rules.json: unknown field `quota`");
}
