use proptest::prelude::*;

use super::*;

fn repetition() -> impl Strategy<Value = Repetition> {
    let measure = prop::sample::select(vec!["delay-mean", "rtp-rate", "figure"]);
    let form = prop::sample::select(vec![Form::Published, Form::True]);
    let value = any::<f64>().prop_filter("a number", |value| !value.is_nan());
    let made = prop::collection::btree_map((measure, "[a-z ,.]{1,8}", form), value, 0..4);
    prop_oneof![
        made.prop_map(Repetition::Made),
        "[a-z]{1,8}".prop_map(Repetition::Failed),
        "[a-z]{1,8}".prop_map(Repetition::NotMade),
    ]
}

fn values() -> impl Strategy<Value = Values> {
    let runs =
        prop::collection::btree_map("[a-z]{1,4}", prop::collection::vec(repetition(), 1..4), 1..4);
    let runs = runs.prop_map(|runs| runs.into_iter().collect::<Runs>());
    let readings = prop::collection::btree_map("[a-z]{1,4}", runs, 0..3);
    readings.prop_map(|readings| Values {
        readings: readings.into_iter().collect(),
        of: "Values of the study x, files 0".into(),
    })
}

proptest! {
    #[test]
    fn a_table_has_all_values(values in values()) {
        let read = Values::from_table(&values.table()).expect("a table of values");
        prop_assert_eq!(read, values);
    }
}

#[test]
fn a_run_that_the_table_lacks_is_not_made() {
    let plan: Plan = serde_json::from_str(
        r#"{ "runs": [ { "name": "a", "set": [] }, { "name": "b", "set": [] } ],
             "readings": [ { "name": "x", "profiles": [] }, { "name": "y", "profiles": [] } ] }"#,
    )
    .expect("a plan");
    let made = Repetition::Made(ByMeasure::new());
    let readings = vec![("x".into(), vec![("b".into(), vec![made.clone()])])];
    let values = Values { readings, of: String::new() };
    let runs = values.of(&plan, &plan.readings[0]).expect("a reading of the table");
    let why = Repetition::NotMade("the table has no such run with this seed".into());
    assert_eq!(runs, [("a".to_owned(), vec![why.clone()]), ("b".to_owned(), vec![made.clone()])]);
    assert_eq!(values.of(&plan, &plan.readings[1]), None);
    // Of a run with fewer seeds than another, the others are not made.
    let all = |n| vec![made.clone(); n];
    let runs = vec![("a".to_owned(), all(1)), ("b".to_owned(), all(3))];
    let values = Values { readings: vec![("x".into(), runs)], of: String::new() };
    let found = values.of(&plan, &plan.readings[0]).expect("a reading");
    assert_eq!(found[0].1, [&all(1)[..], &vec![why.clone(); 2]].concat());
    assert_eq!((found[1].1.len(), values.seeds()), (3, 3));
}

#[test]
fn values_know_the_study_and_the_state_of_its_files() {
    let study = crate::study("short-tti").expect("a study");
    let values = Values::none(&study);
    assert!(values.fits(&study).expect("the same study"));
    // Claims and texts decide nothing of a run, scenarios do.
    assert!(values.fits(&study.clone().with("claims.csv", "")).expect("the same study"));
    assert!(!values.fits(&study.with("download.toml", "")).expect("the same study"));
    let other = crate::study("rate-delay").expect("a study");
    let error = values.fits(&other).expect_err("another study");
    assert!(error.to_string().contains("the study short-tti; expected"), "{error}");
}
