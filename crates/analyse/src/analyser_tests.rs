use airpath_base::Duration;
use airpath_base::random::Seed;
use airpath_wire::datagram::{Content, Inner, OuterKind, OuterRepr, emit};
use airpath_wire::{Ecn, Endpoint, IpRepr, Protocol, SeqNumber, TcpFlags, TcpRepr, Tuple};

use super::*;
use crate::record::EndReason;
use crate::testing::From::{Client, Server};
use crate::testing::{Capture, analyse, analyse_all, seg, stamped};

const MS: u64 = 1000;

fn with(flags: TcpFlags, segment: TcpRepr) -> TcpRepr {
    TcpRepr { flags: segment.flags.with(flags), ..segment }
}

/// A connection with 40 segments of data, a loss, timestamps, and an end.
pub(crate) fn example() -> Capture {
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
    assert_eq!((flow.duration_s, flow.delayed_fin_s), (Some(0.31), Some(0.045)));
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
    let kind = OuterKind::Gtpu { teid: 1, set: None, congestion: None };
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
    let warnings: Vec<String> = totals.warnings.iter().map(ToString::to_string).collect();
    assert_eq!((warnings.len(), flows), (2, totals.flows));
    assert!(warnings[0].starts_with("b: ") && warnings[0].ends_with("within this packet"));
    assert!(warnings[1].starts_with("b: ") && warnings[1].contains("runs backwards"));
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
fn the_memory_is_divided_so_that_the_greatest_gives() {
    assert_eq!(level(vec![10, 20, 30], 60), usize::MAX);
    assert_eq!(level(vec![10, 20, 31], 60), 30);
    assert_eq!(level(vec![100, 10, 100], 60), 25);
    assert_eq!(level(vec![7, 7, 7], 6), 2);
}

/// Two connections, each with 200 segments of data and as many ACKs, one packet each 10 ms. The
/// packet for which `late` is true is stamped two hours late.
fn two_flows(from: u64, to: u64, late: impl Fn(u64) -> bool) -> Vec<u8> {
    let mut capture = Capture::new();
    for n in from..to {
        capture.client = [10, 0, 0, (n % 2) as u8 + 1];
        let (sender, number) = (if n % 4 < 2 { Server } else { Client }, (n / 4) as u32);
        let segment = match sender {
            Server => seg(1 + 100 * number, 1, 100),
            Client => seg(1, 101 + 100 * number, 0),
        };
        let ahead = if late(n) { 7_200_000 * MS } else { 0 };
        capture.tcp(n * 10 * MS + ahead, sender, &segment);
    }
    capture.bytes()
}

#[test]
fn one_packet_with_a_wrong_time_ends_nothing() {
    for wrong in [0, 1, 200, 398] {
        let (flows, totals) = analyse(&two_flows(0, 400, |n| n == wrong), Options::default());
        assert_eq!(flows.len(), 2, "{wrong}");
        let all = flows.iter().map(|flow| flow.up.packets + flow.down.packets).sum::<u64>();
        assert_eq!(all, 400);
        assert!(flows.iter().all(|flow| flow.duration_s < Some(4.0)), "{flows:?}");
        let warnings: Vec<String> = totals.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("more than a minute later"), "{warnings:?}");
    }
    // A clock that is set back: as many flows, and a warning of another kind.
    let (flows, totals) = analyse(&two_flows(0, 400, |n| n < 100), Options::default());
    assert_eq!((flows.len(), totals.warnings.len()), (2, 1));
    assert!(totals.warnings[0].what.contains("time runs backwards, by up to 7199.99"));
}

#[test]
fn parts_in_the_wrong_order_are_the_same_flows() {
    let parts = [two_flows(200, 400, |_| true), two_flows(0, 200, |_| false)];
    let mut flows = Vec::new();
    let mut analyser = Analyser::new(Options::default(), |flow| flows.push(flow.clone()));
    for (name, bytes) in ["b", "a"].into_iter().zip(&parts) {
        analyser.read(name, &bytes[..]).unwrap();
    }
    let totals = analyser.finish();
    assert_eq!(flows.len(), 2);
    assert_eq!((totals.warnings.len(), totals.warnings[0].file.as_str()), (1, "a"));
    assert!(totals.warnings[0].what.contains("time runs backwards"), "{:?}", totals.warnings);
}

