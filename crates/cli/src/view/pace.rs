//! Requests of keys to a run: to end, to wait, to be faster or slower.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::watch::now;

/// Interval at which a run that waits checks for new requests.
const LOOK: Duration = Duration::from_millis(20);
/// A run that is further behind its limit does not catch up.
const MOST_BEHIND: Duration = Duration::from_millis(500);
/// Limits that keys can set, in seconds of the run for each of the clock.
const SLOWEST: f64 = 1.0 / 64.0;
const FASTEST: f64 = 1_024.0;

/// Requests of keys. The view's thread writes them, the run's thread reads them.
pub struct Asked {
    /// Ends the run; signals set it too.
    pub end: &'static AtomicBool,
    paused: AtomicBool,
    /// The bits of the limit; infinite for none.
    limit: AtomicU64,
}

impl Asked {
    /// Nothing yet, with a limit or none.
    pub fn new(end: &'static AtomicBool, limit: Option<f64>) -> Asked {
        let limit = limit.unwrap_or(f64::INFINITY).to_bits();
        Asked { end, paused: AtomicBool::new(false), limit: AtomicU64::new(limit) }
    }

    /// Checks for a request to end the run.
    pub fn over(&self) -> bool {
        self.end.load(Ordering::Relaxed)
    }

    /// Checks for a request to pause the run.
    pub fn paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// The fastest that it may be.
    pub fn limit(&self) -> Option<f64> {
        let limit = f64::from_bits(self.limit.load(Ordering::Relaxed));
        limit.is_finite().then_some(limit)
    }

    /// Waits, or goes on.
    pub fn toggle(&self) {
        self.paused.fetch_xor(true, Ordering::Relaxed);
    }

    /// Twice as fast; without a limit where that is faster than keys can set.
    pub fn faster(&self) {
        let limit = self.limit().map_or(f64::INFINITY, |limit| limit * 2.0);
        self.set(if limit > FASTEST { f64::INFINITY } else { limit });
    }

    /// Half as fast: as the limit, or as the run has been lately if there is none.
    pub fn slower(&self, lately: Option<f64>) {
        let from = self.limit().or(lately.map(power_of_two)).unwrap_or(2.0);
        self.set((from / 2.0).clamp(SLOWEST, FASTEST));
    }

    fn set(&self, limit: f64) {
        self.limit.store(limit.to_bits(), Ordering::Relaxed);
    }
}

/// The next one up to `speed`, so that limits are round.
fn power_of_two(speed: f64) -> f64 {
    let mut power = FASTEST;
    while power > speed && power > SLOWEST {
        power /= 2.0;
    }
    power
}

/// Keeps a simulation to the requested speed.
pub struct Pace {
    /// Beginning of the limit on the clock and in the run's time in seconds, and the limit.
    since: Option<(Instant, f64, f64)>,
}

impl Pace {
    /// No limit has held yet.
    pub fn new() -> Pace {
        Pace { since: None }
    }

    /// Waits as long as the run, which has come to `time_s`, should.
    pub fn keep(&mut self, time_s: f64, asked: &Asked) {
        while !asked.over() && self.early(time_s, asked) {
            thread::park_timeout(LOOK);
        }
    }

    fn early(&mut self, time_s: f64, asked: &Asked) -> bool {
        if asked.paused() {
            self.since = None;
            return true;
        }
        let Some(limit) = asked.limit() else { return false };
        let known = self.since.filter(|(.., known)| *known == limit);
        let (began, from_s, _) = *self.since.insert(known.unwrap_or((now(), time_s, limit)));
        let due = began + Duration::from_secs_f64((time_s - from_s) / limit);
        let now = now();
        if now.saturating_duration_since(due) > MOST_BEHIND {
            self.since = None;
        }
        now < due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static END: AtomicBool = AtomicBool::new(false);

    #[test]
    fn keys_double_and_halve_the_limit() {
        let asked = Asked::new(&END, Some(8.0));
        asked.faster();
        assert_eq!(asked.limit(), Some(16.0));
        asked.slower(Some(3.0));
        asked.slower(None);
        assert_eq!(asked.limit(), Some(4.0));
        (0..9).for_each(|_| asked.faster());
        assert_eq!(asked.limit(), None, "more than 1024 is no limit");
        // Half of 256, the power of two below what it was.
        asked.slower(Some(300.0));
        assert_eq!(asked.limit(), Some(128.0));
        (0..30).for_each(|_| asked.slower(None));
        assert_eq!(asked.limit(), Some(SLOWEST));
    }

    #[test]
    fn a_run_waits_if_it_is_early_or_paused_and_not_if_it_is_to_end() {
        let (asked, mut pace) = (Asked::new(&END, None), Pace::new());
        assert!(!pace.early(1_000.0, &asked), "no limit");
        asked.slower(Some(1.0));
        assert!(!pace.early(1_000.0, &asked), "the limit begins to hold");
        assert!(pace.early(1_900.0, &asked), "900 s are not over");
        asked.toggle();
        assert!(pace.early(0.0, &asked), "paused");
        asked.toggle();
        assert!(!pace.early(1_900.0, &asked), "a pause counts for nothing");
        static OVER: AtomicBool = AtomicBool::new(true);
        let asked = Asked::new(&OVER, Some(1e-3));
        asked.toggle();
        pace.keep(1e9, &asked);
    }
}
