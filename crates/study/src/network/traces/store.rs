//! Traces as a table in long form.

use std::path::Path;

use airpath_results::Table;

use super::{FILE, Trace};
use crate::{Study, StudyError};

/// The traces that are kept with airpath; empty if none are.
///
/// # Errors
///
/// If the table is damaged.
pub fn kept_traces(study: &Study) -> Result<Vec<Trace>, StudyError> {
    study.tables().map_or(Ok(Vec::new()), |folder| read_traces(&folder))
}

/// Reads the traces of a folder; empty if it has none.
///
/// # Errors
///
/// If the table is damaged.
pub fn read_traces(folder: &Path) -> Result<Vec<Trace>, StudyError> {
    let path = folder.join(FILE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    traces(&Table::read_parquet(&path)?)
}

/// Writes traces into a folder, values to four digits.
///
/// # Errors
///
/// If the table cannot be written.
pub fn write_traces(traces: &[Trace], folder: &Path) -> Result<(), StudyError> {
    let rows = traces.iter().flat_map(|trace| trace.points.iter().map(move |point| (trace, point)));
    let table = Table::new()
        .utf8("arm", rows.clone().map(|(trace, _)| &trace.arm))
        .doc("The run.")
        .utf8("position", rows.clone().map(|(trace, _)| &trace.position))
        .doc("Which user it is.")
        .utf8("ue", rows.clone().map(|(trace, _)| &trace.ue))
        .doc("Its name in the scenario.")
        .f64("time_s", rows.clone().map(|(_, (time, _))| *time))
        .doc("End of the step of 200 ms.")
        .utf8("metric", rows.clone().map(|(trace, _)| &trace.metric))
        .doc("What was measured; its ending is its unit.")
        .f64("value", rows.map(|(_, (_, value))| rounded(*value)))
        .doc("The value, to four digits.");
    Ok(table.write_small(folder.join(FILE))?)
}

fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn traces(table: &Table) -> Result<Vec<Trace>, StudyError> {
    let missing = |name: &str| StudyError::Data(format!("{FILE} lacks {name}"));
    let texts = |name: &str| table.texts(name).ok_or_else(|| missing(name));
    let numbers = |name: &str| table.numbers(name).ok_or_else(|| missing(name));
    let keys = [texts("arm")?, texts("position")?, texts("ue")?, texts("metric")?];
    let (times, values) = (numbers("time_s")?, numbers("value")?);
    let mut traces: Vec<Trace> = Vec::new();
    for row in 0..table.rows() {
        let key = [0, 1, 2, 3].map(|n| keys[n][row].unwrap_or_default().to_owned());
        let (Some(time), Some(value)) = (times[row], values[row]) else { continue };
        let same = |trace: &Trace| {
            [&trace.arm, &trace.position, &trace.ue, &trace.metric] == [0, 1, 2, 3].map(|n| &key[n])
        };
        match traces.last_mut().filter(|trace| same(trace)) {
            Some(trace) => trace.points.push((time, value)),
            None => {
                let [arm, position, ue, metric] = key;
                traces.push(Trace { arm, position, ue, metric, points: vec![(time, value)] });
            }
        }
    }
    Ok(traces)
}
