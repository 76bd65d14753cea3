//! Effects of the choices that the source leaves open. Arms `L4S, X` and `none, X` of the part
//! `open` stand beside `L4S` and `none`.

use super::Findings;
use super::figures::by;
use super::form::{NOT_MADE, table as form, with_interval};
use super::other::opposite;
use crate::network::{ArmRuns, Data, Judged, Of, Run, judge};

/// Measures by which L4S and none are compared: name, mean or percentile, and title.
const MEASURES: [(&str, Of, &str); 4] = [
    ("frame_delay", Of::Mean, "mean frame delay"),
    ("frame_delay", Of::P99, "p99 frame delay"),
    ("rate", Of::Mean, "rate"),
    ("pages", Of::Mean, "pages"),
];

/// A choice: its name, scheduler and load.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Choice<'a> {
    name: &'a str,
    scheduler: &'a str,
    load: u32,
}

/// L4S by none for each choice of a part, beside the same as it is here; and the rows that turn.
pub(super) fn of_part(findings: &Findings<'_>, part: &str) -> String {
    let choices = choices(findings, part);
    if choices.is_empty() {
        return NOT_MADE.to_owned();
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut places: Vec<(&str, u32)> = choices.iter().map(|c| (c.scheduler, c.load)).collect();
    places.sort_unstable();
    places.dedup();
    for (scheduler, load) in places {
        let here = |choice: &&Choice<'_>| choice.scheduler == scheduler && choice.load == load;
        let names = choices.iter().filter(here).map(|choice| choice.name);
        rows.extend(
            ["as here"]
                .into_iter()
                .chain(names)
                .map(|name| row(findings, Choice { name, scheduler, load })),
        );
    }
    let head = ["choice", "scheduler, video users"];
    let head: Vec<&str> = head.into_iter().chain(MEASURES.map(|(_, _, title)| title)).collect();
    format!("{}\n\n{}", form(&head, rows), turned(findings, &choices))
}

/// The arms of the part, those with L4S and without together.
fn choices<'a>(findings: &'a Findings<'_>, part: &str) -> Vec<Choice<'a>> {
    let mut choices: Vec<Choice<'a>> = Vec::new();
    for arm in findings.arms_of(part).unwrap_or_default() {
        let Some((scheduler, variant)) = arm.name.split_once('/') else { continue };
        let Some(name) = name(variant) else { continue };
        let choice = Choice { name, scheduler, load: arm.load };
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    choices
}

/// The choice in a variant's name.
fn name(variant: &str) -> Option<&str> {
    variant.strip_prefix("L4S, ").or_else(|| variant.strip_prefix("none, "))
}

/// L4S by none. A choice that concerns only one of the two stands against the other as it is here.
fn row(findings: &Findings<'_>, choice: Choice<'_>) -> Vec<String> {
    let Choice { name, scheduler, load } = choice;
    let arms = ["L4S", "none"].map(|kind| {
        let own = format!("{scheduler}/{kind}, {name}");
        match findings.arm(&own, load) {
            Some(_) => own,
            None => format!("{scheduler}/{kind}"),
        }
    });
    let ratio = |(kpi, of, _): (&str, Of, &str)| {
        let found = by(findings, (findings.data.kpi(kpi)?, of), [&arms[0], &arms[1]], load)?;
        Some(with_interval(found.0, ""))
    };
    let figures = MEASURES.map(|of| ratio(of).unwrap_or(NOT_MADE.to_owned()));
    [name.to_owned(), format!("{scheduler}, {load}")].into_iter().chain(figures).collect()
}

/// The rows that hold with a choice and fail as it is here, or the other way round, on the same
/// arms, loads and seeds.
fn turned(findings: &Findings<'_>, choices: &[Choice<'_>]) -> String {
    let mut names: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        let own = choices.iter().filter(|choice| choice.name == name);
        let none = || Data { arms: Vec::new(), ..findings.data.clone() };
        let (mut with, mut here) = (none(), none());
        for choice in own {
            for kind in ["L4S", "none"] {
                let [chosen, default] = sides(findings, *choice, kind);
                with.arms.extend(chosen);
                here.arms.extend(default);
            }
        }
        let judged = |data: &Data| judge(findings.study, data, true).unwrap_or_default();
        let (with, here) = (judged(&with), judged(&here));
        lines.extend(with.iter().zip(&here).filter_map(|pair| line(name, pair)));
    }
    match lines.is_empty() {
        true => "No row turns from holding to failing, or back, with any of them.".to_owned(),
        false => lines.join("\n"),
    }
}

fn line(name: &str, (with, here): (&Judged, &Judged)) -> Option<String> {
    let (row, outcome) = (&with.row, with.outcome.word());
    let turns = opposite(with.outcome, here.outcome);
    turns.then(|| format!("- {name}: {} {outcome} ({}).", row.id, row.says))
}

/// An arm under a choice, named as it is here, and the arm as it is here on the same seeds.
fn sides(findings: &Findings<'_>, choice: Choice<'_>, kind: &str) -> [Option<ArmRuns>; 2] {
    let Choice { name, scheduler, load } = choice;
    let arm = |runs: Vec<Run>| ArmRuns {
        experiment: "open".to_owned(),
        load,
        name: format!("{scheduler}/{kind}"),
        runs,
    };
    let default = findings.data.arm(&format!("{scheduler}/{kind}"), load);
    let chosen = findings.data.arm(&format!("{scheduler}/{kind}, {name}"), load).or(default);
    let same = |run: &&Run| chosen.is_some_and(|own| own.iter().any(|o| o.seed == run.seed));
    let default = default.map(|runs| arm(runs.iter().filter(same).cloned().collect()));
    [chosen.map(|runs| arm(runs.to_vec())), default]
}
