//! Identity of a packet at all points that it passes.
//!
//! A packet's fingerprint is made of fields that no hop changes. These are addresses and ports,
//! IPv4's identification, TCP's numbers, flags, timestamps and SACK blocks, and the beginning of a
//! datagram. Left out are fields that may change on the way: TTL, DSCP and ECN, TCP's ECN flags and
//! window, PSH. Checksums are left out too, as a network card may have filled them in later.
//!
//! Some of these fields may differ between points. An address translator writes other addresses,
//! some hops write another identification, and one capture may be cut shorter than the other. There
//! are therefore several [`Invariants`], the strictest first.

use airpath_wire::{Protocol, TcpFlags, TcpRepr};

use crate::decode::{Layer, Packet};

/// Bytes of a datagram that count.
const PREFIX: usize = 24;
/// Flags that are the same everywhere.
const FLAGS: u16 = TcpFlags::SYN.0 | TcpFlags::FIN.0 | TcpFlags::RST.0 | TcpFlags::ACK.0;

/// Fields that count beside the transport header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Invariants {
    addresses: bool,
    ident: bool,
    payload: bool,
}

/// All that are tried.
pub(super) const LADDER: [Invariants; 4] = [
    Invariants { addresses: true, ident: true, payload: true },
    Invariants { addresses: true, ident: false, payload: true },
    Invariants { addresses: true, ident: true, payload: false },
    Invariants { addresses: false, ident: false, payload: true },
];

impl Invariants {
    /// True if addresses are the same at both points.
    pub(super) fn has_addresses(self) -> bool {
        self.addresses
    }
}

/// The parts of a packet's fingerprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Identity {
    ends: u64,
    ident: u16,
    header: u64,
    payload: u64,
}

impl Identity {
    /// Of a packet whose transport header says this; `ends` stands for its flow and direction.
    pub(super) fn of(packet: &Packet<'_>, ends: u64, layer: &Layer<'_>) -> Identity {
        let (header, payload) = match layer {
            Layer::Tcp(seg) => (segment(seg), 0),
            Layer::Udp { payload_len, payload } => {
                let start = payload.get(..PREFIX.min(*payload_len as usize));
                let numbers = [u64::from(Protocol::UDP.0), u64::from(*payload_len)];
                (fold(&numbers), start.map_or(0, bytes))
            }
        };
        Identity { ends, ident: packet.ident, header, payload }
    }

    /// Identity of the `n`-th piece of a segment that a network card cuts. The identification goes
    /// on by one with each piece, as Linux and the cards count it.
    pub(super) fn piece(&self, seg: &TcpRepr, n: u16) -> Identity {
        Identity { header: segment(seg), ident: self.ident.wrapping_add(n), ..*self }
    }

    /// The fingerprint.
    pub(super) fn digest(&self, by: Invariants) -> u64 {
        let take = |wanted: bool, part: u64| if wanted { part } else { 0 };
        fold(&[
            self.header,
            take(by.addresses, self.ends),
            take(by.ident, u64::from(self.ident)),
            take(by.payload, self.payload),
        ])
    }
}

fn segment(seg: &TcpRepr) -> u64 {
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let stamps = seg.timestamps.map_or(0, |stamps| pair(stamps.value, stamps.echo));
    let head = u64::from(seg.flags.0 & FLAGS) << 32 | u64::from(seg.payload_len);
    let tcp = u64::from(Protocol::TCP.0);
    let start = fold(&[tcp, pair(seg.seq.0, seg.ack.0), head, stamps]);
    let blocks = seg.sack.as_slice().iter();
    blocks.fold(start, |hash, (left, right)| mix(hash, pair(left.0, right.0)))
}

fn bytes(bytes: &[u8]) -> u64 {
    let word = |part: &[u8]| part.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes.chunks(8).fold(bytes.len() as u64, |hash, part| mix(hash, word(part)))
}

/// The fingerprint of numbers.
pub(super) fn fold(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |hash, number| mix(hash, *number))
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", OOPSLA 2014) spreads each bit over all.
fn mix(hash: u64, number: u64) -> u64 {
    let z = hash.wrapping_add(number).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_is_that_of_splitmix() {
        // The first outputs of SplitMix64 with seed 1234567 (Rosetta Code, "Pseudo-random
        // numbers/Splitmix64").
        let state = |n: u64| 1_234_567u64.wrapping_add(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(n));
        let drawn = [0, 1, 2].map(|n| mix(state(n), 0));
        assert_eq!(
            drawn,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn what_hops_change_does_not_count() {
        let seg = TcpRepr { window: 7, flags: TcpFlags::ACK, ..TcpRepr::default() };
        let changed = TcpRepr { window: 9, flags: TcpFlags(0x1d8), ..seg };
        let other = TcpRepr { payload_len: 1, ..seg };
        assert_eq!(segment(&seg), segment(&changed));
        assert_ne!(segment(&seg), segment(&other));
    }
}
