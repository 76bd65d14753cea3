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
    assert_eq!(carried(LinkType(105), &[0; 64]), Err(ParseError::Unsupported));
    assert!(!LinkType(105).is_known());
}

proptest! {
    #[test]
    fn any_bytes_are_read(link in 0u16..300, frame in prop::collection::vec(any::<u8>(), 0..80)) {
        let found = carried(LinkType(link), &frame);
        prop_assert_eq!(found == Err(ParseError::Unsupported), !LinkType(link).is_known());
        // What is found need not be there, but lies just behind a header that is.
        if let Ok(Carried::Ip(offset)) = found {
            prop_assert!(offset <= frame.len());
        }
    }
}
