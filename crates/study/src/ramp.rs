//! Ramp-up of a download: how long it takes, and how many bytes, until it has its rate.
//!
//! Two instants are read off the bytes that the application has received. At the first, their
//! moving average has a share of the rate that the download settles at. At the second, their
//! average since the beginning (user-perceived throughput) has the same share.
//!
//! Left out: what happens after; a download that falls back again counts as risen.

use serde::{Deserialize, Serialize};

/// Method to read a ramp-up.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// Length of the moving window in ms.
    pub window_ms: f64,
    /// Part of the window that lies after its instant, in ms. A window that trails has 0, a centred
    /// one half of its length.
    pub ahead_ms: f64,
    /// Instant that counts as 0.
    pub origin: Origin,
    /// Distance of the instants at which averages are taken, in ms.
    pub step_ms: f64,
    /// Share of the settled rate that counts as risen, 0 to 1.
    pub share: f64,
    /// Bytes of a KB.
    pub kilobyte: f64,
}

/// Instant that counts as 0.
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

/// Record of a download, with times in nanoseconds of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Growth {
    /// Start of the flow.
    pub(crate) started: u64,
    /// Instant at which the flow's first end had the connection.
    pub(crate) established: Option<u64>,
    /// End of the run.
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
    /// Part of the delay in the radio access network.
    pub(crate) air: u64,
}

/// Instants at which a download had risen, and bytes delivered by then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Risen {
    /// Time until the moving average has its share of the settled rate, in ms.
    pub ramp_ms: Option<f64>,
    /// Bytes delivered by `ramp_ms`, in KB.
    pub ramp_kb: Option<f64>,
    /// Time until the average since the beginning has its share, in ms.
    pub upt_ms: Option<f64>,
    /// Bytes delivered by `upt_ms`, in KB.
    pub upt_kb: Option<f64>,
}

/// Figures of a ramp-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RampFigures {
    /// Rate that the download settled at, in Mbit/s.
    pub saturation_mbps: f64,
    /// Rise as seen at instants `step_ms` apart.
    #[serde(flatten)]
    pub seen: Risen,
    /// Rise to a tenth of a millisecond.
    pub exact: Risen,
    /// Mean one-way delays, data and acknowledgements together, up to the ramp-up, in ms.
    pub round_trip_ms: Option<f64>,
    /// Share of `round_trip_ms` in the radio access network.
    pub air_share: Option<f64>,
    /// Distance of the instants at which averages are taken, in ms.
    pub step_ms: f64,
    /// Moving average at each of these instants, in Mbit/s.
    pub moving_mbps: Vec<f64>,
    /// Average since the beginning at each of these instants, in Mbit/s.
    pub upt_mbps: Vec<f64>,
}

/// Instants of the curves that are kept at most.
const MOST_POINTS: usize = 400;
/// Distance of instants for the exact figures, in ms.
const FINE: f64 = 0.1;
/// Bytes in a millisecond, in Mbit/s.
const MBPS: f64 = 8e-3;

impl Growth {
    /// Reads the ramp-up; none if nothing arrived, or no instant counts as 0.
    pub(crate) fn read(&self, ramp: &Ramp) -> Option<RampFigures> {
        let zero = self.zero(ramp.origin)?;
        let end = millis(self.ended.checked_sub(zero)?);
        let settled = self.settled()?;
        let view = View { growth: self, ramp, zero, end };
        let seen = view.risen(settled, ramp.step_ms);
        let (round_trip_ms, air_share) = seen.ramp_ms.and_then(|t| self.trips(zero, t)).unzip();
        Some(RampFigures {
            saturation_mbps: settled * MBPS,
            seen,
            exact: view.risen(settled, FINE),
            round_trip_ms,
            air_share,
            step_ms: ramp.step_ms,
            moving_mbps: view.curve(|t| view.moving(t)),
            upt_mbps: view.curve(|t| view.upt(t)),
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

/// A growth as it is read.
struct View<'a> {
    growth: &'a Growth,
    ramp: &'a Ramp,
    /// The instant that counts as 0.
    zero: u64,
    /// End of the run, in ms from there.
    end: f64,
}

impl View<'_> {
    fn risen(&self, settled: f64, step: f64) -> Risen {
        let enough = settled * self.ramp.share;
        let by_end = |t: &f64| *t <= self.end;
        let ramp_ms = self.instants(step).find(|t| self.moving(*t) >= enough);
        let upt_ms = instants(step).take_while(by_end).find(|t| self.upt(*t) >= enough);
        let size = |t: f64| self.by(t) / self.ramp.kilobyte;
        Risen { ramp_ms, ramp_kb: ramp_ms.map(size), upt_ms, upt_kb: upt_ms.map(size) }
    }

    fn curve(&self, value: impl Fn(f64) -> f64) -> Vec<f64> {
        let points = self.instants(self.ramp.step_ms).take(MOST_POINTS);
        points.map(|t| value(t) * MBPS).collect()
    }

    /// Instants whose window is whole before the end.
    fn instants(&self, step: f64) -> impl Iterator<Item = f64> {
        let last = self.end - self.ramp.ahead_ms;
        instants(step).take_while(move |t| *t <= last)
    }

    /// Bytes in a millisecond, by the moving average.
    fn moving(&self, t: f64) -> f64 {
        let to = t + self.ramp.ahead_ms;
        (self.by(to) - self.by(to - self.ramp.window_ms)) / self.ramp.window_ms
    }

    /// Bytes in a millisecond since the beginning.
    fn upt(&self, t: f64) -> f64 {
        self.by(t) / t
    }

    fn by(&self, t: f64) -> f64 {
        self.growth.by(self.zero, t)
    }
}

fn instants(step: f64) -> impl Iterator<Item = f64> {
    (1..).map(move |n| f64::from(n) * step)
}

fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

#[cfg(test)]
#[path = "ramp_tests.rs"]
mod tests;
