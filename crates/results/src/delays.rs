//! The delays of a flow's packets, in bounded memory.
//!
//! Up to a limit each delay is kept to the nanosecond, in order of arrival, and
//! every statistic is exact. Beyond it they move to a histogram (HdrHistogram,
//! three significant digits), whose percentiles are off by at most 0.1%; mean,
//! extremes, deviations and jitters stay exact.

use std::sync::OnceLock;

use airpath_base::Duration;
use airpath_stats::{Histogram, Welford};

use crate::DelaySummary;
use crate::stat::{self, millis};

/// Delays, one by one or as running figures.
#[derive(Clone, Debug)]
pub struct Delays {
    limit: usize,
    exact: Vec<u64>,
    /// Statistics of all of them once there are more than the limit.
    running: Option<Box<Running>>,
    /// Number of delays, and their statistics, at the first call: sorting them takes a while.
    known: OnceLock<(u64, Option<DelaySummary>)>,
}

/// Statistics of delays that are not kept one by one.
#[derive(Clone, Debug)]
struct Running {
    histogram: Histogram,
    sum: u128,
    min: u64,
    max: u64,
    moments: Welford,
    first: u64,
    last: u64,
    steps: u128,
    from_first: u128,
}

impl Delays {
    /// No delays yet; up to `limit` will be kept one by one.
    pub fn new(limit: usize) -> Delays {
        Delays { limit, exact: Vec::new(), running: None, known: OnceLock::new() }
    }

    /// No delays yet, with the same limit.
    pub(crate) fn anew(&self) -> Delays {
        Delays::new(self.limit)
    }

    /// Takes in the delay of the packet that arrived next.
    #[inline]
    pub fn add(&mut self, delay: Duration) {
        let delay = delay.as_nanos();
        if self.running.is_none() && self.exact.len() < self.limit {
            self.exact.push(delay);
        } else {
            self.add_running(delay);
        }
    }

    #[inline(never)]
    fn add_running(&mut self, delay: u64) {
        let exact = &mut self.exact;
        let running =
            self.running.get_or_insert_with(|| Box::new(Running::of(&std::mem::take(exact))));
        running.add(delay);
    }

    /// Number of delays.
    pub fn count(&self) -> u64 {
        self.running.as_ref().map_or(self.exact.len() as u64, |running| running.moments.count())
    }

    /// All delays in nanoseconds in order of arrival; none once there were more
    /// than the limit.
    pub fn exact(&self) -> Option<&[u64]> {
        self.running.is_none().then_some(&self.exact)
    }

    /// Statistics of all of these together; none without delays.
    pub(crate) fn together(all: &[&Delays]) -> Option<DelaySummary> {
        match all {
            [one] => one.summary(),
            all => match all.iter().map(|one| one.exact()).collect::<Option<Vec<_>>>() {
                Some(exact) => DelaySummary::of(&exact.concat()),
                None => {
                    let mut merged = Running::of(&[]);
                    all.iter().for_each(|one| merged.take_in(one));
                    merged.summary()
                }
            },
        }
    }

    /// Their statistics; none without delays.
    pub fn summary(&self) -> Option<DelaySummary> {
        let now = self.count();
        match self.known.get_or_init(|| (now, self.computed())) {
            (then, summary) if *then == now => *summary,
            _ => self.computed(),
        }
    }

    fn computed(&self) -> Option<DelaySummary> {
        match &self.running {
            None => DelaySummary::of(&self.exact),
            Some(running) => running.summary(),
        }
    }

    /// [`jitter`](stat::jitter) in milliseconds.
    pub fn jitter(&self) -> Option<f64> {
        match &self.running {
            None => stat::jitter(&self.exact),
            Some(running) => running.per_step(running.steps),
        }
    }

    /// [`jitter_from_first`](stat::jitter_from_first) in milliseconds.
    pub fn jitter_from_first(&self) -> Option<f64> {
        match &self.running {
            None => stat::jitter_from_first(&self.exact),
            Some(running) => running.per_step(running.from_first),
        }
    }
}

impl Running {
    /// Statistics of these delays, in order of arrival.
    fn of(delays: &[u64]) -> Running {
        let mut running = Running {
            histogram: Histogram::growing(3),
            sum: 0,
            min: u64::MAX,
            max: 0,
            moments: Welford::default(),
            first: 0,
            last: 0,
            steps: 0,
            from_first: 0,
        };
        delays.iter().for_each(|&delay| running.add(delay));
        running
    }

    fn add(&mut self, delay: u64) {
        if self.moments.count() == 0 {
            (self.first, self.last) = (delay, delay);
        }
        self.steps += u128::from(delay.abs_diff(self.last));
        self.from_first += u128::from(delay.abs_diff(self.first));
        self.last = delay;
        self.sum += u128::from(delay);
        self.min = self.min.min(delay);
        self.max = self.max.max(delay);
        self.moments.add(delay as f64);
        self.histogram.record(delay);
    }

