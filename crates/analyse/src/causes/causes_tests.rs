use super::testing::{MSS, Model};
use crate::{Cause, Confidence, Position};

const MS: u64 = 1000;

/// Asserts that a cause has nearly all of the time.
fn mostly(model: &Model, cause: Cause, least: f64) {
    let causes = model.causes();
    assert!(causes.share(cause) >= least, "{cause:?}: {:?}", causes.ranked());
}

/// A path on which the window never fills the link for losses, or the queue.
fn places() -> [Model; 3] {
    [0.0, 0.5, 1.0].map(|place| Model { place, ..Model::default() })
}

#[test]
fn a_full_link_is_a_bottleneck_wherever_it_is_seen() {
    let positions = [Position::Sender, Position::Between, Position::Receiver];
    for (model, position) in places().iter().zip(positions) {
        mostly(model, Cause::Bottleneck, 0.8);
        let causes = model.causes();
        assert_eq!(causes.position, position);
        let rate = causes.bottleneck.expect("a rate").rate_bps;
        // 10 Mbit/s of packets of 1500 bytes, 1448 of them data.
        assert!((rate / 9.65e6 - 1.0).abs() < 0.05, "{rate}");
    }
}

#[test]
fn a_first_burst_that_is_merged_does_not_make_others_small() {
    let model = Model { merged: 10, lost: 50, ..Model::default() };
    assert!(model.causes().share(Cause::Application) < 0.05, "{:?}", model.causes());
}

#[test]
fn small_writes_are_the_applications() {
    for model in places() {
        let model = Model { writes: Some((300, 5 * MS)), ..model };
        mostly(&model, Cause::Application, 0.95);
    }
}

#[test]
fn a_window_whose_scale_was_not_seen_blames_nobody() {
    let unseen = Model { shakes: false, lost: 100, ..Model::default() };
    // Headers of IP and TCP without options: a frame of Ethernet cut at 54 bytes.
    let cut = Model { snap: 40, lost: 100, ..Model::default() };
    for model in [unseen, cut] {
        let causes = model.causes();
        assert!(causes.share(Cause::ReceiverWindow) < 0.01, "{causes:?}");
        assert_eq!(causes.confidence, Confidence::Doubtful);
    }
}

#[test]
fn a_paced_sender_before_a_slow_reader_waits_for_the_reader() {
    for model in places() {
        for paced in [false, true] {
            let model = Model { buffer: 60_000, reads: 300.0, paced, ..model.clone() };
            mostly(&model, Cause::ReceiverWindow, 0.9);
        }
    }
}

#[test]
fn a_small_buffer_is_the_receivers_wherever_it_is_seen() {
    for model in places() {
        mostly(&Model { buffer: 30_000, ..model }, Cause::ReceiverWindow, 0.95);
    }
}

#[test]
fn closed_windows_are_the_receivers_and_said() {
    let model = Model { buffer: 8 * MSS, reads: 100.0, rtt: 5 * MS, ..Model::default() };
    mostly(&model, Cause::ReceiverWindow, 0.95);
    let flow = model.flow();
    let sentence = flow.verdict.expect("a verdict").sentence;
    assert!(flow.up.zero_windows > 1 && sentence.contains("closed windows"), "{sentence}");
}

#[test]
fn what_is_captured_twice_is_no_loss() {
    let once = Model::default();
    let twice = Model { twice: true, ..Model::default() };
    let (one, two) = (once.flow(), twice.flow());
    assert_eq!(two.down.retransmissions, one.down.retransmissions);
    assert_eq!(two.up.duplicate_acks, one.up.duplicate_acks);
    assert_eq!(two.down.packets, 2 * one.down.packets);
    assert!(two.down.copies * 100 > one.down.packets * 99, "{}", two.down.copies);
    let (a, b) = (one.down.causes.unwrap(), two.down.causes.unwrap());
    assert!((a.share(Cause::Bottleneck) - b.share(Cause::Bottleneck)).abs() < 0.01);
    let (_, totals) = crate::testing::analyse(&twice.capture().bytes(), crate::Options::default());
    let warned = totals.warnings.iter().any(|warning| warning.what.contains("came twice"));
    assert!(warned, "{:?}", totals.warnings);
}

#[test]
fn a_peer_that_vanishes_is_silence_and_its_time_is_not_active() {
    let flow = Model { dead: 1300 * MS, until: 6000 * MS, ..Model::default() }.flow();
    let causes = flow.down.causes.unwrap();
    assert_eq!(causes.first().0, Cause::PeerGone, "{:?}", causes.ranked());
    assert!((causes.active_s - 1.3).abs() < 0.1, "{causes:?}");
    let goodput = causes.goodput_bps.unwrap();
    assert!(goodput > 0.8 * 9.65e6, "{goodput}");
}

/// Duration in seconds and rate of a flow through a queue of seconds: by the analysis, and at the sender. The
/// round trip without the queue is last.
fn through_a_long_queue(place: f64, upload: bool) -> [f64; 5] {
    let (rate, queue) = (2.0, 1_500);
    let model = Model { place, rate, queue, until: 20_000 * MS, ..Model::default() };
    let run = model.run();
    // From the first data, at time zero, to the last ACK at the sender.
    let seen = run.truth.heard as f64 / 1e6;
    let bytes = run.una as f64;
    let server = "192.0.2.0/24".parse().unwrap();
    let clients = if upload { vec![server] } else { Vec::new() };
    let options = crate::Options { clients, ..Default::default() };
    let (flows, _) = crate::testing::analyse(&run.capture().bytes(), options);
    let way = if upload { &flows[0].up } else { &flows[0].down };
    let causes = way.causes.expect("causes");
    [causes.judged_s, causes.goodput_bps.unwrap(), seen, 8.0 * bytes / seen, 0.05]
}

