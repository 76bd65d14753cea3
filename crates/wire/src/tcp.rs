//! TCP segments (RFC 9293, 3.1) with the options that airpath uses.

use core::fmt;

use crate::AccurateEcn;

/// A 32-bit sequence number, compared modulo 2^32 (RFC 9293, 3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeqNumber(pub u32);

/// The control bits, with the ninth (AE) of RFC 9768.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFlags(pub u16);

/// Timestamps option (RFC 7323, 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: the sender's clock.
    pub value: u32,
    /// TSecr: the peer's clock, echoed.
    pub echo: u32,
}

/// Up to four SACK blocks (RFC 2018, 3), the most recent first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(SeqNumber, SeqNumber); 4],
    len: u8,
}

/// Header fields of a simulated TCP segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpRepr {
    /// First sequence number of the segment.
    pub seq: SeqNumber,
    /// Next sequence number expected, if [`TcpFlags::ACK`] is set.
    pub ack: SeqNumber,
    /// Control bits.
    pub flags: TcpFlags,
    /// Receive window as in the header, not scaled.
    pub window: u16,
    /// Maximum segment size option (on SYN).
    pub mss: Option<u16>,
    /// Window scale option (on SYN).
    pub window_scale: Option<u8>,
    /// SACK-permitted option (on SYN).
    pub sack_permitted: bool,
    /// SACK option.
    pub sack: SackBlocks,
    /// Timestamps option.
    pub timestamps: Option<Timestamps>,
    /// AccECN option (RFC 9768, 3.2.3).
    pub accurate_ecn: Option<AccurateEcn>,
    /// Bytes of options that a device on the path has overwritten with NOPs. Parsed segments have
    /// none, as NOPs look like padding.
    pub nops: u8,
    /// Bytes of data.
    pub payload_len: u32,
}

impl SeqNumber {
    /// The number `n` further on.
    pub const fn add(self, n: u32) -> SeqNumber {
        SeqNumber(self.0.wrapping_add(n))
    }

    /// Distance from `earlier` to this number; negative if this number comes before it.
    pub const fn since(self, earlier: SeqNumber) -> i32 {
        self.0.wrapping_sub(earlier.0) as i32
    }

    /// The 64-bit position nearest to `near` whose low 32 bits are this number.
    pub const fn unwrap_near(self, near: u64) -> u64 {
        let distance = self.0.wrapping_sub(near as u32) as i32;
        near.wrapping_add_signed(distance as i64)
    }
}

impl TcpFlags {
    /// No more data from the sender.
    pub const FIN: TcpFlags = TcpFlags(0x001);
    /// Synchronise sequence numbers.
    pub const SYN: TcpFlags = TcpFlags(0x002);
    /// Reset the connection.
    pub const RST: TcpFlags = TcpFlags(0x004);
    /// Push.
    pub const PSH: TcpFlags = TcpFlags(0x008);
    /// The acknowledgement number counts.
    pub const ACK: TcpFlags = TcpFlags(0x010);
    /// Urgent.
    pub const URG: TcpFlags = TcpFlags(0x020);
    /// ECN echo (RFC 3168), or a bit of the ACE counter (RFC 9768).
    pub const ECE: TcpFlags = TcpFlags(0x040);
    /// Congestion window reduced (RFC 3168), or a bit of the ACE counter.
    pub const CWR: TcpFlags = TcpFlags(0x080);
    /// Accurate ECN (RFC 9768).
    pub const AE: TcpFlags = TcpFlags(0x100);

    /// True if all bits of `other` are set.
    pub const fn contains(self, other: TcpFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// The three bits AE, CWR, ECE as a number: the ACE field (RFC 9768, 3.1.1). It counts marked
    /// packets modulo 8, and in the handshake it is a code (RFC 9768, 3.2.2).
    pub const fn ace(self) -> u8 {
        (self.0 >> 6 & 0b111) as u8
    }

    /// With the low three bits of `ace` as AE, CWR, ECE.
    #[must_use]
    pub const fn with_ace(self, ace: u8) -> TcpFlags {
        TcpFlags(self.0 & !0x1c0 | ((ace & 0b111) as u16) << 6)
    }

    /// The bits of both.
    #[must_use]
    pub const fn with(self, other: TcpFlags) -> TcpFlags {
        TcpFlags(self.0 | other.0)
    }
}

impl SackBlocks {
    /// Adds a block [left, right) behind those there; false if there are four.
    pub fn push(&mut self, left: SeqNumber, right: SeqNumber) -> bool {
        let Some(free) = self.blocks.get_mut(usize::from(self.len)) else {
            return false;
        };
        *free = (left, right);
        self.len += 1;
        true
    }

