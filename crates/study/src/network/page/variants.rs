//! The arms of a part beside those of the main one.

use super::Findings;
use super::figures::by;
use super::form::{NOT_MADE, table as form, with_interval, with_unit};
use crate::network::{ArmRuns, Kpi, Of};

/// Arms beside which the arms of a part are shown.
const BESIDE: [&str; 2] = ["DBS/L4S", "RR/L4S"];

/// Measures that are shown: name, mean or percentile, and title.
const MEASURES: [(&str, Of, &str); 7] = [
    ("frame_delay", Of::Mean, "mean frame delay"),
    ("frame_delay", Of::P99, "p99 frame delay"),
    ("rate", Of::Mean, "rate"),
    ("rate", Of::P5, "5th percentile of rate"),
    ("low_rate", Of::Mean, "users below 2 Mbit/s"),
    ("pages", Of::Mean, "web pages"),
    ("page_delay", Of::Mean, "web page delay"),
];

/// A table for each load; none if the study has no such part.
pub(super) fn tables(findings: &Findings<'_>, part: &str) -> Option<String> {
    let arms = findings.arms_of(part)?;
    let mut loads: Vec<u32> = arms.iter().map(|arm| arm.load).collect();
    loads.sort_unstable();
    loads.dedup();
    let tables = loads.into_iter().map(|load| {
        let own = arms.iter().filter(|arm| arm.load == load).copied();
        format!("{load} video users:\n\n{}", table(findings, own, load))
    });
    let tables: Vec<String> = tables.collect();
    Some(if tables.is_empty() { NOT_MADE.to_owned() } else { tables.join("\n\n") })
}

fn table<'a>(
    findings: &Findings<'_>,
    arms: impl Iterator<Item = &'a ArmRuns>,
    load: u32,
) -> String {
    let head: Vec<&str> = ["arm"].into_iter().chain(MEASURES.map(|(_, _, title)| title)).collect();
    let named = arms.map(|arm| arm.name.clone());
    let all = BESIDE.into_iter().map(str::to_owned).chain(named);
    form(&head, all.map(|arm| row(findings, &arm, load)))
}

fn row(findings: &Findings<'_>, arm: &str, load: u32) -> Vec<String> {
    let cells = MEASURES.map(|(kpi, of, _)| {
        let kpi = findings.data.kpi(kpi)?;
        cell(findings, (kpi, of), arm, load)
    });
    let cells = cells.map(|cell| cell.unwrap_or(NOT_MADE.to_owned()));
    [arm.to_owned()].into_iter().chain(cells).collect()
}

/// The value, and what it is of that which it stands beside: the same scheduler's, or both.
fn cell(findings: &Findings<'_>, (kpi, of): (&Kpi, Of), arm: &str, load: u32) -> Option<String> {
    let value = of.estimate(kpi, findings.arm(arm, load)?)?;
    let mut text = with_unit(kpi.shown(value), &kpi.unit);
    let scheduler = |arm: &str| arm.split('/').next().map(str::to_owned);
    let own = BESIDE.into_iter().find(|beside| scheduler(beside) == scheduler(arm));
    for beside in BESIDE.into_iter().filter(|beside| own.is_none_or(|own| own == *beside)) {
        let found = by(findings, (kpi, of), [arm, beside], load).filter(|_| beside != arm);
        let Some((found, ratio)) = found else { continue };
        let unit = if ratio { "" } else { &kpi.unit };
        let sign = if ratio { "×" } else { "differs by" };
        let name = if own.is_some() { String::new() } else { format!("{beside} ") };
        text += &format!("<br>{name}{sign} {}", with_interval(found, unit));
    }
    Some(text)
}
