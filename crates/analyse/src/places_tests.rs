//! Flows over several interfaces, both ends of which open at a time, or without times.

use airpath_wire::{TcpFlags, TcpRepr};

use crate::Options;
use crate::analyser::tests::example;
use crate::testing::From::{Client, Server};
use crate::testing::{Capture, analyse, seg, stamped};

const MS: u64 = 1000;

#[test]
fn a_flow_over_two_interfaces_is_one_unless_both_have_the_same_packets() {
    // Both directions pass at both interfaces. Several links: three packets pass at one, three at
    // the other. Sections of a file: the first half passes at one, the rest at the other. tshark
    // 4.0.17 has one stream, of 40 packets.
    let links = |n: u64| n as usize / 3 % 2;
    let parts = |n: u64| usize::from(n >= 20);
    for (stamps, joined) in [(false, false), (false, true), (true, false), (true, true)] {
        let place = |n: u64| if joined { parts(n) } else { links(n) };
        let mut capture = Capture::new();
        for n in 0..40u64 {
            let number = n as u32 / 2;
            let (from, segment) = match n % 2 {
                0 => (Server, seg(1 + 100 * number, 1, 100)),
                _ => (Client, seg(1, 101 + 100 * number, 0)),
            };
            let segment = if stamps { stamped(segment, number, number) } else { segment };
            capture.here = place(n);
            capture.tcp(n * 5 * MS, from, &segment);
        }
        let flow = capture.flow();
        assert_eq!((flow.up.packets, flow.down.packets), (20, 20), "{stamps} {joined}");
        assert_eq!((flow.down.retransmissions, flow.down.out_of_order), (0, 0));
        assert_eq!(flow.down.rtt_ms.map(|rtt| rtt.samples), Some(20));
        let labels = [&flow.up, &flow.down].map(|way| way.interface.as_deref());
        assert_eq!(labels, [Some("several"); 2]);
    }
}

#[test]
fn datagrams_over_two_interfaces_are_one_flow_and_at_two_points_two() {
    for (both, flows) in [(false, 1), (true, 2)] {
        let mut capture = Capture::new();
        for n in 0..20u64 {
            let from = if n % 2 == 0 { Client } else { Server };
            for here in 0..2 {
                // A router's: what the server sends passes at the other interface first.
                capture.here = if from == Client { here } else { 1 - here };
                if both || here as u64 == n / 2 % 2 {
                    capture.udp(n * 5 * MS + 100 * here as u64, from, &[9, 9, n as u8]);
                }
            }
        }
        let found = capture.flows();
        assert_eq!(found.len(), flows);
        let each = 20 * flows as u64 / found.len() as u64 / 2;
        assert!(found.iter().all(|flow| (flow.up.packets, flow.down.packets) == (each, each)));
    }
}

#[test]
fn a_router_s_interfaces_are_two_points_from_the_middle_of_a_flow_on() {
    // Downwards an interface sees first what the other sees 2 ms later, when two more have come.
    let mut capture = Capture::new();
    let mut packets = Vec::new();
    for n in 0..60u64 {
        let one = stamped(seg(1 + 100 * n as u32, 1, 100), n as u32, 0);
        packets.push((n, 1, Server, one));
        packets.push((n + 2, 0, Server, one));
        let ack = stamped(seg(1, 101 + 100 * n as u32, 0), n as u32, n as u32);
        packets.push((n + 4, 0, Client, ack));
        packets.push((n + 4, 1, Client, ack));
    }
    packets.sort_by_key(|(at, ..)| *at);
    // It begins when the first have passed at the one interface only.
    for (at, here, from, segment) in packets.iter().filter(|(at, ..)| *at > 1) {
        capture.here = *here;
        capture.tcp(at * MS + *here as u64, *from, segment);
    }
    let flows = capture.flows();
    assert_eq!(flows.len(), 2);
    assert!(flows.iter().all(|flow| flow.down.copies + flow.down.retransmissions == 0));
}

