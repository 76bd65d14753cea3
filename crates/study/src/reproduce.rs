//! A study from its data to its table.

use std::sync::atomic::AtomicBool;

use airpath_net::Stage;
use airpath_results::stat::{DelaySummary, jitter};
use airpath_sim::{ExecuteOptions, Outputs, RunCache, RunFailure, execute};
use airpath_stats::quartiles;
use serde::Serialize;

use crate::judge::{Evidence, judge};
use crate::observe::{FlowMeasured, Measured};
use crate::task::Task;
use crate::{
    Claim, Count, Figure, Form, Plan, Quantity, RampRow, Reading, Row, StageRow, Study, StudyError,
    UeRow, Verdict,
};

/// Called for a reading with how many of its runs are done and how many there are, from
/// any thread.
pub type Progress<'a> = dyn Fn(&str, usize, usize) + Sync + 'a;

/// Options of [`reproduce`] beside the study.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// The part of the study to make; all by default.
    pub part: Option<&'a str>,
    /// A recording of capacity, in mahimahi's format, instead of the study's synthetic ones.
    pub trace: Option<&'a str>,
    /// How often runs are repeated where a reading asks for it; at least 1.
    pub seeds: u64,
    /// Called with the progress of each reading: as it begins, and behind each run.
    pub progress: Option<&'a Progress<'a>>,
    /// Ends everything early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Where finished runs are kept, and found: opened with [`BUILD`](crate::BUILD).
    pub cache: Option<&'a RunCache>,
}

/// What a study came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// A row for each claim and reading, claims in their order.
    pub rows: Vec<Row>,
    /// Real-time flows UE by UE.
    pub per_ue: Vec<UeRow>,
    /// Where the time of real-time packets goes.
    pub stages: Vec<StageRow>,
    /// Figures that show causes.
    pub figures: Vec<Figure>,
    /// Readings that stand side by side.
    pub beside: Vec<String>,
    /// Ramp-ups of downloads; without curves where something is varied.
    pub ramps: Vec<RampRow>,
    /// How many claims agree in each reading.
    pub counts: Vec<Count>,
    /// Runs that failed. Claims that need them are not judged by them.
    pub failures: Vec<Failure>,
}

/// A run that failed: a fault of airpath's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Name of the reading.
    pub reading: String,
    /// Name of the run.
    pub run: String,
    /// Its seed.
    pub seed: u64,
    /// The reason.
    pub why: String,
}

/// Makes all runs of a study and judges its claims. A run that fails stands in the report; the
/// others are judged all the same.
///
/// # Errors
///
/// If there is no such part, if it is interrupted, or if the study's data are wrong.
pub fn reproduce(study: &Study, options: Options<'_>) -> Result<Report, StudyError> {
    let (mut plan, claims) = (study.plan()?, study.claims()?);
    if options.trace.is_some() && plan.capacities.is_empty() {
        return Err(StudyError::Trace);
    }
    plan.trace = options.trace.map(str::to_owned);
    let mut report = Report::default();
    for reading in plan.readings_of(options.part)? {
        report.beside.extend(reading.beside.then(|| reading.name.clone()));
        let tasks = study.tasks(&plan, reading)?;
        read(&plan, &claims, reading, &tasks, options, &mut report)?;
    }
    let place = |row: &Row| claims.iter().position(|c| (&c.id, &c.part) == (&row.id, &row.part));
    report.rows.sort_by_key(place); // stable: readings stay in their order
    Ok(report)
}

fn read(
    plan: &Plan,
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
    progress.into_iter().for_each(|tell| tell(0, tasks.len() * seeds.len()));
    let options = ExecuteOptions { progress, interrupt: options.interrupt, cache: options.cache };
    let outputs = execute(tasks, &seeds, options).map_err(|_| StudyError::Interrupted)?;
    let runs: Vec<String> = tasks.iter().map(|task| task.run.clone()).collect();
    let mut failures = Vec::new();
    let measured = sorted(reading, tasks, outputs, &mut failures);
    let evidence = Evidence {
        reading: &reading.name,
        differs: reading.differs.as_deref(),
        judged: reading.judged,
        repeated: reading.repeated,
        runs: &runs,
        measured: &measured,
        failures: &failures,
    };
    let judged = |claim: &&Claim| reading.kinds.as_ref().is_none_or(|k| k.contains(&claim.kind));
    for claim in claims.iter().filter(judged) {
        let Some(row) = judge(claim, evidence)? else { continue };
        let met = matches!(row.verdict, Verdict::Holds | Verdict::Recovered);
        count(reading, claim, met, &mut report.counts);
        report.rows.push(row);
    }
    report.figures.extend(figures(plan, evidence)?);
    report.ramps.extend(ramps(reading, &runs, &measured));
    report.failures.extend_from_slice(&failures);
    if !reading.repeated {
        for (run, measured) in runs.iter().zip(&measured) {
            let flows = measured.iter().flatten().flat_map(|m| &m.flows);
            let realtime = flows.filter(|flow| !flow.tcp);
            if plan.per_ue.contains(run) {
                report.per_ue.extend(realtime.clone().map(|f| by_ue(&reading.name, run, f)));
            }
            if plan.stages.contains(run) {
                report.stages.extend(realtime.map(|f| by_stage(&reading.name, run, f)));
            }
        }
    }
    Ok(())
}

