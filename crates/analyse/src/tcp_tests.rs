use airpath_wire::{SackBlocks, SeqNumber, TcpFlags, TcpRepr};

use crate::testing::From::{Client, Server};
use crate::testing::{Capture, seg, stamped};

const MS: u64 = 1000;

/// After the handshake, so many segments of 1000 bytes from the server, 1 ms apart from
/// 60 ms on; those for which `keep` says no pass nowhere.
fn burst(n: u32, keep: impl Fn(u32) -> bool) -> Capture {
    let mut capture = Capture::new();
    capture.handshake();
    for k in (0..n).filter(|k| keep(*k)) {
        capture.tcp((60 + u64::from(k)) * MS, Server, &seg(1 + 1000 * k, 1, 1000));
    }
    capture
}

#[test]
fn the_handshake_is_split_and_counts_among_the_rtts() {
    let mut capture = burst(1, |_| true);
    capture.tcp(90 * MS, Client, &seg(1, 1001, 0));
    let flow = capture.flow();
    let shake = flow.handshake_rtt_ms;
    assert_eq!((shake.server_side, shake.client_side), (Some(20.0), Some(30.0)));
    let rtt = flow.down.rtt_ms.unwrap();
    assert_eq!((rtt.samples, rtt.min, rtt.max), (2, 30.0, 30.0));
    assert_eq!((flow.up.packets, flow.down.packets, flow.down.payload_bytes), (3, 2, 1000));
}

#[test]
fn loss_behind_the_capture_point_is_a_fast_retransmission() {
    let mut capture = burst(5, |_| true);
    (0..4).for_each(|n| capture.tcp((90 + n) * MS, Client, &seg(1, 1, 0)));
    capture.tcp(94 * MS, Server, &seg(1, 1, 1000));
    let flow = capture.flow();
    // The ACK of the handshake is not a duplicate; the first of the four repeats it.
    assert_eq!((flow.up.duplicate_acks, flow.down.fast_retransmissions), (4, 1));
    assert_eq!((flow.down.retransmissions, flow.down.out_of_order), (1, 0));
}

#[test]
fn a_retransmission_without_duplicate_acks_is_the_timers() {
    let mut capture = burst(1, |_| true);
    capture.tcp(400 * MS, Server, &seg(1, 1, 1000));
    let down = capture.flow().down;
    assert_eq!((down.timeout_retransmissions, down.fast_retransmissions), (1, 0));
    let limits = down.limited_by.unwrap();
    assert_eq!((limits.congestion_window, limits.loss), (1.0, 0.0));
}

#[test]
fn what_was_acknowledged_is_sent_again_for_nothing() {
    let mut capture = burst(2, |_| true);
    capture.tcp(90 * MS, Client, &seg(1, 2001, 0));
    capture.tcp(91 * MS, Server, &seg(1001, 1, 1000));
    let down = capture.flow().down;
    assert_eq!((down.spurious_retransmissions, down.retransmissions), (1, 1));
}

#[test]
fn what_fills_a_gap_at_once_was_overtaken_and_later_was_lost() {
    for (at, overtaken) in [(63, 1), (300, 0)] {
        let mut capture = burst(3, |k| k != 1);
        capture.tcp(at * MS, Server, &seg(1001, 1, 1000));
        let down = capture.flow().down;
        assert_eq!((down.out_of_order, down.retransmissions), (overtaken, 1 - overtaken), "{at}");
    }
}

#[test]
fn keep_alives_and_probes_are_neither_retransmissions_nor_duplicates() {
    let mut capture = burst(1, |_| true);
    capture.tcp(90 * MS, Client, &seg(1, 1001, 0));
    capture.tcp(9_000 * MS, Server, &seg(1000, 1, 1)); // keep-alive
    capture.tcp(9_030 * MS, Client, &seg(1, 1001, 0)); // its answer
    let closed = |at: u64, capture: &mut Capture| {
        let mut segment = seg(1, 1001, 0);
        segment.window = 0;
        capture.tcp(at * MS, Client, &segment);
    };
    closed(9_040, &mut capture);
    capture.tcp(9_300 * MS, Server, &seg(1001, 1, 1)); // probe
    closed(9_330, &mut capture);
    capture.tcp(9_400 * MS, Client, &seg(1, 1001, 0)); // the window opens
    capture.tcp(9_420 * MS, Server, &seg(1001, 1, 1000));
    let flow = capture.flow();
    assert_eq!((flow.down.retransmissions, flow.down.out_of_order), (0, 0));
    assert_eq!((flow.up.duplicate_acks, flow.up.zero_windows), (0, 2));
}

#[test]
fn a_full_receive_window_is_what_limits() {
    let mut capture = burst(4, |_| true); // 4000 bytes fill the window
    capture.tcp(463 * MS, Client, &seg(1, 4001, 0));
    let flow = capture.flow();
    let down = flow.down;
    assert_eq!(down.window_full, 1);
    let at = down.first_window_full_s.expect("a time");
    assert!(at > 0.05 && at <= flow.duration_s, "{at}");
    assert!(flow.longest_gap_s > 0.39, "{}", flow.longest_gap_s);
    let limits = down.limited_by.unwrap();
    assert!(limits.receive_window > 0.99, "{limits:?}");
    assert_eq!(down.receive_window_bytes, Some([4000, 4000]));
    assert_eq!(down.most_in_flight_bytes, Some(4000));
}

