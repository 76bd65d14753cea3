//! A study from its data to its table.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use airpath_net::Stage;
use airpath_results::stat::{DelaySummary, jitter};
use airpath_sim::{ExecuteOptions, RunCache, execute};
use airpath_stats::quartiles;
use serde::Serialize;

use crate::judge::{Evidence, judge};
use crate::observe::{FlowMeasured, Measured};
use crate::task::{MakeOwn, Task};
use crate::values::{Repetition, Runs, Wanted};
use crate::{
    Claim, Count, Figure, Form, Plan, Quantity, RampRow, Reading, Row, RunDef, StageRow, Study,
    StudyError, UeRow, VALUES, Values, Verdict,
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
    /// Values of runs made before; runs are made without them.
    pub values: Option<&'a Values>,
    /// Number of times that runs are repeated in repeated readings; at least 1.
    pub seeds: u64,
    /// Called with the progress of each reading: as it begins, and behind each run.
    pub progress: Option<&'a Progress<'a>>,
    /// Ends everything early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Makes parts of the caller's own, run by run. A store must not be given with it: it knows scenarios alone.
    pub own: Option<&'a MakeOwn<'a>>,
    /// Store of finished runs, opened with [`BUILD`](crate::BUILD).
    pub cache: Option<&'a RunCache>,
}

/// Results of a study.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// A row for each claim and reading, claims in their order.
    pub rows: Vec<Row>,
    /// Real-time flows UE by UE.
    pub per_ue: Vec<UeRow>,
    /// Mean times of real-time packets by stage of the path.
    pub stages: Vec<StageRow>,
    /// Figures that show causes.
    pub figures: Vec<Figure>,
    /// Readings that stand side by side.
    pub beside: Vec<String>,
    /// Ramp-ups of downloads; without curves where something is varied.
    pub ramps: Vec<RampRow>,
    /// Number of claims of each kind that agree, by reading.
    pub counts: Vec<Count>,
    /// Runs that failed. Claims that need them are not judged by them.
    pub failures: Vec<Failure>,
    /// The values of all runs that claims and figures are about.
    #[serde(skip)]
    pub values: Values,
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
    let wanted = Wanted::of(&plan, &claims)?;
    let mut report = Report { values: Values::none(study), ..Report::default() };
    let readings = plan.readings_of(options.part)?;
    // A fault in a later reading is found before the runs of the first one.
    let tasks: Vec<Vec<Task<'static>>> = match options.values {
        Some(_) => readings.iter().map(|_| Vec::new()).collect(),
        None => readings.iter().map(|r| study.tasks(&plan, r)).collect::<Result<_, _>>()?,
    };
    for (reading, tasks) in readings.into_iter().zip(tasks) {
        report.beside.extend(reading.beside.then(|| reading.name.clone()));
        let own =
            |task: Task<'static>| Task { spans: wanted.spans(&task.run), own: options.own, ..task };
        let tasks: Vec<Task<'_>> = tasks.into_iter().map(own).collect();
        let runs = match options.values {
            Some(values) => values.of(&plan, reading).inspect(|runs| {
                report.failures.extend(failures(&reading.name, runs));
            }),
            None => Some(make((&plan, &wanted), reading, &tasks, options, &mut report)?),
        };
        let Some(runs) = runs else { continue };
        judge_reading(&plan, &claims, Evidence { reading, runs: &runs }, &mut report)?;
        report.values.add(&reading.name, runs);
    }
    if report.values == Values::none(study) {
        return Err(StudyError::Data(format!("{VALUES}: there is no reading of the study")));
    }
    let place = |row: &Row| claims.iter().position(|c| (&c.id, &c.part) == (&row.id, &row.part));
    report.rows.sort_by_key(place); // stable: readings stay in their order
    Ok(report)
}

/// The runs that failed, as a table of values has them.
fn failures(reading: &str, runs: &Runs) -> Vec<Failure> {
    let all = runs.iter().flat_map(|(run, all)| all.iter().zip(1..).map(move |one| (run, one)));
    let failed = all.filter_map(|(run, (repetition, seed))| match repetition {
        Repetition::Failed(why) => {
            let (reading, run, why) = (reading.to_owned(), run.clone(), why.clone());
            Some(Failure { reading, run, seed, why })
        }
        Repetition::Made(_) | Repetition::NotMade(_) => None,
    });
    failed.collect()
}

