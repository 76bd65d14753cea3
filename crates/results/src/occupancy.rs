//! How full a queue was.

use airpath_base::Time;

/// Occupancy of a queue: now, at most, and on average over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    since: Time,
    packets: u32,
    bytes: u64,
    packet_nanos: u128,
    byte_nanos: u128,
    max_packets: u32,
    max_bytes: u64,
}

impl Occupancy {
    /// From `now` on the queue holds this much.
    #[inline]
    pub fn set(&mut self, now: Time, packets: u32, bytes: u64) {
        let span = u128::from(now.saturating_since(self.since).as_nanos());
        self.packet_nanos += span * u128::from(self.packets);
        self.byte_nanos += span * u128::from(self.bytes);
        self.since = self.since.max(now);
        (self.packets, self.bytes) = (packets, bytes);
        self.max_packets = self.max_packets.max(packets);
        self.max_bytes = self.max_bytes.max(bytes);
    }

    /// Packets and bytes in the queue at last report.
    pub fn current(&self) -> (u32, u64) {
        (self.packets, self.bytes)
    }

    /// The most packets and the most bytes that were in it.
    pub fn max(&self) -> (u32, u64) {
        (self.max_packets, self.max_bytes)
    }

    /// Mean packets and mean bytes over the time from zero to `end`; none if no
    /// time has passed.
    pub fn mean(&self, end: Time) -> Option<(f64, f64)> {
        let mut closed = *self;
        closed.set(end, 0, 0);
        let nanos = closed.since.as_nanos() as f64;
        let mean = |sum: u128| sum as f64 / nanos;
        (nanos > 0.0).then(|| (mean(closed.packet_nanos), mean(closed.byte_nanos)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_weighted_by_time() {
        let mut queue = Occupancy::default();
        queue.set(Time::from_millis(2), 4, 400); // empty for 2 ms
        queue.set(Time::from_millis(5), 1, 100); // 4 packets for 3 ms
        // 1 packet for 5 ms: (0 + 12 + 5) / 10.
        assert_eq!(queue.mean(Time::from_millis(10)), Some((1.7, 170.0)));
        assert_eq!(queue.max(), (4, 400));
        assert_eq!(queue.current(), (1, 100));
        assert_eq!(Occupancy::default().mean(Time::ZERO), None);
    }
}
