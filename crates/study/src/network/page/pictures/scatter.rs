//! Users as points: rate over SINR, and rate with L4S over rate without (appendix A.2).

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, figure};

use super::list::{OfUsers, Points};
use crate::network::{Data, Run};

/// The chart; none if nothing of it was made.
pub(super) fn chart(data: &Data, picture: &OfUsers) -> Option<Chart> {
    let chart = match &picture.points {
        Points::Sinr { arms, load } => by_sinr(data, arms, *load, picture),
        Points::Rate { arms, loads, labels } => by_rate(data, [arms, labels], loads, picture),
    }?;
    let panels = chart.panels.into_iter().enumerate().map(|(n, panel)| Panel {
        title: format!("({}) {}", char::from(b'a' + n as u8), panel.title),
        ..panel
    });
    let panels: Vec<Panel> = panels.collect();
    (!panels.is_empty()).then_some(Chart { panels, columns: 2, ..chart })
}

/// Users' rates over their SINR.
fn by_sinr(data: &Data, arms: &[String], wanted: u32, picture: &OfUsers) -> Option<Chart> {
    // The next higher load replaces one that was not made, as in the short form.
    let load = data.loads(arms.first()?).into_iter().find(|load| *load >= wanted)?;
    let made = arms
        .iter()
        .filter_map(|arm| Some((arm.replace('/', ", "), users(data, data.arm(arm, load)?)?)));
    let made: Vec<(String, Vec<[f64; 2]>)> = made.collect();
    let most = made.iter().flat_map(|(_, users)| users).map(|user| user[1]).fold(0.0, f64::max);
    let panel = |(n, (name, users)): (usize, &(String, Vec<[f64; 2]>))| Panel {
        title: name.clone(),
        x: Axis::new("SINR", "dB"),
        y: Axis::new("transmitted rate", "Mbit/s").within(0.0, most * 1.05),
        layers: vec![layer(name, n, users)],
        ..Panel::default()
    };
    Some(Chart {
        title: format!("{}, {load} video users", picture.title),
        sentence: format!(
            "Transmitted rate over SINR, a point for each video user at {load} video users, {}. \
             Rates reach {} Mbit/s.",
            picture.figures,
            figure(most)
        ),
        panels: made.iter().enumerate().map(panel).collect(),
        shared_x: true,
        ..Chart::default()
    })
}

/// Users' rates in the second arm over those in the first.
fn by_rate(
    data: &Data,
    [arms, labels]: [&[String; 2]; 2],
    loads: &[u32],
    picture: &OfUsers,
) -> Option<Chart> {
    let panels = loads.iter().filter_map(|load| panel_of_rates(data, [arms, labels], *load));
    Some(Chart {
        title: picture.title.clone(),
        sentence: format!(
            "A point for each video user: its transmitted rate with L4S over that without, \
             round robin, {}. On the line they are equal.",
            picture.figures
        ),
        panels: panels.collect(),
        ..Chart::default()
    })
}

fn panel_of_rates(data: &Data, [arms, labels]: [&[String; 2]; 2], load: u32) -> Option<Panel> {
    let (without, with) = (data.arm(&arms[0], load)?, data.arm(&arms[1], load)?);
    let rate = data.kpi("rate")?;
    let pairs = crate::network::data::pairs(without, with);
    let users: Vec<[f64; 2]> = pairs
        .iter()
        .flat_map(|(without, with)| rate.of_each(without).into_iter().zip(rate.of_each(with)))
        .filter_map(|(without, with)| Some([rate.shown(without?), rate.shown(with?)]))
        .collect();
    let most = users.iter().flatten().copied().fold(0.0, f64::max) * 1.05;
    let equal = Layer::plain(Mark::line(vec![0.0, most], vec![0.0, most])).meaning("line: equal");
    let axis =
        |label: &str| Axis::new(&format!("transmitted rate {label}"), "Mbit/s").within(0.0, most);
    (!users.is_empty()).then(|| Panel {
        title: format!("{load} video users"),
        x: axis(&labels[0]),
        y: axis(&labels[1]),
        layers: vec![equal, layer("RR", 0, &users)],
        ..Panel::default()
    })
}

fn layer(name: &str, n: usize, users: &[[f64; 2]]) -> Layer {
    let of = |at: usize| users.iter().map(|user| user[at]).collect();
    let series = Series { hollow: true, ..Series::new(name, n) };
    let (values, names) = (Vec::new(), Vec::new());
    Layer::new(&series, Mark::Points { x: of(0), y: of(1), values, names })
        .meaning("each point is a user in a run")
}

/// SINR and rate of each user; none without users.
fn users(data: &Data, runs: &[Run]) -> Option<Vec<[f64; 2]>> {
    let (sinr, rate) = (data.kpi("video_sinr")?, data.kpi("rate")?);
    let all: Vec<[f64; 2]> = runs
        .iter()
        .flat_map(|run| sinr.of_each(run).into_iter().zip(rate.of_each(run)))
        .filter_map(|(own, value)| Some([sinr.shown(own?), rate.shown(value?)]))
        .collect();
    (!all.is_empty()).then_some(all)
}
