//! Courses from the tables of a run.

use std::collections::{BTreeMap, BTreeSet};

use airpath_results::measures::series_unit;
use airpath_results::{Table, UeGroups};

use super::Line;
use crate::{ReportError, Run, load};

/// Share of the highest that a drawn line reaches at least once.
const LOWEST: f64 = 1e-3;
/// Interval of marks over time.
const MARKS_S: f64 = 0.1;

/// Records of a run over time: one entry for each subject and metric.
#[derive(Clone, Debug, Default)]
pub struct Courses {
    /// In the order of the table.
    pub all: Vec<Recorded>,
    places: BTreeMap<[String; 4], usize>,
}

/// A metric of a subject over time.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// `flow`, `bearer_down`, …
    pub kind: String,
    /// Name of the flow, bearer, cell or link.
    pub name: String,
    /// UE of a flow or bearer.
    pub ue: Option<String>,
    /// Recorded metric.
    pub metric: String,
    /// Ends of intervals in seconds.
    pub x: Vec<f64>,
    /// Values.
    pub y: Vec<f64>,
}

impl Courses {
    /// Those of a run, part by part of its table; none if it recorded none.
    pub fn of(run: &Run) -> Result<Option<Courses>, ReportError> {
        if !run.folder.has("series.parquet") {
            return Ok(None);
        }
        let reader = run.folder.table("series.parquet")?;
        let mut all = Courses::default();
        for part in 0..reader.parts() {
            all.add(&reader.part(part, &["time_s", "kind", "name", "ue", "metric", "value"])?);
        }
        Ok(Some(all))
    }

    /// Subjects of courses beside flows, each once, in the order of the table.
    pub fn subjects(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let own = self.all.iter().filter(|one| one.kind != "flow");
        let names = own.map(|one| subject(&one.kind, &one.name, one.ue.as_deref()));
        names.filter(|name| seen.insert(name.clone())).collect()
    }

    pub fn add(&mut self, table: &Table) {
        let texts = |name: &str| table.texts(name).unwrap_or_default();
        let numbers = |name: &str| table.numbers(name).unwrap_or_default();
        let columns = ["kind", "name", "ue", "metric"].map(texts);
        let (times, values) = (numbers("time_s"), numbers("value"));
        let mut place = 0;
        for row in 0..table.rows() {
            let (Some(time), Some(value)) = (times[row], values[row]) else { continue };
            place = self.place(place, [0, 1, 2, 3].map(|n: usize| columns[n][row]));
            self.all[place].x.push(time);
            self.all[place].y.push(value);
        }
    }

    /// Index of the entry of a row. Rows come interval by interval, in each in the same order, so
    /// mostly it is the entry after the last row's.
    fn place(&mut self, last: usize, key: [Option<&str>; 4]) -> usize {
        let next = if last + 1 < self.all.len() { last + 1 } else { 0 };
        if self.all.get(next).is_some_and(|one| one.is(key)) {
            return next;
        }
        let owned = key.map(|text| text.unwrap_or_default().to_owned());
        if let Some(place) = self.places.get(&owned) {
            return *place;
        }
        let [kind, name, _, metric] = owned.clone();
        let ue = key[2].map(str::to_owned);
        self.all.push(Recorded { kind, name, ue, metric, ..Recorded::default() });
        self.places.insert(owned, self.all.len() - 1);
        self.all.len() - 1
    }
}

impl Recorded {
    /// True if it is of this kind, name, UE and metric.
    fn is(&self, [kind, name, ue, metric]: [Option<&str>; 4]) -> bool {
        let own =
            [Some(self.kind.as_str()), Some(&self.name), self.ue.as_deref(), Some(&self.metric)];
        own == [kind, name, ue, metric]
    }
}

