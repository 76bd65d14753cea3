//! Occupancy of a queue, and wait of packets in it.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};
use airpath_net::QueueEvent;

/// Occupancy of a queue: now, at most, and over time; and the waits of what left it.
///
/// Its contents over time are exact. By Little's law the byte-nanoseconds are the sum, over all
/// packets, of their bytes times the nanoseconds that they waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    since: Time,
    packets: u32,
    bytes: u64,
    max_packets: u32,
    max_bytes: u64,
    max_wait: Duration,
    sums: Sums,
}

/// Sums over a queue from the beginning on; the difference of two is the sum of the time between
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    packet_nanos: u128,
    byte_nanos: u128,
    left: u64,
    waited: u128,
}

/// A wired queue, by what it reports.
#[derive(Clone, Debug, Default)]
pub(crate) struct WiredQueue {
    occupancy: Occupancy,
    /// Departures that are known: time, bytes, and wait.
    scheduled: VecDeque<(Time, u32, Duration)>,
}

impl Occupancy {
    /// From `now` on the queue holds this much.
    #[inline]
    pub fn set(&mut self, now: Time, packets: u32, bytes: u64) {
        let span = u128::from(now.saturating_since(self.since).as_nanos());
        self.sums.packet_nanos += span * u128::from(self.packets);
        self.sums.byte_nanos += span * u128::from(self.bytes);
        self.since = self.since.max(now);
        (self.packets, self.bytes) = (packets, bytes);
        self.max_packets = self.max_packets.max(packets);
        self.max_bytes = self.max_bytes.max(bytes);
    }

    /// A packet left after it had waited so long. What was dropped is not counted here.
    #[inline]
    pub fn left(&mut self, waited: Duration) {
        self.sums.left += 1;
        self.sums.waited += u128::from(waited.as_nanos());
        self.max_wait = self.max_wait.max(waited);
    }

    /// Packets and bytes in the queue at last report.
    pub fn current(&self) -> (u32, u64) {
        (self.packets, self.bytes)
    }

    /// The most packets and the most bytes that were in it.
    pub fn max(&self) -> (u32, u64) {
        (self.max_packets, self.max_bytes)
    }

    /// Mean packets and mean bytes over the time to `end` from when statistics begin, at `from`;
    /// none if no time has passed.
    pub fn mean(&self, from: Time, end: Time) -> Option<(f64, f64)> {
        self.sums(end).means(end.max(self.since).saturating_since(from))
    }

    /// The queue at `at`, with nothing counted so far.
    pub(crate) fn begun(mut self, at: Time) -> Occupancy {
        self.set(at, self.packets, self.bytes);
        let (max_packets, max_bytes) = self.current();
        let (max_wait, sums) = Default::default();
        Occupancy { max_packets, max_bytes, max_wait, sums, ..self }
    }

    /// Bytes in the queue times nanoseconds, from when statistics begin to `end`.
    pub fn byte_nanos(&self, end: Time) -> u128 {
        self.sums(end).byte_nanos
    }

    /// Mean and longest wait in milliseconds of what left; none if nothing has.
    pub fn wait_ms(&self) -> Option<(f64, f64)> {
        self.sums.wait_ms().map(|mean| (mean, self.max_wait.as_millis_f64()))
    }

    /// All that has been added up by `end`.
    pub(crate) fn sums(&self, end: Time) -> Sums {
        let mut closed = *self;
        closed.set(end, 0, 0);
        closed.sums
    }
}

impl Sums {
    /// Sums since `before`, which wraps below zero after counting began anew.
    pub(crate) fn since(&self, before: &Sums) -> Sums {
        Sums {
            packet_nanos: self.packet_nanos.wrapping_sub(before.packet_nanos),
            byte_nanos: self.byte_nanos.wrapping_sub(before.byte_nanos),
            left: self.left.wrapping_sub(before.left),
            waited: self.waited.wrapping_sub(before.waited),
        }
    }

    /// Mean packets and bytes over `span`, in which all this was added.
    pub(crate) fn means(&self, span: Duration) -> Option<(f64, f64)> {
        let nanos = span.as_nanos() as f64;
        let mean = |sum: u128| sum as f64 / nanos;
        (nanos > 0.0).then(|| (mean(self.packet_nanos), mean(self.byte_nanos)))
    }

    /// Mean wait in milliseconds of what left.
    pub(crate) fn wait_ms(&self) -> Option<f64> {
        (self.left > 0).then(|| self.waited as f64 / self.left as f64 / 1e6)
    }
}

impl WiredQueue {
    /// Takes in what the queue reports.
    #[inline]
    pub(crate) fn on(&mut self, now: Time, event: QueueEvent) {
        match event {
            QueueEvent::Scheduled { bytes, leaves } => self.scheduled(now, bytes, leaves),
            QueueEvent::Occupancy { packets, bytes } => {
                if !self.scheduled.is_empty() {
                    self.take_back(packets);
                }
                self.occupancy.set(now, packets, bytes);
            }
            QueueEvent::Left { waited } => self.occupancy.left(waited),
        }
    }

