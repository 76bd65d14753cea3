//! Stages of packets: mean delay by stage and flow group.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, figure};
use airpath_results::FlowSummary;

use crate::words::{distinct, stage_colour, stage_in_words, stage_name};
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
    // Flows and runs need not have the same stages.
    let names = distinct(bars.iter().flat_map(|(_, stages)| stages).map(|(stage, _)| &**stage));
    let length = |stages: &Stages, name: &str| {
        stages.iter().find(|(stage, _)| stage == name).map_or(0.0, |(_, ms)| *ms)
    };
    let layer = |name: &str| {
        let lengths: Vec<f64> = bars.iter().map(|(_, stages)| length(stages, name)).collect();
        let series = Series::new(stage_name(name), stage_colour(name));
        let used = lengths.iter().any(|ms| *ms > 0.0);
        let layer = Layer::new(&series, Mark::Bars { lengths });
        used.then(|| layer.meaning("mean over the data packets that arrived"))
    };
    names.into_iter().filter_map(layer).collect()
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
    let names = distinct(flows.iter().flat_map(|flow| flow.stages_ms.iter()).map(|(name, _)| name));
    names.into_iter().map(|stage| (stage.to_owned(), mean(stage))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_need_not_have_the_same_stages() {
        let bar = |stages: &[(&str, f64)]| {
            stages.iter().map(|(name, ms)| ((*name).to_owned(), *ms)).collect::<Stages>()
        };
        let bars = [
            ("resting".to_owned(), bar(&[("wired", 2.0), ("rlc", 3.0)])),
            ("moving".to_owned(), bar(&[("wired", 0.0), ("rlc", 1.0), ("handover", 5.0)])),
        ];
        let found: Vec<Mark> = layers(&bars).into_iter().map(|layer| layer.mark).collect();
        let expected = [[2.0, 0.0], [3.0, 1.0], [0.0, 5.0]];
        let expected = expected.map(|lengths| Mark::Bars { lengths: lengths.to_vec() });
        assert_eq!(found, expected);
    }
}
