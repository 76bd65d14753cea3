//! Offset and drift between the clocks of two points.
//!
//! The difference of a packet's two stamps is its delay and the lead of one clock over the other.
//! Delays vary, but not below their least. The nearest line below all differences therefore has the
//! drift as its slope. It is an edge of the lower convex hull (Moon, Skelly, Towsley, "Estimation
//! and removal of clock skew from network delay measurements", INFOCOM 1999). Here both directions
//! count together. The clock's line rises in one and falls in the other, so the slope is sought
//! that is nearest to both. Each packet of a direction has the same weight, and so have both
//! directions.
//!
//! A change of queues during the capture can look like a drift. Each direction is therefore
//! estimated alone, too, and half of their difference is the drift's error. A drift that is not
//! greater than its error counts as none. The method follows Paxson, "On calibrating measurements
//! of packet transit times", SIGMETRICS 1998: a drift shows in both directions, with opposite
//! signs.
//!
//! Clock offset and delays that differ by direction look alike. The least delay is therefore taken
//! to be the same both ways. By half of the true difference, all delays are wrong. Clocks that are
//! set while the capture runs are not followed.

use serde::Serialize;

/// Corners that are kept; more are thinned out.
const MOST_CORNERS: usize = 2_048;
/// The greatest drift that is believed. Linux steers its clock by up to 500 ppm (adjtimex).
const MOST_DRIFT: f64 = 1e-3;

/// The lower convex hull of points that come in order of `x`, and their means.
#[derive(Clone, Debug, Default)]
pub(super) struct Hull {
    count: f64,
    mean: (f64, f64),
    corners: Vec<(f64, f64)>,
    greatest: f64,
}

/// Difference between the second clock and the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clocks {
    /// Integer part of the second clock's lead in nanoseconds. Nanoseconds since 1970 are more than
    /// a float holds.
    pub(super) ahead: i64,
    /// Begin of the line, in nanoseconds of the first clock.
    pub(super) begin: i64,
    /// Rest of the second clock's lead at the begin, in nanoseconds.
    pub(super) offset: f64,
    /// Nanoseconds a nanosecond.
    pub(super) drift: f64,
}

/// Record of the two clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ClockRecord {
    /// Lead of the second clock over the first at its first packet, in seconds.
    pub offset_s: f64,
    /// Gain of the second clock in microseconds a second; 0 if no drift is significant.
    pub drift_ppm: f64,
    /// Half of what the two directions say differently; none with one direction.
    pub drift_error_ppm: Option<f64>,
    /// Basis of delays.
    pub basis: ClockBasis,
}

/// Basis of delays between two points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockBasis {
    /// One clock, or clocks that the user declares equal.
    #[default]
    OneClock,
    /// The least delay is the same in both directions.
    LeastDelayEqual,
    /// There is one direction only: delays are what goes beyond the least.
    AboveLeast,
    /// No flow tells which point it passes first: there are no delays.
    NoDirection,
}

impl Hull {
    /// A packet: time and difference. What comes before the last corner is left out: it was
    /// overtaken, so it was late.
    pub(super) fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        self.mean.0 += (x - self.mean.0) / self.count;
        self.mean.1 += (y - self.mean.1) / self.count;
        self.greatest = if self.count == 1.0 { y } else { self.greatest.max(y) };
        match self.corners.last() {
            Some(last) if x < last.0 || x == last.0 && y >= last.1 => return,
            Some(last) if x == last.0 => drop(self.corners.pop()),
            _ => {}
        }
        while let [.., a, b] = self.corners[..] {
            if (b.1 - a.1) * (x - a.0) < (y - a.1) * (b.0 - a.0) {
                break;
            }
            self.corners.pop();
        }
        if self.corners.len() >= MOST_CORNERS {
            let mut n = 0;
            self.corners.retain(|_| {
                n += 1;
                n % 2 == 1
            });
        }
        self.corners.push((x, y));
    }

    /// True if the hull has no points.
    pub(super) fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// Value at zero of the line of this slope below all points.
    fn below(&self, slope: f64) -> f64 {
        self.corners.iter().map(|(x, y)| y - slope * x).fold(f64::INFINITY, f64::min)
    }

    /// Mean distance of the points above that line.
    fn above(&self, slope: f64) -> f64 {
        if self.is_empty() { 0.0 } else { self.mean.1 - slope * self.mean.0 - self.below(slope) }
    }

    fn slopes(&self) -> impl Iterator<Item = f64> {
        self.corners.windows(2).map(|edge| (edge[1].1 - edge[0].1) / (edge[1].0 - edge[0].0))
    }

    /// Least and greatest of its points above a line.
    pub(super) fn range(&self, slope: f64) -> Option<(f64, f64)> {
        (!self.is_empty()).then(|| (self.below(slope), self.greatest))
    }
}

