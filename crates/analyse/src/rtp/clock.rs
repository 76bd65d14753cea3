//! The clock of RTP timestamps, and the jitter that follows from it (RFC 3550, 6.4.1 and A.8).
//!
//! The rate is that of the payload type, if that is a static one (RFC 3551, 6). Else it is the
//! one of the usual rates that the timestamps run at, by sender reports or by arrival. As long
//! as that is not clear, jitter is reckoned for each of them.

use airpath_base::Time;
use serde::Serialize;

/// The usual rates (Hz): text, audio and video.
const RATES: [u32; 10] =
    [1000, 8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 90_000];
/// Relative distance of timestamps from a usual rate.
const TOLERANCE: f64 = 0.03;
/// Seconds for which timestamps have to run for that.
const LONG_ENOUGH: f64 = 1.0;

/// Source of a clock rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockSource {
    /// The static payload type (RFC 3551, 6).
    PayloadType,
    /// The usual rate that is nearest to what the timestamps of two sender reports say.
    SenderReports,
    /// The usual rate that is nearest to the speed of the timestamps at arrival.
    Arrival,
}

/// A clock and the jitter of its stream.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    fixed: Option<u32>,
    /// Arrival and timestamp of the packet before.
    last: (Time, u32),
    /// Arrival of the first packet, and how far the timestamp has run since.
    first: Time,
    ticks: i64,
    /// Time of a sender report, and its timestamp: the first and the last.
    reports: Option<[(f64, u32); 2]>,
    jitter: Vec<Jitter>,
}

/// Jitter, if the clock runs at a rate.
#[derive(Clone, Copy, Debug, Default)]
struct Jitter {
    rate: u32,
    /// Seconds.
    now: f64,
    sum: f64,
    most: f64,
    samples: u64,
}

impl Clock {
    pub(super) fn new(payload_type: u8, at: Time, timestamp: u32) -> Clock {
        let fixed = static_rate(payload_type);
        let rates = fixed.map_or(RATES.to_vec(), |rate| vec![rate]);
        let jitter = rates.into_iter().map(|rate| Jitter { rate, ..Jitter::default() }).collect();
        Clock { fixed, last: (at, timestamp), first: at, ticks: 0, reports: None, jitter }
    }

    /// A packet, in the order of arrival.
    pub(super) fn packet(&mut self, at: Time, timestamp: u32) {
        let ticks = timestamp.wrapping_sub(self.last.1).cast_signed();
        let ahead = at.saturating_since(self.last.0).as_secs_f64();
        let seconds = ahead - self.last.0.saturating_since(at).as_secs_f64();
        self.ticks += i64::from(ticks);
        self.last = (at, timestamp);
        self.jitter.iter_mut().for_each(|jitter| jitter.add(seconds, ticks));
    }

    /// Numbers and timestamps begin anew.
    pub(super) fn restart(&mut self, at: Time, timestamp: u32) {
        (self.last, self.first, self.ticks) = ((at, timestamp), at, 0);
    }

    /// A sender report: its time in seconds, and the timestamp of that time.
    pub(super) fn reported(&mut self, seconds: f64, timestamp: u32) {
        let reports = self.reports.get_or_insert([(seconds, timestamp); 2]);
        reports[1] = (seconds, timestamp);
    }

    /// Its rate, and where that comes from.
    pub(super) fn rate(&self) -> Option<(u32, ClockSource)> {
        if let Some(rate) = self.fixed {
            return Some((rate, ClockSource::PayloadType));
        }
        let by_reports = self.reports.and_then(|[first, last]| {
            let ticks = last.1.wrapping_sub(first.1).cast_signed();
            usual(ticks.into(), last.0 - first.0)
        });
        let seconds = self.last.0.saturating_since(self.first).as_secs_f64();
        let by_arrival = || Some((usual(self.ticks, seconds)?, ClockSource::Arrival));
        by_reports.map(|rate| (rate, ClockSource::SenderReports)).or_else(by_arrival)
    }

