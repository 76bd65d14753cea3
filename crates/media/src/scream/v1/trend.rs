//! Trend of the queue delay (RFC 8298, 4.1.2.1): its autocorrelation over a second times its
//! average, as a fraction of the target.

/// Values kept, one each 50 ms.
const KEPT: usize = 20;

#[derive(Debug, Default)]
pub(super) struct DelayTrend {
    history: [f64; KEPT],
    at: usize,
    fraction: f64,
    value: f64,
}

impl DelayTrend {
    /// 0 for no tendency, up to 1.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Average of queue delay over target.
    pub fn fraction(&self) -> f64 {
        self.fraction
    }

    pub fn average(&mut self, fraction: f64) {
        self.fraction = 0.9 * self.fraction + 0.1 * fraction;
    }

    /// Keeps a value as often as 50 ms have passed. The first two seconds tell nothing.
    pub fn store(&mut self, fraction: f64, times: usize, reliable: bool) {
        for _ in 0..times.min(KEPT) {
            self.history[self.at] = fraction;
            self.at = (self.at + 1) % KEPT;
        }
        if reliable {
            self.value = self.compute();
        }
    }

    fn compute(&self) -> f64 {
        let mean = self.history.iter().sum::<f64>() / KEPT as f64;
        let oldest_first = (0..KEPT).map(|n| self.history[(self.at + n) % KEPT] - mean);
        let (mut squares, mut products, mut before) = (0.0, 0.0, 0.0);
        for x in oldest_first {
            squares += x * x;
            products += x * before;
            before = x;
        }
        match squares > 0.0 {
            true => (products / squares * self.fraction).clamp(0.0, 1.0),
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_has_a_trend_and_an_alternation_none() {
        let mut trend = DelayTrend::default();
        for n in 0..KEPT {
            trend.average(1.0);
            trend.store(n as f64, 1, true);
        }
        // For 0..20 less 9.5: sum of squares 665, of neighbours' products 565.25 (by
        // hand); the average after 20 steps is 1 - 0.9^20 = 0.878423.
        assert!((trend.value() - 565.25 / 665.0 * 0.878_423).abs() < 1e-5, "{}", trend.value());
        (0..KEPT).for_each(|n| trend.store((n % 2) as f64, 1, true));
        assert_eq!(trend.value(), 0.0);
    }
}
