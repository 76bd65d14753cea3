//! Readings as lines, where there is no terminal to draw on: one for each reading.
//!
//! The form is documented in `docs/live.md` and does not change: whoever reads it cuts at two
//! spaces.

use airpath_results::live::{CellReading, FlowReading, Health, RadioLinkReading, Reading, Spread};

use crate::table::number;

/// The line of a reading.
pub fn line(reading: &Reading) -> String {
    let mut parts = vec![at(reading.time_s, reading.interval_s)];
    parts.extend(reading.flows.iter().map(flow));
    parts.extend(cells(&reading.cells));
    parts.extend(reading.radio_links.iter().map(radio_link));
    parts.extend(reading.health.iter().map(health));
    parts.join("  ")
}

/// Line of a message.
pub fn said(time_s: f64, interval_s: f64, text: &str) -> String {
    format!("{}  {text}", at(time_s, interval_s))
}

/// A time, to the digits that an interval has, one at least and three at most.
fn at(time_s: f64, interval_s: f64) -> String {
    let whole = |tenths: f64| {
        let scaled = interval_s * tenths;
        (scaled - scaled.round()).abs() < 1e-6
    };
    let digits = if whole(10.0) {
        1
    } else if whole(100.0) {
        2
    } else {
        3
    };
    format!("{time_s:.digits$} s")
}

fn flow(flow: &FlowReading) -> String {
    let delay = flow.delay_ms;
    format!(
        "{} {} Mbit/s  delay {}/{} ms  queue {} ms  marks {}  lost {}",
        flow.name,
        number(Some(flow.rate_bps / 1e6)),
        millis(delay.map(|spread| spread.p50)),
        millis(delay.map(|spread| spread.p95)),
        millis(flow.queue_ms.map(|Spread { p50, .. }| p50)),
        flow.marks,
        flow.lost_packets,
    )
}

fn millis(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.1}"))
}

/// Downlink and uplink of the cell, or the means of several.
fn cells(cells: &[CellReading]) -> Option<String> {
    let all: u32 = cells.iter().map(|cell| cell.cells).sum();
    let percent = |of: fn(&CellReading) -> Option<f64>| {
        let known = cells.iter().filter_map(|cell| Some((of(cell)?, f64::from(cell.cells))));
        let (sum, n) = known.fold((0.0, 0.0), |(sum, n), (share, k)| (sum + share * k, n + k));
        if n > 0.0 { format!("{:.0}%", sum / n * 100.0) } else { "-".to_owned() }
    };
    let shares = format!("RB {}/{}", percent(|c| c.utilisation), percent(|c| c.utilisation_up));
    match all {
        0 => None,
        1 => Some(shares),
        all => Some(format!("{shares} of {all} cells")),
    }
}

/// A change of a radio link.
pub fn radio_link(change: &RadioLinkReading) -> String {
    let RadioLinkReading { time_s, ue, change } = change;
    format!("radio link of {ue} {change} at {time_s:.3} s")
}

fn health(health: &Health) -> String {
    format!(
        "late {}/{}/{} ms  missed {}  CPU {:.0}%  behind {} ms",
        millis(Some(health.wake_p50_ms)),
        millis(Some(health.wake_p99_ms)),
        millis(Some(health.wake_max_ms)),
        health.missed,
        health.cpu * 100.0,
        millis(Some(health.lag_ms)),
    )
}