#[test]
fn an_ambiguous_ack_gives_no_rtt_unless_timestamps_tell() {
    for (stamps, samples, max) in [(false, 1, 30.0), (true, 2, 40.0)] {
        let mut capture = Capture::new();
        capture.handshake();
        let with = |segment, value, echo| match stamps {
            true => stamped(segment, value, echo),
            false => segment,
        };
        capture.tcp(60 * MS, Server, &with(seg(1, 1, 1000), 7, 1));
        capture.tcp(400 * MS, Server, &with(seg(1, 1, 1000), 41, 1));
        capture.tcp(440 * MS, Client, &with(seg(1, 1001, 0), 2, 41));
        let rtt = capture.flow().down.rtt_ms.unwrap();
        assert_eq!((rtt.samples, rtt.max), (samples, max));
    }
}

#[test]
fn a_pause_between_requests_is_the_applications() {
    let mut capture = Capture::new();
    capture.handshake();
    for n in 0..10u32 {
        let at = 100 + 1000 * u64::from(n);
        capture.tcp(at * MS, Server, &seg(1 + 1000 * n, 1, 1000));
        capture.tcp((at + 30) * MS, Client, &seg(1, 1001 + 1000 * n, 0));
    }
    let limits = capture.flow().down.limited_by.unwrap();
    // 30 ms under way in each of ten, and nine pauses of 970 ms.
    assert!((limits.application - 8.73 / 9.03).abs() < 1e-3, "{limits:?}");
    assert!((limits.congestion_window - 0.3 / 9.03).abs() < 1e-3, "{limits:?}");
}

#[test]
fn sequence_numbers_wrap() {
    let mut capture = Capture::new();
    let start = u32::MAX - 1999;
    for k in 0..5u32 {
        let segment = seg(start.wrapping_add(1000 * k), 1, 1000);
        capture.tcp(u64::from(k) * MS, Server, &segment);
    }
    capture.tcp(30 * MS, Client, &seg(1, start.wrapping_add(5000), 0));
    let down = capture.flow().down;
    assert_eq!((down.retransmissions, down.out_of_order, down.payload_bytes), (0, 0, 5000));
    assert_eq!(down.rtt_ms.unwrap().samples, 1);
}

#[test]
fn an_undesired_slow_start_is_found_and_would_have_been_prevented() {
    let mut capture = Capture::new();
    capture.handshake();
    // Steady: an RTT of 5 ms; then a queue of 300 packets builds up behind a lost one.
    let mut next = 1u32;
    for n in 0..60u64 {
        capture.tcp((100 + 10 * n) * MS, Server, &seg(next, 1, 1000));
        next += 1000;
        capture.tcp((105 + 10 * n) * MS, Client, &seg(1, next, 0));
    }
    let lost = next;
    for n in 0..300u64 {
        capture.tcp((800 + n) * MS, Server, &seg(next, 1, 1000));
        next += 1000;
    }
    for n in 1..300u64 {
        let mut ack = seg(1, lost, 0);
        let mut sack = SackBlocks::default();
        sack.push(SeqNumber(lost + 1000), SeqNumber(lost + 1000 + 1000 * n as u32));
        ack.sack = sack;
        capture.tcp(1101 * MS + n * 1500, Client, &ack);
    }
    // Fast retransmit, then the timer, then slow start: 1, 2, 4, 8 packets each 50 ms.
    capture.tcp(1352 * MS, Server, &seg(lost, 1, 1000));
    capture.tcp(1560 * MS, Server, &seg(lost, 1, 1000));
    for (at, n) in [(1600, 2), (1650, 4), (1700, 8), (1749, 16), (1800, 1)] {
        (0..n).for_each(|_| {
            capture.tcp(at * MS, Server, &seg(next, 1, 1000));
            next += 1000;
        });
    }
    let down = capture.flow().down;
    assert_eq!((down.undesired_slow_starts, down.slow_starts_by_ratio), (1, 1));
}

#[test]
fn the_timer_sends_again_what_fast_retransmit_has_sent() {
    let mut capture = burst(6, |_| true);
    (0..4).for_each(|n| capture.tcp((90 + n) * MS, Client, &seg(1, 1, 0)));
    capture.tcp(94 * MS, Server, &seg(1, 1, 1000));
    capture.tcp(400 * MS, Server, &seg(1, 1, 1000)); // the timer
    capture.tcp(430 * MS, Client, &seg(1, 1001, 0));
    capture.tcp(431 * MS, Server, &seg(1001, 1, 1000)); // and on from there
    let down = capture.flow().down;
    assert_eq!((down.fast_retransmissions, down.timeout_retransmissions), (1, 2));
}

#[test]
fn a_syn_tells_who_takes_selective_acknowledgements() {
    let mut capture = Capture::new();
    let syn = TcpRepr { flags: TcpFlags::SYN, sack_permitted: true, ..seg(0, 0, 0) };
    capture.tcp(0, Client, &syn);
    let answer = TcpRepr { flags: TcpFlags::SYN.with(TcpFlags::ACK), ..seg(0, 1, 0) };
    capture.tcp(20 * MS, Server, &answer);
    capture.tcp(50 * MS, Client, &seg(1, 1, 0));
    let flow = capture.flow();
    assert!(flow.up.sack_permitted && !flow.down.sack_permitted);
}