/// The courses of a metric in a run, without those that are next to nothing beside the highest.
pub fn lines(run: &Run, metric: &str, factor: f64) -> Result<Vec<Line>, ReportError> {
    let Some(courses) = run.courses()? else {
        let what = format!("{} has no courses over time", run.folder.path().display());
        return Err(ReportError::missing(
            what,
            "set output.series = \"100 ms\" in the scenario and run again, as `airpath run SCENARIO --set output.series=\"100 ms\" --out DIR`",
        ));
    };
    let groups = Groups::of(run);
    let lines = select(courses, metric, factor, &|one| groups.of_course(one));
    if lines.is_empty() {
        let mut known: Vec<&str> = courses.all.iter().map(|one| one.metric.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        let what = format!("{} has no `{metric}` over time", run.folder.path().display());
        return Err(ReportError::missing(what, format!("it has {}", known.join(", "))));
    }
    let top = |line: &Line| line.y.iter().copied().fold(0.0, f64::max);
    let highest = lines.iter().map(top).fold(0.0, f64::max);
    // Of decibels nothing is next to nothing.
    let seen = |line: &Line| series_unit(metric) == "dB" || top(line) >= highest * LOWEST;
    Ok(lines.into_iter().filter(seen).collect())
}

/// The share of its resource blocks that each cell uses, in percent.
pub fn used(run: &Run) -> Result<Vec<Line>, ReportError> {
    let ways = [("cell_down", ", down"), ("cell_up", ", up")];
    let rates = ways.map(|(kind, end)| (end, load::blocks_per_second(&run.summary, kind)));
    let mut lines = lines(run, "resource_blocks", 1.0)?;
    for line in &mut lines {
        let own = rates.iter().find(|(end, _)| line.subject.ends_with(end));
        let Some(rate) = own.and_then(|(_, rate)| *rate) else { continue };
        let mut before = 0.0;
        for (x, y) in line.x.iter().zip(&mut line.y) {
            *y = 100.0 * *y / (rate * (x - before));
            before = *x;
        }
    }
    Ok(lines)
}

/// Groups of subjects in crowded pictures.
struct Groups<'a> {
    ues: UeGroups,
    flows: BTreeMap<&'a str, String>,
}

impl Groups<'_> {
    fn of(run: &Run) -> Groups<'_> {
        let flows = run.summary.flows.iter();
        let flows = flows.map(|flow| (flow.name.as_str(), run.flow_group(flow))).collect();
        Groups { ues: run.groups(), flows }
    }

    fn of_flow(&self, name: &str) -> String {
        self.flows.get(name).map_or_else(|| name.to_owned(), String::clone)
    }

    fn of_course(&self, one: &Recorded) -> String {
        let end = if one.kind.ends_with("_up") { "up" } else { "down" };
        match (one.kind.as_str(), one.ue.as_deref()) {
            ("flow", _) => self.of_flow(&one.name),
            ("cell_down" | "cell_up", _) => format!("cells, {end}"),
            ("link", _) => "links".to_owned(),
            (_, Some(ue)) => format!("bearers of {}, {end}", self.ues.name(ue)),
            _ => format!("bearers, {end}"),
        }
    }
}

pub fn select(
    courses: &Courses,
    metric: &str,
    factor: f64,
    group: &dyn Fn(&Recorded) -> String,
) -> Vec<Line> {
    let own = courses.all.iter().filter(|one| one.metric == metric);
    let line = |one: &Recorded| Line {
        subject: subject(&one.kind, &one.name, one.ue.as_deref()),
        group: group(one),
        x: one.x.clone(),
        y: one.y.iter().map(|y| y * factor).collect(),
    };
    own.map(line).collect()
}

/// Subject of a row in words.
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
pub fn marked(run: &Run) -> Result<Vec<Line>, ReportError> {
    let columns = ["flow", "leg", "ended_ns", "delivered", "ce"];
    let Some(table) = run.table("packets.parquet", &columns)? else {
        let what = format!("{} has no table of packets", run.folder.path().display());
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
    let groups = Groups::of(run);
    let mut lines: Vec<Line> = Vec::new();
    for ((flow, slot), (marked, all)) in counts {
        if lines.last().is_none_or(|line| line.subject != flow) {
            let group = groups.of_flow(&flow);
            lines.push(Line { subject: flow, group, ..Line::default() });
        }
        if let Some(line) = lines.last_mut() {
            line.x.push((slot + 1) as f64 * MARKS_S);
            line.y.push(100.0 * marked / all);
        }
    }
    if lines.iter().all(|line| line.y.iter().all(|share| *share == 0.0)) {
        let what = format!("no packet of {} arrived marked", run.folder.path().display());
        let mend = "marks take a queue that marks (path.sgi.queue) and senders with ECN";
        return Err(ReportError::missing(what, mend));
    }
    Ok(lines)
}
