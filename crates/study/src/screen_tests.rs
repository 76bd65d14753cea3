use super::*;
use crate::{Count, Kept, STUDIES};

const TEXT: &str = "\
# Why?

A claim
on two lines.

- It is {{X-1|a}} ms.
- It is {{X-9|a}} ms, of another part.

# What differs, and why

- [a | c: X-2] Because.
- [b*: X-2 X-3/part] Therefore {{X-1|a}}.

# True

To the
nanosecond.
";

fn row(id: &str, reading: &str, verdict: Verdict) -> Row {
    let measured = Some(2.0);
    Row { id: id.into(), reading: reading.into(), verdict, measured, ..Row::sample() }
}

fn report(rows: Vec<Row>) -> Report {
    let count = |row: &Row| Count {
        reading: row.reading.clone(),
        sweep: (row.reading == "swept").then(|| "speed".to_owned()),
        kind: "simulated".into(),
        agree: 0,
        of: 1,
    };
    Report { counts: rows.iter().map(count).collect(), rows, ..Report::default() }
}

fn of(rows: Vec<Row>) -> Screen {
    let study = STUDIES[0].study().with("screen.md", TEXT);
    screen(&study, &report(rows)).expect("a screen")
}

#[test]
fn what_this_run_cannot_fill_is_left_out() {
    let screen = of(vec![row("X-1", "a", Verdict::Holds)]);
    assert_eq!(screen.question, "Why?");
    let text =
        [Text::Paragraph("A claim on two lines.".into()), Text::Finding("It is 2 ms.".into())];
    assert_eq!(screen.answer, text);
    assert_eq!((screen.exact.as_str(), screen.differences.len()), ("To the nanosecond.", 0));
}

#[test]
fn each_row_that_differs_has_its_reason_or_is_listed() {
    let part = Row { part: Some("part".into()), ..row("X-3", "b, more", Verdict::NotResolved) };
    let screen = of(vec![
        row("X-1", "a", Verdict::Fails),
        row("X-2", "a", Verdict::Fails),
        row("X-2", "b", Verdict::Fails),
        part,
        row("X-2", "swept", Verdict::Fails),
        row("X-4", "a", Verdict::NotComparable),
    ]);
    let [first, second] = &screen.differences[..] else { panic!("{:?}", screen.differences) };
    assert_eq!((&*first.readings, &*first.rows), (&["a".to_owned()][..], &["X-2".to_owned()][..]));
    assert_eq!(second.rows, ["X-2", "X-3/part"]);
    assert_eq!((second.readings.len(), second.open, &*second.why), (2, false, "Therefore 2."));
    let unexplained: Vec<&str> = screen.unexplained.iter().map(|row| &*row.id).collect();
    assert_eq!(unexplained, ["X-1"]);
}

#[test]
fn readings_are_counted_by_figures_and_findings() {
    let finding = Row { published: "lower".into(), ..row("X-2", "a", Verdict::Holds) };
    let screen = of(vec![
        row("X-1", "a", Verdict::Holds),
        finding,
        row("X-3", "a", Verdict::NotResolved),
        row("X-4", "a", Verdict::Recovered),
        row("X-5", "a", Verdict::NotComparable),
        row("X-1", "swept", Verdict::Holds),
    ]);
    let [a] = &screen.standings[..] else { panic!("{:?}", screen.standings) };
    assert_eq!(a.kinds, [("figure", [1, 2]), ("finding", [1, 1])]);
    for verdict in [Verdict::Recovered, Verdict::NotResolved, Verdict::NotComparable] {
        assert_eq!(a.other(verdict), 1, "{verdict:?}");
    }
    assert_eq!(screen.sweeps.len(), 1);
}

#[test]
fn the_text_of_each_study_has_its_sections_and_each_reason_its_form() {
    for study in STUDIES.iter().map(Kept::study) {
        let screen = screen(&study, &Report::default()).expect(&study.name);
        assert!(screen.question.ends_with('?') && !screen.exact.is_empty(), "{}", study.name);
        let ids: Vec<String> = study
            .claims()
            .expect("claims")
            .into_iter()
            .map(|claim| claim.part.map_or(claim.id.clone(), |part| format!("{}/{part}", claim.id)))
            .collect();
        let section =
            study.text("screen.md").expect("a text").split("\n# ").nth(1).expect("reasons");
        let (_, reasons) = section.split_once('\n').expect("a heading");
        let plan = study.plan().expect("a plan");
        for (_, text) in blocks(reasons) {
            let reason = Reason::parse(&text).expect("a reason");
            for row in &reason.rows {
                assert!(ids.contains(row), "{}: {row}", study.name);
            }
            for form in &reason.readings {
                let known = plan.readings.iter().any(|reading| like(form, &reading.name));
                assert!(known, "{}: {form}", study.name);
            }
        }
    }
}

#[test]
fn a_row_has_the_figure_that_decides_its_verdict() {
    let names = ["as published", "as meant"];
    let other = |name| Row { true_value: Some(9.93), ..row("X-5", name, Verdict::Fails) };
    let screen = of(names.map(other).into());
    let says: Vec<&str> = screen.unexplained.iter().map(|row| &*row.says).collect();
    let ends = ["here 2.0000 ", "here 9.9300 "];
    assert!(says.iter().zip(ends).all(|(says, end)| says.contains(end)), "{says:?}");
}
