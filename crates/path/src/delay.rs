//! A constant delay for packets on their way to any of a node's ports.

use std::collections::VecDeque;

use airpath_base::{Duration, Port, Time};
use airpath_net::{Cx, Held, Packet, Stage};

/// Holds packets for a constant time; with none, they pass at once.
#[derive(Debug)]
pub(crate) struct DelayLine {
    by: Duration,
    stage: Stage,
    held: VecDeque<(Time, Port, Packet)>,
}

impl DelayLine {
    /// Holds packets for `by` and books that time to `stage`.
    pub(crate) fn new(by: Duration, stage: Stage) -> DelayLine {
        DelayLine { by, stage, held: VecDeque::new() }
    }

    /// Sends a packet out of `port`, in time.
    pub(crate) fn send(&mut self, now: Time, port: Port, mut packet: Packet, cx: &mut Cx<'_>) {
        if self.by.is_zero() {
            return cx.send(port, packet);
        }
        let due = later(now, self.by);
        packet.charge(self.stage, due);
        self.held.push_back((due, port, packet));
    }

    pub(crate) fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some((_, port, packet)) = self.held.pop_front_if(|(due, ..)| *due <= now) {
            cx.send(port, packet);
        }
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        self.held.front().map(|(due, ..)| *due).filter(|due| *due < Time::MAX)
    }

    pub(crate) fn held(&self) -> Held {
        Held::of(self.held.iter().map(|(.., packet)| packet))
    }
}

/// Instant `span` after `at`; [`Time::MAX`], which never comes, if no time can be so late. A link
/// with a very low rate may need longer than time lasts.
pub(crate) fn later(at: Time, span: Duration) -> Time {
    Time::from_nanos(at.as_nanos().saturating_add(span.as_nanos()))
}
