use proptest::prelude::*;

use super::*;

/// A frame of `head` and the first byte of an IPv4 packet.
fn at(link: LinkType, head: &[u8]) -> Result<Carried, ParseError> {
    let frame: Vec<u8> = head.iter().copied().chain([0x45, 0, 0, 20]).collect();
    let found = carried(link, &frame);
    if let Ok(Carried::Ip(offset)) = found {
        assert_eq!(offset, head.len());
    }
    found
}

#[test]
fn ethernet_with_and_without_tags() {
    let mac = [0u8; 12];
    let frame = |rest: &[u8]| [&mac[..], rest].concat();
    for rest in [
        &[0x08, 0x00][..],
        &[0x86, 0xdd],
        &[0x81, 0x00, 0, 7, 0x08, 0x00],
        &[0x88, 0xa8, 0, 7, 0x81, 0x00, 0, 8, 0x86, 0xdd],
        &[0x88, 0x47, 0, 0, 0x10, 64, 0, 0, 0x21, 64],
        &[0x88, 0x64, 0x11, 0, 0, 1, 0, 22, 0x00, 0x21],
        &[0x81, 0x00, 0, 7, 0x88, 0x64, 0x11, 0, 0, 1, 0, 22, 0x00, 0x57],
    ] {
        assert!(matches!(at(LinkType::ETHERNET, &frame(rest)), Ok(Carried::Ip(_))), "{rest:x?}");
    }
    assert_eq!(at(LinkType::ETHERNET, &frame(&[0x08, 0x06])), Ok(Carried::EtherType(0x0806))); // ARP
    assert_eq!(carried(LinkType::ETHERNET, &mac), Err(ParseError::Truncated));
}

#[test]
fn cooked_captures() {
    let mut v1 = [0u8; 16];
    v1[14] = 0x08;
    assert_eq!(at(LinkType::LINUX_SLL, &v1), Ok(Carried::Ip(16)));
    let mut v2 = [0u8; 20];
    v2[..2].copy_from_slice(&[0x86, 0xdd]);
    assert_eq!(at(LinkType::LINUX_SLL2, &v2), Ok(Carried::Ip(20)));
}

#[test]
fn ppp_with_and_without_framing_and_compression() {
    for head in [&[0xff, 0x03, 0x00, 0x21][..], &[0x00, 0x57], &[0x21], &[0xff, 0x03, 0x57]] {
        assert_eq!(at(LinkType::PPP, head), Ok(Carried::Ip(head.len())));
    }
    assert_eq!(at(LinkType::PPP, &[0xc0, 0x21]), Ok(Carried::Ppp(0xc021))); // link control
    assert_eq!(at(LinkType::PPP_ETHER, &[0x11, 0, 0, 1, 0, 22, 0, 0x21]), Ok(Carried::Ip(8)));
}

#[test]
fn loopback_in_either_byte_order() {
    for head in [[2, 0, 0, 0], [0, 0, 0, 2], [30, 0, 0, 0], [0, 0, 0, 24], [10, 0, 0, 0]] {
        assert_eq!(at(LinkType::NULL, &head), Ok(Carried::Ip(4)), "{head:?}");
        assert_eq!(at(LinkType::LOOP, &head), Ok(Carried::Ip(4)));
    }
    assert_eq!(at(LinkType::NULL, &[7, 0, 0, 0]), Ok(Carried::Family(7)));
}

#[test]
fn an_unknown_link_type_is_said_to_be_so() {
    assert_eq!(carried(LinkType(143), &[0; 64]), Err(ParseError::Unsupported));
    assert!(!LinkType(143).is_known());
}

/// LLC and SNAP of IPv4 (RFC 1042).
const SNAP: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];

