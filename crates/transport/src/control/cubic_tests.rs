use super::*;

const SEGMENT: u32 = 1000;

fn started(config: CubicConfig, cwnd: u64, ssthresh: u64) -> Cubic {
    let mut cubic = Cubic::new(config);
    cubic.on_start(&Start {
        now: Time::ZERO,
        segment: SEGMENT,
        initial_window: cwnd,
        initial_ssthresh: ssthresh,
        feedback: crate::control::EcnFeedback::None,
        selective_acks: true,
        rtt: None,
    });
    cubic
}

fn ack(now: Time, acked: u64) -> AckSample {
    let srtt = Some(Duration::from_millis(100));
    AckSample { now, acked, delivered: acked, srtt, cwnd_limited: true, ..AckSample::default() }
}

fn loss(in_flight: u64) -> LossEvent {
    LossEvent { now: Time::ZERO, in_flight, repeated: false }
}

#[test]
fn time_to_the_plateau() {
    // RFC 9438, 4.2, equation 2: cbrt(2304 * 0.3 / 0.4) = 12 s.
    let k = CubicConfig::default().k(2304.0, 1612.8);
    assert!((k - 12.0).abs() < 1e-12, "{k}");
}

#[test]
fn the_cubic_function() {
    // RFC 9438, 4.2, equation 1.
    let config = CubicConfig::default();
    assert!((config.w_cubic(10.0, 12.0, 2304.0) - 2300.8).abs() < 1e-9);
    assert!((config.w_cubic(15.0, 12.0, 2304.0) - 2314.8).abs() < 1e-9);
}

#[test]
fn reno_friendly_increase() {
    // RFC 9438, 4.3: 3 * 0.3 / 1.7.
    assert!((CubicConfig::default().alpha() - 0.529_411_764_705_882_5).abs() < 1e-15);
}

#[test]
fn fast_convergence_lowers_the_plateau() {
    // RFC 9438, 4.7: at 80,000 bytes below a plateau of 100,000: 68,000.
    let mut cubic = started(CubicConfig::default(), 100_000, 50_000);
    cubic.on_loss(&loss(100_000));
    cubic.cwnd = 80.0;
    cubic.on_loss(&loss(80_000));
    assert_eq!(cubic.cwnd(), 56_000);
    assert!((cubic.w_max - 68.0).abs() < 1e-9);
}

#[test]
fn the_window_returns_to_the_plateau_after_k() {
    let config = CubicConfig { reno_friendly: false, ..CubicConfig::default() };
    let mut cubic = started(config, 2_304_000, 1000);
    cubic.on_loss(&loss(2_304_000));
    for n in 0..=120 {
        let window = cubic.cwnd();
        cubic.on_ack(&ack(Time::from_millis(100 * n), window));
    }
    // The target lies one RTT ahead, so the plateau is reached at 12 s.
    assert!((cubic.cwnd - 2304.0).abs() < 0.5, "{}", cubic.cwnd);
}

#[test]
fn growth_is_at_most_half_a_window_for_each_window() {
    let config = CubicConfig { reno_friendly: false, ..CubicConfig::default() };
    let mut cubic = started(config, 10_000, 10_000);
    cubic.on_ack(&ack(Time::ZERO, 1000));
    let before = cubic.cwnd;
    cubic.on_ack(&ack(Time::from_millis(60_000), 1000)); // far out on the cubic
    assert!((cubic.cwnd - before - 0.5).abs() < 1e-9, "{} {before}", cubic.cwnd);
}

#[test]
fn the_first_epoch_after_a_timeout_starts_flat() {
    let mut cubic = started(CubicConfig::default(), 100_000, 50_000);
    cubic.on_rto(&loss(100_000));
    assert_eq!((cubic.cwnd(), cubic.ssthresh()), (1000, 70_000));
    cubic.cwnd = 70.0;
    cubic.on_ack(&ack(Time::from_millis(1000), 1000));
    let epoch = cubic.epoch.expect("an epoch");
    assert_eq!((epoch.k, epoch.w_max), (0.0, 70.0));
}

