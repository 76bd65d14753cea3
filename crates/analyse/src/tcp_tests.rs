use airpath_wire::{SackBlocks, SeqNumber, TcpFlags, TcpRepr};

use crate::Cause;
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
    assert_eq!(down.causes.unwrap().share(Cause::Timeout), 1.0);
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
fn a_byte_that_is_not_acknowledged_is_sent_again_and_no_keep_alive() {
    // RFC 9293, 3.8.4: a keep-alive has SEG.SEQ = SND.NXT - 1, where all is acknowledged. tshark
    // 4.0.17 takes the second segment for one (tcp.analysis.keep_alive), and the last one, too.
    for len in [0, 1] {
        let mut capture = Capture::new();
        capture.handshake();
        capture.tcp(60 * MS, Client, &seg(1, 1, 1));
        capture.tcp(400 * MS, Client, &seg(1, 1, 1));
        capture.tcp(420 * MS, Server, &seg(1, 2, 0));
        capture.tcp(60_000 * MS, Client, &seg(1, 1, len));
        capture.tcp(60_020 * MS, Server, &seg(1, 2, 0));
        let flow = capture.flow();
        let up = &flow.up;
        assert_eq!((up.retransmissions, up.timeout_retransmissions), (1, 1), "{len}");
        // The answer to a keep-alive is no duplicate ACK.
        assert_eq!(flow.down.duplicate_acks, 0);
    }
}

#[test]
fn a_byte_of_one_direction_alone_may_be_a_keep_alive() {
    // Nothing tells what is acknowledged: Wireshark's rule counts.
    let mut capture = Capture::new();
    capture.tcp(60 * MS, Client, &seg(1, 1, 100));
    capture.tcp(9_000 * MS, Client, &seg(100, 1, 1));
    assert_eq!(capture.flow().up.retransmissions, 0);
}

#[test]
fn an_ack_far_beyond_is_no_answer_to_the_syn_ack() {
    // A capture without the ACKs that have no data. tshark 4.0.17 gives no tcp.analysis.initial_rtt.
    let mut capture = Capture::new();
    let syn = TcpRepr { window: 1000, flags: TcpFlags::SYN, ..seg(0, 0, 0) };
    capture.tcp(0, Client, &syn);
    let flags = TcpFlags::SYN.with(TcpFlags::ACK);
    capture.tcp(400, Server, &TcpRepr { flags, ack: SeqNumber(1), ..syn });
    capture.tcp(5_000, Client, &TcpRepr { ack: SeqNumber(83_001), ..seg(1, 0, 50) });
    let flow = capture.flow();
    let shake = flow.handshake_rtt_ms;
    assert_eq!((shake.server_side, shake.client_side), (Some(0.4), None));
    assert!(flow.down.rtt_ms.is_none());
}

#[test]
fn a_full_receive_window_is_what_limits() {
    let mut capture = burst(4, |_| true); // 4000 bytes fill the window
    for n in 1..=10u32 {
        let at = 100 + 60 * u64::from(n);
        capture.tcp((at - 20) * MS, Client, &seg(1, 1 + 4000 * n, 0));
        (0..4).for_each(|k| capture.tcp(at * MS, Server, &seg(1 + 4000 * n + 1000 * k, 1, 1000)));
    }
    let flow = capture.flow();
    let down = flow.down;
    assert_eq!(down.window_full, 11);
    let at = down.first_window_full_s.expect("a time");
    assert!(at > 0.05 && Some(at) <= flow.duration_s, "{at}");
    assert!(flow.longest_gap_s.is_some_and(|gap| (gap - 0.077).abs() < 1e-9));
    let causes = down.causes.unwrap();
    assert!(causes.share(Cause::ReceiverWindow) > 0.99, "{causes:?}");
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
    let causes = capture.flow().down.causes.unwrap();
    // 50 ms under way in each of ten, and nine pauses of 950 ms.
    assert!(causes.share(Cause::Application) > 0.99, "{causes:?}");
    assert!((causes.active_s - 0.5).abs() < 1e-3, "{causes:?}");
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
    assert_eq!(down.undesired_slow_starts_at_s, [1.56]);
}

