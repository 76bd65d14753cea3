use airpath_wire::datagram::{Content, Inner, emit};
use airpath_wire::{Ecn, Endpoint, IpRepr, Protocol, TcpRepr, Tuple};

use super::*;
use crate::testing::analyse;
use crate::{FlowRecord, Options, Totals};

/// A TCP segment of 100 bytes between 10.0.0.1:40000 and 10.0.0.2:80.
fn segment() -> Vec<u8> {
    let end = |n: u8, port| Endpoint::new([10, 0, 0, n], port);
    let tuple = Tuple { src: end(1, 40_000), dst: end(2, 80), protocol: Protocol::TCP };
    let seg = TcpRepr { payload_len: 100, ..TcpRepr::default() };
    let ip = IpRepr::new(tuple, 0, Ecn::NotEct, 140);
    let mut bytes = Vec::new();
    emit(Inner::Repr(ip, Content::Tcp(seg)), &[], usize::MAX, &mut bytes).unwrap();
    bytes
}

/// An Ethernet frame.
fn ethernet(kind: u16, content: &[u8]) -> Vec<u8> {
    [&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2][..], &kind.to_be_bytes(), content].concat()
}

/// An IPv4 packet between 192.0.2.1 and 192.0.2.2; `part` is its field of fragments.
fn ipv4(protocol: u8, part: u16, content: &[u8]) -> Vec<u8> {
    let len = (20 + content.len()) as u16;
    let head =
        [&[0x45, 0][..], &len.to_be_bytes(), &[0, 7], &part.to_be_bytes(), &[64, protocol, 0, 0]];
    [&head.concat()[..], &[192, 0, 2, 1, 192, 0, 2, 2], content].concat()
}

/// An IPv6 packet between 2001:db8::1 and 2001:db8::2.
fn ipv6(protocol: u8, content: &[u8]) -> Vec<u8> {
    let end = |n: u8| [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n];
    let head = [&[0x60, 0, 0, 0][..], &(content.len() as u16).to_be_bytes(), &[protocol, 64]];
    [&head.concat()[..], &end(1), &end(2), content].concat()
}

fn udp(port: u16, content: &[u8]) -> Vec<u8> {
    let half = |n: u16| n.to_be_bytes();
    let head = [half(50_000), half(port), half(8 + content.len() as u16), [0, 0]];
    [head.as_flattened(), content].concat()
}

fn vxlan(vni: u32, frame: &[u8]) -> Vec<u8> {
    udp(4789, &[&[8, 0, 0, 0][..], &(vni << 8).to_be_bytes(), frame].concat())
}

fn gre(flags: u16, kind: u16, content: &[u8]) -> Vec<u8> {
    [&flags.to_be_bytes()[..], &kind.to_be_bytes(), content].concat()
}

/// A pcap of Ethernet frames.
pub(crate) fn pcap(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 65_535, 1].map(u32::to_be_bytes).concat();
    for (n, frame) in frames.iter().enumerate() {
        let len = frame.len() as u32;
        bytes.extend([1, n as u32, len, len].map(u32::to_be_bytes).concat());
        bytes.extend(frame);
    }
    bytes
}

fn decapsulated(frames: &[Vec<u8>]) -> (Vec<FlowRecord>, Totals) {
    analyse(&pcap(frames), Options { decapsulate: true, ..Options::default() })
}

pub(crate) type Named = (TunnelKind, Option<u32>);

