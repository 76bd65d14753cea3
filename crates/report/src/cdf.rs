//! Distributions: of packets, frames and requests of a run, of users, of runs of a campaign.

use airpath_base::measure::MS;
use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, capital};
use airpath_results::measures::unit;
use airpath_results::{Table, users};
use airpath_stats::percentile;

use crate::words::{label, shown, with_unit};
use crate::{ReportError, Results, Run};

/// Columns of the table of packets whose sum is the time in queues.
const QUEUES: [&str; 3] = ["wired_queue_ns", "pdcp_ns", "rlc_ns"];

/// Columns of the table of packets between which the packet lived.
const LIFE: [&str; 2] = ["born_ns", "ended_ns"];

/// Table and column with a row for each sample, in milliseconds.
type Of = (&'static str, &'static str);
const FRAMES: Of = ("frames.parquet", "delay_ms");
const REQUESTS: Of = ("requests.parquet", "duration_ms");

/// Measures of a campaign and of users, unless another is named.
const USUAL: [&str; 2] = ["queue_delay_p99_ms", "ip_delay_mean_ms"];

/// A tail takes so many samples.
const TAIL: usize = 100;

/// Samples of one series.
struct Samples {
    name: String,
    values: Vec<f64>,
}

/// Distributed quantity: label, unit, and meaning of a sample.
struct Measured {
    label: String,
    unit: String,
    each: &'static str,
}

/// A distribution function, and of delays the tail beside it.
pub fn chart(results: &Results, of: Option<&str>) -> Result<Chart, ReportError> {
    let of = of.map_or_else(|| default_for(results), str::to_owned);
    let (measured, samples) = match results.runs.is_empty() {
        false => of_runs(results, &of)?,
        true => of_campaigns(results, &of)?,
    };
    let samples: Vec<Samples> = samples.into_iter().filter(|s| !s.values.is_empty()).collect();
    if samples.is_empty() {
        let what = format!("nothing in these results has a value of `{of}`");
        return Err(ReportError::missing(what, "name another with --of"));
    }
    if samples.iter().all(|one| one.values.len() == 1) {
        let what = format!("one value of `{of}` is no distribution");
        let mend =
            "set output.packets = true in the scenario and run again, or name another with --of";
        return Err(ReportError::missing(what, mend));
    }
    let sentence = sentence(&measured, &samples);
    let title = capital(&format!("{}, distribution over {}s", measured.label, measured.each));
    Ok(Chart {
        id: "cdf".into(),
        title,
        sentence,
        panels: panels(&measured, &samples),
        columns: 2,
        ..Chart::default()
    })
}

fn default_for(results: &Results) -> String {
    let has = |name: &str| results.runs.iter().all(|run| run.folder.has(name));
    let of = match results.runs.is_empty() {
        true => USUAL[0],
        false if has("packets.parquet") => "packets",
        false if has("frames.parquet") => "frames",
        false if has("requests.parquet") => "requests",
        false => USUAL[1],
    };
    of.to_owned()
}

fn panels(measured: &Measured, samples: &[Samples]) -> Vec<Panel> {
    let layers = |mark: fn(&[f64]) -> Mark, least: usize| {
        let own = samples.iter().enumerate().filter(|(_, one)| one.values.len() >= least);
        let layer = |(n, one): (usize, &Samples)| {
            Layer::new(&Series::new(one.name.as_str(), n), mark(&one.values))
        };
        own.map(layer).collect::<Vec<_>>()
    };
    let below = format!("share of {}s that are not above", measured.each);
    let distribution = Panel {
        x: Axis::new(&measured.label, &measured.unit),
        y: Axis::new(&below, "").within(0.0, 1.0),
        layers: layers(Mark::ecdf, 1),
        ..Panel::default()
    };
    let positive = samples.iter().all(|one| one.values.iter().filter(|v| **v > 0.0).count() > 1);
    if measured.unit != MS.unit || !positive || samples.iter().all(|one| one.values.len() < TAIL) {
        return vec![distribution];
    }
    let above = format!("share of {}s that are above", measured.each);
    let tail = Panel {
        title: "tail".into(),
        x: Axis::log(&measured.label, &measured.unit),
        y: Axis::log(&above, ""),
        layers: layers(Mark::tail, TAIL),
        ..Panel::default()
    };
    vec![Panel { title: "distribution".into(), ..distribution }, tail]
}

