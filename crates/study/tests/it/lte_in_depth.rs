//! The in-depth study of LTE as a whole. Methods that are measured on the simulator keep their
//! verdicts. Rows that the source measured in a network never agree; they are recovered at most.

use airpath_study::{Options, Row, Verdict, reproduce, study};

#[test]
fn methods_agree_and_measured_rows_are_recovered_or_say_why_not() {
    let study = study("lte-in-depth").expect("the study");
    let rows = reproduce(&study, Options { seeds: 1, ..Options::default() }).expect("it runs").rows;
    let row = |id: &str| -> &Row {
        rows.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("no row {id}"))
    };
    // The clock within 0.1 %, bandwidth within 8 %.
    assert!(row("LTE-001").measured.expect("an error") < 0.1);
    assert!(row("LTE-002").measured.expect("an error") <= 8.0);
    for id in ["LTE-001", "LTE-002", "LTE-004", "LTE-005", "LTE-006", "LTE-053"] {
        assert_eq!(row(id).verdict, Verdict::Holds, "{id}");
    }
    for row in rows.iter().filter(|row| row.id.as_str() > "LTE-006" && row.id != "LTE-053") {
        match row.id.starts_with("LTE-034") {
            true => assert!(row.reason.is_some() && row.verdict == Verdict::NotComparable),
            false => assert_eq!(row.verdict, Verdict::Recovered, "{}: {:?}", row.id, row.measured),
        }
    }
    assert_eq!(rows.len(), 75);
}
