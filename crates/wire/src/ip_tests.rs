use super::*;

fn example() -> IpRepr {
    let tuple = Tuple {
        src: Endpoint::new([192, 168, 0, 1], 0),
        dst: Endpoint::new([192, 168, 0, 199], 0),
        protocol: Protocol::UDP,
    };
    IpRepr { dscp: 0, ttl: 64, ..IpRepr::new(tuple, 0, Ecn::NotEct, 115) }
}

#[test]
fn a_header_with_a_known_checksum() {
    // The widely used example 4500 0073 0000 4000 4011 b861 c0a8 0001 c0a8 00c7.
    let mut out = Vec::new();
    example().emit(&mut out);
    let known: [u16; 10] =
        [0x4500, 0x0073, 0, 0x4000, 0x4011, 0xb861, 0xc0a8, 0x0001, 0xc0a8, 0x00c7];
    let known: Vec<u8> = known.iter().flat_map(|word| word.to_be_bytes()).collect();
    assert_eq!(out, known);
}

#[test]
fn the_traffic_class_crosses_a_byte_of_ipv6() {
    let addr = |n| Ipv6Addr::from([0, 0, 0, 0, 0, 0, 0, n]);
    let tuple = Tuple {
        src: Endpoint::new(addr(1), 0),
        dst: Endpoint::new(addr(2), 0),
        protocol: Protocol(59),
    };
    let repr = IpRepr::new(tuple, 46, Ecn::Ect1, 40);
    let mut out = Vec::new();
    repr.emit(&mut out);
    assert_eq!(out[..8], [0x6b, 0x90, 0, 0, 0, 0, 59, 64]);
    assert_eq!(IpRepr::parse(&out), Ok((repr, &[][..])));
}

#[test]
fn options_are_skipped() {
    let mut bytes = vec![0x46, 0, 0, 28, 0, 0, 0, 0, 9, 17, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    bytes.extend([1, 1, 1, 0]);
    bytes.extend([0, 5, 0, 6]);
    let (repr, payload) = IpRepr::parse(&bytes).unwrap();
    assert_eq!((repr.payload_len, payload), (4, &[0u8, 5, 0, 6][..]));
    assert_eq!((repr.tuple.src.port, repr.tuple.dst.port, repr.ttl), (5, 6, 9));
}

#[test]
fn extension_headers_are_skipped_and_fragments_have_no_ports() {
    let mut bytes = vec![0x60, 0, 0, 0, 0, 20, 0, 64];
    bytes.extend([0; 32]);
    bytes.extend([44, 0, 1, 4, 0, 0, 0, 0]); // hop-by-hop, then a fragment header
    bytes.extend([6, 0, 0x05, 0xa8, 0, 0, 0, 1]); // not the first fragment
    bytes.extend([0, 80, 0, 81]);
    let (repr, payload) = IpRepr::parse(&bytes).unwrap();
    assert_eq!((repr.tuple.protocol, repr.payload_len, payload.len()), (Protocol::TCP, 4, 4));
    assert_eq!(repr.fragment, Some(Fragment { id: 1, offset: 0x5a8, more: false }));
    assert_eq!(repr.tuple.src.port, 0);
}

#[test]
fn what_is_not_ip_is_malformed() {
    assert_eq!(IpRepr::parse(&[0x50; 40]), Err(ParseError::Malformed));
    assert_eq!(IpRepr::parse(&[0x44; 40]), Err(ParseError::Malformed));
    assert_eq!(IpRepr::parse(&[]), Err(ParseError::Truncated));
}

#[test]
fn a_cut_packet_keeps_its_length() {
    let mut out = Vec::new();
    example().emit(&mut out);
    let (repr, payload) = IpRepr::parse(&out).unwrap();
    assert_eq!((repr.payload_len, payload.len()), (95, 0));
}

#[test]
fn a_fragment_of_ipv4_says_which_part_it_is() {
    let mut out = Vec::new();
    example().emit(&mut out);
    out[4..8].copy_from_slice(&[0x12, 0x34, 0x20, 0xb9]); // more of them; offset 185 * 8
    let (repr, _) = IpRepr::parse(&out).unwrap();
    assert_eq!(repr.fragment, Some(Fragment { id: 0x1234, offset: 1480, more: true }));
}

#[test]
fn an_atomic_fragment_is_a_whole_packet() {
    // RFC 6946: a fragment header with neither offset nor more.
    let mut bytes = vec![0x60, 0, 0, 0, 0, 12, 44, 64];
    bytes.extend([0; 32]);
    bytes.extend([17, 0, 0, 0, 0, 0, 0, 9]);
    bytes.extend([0, 80, 0, 81]);
    let (repr, _) = IpRepr::parse(&bytes).unwrap();
    assert_eq!((repr.fragment, repr.tuple.src.port), (None, 80));
}

#[test]
fn ecn_is_set_in_bytes_as_if_they_had_been_written_so() {
    let v6 = |n| Endpoint::new(Ipv6Addr::from([0, 0, 0, 0, 0, 0, 0, n]), 0);
    let v6 = Tuple { src: v6(1), dst: v6(2), protocol: Protocol(59) };
    for (tuple, dscp) in [(example().tuple, 46), (example().tuple, 0), (v6, 46), (v6, 63)] {
        for (from, to) in [(Ecn::Ect0, Ecn::Ce), (Ecn::NotEct, Ecn::Ect1), (Ecn::Ce, Ecn::NotEct)] {
            for ident in [0, 0x1234, 0xffff] {
                let repr = |ecn| IpRepr { ident, ..IpRepr::new(tuple, dscp, ecn, 115) };
                let (mut bytes, mut expected) = (Vec::new(), Vec::new());
                repr(from).emit(&mut bytes);
                repr(to).emit(&mut expected);
                set_ecn(&mut bytes, to);
                assert_eq!(bytes, expected);
            }
        }
    }
    let mut nothing = [0x50, 1];
    set_ecn(&mut nothing, Ecn::Ce);
    assert_eq!(nothing, [0x50, 1]);
}