fn sentence(measured: &Measured, samples: &[Samples]) -> String {
    let at = |one: &Samples, per_mille| percentile(&one.values, per_mille).unwrap_or(f64::NAN);
    let said = |one: &Samples| {
        let (median, high) = (at(one, 500), at(one, 950));
        let unit = &measured.unit;
        format!("{} {} and {}", one.name, with_unit(median, unit), with_unit(high, unit))
    };
    let all: Vec<String> = samples.iter().take(4).map(said).collect();
    let more = if samples.len() > 4 { "; and others" } else { "" };
    format!("Median and 95th percentile: {}{more}.", all.join("; "))
}

fn of_runs(results: &Results, of: &str) -> Result<(Measured, Vec<Samples>), ReportError> {
    let several = results.runs.len() > 1;
    let mut measured = Measured { label: String::new(), unit: MS.unit.into(), each: "packet" };
    let mut samples: Vec<Samples> = Vec::new();
    for run in &results.runs {
        let groups = match of {
            "packets" => {
                measured.label = "one-way delay".into();
                packets(run, &LIFE)?
            }
            "queue" => {
                measured.label = "time in queues".into();
                packets(run, &QUEUES)?
            }
            "frames" => {
                (measured.label, measured.each) = ("frame delay".into(), "frame");
                rows(run, FRAMES, "output.frames = true")?
            }
            "requests" => {
                (measured.label, measured.each) = ("time of a request".into(), "request");
                rows(run, REQUESTS, "an application that asks")?
            }
            measure => {
                measured = of_measure(measure)?;
                users(run, measure)?
            }
        };
        let named = |mut one: Samples| {
            one.name = if several { format!("{}: {}", run.label, one.name) } else { one.name };
            one
        };
        samples.extend(groups.into_iter().map(named));
    }
    Ok((measured, samples))
}

/// A measure of users.
fn of_measure(measure: &str) -> Result<Measured, ReportError> {
    let known: Vec<String> = users::measures().collect();
    if !known.iter().any(|name| name == measure) {
        let more = ["packets", "queue", "frames", "requests"];
        let names = more.into_iter().chain(known.iter().map(String::as_str));
        return Err(ReportError::unknown("distribution", measure, names));
    }
    let (_, unit) = shown(unit_of(measure));
    Ok(Measured { label: label(measure), unit: unit.into(), each: "user" })
}

/// The unit of a measure of users; empty for counts.
pub fn unit_of(measure: &str) -> &'static str {
    match unit(measure) {
        unit @ ("bit/s" | "ms" | "dB" | "1") => unit,
        _ => "",
    }
}

/// Times of the data packets that arrived, in milliseconds, by flow group. A time is the sum of
/// these columns, or the distance from the first to the second.
fn packets(run: &Run, columns: &[&str]) -> Result<Vec<Samples>, ReportError> {
    let all: Vec<&str> =
        ["flow", "leg", "delivered"].into_iter().chain(columns.iter().copied()).collect();
    let Some(table) = run.table("packets.parquet", &all)? else {
        let what = format!("{} has no table of packets", run.folder.path().display());
        let mend = "set output.packets = true in the scenario and run again, or name a measure of users with --of, as ip_delay_p99_ms";
        return Err(ReportError::missing(what, mend));
    };
    let numbers: Vec<_> =
        columns.iter().map(|name| table.numbers(name).unwrap_or_default()).collect();
    let legs = table.texts("leg").unwrap_or_default();
    let delivered = table.truths("delivered").unwrap_or_default();
    let time = |row: usize| {
        let arrived = delivered[row] == Some(true) && legs[row] == Some("data");
        let values = numbers.iter().map(|column| column[row].unwrap_or(0.0));
        let nanos = match columns {
            [_, _] => values.rev().reduce(|end, start| end - start),
            _ => values.reduce(|a, b| a + b),
        };
        nanos.filter(|_| arrived).map(|nanos| nanos / 1e6)
    };
    Ok(by_flow(run, &table, time))
}

/// A column of a table with a row for each frame or request, by flow group.
fn rows(run: &Run, (file, column): Of, key: &str) -> Result<Vec<Samples>, ReportError> {
    let Some(table) = run.table(file, &["flow", column])? else {
        let what = format!("{} has no {file}", run.folder.path().display());
        return Err(ReportError::missing(what, format!("it takes {key} in the scenario")));
    };
    let values = table.numbers(column).unwrap_or_default();
    Ok(by_flow(run, &table, |row| values[row]))
}

