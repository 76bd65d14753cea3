//! Tests of one arm.

use airpath_stats::{Interval, mean_interval, prediction_interval, quantile_interval};

use super::place::by_interval;
use super::{LEVEL, Place, SHOWN};
use crate::network::{Data, Kpi, Of, Run};

/// Share of users who are not served, from which a load counts as too much. A reader of the
/// published figure would see the delay break down between 2 and 4%.
const UNSERVED: f64 = 0.03;
/// Least share of a fixed rate that a served user gets.
const SERVED: f64 = 0.95;

/// Interval of a measure's mean or percentile over runs, in the unit for people.
pub(crate) fn interval(kpi: &Kpi, of: Of, runs: &[Run], confidence: f64) -> Option<Interval> {
    let found = match of.per_mille() {
        None => {
            let values: Vec<f64> = runs.iter().filter_map(|run| kpi.of_run(run)).collect();
            mean_interval(&values, confidence)
        }
        Some(per_mille) => {
            let users: Vec<Vec<f64>> = runs.iter().map(|run| kpi.of_users(run)).collect();
            quantile_interval(&users, per_mille, confidence)
        }
    }?;
    let shown = |value| kpi.shown(value);
    let (estimate, low, high) = (shown(found.estimate), shown(found.low), shown(found.high));
    Some(Interval { estimate, low, high })
}

/// Findings on the value of each arm and load, which should lie between bounds, in the unit for
/// people; none for a setting without runs.
pub(super) fn value(
    data: &Data,
    (kpi, of): (&Kpi, Of),
    arms: &[String],
    loads: &[u32],
    bounds: [Option<f64>; 2],
) -> Vec<Option<Place>> {
    let mut places = Vec::new();
    for name in arms {
        for &load in loads {
            let place = |runs: &[Run]| {
                let name = format!("{load} users, {name}: {} {}", kpi.title, of.word());
                let own = |confidence| interval(kpi, of, runs, confidence);
                within(name, runs.len(), own, bounds).of(kpi)
            };
            places.push(data.arm(name, load).map(place));
        }
    }
    places
}

/// Finding on a value that should lie between bounds; a missing bound is infinite.
pub(super) fn within(
    name: String,
    runs: usize,
    interval: impl Fn(f64) -> Option<Interval>,
    [low, high]: [Option<f64>; 2],
) -> Place {
    let Some(found) = interval(SHOWN) else { return Place::unknown(name, runs) };
    let (low, high) = (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
    let p_holds = by_interval(&interval, |i| low <= i.low && i.high <= high);
    let p_fails = by_interval(&interval, |i| i.high < low || high < i.low);
    Place::with(name, runs, found, [p_holds, p_fails])
}

/// Finding on the service of users of video at a fixed rate, in Mbit/s; none without runs. The
/// expected answer is `served`.
pub(super) fn served(data: &Data, name: &str, rate: f64, load: u32, served: bool) -> Option<Place> {
    let runs = data.arm(name, load)?;
    let rates = data.kpi("rate")?;
    let share = |run: &Run| {
        let users = rates.of_users(run);
        let below = users.iter().filter(|own| **own < SERVED * rate * 1e6).count();
        100.0 * below as f64 / users.len().max(1) as f64
    };
    let shares: Vec<f64> = runs.iter().map(share).collect();
    let bounds = [(!served).then_some(100.0 * UNSERVED), served.then_some(100.0 * UNSERVED)];
    let name = format!("{load} users, {name}: users who are not served, %");
    Some(within(name, runs.len(), |confidence| mean_interval(&shares, confidence), bounds))
}

/// Finding on a published figure of one run, which a run here could have had; none without runs.
pub(super) fn predict(
    data: &Data,
    kpi: &Kpi,
    name: &str,
    load: u32,
    published: f64,
) -> Option<Place> {
    let runs = data.arm(name, load)?;
    let values: Vec<f64> =
        runs.iter().filter_map(|run| kpi.of_run(run)).map(|v| kpi.shown(v)).collect();
    let name = format!("{name}: {} of a run", kpi.title);
    let Some(found) = prediction_interval(&values, 1.0 - LEVEL) else {
        return Some(Place::unknown(name, runs.len()).of(kpi));
    };
    // A single figure inside the interval proves nothing, but contradicts nothing either. The row
    // is about whether the figure could be that of a run of this model.
    let p = if found.contains(published) { [0.0, 1.0] } else { [1.0, outside(&values, published)] };
    Some(Place::with(name, runs.len(), found, p).of(kpi))
}

/// One less the largest confidence whose prediction interval leaves a value out.
fn outside(values: &[f64], published: f64) -> f64 {
    let out = |interval: &Interval| !interval.contains(published);
    // Both sides count, since the side of the figure is not fixed beforehand.
    2.0 * by_interval(|confidence| prediction_interval(values, confidence), out)
}
