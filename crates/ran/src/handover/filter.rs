//! Filter of layer 3 (TS 36.331, 5.5.3.2; TS 38.331, 5.5.3.2).

use airpath_base::{Duration, math};

use super::MeasurementConfig;

/// Filter of one kind of measurements: F_n = (1 - a) F_n-1 + a M_n with a = 1 / 2^(k/4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    share: f64,
}

impl Filter {
    /// The filter with coefficient k of measurements each `period`.
    ///
    /// k refers to 200 ms. Another period keeps the time characteristics: what is left of a step
    /// after 200 ms is 1 - a, so the share of a measurement is 1 - (1 - a)^(period / 200 ms).
    pub fn new(k: u8, period: Duration) -> Filter {
        let a = math::exp2(-f64::from(k) / 4.0);
        let periods = period.as_secs_f64() / MeasurementConfig::PERIOD.as_secs_f64();
        Filter { share: 1.0 - math::pow(1.0 - a, periods) }
    }

    /// The filtered value after a measurement. The first measurement is taken as it is.
    pub fn update(self, before: Option<f64>, measured: f64) -> f64 {
        before.map_or(measured, |before| before + self.share * (measured - before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Response to a step from 0 to 1 after each measurement.
    fn step(k: u8, period: u64, count: usize) -> Vec<f64> {
        let filter = Filter::new(k, Duration::from_millis(period));
        let mut value = 0.0;
        let update = |_| {
            value = filter.update(Some(value), 1.0);
            value
        };
        (0..count).map(update).collect()
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn step_response_by_hand() {
        // k = 4: a = 1/2. k = 8: a = 1/4, and 1 - (3/4)^n.
        for (found, expected) in step(4, 200, 4).into_iter().zip([0.5, 0.75, 0.875, 0.9375]) {
            near(found, expected);
        }
        near(step(8, 200, 3)[2], 1.0 - 27.0 / 64.0);
        assert_eq!(step(0, 200, 1), [1.0]);
        assert_eq!(Filter::new(4, Duration::from_millis(200)).update(None, -80.0), -80.0);
    }

    #[test]
    fn another_period_keeps_the_time_constant() {
        // 200 ms and 1 s after the step, for samples each 40, 100 and 200 ms.
        for (period, samples) in [(40, 5), (100, 2), (200, 1)] {
            let response = step(4, period, 5 * samples);
            near(response[samples - 1], 0.5);
            near(response[5 * samples - 1], 1.0 - 1.0 / 32.0);
        }
        // k = 0 is no filter in any period.
        assert_eq!(step(0, 40, 1), [1.0]);
        // A measurement each 400 ms has seen two periods.
        near(step(4, 400, 1)[0], 0.75);
    }
}
