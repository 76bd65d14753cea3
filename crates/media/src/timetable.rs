//! Times of a source's frames.

use airpath_base::{Duration, Time};

/// Times of the frames of a source: equal distances from the first frame on, up to a stop.
///
/// A source that pauses makes no frames. It goes on at the instants at which it would have, without the frames between.
#[derive(Clone, Debug)]
pub struct Timetable {
    first: Time,
    period: Duration,
    stop: Option<Time>,
    /// Frames made, and those that pauses have left out.
    frames: u64,
    skipped: u64,
    paused: bool,
    due: Option<Time>,
}

impl Timetable {
    /// Times of frames that begin at `start`, at the position `phase` of a cycle. No frame is made from `stop` on. The
    /// number is that of the cycle's frames before the first.
    pub fn new(
        start: Time,
        (period, phase): (Duration, Duration),
        stop: Option<Time>,
    ) -> (Timetable, u64) {
        let nanos = period.as_nanos().max(1);
        let passed = phase.as_nanos().div_ceil(nanos);
        let wait = Duration::from_nanos(passed.saturating_mul(nanos) - phase.as_nanos());
        let first = start.saturating_add(wait);
        let due = Some(first).filter(|at| stop.is_none_or(|stop| *at < stop));
        (Timetable { first, period, stop, frames: 0, skipped: 0, paused: false, due }, passed)
    }

    /// Time of the next frame; none in a pause, and behind the last.
    pub fn due(&self) -> Option<Time> {
        self.due.filter(|_| !self.paused)
    }

    /// Frames made so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Number of the next frame in the sequence: frames made so far, and those that pauses have left out.
    pub fn number(&self) -> u64 {
        self.frames + self.skipped
    }

    /// The frame that was due has been made.
    pub fn made(&mut self) {
        self.frames += 1;
        self.expect();
    }

    /// No frame is made any more.
    pub fn end(&mut self) {
        self.due = None;
    }

    /// Pauses, or goes on with the first frame that is due from `now` on.
    pub fn set_active(&mut self, now: Time, active: bool) {
        if !std::mem::replace(&mut self.paused, !active) || !active {
            return;
        }
        let Some(due) = self.due.filter(|due| *due < now) else { return };
        self.skipped += now.since(due).as_nanos().div_ceil(self.period.as_nanos().max(1));
        self.expect();
    }

    /// Schedules the next frame by its number in the sequence.
    fn expect(&mut self) {
        let number = u128::from(self.frames) + u128::from(self.skipped);
        let period = u128::from(self.period.as_nanos());
        let next = u128::from(self.first.as_nanos()) + number * period;
        let next = u64::try_from(next).ok().map(Time::from_nanos);
        self.due = next.filter(|at| self.stop.is_none_or(|stop| *at < stop));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_those_of_the_sequence_whatever_pauses() {
        let ms = Time::from_millis;
        let spans = (Duration::from_millis(20), Duration::from_millis(30));
        // 30 ms into the cycle, the frame at 40 ms is next.
        let (mut times, passed) = Timetable::new(ms(100), spans, Some(ms(250)));
        assert_eq!((passed, times.due()), (2, Some(ms(110))));
        times.made();
        assert_eq!(times.due(), Some(ms(130)));
        times.set_active(ms(115), false);
        assert_eq!(times.due(), None);
        times.set_active(ms(151), true);
        assert_eq!(times.due(), Some(ms(170)));
        for due in [190, 210, 230] {
            times.made();
            assert_eq!(times.due(), Some(ms(due)));
        }
        times.made();
        assert_eq!((times.due(), times.frames()), (None, 5));
    }
}
