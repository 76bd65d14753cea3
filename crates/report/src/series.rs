//! Metrics over time, from `series.parquet`, and marks over time from `packets.parquet`.
//!
//! Runs that differ in nothing but their seed are runs of one arm: they become a line for their
//! mean with a band, its 95% interval. More subjects (flows, links, bearers) than a picture can
//! tell apart become their median with a band from the 5th to the 95th percentile.

use std::collections::BTreeMap;

use airpath_campaign::CONFIDENCE;
use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series};
use airpath_results::Table;
use airpath_stats::{mean_interval, percentile};

use crate::words::{capital, counted, mean, with_unit};
use crate::{ReportError, Results, Run};

/// More lines than this are shown as a median and a band.
const MOST_LINES: usize = 12;
/// What never comes to this share of the highest is not drawn.
const LOWEST: f64 = 1e-3;
/// Interval of marks over time.
const MARKS_S: f64 = 0.1;

/// A metric that has a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// Waits in queues.
    QueueDelay,
    /// Bytes in queues.
    Queue,
    /// What applications get.
    Rate,
    /// What arrives.
    Arrivals,
    /// Congestion windows.
    Cwnd,
    /// Bytes in flight.
    InFlight,
    /// Smoothed RTT.
    Rtt,
    /// Media that a player has.
    Buffer,
    /// Resource blocks of cells.
    ResourceBlocks,
}

