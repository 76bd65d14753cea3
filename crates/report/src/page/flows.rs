//! The flows of a run: what limits each, a page of its own for each, and tables.

use std::collections::BTreeMap;

use airpath_plot::{Block, Card, Cards, Finding, Grid, Section, Tone, figure};
use airpath_results::FlowSummary;
use serde_json::{Value, json};

use super::limits::{Limit, limited};
use super::{folded, section};
use crate::Run;
use crate::words::counted;

/// More flows than this are told by what limits them.
const MOST: usize = 12;

/// What limits each flow, or how many are limited by what.
pub fn answer(run: &Run) -> Section {
    let flows = &run.summary.flows;
    let findings = if flows.len() > MOST { grouped(run) } else { single(run) };
    section("answer", "What limits each flow", vec![Block::Findings(findings)])
}

fn tone(limit: Limit) -> Tone {
    match limit {
        Limit::Application => Tone::Good,
        Limit::Nothing | Limit::Losses => Tone::Bad,
        Limit::FullCell | Limit::Radio | Limit::Link => Tone::Open,
        Limit::Marks | Limit::Sender => Tone::Plain,
    }
}

fn single(run: &Run) -> Vec<Finding> {
    let of = |flow: &FlowSummary| {
        let found = limited(&run.summary, flow);
        Finding {
            head: flow.name.clone(),
            badge: found.limit.word().into(),
            tone: tone(found.limit),
            text: format!("{} {}", found.rate, found.delay).trim().to_owned(),
            card: flow.name.clone(),
        }
    };
    run.summary.flows.iter().map(of).collect()
}

fn grouped(run: &Run) -> Vec<Finding> {
    let flows = &run.summary.flows;
    let mut groups: BTreeMap<Limit, Vec<&FlowSummary>> = BTreeMap::new();
    for flow in flows {
        groups.entry(limited(&run.summary, flow).limit).or_default().push(flow);
    }
    let of = |(limit, own): (Limit, Vec<&FlowSummary>)| {
        let delay = |flow: &&&FlowSummary| flow.delay_ms.as_ref().map_or(0.0, |delay| delay.p95);
        let worst = own.iter().max_by(|a, b| delay(a).total_cmp(&delay(b)));
        let worst = worst.map_or_else(String::new, |flow| {
            format!(
                " The slowest is {}, {} ms at the 95th percentile.",
                flow.name,
                figure(delay(&flow))
            )
        });
        Finding {
            head: counted(own.len(), "flow"),
            badge: limit.word().into(),
            tone: tone(limit),
            text: format!("of {} {}.{worst}", flows.len(), limit.sentence()),
            card: String::new(),
        }
    };
    groups.into_iter().map(of).collect()
}

/// A page of its own for each flow.
pub fn each(run: &Run) -> Section {
    let cards = run.summary.flows.iter().map(|flow| card(run, flow)).collect();
    folded("flow", "Flow by flow", vec![Block::Cards(Cards { each: "flow".into(), cards })])
}

fn card(run: &Run, flow: &FlowSummary) -> Card {
    let found = limited(&run.summary, flow);
    let ue = run.summary.ues.iter().find(|ue| Some(&ue.name) == flow.ue.as_ref());
    let cell = ue.and_then(|ue| ue.cell.clone());
    let delay = flow.delay_ms.as_ref();
    let ms = |value: Option<f64>| value.map(|ms| format!("{} ms", figure(ms)));
    let facts = [
        ("UE", flow.ue.clone()),
        ("cell", cell),
        ("goodput", flow.goodput_bps.map(|bps| format!("{} Mbit/s", figure(bps * 1e-6)))),
        ("delay, mean", ms(delay.map(|delay| delay.mean))),
        ("delay, 99th percentile", ms(delay.map(|delay| delay.p99))),
        ("packets lost", Some(flow.lost_packets.to_string())),
        ("packets marked", Some(flow.marks.to_string())),
    ];
    let stages: Vec<(String, f64)> =
        flow.stages_ms.iter().map(|(stage, ms)| (stage.to_owned(), *ms)).collect();
    let waits = stages.iter().any(|(_, ms)| *ms > 0.0);
    Card {
        name: flow.name.clone(),
        point: flow.ue.clone().unwrap_or_default(),
        said: vec![found.rate, found.delay],
        facts: facts.into_iter().filter_map(|(n, v)| Some((n.to_owned(), v?))).collect(),
        stages: if waits { vec![(flow.name.clone(), stages)] } else { Vec::new() },
        courses: Vec::new(),
    }
}

/// Tables of flows and cells.
pub fn tables(run: &Run) -> Section {
    let flow = |flow: &FlowSummary| {
        let found = limited(&run.summary, flow);
        let delay = flow.delay_ms.as_ref();
        vec![
            json!(flow.name),
            json!(flow.ue),
            json!(found.limit.word()),
            number(flow.goodput_bps.map(|bps| bps * 1e-6)),
            number(delay.map(|delay| delay.mean)),
            number(delay.map(|delay| delay.p95)),
            number(delay.map(|delay| delay.p99)),
            json!(flow.lost_packets),
            json!(flow.marks),
        ]
    };
    let flows = Grid {
        id: "flows".into(),
        title: "Flows".into(),
        columns: columns(&[
            "flow",
            "UE",
            "limited by",
            "goodput (Mbit/s)",
            "delay, mean (ms)",
            "delay, p95 (ms)",
            "delay, p99 (ms)",
            "packets lost",
            "packets marked",
        ]),
        rows: run.summary.flows.iter().map(flow).collect(),
        cards: Some(0),
        ..Grid::default()
    };
    let percent = |share: Option<f64>| number(share.map(|share| 100.0 * share));
    let cells = Grid {
        id: "cells".into(),
        title: "Cells".into(),
        columns: columns(&[
            "cell",
            "downlink used (%)",
            "uplink used (%)",
            "MCS, downlink",
            "SINR, downlink (dB)",
        ]),
        rows: run
            .summary
            .cells
            .iter()
            .map(|cell| {
                vec![
                    json!(cell.name),
                    percent(cell.utilisation),
                    percent(cell.utilisation_up),
                    number(cell.down.mean_mcs),
                    number(cell.down.mean_sinr_db),
                ]
            })
            .collect(),
        ..Grid::default()
    };
    let all = [flows, cells].into_iter().filter(|grid| !grid.rows.is_empty());
    folded("tables", "Tables", all.map(Block::Table).collect())
}

fn columns(titles: &[&str]) -> Vec<String> {
    titles.iter().map(|title| (*title).to_owned()).collect()
}

fn number(value: Option<f64>) -> Value {
    json!(value)
}
