//! A link with CellReplay's two recordings (Sentosa et al., NSDI 2025, as `mm-cellular` has it at commit 2ca662c).
//!
//! 1. A packet after a pause begins a train of the light recording, and takes its base delay.
//! 2. The packets behind it take the train's opportunities. A packet that finds none left goes on to the heavy recording.
//! 3. After its delay a packet passes, if it had an opportunity and nothing waits for the heavy recording. All others wait
//!    for that in the link's queue.
//!
//! Decisions are made in whole milliseconds, as in `mm-cellular`. The rest of an arrival's millisecond is kept in its departure.
//! Packets of more than an opportunity take several, where `mm-cellular` stops.

use std::collections::VecDeque;
use std::sync::Arc;

use airpath_base::{Duration, Time};
use airpath_net::queue::QueueKind;
use airpath_net::{ChangeError, Cx, Held, Packet, QueueChange, Stage};

use crate::delay::later;
use crate::light::{Chance, Light};
use crate::link::Wire;
use crate::recorded::Recorded;
use crate::recording::Recording;

/// Bytes of an opportunity (`PACKET_SIZE` of `mm-cellular`).
pub(crate) const OPPORTUNITY: u64 = 1_400;

/// Packets in their base delay, and behind them the heavy recording with its queue.
#[derive(Debug)]
pub(crate) struct Replayed {
    light: Arc<Light>,
    train: Option<Train>,
    /// By the end of the base delay, with whether the packet had an opportunity.
    delayed: VecDeque<(Time, Packet, bool)>,
    heavy: Recorded,
}

/// The train that goes on.
#[derive(Clone, Copy, Debug)]
struct Train {
    chance: Chance,
    /// Millisecond in which it began.
    began: u64,
    /// Index of the present opportunity, and its bytes that are left.
    next: usize,
    left: u64,
    /// Millisecond in which the delay of the last packet ends.
    until: u64,
}

impl Replayed {
    pub(crate) fn new(queue: QueueKind, light: Arc<Light>, heavy: Arc<Recording>) -> Replayed {
        let heavy = Recorded::new(queue, heavy);
        Replayed { light, train: None, delayed: VecDeque::new(), heavy }
    }

    pub(crate) fn receive(&mut self, now: Time, packet: Packet, wire: &mut Wire, cx: &mut Cx<'_>) {
        self.wake(now, wire, cx);
        let size = u64::from(packet.wire_size()) + u64::from(wire.layer2);
        let (delay, has_opportunity) = self.delay(now.as_nanos() / 1_000_000, size);
        let due = later(now, Duration::from_millis(delay));
        // Nothing overtakes. A packet that would is sent on to the heavy recording.
        let before = self.delayed.back().map_or(Time::ZERO, |(at, ..)| *at);
        let passes = has_opportunity && due >= before;
        let due = due.max(before);
        let mut packet = packet;
        packet.charge(Stage::Wired, due);
        self.delayed.push_back((due, packet, passes));
        self.release(now, wire, cx);
    }

    /// Milliseconds of a packet's delay, and whether it has an opportunity of a train.
    fn delay(&mut self, ms: u64, size: u64) -> (u64, bool) {
        let going_on = self.train.as_mut().filter(|train| ms + train.chance.delay <= train.until);
        let Some(train) = going_on else {
            let chance = self.light.begin(ms);
            let left = OPPORTUNITY.saturating_sub(size);
            self.train = Some(Train { chance, began: ms, next: 0, left, until: ms + chance.delay });
            return (chance.delay, true);
        };
        let arrivals = self.light.arrivals(train.chance);
        let gone = ms - train.began;
        while arrivals.get(train.next).is_some_and(|arrival| *arrival < gone) {
            (train.next, train.left) = (train.next + 1, OPPORTUNITY);
        }
        if train.left < size.min(OPPORTUNITY) {
            (train.next, train.left) = (train.next + 1, OPPORTUNITY);
        }
        let more = size.saturating_sub(train.left).div_ceil(OPPORTUNITY);
        train.next += more as usize;
        train.left = train.left + more * OPPORTUNITY - size;
        let delay = match arrivals.get(train.next) {
            Some(arrival) => train.chance.delay + (arrival - gone),
            None => train.chance.delay.max(arrivals.last().copied().unwrap_or(0)),
        };
        train.until = ms + delay;
        (delay, train.next < arrivals.len())
    }

    pub(crate) fn wake(&mut self, now: Time, wire: &mut Wire, cx: &mut Cx<'_>) {
        self.release(now, wire, cx);
        self.heavy.wake(now, wire, cx);
    }

    /// Ends the base delays that are over.
    fn release(&mut self, now: Time, wire: &mut Wire, cx: &mut Cx<'_>) {
        while let Some((_, packet, passes)) = self.delayed.pop_front_if(|(at, ..)| *at <= now) {
            // Opportunities up to now may empty the queue.
            self.heavy.wake(now, wire, cx);
            match passes && !self.heavy.is_busy() {
                true => self.heavy.pass(now, packet, wire, cx),
                false => self.heavy.receive(now, packet, wire, cx),
            }
        }
    }

    pub(crate) fn change_queue(
        &mut self,
        now: Time,
        change: QueueChange,
    ) -> Result<(), ChangeError> {
        self.heavy.change_queue(now, change)
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        let released = self.delayed.front().map(|(at, ..)| *at);
        [released, self.heavy.next_wake()].into_iter().flatten().min()
    }

    pub(crate) fn held(&self) -> Held {
        let mut held = self.heavy.held();
        self.delayed.iter().for_each(|(_, packet, _)| held.add(packet));
        held
    }
}

#[cfg(test)]
#[path = "replayed_tests.rs"]
mod tests;
