use airpath_wire::{SeqNumber, TcpFlags, TcpRepr};

use crate::testing::From::{Client, Server};
use crate::testing::{Capture, From, analyse, seg, stamped};
use crate::{Direction, Options};

const MS: u64 = 1000;

/// Numbers that a sender gives its packets.
#[derive(Clone, Copy)]
struct Marks {
    /// TSval of the first segment; none without timestamps. It counts milliseconds.
    stamp: Option<u32>,
    /// Identification of the first segment, and the step to the next; none if all are zero.
    ident: Option<(u16, u16)>,
}

/// 20 segments of 1000 bytes, each ms one, of which the 12th comes `late` ms behind its successor with the marks of
/// the segment `like`. The handshake took 50 ms. Its sender's counts.
fn late(from: From, marks: Marks, late: u64, like: u32) -> Direction {
    let mut capture = Capture::new();
    capture.handshake();
    let mut order: Vec<(u64, u32, u32)> = (0..20 + late as u32)
        .map(|n| (60 + u64::from(n), n, n))
        .filter(|(_, n, _)| *n != 11)
        .collect();
    order.push((60 + 12 + late, 11, like));
    order.sort_by_key(|(at, n, _)| (*at, *n == 11));
    // A retransmission takes a number of the counter, too.
    let again = u32::from(like != 11);
    for (at, n, stamp) in order {
        let segment = seg(1 + 1000 * n, 1, 1000);
        let segment = match marks.stamp {
            Some(first) => stamped(segment, first.wrapping_add(stamp), 1),
            None => segment,
        };
        let number = if n == 11 || n > like { stamp + again } else { n };
        let ident =
            |(first, step): (u16, u16)| first.wrapping_add(step.wrapping_mul(number as u16));
        capture.ident = marks.ident.map_or(0, ident);
        capture.tcp(at * MS + u64::from(n == 11), from, &segment);
    }
    let flow = capture.flow();
    if from == Client { flow.up } else { flow.down }
}

/// Retransmissions, overtaken segments, and the range of packets that were sent again.
fn counts(way: &Direction) -> (u64, u64, [u64; 2]) {
    (way.retransmissions, way.out_of_order, way.retransmitted_packets)
}

const SENT_AGAIN: (u64, u64, [u64; 2]) = (1, 0, [1, 1]);
const OVERTAKEN: (u64, u64, [u64; 2]) = (0, 1, [0, 0]);

#[test]
fn a_newer_timestamp_shows_what_was_sent_again_however_soon_it_comes() {
    // RFC 7323, 3: TSval does not run backwards. New data go on until the hole is filled; a TSval may wrap.
    for first in [1000, u32::MAX - 5] {
        for from in [Client, Server] {
            let marks = Marks { stamp: Some(first), ident: None };
            assert_eq!(counts(&late(from, marks, 2, 13)), SENT_AGAIN, "{first}");
            assert_eq!(counts(&late(from, marks, 60, 71)), SENT_AGAIN, "{first}");
        }
    }
}

#[test]
fn an_older_timestamp_shows_what_was_overtaken_however_late_it_comes() {
    for first in [1000, u32::MAX - 5] {
        for from in [Client, Server] {
            let marks = Marks { stamp: Some(first), ident: None };
            assert_eq!(counts(&late(from, marks, 2, 11)), OVERTAKEN, "{first}");
            assert_eq!(counts(&late(from, marks, 60, 11)), OVERTAKEN, "{first}");
        }
    }
}

#[test]
fn a_counter_of_packets_tells_what_timestamps_do_not() {
    // A counter of this flow alone, one that other flows share, and one that wraps (RFC 6864, 4).
    for ident in [(100, 1), (100, 40), (u16::MAX - 5, 1), (u16::MAX - 5, 3)] {
        for late_ms in [2, 60] {
            let marks = Marks { stamp: None, ident: Some(ident) };
            let again = late(Server, marks, late_ms, 12 + late_ms as u32);
            assert_eq!(counts(&again), SENT_AGAIN, "{ident:?} {late_ms}");
            assert_eq!(counts(&late(Server, marks, late_ms, 11)), OVERTAKEN, "{ident:?} {late_ms}");
        }
    }
}

#[test]
fn identifications_at_random_tell_nothing() {
    // Steps of 20 000 are no counter's: the time decides, and only as far as it goes.
    let marks = Marks { stamp: None, ident: Some((7, 20_000)) };
    assert_eq!(counts(&late(Server, marks, 2, 14)), OVERTAKEN);
    assert_eq!(counts(&late(Server, marks, 60, 11)), (1, 0, [0, 1]));
}

#[test]
fn without_any_mark_the_time_since_the_hole_gives_a_range() {
    // A retransmission answers an ACK of what has overtaken it, which takes an RTT: 50 ms.
    let none = Marks { stamp: None, ident: None };
    for (late_ms, expected) in [(30, OVERTAKEN), (45, (0, 1, [0, 1])), (55, (1, 0, [0, 1]))] {
        let way = late(Server, none, late_ms, 11);
        assert_eq!(counts(&way), expected, "{late_ms}");
        assert_eq!(way.lost_packets, expected.2, "{late_ms}");
    }
}

#[test]
fn duplicate_acks_do_not_make_a_loss_of_what_was_overtaken() {
    let mut capture = Capture::new();
    capture.handshake();
    let server = |capture: &mut Capture, at: u64, n: u32, stamp: u32| {
        capture.tcp(at, Server, &stamped(seg(1 + 1000 * n, 1, 1000), stamp, 50));
    };
    server(&mut capture, 60 * MS, 0, 60);
    for n in 0..3u32 {
        server(&mut capture, 62 * MS + u64::from(200 * n), 2 + n, 62);
        let mut ack = stamped(seg(1, 1001, 0), 62, 60);
        ack.sack.push(SeqNumber(2001), SeqNumber(3001 + 1000 * n));
        capture.tcp(62 * MS + u64::from(200 * n) + 50, Client, &ack);
    }
    server(&mut capture, 63 * MS, 1, 61);
    assert_eq!(counts(&capture.flow().down), OVERTAKEN);
}

