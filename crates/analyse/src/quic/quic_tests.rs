use super::testing::{crypto, initial};
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

/// The client's first message in pieces of `step` bytes, the last first, each in a frame; half
/// of them in each of two packets, with pings and padding between.
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
