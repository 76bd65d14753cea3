use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

/// A packet with 100 bytes of payload.
fn rtp(ssrc: u32, seq: u16, timestamp: u32) -> Vec<u8> {
    let head = RtpRepr { payload_type: 96, marker: false, seq, timestamp, ssrc, payload_len: 100 };
    let mut bytes = Vec::new();
    head.emit(&mut bytes);
    bytes.resize(112, 0);
    bytes
}

/// An RTCP packet of 32-bit words.
fn rtcp(count: u8, kind: u8, words: &[u32]) -> Vec<u8> {
    let head = [0x80 | count, kind, 0, words.len() as u8];
    head.into_iter().chain(words.iter().flat_map(|word| word.to_be_bytes())).collect()
}

fn feed(session: &mut Session, at: u64, side: usize, payload: &[u8]) -> bool {
    let (at, len) = (ms(at), payload.len() as u32);
    session.datagram(&Datagram { at, side, up: side == 0, port: 5004, len, payload })
}

/// A stream of 50 packets, 20 ms apart, of 90 000 ticks a second.
fn streaming() -> Session {
    let mut session = Session::default();
    (0..=50).for_each(|n| _ = feed(&mut session, 20 * n, 0, &rtp(7, n as u16, 1800 * n as u32)));
    session
}

#[test]
fn four_packets_in_order_are_a_stream() {
    let mut session = Session::default();
    for (n, seq) in [10, 11, 12, 14].into_iter().enumerate() {
        assert!(!session.is_confirmed());
        assert!(feed(&mut session, n as u64, 0, &rtp(7, seq, 0)));
    }
    assert!(session.is_confirmed());
    let report = session.report(0);
    assert_eq!((report.streams[0].packets, report.streams[0].lost), (4, 1));
    assert!(session.report(1).streams.is_empty());
}

#[test]
fn what_looks_like_rtp_by_chance_is_none() {
    // Sources that change, numbers that fall, and one number again and again.
    for which in 0..3u32 {
        let mut session = Session::default();
        let packet = |n: u32| match which {
            0 => rtp(n * 7919, n as u16, 0),
            1 => rtp(7, 1000 - n as u16, 0),
            _ => rtp(7, 5, 0),
        };
        let lasted = (0..100).take_while(|n| feed(&mut session, 0, 0, &packet(*n))).count();
        assert_eq!((lasted, session.is_confirmed()), (usize::from(MOST_IN_VAIN) - 1, false));
        assert!(session.heap() < 10_000);
    }
}

#[test]
fn packets_that_were_captured_twice_are_a_stream_with_duplicates() {
    let mut session = Session::default();
    (0..40).for_each(|n| _ = feed(&mut session, n, 0, &rtp(7, n as u16 / 2, 0)));
    let stream = &session.report(0).streams[0];
    assert_eq!((stream.packets, stream.duplicates, stream.lost, stream.late), (40, 20, 0, 0));
}

#[test]
fn round_trips_by_reports() {
    let mut session = streaming();
    // The sender's report passes at 1100 ms; the answer at 1400 ms says 0.25 s of delay.
    feed(&mut session, 1100, 0, &rtcp(0, 200, &[7, 0x1234_0001, 0x8000_0000, 99_000, 9, 9]));
    let block = [7, 0x4000_0002, 50, 900, 0x0001_8000, 0x4000];
    feed(&mut session, 1400, 1, &rtcp(1, 201, &[&[9][..], &block].concat()));
    let rtt = session.spread(0).unwrap();
    assert_eq!((rtt.samples, rtt.min, session.spread(1)), (1, 50.0, None));
    assert_eq!(session.over_time(0, ms(0)).len(), 1);
    let stream = &session.report(0).streams[0];
    let jitter_ms = Some(10.0);
    let reported =
        Reported { reports: 1, lost: 2, lost_share_max: 0.25, jitter_ms, jitter_max_ms: jitter_ms };
    assert_eq!((stream.reported, stream.clock_hz), (Some(reported), Some(90_000)));
    // One that names no report that was seen tells nothing.
    let block = [7, 0, 50, 900, 0x0001_8001, 0x4000];
    feed(&mut session, 1500, 1, &rtcp(1, 201, &[&[9][..], &block].concat()));
    assert_eq!(session.spread(0).map(|rtt| rtt.samples), Some(1));
}

