use super::*;

#[test]
fn long_headers_of_known_versions_are_quic() {
    let initial = |version: u32| [vec![0xc3], version.to_be_bytes().to_vec(), vec![8]].concat();
    for version in [1, 0x6b33_43cf, 0xff00_001d] {
        assert!(is_quic(&initial(version), 300));
    }
    assert!(
        !is_quic(&initial(2), 1200)
            && !is_quic(&[0x43, 0, 0, 0, 1, 8], 6)
            && !is_quic(&[0xc3, 0], 2)
    );
    // RFC 9000, 15: a version that nobody has, in a client's first datagram.
    assert!(is_quic(&initial(0x1a2a_3a4a), 1200) && !is_quic(&initial(0x1a2a_3a4a), 1199));
    assert!(!is_quic(&[0xc3, 0, 0, 0, 1, 21], 6)); // RFC 9000, 17.2: 20 bytes at most
}

/// An Initial, a Handshake packet and one with a short header in a datagram.
fn coalesced() -> Vec<u8> {
    let initial = [&[0xc0, 0, 0, 0, 1, 2, 7, 7, 1, 9, 1, 0xee, 0x40, 3][..], &[1, 2, 3]].concat();
    let handshake = [&[0xe0, 0, 0, 0, 1, 2, 7, 7, 1, 9, 2][..], &[4, 5]].concat();
    [&initial[..], &handshake, &[0x40, 7, 7, 8]].concat()
}

#[test]
fn a_datagram_has_several_packets() {
    let bytes = coalesced();
    let parts: Vec<Part<'_>> = Parts::new(&bytes).collect();
    let [Part::Long(initial), Part::Long(handshake), Part::Short] = parts[..] else {
        panic!("{parts:?}")
    };
    assert_eq!((initial.kind, initial.destination, initial.body), (Kind::Initial, &[7, 7][..], 14));
    assert_eq!((initial.bytes.len(), handshake.bytes.len()), (17, 13));
    assert_eq!((handshake.kind, handshake.body, handshake.whole), (Kind::Handshake, 11, true));
}

#[test]
fn what_is_cut_is_told_and_ends_the_datagram() {
    let bytes = coalesced();
    for end in 0..bytes.len() {
        let parts: Vec<Part<'_>> = Parts::new(&bytes[..end]).collect();
        let cut = parts.iter().filter(|part| matches!(part, Part::Long(p) if !p.whole)).count();
        assert_eq!(cut, usize::from((14..17).contains(&end) || (28..30).contains(&end)), "{end}");
    }
}

#[test]
fn types_of_version_2_are_others() {
    // RFC 9369, 3.2.
    let kinds = |version| [0xc0, 0xd0, 0xe0, 0xf0].map(|first| Version(version).kind(first));
    let one = [Kind::Initial, Kind::ZeroRtt, Kind::Handshake, Kind::Retry];
    let two = [Kind::Retry, Kind::Initial, Kind::ZeroRtt, Kind::Handshake];
    assert_eq!((kinds(1), kinds(0x6b33_43cf)), (one, two));
}

#[test]
fn numbers_of_variable_length() {
    // RFC 9000, A.1.
    let eight = [0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c];
    assert_eq!(varint(&eight, 0), Some((151_288_809_941_952_652, 8)));
    assert_eq!(varint(&[0x9d, 0x7f, 0x3e, 0x7d], 0), Some((494_878_333, 4)));
    assert_eq!(varint(&[0x7b, 0xbd], 0), Some((15_293, 2)));
    assert_eq!((varint(&[0x25], 0), varint(&[0x40], 0)), (Some((37, 1)), None));
}

#[test]
fn lengths_that_lie_do_no_harm() {
    let bytes = coalesced();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] = 0xff;
        assert!(Parts::new(&changed).count() <= MOST);
    }
    assert_eq!(Parts::new(&[0xe0, 0, 0, 0, 1, 0, 0, 0].repeat(100)).count(), MOST);
}
