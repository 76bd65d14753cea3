//! Tables of a study's experiments that grow batch by batch, and their changes since older ones.

use std::fs;
use std::path::Path;
use std::time::Duration;

use airpath_plot::plural;
use airpath_study::network::{Batch, Fill, Made, Reading, Source, fill as next, moved, read};
use airpath_study::{Study, StudyError};

use super::network::{gather, stop};
use crate::args::{ReadingChoice, ReproduceArgs};
use crate::output::{fail, print, say};
use crate::watch::{Steps, interrupt, now};
use crate::{BAD_INPUT, FAILED};

/// Makes the next batch that the tables in a folder lack, and adds it to them.
pub fn fill(args: &ReproduceArgs, experiments: &Study, tables: &Path) -> Result<u8, u8> {
    let reading = match args.reading {
        None | Some(ReadingChoice::First) => Reading::First,
        Some(ReadingChoice::Second) => Reading::Second,
        Some(ReadingChoice::Both) => {
            return Err(fail("--fill makes a batch of one reading: first or second", BAD_INPUT));
        }
    };
    let Some(folder) = &args.out else { return Err(fail("--fill needs --out", BAD_INPUT)) };
    let (steps, began, used) = (Steps::new("reading the study", "runs"), now(), processor_time());
    let progress = |name: &str, done: usize, all: usize| steps.show(name, done, all);
    let request = Fill {
        reading,
        part: args.part.as_deref(),
        tables,
        folder,
        digests: args.read.digests(),
        progress: Some(&progress),
        interrupt: Some(interrupt()),
    };
    let origin = |made: Made| {
        let took = match (used, processor_time()) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => now().duration_since(began),
        };
        let minutes = (took.as_secs_f64() / 6.0).round() / 10.0;
        let given = |at: usize| args.origin.as_ref().and_then(|origin| origin.get(at)).cloned();
        let [commit, date] = [0, 1].map(|at| given(at).unwrap_or_else(|| "unknown".to_owned()));
        Made { commit, date, minutes, ..made }
    };
    let batch = next(experiments, request, &origin);
    steps.clear();
    let text = match batch.map_err(|error| stop(&error))? {
        None => format!("The tables in {} have all batches.\n", tables.display()),
        Some(Batch { made, left }) => format!(
            "{}{}: {} in {} min of processor time; {} left\n",
            made.experiment,
            made.batch.map(|batch| format!(", batch {batch}")).unwrap_or_default(),
            plural(made.runs, "run"),
            made.minutes,
            match left {
                1 => "1 batch is".to_owned(),
                left => format!("{left} batches are"),
            },
        ),
    };
    Ok(say(&text))
}

/// Prints the changes of the first reading since the tables in a folder.
pub fn since(args: &ReproduceArgs, experiments: &Study, old: &Path) -> Result<u8, u8> {
    let new = match &args.from_tables {
        Some(Some(folder)) => Source::Tables(folder),
        _ => Source::Kept,
    };
    let plan = experiments.plan().map_err(|error| stop(&error))?;
    let new = gather(args, experiments, &plan, Reading::First, new)?;
    let old = read(experiments, old, Reading::First, args.read.digests())
        .map_err(|error| fail(error, BAD_INPUT))?;
    if old.arms.is_empty() {
        let shown = args.since.as_deref().unwrap_or(Path::new("")).display().to_string();
        return Err(stop(&StudyError::NoTables(shown)));
    }
    let moved = moved(&old.joined(), &new.data.joined());
    match serde_json::to_string_pretty(&moved) {
        Ok(text) => Ok(print(&(text + "\n"))),
        Err(error) => Err(fail(error, FAILED)),
    }
}

/// Processor time of this process and all of its threads; none where the system does not have it.
/// Fields 14 and 15 behind the name are ticks of 10 ms (proc(5), `/proc/PID/stat`).
fn processor_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks(11)? + ticks(12)?) * 10))
}
