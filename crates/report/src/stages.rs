//! Stages of packets: mean delay by stage and flow group.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, figure};
use airpath_results::FlowSummary;

use crate::words::{stage_colour, stage_in_words, stage_name};
use crate::{ReportError, Results, Run};

/// Stages in the order in which packets meet them, with their mean in milliseconds.
type Stages = Vec<(String, f64)>;

/// Stacked bars, one for each flow group of each run.
pub fn chart(results: &Results) -> Result<Chart, ReportError> {
    let Some(first) = results.runs.first() else {
        let what = "stages are in folders of runs, and these are campaigns";
        return Err(ReportError::missing(
            what,
            "run one arm: `airpath run DIR/arms/NAME.toml --out R`",
        ));
    };
    let mut bars: Vec<(String, Stages)> = Vec::new();
    for run in &results.runs {
        for (group, stages) in groups(run) {
            let name =
                if results.runs.len() > 1 { format!("{}: {group}", run.label) } else { group };
            bars.push((name, stages));
        }
    }
    if bars.is_empty() {
        let what = format!("{} has no packets that arrived", first.folder.path().display());
        return Err(ReportError::missing(what, "full buffers have none; add another flow"));
    }
    Ok(Chart {
        id: "stages".into(),
        title: "Where a packet's time goes".into(),
        sentence: sentence(&bars),
        panels: vec![Panel {
            x: Axis::new("mean one-way delay", "ms").from_zero(),
            y: Axis::category("flows", bars.iter().map(|(name, _)| name.clone())),
            layers: layers(&bars),
            ..Panel::default()
        }],
        ..Chart::default()
    })
}

fn layers(bars: &[(String, Stages)]) -> Vec<Layer> {
    let names: Vec<&String> = bars[0].1.iter().map(|(stage, _)| stage).collect();
    let lengths = |n: usize| bars.iter().map(move |(_, stages)| stages[n].1);
    let used = (0..names.len()).filter(|n| lengths(*n).any(|ms| ms > 0.0));
    let layer = |n: usize| {
        let series = Series::new(stage_name(names[n]), stage_colour(names[n]));
        Layer::new(&series, Mark::Bars { lengths: lengths(n).collect() })
            .meaning("mean over the data packets that arrived")
    };
    used.map(layer).collect()
}

fn sentence(bars: &[(String, Stages)]) -> String {
    let total = |stages: &Stages| stages.iter().map(|(_, ms)| ms).sum::<f64>();
    let slowest = bars.iter().max_by(|a, b| total(&a.1).total_cmp(&total(&b.1)));
    let Some((name, stages)) = slowest else { return String::new() };
    let Some((stage, ms)) = stages.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return String::new();
    };
    let whose = if bars.len() > 1 { "longest: " } else { "" };
    format!(
        "A packet of {name} takes {whose}{} ms on average, {} ms of it {}.",
        figure(total(stages)),
        figure(*ms),
        stage_in_words(stage)
    )
}

/// Mean time in each stage by flow group, over all packets of the group.
fn groups(run: &Run) -> Vec<(String, Stages)> {
    let mut groups: Vec<(String, Vec<&FlowSummary>)> = Vec::new();
    for flow in run.summary.flows.iter().filter(|flow| flow.stages_ms.iter().count() > 0) {
        let name = run.flow_group(flow);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, flows)) => flows.push(flow),
            None => groups.push((name, vec![flow])),
        }
    }
    groups.into_iter().map(|(name, flows)| (name, means(&flows))).collect()
}

fn means(flows: &[&FlowSummary]) -> Stages {
    let packets: f64 = flows.iter().map(|flow| flow.received_packets as f64).sum();
    let mean = |stage: &str| {
        let time = |flow: &&FlowSummary| {
            flow.stages_ms.get(stage).copied().unwrap_or(0.0) * flow.received_packets as f64
        };
        flows.iter().map(time).sum::<f64>() / packets.max(1.0)
    };
    flows[0].stages_ms.iter().map(|(stage, _)| (stage.to_owned(), mean(stage))).collect()
}
