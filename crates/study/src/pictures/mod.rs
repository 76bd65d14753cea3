//! Pictures of a study, as descriptions of charts.

mod curves;
mod lines;
mod stages;
mod users;

use airpath_plot::Chart;

use crate::{RampRow, Report, Study};

/// The charts that a study's report has figures for; their ids are the names of its pictures.
pub fn pictures(study: &Study, report: &Report) -> Vec<Chart> {
    let named = |name: &str, chart: Option<Chart>| {
        Some(Chart { id: format!("{}-{name}", study.name), ..chart? })
    };
    let users = |run: &str, title: &str| {
        let rows = report.per_ue.iter().filter(|row| row.run.starts_with(run));
        users::chart(title, &rows.collect::<Vec<_>>())
    };
    let curves = |curve| curves::chart(&first_ramps(report), curve);
    [
        named("stages", stages::chart(&report.stages)),
        named("audio", users("many-audio", "Twenty UEs with audio of 64 kbit/s")),
        named("video", users("many-video", "Ten UEs with video of 320 kbit/s")),
        named("throughput", curves(curves::MOVING)),
        named("utilisation", lines::chart(report, lines::UTILISATION)),
        named("upt", curves(curves::PERCEIVED)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The downloads of the first reading.
fn first_ramps(report: &Report) -> Vec<&RampRow> {
    let reading = report.ramps.first().map(|row| &row.reading);
    report.ramps.iter().filter(|row| Some(&row.reading) == reading).collect()
}
