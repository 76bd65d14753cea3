//! Metrics over time, from `series.parquet`, and marks over time from `packets.parquet`.
//!
//! Runs that differ in nothing but their seed are runs of one arm. They become a line for their
//! mean with a band, its 95% interval. A picture has room for few subjects (flows, links, bearers).
//! More become, for each group, their mean with a band from the 5th to the 95th percentile.

mod course;
mod read;
mod spikes;
mod together;

use std::collections::BTreeMap;

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, capital, plural};
use airpath_stats::{CONFIDENCE, mean_interval, percentile};

use crate::words::{distinct, mean, with_unit};
use crate::{ReportError, Results, Run};

use course::About;
pub use course::Course;
pub use read::{Courses, Recorded};
use read::{lines, marked, used};
pub use together::{first as first_over_time, more as more_over_time};

/// More lines than this are shown as means and bands of their groups.
pub const MOST_LINES: usize = 12;

/// The course of one subject of one run.
#[derive(Clone, Debug, Default)]
struct Line {
    subject: String,
    /// Group of the subject in crowded pictures: flows of the same kind, bearers of their UEs.
    group: String,
    x: Vec<f64>,
    y: Vec<f64>,
}

/// Runs of one arm, or one run.
struct Group<'a> {
    label: String,
    runs: Vec<&'a Run>,
}

/// A metric over time.
pub fn chart(course: Course, results: &Results) -> Result<Chart, ReportError> {
    let &About { name, metric, meaning } = course.about();
    let ((factor, unit), label) = (course.shown(), course.label());
    let read = |run: &Run| match course {
        Course::ResourceBlocks => used(run),
        _ => lines(run, metric, factor),
    };
    let title = capital(meaning.split(',').next().unwrap_or(meaning));
    let axis = match course {
        Course::Sinr => Axis::new(label, unit),
        _ => Axis::new(label, unit).from_zero(),
    };
    let chart = over_time(results, name, &title, axis, &read)?;
    Ok(match course {
        Course::Rate => spikes::cut(chart, results),
        Course::ResourceBlocks => of_a_share(chart),
        _ => chart,
    })
}

/// A share of what there is: up to 100% where much of it is used, up to what is used where little is.
fn of_a_share(mut chart: Chart) -> Chart {
    const MUCH: f64 = 50.0;
    for panel in &mut chart.panels {
        if highest(&panel.layers) > MUCH {
            panel.y.range = Some((0.0, 100.0));
        }
    }
    chart
}

/// The highest figure of lines and bands.
fn highest(layers: &[Layer]) -> f64 {
    let of = |values: &[Option<f64>]| values.iter().flatten().copied().fold(0.0, f64::max);
    let of_mark = |layer: &Layer| match &layer.mark {
        Mark::Line { y, .. } => of(y),
        Mark::Band { high, .. } => of(high),
        _ => 0.0,
    };
    layers.iter().map(of_mark).fold(0.0, f64::max)
}

/// The share of packets that arrived marked, over time.
pub fn marks(results: &Results) -> Result<Chart, ReportError> {
    // A share of some percent is what a controller for L4S aims at: the axis ends where it ends.
    let axis = Axis::new("packets that arrived marked", "%").from_zero();
    let title = "Packets that arrived with congestion experienced";
    over_time(results, "marks", title, axis, &marked)
}

type Read<'a> = &'a dyn Fn(&Run) -> Result<Vec<Line>, ReportError>;

fn over_time(
    results: &Results,
    id: &str,
    title: &str,
    y: Axis,
    read: Read<'_>,
) -> Result<Chart, ReportError> {
    if results.runs.is_empty() {
        let what = "a campaign keeps no course over time";
        let mend = "run one arm with a series: `airpath run DIR/arms/NAME.toml --set output.series=\"100 ms\" --out R`";
        return Err(ReportError::missing(what, mend));
    }
    let groups = groups(results);
    let several = groups.len() > 1;
    let mut panel = Panel { x: time(results), y, ..Panel::default() };
    let mut said: Vec<(String, f64, f64)> = Vec::new();
    for group in &groups {
        let runs = group.runs.iter().map(|run| read(run)).collect::<Result<Vec<_>, _>>()?;
        let name = |subject: &str| match several {
            true => format!("{}: {subject}", group.label),
            false => subject.to_owned(),
        };
        let drawn = match runs.len() {
            1 => one_run(&runs[0], &name),
            _ => of_runs(&runs, &name),
        };
        for (series, layers, values) in drawn {
            let series = Series::new(series, said.len());
            let of_series =
                |(mark, meaning): (Mark, String)| Layer::new(&series, mark).meaning(&meaning);
            panel.layers.extend(layers.into_iter().map(of_series));
            let greatest = values.iter().copied().fold(f64::MIN, f64::max);
            said.push((series.name, mean(&values).unwrap_or(0.0), greatest));
        }
    }
    let sentence = sentence(&said, &panel.y);
    Ok(Chart {
        id: id.into(),
        title: title.into(),
        sentence,
        panels: vec![panel],
        ..Chart::default()
    })
}

/// Time from the beginning to the end of the longest run.
pub fn time(results: &Results) -> Axis {
    let end = results.runs.iter().map(|run| run.summary.duration_s).fold(0.0, f64::max);
    let axis = Axis::new("time", "s");
    if end > 0.0 { axis.within(0.0, end) } else { axis }
}

/// A series: its name, its marks with what they mean, and its values.
type Drawn = (String, Vec<(Mark, String)>, Vec<f64>);

