//! Stacked bars: where the time of each flow's packets goes in the first reading.

use airpath_net::Stage;
use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series};

use crate::StageRow;
use crate::page::short;

pub(super) fn chart(rows: &[StageRow]) -> Option<Chart> {
    let reading = &rows.first()?.reading;
    let rows: Vec<&StageRow> = rows.iter().filter(|row| &row.reading == reading).collect();
    let names: Vec<String> = rows.iter().map(|row| name(row)).collect();
    let panel = Panel {
        x: Axis::new("mean one-way delay", "ms"),
        y: Axis::category("", names),
        layers: Stage::ALL
            .iter()
            .enumerate()
            .filter_map(|(n, stage)| bars(&rows, n, *stage))
            .collect(),
        ..Panel::default()
    };
    Some(Chart {
        title: format!(
            "Where a packet's time goes: a real-time stream beside a download ({reading})"
        ),
        sentence: sentence(&rows, &panel),
        panels: vec![panel],
        ..Chart::default()
    })
}

fn name(row: &StageRow) -> String {
    let marking = if row.marked { "marked" } else { "not marked" };
    format!("{}, {marking}", row.run.split('-').next().unwrap_or(&row.run))
}

/// The bars of a stage; none if no packet spends time in it.
fn bars(rows: &[&StageRow], n: usize, stage: Stage) -> Option<Layer> {
    let spent = |row: &&StageRow| {
        row.stages_ms.iter().find(|(name, _)| *name == stage.name()).map_or(0.0, |(_, ms)| *ms)
    };
    let lengths: Vec<f64> = rows.iter().map(spent).collect();
    let seen = lengths.iter().any(|ms| *ms > 0.0);
    seen.then(|| Layer::new(&Series::new(stage.name(), n), Mark::Bars { lengths }))
}

fn sentence(rows: &[&StageRow], panel: &Panel) -> String {
    let delays = rows.iter().zip(panel.sums()).map(|(row, sum)| {
        let longest = row.stages_ms.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let longest = longest
            .map_or(String::new(), |(name, ms)| format!(", {} ms of it in {name}", short(*ms)));
        format!("{}: {} ms{longest}", name(row), short(sum))
    });
    format!("Mean one-way delay by stage. {}.", delays.collect::<Vec<_>>().join("; "))
}
