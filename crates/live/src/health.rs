//! How well an emulation keeps to the clock.

use airpath_base::Duration;
use airpath_results::RealTime;
use airpath_results::live::Health;
use hdrhistogram::Histogram;

/// What happens later than this has missed its deadline: a transmission time interval of LTE.
pub const DEADLINE: Duration = Duration::from_millis(1);
/// Above this 99th percentile of what packets were late, results are doubtful: the time by which
/// a scheduler decides is late by half an interval of LTE.
const DOUBTFUL: Duration = Duration::from_micros(500);
/// The largest lateness that is told from larger ones, in nanoseconds.
const MOST: u64 = 60_000_000_000;

/// Counts how late wake-ups and packets were.
#[derive(Clone, Debug)]
pub struct Lateness {
    wake: Histogram<u64>,
    added: Histogram<u64>,
    missed: u64,
}

impl Default for Lateness {
    fn default() -> Lateness {
        let histogram = || Histogram::new_with_bounds(1, MOST, 2).expect("valid bounds");
        Lateness { wake: histogram(), added: histogram(), missed: 0 }
    }
}

impl Lateness {
    /// The program was woken so much later than it had asked.
    pub fn woken(&mut self, late: Duration) {
        self.wake.saturating_record(late.as_nanos().max(1));
    }

    /// What was due was begun so much later.
    pub fn begun(&mut self, late: Duration) {
        self.missed += u64::from(late > DEADLINE);
    }

    /// A packet left so much later than in the model.
    pub fn left(&mut self, late: Duration) {
        self.added.saturating_record(late.as_nanos().max(1));
    }

    /// Adds what another has counted.
    pub fn add(&mut self, other: &Lateness) {
        self.wake.add(&other.wake).expect("the same bounds");
        self.added.add(&other.added).expect("the same bounds");
        self.missed += other.missed;
    }

    /// For the live view. `cpu` is the share of a core, `lag` how far the world is behind.
    pub fn health(&self, cpu: f64, lag: Duration) -> Health {
        let wake = |quantile| millis(self.wake.value_at_quantile(quantile));
        Health {
            wake_p50_ms: wake(0.5),
            wake_p99_ms: wake(0.99),
            wake_max_ms: millis(self.wake.max()),
            missed: self.missed,
            cpu,
            lag_ms: lag.as_millis_f64(),
        }
    }

    /// For the results, with what else is to be known: share of a core, packets that the kernel
    /// discarded unread, packets that it refused, and packets that the model has no place for.
    pub fn real_time(&self, cpu: f64, [unread, refused, strange]: [u64; 3]) -> RealTime {
        let wake = |quantile| millis(self.wake.value_at_quantile(quantile));
        let added = |quantile| millis(self.added.value_at_quantile(quantile));
        let mut real_time = RealTime {
            wakes: self.wake.len(),
            wake_p50_ms: wake(0.5),
            wake_p99_ms: wake(0.99),
            wake_max_ms: millis(self.wake.max()),
            added_p50_ms: added(0.5),
            added_p99_ms: added(0.99),
            added_max_ms: millis(self.added.max()),
            missed: self.missed,
            cpu,
            unread_packets: unread,
            refused_packets: refused,
            strange_packets: strange,
            warning: None,
        };
        real_time.warning = warning(&real_time);
        real_time
    }
}

fn millis(nanos: u64) -> f64 {
    // Three digits say all that two digits of a histogram know.
    (nanos as f64 / 1e3).round() / 1e3
}

/// Why results are doubtful, if they are.
fn warning(of: &RealTime) -> Option<String> {
    let mut reasons = Vec::new();
    if of.unread_packets + of.refused_packets > 0 {
        let lost = of.unread_packets + of.refused_packets;
        reasons.push(format!("{lost} packets were lost outside the model"));
    }
    if of.added_p99_ms > DOUBTFUL.as_millis_f64() {
        reasons.push(format!(
            "1% of the packets had {} ms more delay than in the model",
            of.added_p99_ms
        ));
    }
    if of.missed * 100 > of.wakes.max(1) {
        reasons.push(format!("{} of {} deadlines were missed by 1 ms", of.missed, of.wakes));
    }
    let reasons = reasons.join("; ");
    let mend = "the machine was too slow or busy with other work";
    (!reasons.is_empty()).then(|| format!("{reasons}: {mend}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    fn punctual() -> Lateness {
        let mut lateness = Lateness::default();
        for n in 1..=1000 {
            lateness.woken(micros(n / 10));
            lateness.begun(micros(n / 10));
            lateness.left(micros(n / 5));
        }
        lateness
    }

    #[test]
    fn percentiles_are_of_all_that_was_counted() {
        let real_time = punctual().real_time(0.25, [0; 3]);
        let near = |got: f64, want: f64| (got - want).abs() <= want * 0.02;
        assert!(near(real_time.wake_p50_ms, 0.050), "{real_time:?}");
        assert!(near(real_time.wake_p99_ms, 0.099), "{real_time:?}");
        assert!(near(real_time.added_p99_ms, 0.198), "{real_time:?}");
        assert_eq!((real_time.wakes, real_time.missed, &real_time.warning), (1000, 0, &None));
        let mut twice = punctual();
        twice.add(&punctual());
        assert_eq!(twice.real_time(0.25, [0; 3]).wakes, 2000);
        assert_eq!(twice.real_time(0.25, [0; 3]).wake_p99_ms, real_time.wake_p99_ms);
    }

    #[test]
    fn what_makes_results_doubtful_is_said() {
        let warned = |lateness: &Lateness, counts| {
            lateness.real_time(0.5, counts).warning.unwrap_or_default()
        };
        assert!(warned(&punctual(), [1, 2, 9]).starts_with("3 packets were lost outside"));
        let mut late = punctual();
        (0..11).for_each(|_| late.begun(micros(1001)));
        assert!(warned(&late, [0; 3]).starts_with("11 of 1000 deadlines were missed"));
        let mut slow = punctual();
        (0..20).for_each(|_| slow.left(micros(700)));
        assert!(warned(&slow, [0; 3]).starts_with("1% of the packets had 0.7"));
        assert_eq!(warned(&punctual(), [0, 0, 5]), "");
    }
}
