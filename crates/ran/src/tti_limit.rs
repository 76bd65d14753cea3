//! Bytes of transport blocks downlink that a UE takes in a TTI over all its carriers (TS 36.306, table
//! 4.1-1).
//!
//! Bytes of blocks that wait to be sent again are kept free. So new data of one carrier do not hold up a
//! retransmission of another.

use airpath_base::Time;

/// The limit of a UE, and what it has been sent.
#[derive(Clone, Debug)]
pub(crate) struct TtiLimit {
    most: u32,
    /// Begin of the last TTI that has blocks.
    start: Time,
    /// Bytes in it.
    used: u32,
    /// Bytes of blocks that wait to be sent again.
    waiting: u32,
}

impl TtiLimit {
    /// The limit of a UE that takes so many bytes in a TTI.
    pub fn new(most: u32) -> TtiLimit {
        TtiLimit { most, start: Time::ZERO, used: 0, waiting: 0 }
    }

    /// Bytes that are left for new data in the TTI that begins at `start`.
    pub fn left(&self, start: Time) -> u32 {
        self.most.saturating_sub(self.used_in(start)).saturating_sub(self.waiting)
    }

    /// The most resource blocks of a new block, by its bytes with each number of them from 0 on.
    pub fn most(&self, start: Time, bytes: &[u32]) -> u16 {
        let left = self.left(start);
        bytes.partition_point(|some| *some <= left).saturating_sub(1) as u16
    }

    /// True if a block that waits may be sent in a TTI.
    pub fn fits(&self, start: Time, bytes: u32) -> bool {
        let used = self.used_in(start);
        used == 0 || used.saturating_add(bytes) <= self.most
    }

    /// A block is sent in a TTI.
    pub fn send(&mut self, start: Time, bytes: u32) {
        self.used = self.used_in(start).saturating_add(bytes);
        self.start = start;
    }

    /// A block waits to be sent again.
    pub fn wait(&mut self, bytes: u32) {
        self.waiting = self.waiting.saturating_add(bytes);
    }

    /// A block waits no longer.
    pub fn resume(&mut self, bytes: u32) {
        self.waiting = self.waiting.saturating_sub(bytes);
    }

    fn used_in(&self, start: Time) -> u32 {
        if start == self.start { self.used } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriers_share_the_bytes_of_a_tti() {
        let (mut limit, at) = (TtiLimit::new(1_000), Time::from_millis);
        limit.send(at(1), 600);
        assert_eq!([1, 2].map(|ms| limit.left(at(ms))), [400, 1_000]);
        // 0 to 4 resource blocks.
        assert_eq!(limit.most(at(1), &[0, 150, 300, 450, 600]), 2);
        assert_eq!([400, 401].map(|bytes| limit.fits(at(1), bytes)), [true, false]);
        // Bytes of a block that waits are kept free. A block that is larger than the limit is sent alone.
        limit.wait(300);
        assert_eq!([1, 2].map(|ms| limit.left(at(ms))), [100, 700]);
        assert!(limit.fits(at(2), 2_000));
        limit.resume(300);
        limit.send(at(2), 300);
        assert_eq!(limit.left(at(2)), 700);
    }
}
