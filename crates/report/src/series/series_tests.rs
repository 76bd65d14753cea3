use airpath_results::Table;

use super::read::{Courses, select};
use super::*;

fn line(subject: &str, y: &[f64]) -> Line {
    let x = (1..=y.len()).map(|n| n as f64 * 0.1).collect();
    Line { subject: subject.into(), x, y: y.to_vec(), ..Line::default() }
}

#[test]
fn runs_of_an_arm_are_a_mean_with_its_interval() {
    let runs = [vec![line("a", &[1.0, 5.0])], vec![line("a", &[3.0])]];
    let drawn = of_runs(&runs, &|subject| subject.to_owned());
    let [(name, layers, values)] = drawn.as_slice() else { panic!("one subject") };
    assert_eq!((name.as_str(), values.as_slice()), ("a", &[2.0, 5.0][..]));
    assert_eq!(layers[0].1, "line: mean of 2 runs; band: its 95% interval");
    let Mark::Band { low, high, .. } = &layers[0].0 else { panic!("a band") };
    // Student's t with one degree of freedom: 12.706 times 1.414 over the root of 2.
    let (low, high) = (low.clone(), high.clone());
    assert!((low[0].expect("two runs") - (2.0 - 12.706_205)).abs() < 1e-4, "{low:?}");
    assert!((high[0].expect("two runs") - (2.0 + 12.706_205)).abs() < 1e-4, "{high:?}");
    assert_eq!((low[1], high[1]), (None, None));
}

#[test]
fn many_subjects_are_a_mean_and_a_band_for_each_group() {
    let lines: Vec<Line> = (1..=100).map(|n| line(&n.to_string(), &[f64::from(n)])).collect();
    let drawn = one_run(&lines, &|subject| subject.to_owned());
    let [(name, layers, values)] = drawn.as_slice() else { panic!("one series") };
    assert_eq!((name.as_str(), values.as_slice()), (", mean of 100", &[50.5][..]));
    let Mark::Band { low, high, .. } = &layers[0].0 else { panic!("a band") };
    assert_eq!((low[0], high[0]), (Some(5.0), Some(95.0)));
    assert_eq!(one_run(&lines[..12], &|subject| subject.to_owned()).len(), 12);
    let group = |n: usize| if n < 99 { "web" } else { "call" }.to_owned();
    let own = lines.into_iter().enumerate();
    let lines: Vec<Line> = own.map(|(n, line)| Line { group: group(n), ..line }).collect();
    let drawn = one_run(&lines, &|subject| subject.to_owned());
    let found: Vec<_> = drawn.iter().map(|(name, _, y)| (name.as_str(), y[0])).collect();
    assert_eq!(found, [("web, mean of 99", 50.0), ("100", 100.0)]);
}

#[test]
fn a_table_is_sorted_by_subject() {
    let table = Table::new()
        .f64("time_s", [0.1, 0.1, 0.1, 0.2])
        .utf8("kind", ["link", "bearer_down", "flow", "link"])
        .utf8("name", ["sgi down", "default of ue", "web", "sgi down"])
        .optional_utf8("ue", [None, Some("ue"), Some("ue"), None])
        .utf8("metric", ["queue_delay_ms", "queue_delay_ms", "srtt_ms", "queue_delay_ms"])
        .f64("value", [1.0, 2.0, 3.0, 4.0]);
    let mut courses = Courses::default();
    courses.add(&table);
    let lines = select(&courses, "queue_delay_ms", 2.0, &|_| "all".to_owned());
    let found: Vec<_> = lines.iter().map(|l| (l.subject.as_str(), l.y.as_slice())).collect();
    let expected = [("link sgi down", &[2.0, 8.0][..]), ("bearer default of ue, down", &[4.0][..])];
    assert_eq!(found, expected);
}