/// What was measured, by run and repetition; what failed goes to `failures`.
fn sorted(
    reading: &Reading,
    tasks: &[Task],
    outputs: Outputs<Task>,
    failures: &mut Vec<Failure>,
) -> Vec<Vec<Option<Measured>>> {
    let mut one = |task: &Task, seed, output: Result<Measured, RunFailure>| match output {
        Ok(measured) => Some(Measured { latency_ms: task.latency_ms, ..measured }),
        Err(why) => {
            let (reading, run) = (reading.name.clone(), task.run.clone());
            failures.push(Failure { reading, run, seed, why: why.to_string() });
            None
        }
    };
    let all = tasks.iter().zip(outputs);
    all.map(|(task, of)| of.into_iter().zip(1..).map(|(o, seed)| one(task, seed, o)).collect())
        .collect()
}

fn figures(plan: &Plan, evidence: Evidence<'_>) -> Result<Vec<Figure>, StudyError> {
    let mut figures = Vec::new();
    for (name, text) in &plan.figures {
        let quantity = Quantity::parse(text)
            .ok_or_else(|| StudyError::Data(format!("figure {name}: no quantity")))?;
        let Some([_, value, _]) = quartiles(&evidence.values(&quantity, Form::True)) else {
            continue;
        };
        let reading = evidence.reading.to_owned();
        figures.push(Figure { name: name.clone(), reading, value });
    }
    Ok(figures)
}

/// Counts a claim, and whether it agrees, to those of its kind in the reading.
fn count(reading: &Reading, claim: &Claim, agrees: bool, counts: &mut Vec<Count>) {
    let same = |count: &&mut Count| count.reading == reading.name && count.kind == claim.kind;
    if let Some(count) = counts.iter_mut().find(same) {
        (count.agree, count.of) = (count.agree + usize::from(agrees), count.of + 1);
        return;
    }
    let (name, kind) = (reading.name.clone(), claim.kind.clone());
    let sweep = reading.sweep.clone();
    counts.push(Count { reading: name, sweep, kind, agree: agrees.into(), of: 1 });
}

/// Ramp-ups of all runs, repetitions included.
fn ramps(reading: &Reading, runs: &[String], measured: &[Vec<Option<Measured>>]) -> Vec<RampRow> {
    let mut rows = Vec::new();
    for (run, repetitions) in runs.iter().zip(measured) {
        for (measured, seed) in repetitions.iter().zip(1..) {
            rows.extend(measured.iter().flat_map(|m| &m.flows).filter_map(|flow| {
                let mut figures = flow.ramp.clone()?;
                if reading.sweep.is_some() {
                    (figures.moving_mbps, figures.upt_mbps) = (Vec::new(), Vec::new());
                }
                let (run, flow) = (run.clone(), flow.flow.clone());
                Some(RampRow { reading: reading.name.clone(), run, flow, seed, figures })
            }));
        }
    }
    rows
}

fn by_ue(reading: &str, run: &str, flow: &FlowMeasured) -> UeRow {
    UeRow {
        reading: reading.to_owned(),
        run: run.to_owned(),
        ue: flow.ue.clone(),
        marked: flow.marked,
        delay_ms: DelaySummary::of(&flow.delays).map(|summary| summary.mean),
        jitter_ms: jitter(&flow.delays),
        lost_percent: flow.lost_percent(),
    }
}

fn by_stage(reading: &str, run: &str, flow: &FlowMeasured) -> StageRow {
    let spent = |stage: Stage| Some((stage.name(), flow.stage_ms(stage).filter(|ms| *ms > 0.0)?));
    StageRow {
        reading: reading.to_owned(),
        run: run.to_owned(),
        flow: flow.flow.clone(),
        marked: flow.marked,
        stages_ms: Stage::ALL.into_iter().filter_map(spent).collect(),
    }
}

#[cfg(test)]
#[path = "reproduce_tests.rs"]
mod tests;
