//! PDU sets: packets of a unit of the application.

use airpath_base::{Duration, Time};

/// Packets of a frame or of a slice of it (TS 23.501, 5.37.5): facts that all of them share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PduSet {
    /// Number of the set within the flow, from 0.
    pub number: u64,
    /// Number of its first packet, as the sender counts.
    pub first: u64,
    /// Packets, at least one.
    pub packets: u32,
    /// Bytes of IP of all packets.
    pub bytes: u32,
    /// Importance, 1 to 15: the smaller, the more important.
    pub importance: u8,
    /// True if its last packet ends a data burst: more comes after a pause only (TS 23.501, 5.37.8.3).
    pub ends_burst: bool,
    /// Time at which the application made it.
    pub made: Time,
    /// Time from then on until it is late.
    pub deadline: Duration,
}

impl PduSet {
    /// Number within the set, from 0, of the packet that the sender counts as `packet`.
    pub fn position(&self, packet: u64) -> u32 {
        packet.saturating_sub(self.first) as u32
    }

    /// True if the packet that the sender counts as `packet` is the last of the set.
    pub fn ends_with(&self, packet: u64) -> bool {
        self.position(packet) + 1 == self.packets
    }

    /// Time from `now` until the set is late; zero if it is.
    pub fn remaining(&self, now: Time) -> Duration {
        self.made.saturating_add(self.deadline).saturating_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_has_a_position_in_its_set() {
        let set = PduSet {
            number: 4,
            first: 70,
            packets: 3,
            bytes: 4_000,
            importance: 1,
            ends_burst: true,
            made: Time::from_millis(20),
            deadline: Duration::from_millis(10),
        };
        let parts: Vec<_> = (70..73).map(|n| (set.position(n), set.ends_with(n))).collect();
        assert_eq!(parts, [(0, false), (1, false), (2, true)]);
        assert_eq!(set.remaining(Time::from_millis(26)), Duration::from_millis(4));
        assert_eq!(set.remaining(Time::from_millis(31)), Duration::ZERO);
    }
}
