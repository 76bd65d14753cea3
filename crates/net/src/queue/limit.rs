//! Limit of a queue.

/// Limit of a queue; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Packets.
    pub packets: Option<u32>,
    /// Bytes on the wire.
    pub bytes: Option<u64>,
}

impl Limit {
    /// No limit.
    pub const NONE: Limit = Limit { packets: None, bytes: None };

    /// At most this many packets.
    pub const fn packets(packets: u32) -> Limit {
        Limit { packets: Some(packets), bytes: None }
    }

    /// At most this many bytes on the wire.
    pub const fn bytes(bytes: u64) -> Limit {
        Limit { packets: None, bytes: Some(bytes) }
    }

    /// True if one packet of `size` bytes fits beside what is there.
    #[inline]
    pub fn admits(self, packets: u32, bytes: u64, size: u32) -> bool {
        self.packets.is_none_or(|most| packets < most)
            && self.bytes.is_none_or(|most| bytes + u64::from(size) <= most)
    }
}
