//! Pictures of a plan, as descriptions of charts.

mod curves;
mod lines;
mod stages;
mod users;

use airpath_plot::Chart;
use serde::Deserialize;

use crate::{RampRow, Report, Study, StudyError};

/// A picture as the plan has it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Picture {
    /// The name, behind that of the study.
    name: String,
    #[serde(flatten)]
    kind: Kind,
}

/// The kinds of pictures.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Kind {
    Stages,
    Users(users::Users),
    Ramps(curves::Curve),
    Lines(lines::Lines),
}

/// The charts that a study's report has figures for; their ids are the names of its pictures.
///
/// # Errors
///
/// A plan of another form.
pub fn pictures(study: &Study, report: &Report) -> Result<Vec<Chart>, StudyError> {
    let chart = |picture: &Picture| match &picture.kind {
        Kind::Stages => stages::chart(&report.stages),
        Kind::Users(users) => {
            let rows = report.per_ue.iter().filter(|row| row.run.starts_with(&users.run));
            users::chart(users, &rows.collect::<Vec<_>>())
        }
        Kind::Ramps(curve) => curves::chart(&first_ramps(report), curve),
        Kind::Lines(lines) => lines::chart(report, &picture.name, lines),
    };
    let named = |picture: &Picture| {
        Some(Chart { id: format!("{}-{}", study.name, picture.name), ..chart(picture)? })
    };
    Ok(study.plan()?.pictures.iter().filter_map(named).collect())
}

/// The downloads of the first reading.
fn first_ramps(report: &Report) -> Vec<&RampRow> {
    let reading = report.ramps.first().map(|row| &row.reading);
    report.ramps.iter().filter(|row| Some(&row.reading) == reading).collect()
}