#[test]
fn an_original_behind_its_retransmission_is_late_and_not_sent_again() {
    // Acknowledged or not when it comes at last; the receiver reports it (RFC 2883).
    for acknowledged in [false, true] {
        let mut capture = Capture::new();
        capture.handshake();
        let server = |capture: &mut Capture, at: u64, n: u32, stamp: u32| {
            capture.tcp(at * MS, Server, &stamped(seg(1 + 1000 * n, 1, 1000), stamp, 50));
        };
        [(60, 0), (62, 2)].iter().for_each(|(at, n)| server(&mut capture, *at, *n, *at as u32));
        server(&mut capture, 120, 1, 120);
        if acknowledged {
            capture.tcp(121 * MS, Client, &stamped(seg(1, 3001, 0), 121, 62));
        }
        server(&mut capture, 125, 1, 61);
        let mut ack = stamped(seg(1, 3001, 0), 126, 62);
        ack.sack.push(SeqNumber(1001), SeqNumber(2001));
        capture.tcp(126 * MS, Client, &ack);
        let down = capture.flow().down;
        assert_eq!(counts(&down), (1, 1, [1, 1]), "{acknowledged}");
        assert_eq!(down.lost_packets, [0, 0], "{acknowledged}");
    }
}

#[test]
fn an_offloaded_segment_is_as_many_packets_as_it_has_of_the_mss() {
    // 3000 bytes at an MSS of 1012 less 12 bytes of timestamps; the receiver's interface has merged three packets.
    let mut capture = Capture::new();
    let syn = TcpRepr { flags: TcpFlags::SYN, mss: Some(1012), ..seg(0, 0, 0) };
    capture.tcp(0, Client, &stamped(syn, 1, 0));
    let flags = TcpFlags::SYN.with(TcpFlags::ACK);
    capture.tcp(20 * MS, Server, &stamped(TcpRepr { flags, ack: SeqNumber(1), ..syn }, 1, 1));
    capture.tcp(50 * MS, Client, &stamped(seg(1, 1, 0), 2, 1));
    capture.tcp(60 * MS, Server, &stamped(seg(3001, 1, 4000), 60, 2));
    capture.tcp(140 * MS, Server, &stamped(seg(1, 1, 3000), 140, 2));
    let down = capture.flow().down;
    assert_eq!(counts(&down), (1, 0, [3, 3]));
    assert_eq!(down.lost_packets, [3, 3]);
}

#[test]
fn what_the_receiver_has_twice_was_not_lost() {
    // RFC 2883, 4.1: the first block lies before the ACK's number; 4.2: or within the second block.
    for (acked, blocks) in [(3001, vec![(1, 1001)]), (1, vec![(1001, 2001), (1001, 3001)])] {
        let mut capture = Capture::new();
        capture.handshake();
        (0..3).for_each(|n| {
            capture.tcp((60 + u64::from(n)) * MS, Server, &seg(1 + 1000 * n, 1, 1000))
        });
        let first = blocks[0].0;
        capture.tcp(300 * MS, Server, &seg(first, 1, 1000));
        let mut ack = seg(1, acked, 0);
        for (left, right) in blocks {
            ack.sack.push(SeqNumber(left), SeqNumber(right));
        }
        capture.tcp(330 * MS, Client, &ack);
        let down = capture.flow().down;
        assert_eq!((counts(&down), down.lost_packets), (SENT_AGAIN, [0, 0]));
    }
}

/// A flow of Linux over a relay that lost and reordered packets, seen at the receiver.
struct Real {
    capture: &'static [u8],
    /// Packets that the sender's socket sent again (TCP_INFO's tcpi_total_retrans), and that the relay dropped.
    resent: u64,
    dropped: u64,
}

#[test]
fn real_flows_lose_what_the_kernel_and_the_relay_say() {
    for Real { capture, resent, dropped } in REAL {
        let (flows, _) = analyse(capture, Options::default());
        let up = &flows[0].up;
        let near = |range: [u64; 2], truth: u64| {
            let slack = 2.max(truth / 10);
            range[0] <= truth + slack && truth <= range[1] + slack
        };
        let measured = (up.retransmissions, up.retransmitted_packets, up.lost_packets);
        assert!(near(up.retransmitted_packets, resent), "{resent}: {measured:?}");
        assert!(near(up.lost_packets, dropped), "{dropped}: {measured:?}");
    }
}

/// Flows of 5 s through a relay with a queue; the relay drops at random and delays a share of the packets more than
/// others. The receiver's interface captured 96 bytes of each packet.
const REAL: [Real; 5] = [
    // IPv4, with timestamps; without offload.
    Real { capture: include_bytes!("../../captures/resent-23.pcap.gz"), resent: 51, dropped: 51 },
    // IPv6, with timestamps; without offload.
    Real { capture: include_bytes!("../../captures/resent-8.pcap.gz"), resent: 29, dropped: 26 },
    // IPv6 without timestamps, merged by offload: there is a range.
    Real { capture: include_bytes!("../../captures/resent-13.pcap.gz"), resent: 19, dropped: 12 },
    // IPv4 without timestamps: identifications tell.
    Real { capture: include_bytes!("../../captures/resent-33.pcap.gz"), resent: 21, dropped: 21 },
    // IPv4 with timestamps, without SACK, merged by offload.
    Real { capture: include_bytes!("../../captures/resent-3.pcap.gz"), resent: 44, dropped: 33 },
];
