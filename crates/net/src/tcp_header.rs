//! The header of a TCP segment in a packet: 48 bytes, with the options of most segments.
//!
//! Options of the handshake and SACK blocks, which few segments have, lie behind a pointer.

use airpath_wire::{AccurateEcn, SackBlocks, SeqNumber, TcpFlags, TcpRepr, Timestamps};

/// Header fields of a TCP segment, those of [`TcpRepr`].
#[derive(Clone, Debug)]
pub struct TcpHeader {
    /// First sequence number of the segment.
    pub seq: SeqNumber,
    /// Next sequence number expected, if [`TcpFlags::ACK`] is set.
    pub ack: SeqNumber,
    /// Control bits.
    pub flags: TcpFlags,
    /// Bytes of data.
    pub payload_len: u32,
    window: u16,
    timestamps: Option<Timestamps>,
    accurate_ecn: Option<AccurateEcn>,
    nops: u8,
    rare: Option<Box<Rare>>,
}

/// Options that few segments have.
#[derive(Clone, Copy, Debug, Default)]
struct Rare {
    mss: Option<u16>,
    window_scale: Option<u8>,
    sack_permitted: bool,
    sack: SackBlocks,
}

impl From<TcpRepr> for TcpHeader {
    #[inline]
    fn from(repr: TcpRepr) -> TcpHeader {
        let TcpRepr { mss, window_scale, sack_permitted, sack, .. } = repr;
        let plain = mss.is_none() && window_scale.is_none() && !sack_permitted && sack.is_empty();
        TcpHeader {
            seq: repr.seq,
            ack: repr.ack,
            flags: repr.flags,
            payload_len: repr.payload_len,
            window: repr.window,
            timestamps: repr.timestamps,
            accurate_ecn: repr.accurate_ecn,
            nops: repr.nops,
            rare: (!plain).then(|| Box::new(Rare { mss, window_scale, sack_permitted, sack })),
        }
    }
}

impl From<&TcpHeader> for TcpRepr {
    #[inline]
    fn from(header: &TcpHeader) -> TcpRepr {
        let rare = header.rare.as_deref().copied().unwrap_or_default();
        TcpRepr {
            seq: header.seq,
            ack: header.ack,
            flags: header.flags,
            window: header.window,
            mss: rare.mss,
            window_scale: rare.window_scale,
            sack_permitted: rare.sack_permitted,
            sack: rare.sack,
            timestamps: header.timestamps,
            accurate_ecn: header.accurate_ecn,
            nops: header.nops,
            payload_len: header.payload_len,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_of_a_segment_is_lost() {
        let mut sack = SackBlocks::default();
        assert!(sack.push(SeqNumber(8), SeqNumber(9)));
        let plain = TcpRepr {
            seq: SeqNumber(1),
            ack: SeqNumber(2),
            flags: TcpFlags(3),
            window: 4,
            timestamps: Some(Timestamps { value: 5, echo: 6 }),
            accurate_ecn: Some(AccurateEcn::order_1(&[1, 2, 3])),
            nops: 7,
            payload_len: 10,
            ..TcpRepr::default()
        };
        let all = [
            plain,
            TcpRepr { sack, ..plain },
            TcpRepr { mss: Some(1), ..plain },
            TcpRepr { window_scale: Some(0), ..plain },
            TcpRepr { sack_permitted: true, ..plain },
        ];
        for repr in all {
            assert_eq!(TcpRepr::from(&TcpHeader::from(repr)), repr);
        }
    }
}
