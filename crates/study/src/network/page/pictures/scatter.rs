//! Users as points: rate over SINR, and rate with L4S over rate without (appendix A.2).

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, figure};

use crate::network::{Data, Kpi, Run};

/// The load at which users are shown; 5.3.5 has its users of the same.
const LOAD: u32 = 15;
/// The loads at which the two rates are.
const LOADS: [u32; 2] = [15, 50];

/// Users' rates over their SINR.
pub(super) fn by_sinr(data: &Data) -> Option<Chart> {
    let arms = [("RR", "L4S"), ("RR", "none"), ("DBS", "L4S"), ("DBS", "none")];
    let made = arms.into_iter().filter_map(|(scheduler, variant)| {
        let runs = data.arm(scheduler, variant, load(data, LOAD)?)?;
        Some((format!("{scheduler}, {variant}"), users(runs)?))
    });
    let made: Vec<(String, Vec<[f64; 2]>)> = made.collect();
    let most = made.iter().flat_map(|(_, users)| users).map(|user| user[1]).fold(0.0, f64::max);
    let panel = |(n, (name, users)): (usize, &(String, Vec<[f64; 2]>))| Panel {
        title: format!("({}) {name}", char::from(b'a' + n as u8)),
        x: Axis::new("SINR", "dB"),
        y: Axis::new("transmitted rate", "Mbit/s").within(0.0, most * 1.05),
        layers: vec![layer(name, n, users)],
        ..Panel::default()
    };
    let panels: Vec<Panel> = made.iter().enumerate().map(panel).collect();
    let load = load(data, LOAD)?;
    (!panels.is_empty()).then(|| Chart {
        title: format!("Rate of each video user over its SINR, {load} video users"),
        sentence: format!(
            "Transmitted rate over SINR, a point for each video user at {load} video users, \
             figure A.4. Rates reach {} Mbit/s.",
            figure(most)
        ),
        panels,
        columns: 2,
        shared_x: true,
        ..Chart::default()
    })
}

/// Users' rates with L4S over those without.
pub(super) fn by_rate(data: &Data) -> Option<Chart> {
    let panels = LOADS.into_iter().filter_map(|load| panel_of_rates(data, load)).enumerate();
    let panels: Vec<Panel> = panels
        .map(|(n, panel)| Panel {
            title: format!("({}) {}", char::from(b'a' + n as u8), panel.title),
            ..panel
        })
        .collect();
    (!panels.is_empty()).then(|| Chart {
        title: "Rate of each video user with L4S over that without, RR".to_owned(),
        sentence: "A point for each video user: its transmitted rate with L4S over that without, \
                   round robin, figure A.5. On the line they are equal."
            .to_owned(),
        panels,
        columns: 2,
        ..Chart::default()
    })
}

fn panel_of_rates(data: &Data, load: u32) -> Option<Panel> {
    let (with, without) = (data.arm("RR", "L4S", load)?, data.arm("RR", "none", load)?);
    let rate = Kpi::named("rate")?;
    let pairs = crate::network::data::pairs(without, with);
    let users: Vec<[f64; 2]> = pairs
        .iter()
        .flat_map(|(without, with)| rate.of_each(without).into_iter().zip(rate.of_each(with)))
        .filter_map(|(without, with)| Some([rate.shown(without?), rate.shown(with?)]))
        .collect();
    let most = users.iter().flatten().copied().fold(0.0, f64::max) * 1.05;
    let equal = Layer::plain(Mark::line(vec![0.0, most], vec![0.0, most])).meaning("line: equal");
    let axis = |label: &str| Axis::new(label, "Mbit/s").within(0.0, most);
    (!users.is_empty()).then(|| Panel {
        title: format!("{load} video users"),
        x: axis("transmitted rate without L4S"),
        y: axis("transmitted rate with L4S"),
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
fn users(runs: &[Run]) -> Option<Vec<[f64; 2]>> {
    let (sinr, rate) = (Kpi::named("video_sinr")?, Kpi::named("rate")?);
    let all: Vec<[f64; 2]> = runs
        .iter()
        .flat_map(|run| sinr.of_each(run).into_iter().zip(rate.of_each(run)))
        .filter_map(|(own, value)| Some([sinr.shown(own?), rate.shown(value?)]))
        .collect();
    (!all.is_empty()).then_some(all)
}

/// The load that is wanted; where it was not made, the next higher, as in the short form.
fn load(data: &Data, wanted: u32) -> Option<u32> {
    data.loads("RR", "L4S").into_iter().find(|load| *load >= wanted)
}
