//! Shares of the choices of the second reading. The first reading with one choice alone stands by
//! the first reading. The second reading stands by the second without this choice.

use super::Findings;
use super::figures::by;
use super::form::{NOT_MADE, table as form, with_interval};
use crate::network::{ArmRuns, Of, Reading, SHARES};

/// Measures that are shown: name, mean or percentile, and title.
const MEASURES: [(&str, Of, &str); 6] = [
    ("rate", Of::Mean, "rate"),
    ("low_rate", Of::Mean, "users below 2 Mbit/s"),
    ("frame_delay", Of::Mean, "mean frame delay"),
    ("frame_delay", Of::P99, "p99 frame delay"),
    ("network_queue", Of::Mean, "network queue delay"),
    ("loss", Of::Mean, "lost packets"),
];

/// A row for each choice, arm and load, and a column for each measure; "not made" without shares.
pub(super) fn table(findings: &Findings<'_>) -> Option<String> {
    let mut rows = Vec::new();
    for choice in findings.study.plan().ok()?.choices {
        let [alone, without] = Reading::ALL.map(|reading| reading.share(&choice.id));
        let sides = [Some((findings, &alone)), findings.second.as_deref().map(|f| (f, &without))];
        for (side, (findings, end)) in
            sides.into_iter().enumerate().filter_map(|(n, s)| Some((n, s?)))
        {
            let arms = findings.arms_of(SHARES)?.into_iter().filter(|arm| arm.name.ends_with(end));
            rows.extend(arms.map(|arm| row(findings, (&choice.id, side == 1), arm, end)));
        }
    }
    if rows.is_empty() {
        return Some(NOT_MADE.to_owned());
    }
    let head = ["choice", "set", "arm, video users"];
    let head: Vec<&str> = head.into_iter().chain(MEASURES.map(|(_, _, title)| title)).collect();
    Some(form(&head, rows))
}

/// With the choice by without it, on the same seeds.
fn row(
    findings: &Findings<'_>,
    (choice, second): (&str, bool),
    arm: &ArmRuns,
    end: &str,
) -> Vec<String> {
    let base = arm.name.strip_suffix(end).unwrap_or(&arm.name);
    // The first reading lacks the choice in its own arms, the second in the arms of the share.
    let arms = if second { [base, &arm.name] } else { [&arm.name, base] };
    let cells = MEASURES.map(|(kpi, of, _)| {
        let kpi = findings.data.kpi(kpi)?;
        let (found, ratio) = by(findings, (kpi, of), arms, arm.load)?;
        let sign = if ratio { "×" } else { "differs by" };
        Some(format!("{sign} {}", with_interval(found, if ratio { "" } else { &kpi.unit })))
    });
    let word = if second { "on all others" } else { "alone" };
    let names = [choice.to_owned(), word.to_owned(), format!("{base}, {}", arm.load)];
    names.into_iter().chain(cells.map(|cell| cell.unwrap_or_else(|| "-".to_owned()))).collect()
}
