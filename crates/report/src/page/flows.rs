//! The flows of a run: what limits each, a page of its own for each, and tables.

use std::collections::BTreeMap;

use airpath_plot::{
    Block, Card, CardCourse, CardStage, Cards, Finding, Grid, Section, Tone, figure,
};
use airpath_results::measures::{series_unit, unit};
use airpath_results::{
    CellSummary, FlowSummary, MediaSummary, MetricName, OutOfReach, RadioLinkSummary,
    reach_warnings,
};
use serde_json::{Value, json};

use super::limits::{Limit, limited};
use crate::Run;
use crate::series::Recorded;
use crate::words::{label, mean, shown, stage_colour, stage_name, with_unit};

/// Most flows whose limits are named one by one; more are counted by limit.
const MOST: usize = 12;
/// Buckets of a course on a flow's own page.
const BUCKETS: usize = 80;

/// Limit of each flow, or the number of flows by limit.
pub fn answer(run: &Run) -> Section {
    let flows = &run.summary.flows;
    let findings = if flows.len() > MOST { grouped(run) } else { single(run) };
    let all = [out_of_reach(run), findings, radio_links(run)].concat();
    Section::new("answer", "What limits each flow", vec![Block::Findings(all)])
}

/// UEs out of reach, by the way in which they are, links that fail too often, and UEs that HARQ limits. Then flows that gave up,
/// and bearers that carried nothing.
fn out_of_reach(run: &Run) -> Vec<Finding> {
    let finding = |text: String, badge: &str| Finding {
        head: "warning".into(),
        badge: badge.into(),
        tone: Tone::Bad,
        text: format!("{text}."),
        card: String::new(),
    };
    let reach = reach_warnings(&OutOfReach::of(&run.summary)).into_iter();
    let failing = run.summary.failing_links().into_iter();
    let unused = run.summary.unused_bearers().into_iter();
    let failing = failing.map(|text| finding(text, "errors"));
    let stalled = run.summary.stalled_ues().into_iter().map(|text| finding(text, "HARQ"));
    let reach = reach.map(|text| finding(text, "out of reach"));
    let moving = run.summary.kept_cells().into_iter().map(|text| finding(text, "handover"));
    let handovers = run.summary.events.handovers.iter().map(|all| Finding {
        head: "UEs that move".into(),
        tone: Tone::Open,
        ..finding(all.sentence(), "handover")
    });
    let moving = moving.chain(handovers);
    let given_up = run.summary.given_up_flows().map(|text| finding(text, "gave up"));
    let own = reach.chain(failing).chain(stalled).chain(given_up).chain(moving);
    own.chain(unused.map(|text| finding(text, "unused"))).collect()
}

/// UEs whose radio link failed, or their number if they are more than flows named one by one.
fn radio_links(run: &Run) -> Vec<Finding> {
    let failed = RadioLinkSummary::of_ues(&run.summary.ues, MOST).into_iter();
    let of = |(name, link): (String, RadioLinkSummary)| Finding {
        badge: "radio link failure".into(),
        tone: Tone::Bad,
        text: format!("The {}.", link.sentence(&name)),
        head: name,
        card: String::new(),
    };
    failed.map(of).collect()
}

