//! Delay of ACKs between the capture point and the sender.
//!
//! Data passes the capture point some time after it was sent, and an ACK reaches the sender some time after it
//! passes. The sum of both is the round trip between capture point and sender. An ACK waits here for that long.
//! The state is then the sender's as of the data that passes.

use std::collections::VecDeque;

use airpath_base::Time;

use super::later;
use crate::causes::event::Ack;

/// ACKs that wait; the oldest arrives too early if there are more.
const MOST: usize = 1024;
/// Round trip to the sender below which an ACK does not wait, in nanoseconds.
pub(crate) const NO_SHIFT: u64 = 200_000;

/// An ACK as it arrives at the sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// Time of the arrival, on the capture's time scale of the data.
    pub(crate) due: Time,
    pub(crate) una: u32,
    pub(crate) edge: Option<u32>,
    pub(crate) closed: bool,
    pub(crate) window: u16,
    /// Echo of the sender's timestamp, if the ACK is a plain answer.
    pub(crate) echo: Option<u32>,
    /// RTT sample of the ACK, in nanoseconds.
    pub(crate) sample: Option<u64>,
}

/// ACKs on the way from the capture point to the sender.
#[derive(Clone, Debug)]
pub(crate) struct Delay {
    waiting: VecDeque<Arrival>,
    /// RTT sample of the next ACK.
    sample: Option<u64>,
    /// Time of the receiver's last segment, at the capture point.
    passed_at: Time,
}

impl Delay {
    /// Without ACKs.
    pub(crate) fn new() -> Delay {
        Delay { waiting: VecDeque::new(), sample: None, passed_at: Time::ZERO }
    }

    /// RTT sample of the ACK that passes next, in nanoseconds.
    pub(crate) fn sample(&mut self, nanos: u64) {
        self.sample = Some(nanos);
    }

    /// An ACK passes, where the round trip to the sender is `shift` nanoseconds. Gives one that arrives at once.
    #[inline]
    pub(crate) fn pass(&mut self, ack: &Ack, shift: u64) -> Option<Arrival> {
        let Ack { at, una, edge, closed, window, stamps, plain, .. } = *ack;
        self.passed_at = at;
        let echo = stamps.map(|(_, echo)| echo).filter(|_| plain);
        let sample = self.sample.take();
        let arrival = Arrival { due: at, una, edge, closed, window, echo, sample };
        if shift < NO_SHIFT && self.waiting.is_empty() {
            return Some(arrival);
        }
        let full = self.waiting.len() >= MOST;
        let early = if full { self.waiting.pop_front() } else { None };
        let last = self.waiting.back().map_or(Time::ZERO, |last| last.due);
        self.waiting.push_back(Arrival { due: later(at, shift).max(last), ..arrival });
        early.map(|early| Arrival { due: at, ..early })
    }

    /// The next ACK that has arrived by `at`.
    pub(crate) fn arrived(&mut self, at: Time) -> Option<Arrival> {
        self.waiting.pop_front_if(|arrival| arrival.due <= at)
    }

    /// Moves ACKs at the end of a capture. Nothing follows the last data through the path's queue. They therefore
    /// wait for the least round trip to the sender, and not for one that the queue has lengthened. The first data
    /// found an empty queue, too. The time from the first data to the last ACK is thus that of the sender.
    pub(crate) fn bound(&mut self, sent_at: Time, least: u64) {
        let end = sent_at.max(later(self.passed_at, least));
        for arrival in &mut self.waiting {
            arrival.due = arrival.due.min(end);
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.waiting.capacity() * size_of::<Arrival>()
    }
}