#[test]
fn time_without_need_for_the_window_does_not_count() {
    let mut cubic = started(CubicConfig::default(), 100_000, 1000);
    cubic.on_ack(&ack(Time::ZERO, 1000));
    let idle = AckSample { cwnd_limited: false, ..ack(Time::from_millis(5000), 1000) };
    cubic.on_ack(&idle);
    assert_eq!(cubic.epoch.expect("an epoch").start, Time::from_millis(5000));
}

#[test]
fn a_spurious_loss_is_undone() {
    let mut cubic = started(CubicConfig::default(), 100_000, 50_000);
    cubic.on_ack(&ack(Time::ZERO, 1000));
    let (cwnd, start) = (cubic.cwnd, cubic.epoch.expect("an epoch").start);
    cubic.on_loss(&loss(100_000));
    cubic.on_spurious(Time::ZERO);
    assert_eq!((cubic.cwnd, cubic.ssthresh()), (cwnd, 50_000));
    assert_eq!(cubic.epoch.expect("the old epoch").start, start);
}

#[test]
fn a_mark_is_answered_as_a_loss_or_with_its_own_factor() {
    // RFC 9438, 4.6: 0.7; RFC 8511, 3: 0.85.
    for (ecn_beta, cwnd) in [(None, 70_000), (Some(0.85), 85_000)] {
        let config = CubicConfig { ecn_beta, ..CubicConfig::default() };
        let mut cubic = started(config, 100_000, 50_000);
        cubic.on_congestion(&loss(100_000));
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (cwnd, cwnd));
        assert!((cubic.w_max - 100.0).abs() < 1e-9);
    }
}

#[test]
fn hystart_ends_slow_start_without_loss() {
    let config = CubicConfig { hystart: true, ..CubicConfig::default() };
    let mut cubic = started(config, 10_000, u64::MAX);
    let mut delivered = 0;
    for round in 0..9u64 {
        let prior_delivered = delivered;
        for _ in 0..8 {
            delivered += 1000;
            let rtt = Some(Duration::from_millis(80 + 10 * round));
            let sample = ack(Time::from_millis(100 * round), 1000);
            let rounds = AckSample { prior_delivered, delivered_in_all: delivered, ..sample };
            cubic.on_ack(&AckSample { rtt, ..rounds });
        }
    }
    assert!(cubic.ssthresh() < u64::MAX && cubic.epoch.is_some());
}

#[test]
fn marks_lower_the_window_to_one_segment_losses_to_two() {
    // RFC 9438, 4.6: the threshold stays at two after either.
    for (marked, cwnd) in [(true, 1000), (false, 2000)] {
        let mut cubic = started(CubicConfig::default(), 2000, 2000);
        for _ in 0..3 {
            let event = loss(cubic.cwnd());
            if marked { cubic.on_congestion(&event) } else { cubic.on_loss(&event) }
        }
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (cwnd, 2000));
    }
}

#[test]
fn a_path_of_which_nothing_is_known_is_tried_by_a_share_of_the_window() {
    let growth = |least_growth, before: &dyn Fn(&mut Cubic)| {
        let config = CubicConfig { least_growth, ..CubicConfig::default() };
        let mut cubic = started(config, 400_000, 400_000);
        before(&mut cubic);
        let at = cubic.cwnd;
        // A window of acknowledgements: a round trip.
        (0..at as u64).for_each(|_| cubic.on_ack(&ack(Time::from_millis(1), 1_000)));
        cubic.cwnd / at - 1.0
    };
    let nothing = |_: &mut Cubic| {};
    // Growth of Reno: a segment of 400.
    assert!((growth(None, &nothing) - 0.0025).abs() < 0.0001);
    assert!((growth(Some(0.05), &nothing) - 0.05).abs() < 0.001);
    // After a loss the window is 280, and the Reno-friendly one grows by 3 * 0.3 / 1.7 segments.
    let lost = |cubic: &mut Cubic| cubic.on_loss(&loss(400_000));
    let known = growth(Some(0.05), &lost);
    assert!((known - 0.529 / 280.0).abs() < 0.0001, "{known}");
    // A timeout makes it unknown again.
    let timed_out = |cubic: &mut Cubic| {
        cubic.on_rto(&loss(400_000));
        cubic.cwnd = 400.0;
    };
    assert!((growth(Some(0.05), &timed_out) - 0.05).abs() < 0.001);
}
