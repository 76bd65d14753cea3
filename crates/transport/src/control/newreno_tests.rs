use super::*;
use crate::control::EcnFeedback;

const SMSS: u32 = 1460;

fn started(config: NewRenoConfig, cwnd: u64, ssthresh: u64) -> NewReno {
    let mut reno = NewReno::new(config);
    reno.on_start(&Start {
        now: Time::ZERO,
        segment: SMSS,
        initial_window: cwnd,
        initial_ssthresh: ssthresh,
        feedback: EcnFeedback::None,
        selective_acks: true,
        rtt: None,
    });
    reno
}

fn ack(acked: u64) -> AckSample {
    AckSample { acked, delivered: acked, cwnd_limited: true, ..AckSample::default() }
}

fn loss(in_flight: u64) -> LossEvent {
    LossEvent { now: Time::ZERO, in_flight, repeated: false }
}

fn per_ack() -> NewRenoConfig {
    NewRenoConfig { avoidance: Avoidance::PerAck, ..NewRenoConfig::default() }
}

#[test]
fn loss_halves_the_flight() {
    // RFC 5681, equation 4: 29,200 bytes in flight give 14,600.
    let mut reno = started(NewRenoConfig::default(), 40_000, u64::MAX);
    reno.on_loss(&loss(29_200));
    assert_eq!((reno.ssthresh(), reno.cwnd()), (14_600, 14_600));
    reno.on_loss(&loss(1460));
    assert_eq!(reno.ssthresh(), 2920, "not below two segments");
}

#[test]
fn avoidance_by_equation_three() {
    // RFC 5681, equation 3, ten times from 14,600: 15,999.626.
    let mut reno = started(per_ack(), 14_600, 14_600);
    (0..10).for_each(|_| reno.on_ack(&ack(1460)));
    assert!((reno.cwnd - 15_999.626_033_970_608).abs() < 1e-6, "{}", reno.cwnd);
}

#[test]
fn whole_bytes_cut_each_step() {
    let mut reno = started(NewRenoConfig { whole_bytes: true, ..per_ack() }, 14_601, 0);
    reno.on_ack(&ack(2920)); // 1460^2 / 14601 = 145.99
    assert_eq!(reno.cwnd(), 14_746);
}

#[test]
fn byte_counting_adds_a_segment_for_a_window() {
    let mut reno = started(NewRenoConfig::default(), 14_600, 14_600);
    (0..5).for_each(|_| reno.on_ack(&ack(2920)));
    assert_eq!(reno.cwnd(), 16_060);
}

#[test]
fn slow_start_grows_by_what_is_acknowledged_up_to_the_limit() {
    let mut reno = started(NewRenoConfig::default(), 14_600, u64::MAX);
    reno.on_ack(&ack(2920));
    assert_eq!(reno.cwnd(), 16_060);
    let two = NewRenoConfig { slow_start_limit: 2, ..NewRenoConfig::default() };
    let mut reno = started(two, 14_600, u64::MAX);
    reno.on_ack(&ack(2920));
    assert_eq!(reno.cwnd(), 17_520);
}

#[test]
fn no_growth_in_recovery_or_when_the_window_is_not_the_limit() {
    let mut reno = started(NewRenoConfig::default(), 14_600, u64::MAX);
    reno.on_ack(&AckSample { in_recovery: true, ..ack(1460) });
    reno.on_ack(&AckSample { cwnd_limited: false, ..ack(1460) });
    assert_eq!(reno.cwnd(), 14_600);
}

#[test]
fn a_second_timeout_leaves_the_threshold() {
    let mut reno = started(NewRenoConfig::default(), 29_200, u64::MAX);
    reno.on_rto(&loss(29_200));
    reno.on_rto(&LossEvent { repeated: true, ..loss(1460) });
    assert_eq!((reno.cwnd(), reno.ssthresh()), (1460, 14_600));
    reno.on_spurious(Time::ZERO);
    assert_eq!((reno.cwnd(), reno.ssthresh()), (29_200, u64::MAX));
}

#[test]
fn a_mark_halves_or_takes_a_fifth() {
    // RFC 3168, 6.1.2; RFC 8511, 3.
    let mut reno = started(NewRenoConfig::default(), 29_200, 14_600);
    reno.on_congestion(&loss(29_200));
    assert_eq!(reno.cwnd(), 14_600);
    let abe = NewRenoConfig { ecn_beta: Some(0.8), ..NewRenoConfig::default() };
    let mut reno = started(abe.clone(), 29_200, 14_600);
    reno.on_congestion(&loss(29_200));
    assert_eq!((reno.cwnd(), reno.ssthresh()), (23_360, 23_360));
    let mut starting = started(abe, 29_200, u64::MAX);
    starting.on_congestion(&loss(29_200));
    assert_eq!(starting.cwnd(), 14_600, "not in slow start");
}

#[test]
fn hystart_leaves_slow_start_when_the_rtt_rises() {
    let config = NewRenoConfig { hystart: true, ..NewRenoConfig::default() };
    let mut reno = started(config, 14_600, u64::MAX);
    let mut delivered = 0;
    for round in 0..8u64 {
        let prior_delivered = delivered;
        for _ in 0..8 {
            delivered += 1460;
            let rtt = Some(airpath_base::Duration::from_millis(80 + 10 * round));
            let rounds = AckSample { prior_delivered, delivered_in_all: delivered, ..ack(1460) };
            reno.on_ack(&AckSample { rtt, ..rounds });
        }
    }
    assert_eq!(reno.ssthresh(), reno.cwnd().min(reno.ssthresh()));
    assert_ne!(reno.ssthresh(), u64::MAX);
}
