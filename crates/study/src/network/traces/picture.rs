//! Pictures of traces.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series};

use super::{Picture, Spec, Trace};
use crate::{Study, StudyError};

/// The pictures of a study's traces; their ids are the names of the files. One of which nothing was
/// traced is left out.
///
/// # Errors
///
/// If the study's data are wrong.
pub fn trace_pictures(study: &Study, traces: &[Trace]) -> Result<Vec<Chart>, StudyError> {
    let pictures = Spec::of(study)?.pictures;
    Ok(pictures.iter().filter_map(|picture| chart(&study.name, picture, traces)).collect())
}

fn chart(study: &str, picture: &Picture, traces: &[Trace]) -> Option<Chart> {
    let panels: Vec<Panel> =
        picture.metrics.iter().filter_map(|metric| panel(picture, metric, traces)).collect();
    (!panels.is_empty()).then(|| Chart {
        id: format!("{study}-{}", picture.id),
        title: picture.title.clone(),
        sentence: sentence(picture, traces),
        panels,
        columns: 1,
        shared_x: true,
    })
}

/// Label, unit, and by what values are divided.
fn known(metric: &str) -> (&str, &'static str, f64) {
    match metric {
        "transmitted_bps" => ("transmitted rate", "Mbit/s", 1e6),
        "rtp_queue_ms" => ("RTP delay", "ms", 1.0),
        "network_queue_ms" => ("network queue delay", "ms", 1.0),
        "frame_delay_ms" => ("video frame delay", "ms", 1.0),
        _ => (metric, "", 1.0),
    }
}

/// The lines of a picture with their names: those of arms, or of users if they are of one arm.
fn lines<'a>(picture: &'a Picture, metric: &str, traces: &'a [Trace]) -> Vec<(String, &'a Trace)> {
    let mut lines = Vec::new();
    for (arm, user) in
        picture.arms.iter().flat_map(|arm| picture.users.iter().map(move |u| (arm, u)))
    {
        let same =
            |trace: &&Trace| trace.arm == *arm && trace.position == *user && trace.metric == metric;
        let name = match (picture.arms.len(), picture.users.len()) {
            (_, 1) => arm.clone(),
            (1, _) => user.clone(),
            _ => format!("{arm}, {user}"),
        };
        lines.extend(traces.iter().find(same).map(|trace| (name, trace)));
    }
    lines
}

fn panel(picture: &Picture, metric: &str, traces: &[Trace]) -> Option<Panel> {
    let (label, unit, divide) = known(metric);
    let lines = lines(picture, metric, traces);
    let layer = |(n, (name, trace)): (usize, &(String, &Trace))| {
        let x = trace.points.iter().map(|(time, _)| *time).collect();
        let y = trace.points.iter().map(|(_, value)| Some(value / divide)).collect();
        Layer::new(&Series::new(name, n), Mark::Line { x, y, steps: false, points: false })
    };
    (!lines.is_empty()).then(|| Panel {
        x: Axis::new("time", "s"),
        y: Axis::new(label, unit).from_zero(),
        layers: lines.iter().enumerate().map(layer).collect(),
        ..Panel::default()
    })
}

/// Means over time.
fn sentence(picture: &Picture, traces: &[Trace]) -> String {
    let of = |metric: &String| {
        let (label, unit, divide) = known(metric);
        let means = lines(picture, metric, traces).into_iter().map(|(name, trace)| {
            let sum: f64 = trace.points.iter().map(|(_, value)| value / divide).sum();
            format!("{name} {}", airpath_plot::figure(sum / trace.points.len().max(1) as f64))
        });
        format!("mean {label} in {unit}: {}", means.collect::<Vec<_>>().join(", "))
    };
    let all: Vec<String> = picture.metrics.iter().map(of).collect();
    format!("{}; {}.", picture.title, all.join("; "))
}
