use super::*;
use crate::control::RateSample;

#[test]
fn gains_that_double_the_rate() {
    // draft-ietf-ccwg-bbr, 2.8: 4 ln 2; the first version: 2 / ln 2.
    let ln2 = airpath_base::math::ln(2.0);
    assert!((STARTUP_PACING_GAIN - 4.0 * ln2).abs() < 1e-12);
    assert!((v1::HIGH_GAIN - 2.0 / ln2).abs() < 1e-12);
}

const RTT: Duration = Duration::from_millis(20);

fn start() -> Start {
    Start {
        now: Time::ZERO,
        segment: 1000,
        initial_window: 10_000,
        initial_ssthresh: u64::MAX,
        feedback: EcnFeedback::Accurate,
        selective_acks: true,
        rtt: Some(RTT),
    }
}

/// Rounds of an RTT in which `bytes` are delivered, in ten acknowledgements.
struct Rounds {
    now: Time,
    delivered: u64,
    /// Bytes in flight; unless set, those that a round delivers.
    in_flight: Option<u64>,
}

impl Rounds {
    fn round(&mut self, bbr: &mut dyn CongestionControl, bytes: u64, ce: u64) {
        let prior = self.delivered;
        for _ in 0..10 {
            self.now += RTT / 10;
            self.delivered += bytes / 10;
            bbr.on_ack(&AckSample {
                now: self.now,
                acked: bytes / 10,
                delivered: bytes / 10,
                packets: 1,
                delivered_in_all: self.delivered,
                prior_delivered: prior,
                sent_in_flight: bytes,
                in_flight: self.in_flight.unwrap_or(bytes),
                in_flight_before: self.in_flight.unwrap_or(bytes),
                ce_bytes: ce / 10,
                rtt: Some(RTT),
                rate: Some(RateSample {
                    delivered: bytes,
                    prior_delivered: prior,
                    interval: RTT,
                    app_limited: false,
                }),
                ..AckSample::default()
            });
        }
    }
}

fn filled(config: BbrConfig) -> (Bbr, Rounds) {
    let mut bbr = Bbr::new(config, 0);
    bbr.on_start(&start());
    let mut rounds = Rounds { now: Time::ZERO, delivered: 0, in_flight: None };
    for bytes in [10_000, 20_000, 40_000, 40_000, 40_000, 40_000, 40_000] {
        rounds.round(&mut bbr, bytes, 0);
    }
    (bbr, rounds)
}

#[test]
fn a_plateau_of_three_rounds_ends_startup() {
    let (bbr, _) = filled(BbrConfig::default());
    assert!(bbr.full_bw_reached && bbr.state != State::Startup);
    // 40,000 bytes in 20 ms.
    assert_eq!(bbr.bandwidth(), BitRate::from_mbps(16));
}

#[test]
fn the_cycle_goes_down_cruise_refill_up() {
    let (mut bbr, mut rounds) = filled(BbrConfig::default());
    let mut seen = Vec::new();
    for _ in 0..150 {
        rounds.round(&mut bbr, 40_000, 0);
        if seen.last() != Some(&bbr.state) {
            seen.push(bbr.state);
        }
    }
    let cycle = [State::Cruise, State::Refill, State::Up];
    assert!(seen.windows(3).any(|w| w == cycle), "{seen:?}");
}

#[test]
fn losses_bound_rate_and_window_until_the_next_probe() {
    let (mut bbr, mut rounds) = filled(BbrConfig::default());
    while bbr.state != State::Cruise {
        rounds.round(&mut bbr, 40_000, 0);
    }
    bbr.on_lost(&Lost { now: rounds.now, packets: 1, bytes: 1000, ..Lost::default() });
    rounds.round(&mut bbr, 30_000, 0);
    // The latest rate, 40,000 bytes in 20 ms, is above 0.7 of that before.
    assert!((bbr.bw_shortterm - 2.0e6).abs() < 1.0, "{}", bbr.bw_shortterm);
    bbr.on_lost(&Lost { now: rounds.now, packets: 1, bytes: 1000, ..Lost::default() });
    rounds.round(&mut bbr, 30_000, 0);
    bbr.on_lost(&Lost { now: rounds.now, packets: 1, bytes: 1000, ..Lost::default() });
    rounds.round(&mut bbr, 30_000, 0);
    assert!((bbr.bw_shortterm - 1.5e6).abs() < 1.0, "{}", bbr.bw_shortterm);
    assert!(bbr.inflight_shortterm < UNBOUNDED);
}