#[test]
fn llc_with_and_without_snap() {
    let mac = [0u8; 12];
    let frame = |rest: &[u8]| [&mac[..], rest].concat();
    let tunnel = [0xaa, 0xaa, 3, 0, 0, 0xf8, 0x86, 0xdd];
    for llc in [&SNAP[..], &tunnel, &[6, 6, 3], &[0xaa, 0xaa, 3, 0, 0, 0, 0x81, 0, 0, 7, 8, 0]] {
        let head = frame(&[&[0, 40][..], llc].concat());
        assert_eq!(at(LinkType::ETHERNET, &head), Ok(Carried::Ip(head.len())), "{llc:x?}");
        assert_eq!(at(LinkType::LLC, llc), Ok(Carried::Ip(llc.len())));
        let tagged = frame(&[&[0x81, 0, 0, 7, 0, 40][..], llc].concat());
        assert_eq!(at(LinkType::ETHERNET, &tagged), Ok(Carried::Ip(tagged.len())));
    }
    // Spanning tree (IEEE 802.1D), Cisco's discovery protocol, and an EtherType that is a length.
    for llc in [&[0x42, 0x42, 3, 0][..], &[0xaa, 0xaa, 3, 0, 0, 12, 0x20, 0]] {
        assert_eq!(at(LinkType::LLC, llc), Ok(Carried::Llc), "{llc:x?}");
    }
    assert_eq!(at(LinkType::LLC, &[0xaa, 0xaa, 3, 0, 0, 0, 0, 40]), Ok(Carried::Llc));
    let mut cooked = [0u8; 16];
    cooked[15] = 4; // IEEE 802.2 (tcpdump.org, LINKTYPE_LINUX_SLL)
    assert_eq!(at(LinkType::LINUX_SLL, &[&cooked[..], &SNAP].concat()), Ok(Carried::Ip(24)));
}

#[test]
fn cisco_framing_alone_and_among_ppp() {
    for head in [[0x0f, 0, 8, 0], [0x8f, 0, 0x86, 0xdd]] {
        assert_eq!(at(LinkType::C_HDLC, &head), Ok(Carried::Ip(4)));
        assert_eq!(at(LinkType::PPP_HDLC, &head), Ok(Carried::Ip(4)));
    }
    let slarp = [0x8f, 0, 0x80, 0x35];
    assert_eq!(at(LinkType::C_HDLC, &slarp), Ok(Carried::EtherType(0x8035)));
}

#[test]
fn mpls_behind_ppp_and_alone() {
    let labels = [0, 0, 0x10, 64, 0, 0, 0x21, 64];
    for head in [&[0xff, 3, 0x02, 0x81][..], &[0x02, 0x83]] {
        let head = [head, &labels].concat();
        assert_eq!(at(LinkType::PPP, &head), Ok(Carried::Ip(head.len())));
    }
    assert_eq!(at(LinkType::MPLS, &labels), Ok(Carried::Ip(8)));
}

#[test]
fn data_frames_of_wireless_networks() {
    let frame = |control: [u8; 2], more: &[u8]| [&control[..], &[0; 22], more].concat();
    let [data, quality] = [[0x08, 1], [0x88, 2]];
    for head in [
        frame(data, &SNAP),
        frame(quality, &[&[0, 0][..], &SNAP].concat()),
        frame([0x08, 3], &[&[0; 6][..], &SNAP].concat()),
        frame([0x88, 3], &[&[0; 8][..], &SNAP].concat()),
        frame([0x88, 0x81], &[&[0; 6][..], &SNAP].concat()), // HT Control
    ] {
        assert_eq!(at(LinkType::IEEE802_11, &head), Ok(Carried::Ip(head.len())), "{head:x?}");
    }
    let others = [
        ([0x80, 0], Wlan::Management), // a beacon
        ([0xb4, 0], Wlan::Control),
        ([0x48, 1], Wlan::Null),
        ([0xc8, 1], Wlan::Null),
        ([0x08, 0x41], Wlan::Encrypted),
        ([0x08, 0x05], Wlan::Fragment),
    ];
    for (control, what) in others {
        let head = frame(control, &SNAP);
        assert_eq!(at(LinkType::IEEE802_11, &head), Ok(Carried::Wlan(what)));
    }
    let mut second = frame(data, &SNAP);
    second[22] = 1;
    assert_eq!(at(LinkType::IEEE802_11, &second), Ok(Carried::Wlan(Wlan::Fragment)));
}