fn one_run(lines: &[Line], name: &dyn Fn(&str) -> String) -> Vec<Drawn> {
    if lines.len() > MOST_LINES {
        return spreads(lines, name);
    }
    lines.iter().map(|line| alone(line, name)).collect()
}

fn alone(line: &Line, name: &dyn Fn(&str) -> String) -> Drawn {
    let mark = Mark::line(line.x.clone(), line.y.clone());
    (name(&line.subject), vec![(mark, String::new())], line.y.clone())
}

/// Groups of many lines; all of them together where groups are many too.
fn spreads(lines: &[Line], name: &dyn Fn(&str) -> String) -> Vec<Drawn> {
    let mut groups: Vec<(&str, Vec<&Line>)> = Vec::new();
    for line in lines {
        match groups.iter_mut().find(|(group, _)| *group == line.group) {
            Some((_, own)) => own.push(line),
            None => groups.push((&line.group, vec![line])),
        }
    }
    if groups.len() > MOST_LINES {
        return vec![spread(lines, &name(&format!("mean of {}", lines.len())))];
    }
    let drawn = |(group, own): (&str, Vec<&Line>)| match own.as_slice() {
        [line] => alone(line, name),
        _ => spread(own.iter().copied(), &name(&format!("{group}, mean of {}", own.len()))),
    };
    groups.into_iter().map(drawn).collect()
}

/// Values of several lines by time, in nanoseconds, which order them exactly.
fn by_time<'a>(lines: impl Iterator<Item = &'a Line>) -> BTreeMap<i64, Vec<f64>> {
    let mut all: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for line in lines {
        for (x, y) in line.x.iter().zip(&line.y) {
            all.entry((x * 1e9).round() as i64).or_default().push(*y);
        }
    }
    all
}

/// The mean of many lines, and where most of them are.
fn spread<'a>(lines: impl IntoIterator<Item = &'a Line>, name: &str) -> Drawn {
    let all = by_time(lines.into_iter());
    let x: Vec<f64> = all.keys().map(|nanos| *nanos as f64 / 1e9).collect();
    let at =
        |per_mille: u32| all.values().map(move |v| percentile(v, per_mille)).collect::<Vec<_>>();
    let means: Vec<Option<f64>> = all.values().map(|values| mean(values)).collect();
    let values = means.iter().copied().flatten().collect();
    let band = Mark::Band { x: x.clone(), low: at(50), high: at(950) };
    let line = Mark::Line { x, y: means, steps: false, points: false };
    let meaning = "line: mean of many; band: from the 5th to the 95th percentile of them";
    (name.to_owned(), vec![(band, meaning.into()), (line, meaning.into())], values)
}

/// The mean over runs of each subject, with its interval.
fn of_runs(runs: &[Vec<Line>], name: &dyn Fn(&str) -> String) -> Vec<Drawn> {
    let subjects = distinct(runs.iter().flatten().map(|line| line.subject.as_str()));
    let own = |subject: &str| -> Vec<&Line> {
        runs.iter().flatten().filter(|line| line.subject == subject).collect()
    };
    if subjects.len() > MOST_LINES {
        return spreads(&runs.concat(), name);
    }
    let drawn = |subject: &&str| {
        let all = by_time(own(subject).into_iter());
        let x: Vec<f64> = all.keys().map(|nanos| *nanos as f64 / 1e9).collect();
        let means: Vec<Option<f64>> = all.values().map(|values| mean(values)).collect();
        let interval = |values: &Vec<f64>| mean_interval(values, CONFIDENCE);
        let band = Mark::Band {
            x: x.clone(),
            low: all.values().map(|values| Some(interval(values)?.low)).collect(),
            high: all.values().map(|values| Some(interval(values)?.high)).collect(),
        };
        let values = means.iter().copied().flatten().collect();
        let line = Mark::Line { x, y: means, steps: false, points: false };
        let meaning =
            format!("line: mean of {}; band: its 95% interval", plural(runs.len(), "run"));
        (name(subject), vec![(band, meaning.clone()), (line, meaning)], values)
    };
    subjects.iter().map(drawn).collect()
}

fn sentence(said: &[(String, f64, f64)], y: &Axis) -> String {
    let most = said.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let least = said.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let (Some((most, high, peak)), Some((least, low, _))) = (most, least) else {
        return "Nothing was recorded.".into();
    };
    let label = capital(&y.label);
    let [high, peak, low] = [*high, *peak, *low].map(|value| with_unit(value, &y.unit));
    match said.len() {
        1 if most.contains("mean of ") => {
            format!("{label}, {most}: {high} over time, {peak} at most.")
        }
        1 => format!("{label} of {most}: {high} in the mean, {peak} at most."),
        _ => format!(
            "{label}: highest with {most}, {high} in the mean and {peak} at most; lowest with {least}, {low} in the mean."
        ),
    }
}

/// Runs whose scenario is the same but for the seed, together.
fn groups(results: &Results) -> Vec<Group<'_>> {
    let mut groups: Vec<(serde_json::Value, Group<'_>)> = Vec::new();
    for run in &results.runs {
        let arm = run.arm();
        let known = groups.iter_mut().find(|(known, group)| {
            *known == arm && group.runs.iter().all(|r| r.summary.seed != run.summary.seed)
        });
        match known {
            Some((_, group)) => group.runs.push(run),
            None => groups.push((arm, Group { label: run.label.clone(), runs: vec![run] })),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

#[cfg(test)]
#[path = "series_tests.rs"]
mod tests;
