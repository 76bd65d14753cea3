//! Judge of stretches: the first rule that holds gives the cause.
//!
//! A [`Rule`] is a function of a [`Case`], which is a stretch and all that is known of its direction. Knowledge comes
//! from the stretches themselves: first the round trips of all that wait, then their rates, then what happened
//! before the stretch.

use airpath_base::Time;

use super::evidence::known::Known;
use super::evidence::known::before::Before;
use super::evidence::known::path::Path;
use super::exhibits::Exhibits;
use super::hypotheses::{Case, Rule};
use super::position::NEAR;
use super::queue_course::{Passed, QueueCourse};
use super::round::{Round, Rounds};
use super::stretch::{Kind, Stretch};
use super::sums::{Causes, Origin, Sums};
use super::{Cause, Hypothesis, Interval, likelihood};

/// Intervals that are kept of a direction; the last one goes on if there are more.
const MOST_KEPT: usize = 100_000;

/// Knowledge of a direction and the time of each cause.
#[derive(Clone, Debug)]
pub(crate) struct Judge {
    rules: &'static [(Cause, Rule)],
    known: Known,
    sums: Sums,
    exhibits: Exhibits,
    /// Begin, end and cause of intervals.
    kept: Option<Vec<(Time, Time, Cause)>>,
    /// Round trips, if intervals are kept.
    rounds: Rounds,
    /// Course of the queue, from the first round trip on in which a link was full or lost data.
    course: Option<Box<QueueCourse>>,
}

impl Judge {
    /// Before the first stretch, where the handshake took so many nanoseconds to the sender and to the receiver; zero if
    /// not known.
    pub(crate) fn new([far, near]: [u64; 2], keep: bool, rules: &'static [(Cause, Rule)]) -> Judge {
        let whole = far.saturating_add(near);
        let before = Before::new(whole);
        let near = near > 0 && far <= whole / NEAR;
        let known = Known { path: Path::new(far), before, near, ..Known::default() };
        Judge {
            rules,
            known,
            sums: Sums::default(),
            exhibits: Exhibits::default(),
            kept: keep.then(Vec::new),
            rounds: Rounds::default(),
            course: None,
        }
    }

    /// Notes whether all data was sent before the first answer.
    pub(crate) fn at_once(&mut self, at_once: bool) {
        self.known.at_once = at_once;
    }

    /// Round trips of the path.
    pub(crate) fn path(&self) -> &Path {
        &self.known.path
    }

    /// Time that data took, in nanoseconds; the first one counts.
    pub(crate) fn began(&mut self, nanos: u64) {
        self.known.before.data(nanos);
    }

    /// Notes whether lags of both ends measure delays.
    pub(crate) fn serve(&mut self, serves: bool) {
        self.known.path.serve(serves);
    }

    /// Learns the round trips of stretches that are to be judged now or later.
    pub(crate) fn meet(&mut self, stretches: &[Stretch]) {
        stretches.iter().for_each(|stretch| self.known.path.meet(stretch));
    }

    /// Learns the rates of the same, with full segments of so many bytes.
    pub(crate) fn learn(&mut self, stretches: &[Stretch], segment: u32) {
        let Known { path, queues, .. } = &mut self.known;
        queues.size(segment);
        stretches.iter().for_each(|stretch| queues.learn(stretch, path));
    }

    /// Judges a stretch, and adds its time.
    pub(crate) fn judge(&mut self, stretch: &Stretch) {
        if stretch.is_round() {
            let Known { path, queues, growth, slowdown, drains, company, .. } = &mut self.known;
            company.meet(stretch);
            drains.meet(stretch);
            slowdown.meet(stretch);
            growth.meet(stretch, queues.segment());
            queues.meet(stretch, path);
        }
        self.known.path.drift(stretch);
        let Known { path, queues, .. } = &self.known;
        let case = Case { stretch, known: &self.known };
        let first = self.rules.iter().find(|(_, rule)| (rule.holds)(&case));
        let cause = first.map_or(Cause::CannotTell, |(cause, _)| *cause);
        self.exhibits.add(cause, &case);
        let active = !matches!(stretch.kind, Kind::Pause | Kind::Idle | Kind::Gone);
        self.sums.add(cause, stretch.nanos(), stretch.delivered, active);
        if matches!(cause, Cause::Bottleneck | Cause::SharedBottleneck) {
            let level = queues.measured(stretch, path).map(|_| path.middle(stretch));
            self.sums.full(stretch.nanos(), stretch.delivered, level);
        }
        self.follow(stretch, cause);
        self.keep(stretch, cause);
    }

    /// Adds a round trip to the course of the queue.
    fn follow(&mut self, stretch: &Stretch, cause: Cause) {
        let full =
            matches!(cause, Cause::Bottleneck | Cause::SharedBottleneck | Cause::QueueBefore);
        let begins = full || cause == Cause::LossWithoutQueue;
        if !stretch.is_round() || !(begins || self.course.is_some()) {
            return;
        }
        let Stretch { from, to, delivered: bytes, .. } = *stretch;
        let micros = self.known.path.whole(stretch);
        self.course.get_or_insert_default().add(&Passed { from, to, micros, bytes, full });
    }

    /// Course of the queue, if there was one.
    pub(crate) fn course(&self) -> Option<QueueCourse> {
        Some(self.course.as_deref()?.clone().based(self.known.path.least()))
    }

    /// Adds to the list of intervals, in which neighbours with one cause are one.
    fn keep(&mut self, stretch: &Stretch, cause: Cause) {
        let Some(kept) = &mut self.kept else { return };
        self.rounds.add(stretch, &self.known.path);
        let full = kept.len() >= MOST_KEPT;
        match kept.last_mut() {
            Some((_, to, last)) if *last == cause || full => *to = stretch.to,
            _ => kept.push((stretch.from, stretch.to, cause)),
        }
    }

    /// Shares of the causes; none if no time passed.
    pub(crate) fn causes(&self, origin: Origin) -> Option<Causes> {
        self.sums.causes(origin)
    }

    /// Hypotheses about what led to these causes, with times since `start`.
    pub(crate) fn hypotheses(&self, causes: &Causes, start: Time) -> Vec<Hypothesis> {
        likelihood::hypotheses(causes, &self.exhibits, start)
    }

    /// Intervals that are kept, since `start`.
    pub(crate) fn intervals(&self, start: Time) -> Vec<Interval> {
        let since = |at: Time| at.saturating_since(start).as_secs_f64();
        let kept = self.kept.iter().flatten();
        let interval = |(from, to, cause): &(Time, Time, Cause)| Interval {
            from_s: since(*from),
            to_s: since(*to),
            cause: *cause,
        };
        kept.map(interval).collect()
    }

    /// Round trips that are kept, since `start`.
    pub(crate) fn rounds(&self, start: Time) -> Vec<Round> {
        self.rounds.since(start)
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let kept = self.kept.as_ref();
        kept.map_or(0, |kept| kept.capacity() * size_of::<(Time, Time, Cause)>())
            + self.rounds.heap()
            + self.course.as_ref().map_or(0, |course| course.heap())
    }
}
