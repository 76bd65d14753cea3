//! From stretches of time to what is said of them.

use airpath_base::Time;

use super::position::{Place, Position};
use super::rounds::{Kind, Round, mark, resolve};
use super::sums::{Causes, Origin};
use super::view::{Watch, Word};
use super::waits::later;
use super::{Cause, Confidence, Interval};

/// Stretches that wait to be judged; when there are more, half of them are.
const MOST_ROUNDS: usize = 64;
/// Timers without an answer after which the peer is gone (RFC 9293, 3.8.3: R1).
const GONE: u32 = 3;
/// Intervals that are kept of a direction; then the last one goes on.
const MOST_KEPT: usize = 100_000;

/// An interval, from and to.
pub(super) type Kept = (Time, Time, Cause);

impl Watch {
    /// The present stretch ends, and one of another kind begins.
    pub(super) fn cut(&mut self, at: Time, next: Kind) {
        let at = at.max(self.now.from);
        if self.drained_at > Time::ZERO {
            let since = self.drained_at.max(self.now.from);
            self.now.drained += at.saturating_since(since).as_nanos();
            self.drained_at = at;
        }
        if self.edge_at > Time::ZERO {
            self.now.edged += at.saturating_since(self.edge_at.max(self.now.from)).as_nanos();
        }
        let done = Round { to: at, ..std::mem::take(&mut self.now) };
        self.now = Round { from: at, kind: next, ..Round::default() };
        if next == Kind::Pause && !self.has_room() {
            self.now.marks = mark::EDGE;
        }
        self.marked();
        if done.nanos() == 0 && done.delivered == 0 {
            return;
        }
        self.pending.push(done);
        if self.pending.len() > MOST_ROUNDS {
            self.judge_first(MOST_ROUNDS / 2);
        }
    }

    /// Judges the first `n` stretches that wait.
    fn judge_first(&mut self, n: usize) {
        self.judge.meet(&self.pending);
        resolve(&mut self.pending, self.judge.to_receiver());
        self.judge.learn(&self.pending, self.largest);
        let n = n.min(self.pending.len());
        for round in self.pending.drain(..n) {
            let cause = self.judge.judge(&round);
            if let Some(kept) = &mut self.kept {
                keep(kept, &round, cause);
            }
        }
    }

    /// What is to be said in the end; `place` as the handshake has it.
    pub(crate) fn causes(&self, place: Place, start: Time) -> Option<(Causes, Vec<Interval>)> {
        let mut done = self.copied();
        done.finish();
        let place = self.place(place);
        let origin = Origin { position: place.position(), confidence: self.confidence(&place) };
        let since = |at: Time| at.saturating_since(start).as_secs_f64();
        let list = done.kept.iter().flatten();
        let list = list.map(|(from, to, cause)| Interval {
            from_s: since(*from),
            to_s: since(*to),
            cause: *cause,
        });
        Some((done.judge.causes(origin)?, list.collect()))
    }

    /// All that is known of the place.
    fn place(&self, place: Place) -> Place {
        let base = self.judge.base(&self.pending);
        let nanos = |micros: Option<u32>| micros.map(|micros| 1000 * u64::from(micros));
        Place {
            to_sender: place.to_sender.or(nanos(base[1])),
            to_receiver: place.to_receiver.or(nanos(base[0])),
            offload: self.offload,
        }
    }

    fn confidence(&self, place: &Place) -> Confidence {
        match place.position() {
            Position::Unknown => Confidence::Doubtful,
            _ if self.unscaled => Confidence::Doubtful,
            Position::Sender => Confidence::Certain,
            _ => Confidence::Likely,
        }
    }

    fn copied(&self) -> Watch {
        Watch {
            words: self.words.clone(),
            pending: self.pending.clone(),
            judge: self.judge.clone(),
            kept: self.kept.clone(),
            ..*self
        }
    }

    /// Moves the last acknowledgements to the sender's position in time. Nothing follows the last data
    /// through the path's queue, so they move by the least round trip to the sender, and not by a
    /// round trip that the queue has lengthened. The first data found an empty queue, too. So the time
    /// from the first data to the last acknowledgement is the one which the sender sees.
    fn bound(&mut self) {
        let least = self.least_far.min(self.shift());
        let end = self.sent_at.max(later(self.said_at, least));
        for word in &mut self.words {
            word.due = word.due.min(end);
        }
    }

    /// The capture has ended: what the sender heard last ends what is judged, unless it waits
    /// for an answer still.
    fn finish(&mut self) {
        self.bound();
        self.settle(Time::from_nanos(u64::MAX));
        let (sent, heard) = (self.sent_at, self.heard_at);
        if self.now.kind == Kind::Round && self.flight() > 0 {
            let end = sent.max(heard);
            if self.unanswered >= GONE {
                // All since the peer was heard last is its silence.
                let since = heard.max(self.first);
                self.pending.retain(|round| round.from < since);
                if let Some(last) = self.pending.last_mut() {
                    last.to = last.to.min(since);
                }
                self.now = Round { from: since, kind: Kind::Gone, ..Round::default() };
            }
            self.cut(end, Kind::Pause);
        }
        let all = self.pending.len();
        self.judge_first(all);
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let kept = self.kept.as_ref().map_or(0, |kept| kept.capacity() * size_of::<Kept>());
        self.words.capacity() * size_of::<Word>()
            + self.pending.capacity() * size_of::<Round>()
            + kept
    }
}

/// Adds to a list, in which neighbours with one cause are one.
fn keep(list: &mut Vec<Kept>, round: &Round, cause: Cause) {
    let full = list.len() >= MOST_KEPT;
    match list.last_mut() {
        Some((_, to, last)) if *last == cause || full => *to = round.to,
        _ => list.push((round.from, round.to, cause)),
    }
}
