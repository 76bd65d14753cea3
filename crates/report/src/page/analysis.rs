//! The page of an analysis of captures, from the folder that `airpath analyse --out` wrote.

use std::collections::BTreeMap;

use airpath_plot::{
    Axis, Block, Chart, Finding, Grid, Layer, Mark, Page, Panel, Section, Series, figure, plural,
};
use airpath_results::{Folder, Table};
use airpath_stats::percentile;
use serde_json::{Value, json};

use crate::ReportError;
use crate::words::distinct;

/// Flows whose own sentence stands in the answer, and whose rates are drawn.
const LARGEST: usize = 8;
/// Rows that the table of flows has at most.
const MOST_ROWS: usize = 20_000;
/// The width of the windows of bandwidth that are drawn, in seconds.
const WIDTHS: [f64; 2] = [0.1, 1.0];
/// Flows that last longer are drawn by the wider windows, in seconds.
const LONG_S: f64 = 60.0;

/// A flow.
struct Flow {
    name: String,
    /// Client, port, server, port, start: what windows of bandwidth name it by.
    key: Key,
    protocol: String,
    application: String,
    /// None if a packet of it has no time.
    start_s: Option<f64>,
    duration_s: f64,
    verdict: Option<String>,
    sentence: Option<String>,
    /// Name of the server in the client's request (SNI).
    server_name: Option<String>,
    bytes: [f64; 2],
    rates_bps: [Option<f64>; 2],
    retransmissions: f64,
    handshake_ms: [Option<f64>; 2],
}

type Key = (String, i64, String, i64, i64);

/// True if a folder is of an analysis, by its `summary.json`.
pub fn is_one(summary: &Value) -> bool {
    summary.get("all_hosts").is_some() && summary.get("scenario").is_none()
}

/// The page of the analysis in a folder.
///
/// # Errors
///
/// If its tables cannot be read.
pub fn page(folder: &Folder) -> Result<Page, ReportError> {
    let text = folder.text("summary.json").unwrap_or_default();
    let summary: Value = serde_json::from_str(&text).unwrap_or_default();
    let mut flows = flows(folder)?;
    flows.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let block =
        |chart: Option<Chart>| -> Vec<Block> { chart.map(Block::from).into_iter().collect() };
    let answer = Block::Findings([links(&summary), answer(&flows)].concat());
    let rates = rates(folder, &flows)?;
    let mut sections = vec![
        Section::new("asked", "What was asked", vec![Block::Facts(facts(folder, &summary))]),
        Section::new("answer", "The answer: what slowed flows", vec![answer]),
        Section::new("rates", "Rates over time", block(rates)),
        Section::new("sizes", "Sizes and durations", block(sizes(&flows))),
        Section::new("handshakes", "Handshakes", block(handshakes(&flows))),
        Section::new("flows-part", "Flow by flow", vec![Block::Table(table(&flows))]).folded(),
    ];
    let empty = |block: &Block| matches!(block, Block::Findings(all) if all.is_empty());
    sections.retain(|section| !section.blocks.iter().all(empty));
    let mut names: Vec<String> =
        flows.iter().filter_map(|flow| flow.verdict.as_deref()).map(in_words).collect();
    names.sort();
    names.dedup();
    Ok(Page::new("Analysis", sections, names))
}

/// A verdict as people read it.
fn in_words(verdict: &str) -> String {
    verdict.replace('_', " ")
}