fn by_flow(run: &Run, table: &Table, value: impl Fn(usize) -> Option<f64>) -> Vec<Samples> {
    let group = |name: &str| {
        let flow = run.summary.flows.iter().find(|flow| flow.name == name);
        flow.map_or_else(|| name.to_owned(), |flow| run.flow_group(flow))
    };
    let flows = table.texts("flow").unwrap_or_default();
    // Names of flows repeat; each is looked up once.
    let mut places: Vec<(&str, usize)> = Vec::new();
    let mut samples: Vec<Samples> = Vec::new();
    for (row, name) in flows.iter().enumerate() {
        let Some(value) = value(row) else { continue };
        let name = name.unwrap_or_default();
        let place = match places.iter().find(|(known, _)| *known == name) {
            Some((_, place)) => *place,
            None => {
                let place = place_of(&mut samples, group(name));
                places.push((name, place));
                place
            }
        };
        samples[place].values.push(value);
    }
    samples
}

fn place_of(samples: &mut Vec<Samples>, name: String) -> usize {
    samples.iter().position(|one| one.name == name).unwrap_or_else(|| {
        samples.push(Samples { name, values: Vec::new() });
        samples.len() - 1
    })
}

/// A measure of the users of a run, by application and direction.
fn users(run: &Run, measure: &str) -> Result<Vec<Samples>, ReportError> {
    match run.table("users.parquet", &["application", "direction", measure])? {
        Some(table) => Ok(by_application(&table, measure, |_| Some(String::new()))),
        None => {
            let what = format!("{} has no table of users", run.folder.path().display());
            Err(ReportError::missing(what, "run again with this airpath"))
        }
    }
}

/// A measure by what `of_row` says, application and direction.
fn by_application(
    table: &Table,
    measure: &str,
    of_row: impl Fn(usize) -> Option<String>,
) -> Vec<Samples> {
    let texts = |name: &str| table.texts(name).unwrap_or_default();
    let (applications, directions) = (texts("application"), texts("direction"));
    let values = table.numbers(measure).unwrap_or_default();
    let (factor, _) = shown(unit_of(measure));
    let mut samples = Vec::new();
    for row in 0..table.rows() {
        let (Some(value), Some(front)) = (values[row], of_row(row)) else { continue };
        let name =
            [&front, applications[row].unwrap_or_default(), directions[row].unwrap_or_default()];
        let name =
            name.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" ");
        let place = place_of(&mut samples, name);
        samples[place].values.push(value * factor);
    }
    samples
}

/// Users of arms, or runs of arms.
fn of_campaigns(results: &Results, of: &str) -> Result<(Measured, Vec<Samples>), ReportError> {
    let several = results.campaigns.len() > 1;
    let of_users = users::measures().any(|name| name == of);
    let mut samples = Vec::new();
    let mut measured = None;
    for campaign in &results.campaigns {
        let name =
            |arm: &str| if several { format!("{}: {arm}", campaign.label) } else { arm.to_owned() };
        if of_users {
            let table = campaign.data.users(&[of])?;
            let arms = table.texts("arm").unwrap_or_default();
            let chosen: Vec<&str> = campaign.arms().map(|(_, arm)| arm.name.as_str()).collect();
            let of_row = |row: usize| arms[row].filter(|arm| chosen.contains(arm)).map(name);
            samples.extend(by_application(&table, of, of_row));
            continue;
        }
        for (arm, identity) in campaign.arms() {
            let runs = campaign.data.runs(arm, &[of])?;
            let unit = campaign.data.summary.metrics.get(of).map_or("", |doc| doc.unit.as_str());
            let (factor, unit) = shown(unit);
            measured = Some(Measured { label: label(of), unit: unit.into(), each: "run" });
            let values = runs.values.concat().into_iter().flatten().map(|v| v * factor).collect();
            samples.push(Samples { name: name(&identity.name), values });
        }
    }
    match measured {
        Some(measured) => Ok((measured, samples)),
        None => Ok((of_measure(of)?, samples)),
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::measure::NS;
    use airpath_results::measures::is_declared;

    use super::*;

    #[test]
    fn quantities_are_declared() {
        USUAL.iter().for_each(|name| assert!(is_declared(name), "{name}"));
        LIFE.iter().chain(&QUEUES).for_each(|name| assert_eq!(unit(name), NS.unit, "{name}"));
        [FRAMES, REQUESTS].iter().for_each(|(_, name)| assert_eq!(unit(name), MS.unit, "{name}"));
    }
}
