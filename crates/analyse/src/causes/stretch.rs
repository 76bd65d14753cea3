//! Stretches of a sender's time: round trips, pauses, silences and waits for the timer.

use airpath_base::Time;

use super::evidence::departures::Bursts;

/// Kind of a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Data was under way: until all that had been sent when it began was acknowledged.
    #[default]
    Round,
    /// Nothing was under way.
    Pause,
    /// Nothing was under way, before the peer's next data came.
    Idle,
    /// Silence with data under way, before it is known whether an answer takes that long.
    Quiet,
    /// Silence that the timer ended.
    Timer,
    /// Silence with data under way, which then was acknowledged.
    Gap,
    /// Silence with the first data after a pause under way, which then was acknowledged.
    Waking,
    /// Silence up to the end.
    Gone,
}

/// Marks of a stretch.
pub(crate) mod mark {
    /// The sender had no room for a segment in the receive window.
    pub(crate) const EDGE: u8 = 1;
    /// The window was closed.
    pub(crate) const CLOSED: u8 = 2;
    /// Something was sent again.
    pub(crate) const LOST: u8 = 4;
    /// Not all was acknowledged that the timer made the sender send again.
    pub(crate) const TIMER: u8 = 8;
    /// The first behind a pause, or of all.
    pub(crate) const FIRST: u8 = 16;
    /// A loss was being repaired: ACKs come in leaps and measure nothing.
    pub(crate) const REPAIR: u8 = 32;
    /// It is part of the stretch before, if that is a round trip.
    pub(crate) const ON: u8 = 64;
    /// The receiver reported that packets were marked (CE).
    pub(crate) const MARKED: u8 = 128;
}

/// A stretch of time at the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) from: Time,
    pub(crate) to: Time,
    /// Round trips to the receiver and to the sender.
    pub(crate) near: Range,
    pub(crate) far: Range,
    /// Lags of the sender's segments and of the receiver's at the capture point, whose zero is arbitrary.
    pub(crate) sent: Range,
    pub(crate) back: Range,
    pub(crate) bursts: Bursts,
    /// Time in which the application is known to have had nothing to send, in nanoseconds.
    pub(crate) drained: u64,
    /// Time in which the sender had nothing to send until an ACK came, in nanoseconds.
    pub(crate) held: u64,
    /// Time in which the receiver's window had no room for a segment, in nanoseconds.
    pub(crate) edged: u64,
    /// Bytes acknowledged, and the most that were under way.
    pub(crate) delivered: u32,
    pub(crate) flight: u32,
    /// Bytes that other flows of the client's host carried in the direction.
    pub(crate) others: u32,
    /// Greatest delay of a queue that such flows measured along the direction, and against it, in microseconds.
    pub(crate) along: u32,
    pub(crate) against: u32,
    /// Numbers of its first and its last packet, among those of the flow.
    pub(crate) packets: [u32; 2],
    pub(crate) wait: Wait,
    pub(crate) kind: Kind,
    pub(crate) marks: u8,
}

/// Duration of an answer that ended a silence, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wait {
    /// From the data to its ACK, as it passes the capture point.
    pub(crate) took: u32,
    /// Usual duration; zero if no queue stood, so that the path alone counts.
    pub(crate) usual: u32,
    /// Time by which it may be longer.
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
        self.join(Range { least: micros, most: micros });
    }

    /// Adds the times of another.
    #[inline]
    pub(crate) fn join(&mut self, other: Range) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// True without times.
    pub(crate) fn is_empty(self) -> bool {
        self.least > self.most
    }
}

impl Stretch {
    /// True if it has one of these marks.
    pub(crate) fn has(&self, marks: u8) -> bool {
        self.marks & marks != 0
    }

    /// True if data was under way and answers came.
    pub(crate) fn is_round(&self) -> bool {
        matches!(self.kind, Kind::Round | Kind::Quiet)
    }

    /// Duration in nanoseconds.
    pub(crate) fn nanos(&self) -> u64 {
        self.to.saturating_since(self.from).as_nanos()
    }

    /// Acknowledged bytes a nanosecond.
    pub(crate) fn rate(&self) -> f64 {
        f64::from(self.delivered) / self.nanos().max(1) as f64
    }

    /// Adds a stretch that goes on from it.
    pub(crate) fn join(&mut self, next: &Stretch) {
        self.to = next.to;
        self.near.join(next.near);
        self.far.join(next.far);
        self.sent.join(next.sent);
        self.back.join(next.back);
        self.bursts.join(next.bursts);
        self.held += next.held;
        self.packets[1] = next.packets[1];
        self.others = self.others.saturating_add(next.others);
        self.along = self.along.max(next.along);
        self.against = self.against.max(next.against);
        self.drained += next.drained;
        self.edged += next.edged;
        self.delivered = self.delivered.saturating_add(next.delivered);
        self.flight = self.flight.max(next.flight);
        self.marks |= next.marks & !mark::ON;
    }

    /// Duration of the silence that the path does not explain, in nanoseconds; zero if the path explains all. Round
    /// trips to the receiver take `least` microseconds.
    pub(crate) fn stall(&self, least: u32) -> u64 {
        let Wait { took, usual, slack } = self.wait;
        let stall = took.saturating_sub(usual.max(least));
        if stall > slack { (1000 * u64::from(stall)).min(self.nanos()) } else { 0 }
    }
}
