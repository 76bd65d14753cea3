//! The period G of the clock behind a host's TCP timestamps (section 6.1 of the study).
//!
//! The study reads the clock at two packets at least 3 s apart. With a tick of 10 ms that alone
//! errs by up to 0.3 %, and by more if one of the two was delayed. Here all packets count. A packet
//! with timestamp k left no earlier than the clock's tick k, and delay only adds. All points (k,
//! arrival) therefore lie above the line that the clock draws. The nearest line below all points
//! has G as its slope. It is the edge of the lower convex hull over the mean of k. Source: Moon,
//! Skelly, Towsley, "Estimation and Removal of Clock Skew from Network Delay Measurements", INFOCOM
//! 1999.
//!
//! No queue can bend that line, but it rests on two points only. These are poor if the smallest
//! delay is rare, as for a UE whose ACKs wait for grants. The least-squares line rests on all
//! points, and a growing queue bends it. If the two slopes agree, delay has no trend, and the
//! least-squares line counts; otherwise the hull's. The standard error of the former is the error
//! of the estimate.

use airpath_base::{Duration, Time};

use crate::moments::Moments;

/// Relative difference of the two slopes below which delay has no trend that matters.
const TREND: f64 = 0.005;
/// Points of the hull that are kept; more are thinned out. A hull of n points scattered
/// evenly above a line has about log n corners.
const MOST_CORNERS: usize = 128;
/// Ticks backwards (or forwards in no time) that a clock does not make; the packet is
/// taken for another host's behind the same address.
const JUMP: i64 = 1 << 28;

/// A clock in the course of being read.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    first: Option<(u32, Time)>,
    /// The last corner of the hull.
    end: (i64, f64),
    span: Duration,
    /// Of ticks (x) and seconds (y).
    moments: Moments,
    hull: Vec<(i64, f64)>,
}

/// Estimate of a clock's period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period {
    /// Seconds a tick.
    pub seconds: f64,
    /// Standard error relative to `seconds`: how exact it is, under even scatter.
    pub error: f64,
    /// Time for which the clock was watched.
    pub span: Duration,
}

/// Slope of a clock's points, with its weight beside others'.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slope {
    /// Sum of squared distances of ticks from their mean.
    ticks: f64,
    /// Seconds a tick, with that weight.
    seconds: f64,
    /// Squared distances from the least-squares line, and how many may vary freely.
    residual: f64,
    free: f64,
}

impl Slope {
    /// Takes another clock of the same period in.
    pub fn join(&mut self, other: &Slope) {
        self.ticks += other.ticks;
        self.seconds += other.seconds;
        self.residual += other.residual;
        self.free += other.free;
    }

    /// Seconds a tick, and the standard error relative to that.
    pub fn period(&self) -> Option<(f64, f64)> {
        let seconds = self.seconds / self.ticks;
        let error = (self.residual / self.free / self.ticks).sqrt() / seconds;
        (self.free > 0.0 && seconds > 0.0 && error.is_finite()).then_some((seconds, error))
    }
}

impl Clock {
    /// A packet with timestamp `value` was seen.
    #[inline]
    pub fn add(&mut self, at: Time, value: u32) {
        let Some((first, since)) = self.first else { return self.begin(at, value) };
        // Beyond half of the range the nearest tick to the hull's end counts.
        let (last, least) = self.end;
        let ahead = value.wrapping_sub(first.wrapping_add(last as u32)) as i32;
        let x = last + i64::from(ahead);
        if i64::from(ahead).abs() > JUMP || at < since {
            return;
        }
        let span = at.saturating_since(since);
        let y = seconds(span);
        self.span = self.span.max(span);
        self.moments.add(x as f64, y);
        // A point before the hull's end (a reordered packet) is left out: a later packet of the
        // same clock says more. One over it lies above the hull.
        if x > last || x == last && y < least {
            self.corner(x, y);
        }
    }

    fn begin(&mut self, at: Time, value: u32) {
        self.first = Some((value, at));
        self.moments.add(0.0, 0.0);
        self.hull.push(self.end);
    }

    /// The period, once there are points to draw a line through.
    pub fn period(&self) -> Option<Period> {
        let (seconds, error) = self.slope()?.period()?;
        Some(Period { seconds, error, span: self.span })
    }

    /// The slope, to be taken together with those of other clocks of the same period.
    pub fn slope(&self) -> Option<Slope> {
        let line = self.moments.xy / self.moments.xx;
        if self.moments.n < 8.0 || !(line > 0.0 && line.is_finite()) {
            return None;
        }
        let edge = self.edge().filter(|slope| *slope > 0.0)?;
        let seconds = if (edge / line - 1.0).abs() < TREND { line } else { edge };
        Some(Slope {
            ticks: self.moments.xx,
            seconds: self.moments.xx * seconds,
            residual: (self.moments.yy - line * self.moments.xy).max(0.0),
            free: self.moments.n - 2.0,
        })
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        16 * self.hull.capacity()
    }

    /// Adds a point to the hull's end, or below it.
    fn corner(&mut self, x: i64, y: f64) {
        if x == self.end.0 {
            self.hull.pop();
        }
        while let [.., a, b] = self.hull[..] {
            let above = (b.1 - a.1) * (x - a.0) as f64 >= (y - a.1) * (b.0 - a.0) as f64;
            if !above {
                break;
            }
            self.hull.pop();
        }
        if self.hull.len() >= MOST_CORNERS {
            let mut keep = false;
            self.hull.retain(|_| {
                keep = !keep;
                keep
            });
        }
        self.end = (x, y);
        self.hull.push(self.end);
    }

    /// The slope of the hull's edge over the mean tick.
    fn edge(&self) -> Option<f64> {
        let edges = self.hull.windows(2);
        let over = edges.rev().find(|edge| edge[0].0 as f64 <= self.moments.mean.0)?;
        let [a, b] = over else { return None };
        Some((b.1 - a.1) / (b.0 - a.0) as f64)
    }
}

/// In seconds. (Times differ by less than 2^63 ns; converted as signed, they take less.)
#[inline]
fn seconds(span: Duration) -> f64 {
    span.as_nanos() as i64 as f64 / 1e9
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
