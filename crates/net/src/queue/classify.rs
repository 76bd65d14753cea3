//! Classification of packets for a low-latency queue.

use airpath_wire::Ecn;

use crate::Packet;

/// Recommended code point of non-queue-building traffic (RFC 9956, 4.1).
pub(super) const NQB: u8 = 45;

/// Header fields that put a packet into the low-latency queue. Elements look at the outermost
/// header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classifier {
    /// True if ECT(1) and CE do (RFC 9331, 5.1).
    pub l4s: bool,
    /// Code points that do, a bit for each.
    dscps: u64,
}

impl Default for Classifier {
    /// ECT(1), CE, and the code point of non-queue-building traffic.
    fn default() -> Classifier {
        Classifier::new(true, [NQB])
    }
}

impl Classifier {
    /// L4S's identifier or not, and these code points (the low 6 bits of each).
    pub fn new(l4s: bool, dscps: impl IntoIterator<Item = u8>) -> Classifier {
        let bits = dscps.into_iter().map(|dscp| 1u64 << (dscp & 63));
        Classifier { l4s, dscps: bits.fold(0, |all, bit| all | bit) }
    }

    /// True if the packet goes into the low-latency queue.
    #[inline]
    pub fn is_low_latency(&self, packet: &Packet) -> bool {
        (self.l4s && matches!(packet.visible_ecn(), Ecn::Ect1 | Ecn::Ce))
            || self.dscps >> (packet.visible_dscp() & 63) & 1 == 1
    }
}
