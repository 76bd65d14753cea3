use airpath_base::Duration;
use airpath_base::random::Seed;
use airpath_wire::datagram::{OuterKind, OuterRepr};
use airpath_wire::{Ecn, Endpoint, SeqNumber, TcpFlags, TcpRepr};
use proptest::prelude::*;

use super::*;
use crate::record::EndReason;
use crate::testing::From::{Client, Server};
use crate::testing::{Capture, analyse, analyse_all, seg, stamped};

const MS: u64 = 1000;

fn with(flags: TcpFlags, segment: TcpRepr) -> TcpRepr {
    TcpRepr { flags: segment.flags.with(flags), ..segment }
}

/// A connection with 40 segments of data, a loss, timestamps, and an end.
fn example() -> Capture {
    let mut capture = Capture::new();
    capture.handshake();
    for k in 0..40u32 {
        let at = (60 + 5 * u64::from(k)) * MS;
        capture.tcp(at, Server, &stamped(seg(1 + 1000 * k, 1, 1000), 100 + 5 * k, k));
        let ack = if (10..14).contains(&k) { 10_001 } else { 1001 + 1000 * k };
        capture.tcp(at + 2 * MS, Client, &stamped(seg(1, ack, 0), 62 + 5 * k, 100 + 5 * k));
        if k == 13 {
            capture.tcp(at + 3 * MS, Server, &stamped(seg(10_001, 1, 1000), 168, k));
        }
    }
    capture.tcp(300 * MS, Server, &with(TcpFlags::FIN, seg(40_001, 1, 0)));
    capture.tcp(310 * MS, Client, &with(TcpFlags::FIN, seg(1, 40_002, 0)));
    capture
}

#[test]
fn a_connection_from_its_handshake_to_its_end() {
    let (flows, totals) = analyse(&example().bytes(), Options::default());
    assert_eq!((totals.packets, totals.flows, totals.warnings), (86, 1, vec![]));
    let flow = &flows[0];
    assert_eq!(
        (flow.client.port, flow.server.port, flow.end_reason),
        (40_000, 443, EndReason::Fin)
    );
    assert_eq!((flow.duration_s, flow.delayed_fin_s), (0.31, Some(0.045)));
    assert_eq!((flow.down.retransmissions, flow.down.fast_retransmissions), (1, 1));
    assert_eq!(flow.up.duplicate_acks, 4);
    // TSvals are milliseconds.
    let period = flow.down.timestamp_period_ms.unwrap();
    assert!((period - 1.0).abs() < 1e-6, "{period}");
}

#[test]
fn ends_of_connections() {
    let syn = with(TcpFlags::SYN, seg(0, 0, 0));
    let only_syn = |flags| TcpRepr { flags, ..syn };
    let mut silent = Capture::new();
    silent.tcp(0, Client, &only_syn(TcpFlags::SYN));
    silent.tcp(1000 * MS, Client, &only_syn(TcpFlags::SYN));
    let flow = silent.flow();
    assert_eq!((flow.end_reason, flow.up.retransmissions), (EndReason::NeverConnected, 1));
    let mut refused = Capture::new();
    refused.tcp(0, Client, &only_syn(TcpFlags::SYN));
    refused.tcp(9 * MS, Server, &only_syn(TcpFlags::RST));
    assert_eq!(refused.flow().end_reason, EndReason::Rst);
    let mut open = Capture::new();
    open.handshake();
    assert_eq!(open.flow().end_reason, EndReason::CaptureEnd);
    let mut idle = Capture::new();
    idle.handshake();
    idle.tcp(4000 * 1000 * MS, Server, &seg(1, 1, 10));
    let flows = idle.flows();
    assert_eq!((flows.len(), flows[0].end_reason), (2, EndReason::TimedOut));
}

#[test]
fn another_connection_between_the_same_ends_is_another_flow() {
    let mut capture = Capture::new();
    capture.handshake();
    let syn = TcpRepr { flags: TcpFlags::SYN, ..seg(777, 0, 0) };
    capture.tcp(100 * MS, Client, &syn);
    capture.tcp(1100 * MS, Client, &syn); // the same again
    assert_eq!(capture.flows().len(), 2);
}

#[test]
fn a_handshake_out_of_order_still_tells_the_client() {
    let mut capture = Capture::new();
    let syn_ack = TcpRepr { flags: TcpFlags::SYN.with(TcpFlags::ACK), ..seg(9, 1, 0) };
    capture.tcp(5, Server, &syn_ack);
    capture.tcp(8, Client, &TcpRepr { flags: TcpFlags::SYN, ..seg(0, 0, 0) });
    capture.tcp(9, Client, &seg(1, 10, 0));
    let flow = capture.flow();
    assert_eq!((flow.client.port, flow.handshake_rtt_ms.server_side), (40_000, None));
}

