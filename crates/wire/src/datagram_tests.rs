use proptest::prelude::*;

use super::*;

/// The one's complement sum of a transport segment with its pseudo header, by a
/// plain loop: 0xffff if the checksum is right.
fn transport_sum(packet: &[u8]) -> u32 {
    let (addresses, protocol, start) = match packet[0] >> 4 {
        4 => (&packet[12..20], packet[9], 20),
        _ => (&packet[8..40], packet[6], 40),
    };
    let mut bytes = addresses.to_vec();
    bytes.extend((packet.len() as u32 - start).to_be_bytes());
    bytes.extend([0, protocol]);
    bytes.extend(&packet[start as usize..]);
    bytes.push(0);
    let mut sum: u32 = 0;
    for pair in bytes.chunks_exact(2) {
        sum += u32::from(pair[0]) * 256 + u32::from(pair[1]);
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum
}

fn end(v6: bool, host: u8, port: u16) -> Endpoint {
    match v6 {
        false => Endpoint::new([10, 1, 2, host], port),
        true => Endpoint::new([0x2001, 0xdb8, 0, 0, 0, 0, 0, u16::from(host)], port),
    }
}

fn tuple(v6: bool, protocol: Protocol) -> Tuple {
    Tuple { src: end(v6, 1, 443), dst: end(v6, 2, 40000), protocol }
}

fn gtpu() -> OuterRepr {
    let (src, dst) = (end(false, 8, GtpuRepr::PORT), end(false, 9, GtpuRepr::PORT));
    OuterRepr {
        kind: OuterKind::Gtpu { teid: 77, set: None, congestion: None },
        src,
        dst,
        dscp: 10,
        ecn: Ecn::Ect1,
    }
}

fn esp(overhead: u32) -> OuterRepr {
    let header = EspRepr { spi: 5, seq: 9 };
    let (src, dst) = (end(false, 10, 0), end(false, 11, 0));
    OuterRepr { kind: OuterKind::Esp { header, overhead }, src, dst, dscp: 0, ecn: Ecn::NotEct }
}

fn zeros(len: u32) -> Inner<'static> {
    Inner::Repr(IpRepr::new(tuple(false, Protocol::UDP), 0, Ecn::Ect0, len), Content::Zeros)
}

proptest! {
    #[test]
    fn a_tcp_packet_is_read_as_written(
        tcp in crate::tcp_bytes::tests::any_repr(),
        v6: bool, dscp in 0u8..64, ecn in 0u8..4, snap in 0usize..2100,
    ) {
        let tuple = tuple(v6, Protocol::TCP);
        let size = tuple.ip_header() + tcp.header_len() + tcp.payload_len;
        let ip = IpRepr::new(tuple, dscp, Ecn::from_bits(ecn), size);
        let mut out = Vec::new();
        let whole = emit(Inner::Repr(ip, Content::Tcp(tcp)), &[], usize::MAX, &mut out);
        prop_assert_eq!(whole, Ok(size));
        prop_assert_eq!(out.len() as u32, size);
        prop_assert_eq!(transport_sum(&out), 0xffff);
        prop_assert_eq!(parse(&out), Ok((ip, Transport::Tcp(tcp))));

        let mut cut = Vec::new();
        emit(Inner::Repr(ip, Content::Tcp(tcp)), &[], snap, &mut cut).unwrap();
        prop_assert_eq!(&cut[..], &out[..snap.min(out.len())]);
    }

    #[test]
    fn bytes_are_stripped_as_a_segment_is(
        tcp in crate::tcp_bytes::tests::any_repr(), v6: bool,
    ) {
        let tuple = tuple(v6, Protocol::TCP);
        let size = tuple.ip_header() + tcp.header_len() + tcp.payload_len;
        let ip = IpRepr::new(tuple, 0, Ecn::NotEct, size);
        let written = |tcp: &TcpRepr| {
            let mut out = Vec::new();
            emit(Inner::Repr(ip, Content::Tcp(*tcp)), &[], usize::MAX, &mut out).unwrap();
            out
        };
        let mut bytes = written(&tcp);
        prop_assert_eq!(crate::strip_accurate_ecn(&mut bytes), tcp.accurate_ecn.is_some());
        prop_assert_eq!(transport_sum(&bytes), 0xffff);
        let mut stripped = tcp;
        stripped.strip_accurate_ecn();
        prop_assert_eq!(&bytes, &written(&stripped));
        prop_assert!(!crate::strip_accurate_ecn(&mut bytes));
    }

    #[test]
    fn stripping_bytes_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let mut bytes = bytes;
        if let Some(first) = bytes.first_mut() {
            *first = 0x45;
        }
        let before = bytes.len();
        crate::strip_accurate_ecn(&mut bytes);
        prop_assert_eq!(bytes.len(), before);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), version in 0u8..3) {
        let mut bytes = bytes;
        if let Some(first) = bytes.first_mut() {
            *first = [*first, 0x45, 0x60][usize::from(version)];
        }
        if let Ok((_, Transport::Udp { payload, payload_len })) = parse(&bytes) {
            let _ = GtpuRepr::parse(payload);
            let _ = RtpRepr::parse(payload, payload_len);
        }
        let _ = GtpuRepr::parse(&bytes);
        let _ = RtpRepr::parse(&bytes, bytes.len() as u32);
        let _ = EspRepr::parse(&bytes);
    }

    #[test]
    fn damaged_packets_do_not_panic(at in 0usize..60, value: u8, tcp in crate::tcp_bytes::tests::any_repr()) {
        let ip = IpRepr::new(tuple(false, Protocol::TCP), 0, Ecn::Ce, 1500);
        let mut out = Vec::new();
        emit(Inner::Repr(ip, Content::Tcp(tcp)), &[], 70, &mut out).unwrap();
        if let Some(byte) = out.get_mut(at) {
            *byte = value;
        }
        let _ = parse(&out);
    }
}

