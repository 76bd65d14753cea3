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
