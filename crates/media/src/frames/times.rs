//! Instants at which a source makes frames.

use airpath_base::random::Keyed;
use airpath_base::{Duration, Time};

use super::law::{self, TruncatedNormal};
use crate::Timetable;

/// Arrivals of frames at the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// Equal distances, and a jitter (TR 38.838, 5.1.1.2). Each frame comes `jitter_range` later than without one, plus its
    /// jitter, so that none comes before the source begins.
    Periodic {
        /// Distance, above zero.
        period: Duration,
        /// Position in the cycle at the start of the source.
        phase: Duration,
        /// Standard deviation of the jitter before it is cut.
        jitter: Duration,
        /// Largest jitter in each direction, at most half of the period, so that no frame overtakes another.
        jitter_range: Duration,
    },
    /// A Poisson process: FTP model 3 (TR 36.872, A.2.1.3.1), as files of one UE come whether or not those before have.
    Poisson {
        /// Mean time between arrivals, above zero.
        mean: Duration,
    },
}

/// The next frame of a source.
#[derive(Clone, Debug)]
pub(super) struct Times {
    kind: Kind,
    draws: Keyed,
    stop: Option<Time>,
    next: Option<(u64, Time)>,
}

#[derive(Clone, Debug)]
enum Kind {
    Periodic { times: Timetable, passed: u64, jitter: TruncatedNormal, range: Duration },
    Poisson { mean: Duration, number: u64, due: Time, paused: bool },
}

impl Times {
    pub(super) fn new(
        arrivals: Arrivals,
        (start, stop): (Time, Option<Time>),
        draws: Keyed,
    ) -> Times {
        let kind = match arrivals {
            Arrivals::Periodic { period, phase, jitter, jitter_range: range } => {
                let (times, passed) = Timetable::new(start, (period, phase), stop);
                let bound = range.as_secs_f64();
                let deviation = if range.is_zero() { 0.0 } else { jitter.as_secs_f64() };
                let jitter = TruncatedNormal { mean: 0.0, deviation, min: -bound, max: bound };
                Kind::Periodic { times, passed, jitter, range }
            }
            Arrivals::Poisson { mean } => {
                let due = start.saturating_add(law::exponential(mean, draws, 0));
                Kind::Poisson { mean, number: 0, due, paused: false }
            }
        };
        let mut times = Times { kind, draws, stop, next: None };
        times.next = times.expected();
        times
    }

    /// Number of the next frame in its cycle, and its time; none in a pause and behind the last.
    pub(super) fn due(&self) -> Option<(u64, Time)> {
        self.next
    }

    fn expected(&self) -> Option<(u64, Time)> {
        let (number, at) = match &self.kind {
            Kind::Periodic { times, passed, jitter, range } => {
                let number = passed + times.number();
                let shift = range.as_secs_f64() + jitter.draw(self.draws, number);
                let shift = Duration::from_secs_f64(shift.max(0.0));
                (number, times.due()?.saturating_add(shift))
            }
            Kind::Poisson { paused: true, .. } => return None,
            Kind::Poisson { number, due, .. } => (*number, *due),
        };
        Some((number, at)).filter(|_| self.stop.is_none_or(|stop| at < stop))
    }

    /// The frame that was due has been made.
    pub(super) fn made(&mut self) {
        match &mut self.kind {
            Kind::Periodic { times, .. } => times.made(),
            Kind::Poisson { mean, number, due, .. } => {
                *number += 1;
                *due = due.saturating_add(law::exponential(*mean, self.draws, *number));
            }
        }
        self.next = self.expected();
    }

    /// Pauses, or goes on with the first frame that is due from `now` on.
    pub(super) fn set_active(&mut self, now: Time, active: bool) {
        match &mut self.kind {
            Kind::Periodic { times, .. } => times.set_active(now, active),
            Kind::Poisson { mean, number, due, paused } => {
                *paused = !active;
                while *due < now {
                    *number += 1;
                    *due = due.saturating_add(law::exponential(*mean, self.draws, *number));
                }
            }
        }
        self.next = self.expected();
    }
}