/// The server sends 40 segments of 1000 bytes from 60 ms on, each ms one. At 300 ms 20 of them
/// are acknowledged, then so many duplicate ACKs come, each ms one, for those behind the next,
/// which is lost. After `copy.0` of them it is sent again, at `copy.1` ms. Segments have their
/// time as timestamp, or none.
fn recovery(stamps: bool, duplicates: u32, copy: (u32, u64)) -> Capture {
    let mut capture = Capture::new();
    capture.handshake();
    let with = |segment, at: u64, echo| match stamps {
        true => stamped(segment, at as u32, echo),
        false => segment,
    };
    for n in 0..40u64 {
        let at = 60 + n;
        capture.tcp(at * MS, Server, &with(seg(1 + 1000 * n as u32, 1, 1000), at, 1));
    }
    capture.tcp(300 * MS, Client, &with(seg(1, 20_001, 0), 300, 79));
    for n in 1..=duplicates {
        let at = 300 + u64::from(n);
        let mut ack = with(seg(1, 20_001, 0), at, 79);
        ack.sack.push(SeqNumber(21_001), SeqNumber(21_001 + 1000 * n));
        capture.tcp(at * MS, Client, &ack);
        if n == copy.0 {
            capture.tcp(copy.1 * MS, Server, &with(seg(20_001, 1, 1000), copy.1, 1));
        }
    }
    capture
}

#[test]
fn the_timer_strikes_200_ms_after_data_was_acknowledged() {
    // However soon after fast retransmit, unless its like was made on the way; not at 480 ms.
    // One ACK with SACK may have begun the recovery.
    let cases = [
        ((3, 303), 500, 1),
        ((19, 440), 500, 1),
        ((19, 499), 500, 0),
        ((3, 303), 480, 0),
        ((1, 301), 500, 1),
    ];
    for (copy, at, told) in cases {
        let mut capture = recovery(true, 19, copy);
        capture.tcp(at * MS, Server, &stamped(seg(20_001, 1, 1000), at as u32, 1));
        capture.tcp(520 * MS, Client, &stamped(seg(1, 40_001, 0), 520, copy.1 as u32));
        let down = capture.flow().down;
        assert_eq!(down.undesired_slow_starts, told, "{copy:?}, {at}");
    }
}

#[test]
fn the_timer_sends_the_first_segment_that_is_not_acknowledged() {
    let mut capture = recovery(true, 8, (3, 303));
    // Another hole, filled at 320 ms, and for a second time at 520 ms.
    for n in 10..=19u32 {
        let mut ack = stamped(seg(1, 20_001, 0), 300 + n, 79);
        ack.sack.push(SeqNumber(30_001), SeqNumber(30_001 + 1000 * (n - 9)));
        ack.sack.push(SeqNumber(21_001), SeqNumber(29_001));
        capture.tcp((300 + u64::from(n)) * MS, Client, &ack);
    }
    for at in [320, 520] {
        capture.tcp(at * MS, Server, &stamped(seg(29_001, 1, 1000), at as u32, 1));
    }
    capture.tcp(600 * MS, Client, &stamped(seg(1, 40_001, 0), 600, 303));
    let down = capture.flow().down;
    assert_eq!((down.undesired_slow_starts, down.timeout_retransmissions), (0, 0));
    assert_eq!(down.fast_retransmissions, 3);
}

#[test]
fn a_copy_that_was_lost_is_no_undesired_slow_start() {
    for (echo, told) in [(303, 1), (500, 0)] {
        let mut capture = recovery(true, 19, (3, 303));
        capture.tcp(500 * MS, Server, &stamped(seg(20_001, 1, 1000), 500, 1));
        capture.tcp(700 * MS, Client, &stamped(seg(1, 40_001, 0), 700, echo));
        let down = capture.flow().down;
        assert_eq!((down.undesired_slow_starts, down.timeout_retransmissions), (told, 1));
    }
}

#[test]
fn without_timestamps_something_that_overtakes_the_copy_says_that_it_was_lost() {
    for (overtakes, told) in [(false, 1), (true, 0)] {
        let mut capture = recovery(false, 18, (3, 303));
        capture.tcp(305 * MS, Server, &seg(40_001, 1, 1000));
        let mut ack = seg(1, 20_001, 0);
        let right = if overtakes { 41_001 } else { 40_001 };
        ack.sack.push(SeqNumber(21_001), SeqNumber(right));
        capture.tcp(400 * MS, Client, &ack);
        capture.tcp(500 * MS, Server, &seg(20_001, 1, 1000));
        capture.tcp(700 * MS, Client, &seg(1, 41_001, 0));
        assert_eq!(capture.flow().down.undesired_slow_starts, told);
    }
}

#[test]
fn a_copy_that_something_has_just_overtaken_is_sent_again_for_that() {
    for (at, timeouts) in [(510, 0), (560, 1)] {
        let mut capture = recovery(true, 18, (3, 303));
        capture.tcp(305 * MS, Server, &stamped(seg(40_001, 1, 1000), 305, 1));
        let mut ack = stamped(seg(1, 20_001, 0), 509, 79);
        ack.sack.push(SeqNumber(21_001), SeqNumber(41_001));
        capture.tcp(509 * MS, Client, &ack);
        capture.tcp(at * MS, Server, &stamped(seg(20_001, 1, 1000), at as u32, 509));
        capture.tcp(700 * MS, Client, &stamped(seg(1, 41_001, 0), 700, at as u32));
        let down = capture.flow().down;
        assert_eq!((down.undesired_slow_starts, down.timeout_retransmissions), (0, timeouts));
    }
}