#[test]
fn a_cooked_capture_of_all_interfaces_has_a_flow_for_each_that_it_passes() {
    // As of `tcpdump -i any` on a router: each packet comes in at one and leaves at another.
    let frames = |indices: [u32; 2]| {
        let mut file = Vec::new();
        for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 276] {
            file.extend(word.to_le_bytes());
        }
        for n in 0..20u32 {
            let (from, to, port) = if n % 2 == 0 { (1, 2, 80) } else { (2, 1, 40_000) };
            let end = |n, port| Endpoint::new([10, 0, 0, n], port);
            let (src, dst) = (end(from, 40_080 - port), end(to, port));
            let tuple = Tuple { src, dst, protocol: Protocol::TCP };
            let segment = seg(1 + n / 2 * 10, 1 + n.div_ceil(2) * 10, 10);
            let ip = IpRepr::new(tuple, 0, Ecn::NotEct, 50);
            let mut packet = Vec::new();
            emit(Inner::Repr(ip, Content::Tcp(segment)), &[], 200, &mut packet).unwrap();
            for (late, index) in indices.into_iter().enumerate() {
                let mut frame = vec![8, 0, 0, 0];
                frame.extend(index.to_be_bytes());
                frame.extend([0, 1, late as u8 * 4, 6, 0, 0, 0, 0, 0, 0, 0, 0]);
                frame.extend(&packet);
                let len = frame.len() as u32;
                for word in [1, 1000 * n + 10 * late as u32, len, len] {
                    file.extend(word.to_le_bytes());
                }
                file.extend(frame);
            }
        }
        file
    };
    let (flows, totals) = analyse(&frames([2, 3]), Options::default());
    assert_eq!((flows.len(), totals.packets), (2, 40));
    for (flow, name) in flows.iter().zip(["ifindex 2", "ifindex 3"]) {
        assert_eq!((flow.up.packets, flow.down.packets, flow.up.retransmissions), (10, 10, 0));
        let places = [&flow.up, &flow.down].map(|way| way.interface.as_deref());
        assert_eq!(places, [Some(name); 2]);
    }
}

#[test]
fn what_is_not_decoded_is_counted_by_kind() {
    let mut capture = Capture::new();
    let mut packet = |protocol: u8, ports: [u16; 2], payload: &[u8]| {
        let end = |n, port| Endpoint::new([10, 0, 0, n], port);
        let tuple = Tuple { src: end(1, 0), dst: end(2, 0), protocol: Protocol(protocol) };
        let udp = match protocol {
            17 => [ports[0], ports[1], 8 + payload.len() as u16, 0].map(u16::to_be_bytes).concat(),
            _ => Vec::new(),
        };
        let payload = [&udp[..], payload].concat();
        let mut bytes = Vec::new();
        let len = 20 + payload.len() as u32;
        IpRepr::new(tuple, 0, Ecn::NotEct, len).emit(&mut bytes);
        bytes.extend(payload);
        capture.frame(0, &bytes, len);
    };
    (0..3).for_each(|_| packet(47, [0; 2], &[0, 0, 8, 0, 0x45]));
    packet(1, [0; 2], &[8, 0, 0, 0]);
    packet(132, [0; 2], &[0; 12]);
    packet(200, [0; 2], &[0; 12]);
    (0..2).for_each(|_| packet(17, [50_000, 4789], &[8, 0, 0, 0, 0, 0, 7, 0]));
    packet(17, [50_000, 6081], &[0, 0, 0x65, 0x58, 0, 0, 7, 0]);
    packet(17, [50_000, 53_000], &[1]);
    packet(6, [0; 2], &[1, 2, 3]); // no header of TCP
    let (flows, totals) = analyse(&capture.bytes(), Options::default());
    let counts: Vec<_> = totals.undecoded.iter().map(|(kind, n)| (kind.as_str(), *n)).collect();
    let expected = [
        ("GRE", 3),
        ("Geneve", 1),
        ("ICMP", 1),
        ("IP protocol 200", 1),
        ("SCTP", 1),
        ("VXLAN", 2),
        ("unreadable transport header", 1),
    ];
    assert_eq!(counts, expected);
    // Tunnels over UDP are flows of UDP, too.
    assert_eq!(flows.iter().map(|flow| flow.up.packets).sum::<u64>(), 4);
}

