//! A study from its data to its table.

use std::sync::atomic::AtomicBool;

use airpath_results::stat::{DelaySummary, jitter};
use serde::Serialize;

use crate::execute::{Task, Watch, execute};
use crate::judge::{Evidence, judge};
use crate::measure::{FlowMeasured, Measured};
use crate::{Campaign, Claim, Reading, Row, Study, StudyError, UeRow};

/// Is told for a reading how many of its runs are done and how many there are, from
/// any thread.
pub type Progress<'a> = dyn Fn(&str, usize, usize) + Sync + 'a;

/// What [`reproduce`] is told beside the study.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How often runs are repeated where a reading asks for it; at least 1.
    pub seeds: u64,
    /// Is told how far each reading is.
    pub progress: Option<&'a Progress<'a>>,
    /// Ends everything early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
}

/// What a study came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// A row for each claim and reading, claims in their order.
    pub rows: Vec<Row>,
    /// Real-time flows UE by UE.
    pub per_ue: Vec<UeRow>,
}

/// Makes all runs of a study and judges its claims.
///
/// # Errors
///
/// If a run fails, if it is interrupted, or if the study's data are wrong.
pub fn reproduce(study: &Study, options: Options<'_>) -> Result<Report, StudyError> {
    let (campaign, claims) = (study.campaign()?, study.claims()?);
    let mut report = Report { rows: Vec::new(), per_ue: Vec::new() };
    for reading in &campaign.readings {
        let tasks = study.tasks(&campaign, reading)?;
        read(&campaign, &claims, reading, &tasks, options, &mut report)?;
    }
    let place = |row: &Row| claims.iter().position(|claim| claim.id == row.id);
    report.rows.sort_by_key(place); // stable: readings stay in their order
    Ok(report)
}

fn read(
    campaign: &Campaign,
    claims: &[Claim],
    reading: &Reading,
    tasks: &[Task],
    options: Options<'_>,
    report: &mut Report,
) -> Result<(), StudyError> {
    let last = if reading.repeated { options.seeds.max(1) } else { 1 };
    let seeds: Vec<u64> = (1..=last).collect();
    let told = options.progress.map(|tell| move |done, all| tell(&reading.name, done, all));
    let progress = told.as_ref().map(|tell| tell as &(dyn Fn(usize, usize) + Sync));
    let watch = Watch { progress, interrupt: options.interrupt };
    let measured = execute(tasks, &seeds, watch)?;
    let runs: Vec<String> = tasks.iter().map(|task| task.run.clone()).collect();
    let evidence = Evidence {
        reading: &reading.name,
        published: reading.profiles.is_empty(),
        repeated: reading.repeated,
        runs: &runs,
        measured: &measured,
    };
    for claim in claims {
        report.rows.extend(judge(claim, evidence)?);
    }
    if !reading.repeated {
        let listed = runs.iter().zip(&measured).filter(|(run, _)| campaign.per_ue.contains(run));
        for (run, measured) in listed {
            report.per_ue.extend(measured.iter().flat_map(|m| by_ue(&reading.name, run, m)));
        }
    }
    Ok(())
}

fn by_ue(reading: &str, run: &str, measured: &Measured) -> Vec<UeRow> {
    let row = |flow: &FlowMeasured| UeRow {
        reading: reading.to_owned(),
        run: run.to_owned(),
        flow: flow.name.clone(),
        delay_ms: DelaySummary::of(&flow.delays).map(|summary| summary.mean),
        jitter_ms: jitter(&flow.delays),
        lost_percent: (flow.sent > 0)
            .then(|| (1.0 - flow.delays.len() as f64 / flow.sent as f64) * 100.0),
    };
    measured.flows.iter().filter(|flow| !flow.tcp).map(row).collect()
}

#[cfg(test)]
#[path = "reproduce_tests.rs"]
mod tests;
