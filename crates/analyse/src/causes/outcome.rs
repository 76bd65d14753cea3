//! End of a direction: causes and their intervals, as a record has them.

use airpath_base::Time;

use super::hypotheses::peer_gone::STRIKES;
use super::position::{Place, Position};
use super::stretch::Kind;
use super::sums::{Causes, Origin};
use super::watch::Watch;
use super::{Cause, Confidence, Hypothesis, Interval, QueueCourse, Round};

/// Causes of a direction, hypotheses about them, and their intervals if they are kept.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) causes: Causes,
    pub(crate) hypotheses: Vec<Hypothesis>,
    pub(crate) intervals: Vec<Interval>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) course: Option<QueueCourse>,
}

impl Watch {
    /// Causes up to now, with times since `start`; none without time. `place` is the position by the handshake.
    pub(crate) fn causes(&self, place: Place, start: Time) -> Option<Outcome> {
        let mut done = self.clone();
        done.finish();
        let place = self.place(place);
        let (position, confidence) = (place.position(), self.confidence(&place));
        let mut causes = done.judge.causes(Origin { position, confidence })?;
        if self.room.is_unscaled() && position == Position::Sender && !needs_scale(&causes) {
            causes.confidence = Confidence::Certain;
        }
        let hypotheses = done.judge.hypotheses(&causes, start);
        let intervals = done.judge.intervals(start);
        let (rounds, course) = (done.judge.rounds(start), done.judge.course());
        Some(Outcome { causes, hypotheses, intervals, rounds, course })
    }

    /// Position by the handshake, or else by the round trips since.
    fn place(&self, place: Place) -> Place {
        let base = self.judge.path().base(self.stretches.done());
        let nanos = |micros: Option<u32>| micros.map(|micros| 1000 * u64::from(micros));
        Place {
            to_sender: place.to_sender.or(nanos(base[1])),
            to_receiver: place.to_receiver.or(nanos(base[0])),
            offload: self.segments.are_merged(),
        }
    }

    fn confidence(&self, place: &Place) -> Confidence {
        match place.position() {
            Position::Unknown => Confidence::Doubtful,
            _ if self.room.is_unscaled() => Confidence::Doubtful,
            Position::Sender => Confidence::Certain,
            _ => Confidence::Likely,
        }
    }

    /// The capture has ended. The last ACK ends the time that is judged, unless the sender still waits for one.
    fn finish(&mut self) {
        let (sent, least) = (self.sent_at, self.to_sender.least());
        self.delay.bound(sent, least);
        self.settle(Time::from_nanos(u64::MAX));
        let answered = self.answered_at;
        if self.stretches.kind() == Kind::Round && self.flight.bytes() > 0 {
            if self.recovery.unanswered() >= STRIKES {
                // All since the last ACK is the peer's silence.
                let since = answered.max(self.first);
                self.gauged(since, Kind::Gone);
                self.stretches.gone(since);
            }
            self.cut(sent.max(answered), Kind::Pause);
        }
        if self.stretches.kind() == Kind::Pause && !self.has_room() {
            // The sender waits for room, and no data answers it.
            self.cut(self.acked_at, Kind::Pause);
        }
        let answered = self.first_answer < Time::from_nanos(u64::MAX);
        self.judge.at_once(answered && self.fresh_at <= self.first_answer);
        // Silences are split as stretches are judged, so their number is not known before.
        self.judge_first(usize::MAX);
    }
}

/// True if the leading cause may be a window whose scale is not known. A queue that stands, or a client that requests
/// nothing, shows without it.
fn needs_scale(causes: &Causes) -> bool {
    !matches!(causes.first().0, Cause::Bottleneck | Cause::ClientIdle)
}
