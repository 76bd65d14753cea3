use super::testing::{crypto, initial, initial_of};
use super::*;
use crate::names::Application;
use crate::names::testing::hello;
use crate::testing::analyse;
use crate::{FlowProtocol, Options, RttSource};

const ID: &[u8] = &[1, 2, 3, 4, 5, 6, 7, 8];

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

/// A connection that sees datagrams: when, whether upward, and their bytes.
fn seen(datagrams: &[(u64, bool, Vec<u8>)]) -> Connection {
    let mut connection = Connection::default();
    for (at, up, payload) in datagrams {
        let (at, len) = (ms(*at), payload.len() as u32);
        let datagram = Datagram { at, side: usize::from(!up), up: *up, port: 443, len, payload };
        connection.datagram(&datagram, true);
    }
    connection
}

/// Client's first message in pieces of `step` bytes, the last first, each in a frame. Half of them
/// are in each of two packets, with pings and padding between.
fn scattered(step: usize) -> [Vec<u8>; 2] {
    let record = hello("www.example", b"h3");
    let message = &record[5..];
    let mut frames: Vec<Vec<u8>> = (0..message.len())
        .step_by(step)
        .map(|at| crypto(at as u16, &message[at..(at + step).min(message.len())]))
        .collect();
    frames.reverse();
    let middle = frames.len() / 2;
    [&frames[..middle], &frames[middle..]].map(|part| part.join(&[0, 1, 0][..]))
}

const ACK_1: [u8; 5] = [2, 1, 0, 0, 1];
const ACK_0: [u8; 5] = [2, 0, 0, 0, 0];

#[test]
fn a_scattered_message_is_read_whatever_packet_comes_first() {
    for swap in [false, true] {
        let [a, b] = scattered(13);
        let mut packets = [initial(ID, false, 0, &a), initial(ID, false, 1, &b)];
        if swap {
            packets.reverse();
        }
        let [first, second] = packets;
        let connection = seen(&[
            (0, true, first),
            (0, true, second),
            (20, false, initial(ID, true, 0, &ACK_1)),
            (50, true, initial(ID, false, 2, &[&ACK_0[..], &[0; 20]].concat())),
            (51, true, vec![0x41; 30]),
        ]);
        let said = connection.said();
        assert_eq!(said.server_name.as_deref(), Some("www.example"));
        assert_eq!(said.alpn, ["h3".into()]);
        assert_eq!(connection.round_trips(), [Some(30_000_000), Some(20_000_000)]);
        let report = connection.report();
        assert_eq!((report.outcome, report.versions), (QuicOutcome::Completed, vec!["1".into()]));
        assert_eq!(report.handshake_s, Some(0.051));
        assert!(connection.setup.is_none());
    }
}

#[test]
fn a_server_that_refuses_says_why() {
    let close = [0x1c, 0x41, 0x78, 6, 0, 0, 0, 0];
    let [a, b] = scattered(500);
    let refused = initial(ID, true, 0, &close);
    let connection =
        seen(&[(0, true, initial(ID, false, 0, &[a, b].concat())), (9, false, refused)]);
    let report = connection.report();
    assert_eq!((report.outcome, report.error), (QuicOutcome::Refused, Some(0x178)));
    assert_eq!(connection.round_trips(), [None, Some(9_000_000)]);
    assert_eq!(connection.said().server_name.as_deref(), Some("www.example"));
}

#[test]
fn behind_a_retry_keys_follow_from_another_connection_id() {
    const OTHER: &[u8] = &[9; 12];
    let [a, b] = scattered(40);
    let retry = [&[0xf0, 0, 0, 0, 1, 0, 12][..], OTHER, &[7; 30]].concat();
    let connection = seen(&[
        (0, true, initial(ID, false, 0, &[a.clone(), b.clone()].concat())),
        (20, false, retry),
        (50, true, initial(OTHER, false, 1, &a)),
        (51, true, initial(OTHER, false, 2, &b)),
        (70, false, initial(OTHER, true, 0, &[2, 2, 0, 0, 1])),
    ]);
    assert_eq!(connection.said().server_name.as_deref(), Some("www.example"));
    assert_eq!(connection.round_trips(), [Some(30_000_000), Some(20_000_000)]);
    let report = connection.report();
    assert_eq!((report.retry, report.outcome), (true, QuicOutcome::Answered));
    assert!(connection.setup.as_ref().is_some_and(|setup| setup.next == [3, 1]));
}

#[test]
fn an_upgrade_has_keys_of_both_versions() {
    // RFC 9369, 4.1: the server answers in version 2, with keys of the same connection ID.
    let two = Version(0x6b33_43cf);
    let hello = scattered(500).concat();
    let answer = initial_of(two, ID, true, 0, &[&ACK_0[..], &[0; 20]].concat());
    let back = initial_of(two, ID, false, 1, &[&ACK_0[..], &[0; 20]].concat());
    let connection =
        seen(&[(0, true, initial(ID, false, 0, &hello)), (20, false, answer), (50, true, back)]);
    assert_eq!(connection.round_trips(), [Some(30_000_000), Some(20_000_000)]);
    assert_eq!(connection.report().versions, ["1", "2"]);
}

