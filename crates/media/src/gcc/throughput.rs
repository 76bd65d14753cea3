//! Rate at which packets arrive.

use airpath_base::{Duration, Time};

use super::Variant;
use crate::paced::Window;

/// Window of the draft (T; draft-ietf-rmcat-gcc-02, table 1: 0.5 to 1 s).
const DRAFT: Duration = Duration::from_millis(500);
/// First window and the later ones (libwebrtc, bitrate_estimator.cc).
const FIRST: Duration = Duration::from_millis(500);
const LATER: Duration = Duration::from_millis(150);
/// Uncertainty of a sample, of one of few bytes below the estimate, and the growth of the variance (same file).
const UNCERTAINTY: f64 = 10.0;
const UNCERTAINTY_FEW: f64 = 25.0;
const FEW: f64 = 2_000.0;
const GROWTH: f64 = 5.0;
const FIRST_VARIANCE: f64 = 50.0;

/// Receiving rate in bit/s.
#[derive(Debug)]
pub(super) enum Throughput {
    /// Over a window.
    Window(Window),
    /// Samples of windows, weighted by their distance from the estimate.
    Bayesian(Bayesian),
}

#[derive(Debug)]
pub(super) struct Bayesian {
    estimate: Option<f64>,
    variance: f64,
    bytes: f64,
    /// Time that the window has lasted, and that of the last packet.
    span: Duration,
    last: Option<Time>,
}

impl Throughput {
    pub fn new(variant: Variant) -> Throughput {
        match variant {
            Variant::Draft => Throughput::Window(Window::new(DRAFT)),
            Variant::Libwebrtc => Throughput::Bayesian(Bayesian::new()),
        }
    }

    pub fn add(&mut self, at: Time, bytes: u32) {
        match self {
            Throughput::Window(window) => window.add(at, 8.0 * f64::from(bytes)),
            Throughput::Bayesian(bayesian) => bayesian.add(at, f64::from(bytes)),
        }
    }

    /// The rate at a time of the receiver; none before the first estimate.
    pub fn rate(&mut self, at: Time) -> Option<f64> {
        match self {
            Throughput::Window(window) => {
                window.forget(at);
                (window.len() > 0).then(|| window.rate(at))
            }
            Throughput::Bayesian(bayesian) => bayesian.estimate,
        }
    }
}

impl Bayesian {
    fn new() -> Bayesian {
        let (variance, bytes, span) = (FIRST_VARIANCE, 0.0, Duration::ZERO);
        Bayesian { estimate: None, variance, bytes, span, last: None }
    }

    fn add(&mut self, at: Time, bytes: f64) {
        let window = if self.estimate.is_some() { LATER } else { FIRST };
        let since = self.last.map_or(Duration::ZERO, |last| at.saturating_since(last));
        self.last = self.last.max(Some(at));
        self.span += since;
        if since >= window {
            // After a pause there is no sample.
            (self.bytes, self.span) = (0.0, self.span % window);
        }
        if self.span >= window {
            self.span -= window;
            self.sample(8.0 * self.bytes / window.as_secs_f64(), self.bytes < FEW);
            self.bytes = 0.0;
        }
        self.bytes += bytes;
    }

    fn sample(&mut self, rate: f64, few: bool) {
        let Some(estimate) = self.estimate else {
            self.estimate = Some(rate);
            return;
        };
        let scale = if few && rate < estimate { UNCERTAINTY_FEW } else { UNCERTAINTY };
        let deviation = scale * (estimate - rate).abs() / estimate.max(1.0);
        let (sample, before) = (deviation * deviation, self.variance + GROWTH);
        self.estimate = Some((sample * estimate + before * rate) / (sample + before));
        self.variance = sample * before / (sample + before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The estimate after packets of 1250 bytes, one in so many milliseconds.
    fn feed(bayesian: &mut Bayesian, from: u64, to: u64, each: usize) -> Option<f64> {
        let times = (from..to).step_by(each).map(Time::from_millis);
        times.for_each(|at| bayesian.add(at, 1250.0));
        bayesian.estimate
    }

    #[test]
    fn a_steady_rate_is_found_and_a_new_one_approached() {
        let mut bayesian = Bayesian::new();
        assert_eq!(feed(&mut bayesian, 0, 500, 10), None);
        assert_eq!(feed(&mut bayesian, 500, 510, 10), Some(1e6));
        let after = feed(&mut bayesian, 510, 2010, 10).expect("an estimate");
        assert!((after - 1e6).abs() < 0.1e6, "{after}");
        let after = feed(&mut bayesian, 2010, 5010, 20).expect("an estimate");
        assert!((0.45e6..0.6e6).contains(&after), "{after}");
    }

    #[test]
    fn a_sample_is_weighted_by_its_distance() {
        let mut bayesian = Bayesian { estimate: Some(1e6), ..Bayesian::new() };
        bayesian.sample(2e6, false);
        // (10 * 1)^2 = 100 against 55: (100 * 1 + 55 * 2)/155.
        assert!((bayesian.estimate.expect("an estimate") - 1e6 * 210.0 / 155.0).abs() < 1e-3);
        assert!((bayesian.variance - 5500.0 / 155.0).abs() < 1e-9);
    }
}