#[test]
fn a_simultaneous_open_is_one_flow() {
    // RFC 9293, 3.5, figure 8. tshark 4.0.17: one stream of 3 and 3 packets, and a retransmission
    // each way, as the SYN-ACK has the SYN's number.
    let mut capture = Capture::new();
    let with = |flags: TcpFlags, segment: TcpRepr| TcpRepr { flags, ..segment };
    let both = TcpFlags::SYN.with(TcpFlags::ACK);
    capture.tcp(0, Client, &with(TcpFlags::SYN, seg(100, 0, 0)));
    capture.tcp(MS, Server, &with(TcpFlags::SYN, seg(300, 0, 0)));
    capture.tcp(40 * MS, Client, &with(both, seg(100, 301, 0)));
    capture.tcp(41 * MS, Server, &with(both, seg(300, 101, 0)));
    capture.tcp(80 * MS, Client, &seg(101, 301, 10));
    capture.tcp(120 * MS, Server, &seg(301, 111, 0));
    let flow = capture.flow();
    assert_eq!((flow.up.packets, flow.down.packets), (3, 3));
    assert_eq!((flow.up.retransmissions, flow.down.retransmissions), (1, 1));
    let shake = flow.handshake_rtt_ms;
    assert_eq!((shake.client_side, shake.server_side), (None, None));
}

#[test]
fn packets_without_a_time_have_no_times() {
    // The example in Simple Packet Blocks (draft-ietf-opsawg-pcapng, 4.4).
    let whole = example().bytes();
    let (timed, _) = analyse(&whole, Options::default());
    let simple = simple_blocks(&whole, |_| true);
    let (flows, totals) = analyse(&simple, Options::default());
    let flow = &flows[0];
    assert_eq!(
        (flows.len(), flow.start, flow.duration_s, flow.longest_gap_s),
        (1, None, None, None)
    );
    assert_eq!((flow.delayed_fin_s, &flow.verdict), (None, &None));
    assert_eq!(flow.handshake_rtt_ms, crate::Handshake::default());
    for (way, known) in [(&flow.up, &timed[0].up), (&flow.down, &timed[0].down)] {
        assert_eq!((way.packets, way.payload_bytes), (known.packets, known.payload_bytes));
        assert_eq!((way.rate_bps, way.rtt_ms, way.bandwidth_bps), (None, None, None));
        assert_eq!((&way.causes, way.timestamp_period_ms), (&None, None));
        assert_eq!(way.duplicate_acks, known.duplicate_acks);
    }
    assert_eq!((totals.warnings.len(), totals.warnings[0].count), (1, 86));
    assert!(totals.warnings[0].what.starts_with("a packet without a time"));
    // One of them is enough. The others keep their times, and nothing runs backwards.
    let (flows, totals) = analyse(&simple_blocks(&whole, |n| n == 40), Options::default());
    assert_eq!((flows.len(), flows[0].start, totals.warnings.len()), (1, None, 1));
    let (_, hosts, _) = crate::testing::analyse_hosts(&simple, Options::default());
    assert_eq!((hosts[0].start, hosts[0].duration_s, hosts[0].up.packets), (None, None, 43));
}

/// A capture of the simulator's in which packets for which `which` says so are in Simple Packet
/// Blocks.
pub(crate) fn simple_blocks(bytes: &[u8], which: impl Fn(usize) -> bool) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (mut out, mut at, mut n) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let (kind, len) = (word(at), word(at + 4));
        if kind == 6 {
            n += 1;
        }
        if kind == 6 && which(n) {
            let captured = word(at + 20);
            let data = &bytes[at + 28..at + 28 + captured];
            let size = 16 + captured.next_multiple_of(4);
            for word in [3, size, word(at + 24)] {
                out.extend((word as u32).to_le_bytes());
            }
            out.extend(data);
            out.resize(out.len().next_multiple_of(4), 0);
            out.extend((size as u32).to_le_bytes());
        } else {
            out.extend(&bytes[at..at + len]);
        }
        at += len;
    }
    out
}