/// Frames of all kinds of tunnel around the same segment, and the tunnels.
pub(crate) fn all() -> Vec<(Vec<u8>, Vec<Named>)> {
    use TunnelKind::{Erspan1, Erspan2, Erspan3, Geneve, Gre, Pseudowire, Vxlan};
    let (ip, inner) = (segment(), ethernet(0x800, &segment()));
    let outer = |protocol: u8, content: &[u8]| ethernet(0x800, &ipv4(protocol, 0, content));
    let seven = [0, 0, 0, 7];
    let geneve = |kind: [u8; 2], content: &[u8]| {
        let head = [&[2, 0][..], &kind, &[0, 0, 9, 0], &[1; 8]].concat();
        udp(6081, &[&head[..], content].concat())
    };
    let erspan2 = [&seven[..], &[0x10, 5, 0, 12, 0, 0, 0, 1], &inner].concat();
    let erspan3 = |last: u8, more: &[u8]| {
        let head = [&seven[..], &[0x20, 5, 0, 13, 0, 0, 0, 1, 0, 0, 0, last]].concat();
        [&head[..], more, &inner].concat()
    };
    let mpls = |bottom: &[u8]| [&[0, 0, 0x10, 64][..], bottom].concat();
    let wire = [&mpls(&[0, 0, 0x21, 64])[..], &[0, 0, 0, 0], &inner].concat();
    let tagged = [&[0, 5, 0x88, 0x47][..], &wire].concat();
    vec![
        (outer(17, &vxlan(5, &inner)), vec![(Vxlan, Some(5))]),
        (ethernet(0x86dd, &ipv6(17, &vxlan(6, &inner))), vec![(Vxlan, Some(6))]),
        (outer(17, &geneve([0x65, 0x58], &inner)), vec![(Geneve, Some(9))]),
        (outer(17, &geneve([8, 0], &ip)), vec![(Geneve, Some(9))]),
        (outer(47, &gre(0, 0x800, &ip)), vec![(Gre, None)]),
        (outer(47, &gre(0x2000, 0x800, &[&seven[..], &ip].concat())), vec![(Gre, Some(7))]),
        (
            outer(47, &gre(0xb000, 0x6558, &[&[1; 4][..], &seven, &[2; 4], &inner].concat())),
            vec![(Gre, Some(7))],
        ),
        (outer(47, &gre(0, 0x88be, &inner)), vec![(Erspan1, None)]),
        (outer(47, &gre(0x1000, 0x88be, &erspan2)), vec![(Erspan2, Some(12))]),
        (outer(47, &gre(0x1000, 0x22eb, &erspan3(0, &[]))), vec![(Erspan3, Some(13))]),
        (outer(47, &gre(0x1000, 0x22eb, &erspan3(1, &[3; 8]))), vec![(Erspan3, Some(13))]),
        (ethernet(0x8847, &wire), vec![(Pseudowire, None)]),
        (ethernet(0x8100, &tagged), vec![(Pseudowire, None)]),
        (
            outer(47, &gre(0, 0x8847, &mpls(&[&[0, 0, 0x21, 64][..], &ip].concat()))),
            vec![(Gre, None)],
        ),
        (outer(47, &gre(0, 0x8847, &wire)), vec![(Gre, None), (Pseudowire, None)]),
        (
            outer(17, &vxlan(1, &outer(47, &gre(0, 0x800, &ip)))),
            vec![(Vxlan, Some(1)), (Gre, None)],
        ),
    ]
}

#[test]
fn each_tunnel_leads_to_the_segment_and_is_named() {
    for (frame, expected) in all() {
        let (flows, totals) = decapsulated(std::slice::from_ref(&frame));
        let [flow] = &flows[..] else { panic!("{expected:?}: {} flows, {totals:?}", flows.len()) };
        assert_eq!((flow.client.port, flow.server.port, flow.up.payload_bytes), (40_000, 80, 100));
        let named: Vec<_> = flow.tunnels.iter().map(|tunnel| (tunnel.kind, tunnel.id)).collect();
        assert_eq!(named, expected);
        assert_eq!(flow.up.bytes, frame.len() as u64, "{expected:?}");
        assert!(totals.undecoded.is_empty() && totals.warnings.is_empty(), "{totals:?}");
    }
}

#[test]
fn flows_of_two_tunnels_are_two_flows() {
    let inner = ethernet(0x800, &segment());
    let frame = |vni| ethernet(0x800, &ipv4(17, 0, &vxlan(vni, &inner)));
    let (flows, _) = decapsulated(&[frame(1), frame(2), frame(1)]);
    let mut ids: Vec<_> = flows.iter().map(|f| (f.tunnels[0].id, f.up.packets)).collect();
    ids.sort_unstable();
    assert_eq!(ids, [(Some(1), 2), (Some(2), 1)]);
}

