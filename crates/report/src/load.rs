//! The load of each cell of a network over time.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Values, capital, figure};
use airpath_results::{CellSummary, RunSummary};

use crate::words::{mean, with_unit};
use crate::{ReportError, Results, Run};

/// A run is cut into so many intervals at most.
const MOST_INTERVALS: usize = 20;
/// A cell counts as full from this share of its resource blocks, in percent.
const FULL: f64 = 90.0;

/// Use of its cells in one direction.
struct Load<'a> {
    cells: Vec<&'a str>,
    /// Ends of the intervals in seconds.
    ends: Vec<f64>,
    /// Percent of the resource blocks by cell, interval by interval.
    shares: Vec<Vec<Option<f64>>>,
}

/// The chart: cells against time, a panel for each direction.
pub fn chart(results: &Results) -> Result<Chart, ReportError> {
    let ([run], []) = (results.runs.as_slice(), results.campaigns.as_slice()) else {
        return Err(ReportError::missing("the load of cells is of one run", "name one run"));
    };
    if run.summary.cells.len() < 2 {
        let mend = "resource-blocks is the chart of one cell";
        return Err(ReportError::missing("the load of cells is of several", mend));
    }
    let directions = [("cell_down", "downlink"), ("cell_up", "uplink")];
    let mut panels = Vec::new();
    let mut said = Vec::new();
    for (kind, name) in directions {
        let Some(load) = load(run, kind)? else { continue };
        said.push(sentence(&load, name));
        panels.push(panel(&load, name));
    }
    if panels.is_empty() {
        let what =
            format!("{} has no resource blocks of cells over time", run.folder.path().display());
        let mend = "set output.series = \"100 ms\" in the scenario and run again";
        return Err(ReportError::missing(what, mend));
    }
    Ok(Chart {
        id: "load".into(),
        title: "Load of cells over time".into(),
        sentence: said.join(" "),
        panels,
        columns: 1,
        ..Chart::default()
    })
}

/// None if nothing of it was recorded, or nothing was sent at all.
fn load<'a>(run: &'a Run, kind: &str) -> Result<Option<Load<'a>>, ReportError> {
    let Some(courses) = run.courses()? else { return Ok(None) };
    let Some(rate) = blocks_per_second(&run.summary, kind) else { return Ok(None) };
    let width = run.summary.duration_s / MOST_INTERVALS as f64;
    let mut load = Load { cells: Vec::new(), ends: Vec::new(), shares: Vec::new() };
    for cell in &run.summary.cells {
        let own = courses.all.iter().find(|one| {
            one.kind == kind && one.name == cell.name && one.metric == "resource_blocks"
        });
        let Some(own) = own else { continue };
        let intervals = intervals(&own.x, &own.y, width);
        if load.ends.len() < intervals.len() {
            load.ends = intervals.iter().map(|one| one.end).collect();
        }
        load.cells.push(&cell.name);
        let share = |one: &Interval| (one.span > 0.0).then(|| 100.0 * one.used / (one.span * rate));
        load.shares.push(intervals.iter().map(share).collect());
    }
    Ok((!load.cells.is_empty()).then_some(load))
}

/// Samples that are taken together.
#[derive(Default)]
struct Interval {
    end: f64,
    span: f64,
    used: f64,
}

/// Samples, each of the time since the one before, in intervals of about this width.
fn intervals(x: &[f64], y: &[f64], width: f64) -> Vec<Interval> {
    let mut all: Vec<Interval> = Vec::new();
    let mut before = 0.0;
    for (end, used) in x.iter().zip(y) {
        // A sample that ends where an interval ends is of that interval.
        let place = ((end / width - 1e-6).floor().max(0.0)) as usize;
        if all.len() <= place {
            all.resize_with(place + 1, Interval::default);
        }
        let one = &mut all[place];
        (one.end, one.span, one.used) = (*end, one.span + end - before, one.used + used);
        before = *end;
    }
    all.retain(|one| one.span > 0.0);
    all
}

/// Resource blocks that a cell has each second; all cells of a network have as many.
pub(crate) fn blocks_per_second(summary: &RunSummary, kind: &str) -> Option<f64> {
    let counted = summary.duration_s - summary.warm_up_s;
    let of = |cell: &CellSummary| {
        let (share, used) = match kind {
            "cell_down" => (cell.utilisation?, cell.down.resource_blocks),
            _ => (cell.utilisation_up?, cell.up.resource_blocks),
        };
        (share > 0.0 && counted > 0.0).then(|| used as f64 / share / counted)
    };
    summary.cells.iter().find_map(of)
}

fn panel(load: &Load<'_>, name: &str) -> Panel {
    let (mut x, mut y, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (row, shares) in load.shares.iter().enumerate() {
        for (column, share) in shares.iter().enumerate() {
            x.push(column as f64);
            y.push(row as f64);
            // Whole percents: there is no room for more.
            values.push(share.map(f64::round));
        }
    }
    Panel {
        title: name.into(),
        x: Axis::category("until, in s", load.ends.iter().map(|end| figure(*end))),
        y: Axis::category("", load.cells.iter().copied()),
        layers: vec![
            Layer::plain(Mark::Cells { x, y, values })
                .meaning("each field: share of its resource blocks that a cell used"),
        ],
        values: Some(Values {
            label: "resource blocks used".into(),
            unit: "%".into(),
            range: Some((0.0, 100.0)),
        }),
        ..Panel::default()
    }
}

fn sentence(load: &Load<'_>, name: &str) -> String {
    let known = |shares: &Vec<Option<f64>>| shares.iter().copied().flatten().collect::<Vec<_>>();
    let means = load.shares.iter().map(|shares| mean(&known(shares)).unwrap_or(0.0));
    let means: Vec<f64> = means.collect();
    let most = (0..means.len()).max_by(|a, b| means[*a].total_cmp(&means[*b])).unwrap_or(0);
    let full = means.iter().filter(|share| **share >= FULL).count();
    format!(
        "{}: cells used {} of their resource blocks in the mean; {} used most, {}; {full} of {} cells used {}% or more.",
        capital(name),
        with_unit(mean(&means).unwrap_or(0.0), "%"),
        load.cells[most],
        with_unit(means[most], "%"),
        means.len(),
        figure(FULL),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_taken_together_by_time() {
        let x: Vec<f64> = (1..=10).map(|n| 0.2 * f64::from(n)).collect();
        let found = intervals(&x, &[3.0; 10], 0.5);
        let seen: Vec<(f64, f64)> =
            found.iter().map(|one| ((one.end * 10.0).round() / 10.0, one.used)).collect();
        assert_eq!(seen, [(0.4, 6.0), (1.0, 9.0), (1.4, 6.0), (2.0, 9.0)]);
        assert!((found.iter().map(|one| one.span).sum::<f64>() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn few_samples_are_an_interval_each() {
        let found = intervals(&[1.0, 2.0], &[5.0, 7.0], 0.1);
        let seen: Vec<(f64, f64)> = found.iter().map(|one| (one.end, one.used)).collect();
        assert_eq!(seen, [(1.0, 5.0), (2.0, 7.0)]);
    }
}
