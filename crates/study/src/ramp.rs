//! Ramp-up of a download: how long it takes, and how many bytes, until it has its rate.
//!
//! Two things are asked of the bytes that reached the application by each instant:
//! when their moving average first has a share of the rate that the download settles
//! at, and when their average since the beginning (user-perceived throughput) has it.
//!
//! Left out: what happens after; a download that falls back again counts as risen.

use serde::{Deserialize, Serialize};

/// How a ramp-up is read.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// Length of the moving window in ms.
    pub window_ms: f64,
    /// How much of it lies after the instant that it is for, in ms: 0 for a window that
    /// trails, half of it for one that is centred.
    pub ahead_ms: f64,
    /// Which instant counts as 0.
    pub origin: Origin,
    /// Distance of instants that are looked at, in ms.
    pub step_ms: f64,
    /// Share of the settled rate that counts as risen, 0 to 1.
    pub share: f64,
    /// Bytes of a KB.
    pub kilobyte: f64,
}

/// Which instant counts as 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The flow's start: the UE opens the connection.
    Start,
    /// The UE has the connection and asks for the file.
    Request,
    /// The first byte of the file arrives.
    Data,
}

/// What is recorded of a download, times in nanoseconds of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Growth {
    /// When the flow began.
    pub(crate) started: u64,
    /// When its first end had the connection.
    pub(crate) established: Option<u64>,
    /// When the run ended.
    pub(crate) ended: u64,
    /// Instants at which bytes reached the application, with all bytes up to then.
    pub(crate) delivered: Vec<(u64, u64)>,
    /// Packets of data and of acknowledgements as they arrived.
    pub(crate) trips: [Vec<Trip>; 2],
}

/// A packet that arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trip {
    pub(crate) at: u64,
    /// One-way delay.
    pub(crate) delay: u64,
    /// Of this, what was spent in the radio access network.
    pub(crate) air: u64,
}

/// What a ramp-up came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RampFigures {
    /// Rate that the download settled at, in Mbit/s.
    pub saturation_mbps: f64,
    /// Time until the moving average has its share of that, in ms.
    pub ramp_ms: Option<f64>,
    /// What had been delivered by then, in KB.
    pub ramp_kb: Option<f64>,
    /// Time until the average since the beginning has its share, in ms.
    pub upt_ms: Option<f64>,
    /// What had been delivered by then, in KB.
    pub upt_kb: Option<f64>,
    /// Mean one-way delays, data and acknowledgements together, up to the ramp-up, in ms.
    pub round_trip_ms: Option<f64>,
    /// Share of the radio access network in that.
    pub air_share: Option<f64>,
    /// Moving average at each instant that is looked at, in Mbit/s.
    pub moving_mbps: Vec<f64>,
    /// Average since the beginning at each, in Mbit/s.
    pub upt_mbps: Vec<f64>,
}

/// Instants of the curves that are kept at most.
const MOST_POINTS: usize = 400;
/// Bytes in a millisecond, in Mbit/s.
const MBPS: f64 = 8e-3;

impl Growth {
    /// Reads the ramp-up; none if nothing arrived, or no instant counts as 0.
    pub(crate) fn read(&self, ramp: &Ramp) -> Option<RampFigures> {
        let zero = self.zero(ramp.origin)?;
        let end = millis(self.ended.checked_sub(zero)?);
        let settled = self.settled()?;
        let enough = settled * ramp.share;
        let by = |t: f64| self.by(zero, t);
        let moving = |t: f64| {
            let (from, to) = (t + ramp.ahead_ms - ramp.window_ms, t + ramp.ahead_ms);
            (by(to) - by(from)) / ramp.window_ms
        };
        let upt = |t: f64| by(t) / t;
        let instants = || (1..).map(|n| f64::from(n) * ramp.step_ms);
        let seen = |t: &f64| *t + ramp.ahead_ms <= end;
        let ramp_ms = instants().take_while(seen).find(|t| moving(*t) >= enough);
        let upt_ms = instants().take_while(|t| *t <= end).find(|t| upt(*t) >= enough);
        let size = |t: f64| by(t) / ramp.kilobyte;
        let curve = |value: &dyn Fn(f64) -> f64| {
            let points = instants().take_while(seen).take(MOST_POINTS);
            points.map(|t| value(t) * MBPS).collect()
        };
        let (round_trip_ms, air_share) = ramp_ms.and_then(|t| self.trips(zero, t)).unzip();
        Some(RampFigures {
            saturation_mbps: settled * MBPS,
            ramp_ms,
            ramp_kb: ramp_ms.map(size),
            upt_ms,
            upt_kb: upt_ms.map(size),
            round_trip_ms,
            air_share,
            moving_mbps: curve(&moving),
            upt_mbps: curve(&upt),
        })
    }

    fn zero(&self, origin: Origin) -> Option<u64> {
        match origin {
            Origin::Start => Some(self.started),
            Origin::Request => self.established,
            Origin::Data => self.delivered.first().map(|(at, _)| *at),
        }
    }

    /// Bytes in a millisecond over the last quarter of the run.
    fn settled(&self) -> Option<f64> {
        let from = self.ended - self.ended.saturating_sub(self.started) / 4;
        let bytes = self.until(self.ended) - self.until(from);
        (bytes > 0).then(|| bytes as f64 / millis(self.ended - from))
    }

    /// Bytes delivered up to `t` ms after `zero`.
    fn by(&self, zero: u64, t: f64) -> f64 {
        let nanos = (t * 1e6).round();
        if nanos < 0.0 { 0.0 } else { self.until(zero + nanos as u64) as f64 }
    }

    fn until(&self, at: u64) -> u64 {
        let behind = self.delivered.partition_point(|(then, _)| *then <= at);
        behind.checked_sub(1).map_or(0, |last| self.delivered[last].1)
    }

    /// Mean round trip in ms, and the air interface's share of it, of packets that
    /// arrived up to `t` ms after `zero`.
    fn trips(&self, zero: u64, t: f64) -> Option<(f64, f64)> {
        let until = zero + (t * 1e6).round() as u64;
        let [mut delay, mut air] = [0.0, 0.0];
        for trips in &self.trips {
            let trips = &trips[..trips.partition_point(|trip| trip.at <= until)];
            let mean = |of: fn(&Trip) -> u64| {
                trips.iter().map(|trip| millis(of(trip))).sum::<f64>() / trips.len() as f64
            };
            delay += mean(|trip| trip.delay);
            air += mean(|trip| trip.air);
        }
        (delay > 0.0).then_some((delay, air / delay))
    }
}

fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

#[cfg(test)]
#[path = "ramp_tests.rs"]
mod tests;
