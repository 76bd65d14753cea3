//! The bandwidth that was there for a flow (section 6.1 of the study).
//!
//! A sender may send faster than any bandwidth that the network can have (C). A queue then stands
//! at the bottleneck, and the rate at which the receiver gets data is the available bandwidth.
//! Between two ACKs the receiver got the data that the later one acknowledges and the earlier did
//! not. The duration follows from the receiver's own clock, the timestamps in the two ACKs, which
//! the way back cannot distort:
//!
//! > R_snd = S (n - 2) / (t4 - t0), R_rcv = S (n - 2) / (G (TS2 - TS1))
//!
//! Conditions: (i) R_snd >= C, (ii) neither data out of order nor duplicate ACKs within the window,
//! (iii) the last ACK is not delayed. An ACK that is not delayed acknowledges at least two packets.
//! A window begins where the sender got ahead of C and ends where it was last ahead. R_snd >= C
//! thus holds from the window's begin to each ACK in it, and the queue never runs empty within it.
//! The sums of bytes and of ticks over all windows make the flow's bandwidth. A single window may
//! have few ticks, but rounding to whole ticks has no bias. The ticks are counted, so G need not be
//! known before the flow is over. Without timestamps, the ACKs' arrival times count.

use airpath_base::{BitRate, Duration, Time};

/// The study's C: above what its network can give most flows.
pub const DEFAULT_MOST_BANDWIDTH: BitRate = BitRate::from_bps(30_000_000);
/// Windows are cut after this long, so that they make a time series.
const LONGEST: Duration = Duration::from_secs(1);
/// Ticks below which rounding to whole ticks says too much (10 %).
const LEAST_TICKS: u64 = 10;

/// An ACK that acknowledges the end of a packet exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Acknowledgement number.
    pub ack: u32,
    /// Time at which the last acknowledged packet passed the monitor.
    pub sent: Time,
    /// Time at which the ACK passed the monitor.
    pub at: Time,
    /// TSval of the ACK.
    pub timestamp: Option<u32>,
    /// Packets that it acknowledges and the ACK before did not.
    pub packets: u32,
}

/// An estimate in the making.
#[derive(Clone, Debug)]
pub struct Bandwidth {
    start: Option<Point>,
    most: BitRate,
    last: Option<Point>,
    sum: Sample,
    windows: u64,
}

/// Sum of windows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Halfway between the first and the last ACK.
    pub middle: Time,
    /// Bytes that were acknowledged.
    pub bytes: u64,
    /// Seconds that took by the monitor's clock.
    pub wall: f64,
    /// Bytes in windows with timestamps, and ticks that these took by the receiver's.
    pub ticked: u64,
    /// The ticks.
    pub ticks: u64,
}

impl Sample {
    /// Both together; the middle is the other's.
    #[must_use]
    pub fn and(&self, other: &Sample) -> Sample {
        Sample {
            middle: other.middle,
            bytes: self.bytes + other.bytes,
            wall: self.wall + other.wall,
            ticked: self.ticked + other.ticked,
            ticks: self.ticks + other.ticks,
        }
    }

    /// Bandwidth in bit/s, and true if it is by timestamps. Timestamps need the receiver's clock
    /// period in seconds a tick, and enough ticks; otherwise arrival times count.
    pub fn bps(&self, period: Option<f64>) -> Option<(f64, bool)> {
        let ticked = period.filter(|_| self.ticks >= LEAST_TICKS);
        match ticked {
            Some(period) => Some((8.0 * self.ticked as f64 / (self.ticks as f64 * period), true)),
            None => (self.wall > 0.0).then(|| (8.0 * self.bytes as f64 / self.wall, false)),
        }
    }
}

impl Bandwidth {
    /// With C as the most that the network can give.
    pub fn new(most: BitRate) -> Bandwidth {
        let (start, last) = (None, None);
        Bandwidth { most, start, last, sum: Sample::default(), windows: 0 }
    }

    /// An ACK came; gives the window that it ended, if it did.
    #[inline]
    pub fn ack(&mut self, point: Point) -> Option<Sample> {
        let Some(start) = self.start else {
            self.start = Some(point);
            return None;
        };
        if !self.ahead(&start, &point) {
            let sample = self.close();
            self.start = Some(point);
            return sample;
        }
        if point.packets >= 2 {
            self.last = Some(point);
            if point.at.saturating_since(start.at) >= LONGEST {
                let sample = self.close();
                self.start = Some(point);
                return sample;
            }
        }
        None
    }

    /// Cuts a window at the last ACK that could end it, if there was one; the next begins
    /// there.
    pub fn cut(&mut self) -> Option<Sample> {
        let last = self.last?;
        let sample = self.close();
        self.start = Some(last);
        sample
    }

    /// Data out of order, or a duplicate ACK: the window ends before it.
    pub fn disturbed(&mut self) -> Option<Sample> {
        self.close()
    }

    /// Estimate in bit/s, with the receiver's clock period in seconds a tick if it is known; none
    /// if no window was long enough.
    pub fn estimate(&self, period: Option<f64>) -> Option<f64> {
        let mut done = self.clone();
        done.close();
        let (bps, by_timestamps) = done.sum.bps(period)?;
        let too_few = period.is_some() && done.sum.ticked > 0 && !by_timestamps;
        (!too_few).then_some(bps)
    }

    /// Windows that were taken.
    pub fn windows(&self) -> u64 {
        self.windows
    }

    /// True if the sender sent at C or faster between the two.
    fn ahead(&self, start: &Point, point: &Point) -> bool {
        let bits = 8.0 * f64::from(point.ack.wrapping_sub(start.ack));
        let span = point.sent.saturating_since(start.sent).as_secs_f64();
        bits >= self.most.as_bps() as f64 * span
    }

    /// Takes the window, if there is one.
    fn close(&mut self) -> Option<Sample> {
        let (start, last) = (self.start.take(), self.last.take());
        let (start, last) = (start?, last?);
        let span = last.at.saturating_since(start.at);
        let bytes = u64::from(last.ack.wrapping_sub(start.ack));
        let mut sample = Sample {
            middle: start.at.saturating_add(span / 2),
            bytes,
            wall: span.as_secs_f64(),
            ..Sample::default()
        };
        if let (Some(from), Some(to)) = (start.timestamp, last.timestamp) {
            sample.ticked = bytes;
            sample.ticks = u64::from(to.wrapping_sub(from));
        }
        self.sum = self.sum.and(&sample);
        self.windows += 1;
        Some(sample)
    }
}

#[cfg(test)]
#[path = "bandwidth_tests.rs"]
mod tests;