#[test]
fn marks_bound_the_window_on_short_paths_only() {
    for (max_rtt, bounded) in [(3_600_000, true), (5, false)] {
        let ecn_max_rtt = Duration::from_millis(max_rtt);
        let (mut bbr, mut rounds) = filled(BbrConfig { ecn_max_rtt, ..BbrConfig::default() });
        while bbr.state != State::Cruise {
            rounds.round(&mut bbr, 40_000, 0);
        }
        rounds.round(&mut bbr, 40_000, 10_000);
        rounds.round(&mut bbr, 40_000, 10_000);
        assert_eq!(bbr.inflight_shortterm < UNBOUNDED, bounded);
    }
}

#[test]
fn probe_rtt_halves_what_is_in_flight_for_200_ms() {
    let (mut bbr, mut rounds) = filled(BbrConfig::default());
    let mut lowest = UNBOUNDED;
    for _ in 0..300 {
        let flight = bbr.cwnd().min(40_000);
        rounds.round(&mut bbr, flight / 10 * 10, 0);
        lowest = lowest.min(bbr.cwnd());
    }
    assert!((18_000..=21_000).contains(&lowest), "{lowest}");
}

#[test]
fn the_first_version_cycles_its_gain() {
    let mut bbr = Bbr1::new(0);
    bbr.on_start(&start());
    let mut rounds = Rounds { now: Time::ZERO, delivered: 0, in_flight: None };
    let mut rates = Vec::new();
    for n in 0..40 {
        // Then enough to end the fast phase.
        rounds.in_flight = (n >= 7).then_some(80_000);
        rounds.round(&mut bbr, [10_000, 20_000, 40_000][n.min(2)], 0);
        rates.push(bbr.pacing_rate().expect("a rate").as_bps() / 1000);
    }
    // 16 Mbit/s less 1%, times 1.25 and 0.75.
    for rate in [19_800, 11_880, 15_840] {
        assert!(rates[10..].contains(&rate), "{rate} {rates:?}");
    }
}

fn begun(selective_acks: bool) -> (Bbr, Rounds) {
    let mut bbr = Bbr::new(BbrConfig::default(), 0);
    bbr.on_start(&Start { selective_acks, ..start() });
    (bbr, Rounds { now: Time::ZERO, delivered: 0, in_flight: None })
}

fn loss(rounds: &Rounds, ranges: u32) -> Lost {
    Lost {
        now: rounds.now,
        packets: ranges,
        ranges,
        bytes: 1000 * u64::from(ranges),
        ..Lost::default()
    }
}

#[test]
fn probe_rtt_marks_the_connection_as_application_limited() {
    // draft-ietf-ccwg-bbr-06, 5.3.4.3: from the first acknowledgement in ProbeRTT, 5 s after the start, to the one that
    // ends it, 200 ms and a round later.
    let (mut bbr, mut rounds) = filled(BbrConfig::default());
    let mut marked = Vec::new();
    while rounds.now < Time::from_millis(5_500) {
        let flight = bbr.cwnd().min(40_000);
        rounds.round(&mut bbr, flight / 10 * 10, 0);
        if bbr.marks_app_limited() {
            marked.push(rounds.now);
        }
    }
    let (first, last) = (marked[0], marked[marked.len() - 1]);
    assert!((5_000..5_100).contains(&(first.as_nanos() / 1_000_000)), "{first:?}");
    assert!((200..=260).contains(&(last.since(first).as_nanos() / 1_000_000)), "{last:?}");
    assert!(!bbr.marks_app_limited());
}

#[test]
fn six_ranges_and_a_round_of_recovery_end_startup_by_losses() {
    // 5.3.1.3: six discontiguous ranges, more than 2% lost.
    for (ranges, ends) in [(5, false), (6, true)] {
        let (mut bbr, mut rounds) = begun(true);
        rounds.round(&mut bbr, 10_000, 0);
        bbr.on_loss(&LossEvent { now: rounds.now, in_flight: 10_000, repeated: false });
        rounds.round(&mut bbr, 20_000, 0);
        bbr.on_lost(&loss(&rounds, ranges));
        rounds.round(&mut bbr, 40_000, 0);
        rounds.round(&mut bbr, 80_000, 0);
        assert_eq!(bbr.full_bw_reached, ends, "{ranges}");
    }
}

#[test]
fn any_loss_ends_startup_without_sack() {
    for (selective_acks, ends) in [(true, false), (false, true)] {
        let (mut bbr, mut rounds) = begun(selective_acks);
        rounds.round(&mut bbr, 10_000, 0);
        bbr.on_loss(&LossEvent { now: rounds.now, in_flight: 10_000, repeated: false });
        bbr.on_lost(&loss(&rounds, 1));
        rounds.round(&mut bbr, 20_000, 0);
        assert_eq!(bbr.full_bw_reached, ends, "{selective_acks}");
    }
}

