use airpath_wire::datagram::{Content, Inner, OuterKind, OuterRepr, emit};
use airpath_wire::link::LinkType;
use airpath_wire::{Ecn, Endpoint, TcpRepr};
use proptest::prelude::*;

use super::*;

fn end(n: u8, port: u16) -> Endpoint {
    Endpoint::new([10, 0, 0, n], port)
}

/// A TCP segment of 100 bytes in GTP-U.
fn tunnelled() -> Vec<u8> {
    let tuple = Tuple { src: end(1, 40_000), dst: end(2, 80), protocol: Protocol::TCP };
    let seg = TcpRepr { payload_len: 100, ..TcpRepr::default() };
    let ip = IpRepr::new(tuple, 0, Ecn::NotEct, 140);
    let (src, dst) = (end(8, 2152), end(9, 2152));
    let outer =
        OuterRepr { kind: OuterKind::Gtpu { teid: 7 }, src, dst, dscp: 0, ecn: Ecn::NotEct };
    let mut bytes = Vec::new();
    emit(Inner::Repr(ip, Content::Tcp(&seg)), &[outer], usize::MAX, &mut bytes).unwrap();
    bytes
}

fn frame(bytes: &[u8]) -> Frame<'_> {
    let len = bytes.len() as u32;
    Frame { at: Time::from_millis(5), link: LinkType::RAW, interface: 0, len, bytes, offset: 9 }
}

/// Ports and payload of what is found in the frames, and the warnings.
fn decode(frames: &[Vec<u8>]) -> (Vec<(u16, u16, u32)>, usize) {
    decode_as(LinkType::RAW, frames)
}

fn decode_as(link: LinkType, frames: &[Vec<u8>]) -> (Vec<(u16, u16, u32)>, usize) {
    let (mut decoder, mut warnings) = (Decoder::default(), Warnings::default());
    let mut found = Vec::new();
    for bytes in frames {
        let mut add = |packet: &Packet<'_>| {
            let Packet { key, side, below, below_len, .. } = *packet;
            let ports = (key.port(side), key.port(1 - side));
            let mut payload = 0;
            let read = |layer: Layer<'_>, _: [&[u8]; 2]| {
                payload = match layer {
                    Layer::Tcp(seg) => seg.payload_len,
                    Layer::Udp { payload_len, .. } => payload_len,
                }
            };
            let _ = transport(key.protocol(), below, below_len, read);
            found.push((ports.0, ports.1, payload));
        };
        let packet = decoder.decode(&Frame { link, ..frame(bytes) }, &mut warnings, &mut add);
        packet.iter().for_each(add);
    }
    (found, warnings.into_list().len())
}

#[test]
fn tunnels_are_looked_through() {
    assert_eq!(decode(&[tunnelled()]), (vec![(40_000, 80, 100)], 0));
}

#[test]
fn tags_of_vlans_are_looked_through() {
    // None, 802.1Q, QinQ.
    let tags: [&[u8]; 3] = [&[], &[0x81, 0, 0, 7], &[0x88, 0xa8, 0, 7, 0x81, 0, 0x20, 8]];
    for tags in tags {
        let bytes = [&[2; 12], tags, &[8, 0], &tunnelled()].concat();
        let found = decode_as(LinkType::ETHERNET, &[bytes]);
        assert_eq!(found, (vec![(40_000, 80, 100)], 0), "{tags:x?}");
    }
}

#[test]
fn fragments_of_the_tunnel_are_put_together() {
    let whole = tunnelled();
    let (head, payload) = whole.split_at(20);
    let part = |from: usize, to: usize, more: bool| {
        let mut head = head.to_vec();
        let len = (20 + to - from) as u16;
        head[2..4].copy_from_slice(&len.to_be_bytes());
        let bits = (from / 8) as u16 | if more { 0x2000 } else { 0 };
        head[6..8].copy_from_slice(&bits.to_be_bytes());
        [head, payload[from..to].to_vec()].concat()
    };
    let end = payload.len();
    let frames = [part(64, end, false), part(0, 64, true)];
    assert_eq!(decode(&frames), (vec![(40_000, 80, 100)], 0));
    assert_eq!(decode(&frames[..1]), (vec![], 0));
}

#[test]
fn ip_in_ip_is_looked_through() {
    let mut inner = tunnelled();
    for _ in 0..3 {
        let tuple = Tuple { src: end(5, 0), dst: end(6, 0), protocol: IPV4_IN_IP };
        let mut outer = Vec::new();
        IpRepr::new(tuple, 0, Ecn::NotEct, 20 + inner.len() as u32).emit(&mut outer);
        outer.extend(&inner);
        inner = outer;
    }
    assert_eq!(decode(&[inner]).0, [(40_000, 80, 100)]);
}

proptest! {
    #[test]
    fn any_bytes_are_decoded(
        changes in prop::collection::vec((0usize..176, any::<u8>()), 0..10),
        cut in 0usize..176,
    ) {
        let mut bytes = tunnelled();
        for (at, value) in changes {
            bytes[at] = value;
        }
        bytes.truncate(bytes.len() - cut);
        let (found, _) = decode(&[bytes.clone(), bytes]);
        prop_assert!(found.len() <= 2);
    }
}
