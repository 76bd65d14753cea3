//! Rate that a cell exposes to an application (TS 23.501, 5.37.4 and 5.45): reports that come a delay later, on a way
//! beside the packets.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use airpath_base::{Duration, Time};

/// Rate that a cell exposes to the sources of a bearer's flows. Clones are the same reports.
#[derive(Clone, Debug)]
pub struct ExposedRate {
    reports: Arc<Mutex<Reports>>,
    /// Time from a report at the cell to the sources, above zero.
    delay: Duration,
    /// Share of the reported rate that the sources take together.
    share: f64,
}

#[derive(Debug, Default)]
struct Reports {
    /// Rates in bit/s with the times at which they come; of those that have come, the last alone.
    rates: VecDeque<(Time, f64)>,
    /// Sources that follow them.
    sources: u32,
}

impl ExposedRate {
    /// Reports that come `delay` later, at least a nanosecond. Sources take this share of the rate together.
    pub fn new(delay: Duration, share: f64) -> ExposedRate {
        let delay = delay.max(Duration::from_nanos(1));
        ExposedRate { reports: Arc::default(), delay, share }
    }

    /// The reports for one source more. All sources have equal parts of the rate.
    #[must_use]
    pub fn follow(&self) -> ExposedRate {
        self.with(|reports| reports.sources += 1);
        self.clone()
    }

    /// Sends a report of this rate in bit/s, no earlier than those before.
    pub fn report(&self, now: Time, rate: f64) {
        self.with(|reports| reports.rates.push_back((now.saturating_add(self.delay), rate)));
    }

    /// Rate for a source in bit/s by the last report that has come; none before the first. Times do not go back.
    pub fn of_source(&self, now: Time) -> Option<f64> {
        self.with(|Reports { rates, sources }| {
            while rates.get(1).is_some_and(|(comes, _)| *comes <= now) {
                rates.pop_front();
            }
            let (_, rate) = rates.front().filter(|(comes, _)| *comes <= now)?;
            Some(rate * self.share / f64::from((*sources).max(1)))
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Reports) -> T) -> T {
        act(&mut self.reports.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl PartialEq for ExposedRate {
    fn eq(&self, other: &ExposedRate) -> bool {
        Arc::ptr_eq(&self.reports, &other.reports)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_come_a_delay_later_and_sources_share_the_rate() {
        let rate = ExposedRate::new(Duration::from_millis(20), 0.9);
        let (one, at) = (rate.follow(), Time::from_millis);
        assert_eq!(one.of_source(at(0)), None);
        rate.report(at(100), 10e6);
        rate.report(at(110), 20e6);
        assert_eq!(one.of_source(at(119)), None);
        assert_eq!([at(120), at(129)].map(|now| one.of_source(now)), [Some(9e6); 2]);
        assert_eq!(one.of_source(at(130)), Some(18e6));
        let other = rate.follow();
        assert_eq!([&one, &other].map(|own| own.of_source(at(131))), [Some(9e6); 2]);
    }
}
