//! Both readings side by side: the choices in which they differ, and the rows that hold in both,
//! one or none.

use airpath_plot::Chart;

use super::form::table;
use super::{Findings, filled_text, places};
use crate::network::{Judged, Verdict};

/// The text on both readings, `second.md`; a sentence if the second was not made. None for a text
/// with an unknown placeholder.
pub(super) fn section(findings: &Findings<'_>, drawn: &[Chart]) -> Option<String> {
    if findings.study.plan().ok()?.choices.is_empty() {
        return Some(String::new());
    }
    if findings.second.is_none() {
        return Some("The second reading was not made yet: this page shows the first.".to_owned());
    }
    let text = findings.study.text("second.md")?;
    let place = |place: &str| places::filled(place, findings, drawn);
    filled_text(text, &place).ok().map(|text| text.trim_end().to_owned())
}

/// The choices: the value in each reading, and the source of the second's.
pub(super) fn choices(findings: &Findings<'_>) -> Option<String> {
    let plan = findings.study.plan().ok()?;
    let row = |choice: &crate::network::Choice| {
        let fields = [&choice.id, &choice.title, &choice.first, &choice.second, &choice.source];
        fields.map(Clone::clone).into()
    };
    let head = ["choice", "what", "first reading", "second reading", "source"];
    Some(table(&head, plan.choices.iter().map(row)))
}

/// Rows by their verdicts in both readings.
pub(super) fn agreement(findings: &Findings<'_>) -> Option<String> {
    let second = findings.second.as_ref()?;
    let pairs: Vec<(&Judged, &Judged)> = findings.judged.iter().zip(&second.judged).collect();
    let kind = |name: &str, is: &dyn Fn(Verdict, Verdict) -> bool| {
        let own = pairs.iter().filter(|(a, b)| is(a.outcome, b.outcome));
        let ids: Vec<&str> = own.map(|(first, _)| first.row.id.as_str()).collect();
        vec![name.to_owned(), ids.len().to_string(), ids.join(", ")]
    };
    let (holds, fails) = (Verdict::Holds, Verdict::Fails);
    let made = |a: Verdict, b: Verdict| a != Verdict::NotMade && b != Verdict::NotMade;
    let either = |a, b, of| a == of || b == of;
    let rows = [
        kind("holds in both", &|a, b| a == holds && b == holds),
        kind("holds in the first only", &|a, b| made(a, b) && a == holds && b != holds),
        kind("holds in the second only", &|a, b| made(a, b) && b == holds && a != holds),
        kind("fails in both", &|a, b| a == fails && b == fails),
        kind("open in one or both, holds in none", &|a, b| {
            made(a, b) && either(a, b, Verdict::NotResolved) && !either(a, b, holds)
        }),
        kind("not made in one or both", &|a, b| !made(a, b)),
    ];
    Some(table(&["statements", "number", "rows"], rows))
}
