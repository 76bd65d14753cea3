use airpath_live::transfer::Done;

use super::super::draw::SendingHost;
use super::super::model::{Drop, Packet};
use super::*;

/// A second of readings, each 10 ms, of a sender that has always sent all it may, 40 ms from its
/// receiver; `change` makes it another one.
fn truth(draw: &Draw, model: &Model, change: impl Fn(&mut Reading)) -> Vec<(Cause, f64)> {
    let reading = |n: u64| {
        let mut reading = Reading {
            at: n * 10_000_000,
            unacked: 10,
            cwnd: 10,
            mss: 1448,
            ssthresh: u32::MAX,
            rtt_us: 40_000,
            min_rtt_us: 40_000,
            segments: 10 + n as u32,
            acked_bytes: n * 1448,
            notsent_bytes: 100_000,
            busy_us: n * 10_000,
            ..Reading::default()
        };
        change(&mut reading);
        reading
    };
    let readings = (0..=100).map(reading).collect();
    let done = vec![Done { at: 500_000_000, step: 0 }];
    let sender = Report { readings, done, ..Report::default() };
    Truth::of(draw, &[sender, Report::default()], model, 5001).shares
}

/// A flow of wires that does nothing special.
fn plain() -> Draw {
    let writes = vec![Step::Write(1 << 40)];
    Draw { sender: writes, receiver: Vec::new(), cell: false, ..Draw::of(0) }
}

fn quiet() -> Model {
    Model { packets: Vec::new(), radio: Vec::new(), asleep: Vec::new() }
}

/// A link that works for half of each 20 ms, or always; `own` of its packets are the flow's.
fn link(always: bool, own: impl Fn(u64) -> bool) -> Model {
    let packet = |n: u64| {
        let born = n * 10_000_000;
        let end = born + if always { 10_000_000 } else { 5_000_000 };
        Packet {
            own: own(n),
            data: true,
            bytes: 1500,
            born,
            ended: end,
            dropped: None,
            busy: [born, end],
            queued: 0,
            radio: None,
            end: None,
            passes: true,
        }
    };
    Model { packets: (0..120).map(packet).collect(), ..quiet() }
}

fn leads(shares: &[(Cause, f64)], cause: Cause, share: f64) {
    let found = shares.iter().find(|(known, _)| *known == cause).map_or(0.0, |(_, share)| *share);
    assert!((found - share).abs() < 0.02, "{cause:?} should be {share}: {shares:?}");
}

#[test]
fn a_window_that_grows_on_an_empty_path_is_slow_start() {
    leads(&truth(&plain(), &quiet(), |_| {}), Cause::SlowStart, 1.0);
    leads(&truth(&plain(), &link(false, |_| true), |_| {}), Cause::SlowStart, 1.0);
}

#[test]
fn a_link_that_always_works_is_the_bottleneck_and_shared_if_a_fifth_is_of_others() {
    leads(&truth(&plain(), &link(true, |_| true), |_| {}), Cause::Bottleneck, 1.0);
    leads(&truth(&plain(), &link(true, |n| n % 2 == 0), |_| {}), Cause::SharedBottleneck, 1.0);
}

#[test]
fn the_kernel_s_chronographs_tell_the_receiver_and_the_application() {
    // The window is full from 0.5 s on; it was full within the round trip before by then.
    let full = |r: &mut Reading| r.rwnd_limited_us = (r.at / 1000).saturating_sub(500_000);
    leads(&truth(&plain(), &quiet(), full), Cause::ReceiverWindow, 0.5);
    // A sender that paces fills it for 10 ms of each 40.
    let paced = |r: &mut Reading| r.rwnd_limited_us = r.at / 40_000_000 * 4_000;
    leads(&truth(&plain(), &quiet(), paced), Cause::ReceiverWindow, 0.97);
    let idle = |r: &mut Reading| {
        if r.at > 500_000_000 {
            (r.unacked, r.notsent_bytes, r.busy_us) = (0, 0, 500_000);
        }
    };
    leads(&truth(&plain(), &quiet(), idle), Cause::Application, 0.5);
    // The first step was done at 0.5 s: from then on the program waits for a request.
    let asked = Draw { sender: vec![Step::Write(1), Step::Read(300)], ..plain() };
    leads(&truth(&asked, &quiet(), idle), Cause::ClientIdle, 0.5);
}

#[test]
fn a_full_send_buffer_is_one_that_a_greedy_program_has_left_nothing_in() {
    let empty = |r: &mut Reading| (r.unacked, r.notsent_bytes) = (5, 0);
    let greedy = Draw { sender: Vec::new(), ..plain() };
    leads(&truth(&greedy, &quiet(), empty), Cause::SendBuffer, 1.0);
    leads(&truth(&plain(), &quiet(), empty), Cause::Application, 1.0);
    let stopped = |r: &mut Reading| r.sndbuf_limited_us = r.at / 1000;
    leads(&truth(&plain(), &quiet(), stopped), Cause::SendBuffer, 1.0);
}