#[test]
fn version_negotiation_and_early_data() {
    let asked =
        [&[0xc0, 0x1a, 0x2a, 0x3a, 0x4a, 8][..], ID, &[0, 0, 0x44, 0xb0], &[0; 1200]].concat();
    let offered =
        [&[0xb5, 0, 0, 0, 0, 0, 8][..], ID, &[0, 0, 0, 1, 0x6b, 0x33, 0x43, 0xcf]].concat();
    let vain = seen(&[(0, true, asked.clone()), (20, false, offered.clone())]);
    let report = vain.report();
    assert_eq!(report.outcome, QuicOutcome::VersionNegotiation);
    assert_eq!(
        (&report.versions[..], &report.offered_versions[..]),
        (&["0x1a2a3a4a".to_owned()][..], &["1".to_owned(), "2".to_owned()][..],)
    );
    assert_eq!(vain.round_trips(), [None, Some(20_000_000)]);
    // The same again with a version that the server has, and data in its first flight.
    let early = [&[0xd0, 0, 0, 0, 1, 8][..], ID, &[0, 0x40, 30], &[3; 30]].concat();
    let first = [initial(ID, false, 0, &scattered(500).concat()), early].concat();
    let again = seen(&[(0, true, asked), (20, false, offered), (50, true, first)]);
    let report = again.report();
    assert_eq!((report.zero_rtt_packets, &report.versions[1][..]), (1, "1"));
    assert_eq!(again.said().server_name.as_deref(), Some("www.example"));
    assert_eq!(again.round_trips(), [Some(30_000_000), Some(20_000_000)]);
}

#[test]
fn garbage_is_tried_so_often_and_no_more() {
    let garbage = |n: u64| {
        let id = [&n.to_be_bytes()[..], &[7]].concat();
        let mut packet = initial(&id, false, 0, &[0; 200]);
        packet[100] ^= 1;
        (n, n.is_multiple_of(2), packet)
    };
    let connection = seen(&(0..1000).map(garbage).collect::<Vec<_>>());
    let setup = connection.setup.as_ref().unwrap();
    assert_eq!((setup.opens, setup.made), (0, 0));
    assert_eq!(connection.report().outcome, QuicOutcome::Answered);
    assert!(connection.heap() < 10_000, "{}", connection.heap());
}

#[test]
fn without_memory_nothing_is_opened() {
    let packet = initial(ID, false, 0, &scattered(500).concat());
    let mut connection = Connection::default();
    let len = packet.len() as u32;
    let datagram = Datagram { at: ms(0), side: 0, up: true, port: 443, len, payload: &packet };
    connection.datagram(&datagram, false);
    assert!(connection.setup.is_none() && connection.said().server_name.is_none());
    assert_eq!(connection.report().outcome, QuicOutcome::Unanswered);
}

/// A connection of another program's (`captures/README.md`), against what tshark says of it.
#[test]
fn a_real_connection_is_as_tshark_has_it() {
    let capture = include_bytes!("../../captures/quic.pcap.gz");
    let (flows, _) = analyse(capture, Options::default());
    let [flow] = &flows[..] else { panic!("{flows:?}") };
    assert_eq!((flow.up.packets, flow.down.packets), (54, 65));
    assert_eq!((flow.protocol, flow.application), (FlowProtocol::Quic, Application::Quic));
    assert_eq!(flow.server_name.as_deref(), Some("video.example.net"));
    assert_eq!((flow.alpn.len(), &flow.alpn[..2]), (2, &["h3".into(), "hq-interop".into()][..]));
    let sides = flow.handshake_rtt_ms;
    assert_eq!((sides.server_side, sides.client_side), (Some(26.001), Some(50.159)));
    let quic = flow.quic.as_ref().unwrap();
    assert_eq!((quic.outcome, &quic.versions[..]), (QuicOutcome::Completed, &["1".into()][..]));
    for (direction, least, most, mean) in
        [(&flow.up, 23.1, 531.228, 131.067_857), (&flow.down, 40.531, 108.52, 61.336_429)]
    {
        let rtt = direction.rtt_ms.unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-4;
        assert_eq!((rtt.samples, direction.rtt_source), (7, Some(RttSource::SpinBit)));
        assert!(near(rtt.min, least) && near(rtt.max, most) && near(rtt.mean, mean), "{rtt:?}");
        let windows: u64 = direction.rtt_over_time.iter().map(|window| window.samples).sum();
        assert_eq!(windows, 7);
    }
    // The server's pause.
    let gaps = flow.down.gaps.as_ref().unwrap();
    assert_eq!((gaps.count, gaps.longest_s), (1, 0.509_491));
}