#[test]
fn what_shares_the_ports_is_told_apart() {
    let mut session = streaming();
    let stun = [0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42, 0, 0];
    let zrtp = [0x10, 0, 0, 0, 0x5a, 0x52, 0x54, 0x50];
    let dtls = [22, 0xfe, 0xfd, 0, 0];
    // A channel of TURN, and payload type 72 with the marker, which is RTCP (RFC 5761, 4).
    for packet in [&stun[..], &zrtp, &dtls, &[0x40, 1, 0, 0], &[0x80, 200, 0, 0]] {
        assert!(feed(&mut session, 2000, 1, packet));
    }
    let Rtp { stun_packets, zrtp_packets, dtls_packets, other_packets, rtcp, .. } =
        session.report(1);
    assert_eq!([stun_packets, zrtp_packets, dtls_packets, other_packets], [1; 4]);
    assert_eq!(rtcp.sender_reports, 1);
}

#[test]
fn rtcp_on_ports_of_its_own() {
    let mut session = Session::default();
    let report = rtcp(0, 201, &[9]);
    assert!(feed(&mut session, 0, 1, &report) && !session.is_confirmed());
    assert!(feed(&mut session, 5000, 1, &report) && session.is_confirmed());
    assert_eq!(session.report(1).rtcp.receiver_reports, 2);
}

#[test]
fn no_more_streams_than_are_kept() {
    let mut session = Session::default();
    for n in 0..200u32 {
        feed(&mut session, n.into(), 0, &rtp(n % 20, (n / 20) as u16, 0));
    }
    // Streams whose packets alternate drive each other out until some are confirmed.
    assert!(session.report(0).streams.len() <= MOST_STREAMS);
    assert!(session.heap() < 20_000, "{}", session.heap());
    let mut session = streaming();
    (0..2000u32).for_each(|n| _ = feed(&mut session, 0, 0, &rtp(100 + n, 0, 0)));
    assert_eq!(session.report(0).streams.len(), 1);
}

#[test]
fn a_header_that_is_cut_behind_its_fixed_part_is_read() {
    let mut bytes = rtp(7, 1, 0);
    bytes[0] = 0x90;
    assert_eq!(head(&bytes[..12], 112).map(|head| (head.seq, head.payload_len)), Some((1, 100)));
    assert_eq!(head(&bytes[..11], 112), None);
}

proptest! {
    #[test]
    fn whatever_comes_is_bounded_and_adds_up(
        datagrams in vec((0..3u64, 0..2usize, 0..4u8, any::<[u8; 6]>(), vec(any::<u8>(), 0..60)), 1..400),
    ) {
        let mut session = Session::default();
        let (mut now, mut seqs) = (0, [0u16; 2]);
        for (wait, side, kind, [a, b, c, d, e, f], rest) in datagrams {
            now += wait;
            // In order mostly; the source is one of two.
            seqs[side] = if a < 200 { seqs[side].wrapping_add(1) } else { u16::from_be_bytes([b, c]) };
            let payload = match kind {
                0 => rest,
                1 => [rtcp(d & 3, [200, 201, 205, 206][usize::from(e & 3)], &[(f & 1).into()]), rest].concat(),
                _ => rtp((f & 1).into(), seqs[side], u32::from(e) << 8),
            };
            if !feed(&mut session, now, side, &payload) {
                break;
            }
            prop_assert!(session.heap() < 40_000, "{}", session.heap());
        }
        for stream in (0..2).flat_map(|side| session.report(side).streams) {
            prop_assert!(stream.lost <= stream.expected && stream.packets <= 400);
            prop_assert!(stream.frames.is_some_and(|frames| frames.count <= stream.packets));
        }
    }
}
