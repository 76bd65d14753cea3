//! Kalman filter of the change of delay (draft-ietf-rmcat-gcc-02, 5.3).

use std::collections::VecDeque;

use airpath_base::math;

use super::groups::Delta;

/// Variance of the state noise (q).
const STATE_NOISE: f64 = 1e-3;
/// First error variance (e(0)).
const FIRST_ERROR: f64 = 0.1;
/// Coefficient of the variance of the measurement noise (chi, 0.001 to 0.1).
const CHI: f64 = 0.01;
/// Groups over which the highest rate of groups is looked for (K, open in the draft; libwebrtc,
/// overuse_estimator.cc, `kMinFramePeriodHistoryLength`).
const GROUPS: usize = 60;
/// Groups by which the result is multiplied at most (libwebrtc, overuse_detector.cc).
const MOST: u32 = 60;

/// A trend, and by how many groups it is multiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trend {
    /// The filter's result.
    pub value: f64,
    /// The value that is compared with the threshold, in milliseconds.
    pub weighted: f64,
    /// Changes of delay so far.
    pub deltas: u32,
}

#[derive(Debug)]
pub(super) struct Kalman {
    /// Change of the queue delay in milliseconds (m).
    change: f64,
    error: f64,
    /// Variance of the measurement noise (var_v).
    noise: f64,
    /// Milliseconds between the last groups sent.
    periods: VecDeque<f64>,
    deltas: u32,
}

impl Kalman {
    pub fn new() -> Kalman {
        let (change, error, noise) = (0.0, FIRST_ERROR, 1.0);
        Kalman { change, error, noise, periods: VecDeque::new(), deltas: 0 }
    }

    pub fn update(&mut self, delta: Delta) -> Trend {
        self.deltas = self.deltas.saturating_add(1);
        if self.periods.len() == GROUPS {
            self.periods.pop_front();
        }
        self.periods.push_back(delta.sent.max(1e-3));
        let shortest = self.periods.iter().fold(f64::INFINITY, |least, period| period.min(least));
        let residual = delta.delay() - self.change;
        let alpha = math::pow(1.0 - CHI, 30.0 * shortest / 1000.0);
        // An outlier counts as three deviations.
        let bounded = residual.abs().min(3.0 * self.noise.sqrt());
        self.noise = (alpha * self.noise + (1.0 - alpha) * bounded * bounded).max(1.0);
        let error = self.error + STATE_NOISE;
        let gain = error / (self.noise + error);
        self.change += residual * gain;
        self.error = (1.0 - gain) * error;
        let weighted = f64::from(self.deltas.min(MOST)) * self.change;
        Trend { value: self.change, weighted, deltas: self.deltas }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airpath_base::Time;

    #[test]
    fn the_first_step_is_that_of_the_equations() {
        let delta = Delta { sent: 5.0, arrived: 7.0, at: Time::ZERO };
        let trend = Kalman::new().update(delta);
        // alpha = 0.99^(30/(1000/5)), so the noise is 1.004519. The gain is 0.101/(1.004519 + 0.101).
        let alpha = 0.998_493_584_3;
        let noise = alpha + (1.0 - alpha) * 4.0;
        assert!((trend.value - 2.0 * 0.101 / (noise + 0.101)).abs() < 1e-9, "{}", trend.value);
        assert!((trend.value - 0.182_72).abs() < 1e-5, "{}", trend.value);
    }

    #[test]
    fn a_steady_change_is_found() {
        let mut kalman = Kalman::new();
        let delta = Delta { sent: 10.0, arrived: 12.0, at: Time::ZERO };
        let trend = (0..500).map(|_| kalman.update(delta)).last().expect("a trend");
        assert!((trend.value - 2.0).abs() < 0.01, "{}", trend.value);
        assert!((trend.weighted - 120.0).abs() < 0.6);
    }
}