#[test]
fn a_small_write_that_is_spread_counts_as_the_application_s() {
    // Of each 40 ms, a round trip, 30 ms have something to send.
    let spread = |r: &mut Reading| {
        (r.unacked, r.notsent_bytes) =
            (5, if r.at.is_multiple_of(40_000_000) { 0 } else { 20_000 });
    };
    leads(&truth(&plain(), &quiet(), spread), Cause::Application, 1.0);
    let full = |r: &mut Reading| (r.unacked, r.notsent_bytes) = (5, 20_000);
    leads(&truth(&plain(), &quiet(), full), Cause::SlowStart, 1.0);
}

#[test]
fn a_shaper_counts_while_it_is_used_to_the_full() {
    // 1500 bytes each 10 ms are 1.2 Mbit/s.
    let host = |bucket_kbps, pacing_kbps| Draw {
        host: SendingHost { bucket_kbps, pacing_kbps, ..SendingHost::default() },
        ..plain()
    };
    let path = || link(false, |_| true);
    leads(&truth(&host(Some(1_200), None), &path(), |_| {}), Cause::QueueBefore, 1.0);
    leads(&truth(&host(None, Some(1_200)), &path(), |_| {}), Cause::Pacing, 1.0);
    leads(&truth(&host(Some(2_400), None), &path(), |_| {}), Cause::SlowStart, 1.0);
}

#[test]
fn nagle_s_rule_holds_less_than_a_segment_back() {
    let small = |r: &mut Reading| (r.unacked, r.notsent_bytes) = (1, 300);
    let nagle = |nagle| Draw { host: SendingHost { nagle, ..SendingHost::default() }, ..plain() };
    leads(&truth(&nagle(true), &quiet(), small), Cause::Nagle, 1.0);
    leads(&truth(&nagle(false), &quiet(), small), Cause::Application, 1.0);
}

#[test]
fn the_way_back_counts_if_its_queue_is_the_longer_one() {
    let both = |forth: u64, back: u64| {
        let mut model = link(true, |_| true);
        let ways = model.packets.iter().flat_map(|packet| {
            [(true, forth), (false, back)].map(|(data, queued)| Packet { data, queued, ..*packet })
        });
        model.packets = ways.collect();
        model
    };
    leads(&truth(&plain(), &both(0, 1), |_| {}), Cause::BottleneckBack, 1.0);
    leads(&truth(&plain(), &both(1, 0), |_| {}), Cause::Bottleneck, 1.0);
}

#[test]
fn a_probe_of_tail_loss_counts_from_the_last_ack() {
    let probe = |r: &mut Reading| {
        let ms = r.at / 1_000_000;
        r.last_ack_ms = ms.min(400).saturating_sub(300) as u32;
        r.retransmissions = u32::from(ms > 400);
    };
    let mut model = link(false, |_| true);
    (model.packets[30].dropped, model.packets[30].ended) = (Some(Drop::Random), 301_000_000);
    leads(&truth(&plain(), &model, probe), Cause::Timeout, 0.11);
}

#[test]
fn the_last_window_on_its_way_counts_as_what_limited_it() {
    // All has been written at 0.5 s; 40 ms of that are of slow start.
    let written = |r: &mut Reading| {
        if r.at > 500_000_000 {
            (r.unacked, r.notsent_bytes) = (5, 0);
        }
    };
    let shares = truth(&plain(), &quiet(), written);
    leads(&shares, Cause::SlowStart, 0.54);
    leads(&shares, Cause::Application, 0.46);
}

#[test]
fn a_timer_counts_from_the_last_ack_to_the_end_of_the_recovery() {
    let struck = |r: &mut Reading| {
        let ms = r.at / 1_000_000;
        if ms > 300 {
            r.last_ack_ms = (ms.min(600) - 300) as u32;
        }
        if ms > 500 {
            (r.timeouts, r.retransmissions) = (1, 1);
            r.ca_state = if ms <= 700 { 4 } else { 0 };
        }
    };
    let lost = || {
        let mut model = link(false, |_| true);
        (model.packets[30].dropped, model.packets[30].ended) = (Some(Drop::Random), 301_000_000);
        model
    };
    let shares = truth(&plain(), &lost(), struck);
    leads(&shares, Cause::Timeout, 0.4);
    leads(&shares, Cause::LossWithoutQueue, 0.3);
    // Without a loss, the timer struck in vain.
    leads(&truth(&plain(), &quiet(), struck), Cause::Timeout, 0.7);
    // The radio is the cause while it has the data.
    let radio = Model { radio: vec![[300_000_000, 700_000_000]], ..quiet() };
    leads(&truth(&plain(), &radio, struck), Cause::Radio, 0.4);
}

#[test]
fn nobody_answers_a_path_that_is_dead_to_the_end() {
    let silent = |r: &mut Reading| {
        let ms = r.at / 1_000_000;
        r.last_ack_ms = ms.saturating_sub(200) as u32;
        r.timeouts = [0, 1, 2, 3][(ms.saturating_sub(200) / 200).min(3) as usize];
        r.retransmissions = r.timeouts.into();
    };
    let dead = Draw { kind: Kind::PeerGone, ..plain() };
    leads(&truth(&dead, &quiet(), silent), Cause::PeerGone, 0.8);
    leads(&truth(&plain(), &quiet(), silent), Cause::PeerGone, 0.0);
}