    #[inline]
    fn scheduled(&mut self, now: Time, bytes: u32, leaves: Time) {
        self.settle(now);
        if leaves <= now {
            return self.occupancy.left(Duration::ZERO);
        }
        self.scheduled.push_back((leaves, bytes, leaves.since(now)));
        let (packets, all) = self.occupancy.current();
        self.occupancy.set(now, packets + 1, all + u64::from(bytes));
    }

    /// Of what was scheduled, the last `packets` have not left, and nobody knows when they will.
    #[cold]
    fn take_back(&mut self, packets: u32) {
        while self.scheduled.len() > packets as usize
            && let Some(next) = self.scheduled.pop_front()
        {
            depart(&mut self.occupancy, next);
        }
        self.scheduled.clear();
    }

    /// Lets go what leaves up to and at `now`.
    pub(crate) fn settle(&mut self, now: Time) {
        while let Some(next) = self.scheduled.pop_front_if(|(leaves, ..)| *leaves <= now) {
            depart(&mut self.occupancy, next);
        }
    }

    /// Counts from `at` on; what leaves at that instant counts.
    pub(crate) fn begin(&mut self, at: Time) {
        self.settle(at.saturating_sub(Duration::from_nanos(1)));
        self.occupancy = self.occupancy.begun(at);
    }

    /// The occupancy at the last report, or to which it was settled.
    pub(crate) fn now(&self) -> &Occupancy {
        &self.occupancy
    }

    /// The occupancy by `now`.
    pub(crate) fn by(&self, now: Time) -> Occupancy {
        let mut occupancy = self.occupancy;
        let due = self.scheduled.iter().take_while(|(leaves, ..)| *leaves <= now);
        due.for_each(|next| depart(&mut occupancy, *next));
        occupancy
    }
}

fn depart(occupancy: &mut Occupancy, (leaves, bytes, waited): (Time, u32, Duration)) {
    let (packets, all) = occupancy.current();
    occupancy.set(leaves, packets - 1, all - u64::from(bytes));
    occupancy.left(waited);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn the_mean_is_weighted_by_time() {
        let mut queue = Occupancy::default();
        queue.set(ms(2), 4, 400); // empty for 2 ms
        queue.set(ms(5), 1, 100); // 4 packets for 3 ms
        // 1 packet for 5 ms: (0 + 12 + 5) / 10.
        assert_eq!(queue.mean(Time::ZERO, ms(10)), Some((1.7, 170.0)));
        assert_eq!(queue.byte_nanos(ms(10)), 1_700_000_000);
        assert_eq!(queue.max(), (4, 400));
        assert_eq!(queue.current(), (1, 100));
        assert_eq!(Occupancy::default().mean(Time::ZERO, Time::ZERO), None);
    }

    #[test]
    fn a_queue_whose_departures_are_known_is_as_one_that_tells_them() {
        let mut known = WiredQueue::default();
        // The wire is free; then two packets of 100 bytes wait 4 and 6 ms.
        for (at, leaves) in [(0, 0), (1, 5), (3, 9)] {
            known.on(ms(at), QueueEvent::Scheduled { bytes: 100, leaves: ms(leaves) });
        }
        let mut told = WiredQueue::default();
        let occupied = |packets| QueueEvent::Occupancy { packets, bytes: u64::from(packets) * 100 };
        let waited = |millis| QueueEvent::Left { waited: Duration::from_millis(millis) };
        let events = [(0, waited(0)), (1, occupied(1)), (3, occupied(2)), (5, waited(4))];
        let events = events.into_iter().chain([(5, occupied(1)), (9, waited(6)), (9, occupied(0))]);
        events.for_each(|(at, event)| told.on(ms(at), event));
        assert_eq!(known.by(ms(10)), told.by(ms(10)));
        assert_eq!(told.by(ms(10)).byte_nanos(ms(10)), 1_000_000_000);
        assert_eq!(told.by(ms(10)).wait_ms(), Some((10.0 / 3.0, 6.0)));
        // A queue that no longer knows: at 6 ms the last one waits, and leaves at 12.
        let mut changed = WiredQueue::default();
        for (at, leaves) in [(0, 0), (1, 5), (3, 9)] {
            changed.on(ms(at), QueueEvent::Scheduled { bytes: 100, leaves: ms(leaves) });
        }
        [(6, occupied(1)), (12, waited(9)), (12, occupied(0))]
            .into_iter()
            .for_each(|(at, event)| changed.on(ms(at), event));
        assert_eq!(changed.by(ms(20)).byte_nanos(ms(20)), 1_300_000_000);
        assert_eq!(changed.by(ms(20)).wait_ms(), Some((13.0 / 3.0, 9.0)));
        // Before it is over, too: 100 bytes for 4 ms and for 5.
        assert_eq!(known.by(ms(8)).byte_nanos(ms(8)), 900_000_000);
        known.settle(ms(8));
        assert_eq!(known.by(ms(10)), told.by(ms(10)));
    }
}