    /// Mean and greatest jitter in milliseconds, if the rate is known.
    pub(super) fn jitter_ms(&self) -> Option<[f64; 2]> {
        let (rate, _) = self.rate()?;
        let jitter = self.jitter.iter().find(|jitter| jitter.rate == rate)?;
        let mean = jitter.sum / jitter.samples as f64;
        (jitter.samples > 0).then_some([1e3 * mean, 1e3 * jitter.most])
    }

    /// Bytes on the heap.
    pub(super) fn heap(&self) -> usize {
        self.jitter.capacity() * size_of::<Jitter>()
    }
}

impl Jitter {
    fn add(&mut self, seconds: f64, ticks: i32) {
        let differ = (seconds - f64::from(ticks) / f64::from(self.rate)).abs();
        self.now += (differ - self.now) / 16.0;
        self.sum += self.now;
        self.most = self.most.max(self.now);
        self.samples += 1;
    }
}

/// The usual rate that is near so many ticks in a time.
fn usual(ticks: i64, seconds: f64) -> Option<u32> {
    let speed = ticks as f64 / seconds;
    let near = |rate: &&u32| (speed / f64::from(**rate) - 1.0).abs() <= TOLERANCE;
    RATES.iter().find(near).copied().filter(|_| seconds >= LONG_ENOUGH)
}

/// The clock rate of a static payload type (RFC 3551, tables 4 and 5).
fn static_rate(payload_type: u8) -> Option<u32> {
    Some(match payload_type {
        0 | 3..=5 | 7..=9 | 12 | 13 | 15 | 18 => 8000,
        6 => 16_000,
        10 | 11 => 44_100,
        16 => 11_025,
        17 => 22_050,
        14 | 25 | 26 | 28 | 31..=34 => 90_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: u64) -> Time {
        Time::from_nanos(1000 * n)
    }

    #[test]
    fn jitter_is_that_of_the_rfc() {
        // 8 kHz, 20 ms apart; the third comes 4 ms late, the fourth in time again: differences
        // of 0, 4 and 4 ms. J = 0; 4/16 = 0.25; 0.25 + 3.75/16 = 0.484375 (RFC 3550, A.8).
        let mut clock = Clock::new(0, us(0), 0);
        for (n, at) in [20_000, 44_000, 60_000].into_iter().enumerate() {
            clock.packet(us(at), 160 * (n as u32 + 1));
        }
        let [mean, most] = clock.jitter_ms().unwrap();
        assert!((most - 0.484_375).abs() < 1e-9 && (mean - 0.734_375 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_rate_is_found_by_arrival_and_better_by_reports() {
        let mut clock = Clock::new(96, us(0), u32::MAX - 5000);
        (1..=60u64).for_each(|n| {
            clock.packet(us(33_333 * n), (u32::MAX - 5000).wrapping_add(3000 * n as u32))
        });
        assert_eq!(clock.rate(), Some((90_000, ClockSource::Arrival)));
        assert!(clock.jitter_ms().unwrap()[1] < 0.001);
        clock.reported(100.0, 0);
        assert_eq!(clock.rate(), Some((90_000, ClockSource::Arrival)));
        clock.reported(105.0, 5 * 48_000);
        assert_eq!(clock.rate(), Some((48_000, ClockSource::SenderReports)));
    }

    #[test]
    fn what_is_short_or_runs_at_no_usual_rate_has_none() {
        let mut short = Clock::new(96, us(0), 0);
        (1..=20u32).for_each(|n| short.packet(us(33_333 * u64::from(n)), 3000 * n));
        assert_eq!((short.rate(), short.jitter_ms()), (None, None));
        let mut odd = Clock::new(96, us(0), 0);
        (1..=60u32).for_each(|n| odd.packet(us(33_333 * u64::from(n)), 2000 * n));
        assert_eq!(odd.rate(), None);
    }
}