    /// Counts another set's delays with its own, without their order.
    fn take_in(&mut self, other: &Delays) {
        let exact;
        let other = match &other.running {
            Some(running) => running,
            None => {
                exact = Running::of(&other.exact);
                &exact
            }
        };
        self.histogram.merge(&other.histogram);
        self.sum += other.sum;
        (self.min, self.max) = (self.min.min(other.min), self.max.max(other.max));
        self.moments.merge(&other.moments);
    }

    fn summary(&self) -> Option<DelaySummary> {
        Some(DelaySummary {
            mean: self.sum as f64 / self.moments.count() as f64 / 1e6,
            min: millis(self.min),
            max: millis(self.max),
            stddev: self.moments.stddev()? / 1e6,
            stddev_sample: self.moments.stddev_sample().map(|s| s / 1e6),
            p50: self.percentile(500),
            p95: self.percentile(950),
            p99: self.percentile(990),
        })
    }

    /// The upper end of the bucket that holds the nearest rank, in milliseconds.
    fn percentile(&self, per_mille: u32) -> f64 {
        let value = self.histogram.percentile(per_mille).unwrap_or(self.max);
        millis(value.clamp(self.min, self.max))
    }

    fn per_step(&self, sum: u128) -> Option<f64> {
        let steps = self.moments.count().checked_sub(1)?;
        (steps > 0).then(|| sum as f64 / steps as f64 / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(limit: usize, delays: &[u64]) -> Delays {
        let mut kept = Delays::new(limit);
        delays.iter().for_each(|&d| kept.add(Duration::from_nanos(d)));
        kept
    }

    #[test]
    fn below_the_limit_all_is_exact() {
        let nanos = [5_000_001, 7_000_000, 6_000_000];
        let delays = filled(3, &nanos);
        assert_eq!(delays.exact(), Some(&nanos[..]));
        assert_eq!(delays.summary(), DelaySummary::of(&nanos));
        let mut more = filled(2, &nanos[..2]);
        assert_eq!(more.summary(), DelaySummary::of(&nanos[..2]));
        more.add(Duration::from_nanos(1));
        assert_eq!((more.count(), more.summary().map(|of| of.min)), (3, Some(1e-6)));
        assert_eq!(filled(2, &nanos).exact(), None);
        assert_eq!(filled(2, &[]).summary(), None);
    }

    proptest! {
        #[test]
        fn several_together_are_as_all_of_them(
            nanos in prop::collection::vec(prop::collection::vec(0u64..100_000_000_000, 0..90), 0..5),
            limit in 0usize..100,
        ) {
            let sets: Vec<Delays> = nanos.iter().map(|nanos| filled(limit, nanos)).collect();
            let found = Delays::together(&sets.iter().collect::<Vec<_>>());
            let exact = DelaySummary::of(&nanos.concat());
            prop_assert_eq!(found.is_some(), exact.is_some());
            let (Some(found), Some(exact)) = (found, exact) else { return Ok(()) };
            prop_assert_eq!((found.min, found.max), (exact.min, exact.max));
            let close = |a: f64, b: f64, by: f64| (a - b).abs() <= by * b.abs() + 1e-6;
            prop_assert!(close(found.mean, exact.mean, 1e-12));
            prop_assert!(close(found.stddev, exact.stddev, 1e-9));
            for (found, exact) in [(found.p50, exact.p50), (found.p95, exact.p95), (found.p99, exact.p99)] {
                prop_assert!(close(found, exact, 1e-3));
            }
        }

        #[test]
        fn the_histogram_is_off_by_a_thousandth_at_most(
            nanos in prop::collection::vec(0u64..100_000_000_000, 2..300)
        ) {
            let exact = DelaySummary::of(&nanos).expect("delays");
            let delays = filled(1, &nanos);
            let rough = delays.summary().expect("delays");
            prop_assert_eq!((rough.min, rough.max), (exact.min, exact.max));
            let close = |a: f64, b: f64, by: f64| (a - b).abs() <= by * b.abs() + 1e-6;
            prop_assert!(close(rough.mean, exact.mean, 1e-12));
            prop_assert!(close(rough.stddev, exact.stddev, 1e-9));
            prop_assert!(close(rough.p50, exact.p50, 1e-3));
            prop_assert!(close(rough.p95, exact.p95, 1e-3));
            prop_assert!(close(rough.p99, exact.p99, 1e-3));
            prop_assert_eq!(delays.jitter(), stat::jitter(&nanos));
            prop_assert_eq!(delays.jitter_from_first(), stat::jitter_from_first(&nanos));
        }
    }
}