#[test]
fn without_the_option_tunnels_are_counted_as_before() {
    for (frame, tunnels) in all() {
        let (flows, totals) = analyse(&pcap(&[frame]), Options::default());
        let ip_over_mpls = tunnels == [(TunnelKind::Gre, None)] && flows.is_empty();
        assert!(!totals.undecoded.is_empty() || ip_over_mpls, "{tunnels:?}: {totals:?}");
        assert!(flows.iter().all(|flow| flow.tunnels.is_empty() && flow.server.port != 80));
    }
}

#[test]
fn fragments_are_put_together_and_incomplete_ones_counted() {
    let content = vxlan(5, &ethernet(0x800, &segment()));
    let (first, second) = content.split_at(64);
    let part = |part, content| ethernet(0x800, &ipv4(17, part, content));
    let (flows, totals) = decapsulated(&[part(0x2000, first), part(8, second)]);
    assert_eq!((flows.len(), flows[0].tunnels[0].id), (1, Some(5)));
    assert_eq!(flows[0].up.bytes, 2 * 34 + content.len() as u64);
    assert!(totals.undecoded.is_empty(), "{totals:?}");
    let (flows, totals) = decapsulated(&[part(0x2000, first)]);
    assert_eq!((flows.len(), totals.undecoded.values().sum::<u64>()), (0, 1));
}

#[test]
fn a_short_header_is_counted_and_not_guessed() {
    for (frame, tunnels) in all() {
        // Each length of the frame up to the inner IP header.
        for len in 38..frame.len() - 140 {
            let (flows, totals) = decapsulated(&[frame[..len].to_vec()]);
            let guessed = flows.iter().any(|flow| flow.server.port == 80);
            assert!(!guessed, "{tunnels:?} {len}: {flows:?}");
            assert!(!totals.undecoded.is_empty(), "{tunnels:?} {len}: {totals:?}");
        }
    }
}

#[test]
fn packets_that_only_look_like_a_tunnel_are_left_alone() {
    let inner = ethernet(0x800, &segment());
    let outer = |protocol: u8, content: &[u8]| ethernet(0x800, &ipv4(protocol, 0, content));
    let frames = [
        // No VNI; a control packet of Geneve; routing and PPTP in GRE; ERSPAN of another version.
        outer(17, &udp(4789, &[&[0; 8][..], &inner].concat())),
        outer(17, &udp(6081, &[&[0, 0x80, 0x65, 0x58, 0, 0, 9, 0][..], &inner].concat())),
        outer(47, &gre(0x4000, 0x800, &segment())),
        outer(47, &gre(0x2001, 0x880b, &segment())),
        outer(47, &gre(0x1000, 0x88be, &[&[0; 4][..], &[0x70; 8], &inner].concat())),
        // An associated channel (RFC 4385, 5), and a pseudowire without a control word.
        ethernet(0x8847, &[&[0, 0, 0x21, 64, 0x10, 0, 0, 0][..], &inner].concat()),
        ethernet(0x8847, &[&[0, 0, 0x21, 64][..], &inner].concat()),
    ];
    for (n, frame) in frames.iter().enumerate() {
        let (flows, totals) = decapsulated(std::slice::from_ref(frame));
        assert!(flows.iter().all(|flow| flow.server.port != 80), "{n}: {flows:?}");
        assert_eq!(totals.undecoded.values().sum::<u64>(), 1, "{n}: {totals:?}");
    }
}

#[test]
fn four_tunnels_within_each_other_are_looked_through() {
    let mut frame = ethernet(0x800, &segment());
    for depth in 1..=6 {
        frame = ethernet(0x800, &ipv4(17, 0, &vxlan(depth, &frame)));
        let (flows, totals) = decapsulated(std::slice::from_ref(&frame));
        let deep = depth > 4;
        assert_eq!((flows.len(), totals.undecoded.contains_key("VXLAN")), (1, deep), "{depth}");
        assert_eq!(flows[0].tunnels.len(), depth.min(4) as usize);
        assert_eq!(flows[0].server.port == 80, !deep);
    }
}