#[test]
fn a_flow_takes_as_long_wherever_it_is_seen() {
    for upload in [false, true] {
        for place in [0.0, 0.5, 1.0] {
            let [judged, goodput, seen, rate, trip] = through_a_long_queue(place, upload);
            assert!((judged - seen).abs() <= trip, "{place}, {upload}: {judged} s of {seen}");
            assert!((goodput / rate - 1.0).abs() < 0.01, "{place}: {goodput} of {rate}");
        }
    }
}

#[test]
fn a_direction_without_data_is_not_judged() {
    let mut capture = crate::testing::Capture::new();
    capture.handshake();
    let mut fin = crate::testing::seg(1, 1, 0);
    fin.flags = fin.flags.with(airpath_wire::TcpFlags::FIN);
    capture.tcp(900 * MS, crate::testing::From::Client, &fin);
    let flow = capture.flow();
    assert!(flow.up.causes.is_none() && flow.verdict.is_none());
}

#[test]
fn losses_at_a_flat_rtt_are_losses_without_a_queue_and_said_so() {
    for model in places() {
        let model = Model { rate: 50.0, rtt: 140 * MS, lost: 60, ..model };
        mostly(&model, Cause::LossWithoutQueue, 0.8);
        let sentence = model.flow().verdict.expect("a verdict").sentence;
        assert!(!sentence.contains("ongestion") && sentence.contains("without a queue"));
    }
}

#[test]
fn a_short_transfer_over_a_fast_path_is_in_slow_start() {
    for model in places() {
        let model = Model { rate: 100.0, rtt: 100 * MS, until: 450 * MS, ..model };
        mostly(&model, Cause::SlowStart, 0.6);
    }
}

#[test]
fn a_path_that_stands_still_is_a_gap() {
    for place in [0.0, 1.0] {
        let writes = Some((6 * MSS + 10, 20 * MS));
        let still = (1000 * MS, 2500 * MS);
        let model = Model { place, still, writes, ..Model::default() };
        let causes = model.causes();
        let gap = causes.share(Cause::RadioGap) * causes.judged_s;
        assert!((gap - 1.5).abs() < 0.25, "{gap}: {:?}", causes.ranked());
    }
}

#[test]
fn intervals_are_kept_on_request_and_sum_up_to_the_shares() {
    let bytes = Model { lost: 80, ..Model::default() }.capture().bytes();
    let keep = crate::Keep::All;
    let (flows, _) = crate::testing::analyse(&bytes, crate::Options { keep, ..Default::default() });
    let down = &flows[0].down;
    let causes = down.causes.unwrap();
    for (cause, share) in causes.ranked() {
        let of = down.intervals.iter().filter(|interval| interval.cause == cause);
        let sum: f64 = of.map(|interval| interval.to_s - interval.from_s).sum();
        assert!((sum / causes.judged_s - share).abs() < 1e-3, "{cause:?}");
    }
    let (flows, _) = crate::testing::analyse(&bytes, crate::Options::default());
    assert!(flows[0].down.intervals.is_empty());
}

/// Data that the timer sends three times over 3 s, its first copies acknowledged then; what the
/// answer is.
fn long_wait(last: airpath_wire::TcpFlags) -> crate::Causes {
    use crate::testing::{Capture, From, seg, stamped};
    let mut capture = Capture::new();
    capture.handshake();
    for n in 0..6u32 {
        let (at, seq) = (100 + u64::from(n), 1 + 1000 * n);
        capture.tcp(at * MS, From::Server, &stamped(seg(seq, 1, 1000), 100 + n, 1));
    }
    for at in [400u32, 1000, 2200] {
        capture.tcp(u64::from(at) * MS, From::Server, &stamped(seg(1, 1, 1000), at, 1));
    }
    let mut answer = stamped(seg(1, 4001, 0), 3, 103);
    answer.flags = answer.flags.with(last);
    capture.tcp(3200 * MS, From::Client, &answer);
    capture.flow().down.causes.expect("causes")
}

#[test]
fn a_receiver_that_closes_does_not_say_when_data_arrived() {
    use airpath_wire::TcpFlags;
    let late = long_wait(TcpFlags::ACK);
    let radio = late.share(Cause::RadioGap) + late.share(Cause::RadioPromotion);
    assert!(radio > 0.8, "{:?}", late.ranked());
    let closed = long_wait(TcpFlags::FIN);
    assert!(closed.share(Cause::Timeout) > 0.8, "{:?}", closed.ranked());
}

#[test]
fn merged_segments_of_unknown_size_are_not_the_applications_last() {
    use crate::testing::{Capture, From, seg};
    let mut capture = Capture::new();
    let mut seq = 1;
    for trip in 0..4u64 {
        for n in 0..5 << trip {
            let at = 100 + 100 * trip;
            capture.tcp(at * MS + n, From::Server, &seg(seq, 1, 2896));
            seq += 2896;
        }
        let at = 199 + 100 * trip;
        capture.tcp(at * MS, From::Client, &seg(1, seq, 0));
    }
    let causes = capture.flow().down.causes.expect("causes");
    assert!(causes.share(Cause::Application) < 0.1, "{:?}", causes.ranked());
}