/// Name, metric in the table, label, factor, unit, meaning.
type About = (&'static str, &'static str, &'static str, f64, &'static str, &'static str);

impl Course {
    fn about(self) -> About {
        match self {
            Course::QueueDelay => (
                "queue-delay",
                "queue_delay_ms",
                "queueing delay",
                1.0,
                "ms",
                "mean wait in the queues of links and bearers, over time",
            ),
            Course::Queue => (
                "queue",
                "queue_bytes",
                "bytes in queue",
                1e-3,
                "kB",
                "what waits in the queues of links and bearers, over time",
            ),
            Course::Rate => (
                "rate",
                "in_order_goodput_bps",
                "goodput",
                1e-6,
                "Mbit/s",
                "what applications get in order, over time",
            ),
            Course::Arrivals => (
                "arrivals",
                "arrival_rate_bps",
                "rate of arrivals",
                1e-6,
                "Mbit/s",
                "IP bytes of data packets that arrive, over time",
            ),
            Course::Cwnd => (
                "cwnd",
                "cwnd_bytes",
                "congestion window",
                1e-3,
                "kB",
                "congestion windows of TCP, over time",
            ),
            Course::InFlight => (
                "in-flight",
                "in_flight_bytes",
                "in flight",
                1e-3,
                "kB",
                "bytes in flight of TCP, over time",
            ),
            Course::Rtt => {
                ("rtt", "srtt_ms", "smoothed RTT", 1.0, "ms", "smoothed RTT of TCP, over time")
            }
            Course::Buffer => (
                "buffer",
                "buffer_s",
                "media in the buffer",
                1.0,
                "s",
                "what players could play without more, over time",
            ),
            Course::ResourceBlocks => (
                "resource-blocks",
                "resource_blocks",
                "resource blocks of an interval",
                1.0,
                "",
                "resource blocks that cells use, over time",
            ),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        self.about().0
    }

    pub(crate) fn meaning(self) -> &'static str {
        self.about().5
    }
}

/// The course of one subject of one run.
#[derive(Clone, Debug, Default)]
struct Line {
    subject: String,
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
    let (id, metric, label, factor, unit, meaning) = course.about();
    let read = |run: &Run| lines(run, metric, factor);
    let title = capital(meaning.split(',').next().unwrap_or(meaning));
    let axis = Axis::new(label, unit).from_zero();
    over_time(results, id, &title, axis, &read)
}

/// The share of packets that arrived marked, over time.
pub fn marks(results: &Results) -> Result<Chart, ReportError> {
    let axis = Axis::new("packets that arrived marked", "%").within(0.0, 100.0);
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
    let mut panel = Panel { x: Axis::new("time", "s"), y, ..Panel::default() };
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

/// A series: its name, its marks with what they mean, and its values.
type Drawn = (String, Vec<(Mark, String)>, Vec<f64>);

fn one_run(lines: &[Line], name: &dyn Fn(&str) -> String) -> Vec<Drawn> {
    if lines.len() > MOST_LINES {
        return vec![spread(lines, &name(&format!("median of {}", lines.len())))];
    }
    let drawn = |line: &Line| {
        let mark = Mark::line(line.x.clone(), line.y.clone());
        (name(&line.subject), vec![(mark, String::new())], line.y.clone())
    };
    lines.iter().map(drawn).collect()
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

/// The median of many lines, and where most of them are.
fn spread(lines: &[Line], name: &str) -> Drawn {
    let all = by_time(lines.iter());
    let x: Vec<f64> = all.keys().map(|nanos| *nanos as f64 / 1e9).collect();
    let at =
        |per_mille: u32| all.values().map(move |v| percentile(v, per_mille)).collect::<Vec<_>>();
    let median: Vec<Option<f64>> = at(500);
    let values = median.iter().copied().flatten().collect();
    let band = Mark::Band { x: x.clone(), low: at(50), high: at(950) };
    let line = Mark::Line { x, y: median, steps: false, points: false };
    let meaning = "band: from the 5th to the 95th percentile of them".to_owned();
    (name.to_owned(), vec![(band, meaning), (line, String::new())], values)
}

/// The mean over runs of each subject, with its interval.
fn of_runs(runs: &[Vec<Line>], name: &dyn Fn(&str) -> String) -> Vec<Drawn> {
    let mut subjects: Vec<&str> = Vec::new();
    for line in runs.iter().flatten() {
        if !subjects.contains(&line.subject.as_str()) {
            subjects.push(&line.subject);
        }
    }
    let own = |subject: &str| -> Vec<&Line> {
        runs.iter().flatten().filter(|line| line.subject == subject).collect()
    };
    if subjects.len() > MOST_LINES {
        let all: Vec<Line> = runs.concat();
        return vec![spread(&all, &name(&format!("median of {}", all.len())))];
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
            format!("line: mean of {}; band: its 95% interval", counted(runs.len(), "run"));
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

/// The courses of a metric in a run, without those that are next to nothing beside the highest.
fn lines(run: &Run, metric: &str, factor: f64) -> Result<Vec<Line>, ReportError> {
    let columns = ["time_s", "kind", "name", "ue", "metric", "value"];
    let Some(table) = run.table("series.parquet", &columns)? else {
        let what = format!("{} has no courses over time", run.folder.display());
        return Err(ReportError::missing(
            what,
            "set output.series = \"100 ms\" in the scenario and run again, as `airpath run SCENARIO --set output.series=\"100 ms\" --out DIR`",
        ));
    };
    let lines = select(&table, metric, factor);
    if lines.is_empty() {
        let known = table.texts("metric").unwrap_or_default().into_iter().flatten();
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        known.dedup();
        let what = format!("{} has no `{metric}` over time", run.folder.display());
        return Err(ReportError::missing(what, format!("it has {}", known.join(", "))));
    }
    let top = |line: &Line| line.y.iter().copied().fold(0.0, f64::max);
    let highest = lines.iter().map(top).fold(0.0, f64::max);
    Ok(lines.into_iter().filter(|line| top(line) >= highest * LOWEST).collect())
}

fn select(table: &Table, metric: &str, factor: f64) -> Vec<Line> {
    let texts = |name: &str| table.texts(name).unwrap_or_default();
    let (kinds, names, ues, metrics) = (texts("kind"), texts("name"), texts("ue"), texts("metric"));
    let numbers = |name: &str| table.numbers(name).unwrap_or_default();
    let (times, values) = (numbers("time_s"), numbers("value"));
    let mut lines: Vec<Line> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for row in (0..table.rows()).filter(|row| metrics[*row] == Some(metric)) {
        let (Some(time), Some(value)) = (times[row], values[row]) else { continue };
        let subject =
            subject(kinds[row].unwrap_or_default(), names[row].unwrap_or_default(), ues[row]);
        let place = *places.entry(subject).or_insert_with_key(|subject| {
            lines.push(Line { subject: subject.clone(), ..Line::default() });
            lines.len() - 1
        });
        lines[place].x.push(time);
        lines[place].y.push(value * factor);
    }
    lines
}

/// What a row is of, in words.
fn subject(kind: &str, name: &str, ue: Option<&str>) -> String {
    let of = ue.filter(|ue| !name.contains(ue)).map(|ue| format!(" of {ue}")).unwrap_or_default();
    match kind {
        "link" => format!("link {name}"),
        "bearer_down" => format!("bearer {name}{of}, down"),
        "bearer_up" => format!("bearer {name}{of}, up"),
        "cell_down" => format!("{name}, down"),
        "cell_up" => format!("{name}, up"),
        _ => name.to_owned(),
    }
}

/// The share of marked packets by flow, in percent.
fn marked(run: &Run) -> Result<Vec<Line>, ReportError> {
    let columns = ["flow", "leg", "ended_ns", "delivered", "ce"];
    let Some(table) = run.table("packets.parquet", &columns)? else {
        let what = format!("{} has no table of packets", run.folder.display());
        return Err(ReportError::missing(
            what,
            "set output.packets = true in the scenario and run again",
        ));
    };
    let (flows, legs) =
        (table.texts("flow").unwrap_or_default(), table.texts("leg").unwrap_or_default());
    let truths = |name: &str| table.truths(name).unwrap_or_default();
    let (delivered, ce) = (truths("delivered"), truths("ce"));
    let ended = table.numbers("ended_ns").unwrap_or_default();
    let mut counts: BTreeMap<(String, i64), (f64, f64)> = BTreeMap::new();
    for row in 0..table.rows() {
        if delivered[row] != Some(true) || legs[row] != Some("data") {
            continue;
        }
        let slot = (ended[row].unwrap_or(0.0) / 1e9 / MARKS_S).floor() as i64;
        let count = counts.entry((flows[row].unwrap_or_default().to_owned(), slot)).or_default();
        count.0 += f64::from(u8::from(ce[row] == Some(true)));
        count.1 += 1.0;
    }
    let mut lines: Vec<Line> = Vec::new();
    for ((flow, slot), (marked, all)) in counts {
        if lines.last().is_none_or(|line| line.subject != flow) {
            lines.push(Line { subject: flow, ..Line::default() });
        }
        if let Some(line) = lines.last_mut() {
            line.x.push((slot + 1) as f64 * MARKS_S);
            line.y.push(100.0 * marked / all);
        }
    }
    if lines.iter().all(|line| line.y.iter().all(|share| *share == 0.0)) {
        let what = format!("no packet of {} arrived marked", run.folder.display());
        let mend = "marks take a queue that marks (path.sgi.queue) and senders with ECN";
        return Err(ReportError::missing(what, mend));
    }
    Ok(lines)
}

#[cfg(test)]
#[path = "series_tests.rs"]
mod tests;