fn facts(folder: &Folder, summary: &Value) -> Vec<(String, String)> {
    let count = |key: &str| summary[key].as_u64().map(|count| count.to_string());
    let bytes = summary["bytes"].as_f64().map(|bytes| format!("{} MB", figure(bytes * 1e-6)));
    let facts = [
        ("folder", Some(folder.path().display().to_string())),
        ("packets", count("packets")),
        ("bytes", bytes),
        ("flows", count("flows")),
        ("packets that were not understood", count("undecoded").filter(|count| count != "0")),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn select(folder: &Folder, name: &str, columns: &[&str]) -> Result<Table, ReportError> {
    Ok(folder.table(name)?.select(columns)?)
}

fn texts(table: &Table, name: &str) -> Vec<Option<String>> {
    let values = table.texts(name).unwrap_or_default().into_iter();
    values.map(|text| text.map(str::to_owned)).collect()
}

fn keys(table: &Table, start: &str) -> Vec<Key> {
    let [clients, servers] = ["client", "server"].map(|name| texts(table, name));
    let number = |name: &str| -> Vec<i64> {
        let values = table.integers(name).unwrap_or_default().into_iter();
        values.map(|value| value.unwrap_or(0)).collect()
    };
    let [client_ports, server_ports, starts] = ["client_port", "server_port", start].map(number);
    let key = |row: usize| {
        let text = |all: &[Option<String>]| all[row].clone().unwrap_or_default();
        (text(&clients), client_ports[row], text(&servers), server_ports[row], starts[row])
    };
    (0..table.rows()).map(key).collect()
}

/// Texts of a flow.
const TEXTS: [&str; 5] = ["protocol", "application", "verdict", "sentence", "server_name"];
/// Its numbers.
const NUMBERS: [&str; 9] = [
    "duration_s",
    "up_bytes",
    "down_bytes",
    "up_rate_bps",
    "down_rate_bps",
    "up_retransmissions",
    "down_retransmissions",
    "handshake_rtt_client_side_ms",
    "handshake_rtt_server_side_ms",
];
/// Columns that identify a flow.
const KEY: [&str; 5] = ["client", "client_port", "server", "server_port", "start_ns"];

fn flows(folder: &Folder) -> Result<Vec<Flow>, ReportError> {
    let columns: Vec<&str> = KEY.into_iter().chain(TEXTS).chain(NUMBERS).collect();
    let table = select(folder, "flows.parquet", &columns)?;
    let [protocols, applications, verdicts, sentences, server_names] =
        TEXTS.map(|name| texts(&table, name));
    let all = NUMBERS.map(|name| table.numbers(name).unwrap_or_default());
    let keys = keys(&table, "start_ns");
    let starts = table.integers("start_ns").unwrap_or_default();
    let begin = starts.iter().flatten().min().copied().unwrap_or(0);
    let flow = |(row, key): (usize, Key)| {
        let number = |n: usize| all[n][row];
        let or_zero = |n: usize| number(n).unwrap_or(0.0);
        Flow {
            name: format!("{}:{} to {}:{}", key.0, key.1, key.2, key.3),
            start_s: starts[row].map(|start| (start - begin) as f64 / 1e9),
            protocol: protocols[row].clone().unwrap_or_default(),
            application: applications[row].clone().unwrap_or_default(),
            duration_s: or_zero(0),
            verdict: verdicts[row].clone(),
            server_name: server_names[row].clone(),
            sentence: sentences[row].clone(),
            bytes: [or_zero(1), or_zero(2)],
            rates_bps: [number(3), number(4)],
            retransmissions: or_zero(5) + or_zero(6),
            handshake_ms: [number(7), number(8)],
            key,
        }
    };
    Ok(keys.into_iter().enumerate().map(flow).collect())
}

fn size(flow: &Flow) -> f64 {
    flow.bytes[0] + flow.bytes[1]
}

/// Links that flows shared.
fn links(summary: &Value) -> Vec<Finding> {
    let link = |link: &Value| {
        let shared = link["flows"].as_array().map_or(0, Vec::len);
        Some(Finding {
            head: format!("link {}", link["number"].as_u64()?),
            badge: format!("shared by {shared} flows"),
            text: link["sentence"].as_str()?.to_owned(),
            ..Finding::default()
        })
    };
    summary["links"].as_array().into_iter().flatten().filter_map(link).take(LARGEST).collect()
}

/// Number of flows by verdict, and the verdicts of the largest.
fn answer(flows: &[Flow]) -> Vec<Finding> {
    let mut groups: BTreeMap<&str, Vec<&Flow>> = BTreeMap::new();
    for flow in flows {
        if let Some(verdict) = &flow.verdict {
            groups.entry(verdict).or_default().push(flow);
        }
    }
    let all: f64 = flows.iter().map(size).sum();
    let mut counted_by: Vec<(&str, Vec<&Flow>)> = groups.into_iter().collect();
    counted_by.sort_by_key(|(_, flows)| std::cmp::Reverse(flows.len()));
    let group = |(verdict, own): &(&str, Vec<&Flow>)| {
        let bytes: f64 = own.iter().copied().map(size).sum();
        let share = figure(100.0 * bytes / all.max(1.0));
        Finding {
            head: plural(own.len(), "flow"),
            badge: in_words(verdict),
            text: format!("with {share}% of all bytes."),
            ..Finding::default()
        }
    };
    let told = flows.iter().filter_map(|flow| {
        Some(Finding {
            head: flow.name.clone(),
            badge: flow.verdict.as_deref().map(in_words).unwrap_or_default(),
            text: flow.sentence.clone()?,
            ..Finding::default()
        })
    });
    counted_by.iter().map(group).chain(told.take(LARGEST)).collect()
}

/// Rates of the largest flows; none without recorded windows.
fn rates(folder: &Folder, flows: &[Flow]) -> Result<Option<Chart>, ReportError> {
    let large: Vec<&Flow> = flows.iter().take(LARGEST).collect();
    if large.is_empty() || !folder.has("bandwidth.parquet") {
        return Ok(None);
    }
    let longest = large.iter().map(|flow| flow.duration_s).fold(0.0, f64::max);
    let width = WIDTHS[usize::from(longest > LONG_S)];
    let begin = flows.iter().map(|flow| flow.key.4).min().unwrap_or(0) as f64;
    let layers = lines(folder, &large, width, begin)?;
    let sentence = format!(
        "The {} with most bytes, in windows of {width} s. The largest had {} MB in {} s.",
        plural(layers.len(), "flow"),
        figure(size(large[0]) * 1e-6),
        figure(large[0].duration_s)
    );
    Ok((!layers.is_empty()).then(|| Chart {
        id: "rates".into(),
        title: "Rates of the largest flows".into(),
        sentence,
        panels: vec![Panel {
            x: Axis::new("time", "s"),
            y: Axis::new("rate", "Mbit/s").from_zero(),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    }))
}

/// The rates of flows in the direction of most bytes, by windows of this width, over time since the
/// beginning in nanoseconds.
fn lines(
    folder: &Folder,
    flows: &[&Flow],
    width: f64,
    begin: f64,
) -> Result<Vec<Layer>, ReportError> {
    let key = ["client", "client_port", "server", "server_port", "flow_start_ns"];
    let columns: Vec<&str> =
        key.into_iter().chain(["direction", "start_ns", "width_s", "used_bps"]).collect();
    let table = select(folder, "bandwidth.parquet", &columns)?;
    let (keys, directions) = (keys(&table, "flow_start_ns"), texts(&table, "direction"));
    let [starts, widths, used] =
        ["start_ns", "width_s", "used_bps"].map(|name| table.numbers(name).unwrap_or_default());
    let mut layers = Vec::new();
    for (n, flow) in flows.iter().enumerate() {
        let way = if flow.bytes[1] >= flow.bytes[0] { "down" } else { "up" };
        let own = |row: &usize| {
            let same = keys[*row] == flow.key && widths[*row] == Some(width);
            same && directions[*row].as_deref() == Some(way)
        };
        let point = |row: usize| Some(((starts[row]? - begin) / 1e9 + width, used[row]? * 1e-6));
        let (x, y): (Vec<f64>, Vec<f64>) = (0..table.rows()).filter(own).filter_map(point).unzip();
        if !x.is_empty() {
            let series = Series::new(format!("{}, {way}", flow.name), n);
            layers.push(Layer::new(&series, Mark::line(x, y)));
        }
    }
    Ok(layers)
}

/// Bytes by duration, by verdict.
fn sizes(flows: &[Flow]) -> Option<Chart> {
    let of = |flow: &Flow| flow.verdict.clone().unwrap_or_else(|| "none".into());
    let known: Vec<String> = flows.iter().map(of).collect();
    let verdicts = distinct(known.iter().map(String::as_str));
    let layer = |(n, verdict): (usize, &&str)| {
        let own = flows.iter().zip(&known).filter(|(flow, known)| {
            known.as_str() == *verdict && flow.duration_s > 0.0 && size(flow) > 0.0
        });
        let (x, y) = own.map(|(flow, _)| (flow.duration_s, size(flow) * 1e-3)).unzip();
        let mark = Mark::Points { x, y, values: Vec::new(), names: Vec::new() };
        Layer::new(&Series::new(in_words(verdict), n), mark).meaning("point: a flow")
    };
    let layers: Vec<Layer> = verdicts.iter().enumerate().map(layer).collect();
    let sorted: Vec<f64> = flows.iter().map(size).collect();
    let median = percentile(&sorted, 500)?;
    // A single point shows nothing.
    if flows.len() < 2 {
        return None;
    }
    let sentence = format!(
        "{}: half of them have no more than {} kB, the largest {} kB.",
        plural(flows.len(), "flow"),
        figure(median * 1e-3),
        figure(sorted.iter().copied().fold(0.0, f64::max) * 1e-3)
    );
    Some(Chart {
        id: "sizes".into(),
        title: "Bytes of flows by their duration".into(),
        sentence,
        panels: vec![Panel {
            x: Axis::log("duration", "s"),
            y: Axis::log("bytes both ways", "kB"),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    })
}

/// Round trips of handshakes on both sides of where the capture was taken.
fn handshakes(flows: &[Flow]) -> Option<Chart> {
    let sides = ["towards the client", "towards the server"];
    let samples = [0, 1].map(|side: usize| {
        flows.iter().filter_map(|flow| flow.handshake_ms[side]).collect::<Vec<f64>>()
    });
    let layers: Vec<Layer> = sides
        .iter()
        .zip(&samples)
        .enumerate()
        .filter(|(_, (_, samples))| samples.len() > 1)
        .map(|(n, (side, samples))| Layer::new(&Series::new(*side, n), Mark::ecdf(samples)))
        .collect();
    let said: Vec<String> = sides
        .iter()
        .zip(&samples)
        .filter_map(|(side, samples)| {
            let at = |per_mille| percentile(samples, per_mille).map(figure);
            Some(format!("{side} {} and {} ms", at(500)?, at(950)?))
        })
        .collect();
    (!layers.is_empty()).then(|| Chart {
        id: "handshakes".into(),
        title: "Round trips of handshakes".into(),
        sentence: format!("Median and 95th percentile: {}.", said.join("; ")),
        panels: vec![Panel {
            x: Axis::new("round trip", "ms"),
            y: Axis::new("share of flows that are not above", "").within(0.0, 1.0),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    })
}

fn table(flows: &[Flow]) -> Grid {
    let columns = [
        "flow",
        "protocol",
        "application",
        "server name",
        "start (s)",
        "duration (s)",
        "up (kB)",
        "down (kB)",
        "rate up (Mbit/s)",
        "rate down (Mbit/s)",
        "sent again",
        "what slowed it",
        "in words",
    ];
    let row = |flow: &Flow| {
        let rate = |n: usize| json!(flow.rates_bps[n].map(|bps| bps * 1e-6));
        vec![
            json!(flow.name),
            json!(flow.protocol),
            json!(flow.application),
            json!(flow.server_name),
            json!(flow.start_s),
            json!(flow.start_s.map(|_| flow.duration_s)),
            json!(flow.bytes[0] * 1e-3),
            json!(flow.bytes[1] * 1e-3),
            rate(0),
            rate(1),
            json!(flow.retransmissions),
            json!(flow.verdict.as_deref().map(in_words)),
            json!(flow.sentence),
        ]
    };
    let sentence = match flows.len() {
        0..=MOST_ROWS => String::new(),
        all => format!("The {MOST_ROWS} of {all} flows with most bytes; flows.parquet has all."),
    };
    let rows = flows.iter().take(MOST_ROWS).map(row);
    Grid { sentence, ..Grid::new("flows", "Flows", columns, rows) }
}
