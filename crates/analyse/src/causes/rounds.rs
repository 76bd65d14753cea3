//! What is kept of a round trip until it is judged.

use airpath_base::{Duration, Time};

/// What a stretch of time was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Data was under way: until all that had been sent when it began was acknowledged.
    #[default]
    Round,
    /// Nothing was under way.
    Pause,
    /// The same, before the peer's next data came.
    Idle,
    /// Silence with data under way, before it is known whether that was longer than it takes.
    Quiet,
    /// Silence, ended by the timer.
    Timer,
    /// Silence with data under way, which then was acknowledged.
    Gap,
    /// The same for the first data after a pause.
    Waking,
    /// Nothing was heard any more.
    Gone,
}

/// Marks of a round.
pub(crate) mod mark {
    /// The sender had no room for a segment in the receive window.
    pub(crate) const EDGE: u8 = 1;
    /// The window was closed.
    pub(crate) const CLOSED: u8 = 2;
    /// Something was sent again.
    pub(crate) const LOST: u8 = 4;
    /// It is before all that the timer made the sender send again was acknowledged.
    pub(crate) const TIMER: u8 = 8;
    /// The first behind a pause, or of all.
    pub(crate) const FIRST: u8 = 16;
    /// A loss was being repaired: ACKs come in leaps and measure nothing.
    pub(crate) const REPAIR: u8 = 32;
    /// The receiver reported that packets were marked (CE).
    pub(crate) const MARKED: u8 = 128;
    /// It is part of the stretch before, if that is a round.
    pub(crate) const ON: u8 = 64;
}

/// A stretch of time at the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Round {
    pub(crate) from: Time,
    pub(crate) to: Time,
    /// Round trips to the receiver and to the sender.
    pub(crate) near: Range,
    pub(crate) far: Range,
    /// Time for which the application is known to have had nothing to send, in nanoseconds.
    pub(crate) drained: u64,
    /// Time for which the receiver's window had no room for a segment, in nanoseconds.
    pub(crate) edged: u64,
    /// Bytes acknowledged, and the most that were under way.
    pub(crate) delivered: u32,
    pub(crate) flight: u32,
    pub(crate) wait: Wait,
    pub(crate) kind: Kind,
    pub(crate) marks: u8,
}

/// How long an answer took that ended a silence; in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wait {
    /// From the data to its ACK, as it passes here.
    pub(crate) took: u32,
    /// What data took before; zero if no queue stood, so that it takes what the path takes.
    pub(crate) usual: u32,
    /// What it may take longer.
    pub(crate) slack: u32,
}

/// Least and greatest of some times, in microseconds; none if the least is the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) least: u32,
    pub(crate) most: u32,
}

impl Default for Range {
    fn default() -> Range {
        Range { least: u32::MAX, most: 0 }
    }
}

impl Range {
    /// Adds a time in nanoseconds.
    #[inline]
    pub(crate) fn add(&mut self, nanos: u64) {
        let micros = u32::try_from(nanos / 1000).unwrap_or(u32::MAX - 1);
        self.least = self.least.min(micros);
        self.most = self.most.max(micros);
    }

    /// Both.
    pub(crate) fn join(&mut self, other: Range) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    pub(crate) fn is_empty(self) -> bool {
        self.least > self.most
    }
}

impl Round {
    pub(crate) fn has(&self, mark: u8) -> bool {
        self.marks & mark != 0
    }

    /// Adds what goes on from it.
    fn join(&mut self, next: &Round) {
        self.to = next.to;
        self.near.join(next.near);
        self.far.join(next.far);
        self.drained += next.drained;
        self.edged += next.edged;
        self.delivered = self.delivered.saturating_add(next.delivered);
        self.flight = self.flight.max(next.flight);
        self.marks |= next.marks & !mark::ON;
    }

    /// How long a silence lasted that the path does not explain which takes `least`, in
    /// nanoseconds; zero if it does.
    fn stall(&self, least: u32) -> u64 {
        let Wait { took, usual, slack } = self.wait;
        let stall = took.saturating_sub(usual.max(least));
        if stall > slack { (1000 * u64::from(stall)).min(self.nanos()) } else { 0 }
    }

    /// How long it was, in nanoseconds.
    pub(crate) fn nanos(&self) -> u64 {
        self.to.saturating_since(self.from).as_nanos()
    }
}

/// Tells which silences were longer than it takes, where the way to the receiver and back takes
/// `least` microseconds. What arrives behind one of these had been sent before, and says nothing of queues.
pub(crate) fn resolve(rounds: &mut Vec<Round>, least: u32) {
    let mut done: Vec<Round> = Vec::with_capacity(rounds.len());
    for round in rounds.drain(..) {
        if round.kind != Kind::Quiet {
            push(&mut done, round);
            continue;
        }
        let stalled = round.to.saturating_sub(Duration::from_nanos(round.stall(least)));
        push(&mut done, Round { to: stalled, kind: Kind::Round, ..round });
        if stalled < round.to {
            let kind = if round.has(mark::FIRST) { Kind::Waking } else { Kind::Gap };
            done.push(Round { from: stalled, to: round.to, kind, ..Round::default() });
        }
    }
    *rounds = done;
}

fn push(list: &mut Vec<Round>, mut round: Round) {
    let on = round.kind == Kind::Round && round.has(mark::ON);
    match list.last_mut().filter(|last| on && last.to == round.from) {
        Some(last) if last.kind == Kind::Round => last.join(&round),
        Some(last) if matches!(last.kind, Kind::Gap | Kind::Waking) => {
            (round.near, round.far) = (Range::default(), Range::default());
            list.push(round);
        }
        _ => list.push(round),
    }
}
