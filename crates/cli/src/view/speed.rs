//! Speed of a run, for an observer who looks at the run now and then.

use std::time::{Duration, Instant};

/// A speed is measured over so long at least.
const LEAST: Duration = Duration::from_millis(800);

/// Measures between two instants at which the run's time was seen to go on. A run whose time goes
/// on by long steps thus has its true speed. A pause does not count.
#[derive(Default)]
pub struct Speed {
    /// The run's time when it was last seen.
    seen_s: Option<f64>,
    /// An instant at which the run's time went on, and that time.
    mark: Option<(Instant, f64)>,
}

impl Speed {
    /// The run is at `time_s` now: its speed in seconds of the run for each of the clock, if that
    /// is known anew.
    pub fn at(&mut self, now: Instant, time_s: f64) -> Option<f64> {
        let seen = self.seen_s.replace(time_s)?;
        if time_s <= seen {
            return None;
        }
        let (then, from_s) = *self.mark.get_or_insert((now, time_s));
        let passed = now.saturating_duration_since(then);
        if passed < LEAST {
            return None;
        }
        self.mark = Some((now, time_s));
        Some((time_s - from_s) / passed.as_secs_f64())
    }

    /// The run waits: measuring begins anew.
    pub fn pause(&mut self) {
        *self = Speed::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::now;

    /// The speeds that are seen by looking every 100 ms at a run of this speed, whose time goes on
    /// by steps of so many seconds.
    fn seen(speed: f64, step_s: f64) -> Vec<f64> {
        let (began, mut all) = (now(), Speed::default());
        let look = |tenths: u32| {
            let clock_s = f64::from(tenths) / 10.0;
            let time_s = (clock_s * speed / step_s + 1e-9).floor() * step_s;
            all.at(began + Duration::from_secs_f64(clock_s), time_s)
        };
        (3..200).filter_map(look).collect()
    }

    #[test]
    fn a_run_is_as_fast_as_it_is_however_long_its_steps() {
        for (speed, step_s) in [(1.0, 1.0), (1.0, 0.1), (8.0, 0.1), (0.5, 1.0), (100.0, 1.0)] {
            let all = seen(speed, step_s);
            assert!(all.len() > 3, "{speed} {step_s}: {all:?}");
            let near = |one: &f64| (one / speed - 1.0).abs() < 1e-6;
            assert!(all.iter().all(near), "{speed} {step_s}: {all:?}");
        }
    }

    #[test]
    fn a_pause_does_not_count() {
        let (began, mut all) = (now(), Speed::default());
        let at = |seconds: f64| began + Duration::from_secs_f64(seconds);
        let first: Vec<_> =
            (0..30).map(|n| all.at(at(f64::from(n) / 10.0), f64::from(n))).collect();
        assert!(first.iter().flatten().all(|one| (one - 10.0).abs() < 1e-6));
        all.pause();
        let behind: Vec<_> =
            (0..30).map(|n| all.at(at(60.0 + f64::from(n) / 10.0), f64::from(30 + n))).collect();
        assert!(behind.iter().flatten().count() > 0);
        assert!(behind.iter().flatten().all(|one| (one - 10.0).abs() < 1e-6), "{behind:?}");
    }
}
