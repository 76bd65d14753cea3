use airpath_base::Time;
use airpath_wire::datagram::{Content, Inner, emit};
use airpath_wire::{Ecn, Endpoint, IpRepr, Tuple};
use proptest::prelude::*;

use super::*;
use crate::decode::{Decoder, Layer, transport};
use crate::input::Frame;
use crate::warnings::Warnings;

/// A segment with these timestamps and so much data, behind a link layer's header.
fn frame(timestamps: Option<Timestamps>, len: u32, link: &[u8]) -> Vec<u8> {
    let (src, dst) = (Endpoint::new([10, 0, 0, 2], 443), Endpoint::new([10, 0, 0, 1], 40_000));
    let seg = TcpRepr {
        seq: SeqNumber(0x0102_0304),
        ack: SeqNumber(0x0506_0708),
        flags: TcpFlags::ACK.with(TcpFlags::AE),
        window: 500,
        timestamps,
        payload_len: len,
        ..TcpRepr::default()
    };
    let size = 20 + seg.header_len() + len;
    let ip = IpRepr::new(Tuple { src, dst, protocol: Protocol::TCP }, 0, Ecn::NotEct, size);
    let mut bytes = Vec::new();
    emit(Inner::Repr(ip, Content::Tcp(seg)), &[], usize::MAX, &mut bytes).unwrap();
    [link, &bytes].concat()
}

/// Checks that the reader of plain packets agrees with the general one; true if the packet is
/// plain.
fn agrees(link: LinkType, bytes: &[u8], len: u32) -> bool {
    let Some(plain) = Plain::read(link, bytes, len) else { return false };
    let at = Time::ZERO;
    let frame = Frame { at, timed: true, link, interface: 0, len, bytes, offset: 0 };
    let (mut decoder, mut warnings) = (Decoder::default(), Warnings::default());
    let packet = decoder.decode(&frame, &mut warnings, &mut |_| {}).unwrap();
    let mut same = (packet.key, packet.side) == plain.key();
    if plain.has_other_options() {
        assert!(same && (packet.below_len, packet.below) == (plain.len, plain.data), "{plain:?}");
        return true;
    }
    let check = |layer: Layer<'_>, [_, data]: [&[u8]; 2]| {
        same &= layer == Layer::Tcp(&plain.segment().repr()) && data == plain.data;
    };
    transport(packet.key.protocol(), packet.below, packet.below_len, check).unwrap();
    assert!(same, "{plain:?}");
    true
}

#[test]
fn plain_packets_are_read() {
    let stamps = Some(Timestamps { value: 7, echo: 9 });
    let ethernet = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0];
    for timestamps in [None, stamps] {
        for len in [0, 1, 1000] {
            let whole = |link, head: &[u8]| {
                let bytes = frame(timestamps, len, head);
                agrees(link, &bytes, bytes.len() as u32)
            };
            assert!(whole(LinkType::RAW, &[]) && whole(LinkType::ETHERNET, &ethernet));
        }
    }
    let cut = frame(stamps, 1000, &[]);
    let wire = cut.len() as u32;
    let plain = |left: usize| Plain::read(LinkType::RAW, &cut[..left], wire);
    let other = |left: usize| plain(left).map(|plain| plain.has_other_options());
    assert_eq!([39, 40, 51, 52].map(other), [None, Some(true), Some(true), Some(false)]);
    assert!((40..60).all(|left| agrees(LinkType::RAW, &cut[..left], wire)));
    assert!(!agrees(LinkType::LINUX_SLL, &cut, wire));
    // A packet that states more bytes than its frame has is left to the general reader, which
    // warns.
    assert!(Plain::read(LinkType::RAW, &cut, wire - 1).is_none());
}

proptest! {
    #[test]
    fn what_is_plain_is_read_the_same_whatever_is_changed(
        stamped in any::<bool>(),
        changes in prop::collection::vec((0usize..60, any::<u8>()), 0..3),
        left in 30usize..110,
    ) {
        let stamps = stamped.then_some(Timestamps { value: 7, echo: 9 });
        let mut bytes = frame(stamps, 40, &[]);
        bytes.truncate(left);
        for (at, value) in changes {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        agrees(LinkType::RAW, &bytes, 92);
    }
}
