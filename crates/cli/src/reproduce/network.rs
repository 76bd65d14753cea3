//! The part of a study that is experiments on a network: made, or taken from tables, and judged.

use std::fs;
use std::path::{Path, PathBuf};

use airpath_experiments::{
    Data, ExperimentError, Judged, Making, Outcome, Plan, Study as Experiments, judge, kept, make,
    read, write,
};
use airpath_study::{Report, Study};
use serde_json::{Value, json};

use super::wires;
use crate::args::ReproduceArgs;
use crate::output::{fail, note, print, say};
use crate::table::plural;
use crate::watch::{Steps, interrupt};
use crate::wrap::{WIDTH, wrap};
use crate::{BAD_INPUT, FAILED, INTERRUPTED};

/// Where the runs come from.
enum From<'a> {
    /// Tables that airpath comes with.
    Kept,
    /// Tables in a folder.
    Tables(&'a Path),
    /// They are made in a folder.
    Made(PathBuf),
}

/// The first flag that only experiments on a network have.
pub fn flag(args: &ReproduceArgs) -> Option<&'static str> {
    let given = [
        (args.quick, "--quick"),
        (args.from_tables.is_some(), "--from-tables"),
        (args.runs.is_some(), "--runs"),
    ];
    given.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
}

/// Whether experiments are asked for: by their part, or by no part at all.
///
/// # Errors
///
/// If the study has no such part.
pub fn asked(
    args: &ReproduceArgs,
    study: &Study,
    experiments: &Experiments,
) -> Result<bool, String> {
    let plan = experiments.plan().map_err(|error| error.to_string())?;
    let Some(part) = args.part.as_deref() else { return Ok(true) };
    if plan.parts().contains(&part) {
        return Ok(true);
    }
    let campaign = study.campaign().map_err(|error| error.to_string())?;
    let mut parts: Vec<&str> = campaign.readings.iter().filter_map(|r| r.part.as_deref()).collect();
    if parts.contains(&part) {
        return match flag(args) {
            Some(flag) => Err(format!("the part {part} is no experiment on a network: no {flag}")),
            None => Ok(false),
        };
    }
    parts.dedup();
    parts.extend(plan.parts());
    Err(format!("the study has no part {part:?}; it has: {}", parts.join(", ")))
}

/// Judges the rows of the experiments, and of the rest of the study if no part was asked for.
pub fn run(args: &ReproduceArgs, study: &Study, experiments: &Experiments) -> u8 {
    match whole(args, study, experiments) {
        Ok(code) | Err(code) => code,
    }
}

fn whole(args: &ReproduceArgs, study: &Study, experiments: &Experiments) -> Result<u8, u8> {
    let fault = |error: ExperimentError| stop(&error);
    let plan = experiments.plan().map_err(fault)?;
    if let Some(out) = &args.out {
        fs::create_dir_all(out)
            .map_err(|error| fail(format!("{}: {error}", out.display()), BAD_INPUT))?;
    }
    let on_wires = match args.part {
        None => {
            let folder = args.out.as_deref().map(|out| out.join("fixed-network"));
            Some(wires(args, study, folder.as_deref())?)
        }
        Some(_) => None,
    };
    let data = match source(args) {
        From::Kept => kept(experiments).map_err(fault)?.0,
        From::Tables(folder) => tables(experiments, folder)?,
        From::Made(folder) => made(args, experiments, &plan, &folder)?,
    };
    let found = Found {
        published: of_part(judge(experiments, &data.as_published(), args.quick), args)?,
        all: of_part(judge(experiments, &data, args.quick), args)?,
    };
    if let Some(out) = &args.out {
        let text = format!("{:#}\n", found.json());
        let path = out.join("rows.json");
        fs::write(&path, text)
            .map_err(|error| fail(format!("{}: {error}", path.display()), FAILED))?;
    }
    Ok(show(args, study, on_wires.as_ref(), &found))
}

/// Rows, judged by as many runs as the source made, and by all.
struct Found {
    published: Vec<Judged>,
    all: Vec<Judged>,
}

fn source(args: &ReproduceArgs) -> From<'_> {
    match (&args.from_tables, &args.out) {
        (Some(folder), _) if folder.as_os_str().is_empty() => From::Kept,
        (Some(folder), _) => From::Tables(folder),
        (None, Some(out)) => From::Made(out.clone()),
        (None, None) if args.quick || args.runs.is_some() => {
            From::Made(std::env::temp_dir().join(format!("airpath-{}", std::process::id())))
        }
        (None, None) => From::Kept,
    }
}