fn tone(limit: Limit) -> Tone {
    match limit {
        Limit::Application => Tone::Good,
        Limit::Nothing | Limit::Losses => Tone::Bad,
        Limit::FullCell | Limit::Radio | Limit::Link => Tone::Open,
        Limit::Marks | Limit::Window | Limit::Sender => Tone::Plain,
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
    let mut groups: BTreeMap<(String, Limit), Vec<&FlowSummary>> = BTreeMap::new();
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for flow in &run.summary.flows {
        let group = run.flow_group(flow);
        *sizes.entry(group.clone()).or_default() += 1;
        let limit = limited(&run.summary, flow).limit;
        groups.entry((group, limit)).or_default().push(flow);
    }
    let of = |((group, limit), own): ((String, Limit), Vec<&FlowSummary>)| Finding {
        badge: limit.word().into(),
        tone: tone(limit),
        text: told(limit, &own, sizes[&group]),
        head: group,
        card: String::new(),
    };
    groups.into_iter().map(of).collect()
}

/// Limit of some of the `size` flows of a group, their rates, and the flow with the longest waits.
fn told(limit: Limit, own: &[&FlowSummary], size: usize) -> String {
    let who =
        if own.len() == size { format!("All {size}") } else { format!("{} of {size}", own.len()) };
    let rates: Vec<f64> = own.iter().filter_map(|flow| flow.goodput_bps).collect();
    let rate = mean(&rates).map_or_else(String::new, |bps| {
        format!(" They get {} on average.", with_unit(bps * 1e-6, "Mbit/s"))
    });
    let delay = |flow: &FlowSummary| flow.delay_ms.as_ref().map(|delay| delay.p95);
    let delays = own.iter().filter_map(|flow| Some((flow, delay(flow)?)));
    let worst = delays.max_by(|a, b| a.1.total_cmp(&b.1)).map_or_else(String::new, |(flow, ms)| {
        let ms = with_unit(ms, "ms");
        format!(" The slowest is {}, {ms} at the 95th percentile.", flow.name)
    });
    format!("{who} {}.{rate}{worst}", limit.sentence())
}

/// A page of its own for each flow.
pub fn each(run: &Run) -> Section {
    let cards = run.summary.flows.iter().map(|flow| card(run, flow)).collect();
    Section::new("flow", "Flow by flow", vec![Block::Cards(Cards { each: "flow".into(), cards })])
        .folded()
}

fn card(run: &Run, flow: &FlowSummary) -> Card {
    let found = limited(&run.summary, flow);
    let ue = run.summary.ues.iter().find(|ue| Some(&ue.name) == flow.ue.as_ref());
    let cell = ue.and_then(|ue| ue.cell.clone());
    let delay = flow.delay_ms.as_ref();
    let of = |[goodput, mean, _, p99]: [&str; 4]| {
        let value = |column: &str, value: Option<f64>| {
            let (factor, unit) = shown(unit(column));
            (label(column), value.map(|value| format!("{} {unit}", figure(value * factor))))
        };
        [
            value(goodput, flow.goodput_bps),
            value(mean, delay.map(|delay| delay.mean)),
            value(p99, delay.map(|delay| delay.p99)),
        ]
    };
    let names = [("UE".to_owned(), flow.ue.clone()), ("cell".to_owned(), cell)];
    let counts = [("packets lost", flow.lost_packets), ("packets marked", flow.marks)];
    let declared =
        flow.media.as_ref().into_iter().flat_map(|media| DECLARED.into_iter().zip(declared(media)));
    let counts = counts.into_iter().chain(declared);
    let counts = counts.map(|(name, count)| (name.to_owned(), Some(count.to_string())));
    let seen = FRAMES.into_iter().zip(frames(flow));
    let seen =
        seen.map(|((name, unit), value)| (name.to_owned(), value.map(|v| with_unit(v, unit))));
    let facts = names.into_iter().chain(of(FLOWS)).chain(seen).chain(counts);
    let stage = |(stage, ms): (&str, &f64)| CardStage {
        name: stage_name(stage).to_owned(),
        ms: *ms,
        colour: stage_colour(stage),
    };
    let stages: Vec<CardStage> = flow.stages_ms.iter().map(stage).collect();
    let waits = stages.iter().any(|stage| stage.ms > 0.0);
    Card {
        name: flow.name.clone(),
        point: flow.ue.clone().unwrap_or_default(),
        said: vec![found.rate, found.delay],
        facts: facts.filter_map(|(name, value)| Some((name, value?))).collect(),
        stages: if waits { vec![(flow.name.clone(), stages)] } else { Vec::new() },
        courses: courses(run, flow),
    }
}

/// Columns of `flows.parquet` in the table of flows, and those on the page of a flow.
const FLOWS: [&str; 4] = ["goodput_bps", "delay_mean_ms", "delay_p95_ms", "delay_p99_ms"];

/// Counts of packets that a sender of media declared lost.
const DECLARED: [&str; 2] = ["packets declared lost", "declared lost, but arrived"];

fn declared(media: &MediaSummary) -> [u64; 2] {
    [media.declared_lost_packets, media.declared_lost_arrived_packets]
}

/// Measures of frames that a viewer meets, with units.
const FRAMES: [(&str, &str); 6] = [
    ("within the time", "%"),
    ("frames late", ""),
    ("frames lost", ""),
    ("frozen", "%"),
    ("input to picture, mean", "ms"),
    ("input to picture, 95th percentile", "ms"),
];

/// Values of [`FRAMES`]; none that the flow does not have.
fn frames(flow: &FlowSummary) -> [Option<f64>; 6] {
    let percent = |share: Option<f64>| share.map(|share| 100.0 * share);
    let media = flow.media.as_ref();
    let input = media.and_then(|media| media.input_to_picture_ms.as_ref());
    [
        percent(flow.within_share),
        media.map(|media| media.frames_late as f64),
        media.map(|media| media.frames_lost as f64),
        percent(media.and_then(|media| media.frozen_share)),
        input.map(|delay| delay.mean),
        input.map(|delay| delay.p95),
    ]
}

/// Courses on the page of a flow: of the flow, and of its UE's bearers.
const COURSES: [(&str, &str); 4] = [
    ("in_order_goodput_bps", "goodput"),
    ("cwnd_bytes", "window"),
    ("srtt_ms", "RTT"),
    ("queue_delay_ms", "queue"),
];

fn courses(run: &Run, flow: &FlowSummary) -> Vec<CardCourse> {
    let Ok(Some(recorded)) = run.courses() else { return Vec::new() };
    let bearer = if flow.direction.as_deref() == Some("up") { "bearer_up" } else { "bearer_down" };
    let of = |(metric, title): (&str, &str)| {
        let (factor, unit) = shown(series_unit(metric));
        let title = format!("{title} ({unit})");
        let own = recorded.all.iter().filter(|one| {
            let flows = one.kind == "flow" && one.name == flow.name;
            one.metric == metric && (flows || (one.kind == bearer && one.ue == flow.ue))
        });
        let course = |one: &Recorded| {
            let (x, y) = extremes(&one.x, &one.y);
            let series = if one.kind == "flow" { &flow.name } else { &one.name };
            let y = y.into_iter().map(|y| Some(y * factor)).collect();
            CardCourse { series: series.clone(), title: title.clone(), x, y }
        };
        own.map(course).collect::<Vec<_>>()
    };
    COURSES.into_iter().flat_map(of).collect()
}

/// Of each of so many buckets the least and the greatest value, in order of time.
fn extremes(x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let size = y.len().div_ceil(BUCKETS).max(1);
    let mut kept: Vec<usize> = Vec::new();
    for start in (0..y.len()).step_by(size) {
        let all = start..(start + size).min(y.len());
        let least = all.clone().min_by(|a, b| y[*a].total_cmp(&y[*b])).unwrap_or(start);
        let most = all.max_by(|a, b| y[*a].total_cmp(&y[*b])).unwrap_or(start);
        kept.extend([least.min(most), least.max(most)]);
    }
    kept.dedup();
    (kept.iter().map(|n| x[*n]).collect(), kept.iter().map(|n| y[*n]).collect())
}

/// Tables of flows and cells.
pub fn tables(run: &Run) -> Section {
    let all = [flows(run), cells(run)].into_iter().filter(|grid| !grid.rows.is_empty());
    Section::new("tables", "Tables", all.map(Block::Table).collect()).folded()
}

/// Table of flows: cause of the limit, goodput, delay of packets, losses and marks, frames, and what senders
/// of media declared lost.
fn flows(run: &Run) -> Grid {
    let media = run.summary.flows.iter().any(|flow| flow.media.is_some());
    let has = |n: &usize| run.summary.flows.iter().any(|flow| frames(flow)[*n].is_some());
    let seen: Vec<usize> = (0..FRAMES.len()).filter(has).collect();
    let flow = |flow: &FlowSummary| {
        let found = limited(&run.summary, flow);
        let delay = flow.delay_ms.as_ref();
        let declared = flow.media.as_ref().map_or([None; 2], |media| declared(media).map(Some));
        let row = [
            json!(flow.name),
            json!(flow.ue),
            json!(found.limit.word()),
            number(flow.goodput_bps.map(|bps| bps * 1e-6)),
            number(delay.map(|delay| delay.mean)),
            number(delay.map(|delay| delay.p95)),
            number(delay.map(|delay| delay.p99)),
            json!(flow.lost_packets),
            json!(flow.marks),
        ];
        let declared = declared.into_iter().filter(|_| media).map(|count| json!(count));
        let frames = frames(flow);
        let frames = seen.iter().map(|n| number(frames[*n]));
        row.into_iter().chain(frames).chain(declared).collect::<Vec<_>>()
    };
    let columns = ["flow", "UE", "limited by"].map(str::to_owned).into_iter();
    let columns = columns.chain(FLOWS.map(title));
    let columns = columns.chain(["packets lost", "packets marked"].map(str::to_owned));
    let titled = |n: &usize| match FRAMES[*n] {
        (name, "") => name.to_owned(),
        (name, unit) => format!("{name} ({unit})"),
    };
    let columns = columns.chain(seen.iter().map(titled));
    let columns = columns.chain(DECLARED.into_iter().filter(|_| media).map(str::to_owned));
    let rows = run.summary.flows.iter().map(flow);
    Grid { cards: Some(0), ..Grid::new("flows", "Flows", columns, rows) }
}

/// Table of cells: utilisation of resource blocks, MCS and SINR; shares of layers where there are several, UEs in a resource block likewise.
fn cells(run: &Run) -> Grid {
    let percent = |share: Option<f64>| number(share.map(|share| 100.0 * share));
    let columns =
        ["cell", "downlink used (%)", "uplink used (%)", "MCS, downlink", "SINR, downlink (dB)"];
    let most = run.summary.cells.iter().filter_map(|cell| cell.down.layers.as_ref().map(Vec::len));
    let most = most.max().unwrap_or(0);
    let columns = columns.map(str::to_owned).into_iter();
    let columns = columns.chain((1..=most).map(|layers| format!("{layers} layers, downlink (%)")));
    let several = run.summary.cells.iter().any(|cell| cell.down.ues_per_resource_block.is_some());
    let shared = ["UEs in a resource block, downlink", "layers in a resource block, downlink"];
    let columns = columns.chain(shared.map(str::to_owned).into_iter().filter(|_| several));
    let cell = |cell: &CellSummary| {
        let shares = cell.down.layers.clone().unwrap_or(vec![1.0]);
        let share = |rank: usize| percent(shares.get(rank).copied().or(Some(0.0)));
        let own = vec![
            json!(cell.name),
            percent(cell.utilisation),
            percent(cell.utilisation_up),
            number(cell.down.mean_mcs),
            number(cell.down.mean_sinr_db),
        ];
        let down = &cell.down;
        let shared = [down.ues_per_resource_block, down.layers_per_resource_block];
        let shared = shared.into_iter().filter(|_| several).map(number);
        own.into_iter().chain((0..most).map(share)).chain(shared).collect::<Vec<_>>()
    };
    Grid::new("cells", "Cells", columns, run.summary.cells.iter().map(cell))
}

/// Title of a column of numbers: its quantity, statistic and unit.
fn title(column: &str) -> String {
    let MetricName { what, statistic, .. } = MetricName::of(column);
    let statistic = statistic.map(|statistic| format!(", {statistic}")).unwrap_or_default();
    format!("{what}{statistic} ({})", shown(unit(column)).1)
}

fn number(value: Option<f64>) -> Value {
    json!(value)
}

#[cfg(test)]
mod tests {
    use airpath_results::measures::is_declared;

    use super::*;

    #[test]
    fn quantities_are_declared() {
        let names = COURSES.iter().map(|(name, _)| name).chain(&FLOWS);
        names.for_each(|name| assert!(is_declared(name), "{name}"));
    }

    #[test]
    fn a_course_keeps_its_extremes() {
        let x: Vec<f64> = (0..10_000).map(f64::from).collect();
        let mut y: Vec<f64> = x.iter().map(|x| (x % 50.0) / 50.0).collect();
        (y[1234], y[7777]) = (9.0, -9.0);
        let (kept, values) = extremes(&x, &y);
        assert!(kept.len() <= 2 * BUCKETS && kept.is_sorted(), "{}", kept.len());
        let at = |time: f64| kept.iter().position(|x| *x == time).map(|n| values[n]);
        assert_eq!((at(1234.0), at(7777.0)), (Some(9.0), Some(-9.0)));
        assert_eq!(extremes(&x[..3], &[2.0, 1.0, 2.0]), (vec![0.0, 1.0, 2.0], vec![2.0, 1.0, 2.0]));
    }
}
