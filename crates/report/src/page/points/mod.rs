//! The page of flows at several points of their path, from the folder that
//! `airpath analyse --points --out` wrote.

mod over_time;
mod said;

use airpath_plot::{
    Axis, Block, Chart, Finding, Grid, Layer, Mark, Page, Panel, Section, Series, figure,
};
use airpath_results::Folder;
use serde_json::{Value, json};

use crate::ReportError;
use over_time::{Passed, Window, passed};

/// Rows that a table has at most.
const MOST_ROWS: usize = 20_000;
/// Names of the two bits of ECN.
const ECN: [&str; 4] = ["Not-ECT", "ECT(1)", "ECT(0)", "CE"];
/// Keys of a way in `summary.json`, and the headings of their columns.
const COUNTS: [(&str, &str); 6] = [
    ("sent", "sent"),
    ("lost", "lost"),
    ("duplicates", "twice"),
    ("reordered", "overtaken"),
    ("unknown", "not to be told"),
    ("only_behind", "seen behind only"),
];

/// True if a folder is of points, by its `summary.json`.
pub fn is_one(summary: &Value) -> bool {
    summary["pairs"].is_array()
}

/// The page of the points in a folder.
///
/// # Errors
///
/// If its tables cannot be read.
pub fn page(folder: &Folder) -> Result<Page, ReportError> {
    let text = folder.text("summary.json").unwrap_or_default();
    let summary: Value = serde_json::from_str(&text).unwrap_or_default();
    let pairs = summary["pairs"].as_array().map_or(&[][..], Vec::as_slice);
    let mut sections = Vec::new();
    for (n, pair) in pairs.iter().enumerate() {
        let ways = passed(folder, n, pair)?;
        sections.extend(of_pair(n, pair, &ways));
    }
    Ok(Page::new("Points of a path", sections, Vec::new()))
}

/// The sections of the `n`-th pair.
fn of_pair(n: usize, pair: &Value, ways: &[Passed; 2]) -> Vec<Section> {
    let id = |name: &str| format!("{name}-{n}");
    let [first, second] = names(pair);
    let charts = |charts: Vec<Option<Chart>>| -> Vec<Block> {
        charts.into_iter().flatten().map(Block::from).collect()
    };
    let delays = vec![delays(n, pair, ways), distribution(n, pair, ways)];
    vec![
        Section::new(id("pair"), format!("{first} and {second}"), vec![Block::Facts(facts(pair))]),
        Section::new(id("answer"), "The answer", vec![Block::Findings(answer(pair))]),
        Section::new(id("delay"), "Delay each way", charts(delays)),
        Section::new(id("loss"), "Losses and marks over time", charts(vec![losses(n, pair, ways)])),
        Section::new(id("marks"), "What became of DSCP and ECN", marks(n, pair)),
        Section::new(id("flows"), "Flow by flow", vec![Block::Table(flows(n, pair))]).folded(),
    ]
}

fn names(pair: &Value) -> [String; 2] {
    [0, 1].map(|n| pair["points"][n].as_str().unwrap_or("?").to_owned())
}

/// Names of the two directions.
fn ways_named(pair: &Value) -> [String; 2] {
    let [first, second] = names(pair);
    [format!("{first} to {second}"), format!("{second} to {first}")]
}