fn tables(experiments: &Experiments, folder: &Path) -> Result<Data, u8> {
    let data = read(experiments, folder).map_err(|error| fail(error, BAD_INPUT))?;
    if data.arms.is_empty() {
        let folder = folder.display();
        let why = format!("{folder}: no tables of experiments, as main.runs.parquet, are there");
        return Err(fail(why, BAD_INPUT));
    }
    Ok(data)
}

/// Makes the experiments that are asked for, each with its tables as it ends.
fn made(
    args: &ReproduceArgs,
    experiments: &Experiments,
    plan: &Plan,
    folder: &Path,
) -> Result<Data, u8> {
    let steps = Steps::new();
    let keep = folder.join("tables");
    fs::create_dir_all(&keep).map_err(|e| fail(format!("{}: {e}", keep.display()), BAD_INPUT))?;
    if !args.quick {
        note(
            "The whole study takes hours. What is finished is kept: the same command goes on. \
             --quick takes minutes, --from-tables seconds.",
        );
    }
    let mut data = Data::default();
    let wanted = plan.of_part(args.part.as_deref()).map_err(|error| fail(error, BAD_INPUT))?;
    for experiment in wanted {
        let progress = |done: usize, all: usize| steps.show(&experiment.name, done, all);
        let making = Making {
            quick: args.quick,
            seeds: args.runs,
            jobs: None,
            folder: &folder.join(&experiment.name),
            progress: Some(&progress),
            interrupt: Some(interrupt()),
        };
        let found = make(experiments, experiment, making);
        steps.clear();
        if let Some(found) = found.map_err(|error| stop(&error))? {
            write(&found, &experiment.name, &keep).map_err(|error| stop(&error))?;
            data.arms.extend(found.arms);
        }
    }
    if args.out.is_none() {
        // What nobody named a folder for is not left behind.
        let _ = fs::remove_dir_all(folder);
    }
    Ok(data)
}

fn of_part(
    judged: Result<Vec<Judged>, ExperimentError>,
    args: &ReproduceArgs,
) -> Result<Vec<Judged>, u8> {
    let mut judged = judged.map_err(|error| stop(&error))?;
    if let Some(part) = &args.part {
        judged.retain(|judged| judged.row.part == *part);
    }
    Ok(judged)
}

fn stop(error: &ExperimentError) -> u8 {
    if error.is_interrupt() {
        return fail("interrupted; the same command goes on", INTERRUPTED);
    }
    fail(error, if error.is_bad_input() { BAD_INPUT } else { FAILED })
}

impl Found {
    /// Rows with both verdicts.
    fn json(&self) -> Value {
        let row = |(published, all): (&Judged, &Judged)| {
            json!({
                "id": all.row.id, "where": all.row.place, "says": all.row.says,
                "part": all.row.part, "note": all.row.note,
                "verdict_with_published_runs": published.outcome, "verdict": all.outcome,
                "p_holds": all.p_holds, "p_fails": all.p_fails,
                "places_not_made": all.missing, "places": all.places,
            })
        };
        self.published.iter().zip(&self.all).map(row).collect()
    }
}

fn show(args: &ReproduceArgs, study: &Study, wires: Option<&Report>, found: &Found) -> u8 {
    if args.json {
        let mut rows = match serde_json::to_value(wires.map(|report| &report.rows)) {
            Ok(Value::Array(rows)) => rows,
            _ => Vec::new(),
        };
        rows.extend(found.json().as_array().cloned().unwrap_or_default());
        return print(&format!("{:#}\n", Value::Array(rows)));
    }
    let mut text = format!("{}\n\n", study.title);
    if args.all {
        text.extend(found.all.iter().map(line));
        text += "\n";
    }
    let count = |outcome| found.all.iter().filter(|judged| judged.outcome == outcome).count();
    let outcomes = [Outcome::Holds, Outcome::Fails, Outcome::NotResolved, Outcome::NotMade];
    let counts: Vec<String> =
        outcomes.into_iter().map(|o| format!("{} {}", count(o), o.word())).collect();
    text += &format!("{}: {}\n", plural(found.all.len(), "row"), counts.join(", "));
    say(&text)
}

/// A row with its verdict and the place that decides.
fn line(judged: &Judged) -> String {
    let place = judged.deciding().map_or(String::new(), |place| {
        let unit = if place.ratio { "times" } else { "" };
        format!(
            " ({}: {:.3} {unit} [{:.3}, {:.3}], {} runs)",
            place.name, place.value, place.low, place.high, place.runs
        )
    });
    let text = format!("{}: {}{place}", judged.outcome.word(), judged.row.says);
    wrap(&text, &format!("{:10}", judged.row.id), "          ", WIDTH)
}
