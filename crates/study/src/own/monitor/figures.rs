//! Compares what the analyser found with what is true, over all runs of an ensemble.

use std::collections::BTreeMap;

use airpath_analyse::{RadioUse, Window};
use airpath_stats::quantile;

use super::recoveries::recoveries;
use super::{Monitored, MonitoredFlow};

/// Bandwidth is looked at from this second on, as in the study (3.2).
const SETTLED: f64 = 10.0;

pub(super) type Figures = BTreeMap<String, f64>;

/// All figures that the runs have.
pub(crate) fn figures(seen: &[Monitored]) -> Figures {
    let mut figures = Figures::new();
    clocks(seen, &mut figures);
    utilisation(seen, &mut figures);
    recoveries(seen, &mut figures);
    bandwidths(seen, &mut figures);
    advice(seen, &mut figures);
    figures
}

/// The first arm's flows.
fn first(seen: &[Monitored]) -> impl Iterator<Item = (&Monitored, &MonitoredFlow)> {
    let first = seen.iter().filter(|seen| seen.arm == 0);
    first.flat_map(|seen| seen.flows.iter().map(move |flow| (seen, flow)))
}

pub(super) fn insert(figures: &mut Figures, name: &str, value: Option<f64>) {
    figures.extend(value.filter(|value| value.is_finite()).map(|value| (name.to_owned(), value)));
}

/// Error of the period of the receivers' timestamp clocks, in percent.
fn clocks(seen: &[Monitored], figures: &mut Figures) {
    let error = |(seen, flow): (&Monitored, &MonitoredFlow)| {
        let tick = seen.scenario.flow.get(flow.entry)?.tcp.as_ref()?.timestamp_tick;
        let ms = tick.as_secs_f64() * 1e3;
        let found = flow.found.as_ref()?.up.timestamp_period_ms?;
        Some((ms.round() as u64, 100.0 * (found / ms - 1.0).abs()))
    };
    let errors: Vec<(u64, f64)> = first(seen).filter_map(error).collect();
    let mut add = |name: &str, of: &dyn Fn(u64) -> bool| {
        let own = errors.iter().filter(|(ms, _)| of(*ms));
        let mut own: Vec<f64> = own.map(|(_, error)| *error).collect();
        own.sort_by(f64::total_cmp);
        insert(figures, name, quantile(&own, 0.5));
        insert(figures, &format!("{name}-p90"), quantile(&own, 0.9));
    };
    add("clock-error", &|_| true);
    for period in [1, 10, 100] {
        add(&format!("clock-error-{period}"), &|ms| ms == period);
    }
    let found = 100.0 * errors.len() as f64 / first(seen).count() as f64;
    insert(figures, "clocks-found", Some(found));
}

/// Mean error of the estimated bandwidth by width of the window, in percent of the rate that the
/// receiver got. A second figure is the share of windows with an estimate.
fn bandwidths(seen: &[Monitored], figures: &mut Figures) {
    for (width, name) in [(1.0, "1-s"), (0.1, "100-ms")] {
        let (mut errors, mut all) = (Vec::new(), 0u32);
        for (run, flow) in first(seen) {
            let Some(record) = &flow.found else { continue };
            let own = |w: &&Window| !w.up && w.client == record.client && w.width_s == width;
            for window in run.found.windows.iter().filter(own) {
                let from = window.start.as_secs_f64();
                let got = received(flow, from, from + width) * 8.0 / width;
                if from < SETTLED || from + width > run.duration || got <= 0.0 {
                    continue;
                }
                all += 1;
                errors.extend(window.available_bps.map(|bps| 100.0 * (bps / got - 1.0).abs()));
            }
        }
        let n = errors.len() as f64;
        let mean = (n > 0.0).then(|| errors.iter().sum::<f64>() / n);
        errors.sort_by(f64::total_cmp);
        insert(figures, &format!("bandwidth-error-{name}"), mean);
        insert(figures, &format!("bandwidth-error-{name}-median"), quantile(&errors, 0.5));
        insert(figures, &format!("bandwidth-windows-{name}"), Some(100.0 * n / f64::from(all)));
    }
}

/// Bytes of payload that came from one time to another, in seconds.
fn received(flow: &MonitoredFlow, from: f64, to: f64) -> f64 {
    let arrived = &flow.truth.arrived;
    let place = |at: f64| arrived.partition_point(|(time, ..)| time.as_secs_f64() < at);
    arrived[place(from)..place(to)].iter().map(|(.., payload)| f64::from(*payload)).sum()
}

/// Costs of an application's behaviour, as means over the runs of each arm: time of the last data,
/// payload, stalls, and use of the radio. The analyser computes the radio's time, promotions and
/// energy from the packets.
fn advice(seen: &[Monitored], figures: &mut Figures) {
    for arm in 0..=seen.iter().map(|seen| seen.arm).max().unwrap_or(0) {
        let runs: Vec<&Monitored> = seen.iter().filter(|seen| seen.arm == arm).collect();
        let n = runs.len() as f64;
        let mut add = |name: &str, of: &dyn Fn(&Monitored) -> f64| {
            let sum: f64 = runs.iter().map(|run| of(run)).sum();
            insert(figures, &format!("{name}-{arm}"), Some(sum / n));
        };
        let last = |run: &Monitored| {
            let last = run.flows.iter().filter_map(|flow| flow.truth.arrived.last());
            last.map(|(at, ..)| at.as_secs_f64()).fold(0.0, f64::max)
        };
        let megabytes = |run: &Monitored| {
            let arrived = run.flows.iter().flat_map(|flow| &flow.truth.arrived);
            arrived.map(|(.., payload)| f64::from(*payload)).sum::<f64>() / 1e6
        };
        let radio = |run: &Monitored, of: &dyn Fn(&RadioUse) -> f64| {
            run.found.hosts.iter().filter_map(|host| host.radio.as_ref()).map(of).sum::<f64>()
        };
        add("last-data", &last);
        add("megabytes", &megabytes);
        add("stalls", &|run| run.stalls.0 as f64);
        add("stalled", &|run| run.stalls.1);
        add("radio-on", &|run| {
            radio(run, &|radio| {
                let times = radio.time_s;
                times.promotion + times.active + times.short_drx + times.long_drx
            })
        });
        add("promotions", &|run| radio(run, &|radio| radio.promotions as f64));
        add("energy", &|run| radio(run, &|radio| radio.energy_j.total));
    }
}

/// Bytes of packets that came over those that a recorded capacity had room for, in percent;
/// by arm.
fn utilisation(seen: &[Monitored], figures: &mut Figures) {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for run in seen {
        let capacity = run.scenario.path.sgi.capacity.as_ref();
        let Some(recording) = capacity.and_then(|capacity| capacity.recording()) else { continue };
        let room = recording.mean_rate().as_bps() as f64 / 8.0 * run.duration;
        let arrived = run.flows.iter().flat_map(|flow| &flow.truth.arrived);
        let sum = sums.entry(run.arm).or_default();
        sum.0 += arrived.map(|(_, bytes, _)| f64::from(*bytes)).sum::<f64>();
        sum.1 += room;
    }
    for (arm, (came, room)) in sums {
        insert(figures, &format!("utilisation-{arm}"), Some(100.0 * came / room));
    }
}
