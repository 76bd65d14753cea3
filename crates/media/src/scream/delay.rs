//! Round-trip time and queue delay, from what the reports say (RFC 8298, 4.1.2.1).
//!
//! The queue delay is the one-way delay less its minimum over up to 500 s; the clocks of
//! both ends need not agree. Left out: compensation of clocks that drift.

use crate::ticks::{SECOND, TICK, Ticks};

/// Minima of so many intervals are kept.
const HISTORY: usize = 50;
const INTERVAL: Ticks = 10 * SECOND;

#[derive(Debug)]
pub(super) struct PathDelay {
    /// Last queue delay in seconds.
    pub queue: f64,
    /// Slow and fast average of the RTT, and the fast one before the last update.
    pub srtt: Ticks,
    pub srtt_fast: Ticks,
    pub srtt_fast_before: Ticks,
    srtt_updated: Ticks,
    /// The slow average falls slowly: too little is sent for the queue to be seen.
    pub falls_slowly: bool,
    history: [Option<u32>; HISTORY],
    at: usize,
    current: Option<u32>,
    stored: Ticks,
    /// Time at which the queue was last known to be empty, or is to be emptied on purpose.
    pub refreshed: Option<Ticks>,
}

impl PathDelay {
    /// Averages begin at `srtt`.
    pub fn new(srtt: Ticks) -> PathDelay {
        PathDelay {
            queue: 0.0,
            srtt,
            srtt_fast: srtt,
            srtt_fast_before: srtt,
            srtt_updated: 0,
            falls_slowly: false,
            history: [None; HISTORY],
            at: 0,
            current: None,
            stored: 0,
            refreshed: None,
        }
    }

    /// Slow average of the RTT in seconds.
    pub fn srtt_seconds(&self) -> f64 {
        self.srtt as f64 * TICK
    }

    /// A packet sent at `sent` arrived when the receiver's clock showed `arrived`.
    pub fn on_arrival(&mut self, now: Ticks, sent: Ticks, arrived: u32) {
        let one_way = arrived.wrapping_sub(sent as u32);
        self.current = Some(self.current.map_or(one_way, |least| earlier(least, one_way)));
        if now.saturating_sub(self.stored) >= INTERVAL {
            self.store(now);
        }
        let base = earlier(self.base().unwrap_or(one_way), one_way);
        self.queue = f64::from(one_way.wrapping_sub(base)) * TICK;
    }

    /// Forgets the minimum: the clocks, or the path, have changed.
    pub fn forget(&mut self) {
        self.history = [None; HISTORY];
        self.current = None;
        self.queue = 0.0;
    }

    fn store(&mut self, now: Ticks) {
        self.at = (self.at + 1) % HISTORY;
        self.history[self.at] = self.current.take();
        self.stored = now;
        let long = INTERVAL * (HISTORY as Ticks - 1);
        if now.saturating_sub(self.refreshed.unwrap_or(0)) > long {
            self.refreshed = Some(now);
        }
    }

    fn base(&self) -> Option<u32> {
        self.history.iter().copied().chain([self.current]).flatten().reduce(earlier)
    }

    /// The newest packet of a report took `rtt` there and back.
    pub fn on_rtt(&mut self, now: Ticks, rtt: Ticks) {
        const ABSURD: Ticks = 1_000_000; // 15 s
        if rtt >= ABSURD {
            return;
        }
        self.srtt_fast_before = self.srtt_fast;
        self.srtt_fast = (7 * self.srtt_fast + rtt) / 8;
        if now.saturating_sub(self.srtt_updated) > self.srtt_fast {
            let weight = if self.falls_slowly && self.srtt > self.srtt_fast { 1023 } else { 7 };
            self.srtt = (weight * self.srtt + self.srtt_fast) / (weight + 1);
            self.srtt_updated = now;
        }
    }

    /// True if the sender should pause for the queue in the network to drain. That is so if the
    /// queue has not been seen empty for as long as the minimum is kept.
    pub fn draining(&self, now: Ticks) -> bool {
        self.refreshed.is_some_and(|since| now.saturating_sub(since) < 2 * self.srtt)
    }
}

/// The smaller of two differences of clocks that wrap.
fn earlier(a: u32, b: u32) -> u32 {
    if b.wrapping_sub(a) as i32 >= 0 { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_delay_is_what_exceeds_the_minimum() {
        let mut path = PathDelay::new(0);
        let clocks = 0xffff_ff00_u32; // the receiver's clock is about to wrap
        for (sent, delay, queue) in [(100, 700, 0), (200, 900, 200), (300, 650, 0), (400, 655, 5)] {
            path.on_arrival(1000, sent, clocks.wrapping_add(sent as u32 + delay));
            assert_eq!(path.queue, f64::from(queue) * TICK);
        }
    }

    #[test]
    fn a_minimum_is_forgotten_after_500_seconds() {
        let mut path = PathDelay::new(0);
        path.on_arrival(0, 0, 100);
        let mut seen = Vec::new();
        for n in 1..60u64 {
            let now = n * INTERVAL;
            path.on_arrival(now, now, (now + 300) as u32);
            seen.push(path.queue > 0.0);
        }
        // Stored at 10 s, overwritten 500 s later.
        assert_eq!(seen.iter().filter(|high| **high).count(), 50);
        assert!(seen[..50].iter().all(|high| *high));
    }

    #[test]
    fn clocks_need_not_agree() {
        let mut path = PathDelay::new(0);
        path.on_arrival(0, 0x40, 0x20); // seemingly sent after it arrived
        path.on_arrival(1, 0x50, 0x70); // the other way
        assert_eq!(path.queue, 64.0 * TICK); // 0x20 after -0x20
        path.on_arrival(2, 0x60, 0xffff_0000); // nearly a second before any other
        assert_eq!(path.queue, 0.0);
        path.on_arrival(3, 0x70, 0xffff_0015);
        assert_eq!(path.queue, 5.0 * TICK);
    }
}