/// The runs of a reading: their values, with what the report has beside claims added to it.
fn make(
    (plan, wanted): (&Plan, &Wanted),
    reading: &Reading,
    tasks: &[Task<'_>],
    options: Options<'_>,
    report: &mut Report,
) -> Result<Runs, StudyError> {
    let last = if reading.repeated { options.seeds.max(1) } else { 1 };
    let seeds: Vec<u64> = (1..=last).collect();
    let told = options.progress.map(|tell| move |done, all| tell(&reading.name, done, all));
    let progress = told.as_ref().map(|tell| tell as &(dyn Fn(usize, usize) + Sync));
    progress.into_iter().for_each(|tell| tell(0, tasks.len() * seeds.len()));
    let options = ExecuteOptions { progress, interrupt: options.interrupt, cache: options.cache };
    let outputs = execute(tasks, &seeds, options).map_err(|_| StudyError::Interrupted)?;
    let mut found: BTreeMap<&str, Vec<Repetition>> = BTreeMap::new();
    for (task, outputs) in tasks.iter().zip(outputs) {
        let all = outputs.into_iter().zip(1..).map(|(output, seed)| match output {
            Ok(measured) => {
                let measured = Measured { latency_ms: task.latency_ms, ..measured };
                let repetition = wanted.measured(&task.run, &measured);
                beside_claims(plan, reading, (&task.run, seed), &measured, report);
                repetition
            }
            Err(why) => {
                let (reading, run) = (reading.name.clone(), task.run.clone());
                let why = why.to_string();
                report.failures.push(Failure { reading, run, seed, why: why.clone() });
                Repetition::Failed(why)
            }
        });
        found.insert(&task.run, all.collect());
    }
    let lacking = |run: &RunDef| {
        let why = run.not_made.clone().unwrap_or_default();
        vec![Repetition::NotMade(why); seeds.len()]
    };
    let own = plan.runs_of(reading).map(|run| {
        let made = found.remove(run.name.as_str());
        (run.name.clone(), made.unwrap_or_else(|| lacking(run)))
    });
    Ok(own.collect())
}

/// Adds to a report what it has of a run beside claims: ramp-ups, and of single runs the flows of
/// UEs and their stages.
fn beside_claims(
    plan: &Plan,
    reading: &Reading,
    (run, seed): (&String, u64),
    measured: &Measured,
    report: &mut Report,
) {
    report.ramps.extend(ramps(reading, run, seed, measured));
    if reading.repeated {
        return;
    }
    let realtime = measured.flows.iter().filter(|flow| !flow.tcp);
    if plan.per_ue.contains(run) {
        report.per_ue.extend(realtime.clone().map(|flow| by_ue(&reading.name, run, flow)));
    }
    if plan.stages.contains(run) {
        report.stages.extend(realtime.map(|flow| by_stage(&reading.name, run, flow)));
    }
}

/// Judges the claims of a reading.
fn judge_reading(
    plan: &Plan,
    claims: &[Claim],
    evidence: Evidence<'_>,
    report: &mut Report,
) -> Result<(), StudyError> {
    let reading = evidence.reading;
    let judged = |claim: &&Claim| reading.kinds.as_ref().is_none_or(|k| k.contains(&claim.kind));
    for claim in claims.iter().filter(judged) {
        let Some(row) = judge(claim, evidence)? else { continue };
        let met = matches!(row.verdict, Verdict::Holds | Verdict::Recovered);
        count(reading, claim, met, &mut report.counts);
        report.rows.push(row);
    }
    report.figures.extend(figures(plan, evidence)?);
    Ok(())
}

fn figures(plan: &Plan, evidence: Evidence<'_>) -> Result<Vec<Figure>, StudyError> {
    let reading = &evidence.reading.name;
    let figure = |(name, quantity): (&str, Quantity)| {
        let [_, value, _] = quartiles(&evidence.values(&quantity, Form::True))?;
        Some(Figure { name: name.to_owned(), reading: reading.clone(), value })
    };
    Ok(plan.quantities()?.into_iter().filter_map(figure).collect())
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

/// The ramp-ups of a run.
fn ramps<'a>(
    reading: &'a Reading,
    run: &'a str,
    seed: u64,
    measured: &'a Measured,
) -> impl Iterator<Item = RampRow> + 'a {
    measured.flows.iter().filter_map(move |flow| {
        let mut figures = flow.ramp.clone()?;
        if reading.sweep.is_some() {
            (figures.moving_mbps, figures.upt_mbps) = (Vec::new(), Vec::new());
        }
        let (run, flow) = (run.to_owned(), flow.flow.clone());
        Some(RampRow { reading: reading.name.clone(), run, flow, seed, figures })
    })
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