    /// The blocks, most recent first.
    #[inline]
    pub fn as_slice(&self) -> &[(SeqNumber, SeqNumber)] {
        &self.blocks[..usize::from(self.len)]
    }

    /// True if there are no options.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl TcpRepr {
    /// Bytes of a header without options (RFC 9293, 3.1).
    pub const HEADER: u32 = 20;

    /// Bytes of the options, padded to a multiple of four.
    #[inline]
    pub fn options_len(&self) -> u32 {
        let sack = match self.sack.as_slice().len() as u32 {
            0 => 0,
            blocks => 2 + 8 * blocks,
        };
        (self.options_beside_sack() + sack).next_multiple_of(4)
    }

    /// Bytes of the options without SACK blocks and padding.
    pub fn options_beside_sack(&self) -> u32 {
        (if self.mss.is_some() { 4 } else { 0 })
            + if self.window_scale.is_some() { 3 } else { 0 }
            + if self.sack_permitted { 2 } else { 0 }
            + if self.timestamps.is_some() { 10 } else { 0 }
            + self.accurate_ecn.map_or(0, |option| option.size() as u32)
            + u32::from(self.nops)
    }

    /// Overwrites the option AccECN with NOPs, as some devices on a path do. The length of the
    /// segment stays.
    pub fn strip_accurate_ecn(&mut self) {
        if let Some(option) = self.accurate_ecn.take() {
            self.nops = self.nops.saturating_add(option.size() as u8);
        }
    }

    /// Bytes of the header with its options.
    #[inline]
    pub fn header_len(&self) -> u32 {
        TcpRepr::HEADER + self.options_len()
    }

    /// Sequence numbers that the segment takes: data, SYN and FIN.
    pub fn seq_len(&self) -> u32 {
        let syn = u32::from(self.flags.contains(TcpFlags::SYN));
        let fin = u32::from(self.flags.contains(TcpFlags::FIN));
        self.payload_len + syn + fin
    }
}

impl fmt::Display for TcpRepr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seq {} ack {} len {}", self.seq.0, self.ack.0, self.payload_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwrapping_crosses_the_wrap() {
        assert_eq!(SeqNumber(5).unwrap_near(0xffff_fff0), 0x1_0000_0005);
        assert_eq!(SeqNumber(0xffff_fff0).unwrap_near(0x1_0000_0005), 0xffff_fff0);
    }

    #[test]
    fn the_ace_field_is_ae_cwr_ece() {
        let flags = TcpFlags::ACK.with(TcpFlags::AE).with(TcpFlags::ECE);
        assert_eq!(flags.ace(), 0b101);
        assert_eq!(TcpFlags::SYN.with_ace(0b111).0, 0x1c2);
        assert_eq!(TcpFlags(0x1d0).with_ace(0b1010), TcpFlags::ACK.with(TcpFlags::CWR));
    }

    #[test]
    fn a_segment_with_timestamps_has_twelve_bytes_of_options() {
        let repr = TcpRepr { timestamps: Some(Timestamps::default()), ..TcpRepr::default() };
        assert_eq!(repr.header_len(), 32);
    }

    #[test]
    fn three_sack_blocks_beside_timestamps_fill_the_option_space() {
        let mut repr = TcpRepr { timestamps: Some(Timestamps::default()), ..TcpRepr::default() };
        for n in 0..3 {
            assert!(repr.sack.push(SeqNumber(10 * n), SeqNumber(10 * n + 5)));
        }
        assert_eq!(repr.options_len(), 36);
    }
}