#[test]
fn a_timeout_is_no_fast_recovery() {
    let (mut bbr, mut rounds) = begun(true);
    rounds.round(&mut bbr, 10_000, 0);
    bbr.on_rto(&LossEvent { now: rounds.now, in_flight: 10_000, repeated: false });
    // 5.6.4.4: nothing is in flight after a timeout, so that a segment may leave.
    assert_eq!(bbr.cwnd(), 1000);
    rounds.round(&mut bbr, 20_000, 0);
    bbr.on_lost(&loss(&rounds, 6));
    rounds.round(&mut bbr, 40_000, 0);
    assert!(!bbr.full_bw_reached);
}

#[test]
fn an_acknowledgement_with_losses_raises_no_bound_and_lowers_none() {
    // 5.3.3.9, AdaptLongTermModel: 3% lost since the packet left.
    let (mut bbr, _) = filled(BbrConfig::default());
    (bbr.is_bw_probe_sample, bbr.inflight_longterm) = (true, 50_000);
    let sample =
        AckSample { sent_in_flight: 60_000, lost_since_sent: 1800, ..AckSample::default() };
    bbr.update_probe_bw_cycle(&sample);
    assert_eq!((bbr.inflight_longterm, bbr.is_bw_probe_sample), (50_000, true));
    bbr.update_probe_bw_cycle(&AckSample { lost_since_sent: 1200, ..sample });
    assert_eq!(bbr.inflight_longterm, 60_000);
}

#[test]
fn the_window_after_a_recovery_has_the_bounds_of_the_model() {
    // 5.6.4.4, RestoreCwnd, and 5.6.4.7, BoundCwndForModel.
    let (mut bbr, rounds) = filled(BbrConfig::default());
    (bbr.prior_cwnd, bbr.cwnd, bbr.inflight_shortterm) = (80_000, 5_000, 30_000);
    bbr.on_recovered(rounds.now);
    assert_eq!(bbr.cwnd(), 30_000);
}

#[test]
fn rounds_without_a_rate_are_limited_by_the_application_if_the_packet_was() {
    let (mut bbr, _) = filled(BbrConfig::default());
    bbr.reset_full_bw();
    bbr.rounds.start = true;
    let limited = AckSample { sent_app_limited: true, ..AckSample::default() };
    for _ in 0..3 {
        bbr.check_full_bw_reached(&limited);
    }
    assert_eq!(bbr.full_bw_count, 0);
}

#[test]
fn the_first_version_conserves_packets_for_a_round_of_recovery() {
    // Linux, bbr_set_cwnd_to_recover_or_restore: what is in flight after the loss, and what has just arrived.
    let mut bbr = Bbr1::new(0);
    bbr.on_start(&start());
    let mut rounds = Rounds { now: Time::ZERO, delivered: 0, in_flight: None };
    for bytes in [10_000, 20_000, 40_000] {
        rounds.round(&mut bbr, bytes, 0);
    }
    let before = bbr.cwnd();
    bbr.on_loss(&LossEvent { now: rounds.now, in_flight: 90_000, repeated: false });
    bbr.on_lost(&loss(&rounds, 2));
    // 40,000 in flight, 4,000 acknowledged, 2,000 lost.
    assert_eq!(bbr.cwnd(), 42_000);
    bbr.on_lost(&loss(&rounds, 3));
    assert_eq!(bbr.cwnd(), 39_000);
    bbr.on_recovered(rounds.now);
    assert_eq!(bbr.cwnd(), before);
}

#[test]
fn both_versions_mark_in_probe_rtt_alone() {
    let mut bbr = Bbr1::new(0);
    bbr.on_start(&start());
    let mut rounds = Rounds { now: Time::ZERO, delivered: 0, in_flight: None };
    let mut marked = Vec::new();
    while rounds.now < Time::from_millis(11_000) {
        let flight = bbr.cwnd().min(40_000);
        rounds.round(&mut bbr, flight / 10 * 10, 0);
        if bbr.marks_app_limited() {
            marked.push(rounds.now);
        }
    }
    // Linux, bbr_min_rtt_win_sec and bbr_probe_rtt_mode_ms: 10 s, and 200 ms with a round.
    assert!(marked[0] > Time::from_millis(10_000));
    let span = marked[marked.len() - 1].since(marked[0]).as_nanos() / 1_000_000;
    assert!((200..=260).contains(&span), "{span}");
}
