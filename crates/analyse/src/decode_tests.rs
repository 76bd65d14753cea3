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
    let outer = OuterRepr {
        kind: OuterKind::Gtpu { teid: 7, set: None, congestion: None },
        src,
        dst,
        dscp: 0,
        ecn: Ecn::NotEct,
    };
    let mut bytes = Vec::new();
    emit(Inner::Repr(ip, Content::Tcp(seg)), &[outer], usize::MAX, &mut bytes).unwrap();
    bytes
}

fn frame(bytes: &[u8]) -> Frame<'_> {
    let len = bytes.len() as u32;
    Frame {
        at: Time::from_millis(5),
        timed: true,
        link: LinkType::RAW,
        interface: 0,
        len,
        bytes,
        offset: 9,
    }
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

/// A TCP segment of 100 bytes.
fn plain() -> Vec<u8> {
    let tuple = Tuple { src: end(1, 40_000), dst: end(2, 80), protocol: Protocol::TCP };
    let seg = TcpRepr { payload_len: 100, ..TcpRepr::default() };
    let mut bytes = Vec::new();
    let ip = IpRepr::new(tuple, 0, Ecn::NotEct, 140);
    emit(Inner::Repr(ip, Content::Tcp(seg)), &[], usize::MAX, &mut bytes).unwrap();
    bytes
}

#[test]
fn all_link_layers_lead_to_the_segment() {
    // tshark 4.0.17 reads TCP from port 40000 with 100 bytes in each of these frames.
    const SNAP: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
    let ethernet = [&[0; 12][..], &[8, 0]].concat();
    let quality = [&[0x88, 1][..], &[0; 24]].concat();
    let mut pktap = [108u32, 1, 1].map(u32::to_le_bytes).concat();
    pktap.extend(b"en0");
    pktap.resize(108, 0);
    let log = [&[2, 0, 0, 5, 9, 0, 10, 0][..], b"drop\0\0\0\0", &[144, 0, 9, 0]].concat();
    let padded = [&[0, 0, 17, 0, 3, 0, 0, 0][..], &[9; 8], &[0x20]].concat();
    let heads: [(u16, Vec<u8>); 15] = [
        (258, [&pktap[..], &ethernet].concat()),
        (105, [&[0x08, 1][..], &[0; 22], &SNAP].concat()),
        (105, [&quality[..], &SNAP].concat()),
        (105, [&[0x88, 3][..], &[0; 30], &SNAP].concat()),
        (127, [&[0, 0, 8, 0, 0, 0, 0, 0][..], &quality, &SNAP].concat()),
        (127, [&padded[..], &quality, &[0, 0], &SNAP].concat()),
        (239, log),
        (192, [&[0, 0, 8, 0, 1, 0, 0, 0][..], &ethernet].concat()),
        (192, [&[0, 0, 8, 0, 105, 0, 0, 0][..], &quality, &SNAP].concat()),
        (104, vec![0x0f, 0, 8, 0]),
        (50, vec![0x0f, 0, 8, 0]),
        (1, [&[0; 12][..], &[0, 148], &SNAP].concat()),
        (1, [&[0; 12][..], &[0, 143, 6, 6, 3]].concat()),
        (100, SNAP.to_vec()),
        (9, vec![0xff, 3, 2, 0x81, 0, 0, 0x11, 64]),
    ];
    for (link, head) in heads {
        let found = decode_as(LinkType(link), &[[&head[..], &plain()].concat()]);
        assert_eq!(found, (vec![(40_000, 80, 100)], 0), "{link}: {head:x?}");
    }
}

#[test]
fn packets_of_an_aggregate_share_the_bytes_of_its_frame() {
    // tshark 4.0.17: two segments of TCP in one frame, of 100 and 100 bytes.
    let subframe = |packet: &[u8]| {
        let len = (8 + packet.len()) as u16;
        let head = [&[7; 12][..], &len.to_be_bytes(), &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0]].concat();
        let mut bytes = [&head[..], packet].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    };
    let head = [&[0x88, 1][..], &[0; 22], &[0x80, 0]].concat();
    let bytes = [head, subframe(&plain()), subframe(&plain())].concat();
    let (mut decoder, mut warnings) = (Decoder::default(), Warnings::default());
    let mut lens = Vec::new();
    let link = LinkType::IEEE802_11;
    let mut add = |packet: &Packet<'_>| lens.push((packet.len, packet.below_len));
    let alone = decoder.decode(&Frame { link, ..frame(&bytes) }, &mut warnings, &mut add);
    assert!(alone.is_none());
    // 26 bytes of header, and two subframes of 14 + 8 + 140 and two of padding.
    assert_eq!(lens, [(26 + 164, 120), (164, 120)]);
}

