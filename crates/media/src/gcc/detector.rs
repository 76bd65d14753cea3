//! Detector of over-use with a threshold that adapts (draft-ietf-rmcat-gcc-02, 5.4; libwebrtc,
//! trendline_estimator.cc).

use airpath_base::Time;

use super::Variant;
use super::groups::Delta;
use super::kalman::Trend;

/// First threshold, and its limits, in milliseconds.
const FIRST: f64 = 12.5;
const LIMITS: (f64, f64) = (6.0, 600.0);
/// The threshold does not follow a trend that lies further above it, in milliseconds.
const FAR: f64 = 15.0;
/// Over-use counts after so long a time, in milliseconds.
const OVER: f64 = 10.0;
/// Longest time in milliseconds for which the threshold moves at once (libwebrtc).
const STEP: f64 = 100.0;

/// State of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    Normal,
    Over,
    Under,
}

#[derive(Debug)]
pub(super) struct Detector {
    /// Gains of the threshold upwards and downwards, in each millisecond (K_u, K_d).
    gains: (f64, f64),
    threshold: f64,
    moved: Option<Time>,
    /// Milliseconds above the threshold, and in how many changes of delay.
    over: Option<(f64, u32)>,
    before: f64,
    usage: Usage,
}

impl Detector {
    pub fn new(variant: Variant) -> Detector {
        let gains = match variant {
            Variant::Draft => (0.01, 0.000_18),
            Variant::Libwebrtc => (0.0087, 0.039),
        };
        let (moved, over) = (None, None);
        Detector { gains, threshold: FIRST, moved, over, before: 0.0, usage: Usage::Normal }
    }

    pub fn usage(&self) -> Usage {
        self.usage
    }

    pub fn update(&mut self, trend: Trend, delta: Delta) {
        if trend.deltas >= 2 {
            self.judge(trend, delta.sent);
        }
        self.before = trend.value;
        self.adapt(trend.weighted.abs(), delta.at);
    }

    fn judge(&mut self, trend: Trend, sent: f64) {
        if trend.weighted <= self.threshold {
            let under = trend.weighted < -self.threshold;
            self.usage = if under { Usage::Under } else { Usage::Normal };
            self.over = None;
            return;
        }
        // Over-use is taken to have begun half-way between the groups.
        let (time, count) = self.over.map_or((sent / 2.0, 1), |(time, n)| (time + sent, n + 1));
        self.over = Some((time, count));
        if time > OVER && count > 1 && trend.value >= self.before {
            self.over = Some((0.0, 0));
            self.usage = Usage::Over;
        }
    }

    fn adapt(&mut self, trend: f64, at: Time) {
        let moved = self.moved.replace(at).unwrap_or(at);
        if trend > self.threshold + FAR {
            return;
        }
        let gain = if trend < self.threshold { self.gains.1 } else { self.gains.0 };
        let span = at.saturating_since(moved).as_millis_f64().min(STEP);
        let threshold = self.threshold + gain * span * (trend - self.threshold);
        self.threshold = threshold.clamp(LIMITS.0, LIMITS.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airpath_base::Duration;

    /// Usage after each trend, in steps of 10 ms.
    fn usages(detector: &mut Detector, trends: &[f64]) -> Vec<Usage> {
        let mut at = Time::ZERO;
        let step = |(n, weighted): (usize, &f64)| {
            at += Duration::from_millis(10);
            let trend = Trend { value: *weighted, weighted: *weighted, deltas: 10 + n as u32 };
            detector.update(trend, Delta { sent: 10.0, arrived: 10.0, at });
            detector.usage()
        };
        trends.iter().enumerate().map(step).collect()
    }

    #[test]
    fn over_use_needs_time_and_a_trend_that_does_not_fall() {
        use Usage::{Normal, Over, Under};
        let mut detector = Detector::new(Variant::Draft);
        let seen = usages(&mut detector, &[13.0, 14.0, 13.5, 0.0, 20.0, 19.0, 21.0, -40.0]);
        assert_eq!(seen, [Normal, Over, Over, Normal, Normal, Normal, Over, Under]);
    }

    #[test]
    fn the_threshold_follows_the_trend_but_no_spike() {
        let mut detector = Detector::new(Variant::Libwebrtc);
        // 0.039 * 10 ms * (0 - 12.5) from the second step on.
        usages(&mut detector, &[0.0, 0.0]);
        assert!((detector.threshold - 12.5 * (1.0 - 0.39)).abs() < 1e-12);
        usages(&mut detector, &[0.0; 100]);
        assert_eq!(detector.threshold, 6.0);
        usages(&mut detector, &[22.0; 100]);
        assert_eq!(detector.threshold, 6.0);
        let mut draft = Detector::new(Variant::Draft);
        usages(&mut draft, &[20.0, 20.0]);
        assert!((draft.threshold - (12.5 + 0.1 * 7.5)).abs() < 1e-12);
    }
}
