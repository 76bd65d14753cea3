//! Slope of a line through delays (libwebrtc, trendline_estimator.cc).

use std::collections::VecDeque;

use airpath_base::Time;

use super::groups::Delta;
use super::kalman::Trend;

/// Points of the line.
const POINTS: usize = 20;
/// Share of the last value in the smoothed delay.
const SMOOTHING: f64 = 0.9;
/// Gain of the slope, and groups by which it is multiplied at most.
const GAIN: f64 = 4.0;
const MOST: u32 = 60;

#[derive(Debug)]
pub(super) struct Trendline {
    first: Option<Time>,
    /// Sum of the changes of delay, and its smoothed value, in milliseconds.
    delay: f64,
    smoothed: f64,
    /// Arrivals since the first and smoothed delays, in milliseconds.
    points: VecDeque<(f64, f64)>,
    slope: f64,
    deltas: u32,
}

impl Trendline {
    pub fn new() -> Trendline {
        Trendline {
            first: None,
            delay: 0.0,
            smoothed: 0.0,
            points: VecDeque::new(),
            slope: 0.0,
            deltas: 0,
        }
    }

    /// The trend, once there are as many points as the line has.
    pub fn update(&mut self, delta: Delta) -> Option<Trend> {
        let first = *self.first.get_or_insert(delta.at);
        self.deltas = self.deltas.saturating_add(1);
        self.delay += delta.delay();
        self.smoothed = SMOOTHING * self.smoothed + (1.0 - SMOOTHING) * self.delay;
        self.points.push_back((delta.at.saturating_since(first).as_millis_f64(), self.smoothed));
        if self.points.len() > POINTS {
            self.points.pop_front();
        }
        if self.points.len() < POINTS {
            return None;
        }
        self.slope = self.fit().unwrap_or(self.slope);
        let weighted = f64::from(self.deltas.min(MOST)) * self.slope * GAIN;
        Some(Trend { value: self.slope, weighted, deltas: self.deltas })
    }

    /// Slope by least squares; none if all points have one time.
    fn fit(&self) -> Option<f64> {
        let count = self.points.len() as f64;
        let (x, y) =
            self.points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
        let (x, y) = (x / count, y / count);
        let sums = self.points.iter().fold((0.0, 0.0), |(up, down), point| {
            (up + (point.0 - x) * (point.1 - y), down + (point.0 - x) * (point.0 - x))
        });
        (sums.1 > 0.0).then(|| sums.0 / sums.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airpath_base::Duration;

    #[test]
    fn a_queue_that_grows_by_a_tenth_has_that_slope() {
        let mut line = Trendline::new();
        let mut at = Time::ZERO;
        let mut trends = Vec::new();
        for _ in 0..300 {
            at += Duration::from_millis(11);
            trends.extend(line.update(Delta { sent: 10.0, arrived: 11.0, at }));
        }
        assert_eq!(trends.len(), 281);
        let last = trends.last().expect("a trend");
        assert!((last.value - 1.0 / 11.0).abs() < 1e-9, "{}", last.value);
        assert!((last.weighted - 240.0 / 11.0).abs() < 1e-6);
    }
}
