use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

fn arrived(ecn: Ecn, units: u32) -> Option<Arrival> {
    Some(Arrival { ecn, offset: ArrivalOffset::from_units(units) })
}

fn example() -> RtcpRepr {
    let packets = vec![arrived(Ecn::Ect1, 5), None, arrived(Ecn::Ce, 0)];
    let stream = StreamReport { ssrc: 0x0000_000a, begin_seq: 0xffff, packets };
    RtcpRepr { ssrc: 0x0102_0304, streams: vec![stream], timestamp: 0x0001_17dd }
}

#[test]
fn the_bytes_of_a_report() {
    // By hand from RFC 8888, 3.1: version 2, FMT 11, PT 205, 7 words; three metric
    // blocks (R, ECN, 13 bits of offset) and two bytes of padding; the timestamp.
    let bytes = [
        0x8b, 0xcd, 0x00, 0x06, 1, 2, 3, 4, 0, 0, 0, 0x0a, 0xff, 0xff, 0x00, 0x03, 0xa0, 0x05, 0,
        0, 0xe0, 0x00, 0, 0, 0x00, 0x01, 0x17, 0xdd,
    ];
    let mut out = Vec::new();
    example().emit(&mut out);
    assert_eq!(out, bytes);
    assert_eq!(out.len(), example().len() as usize);
    assert_eq!(RtcpRepr::parse(&bytes), Ok(example()));
    assert_eq!(example().streams[0].end_seq(), 2);
}

#[test]
fn offsets_beyond_the_range() {
    // RFC 8888, 3.1: more than 8189/1024 s is 0x1FFE; unavailable is 0x1FFF.
    assert_eq!(ArrivalOffset::from_units(8189).units(), Some(8189));
    assert_eq!(ArrivalOffset::from_units(8190), ArrivalOffset::OVER_RANGE);
    assert_eq!(ArrivalOffset::UNAVAILABLE.units(), None);
}

#[test]
fn what_is_no_feedback_is_refused() {
    let mut bytes = Vec::new();
    example().emit(&mut bytes);
    for len in 0..bytes.len() {
        assert_eq!(RtcpRepr::parse(&bytes[..len]), Err(ParseError::Truncated), "{len}");
    }
    let changed = |at: usize, to: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = to;
        RtcpRepr::parse(&bytes)
    };
    assert_eq!(changed(0, 0x4b), Err(ParseError::Malformed)); // version 1
    assert_eq!(changed(0, 0x8f), Err(ParseError::Unsupported)); // another format
    assert_eq!(changed(1, 200), Err(ParseError::Unsupported)); // a sender report
    assert_eq!(changed(3, 1), Err(ParseError::Malformed)); // no room for a timestamp
    assert_eq!(changed(15, 1), Err(ParseError::Truncated)); // half a report follows
    assert_eq!(changed(15, 5), Err(ParseError::Truncated)); // more than there are
}

fn packet() -> impl Strategy<Value = Option<Arrival>> {
    let offset = prop_oneof![
        (0..9000u32).prop_map(ArrivalOffset::from_units),
        Just(ArrivalOffset::UNAVAILABLE)
    ];
    proptest::option::of(
        (0..4u8, offset).prop_map(|(ecn, offset)| Arrival { ecn: Ecn::from_bits(ecn), offset }),
    )
}

fn stream() -> impl Strategy<Value = StreamReport> {
    (any::<u32>(), any::<u16>(), vec(packet(), 0..70))
        .prop_map(|(ssrc, begin_seq, packets)| StreamReport { ssrc, begin_seq, packets })
}

proptest! {
    #[test]
    fn what_is_written_is_read(ssrc: u32, timestamp: u32, streams in vec(stream(), 0..4)) {
        let repr = RtcpRepr { ssrc, streams, timestamp };
        let mut bytes = Vec::new();
        repr.emit(&mut bytes);
        prop_assert_eq!(bytes.len(), repr.len() as usize);
        prop_assert_eq!(RtcpRepr::parse(&bytes), Ok(repr));
    }

    #[test]
    fn no_bytes_make_it_panic(mut bytes in vec(any::<u8>(), 0..120), forged: bool) {
        if forged && bytes.len() >= 4 {
            bytes[..2].copy_from_slice(&[0x8b, 205]);
            let words = (bytes.len() / 4 - 1) as u16;
            bytes[2..4].copy_from_slice(&words.to_be_bytes());
        }
        if let Ok(repr) = RtcpRepr::parse(&bytes) {
            prop_assert!(repr.len() as usize <= bytes.len());
        }
    }
}