impl Clocks {
    /// Clocks from the hulls of both directions. The first hull has the second stamp less the
    /// first, of packets that pass the first point first. The other hull has the first stamp less
    /// the second. Times are since `begin`.
    pub(super) fn of(there: &Hull, back: &Hull, ahead: i64, begin: i64) -> (Clocks, ClockRecord) {
        let slope = |there: &Hull, back: &Hull| {
            let slopes = there.slopes().chain(back.slopes().map(|slope| -slope)).chain([0.0]);
            let far = |slope: f64| there.above(slope) + back.above(-slope);
            slopes.min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap_or(0.0)
        };
        let none = Hull::default();
        let both = !there.is_empty() && !back.is_empty();
        let alone = [slope(there, &none), slope(&none, back)];
        let error = both.then(|| (alone[0] - alone[1]).abs() / 2.0);
        let drift = slope(there, back);
        let told = drift.abs() <= MOST_DRIFT && error.is_none_or(|error| drift.abs() > error);
        let drift = if told { drift } else { 0.0 };
        let offset = match (there.is_empty(), back.is_empty()) {
            (false, false) => (there.below(drift) - back.below(-drift)) / 2.0,
            (false, true) => there.below(drift),
            (true, false) => -back.below(-drift),
            (true, true) => 0.0,
        };
        let basis = match (there.is_empty(), back.is_empty()) {
            (false, false) => ClockBasis::LeastDelayEqual,
            (true, true) => ClockBasis::NoDirection,
            _ => ClockBasis::AboveLeast,
        };
        let record = ClockRecord {
            offset_s: ahead as f64 / 1e9 + offset / 1e9,
            drift_ppm: 1e6 * drift,
            drift_error_ppm: error.map(|error| 1e6 * error),
            basis,
        };
        (Clocks { ahead, begin, offset, drift }, record)
    }

    /// A stamp of the second clock as the first would have it.
    pub(super) fn to_first(self, at: i64) -> i64 {
        let near = at.wrapping_sub(self.ahead);
        let since = near.wrapping_sub(self.begin) as f64;
        near.wrapping_sub((self.offset + self.drift * since).round() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousand packets each way in 10 s. The second clock is ahead by 3 ms and gains 40 ppm.
    /// Delays are 5 ms and up to 20 more there, 5 ms and up to 2 more back.
    fn hulls(queue: f64) -> (Hull, Hull) {
        let (mut there, mut back) = (Hull::default(), Hull::default());
        for n in 0..1_000 {
            let x = f64::from(n) * 1e7;
            let ahead = 3e6 + 40e-6 * x;
            let wait = f64::from(n * 7_919 % 1_000) / 999.0;
            there.add(x, 5e6 + queue * x + 20e6 * wait + ahead);
            back.add(x, 5e6 + 2e6 * (1.0 - wait) - ahead);
        }
        (there, back)
    }

    #[test]
    fn offset_and_drift_are_found() {
        let (there, back) = hulls(0.0);
        let (clocks, record) = Clocks::of(&there, &back, 0, 0);
        assert!((record.drift_ppm - 40.0).abs() < 3.0, "{record:?}");
        assert!((record.offset_s - 3e-3).abs() < 50e-6, "{record:?}");
        assert_eq!(record.basis, ClockBasis::LeastDelayEqual);
        // 5 s later the second clock is 3.2 ms ahead.
        let at = clocks.to_first(5_003_200_000);
        assert!((at - 5_000_000_000).abs() < 60_000, "{at}");
    }

    #[test]
    fn a_queue_that_grows_is_no_drift() {
        // 2 ms a second: the directions disagree by 2000 ppm.
        let (there, back) = hulls(2e-3);
        let (_, record) = Clocks::of(&there, &back, 0, 0);
        assert_eq!(record.drift_ppm, 0.0, "{record:?}");
        assert!(record.drift_error_ppm.is_some_and(|error| error > 900.0), "{record:?}");
    }

    #[test]
    fn one_direction_tells_what_is_above_the_least() {
        let (there, _) = hulls(0.0);
        let (clocks, record) = Clocks::of(&there, &Hull::default(), 7, 0);
        assert_eq!((record.basis, record.drift_error_ppm), (ClockBasis::AboveLeast, None));
        assert!((clocks.offset - 8e6).abs() < 0.2e6, "{clocks:?}");
    }
}