#[test]
fn a_flow_seen_at_two_points_is_two_flows_and_one_split_by_direction_is_one() {
    for (split, flows) in [(false, 2), (true, 1)] {
        let mut capture = Capture::new();
        for (n, from) in [Client, Server, Client, Server].into_iter().enumerate() {
            let segment = if from == Client { seg(1, 1, 10) } else { seg(1, 11, 10) };
            let segment = TcpRepr { seq: SeqNumber(1 + n as u32 / 2 * 10), ..segment };
            for here in 0..2 {
                capture.here = here;
                if !split || (here == 0) == (from == Client) {
                    capture.tcp(n as u64 * MS, from, &segment);
                }
            }
        }
        let found = capture.flows();
        assert_eq!(found.len(), flows);
        assert!(found.iter().all(|flow| flow.up.packets == 2 && flow.down.packets == 2));
        assert!(found.iter().all(|flow| flow.up.retransmissions == 0));
    }
}

#[test]
fn tunnelled_flows_are_those_within() {
    let mut capture = Capture::new();
    let (src, dst) = (Endpoint::new([1, 1, 1, 1], 2152), Endpoint::new([1, 1, 1, 2], 2152));
    let kind = OuterKind::Gtpu { teid: 1 };
    capture.outers = vec![OuterRepr { kind, src, dst, dscp: 0, ecn: Ecn::NotEct }];
    capture.handshake();
    let flow = capture.flow();
    assert_eq!((flow.server.port, flow.up.bytes), (443, 2 * (40 + 36) + 4));
}

#[test]
fn the_user_may_say_who_is_the_client_and_which_port_counts() {
    let bytes = example().bytes();
    let clients = vec!["192.0.2.0/24".parse().unwrap()];
    let (flows, _) = analyse(&bytes, Options { clients, ..Options::default() });
    assert_eq!((flows[0].client.port, flows[0].up.payload_bytes), (443, 41_000));
    let port = |port| Options { port: Some(port), ..Options::default() };
    let (flows, totals) = analyse(&bytes, port(40_000));
    assert_eq!((flows[0].server.port, totals.flows), (40_000, 1));
    let (flows, totals) = analyse(&bytes, port(80));
    assert_eq!((flows.len(), totals.packets), (0, 86));
}

#[test]
fn several_files_are_parts_of_one_capture() {
    let bytes = example().bytes();
    let mut flows = 0;
    let mut analyser = Analyser::new(Options::default(), |_| flows += 1);
    analyser.read("a", &bytes[..]).unwrap();
    assert!(analyser.read("no capture", &b"oh"[..]).is_err());
    analyser.read("b", &bytes[..1000]).unwrap();
    let totals = analyser.finish();
    assert_eq!(totals.warnings.len(), 1);
    assert_eq!((totals.warnings[0].file.as_str(), flows), ("b", totals.flows));
}