fn facts(pair: &Value) -> Vec<(String, String)> {
    let [first, second] = names(pair);
    let packets = |n: usize| format!("{} packets", pair["packets"][n]);
    let clock = &pair["clock"];
    let number = |key: &str| clock[key].as_f64().unwrap_or(0.0);
    let offset = number("offset_s");
    let removed = format!(
        "the second is {} s {} and drifts by {} ppm; taken out",
        figure(offset.abs()),
        if offset < 0.0 { "behind" } else { "ahead" },
        figure(number("drift_ppm"))
    );
    let clocks = match clock["basis"].as_str() {
        Some("one_clock") => "one, or taken for one".into(),
        Some("no_direction") => "not compared: no flow tells which point it passes first".into(),
        _ => removed,
    };
    let mut facts = vec![
        (first, packets(0)),
        (second, packets(1)),
        ("flows at both".into(), pair["common_flows"].to_string()),
        ("clocks".into(), clocks),
    ];
    let warnings = pair["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    facts.extend(warnings.map(|warning| ("warning".to_owned(), warning.to_owned())));
    facts
}

/// A sentence for each way.
fn answer(pair: &Value) -> Vec<Finding> {
    let one = |(n, head): (usize, String)| {
        let way = &pair["ways"][n];
        let number = |key: &str| way[key].as_u64().unwrap_or(0);
        let sent = number("sent");
        let lost = 100.0 * number("lost") as f64 / sent.max(1) as f64;
        let delay = |key: &str| way["delay_ms"][key].as_f64().map(figure);
        let took = match (delay("p50"), delay("min"), delay("p99")) {
            (Some(median), Some(least), Some(most)) => format!(
                "The others take {median} ms in the median, {least} ms at least, and 99% of them \
                 no more than {most} ms."
            ),
            _ => "No delay is known.".into(),
        };
        let marked = number_of(&way["marks"], "ce_marked");
        let marked = if marked > 0 { format!(" {marked} were marked CE.") } else { String::new() };
        let text = format!(
            "Of {sent} packets {} ({}%) are lost. {took}{marked}",
            number("lost"),
            figure(lost)
        );
        Finding { head, text, ..Finding::default() }
    };
    let sent = |(n, _): &(usize, String)| number_of(&pair["ways"][*n], "sent") > 0;
    ways_named(pair).into_iter().enumerate().filter(sent).map(one).collect()
}

fn number_of(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

/// Delays over time: their mean in each window, and from the least to the greatest.
fn delays(n: usize, pair: &Value, ways: &[Passed; 2]) -> Option<Chart> {
    let mut layers = Vec::new();
    for (k, (name, way)) in ways_named(pair).iter().zip(ways).enumerate() {
        let of = |get: fn(&Window) -> Option<f64>| way.windows.iter().map(get).collect::<Vec<_>>();
        if way.delays.is_empty() {
            continue;
        }
        let (x, series) = (way.times(), Series::new(name, k));
        let (low, high) = (of(Window::least), of(Window::most));
        layers.push(
            Layer::new(&series, Mark::Band { x: x.clone(), low, high })
                .meaning("band: from the least to the greatest delay in a window"),
        );
        let line = Mark::Line { x, y: of(Window::mean), steps: false, points: false };
        layers.push(Layer::new(&series, line).meaning("line: their mean"));
    }
    (!layers.is_empty()).then(|| Chart {
        id: format!("delays-{n}"),
        title: "One-way delay over time".into(),
        sentence: said::delays(&ways_named(pair), ways),
        panels: vec![Panel {
            x: Axis::new("time since the first packet", "s"),
            y: Axis::new("one-way delay", "ms").from_zero(),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    })
}

/// The distribution of delays each way.
fn distribution(n: usize, pair: &Value, ways: &[Passed; 2]) -> Option<Chart> {
    let names = ways_named(pair);
    let drawn = names.iter().zip(ways).enumerate().filter(|(_, (_, way))| !way.delays.is_empty());
    let layers: Vec<Layer> = drawn
        .map(|(k, (name, way))| Layer::new(&Series::new(name, k), Mark::ecdf(way.delays.values())))
        .collect();
    (!layers.is_empty()).then(|| Chart {
        id: format!("distribution-{n}"),
        title: "Distribution of one-way delays".into(),
        sentence: said::distribution(&names, ways),
        panels: vec![Panel {
            x: Axis::new("one-way delay", "ms"),
            y: Axis::new("share of packets that are not above", "").within(0.0, 1.0),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    })
}

/// Shares of packets that were lost, and that were marked CE, over time; none where neither is.
fn losses(n: usize, pair: &Value, ways: &[Passed; 2]) -> Option<Chart> {
    let panel = |title: &str, label: &str, get: fn(&Window) -> u64| {
        let named = ways_named(pair);
        let drawn = named.iter().zip(ways).enumerate();
        let line = |(k, (name, way)): (usize, (&String, &Passed))| {
            let share = |w: &Window| (w.sent > 0).then(|| 100.0 * get(w) as f64 / w.sent as f64);
            let y: Vec<Option<f64>> = way.windows.iter().map(share).collect();
            let some = way.windows.iter().any(|window| get(window) > 0);
            let mark = Mark::Line { x: way.times(), y, steps: false, points: false };
            some.then(|| Layer::new(&Series::new(name, k), mark))
        };
        let layers: Vec<Layer> = drawn.filter_map(line).collect();
        (!layers.is_empty()).then(|| Panel {
            title: title.into(),
            x: Axis::new("time since the first packet", "s"),
            y: Axis::new(label, "%").from_zero(),
            layers,
            ..Panel::default()
        })
    };
    let panels: Vec<Panel> = [
        panel("Losses", "lost packets", |window| window.lost),
        panel("Marks", "packets marked CE", |window| window.marked),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!panels.is_empty()).then(|| Chart {
        id: format!("losses-{n}"),
        title: "Losses and congestion marks over time".into(),
        sentence: said::losses(&ways_named(pair), ways),
        panels,
        shared_x: true,
        ..Chart::default()
    })
}

/// Changes of DSCP and ECN; nothing without one.
fn marks(n: usize, pair: &Value) -> Vec<Block> {
    let mut rows = Vec::new();
    for (k, name) in ways_named(pair).iter().enumerate() {
        let changes = pair["ways"][k]["marks"]["changes"].as_array();
        for change in changes.into_iter().flatten() {
            let ecn = |end: usize| ECN[(change["ecn"][end].as_u64().unwrap_or(0) & 3) as usize];
            let dscp = |end: usize| change["dscp"][end].clone();
            let packets = change["packets"].clone();
            rows.push(vec![json!(name), dscp(0), dscp(1), json!(ecn(0)), json!(ecn(1)), packets]);
        }
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let columns = ["way", "DSCP before", "DSCP behind", "ECN before", "ECN behind", "packets"];
    vec![Block::Table(Grid::new(
        format!("changes-{n}"),
        "Changes between the points",
        columns,
        rows,
    ))]
}

/// A row for each flow and direction.
fn flows(n: usize, pair: &Value) -> Grid {
    let all = pair["flows"].as_array().map_or(&[][..], Vec::as_slice);
    let counts = COUNTS.map(|(_, heading)| heading);
    let delays = ["least delay (ms)", "median (ms)", "99% (ms)", "greatest (ms)"];
    let columns = ["client", "server", "protocol", "direction"].into_iter().chain(counts);
    let row = |(flow, direction): (&Value, &str)| {
        let way = &flow[direction];
        let head = ["client", "server", "protocol"].map(|key| flow[key].clone());
        let delay = ["min", "p50", "p99", "max"].map(|key| way["delay_ms"][key].clone());
        let counts = COUNTS.map(|(key, _)| way[key].clone());
        head.into_iter().chain([json!(direction)]).chain(counts).chain(delay).collect()
    };
    let rows = all.iter().flat_map(|flow| [(flow, "up"), (flow, "down")]);
    let sentence = match 2 * all.len() > MOST_ROWS {
        true => format!("The first {} flows; flows.parquet has all.", MOST_ROWS / 2),
        false => String::new(),
    };
    let (id, rows) = (format!("flows-of-{n}"), rows.take(MOST_ROWS).map(row));
    Grid { sentence, ..Grid::new(id, "Flows at both points", columns.chain(delays), rows) }
}