#[test]
fn an_authentication_header_is_looked_through() {
    // RFC 4302, 2: next header, length, reserved, SPI, sequence number, 12 bytes of check value.
    let ah = |next: u8| [&[next, 4, 0, 0][..], &[0; 20]].concat();
    let within = |next: u8, payload: &[u8]| {
        let tuple = Tuple { src: end(1, 0), dst: end(2, 0), protocol: AH };
        let mut bytes = Vec::new();
        let len = 20 + 24 + payload.len() as u32;
        IpRepr::new(tuple, 0, Ecn::NotEct, len).emit(&mut bytes);
        [bytes, ah(next), payload.to_vec()].concat()
    };
    // tshark 4.0.17 reads TCP of 100 bytes in both, in transport and in tunnel mode.
    for bytes in [within(6, &plain()[20..]), within(4, &plain())] {
        assert_eq!(decode(&[bytes]), (vec![(40_000, 80, 100)], 0));
    }
    let v6 = |n| Endpoint::new(core::net::Ipv6Addr::from([0, 0, 0, 0, 0, 0, 0, n]), 0);
    let tuple = Tuple { src: v6(1), dst: v6(2), protocol: AH };
    let mut bytes = Vec::new();
    IpRepr::new(tuple, 0, Ecn::NotEct, 40 + 24 + 120).emit(&mut bytes);
    let bytes = [bytes, ah(6), plain()[20..].to_vec()].concat();
    assert_eq!(decode(&[bytes]), (vec![(40_000, 80, 100)], 0));
    // One that is cut is of its own protocol, and no panic.
    assert_eq!(decode(&[within(6, &[])[..30].to_vec()]).0, []);
}

#[test]
fn a_length_beyond_the_frame_is_warned_of() {
    // tshark 4.0.17: "IPv4 total length exceeds packet length (140 bytes)". Ethernet pads, so that
    // frames may be longer.
    let mut beyond = plain();
    beyond[2..4].copy_from_slice(&1040u16.to_be_bytes());
    for (bytes, payload, warnings) in [(plain(), 100, 0), (beyond.clone(), 1000, 1)] {
        let found = decode(std::slice::from_ref(&bytes));
        assert_eq!(found, (vec![(40_000, 80, payload)], warnings));
        let mac = [&[2; 12][..], &[0x81, 0, 0, 7, 8, 0]].concat();
        let padded = [&mac[..], &bytes, &[0; 4]].concat();
        assert_eq!(decode_as(LinkType::ETHERNET, &[padded]).1, warnings);
    }
    // In a tunnel: the packet within states more than the one around it.
    let outer = Tuple { src: end(5, 0), dst: end(6, 0), protocol: IPV4_IN_IP };
    let mut bytes = Vec::new();
    IpRepr::new(outer, 0, Ecn::NotEct, 160).emit(&mut bytes);
    bytes.extend(&beyond);
    assert_eq!(decode(&[bytes]).1, 1);
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

/// Kinds of the frames that are not decoded, and the number of packets that are.
fn kinds(frames: &[Vec<u8>]) -> (BTreeMap<String, u64>, usize) {
    let (mut decoder, mut warnings, mut found) = (Decoder::default(), Warnings::default(), 0);
    for bytes in frames {
        let packet = decoder.decode(&frame(bytes), &mut warnings, &mut |_| found += 1);
        found += usize::from(packet.is_some());
    }
    (decoder.undecoded(), found)
}

/// A datagram from an end to an end.
fn datagram(src: Endpoint, dst: Endpoint, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    udp::emit_packet(Tuple { src, dst, protocol: Protocol::UDP }, payload, &mut bytes).unwrap();
    bytes
}

#[test]
fn end_markers_are_no_flows() {
    // Version 1, type 254 (TS 29.281, 6.1); an echo request, type 1, remains a datagram.
    let [marker, echo] =
        [254, 1].map(|kind| datagram(end(8, 2152), end(9, 2152), &[0x30, kind, 0, 0, 0, 0, 0, 7]));
    let (kinds, found) = kinds(&[marker, echo, tunnelled()]);
    assert_eq!((kinds, found), ([("GTP-U end marker".to_owned(), 1)].into(), 2));
}

#[test]
fn transport_blocks_of_nr_are_no_flows() {
    let (own, other) = (end(1, 9_999), end(2, 9_999));
    let frames = [
        datagram(own, own, b"mac-nr\x01\x01\x03\x01"),
        datagram(own, own, &[]),
        datagram(own, own, b"others"),
        datagram(own, other, b"mac-nr\x01\x01\x03\x01"),
    ];
    let (kinds, found) = kinds(&frames);
    assert_eq!((kinds, found), ([("transport block of NR (mac-nr)".to_owned(), 2)].into(), 2));
}

#[test]
fn a_link_type_that_is_not_read_has_a_note() {
    assert_eq!(not_read(250), "link type 250 is not read");
    assert!(not_read(252).starts_with("link type 252 is not read: PDUs for Wireshark"));
}