/// Connections with HTTP, TLS and DNS in them.
fn spoken() -> Capture {
    let mut capture = Capture::new();
    let hello = b"\x16\x03\x01\0\x3b\x01\0\0\x37\x03\x0301234567890123456789012345678901\0\
                  \0\x02\x13\x01\x01\0\0\x0c\0\0\0\x08\0\x06\0\0\x03a.b";
    let dns = b"\0\x15\0\x09\0\0\0\x01\0\0\0\0\0\0\x01a\x01b\0\0\x01\0\x01";
    let responses = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 9\r\n\r\n\
                      123456789HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n";
    let (mut micros, mut next) = (0, [1; 2]);
    for (port, from, data) in [
        (443, Client, &hello[..]),
        (53, Client, &dns[..]),
        (80, Client, b"HEAD / HTTP/1.1\r\nHost: a.b\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
        (80, Server, b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
        (80, Server, &responses[..]),
    ] {
        capture.port = port;
        let (len, next) = (data.len() as u32, &mut next[usize::from(from == Server)]);
        micros += 1000;
        let segment = seg(*next, 1, len);
        *next += len;
        (0..2).for_each(|again| capture.tcp_with(micros + 100 * again, from, &segment, data));
    }
    capture
}

/// What must hold whatever is read.
fn check(bytes: &[u8]) {
    let options = Options { memory: 1 << 16, ..Options::default() };
    let mut sum = 0;
    let mut analyser = Analyser::new(options, |flow: &FlowRecord| {
        sum += flow.up.packets + flow.down.packets;
        for direction in [&flow.up, &flow.down] {
            if let Some(by) = direction.limited_by {
                let all = by.application + by.receive_window + by.congestion_window + by.loss;
                assert!((all - 1.0).abs() < 1e-9, "{by:?}");
            }
        }
    });
    if analyser.read("mutated", bytes).is_ok() {
        let totals = analyser.finish();
        assert!(sum <= totals.packets && totals.packets <= bytes.len() as u64 / 16);
    }
}

/// The example with some of its bytes changed, moved or cut.
fn mutated(bytes: &[u8], draw: &mut impl FnMut(u64) -> u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=draw(8) {
        let at = draw(bytes.len() as u64) as usize;
        match draw(5) {
            0 => bytes[at] ^= 1 << draw(8),
            1 => bytes[at] = draw(256) as u8,
            2 => bytes.truncate(at.max(1)),
            3 => drop(bytes.splice(at..at, [0xff; 3])),
            _ => {
                let end = (at + 1 + draw(64) as usize).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = draw(bytes.len() as u64) as usize;
                bytes.splice(to..to, part);
            }
        }
    }
    bytes
}

proptest! {
    #[test]
    fn no_change_of_a_capture_brings_it_down(seed in any::<u64>()) {
        let mut random = Seed(seed).stream("mutations");
        check(&mutated(&example().bytes(), &mut |n| random.below(n)));
        check(&mutated(&spoken().bytes(), &mut |n| random.below(n)));
    }
}

/// The documented long run (docs/analysis.md): `cargo test --release -p airpath-analyse
/// ten_million -- --ignored`. MUTATIONS sets another number, SEED another seed.
#[test]
#[ignore = "takes half an hour"]
fn ten_million_changed_captures() {
    let number =
        |name, or: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(or);
    let bytes = [example().bytes(), spoken().bytes()];
    let mut random = Seed(number("SEED", 1)).stream("mutations");
    for n in 0..number("MUTATIONS", 10_000_000) {
        check(&mutated(&bytes[n as usize % 2], &mut |n| random.below(n)));
    }
}

/// Many clients, each with a few flows that overlap, some of them in fragments.
fn crowd(clients: u8, memory: usize, threads: usize) -> (String, Totals) {
    let mut capture = Capture::new();
    for n in 0..20_000u64 {
        let mut random = Seed(n).stream("crowd");
        capture.client = [10, 0, 0, random.below(u64::from(clients)) as u8];
        let (from, back) = if random.below(2) == 0 { (Client, 0) } else { (Server, 400) };
        capture.port = 440 + random.below(4) as u16;
        let number = (n / 16) as u32 * 100;
        capture.tcp(n * 97, from, &stamped(seg(number + back, number, 100), n as u32, 0));
    }
    let windows = vec![Duration::from_millis(100), Duration::from_secs(1)];
    let options = Options { memory, threads, windows, ..Options::default() };
    let (found, totals) = analyse_all(&capture.bytes(), options);
    (format!("{found:?}"), totals)
}

#[test]
fn what_is_found_does_not_depend_on_the_number_of_threads() {
    // With memory for all, and for few, so that flows are counted only and ended early.
    for (memory, warnings) in [(100 << 20, 0), (1 << 18, 4)] {
        let one = crowd(200, memory, 1);
        assert_eq!(one.1.warnings.len(), warnings, "{:?}", one.1);
        for threads in [2, 3, 8] {
            assert!(one == crowd(200, memory, threads), "{threads} threads");
        }
    }
}

#[test]
fn bandwidth_is_told_in_windows() {
    // 1000 bytes each 5 ms are acknowledged, 1.6 Mbit/s; nothing shows more than that.
    let windows = vec![Duration::from_millis(50)];
    let options = Options { windows, ..Options::default() };
    let (found, _) = analyse_all(&example().bytes(), options);
    let down: Vec<_> = found.windows.iter().filter(|window| !window.up).collect();
    let used: f64 = down.iter().map(|window| window.used_bps * window.width_s / 8.0).sum();
    // From the server's 24th packet on, a SYN-ACK and a retransmission among them; with FIN.
    assert!((used - 19_001.0).abs() < 1e-6, "{used}");
    assert!(down.iter().any(|window| (window.used_bps / 1.6e6 - 1.0).abs() < 0.01), "{down:?}");
    assert!(down.is_sorted_by_key(|window| window.start));
}

#[test]
fn what_is_changed_is_understood_to_begin_with() {
    let (flows, _) = analyse(&spoken().bytes(), Options::default());
    let names: Vec<_> = flows.iter().map(|flow| flow.application.name()).collect();
    assert_eq!(names, ["https", "dns", "http"]);
    assert_eq!(flows[0].server_name.as_deref(), Some("a.b"));
    assert_eq!(flows[1].dns.as_ref().map(|dns| dns.queries), Some(1));
    let http = flows[2].http.as_ref().unwrap();
    assert_eq!((http.requests, http.responses, http.down.all().bytes), (2, 3, 12));
}

#[test]
fn the_memory_is_divided_so_that_the_greatest_gives() {
    assert_eq!(level(vec![10, 20, 30], 60), usize::MAX);
    assert_eq!(level(vec![10, 20, 31], 60), 30);
    assert_eq!(level(vec![100, 10, 100], 60), 25);
    assert_eq!(level(vec![7, 7, 7], 6), 2);
}