#[test]
fn radiotap_headers_of_any_length_and_padding() {
    let quality = [&[0x88, 1][..], &[0; 24]].concat();
    // The version, a pad, the length, and which fields are there (radiotap.org).
    let headers: [&[u8]; 3] = [
        &[0, 0, 8, 0, 0, 0, 0, 0],
        &[0, 0, 12, 0, 2, 0, 0, 0, 0x10, 0, 0, 0],
        &[0, 0, 18, 0, 2, 0, 0, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0x10, 0],
    ];
    for header in headers {
        let head = [header, &quality, &SNAP].concat();
        assert_eq!(at(LinkType::RADIOTAP, &head), Ok(Carried::Ip(head.len())), "{header:x?}");
    }
    // The time of the MAC layer is aligned to eight bytes; then flags: padded.
    let timed = [&[0, 0, 17, 0, 3, 0, 0, 0][..], &[9; 8], &[0x20]].concat();
    let head = [&timed[..], &quality, &[0; 2], &SNAP].concat();
    assert_eq!(at(LinkType::RADIOTAP, &head), Ok(Carried::Ip(head.len())));
    assert_eq!(at(LinkType::RADIOTAP, &[1, 0, 8, 0, 0, 0, 0, 0]), Err(ParseError::Malformed));
}

#[test]
fn packets_of_an_aggregate_follow_each_other() {
    let head = [&[0x88, 1][..], &[0; 22], &[0x80, 0]].concat();
    let subframe = |packet: &[u8]| {
        let len = (8 + packet.len()) as u16;
        [&[7; 12][..], &len.to_be_bytes(), &SNAP, packet].concat()
    };
    let padded = [subframe(&[0x45; 21]), vec![0]].concat();
    let frame = [&head[..], &padded, &subframe(&[0x45; 20])].concat();
    let Ok(Carried::Aggregate(first)) = carried(LinkType::IEEE802_11, &frame) else {
        panic!("an aggregate");
    };
    let found: Vec<_> = Subframes::new(&frame, first).collect();
    let place = |subframe: usize| Ok(Carried::Ip(26 + subframe + 22));
    assert_eq!(found, [(place(0), 44), (place(44), 44)]);
}

#[test]
fn headers_before_another_link_type() {
    let ethernet = [&[0; 12][..], &[8, 0]].concat();
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut pktap = words(&[108, 1, 1]);
    pktap.extend(b"en0");
    pktap.resize(108, 0);
    let head = [&pktap[..], &ethernet].concat();
    assert_eq!(at(LinkType::PKTAP, &head), Ok(Carried::Ip(122)));
    assert_eq!(interface_name(LinkType::PKTAP, &head), Some("en0"));
    assert_eq!(interface_name(LinkType::ETHERNET, &head), None);
    let ppi = [&[0, 0, 12, 0][..], &words(&[1, 0]), &ethernet].concat();
    assert_eq!(at(LinkType::PPI, &ppi), Ok(Carried::Ip(26)));
    let other = [&[0, 0, 8, 0][..], &words(&[143])].concat();
    assert_eq!(at(LinkType::PPI, &other), Ok(Carried::Link(143)));
    // One within the other without end.
    let endless = [[0, 0, 8, 0, 192, 0, 0, 0]; 9].concat();
    assert_eq!(at(LinkType::PPI, &endless), Ok(Carried::Link(192)));
    assert_eq!(at(LinkType::PPI, &[0, 0, 4, 0, 1, 0, 0, 0]), Err(ParseError::Malformed));
}

#[test]
fn messages_of_the_netfilter_log_in_either_byte_order() {
    for big in [false, true] {
        let half = |n: u16| if big { n.to_be_bytes() } else { n.to_le_bytes() };
        let attribute = |kind: u16, value: &[u8]| {
            let mut bytes = [half(4 + value.len() as u16), half(kind)].concat();
            bytes.extend(value);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        };
        let prefix = attribute(10, b"drop\0");
        let payload = [half(4 + 4), half(9)].concat();
        let head = [&[2, 0, 0, 5][..], &prefix, &payload].concat();
        assert_eq!(at(LinkType::NFLOG, &head), Ok(Carried::Ip(head.len())), "{big}");
        let message = [&[2, 0, 0, 5][..], &prefix].concat();
        assert_eq!(carried(LinkType::NFLOG, &message), Ok(Carried::Nflog));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(link in 0u16..300, frame in prop::collection::vec(any::<u8>(), 0..80)) {
        let found = carried(LinkType(link), &frame);
        prop_assert_eq!(found == Err(ParseError::Unsupported), !LinkType(link).is_known());
        // The content may be cut off, but it begins just behind a header that is there.
        if let Ok(Carried::Ip(offset)) = found {
            prop_assert!(offset <= frame.len());
        }
    }
}