#[test]
fn a_recovery_that_begins_where_another_ends_is_no_timer() {
    // Two holes, both filled again at once. The ACK for the first ends the recovery. The second is
    // sent once more after 300 ms without an ACK for it.
    let mut capture = recovery(true, 8, (3, 303));
    capture.tcp(310 * MS, Server, &stamped(seg(30_001, 1, 1000), 310, 1));
    for n in 9..=11u64 {
        let mut ack = stamped(seg(1, 20_001, 0), 300 + n as u32, 79);
        let right = SeqNumber(31_001 + 1000 * (n as u32 - 8));
        ack.sack.push(SeqNumber(31_001), right);
        ack.sack.push(SeqNumber(21_001), SeqNumber(30_001));
        capture.tcp((302 + n) * MS, Client, &ack);
    }
    let mut partial = stamped(seg(1, 30_001, 0), 610, 303);
    partial.sack.push(SeqNumber(31_001), SeqNumber(40_001));
    capture.tcp(610 * MS, Client, &partial);
    capture.tcp(610 * MS + 100, Server, &stamped(seg(30_001, 1, 1000), 610, 610));
    capture.tcp(620 * MS, Client, &stamped(seg(1, 40_001, 0), 620, 310));
    let down = capture.flow().down;
    assert_eq!((down.undesired_slow_starts, down.timeout_retransmissions), (0, 0));
    assert_eq!(down.fast_retransmissions, 3);
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

#[test]
fn windows_are_scaled_only_if_both_syns_offered_to() {
    // RFC 7323, 2.2. Each offers a shift of 7, or none.
    for (client, server, window) in
        [(Some(7), Some(7), 8_192_000), (Some(7), None, 64_000), (None, Some(7), 64_000)]
    {
        let mut capture = Capture::new();
        let syn = TcpRepr { flags: TcpFlags::SYN, window: 64_000, ..seg(0, 0, 0) };
        capture.tcp(0, Client, &TcpRepr { window_scale: client, ..syn });
        let flags = TcpFlags::SYN.with(TcpFlags::ACK);
        let ack = SeqNumber(1);
        capture.tcp(20 * MS, Server, &TcpRepr { window_scale: server, flags, ack, ..syn });
        let wide = |segment| TcpRepr { window: 64_000, ..segment };
        capture.tcp(50 * MS, Client, &wide(seg(1, 1, 0)));
        for n in 0..40 {
            let at = (100 + 100 * u64::from(n)) * MS;
            capture.tcp(at, Server, &wide(seg(1 + 1000 * n, 1, 1000)));
            capture.tcp(at + 30 * MS, Client, &wide(seg(1, 1001 + 1000 * n, 0)));
        }
        let down = capture.flow().down;
        assert_eq!(down.receive_window_bytes, Some([window, window]), "{client:?} {server:?}");
    }
}

#[test]
fn what_a_needless_copy_draws_is_no_sample_of_what_was_sent_before_it() {
    // The ACK of the second segment is lost before the capture point, that of the first behind it.
    // The first is sent again, and its receiver repeats the ACK of both.
    let mut capture = burst(2, |_| true);
    capture.tcp(80 * MS, Client, &seg(1, 1001, 0));
    capture.tcp(734 * MS, Server, &seg(1, 1, 1000));
    capture.tcp(755 * MS, Client, &seg(1, 2001, 0));
    let down = capture.flow().down;
    assert_eq!((down.retransmissions, down.spurious_retransmissions), (1, 1));
    let rtt = down.rtt_ms.unwrap();
    // The handshake's 30 ms, and the first segment's 20 ms.
    assert_eq!((rtt.samples, rtt.min, rtt.max), (2, 20.0, 30.0));
}

#[test]
fn a_copy_that_fills_a_gap_and_goes_on_is_no_sample_of_what_lay_behind() {
    // The second of three segments is lost before the capture point, and sent again together
    // with the third, which had passed.
    let mut capture = burst(3, |k| k != 1);
    capture.tcp(80 * MS, Client, &seg(1, 1001, 0));
    capture.tcp(734 * MS, Server, &seg(1001, 1, 2000));
    capture.tcp(754 * MS, Client, &seg(1, 3001, 0));
    let rtt = capture.flow().down.rtt_ms.unwrap();
    assert_eq!((rtt.samples, rtt.min, rtt.max), (2, 20.0, 30.0));
}