#[test]
fn frames_without_ip_are_counted_by_kind() {
    let frame = |kind: u16| [&[2; 12][..], &kind.to_be_bytes(), &[0; 46]].concat();
    let mut writer = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        writer.extend(word.to_le_bytes());
    }
    for kind in [0x0806, 0x0806, 0x88cc, 0x1234, 0x0026] {
        let bytes = frame(kind);
        for word in [1, 0, bytes.len() as u32, bytes.len() as u32] {
            writer.extend(word.to_le_bytes());
        }
        writer.extend(bytes);
    }
    let (_, totals) = analyse(&writer, Options::default());
    let counts: Vec<_> = totals.undecoded.iter().map(|(kind, n)| (kind.as_str(), *n)).collect();
    assert_eq!(counts, [("ARP", 2), ("EtherType 0x1234", 1), ("LLC", 1), ("LLDP", 1)]);
}

#[test]
fn congestion_signals_are_counted() {
    let mut capture = Capture::new();
    // Plain segments, with options, and datagrams; from the server, and from the client.
    let signals = [
        (Server, Ecn::Ect0, TcpFlags(0)),
        (Server, Ecn::Ect0, TcpFlags::CWR),
        (Client, Ecn::NotEct, TcpFlags::ECE),
        (Server, Ecn::Ect1, TcpFlags(0)),
        (Server, Ecn::Ce, TcpFlags(0)),
        (Server, Ecn::Ce, TcpFlags(0)),
        (Client, Ecn::NotEct, TcpFlags::ECE.with(TcpFlags::CWR)),
    ];
    for stamps in [false, true] {
        for (n, (from, ecn, flags)) in (0u32..).zip(signals.into_iter().cycle().take(42)) {
            let segment = if from == Server { seg(1 + n, 1, 1) } else { seg(1, 1 + n, 0) };
            let segment = if stamps { stamped(segment, n, n) } else { segment };
            capture.ecn = ecn;
            capture.port = if stamps { 443 } else { 444 };
            capture.tcp(u64::from(n) * MS, from, &with(flags, segment));
        }
    }
    for flow in capture.flows() {
        let of = |way: &crate::Direction| {
            [way.ect0_packets, way.ect1_packets, way.ce_packets, way.ece_segments, way.cwr_segments]
        };
        assert_eq!((of(&flow.down), of(&flow.up)), ([12, 6, 12, 0, 6], [0, 0, 0, 12, 6]));
    }
}

#[test]
fn a_capture_that_is_cut_has_one_warning() {
    // Within the record, its link layer, IP and TCP, and their payload.
    let whole = example().bytes();
    for cut in 1..whole.len() - 24 {
        let mut analyser = Analyser::new(Options::default(), |_: &FlowRecord| {});
        analyser.read("cut", &whole[..whole.len() - cut]).expect("a capture");
        let warnings = analyser.finish().warnings;
        assert!(warnings.len() <= 1, "{cut}: {warnings:?}");
    }
}

#[test]
fn data_without_the_other_direction_has_no_verdict() {
    let mut capture = Capture::new();
    for n in 0..1000u32 {
        capture.tcp(u64::from(n) * 10 * MS, Server, &seg(1 + 1000 * n, 1, 1000));
    }
    let flow = capture.flow();
    let (data, back) =
        if flow.up.packets > 0 { (flow.up, flow.down) } else { (flow.down, flow.up) };
    assert_eq!((data.payload_bytes, back.packets, flow.verdict), (1_000_000, 0, None));
}
