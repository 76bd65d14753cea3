use super::*;

fn started(feedback: EcnFeedback) -> Prague {
    let mut prague = Prague::new(PragueConfig::default());
    prague.on_start(&Start {
        now: Time::ZERO,
        segment: 1000,
        initial_window: 10_000,
        initial_ssthresh: u64::MAX,
        feedback,
        selective_acks: true,
        rtt: Some(Duration::from_millis(50)),
    });
    prague
}

fn ack(ms: u64, packets: u32, ce: u32) -> AckSample {
    AckSample {
        now: Time::from_millis(ms),
        acked: u64::from(packets) * 1000,
        delivered: u64::from(packets) * 1000,
        packets,
        ce_packets: ce,
        rtt: Some(Duration::from_millis(40)),
        srtt: Some(Duration::from_millis(50)),
        in_flight: 10_000,
        cwnd_limited: true,
        ..AckSample::default()
    }
}

#[test]
fn slow_start_doubles_at_twice_the_rate() {
    let mut prague = started(EcnFeedback::Accurate);
    assert_eq!(prague.cwnd(), 10_000);
    prague.on_ack(&ack(50, 10, 0));
    assert_eq!(prague.cwnd(), 20_000);
    // 2 * 20,000 bytes in 50 ms.
    assert_eq!(prague.pacing_rate(), Some(BitRate::from_kbps(6400)));
    assert_eq!(prague.ect(), Ecn::Ect1);
}

/// An acknowledgement with a smoothed RTT in us.
fn ack_after(us: u64, ms: u64, packets: u32) -> AckSample {
    let rtt = Some(Duration::from_micros(us));
    AckSample { rtt, srtt: rtt, ..ack(ms, packets, 0) }
}

#[test]
fn slow_start_doubles_however_short_the_rtt() {
    for us in [20, 100, 500, 1000, 2000] {
        let mut prague = started(EcnFeedback::Accurate);
        prague.on_ack(&ack_after(us, 50, 10));
        prague.on_ack(&ack_after(us, 51, 20));
        assert_eq!(prague.cwnd(), 40_000, "{us} us");
    }
}

#[test]
fn after_a_timeout_the_window_grows_though_the_rtt_falls() {
    // A queue of 80 ms drains.
    let mut prague = started(EcnFeedback::Accurate);
    for n in 0..4 {
        prague.on_ack(&ack_after(80_000, 50 + n, 10));
    }
    let loss = LossEvent { now: Time::from_millis(60), in_flight: 50_000, repeated: false };
    prague.on_rto(&loss);
    let mut windows = vec![prague.cwnd()];
    for (n, us) in [40_000, 20_000, 5_000, 1_000, 300, 100].into_iter().enumerate() {
        prague.on_ack(&ack_after(us, 100 + n as u64, 1));
        windows.push(prague.cwnd());
    }
    assert_eq!(windows, [1000, 2000, 3000, 4000, 5000, 6000, 7000]);
}

#[test]
fn a_loss_at_a_short_rtt_halves_the_window_and_not_the_rate() {
    // The queue was half of the RTT: the rate is as before when it is empty.
    let mut prague = started(EcnFeedback::Accurate);
    prague.on_ack(&ack_after(1000, 50, 10));
    let rate = prague.core().rate();
    let loss = LossEvent { now: Time::from_millis(51), in_flight: 20_000, repeated: false };
    prague.on_loss(&loss);
    assert_eq!(prague.cwnd(), 10_000);
    prague.on_ack(&ack_after(500, 52, 1));
    assert!(prague.core().rate().abs_diff(rate) < rate / 100, "{}", prague.core().rate());
}

#[test]
fn the_first_mark_halves_and_ends_slow_start() {
    let mut prague = started(EcnFeedback::Accurate);
    prague.on_ack(&ack(50, 10, 0));
    prague.on_ack(&ack(51, 1, 1));
    assert_eq!((prague.ssthresh(), prague.cwnd()), (10_000, 10_000));
}

#[test]
fn the_window_is_two_segments_at_least() {
    let mut prague = started(EcnFeedback::Accurate);
    (0..100).for_each(|n| prague.on_ack(&ack(50 + 60 * n, 1, 1)));
    assert!(prague.core().window() < 2_000_000_000);
    assert_eq!(prague.cwnd(), 2000);
}

#[test]
fn a_timeout_starts_again_with_one_packet() {
    let mut prague = started(EcnFeedback::Accurate);
    prague.on_ack(&ack(50, 10, 0));
    let loss = LossEvent { now: Time::from_millis(60), in_flight: 20_000, repeated: false };
    prague.on_rto(&loss);
    // The connection lets one go whatever the window says.
    assert_eq!((prague.cwnd(), prague.ssthresh()), (1000, 10_000));
}

#[test]
fn without_accurate_feedback_it_is_newreno() {
    for feedback in [EcnFeedback::None, EcnFeedback::Classic] {
        let mut prague = started(feedback);
        assert_eq!((prague.ect(), prague.pacing_rate()), (Ecn::Ect0, None));
        let loss = LossEvent { now: Time::ZERO, in_flight: 10_000, repeated: false };
        prague.on_congestion(&loss);
        assert_eq!(prague.cwnd(), 5_000);
    }
}