#[test]
fn gtpu_over_ipv4_adds_36_bytes() {
    // TS 29.281, 5.1: 20 + 8 + 8.
    let mut out = Vec::new();
    assert_eq!(emit(zeros(100), &[gtpu()], usize::MAX, &mut out), Ok(136));
    assert_eq!(GtpuRepr::OVERHEAD_V4, 36);
    assert_eq!(transport_sum(&out), 0xffff);
    let (ip, transport) = parse(&out).unwrap();
    assert_eq!((ip.dscp, ip.ecn, ip.tuple.dst.port), (10, Ecn::Ect1, 2152));
    let Transport::Udp { payload, payload_len: 108 } = transport else {
        panic!("{transport:?}");
    };
    let (header, at) = GtpuRepr::parse(payload).unwrap();
    assert_eq!(header, GtpuRepr { teid: 77, payload_len: 100, set: None, congestion: None });
    let (inner, transport) = parse(&payload[at..]).unwrap();
    assert_eq!(inner.ecn, Ecn::Ect0);
    assert!(matches!(transport, Transport::Udp { payload_len: 72, .. }));
    assert_eq!(transport_sum(&payload[at..]), 0xffff);
}

#[test]
fn gtpu_within_esp_is_laid_out_as_on_a_backhaul() {
    let overhead = crate::EspTransform::AES_GCM.overhead(136);
    let mut out = Vec::new();
    let len = emit(zeros(100), &[gtpu(), esp(overhead)], usize::MAX, &mut out);
    // 136 + 2 of padding + 2 = 140; 20 IP + 8 ESP + 8 IV + 140 + 16 ICV.
    assert_eq!(len, Ok(192));
    assert_eq!(out.len(), 192);
    let (ip, transport) = parse(&out).unwrap();
    assert_eq!(ip.payload_len, 172);
    assert_eq!(transport, Transport::Esp(EspRepr { spi: 5, seq: 9 }));
    let (inner, _) = parse(&out[36..]).unwrap();
    assert_eq!(inner.payload_len, 116);
    assert_eq!(out[172..176], [1, 2, 2, 4]);
    assert_eq!(out[176..], [0; 16]);
}

#[test]
fn an_esp_without_room_for_a_trailer_keeps_its_length() {
    for overhead in 0..30 {
        let mut out = Vec::new();
        let len = emit(zeros(100), &[esp(overhead)], usize::MAX, &mut out).unwrap();
        assert_eq!(len, 120 + overhead.max(8));
        assert_eq!(out.len() as u32, len);
    }
}

#[test]
fn real_bytes_pass_unchanged() {
    let mut out = Vec::new();
    emit(Inner::Bytes(&[0x45, 1, 2], Ecn::Ect1), &[gtpu()], usize::MAX, &mut out).unwrap();
    assert_eq!(out[36..], [0x45, 1, 2]);
}

#[test]
fn rtp_is_written_over_udp() {
    let rtp = RtpRepr { seq: 3, payload_type: 96, payload_len: 1160, ..RtpRepr::default() };
    let ip = IpRepr::new(tuple(true, Protocol::UDP), 0, Ecn::Ect1, 1220);
    let mut out = Vec::new();
    emit(Inner::Repr(ip, Content::Rtp(&rtp)), &[], usize::MAX, &mut out).unwrap();
    assert_eq!(transport_sum(&out), 0xffff);
    let (_, Transport::Udp { payload_len, payload }) = parse(&out).unwrap() else {
        panic!("no UDP");
    };
    assert_eq!(RtpRepr::parse(payload, payload_len), Ok(rtp));
}

#[test]
fn a_packet_too_short_for_its_headers_is_made_longer() {
    let tcp = TcpRepr::default();
    let ip = IpRepr::new(tuple(false, Protocol::TCP), 0, Ecn::NotEct, 0);
    let mut out = Vec::new();
    assert_eq!(emit(Inner::Repr(ip, Content::Tcp(tcp)), &[], 96, &mut out), Ok(40));
    assert_eq!(transport_sum(&out), 0xffff);
}

#[test]
fn a_packet_beyond_the_length_field_is_refused() {
    let mut out = Vec::new();
    assert_eq!(emit(zeros(65536), &[], 96, &mut out), Err(TooLong));
    assert_eq!(emit(zeros(65500), &[gtpu()], 96, &mut out), Err(TooLong));
    assert_eq!(emit(zeros(65499), &[gtpu()], 96, &mut out), Ok(65535));
}
