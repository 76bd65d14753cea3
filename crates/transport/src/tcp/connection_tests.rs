//! Behaviour of two ends on a path with chosen losses.

use airpath_base::{BitRate, Bytes, Duration, Time};
use airpath_net::Reason;
use airpath_schema::units::{Buffer, Rate};
use airpath_wire::{Ecn, TcpFlags};

use super::harness::{CLIENT, Fate, SERVER, World};
use super::*;
use crate::control::{
    AckSample, Avoidance, CongestionControl, Controller, ControllerName, LossEvent, NewRenoConfig,
    Start,
};

const SEGMENT: u32 = 1000;
const HALF: Duration = Duration::from_millis(20);

fn reno() -> TcpConfig {
    TcpConfig {
        segment: Some(Bytes(u64::from(SEGMENT))),
        delayed_ack: DelayedAckOption::Off,
        controller: ControllerName::NewReno,
        ..TcpConfig::default()
    }
}

/// Loses the client's data packets with these numbers, counted from 1.
fn losing(numbers: &'static [u64]) -> impl FnMut(usize, &Segment) -> Fate {
    let mut data = 0;
    move |from, segment| {
        let is_data = from == CLIENT && segment.repr.payload_len > 0;
        data += u64::from(is_data);
        if is_data && numbers.contains(&data) { vec![] } else { vec![HALF] }
    }
}

/// A client that has written `segments` segments and closed, run to its end.
fn transfer(
    config: TcpConfig,
    segments: u64,
    fate: impl FnMut(usize, &Segment) -> Fate,
) -> World<impl FnMut(usize, &Segment) -> Fate> {
    let bytes = segments * u64::from(SEGMENT);
    let mut world = World::new(config.clone(), config, fate);
    world.keep = true;
    assert_eq!(world.ends[CLIENT].write(bytes), bytes);
    world.ends[CLIENT].close();
    world.ends[SERVER].close();
    world.run_until(Time::from_millis(600_000));
    assert_eq!(world.delivered[SERVER], bytes);
    assert!(world.ends[CLIENT].is_closed() && world.ends[SERVER].is_closed());
    world
}

/// Times in ms and numbers of segments that were retransmitted.
fn retransmissions(world: &World<impl FnMut(usize, &Segment) -> Fate>) -> Vec<(u64, u32)> {
    let sent = world.sent[CLIENT].iter().filter(|(_, s)| s.retransmission.is_some());
    sent.map(|(at, s)| (at.as_nanos() / 1_000_000, (s.repr.seq.0 - 1) / SEGMENT)).collect()
}

/// Numbers of segments with data that the client sent at a time.
fn data_at(world: &World<impl FnMut(usize, &Segment) -> Fate>, ms: u64) -> usize {
    let at = Time::from_millis(ms);
    world.sent[CLIENT].iter().filter(|(t, s)| *t == at && s.repr.payload_len > 0).count()
}

#[test]
fn the_initial_window_leaves_with_the_end_of_the_handshake() {
    let world = transfer(reno(), 30, |_, _| vec![HALF]);
    assert_eq!((data_at(&world, 40), data_at(&world, 80)), (10, 20));
    assert_eq!(world.retransmissions(CLIENT), 0);
}

#[test]
fn a_hole_is_repaired_within_a_round_trip() {
    let world = transfer(reno(), 60, losing(&[15]));
    // Sent at 80 ms, missed by the next three, which arrive back at 120 ms.
    assert_eq!(retransmissions(&world), [(120, 14)]);
    assert_eq!(world.count(CLIENT, ConnectionEvent::Recovery), 1);
    let last = world.sent[CLIENT].last().expect("segments").0;
    assert!(last < Time::from_millis(320), "{last}");
}

#[test]
fn several_holes_in_a_window_cost_one_reduction() {
    let world = transfer(reno(), 80, losing(&[14, 17, 18, 25]));
    let numbers: Vec<u32> = retransmissions(&world).iter().map(|(_, n)| *n).collect();
    assert_eq!(numbers, [13, 16, 17, 24]);
    assert_eq!(world.count(CLIENT, ConnectionEvent::Recovery), 1);
    assert!(world.events[CLIENT].iter().all(|e| !matches!(e, ConnectionEvent::Timeout { .. })));
}

#[test]
fn without_sack_each_partial_acknowledgement_repairs_one_hole() {
    let config = TcpConfig { sack: false, ..reno() };
    let world = transfer(config, 80, losing(&[14, 17, 18]));
    let retransmissions = retransmissions(&world);
    assert_eq!(retransmissions.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [13, 16, 17]);
    // One round trip for each.
    assert!(retransmissions.windows(2).all(|w| w[1].0 - w[0].0 == 40), "{retransmissions:?}");
    assert_eq!(world.count(CLIENT, ConnectionEvent::Recovery), 1);
}

#[test]
fn resending_the_head_on_partial_acknowledgements_makes_copies() {
    let plain = transfer(reno(), 200, losing(&[35, 36, 37, 38, 40]));
    let config = TcpConfig { recovery: LossRecovery::Ns3, ..reno() };
    let world = transfer(config, 200, losing(&[35, 36, 37, 38, 40]));
    assert_eq!(plain.retransmissions(CLIENT), 5);
    assert!(world.retransmissions(CLIENT) > 5, "{:?}", retransmissions(&world));
}

#[test]
fn the_last_segment_lost_is_repaired_by_timeout() {
    let world = transfer(reno(), 10, losing(&[10]));
    let timeout = ConnectionEvent::Timeout { backoff: 1 };
    assert_eq!(world.count(CLIENT, timeout), 1);
    let sent = world.sent[CLIENT].iter().find(|(_, s)| s.retransmission.is_some());
    let (at, segment) = sent.expect("a retransmission");
    assert_eq!(segment.retransmission, Some(Reason::Timeout));
    // The ninth is acknowledged at 80 ms; then the minimum of 1 s.
    assert_eq!(*at, Time::from_millis(1080));
    assert!(segment.repr.flags.contains(TcpFlags::FIN));
}

#[test]
fn a_lost_retransmission_costs_a_timeout() {
    let mut copies = 0;
    let world = transfer(reno(), 60, move |from, s| {
        let fifteenth = from == CLIENT && s.repr.seq.0 == 1 + 14 * SEGMENT;
        copies += u32::from(fifteenth && s.repr.payload_len > 0);
        if fifteenth && copies <= 2 { vec![] } else { vec![HALF] }
    });
    assert_eq!(retransmissions(&world)[0], (120, 14));
    assert_eq!(world.count(CLIENT, ConnectionEvent::Timeout { backoff: 1 }), 1);
}

#[test]
fn timeouts_back_off() {
    let world = transfer(reno(), 1, losing(&[1, 2, 3]));
    let times: Vec<u64> = retransmissions(&world).iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [1040, 3040, 7040]);
}

#[test]
fn limited_transmit_keeps_a_small_window_from_a_timeout() {
    // Three segments, the first lost: two duplicates only, unless each of them
    // lets new data out.
    for sack in [true, false] {
        let timeouts = |limited_transmit| {
            let config = TcpConfig { initial_window: 3, limited_transmit, sack, ..reno() };
            let world = transfer(config, 10, losing(&[1]));
            world.count(CLIENT, ConnectionEvent::Timeout { backoff: 1 })
        };
        assert_eq!((timeouts(true), timeouts(false)), (0, 1), "{sack}");
    }
}

#[test]
fn a_lost_syn_is_repeated_and_leaves_a_window_of_one() {
    let mut syns = 0;
    let world = transfer(reno(), 5, move |_, s| {
        let syn = s.repr.flags.contains(TcpFlags::SYN);
        syns += u32::from(syn);
        if syn && syns <= 2 { vec![] } else { vec![HALF] }
    });
    let times: Vec<u64> =
        world.sent[CLIENT].iter().map(|(at, _)| at.as_nanos() / 1_000_000).take(5).collect();
    // 1 s, then 2 s; the handshake's ACK with one segment; a round trip; two more.
    assert_eq!(times, [0, 1000, 3000, 3040, 3040]);
    assert_eq!((data_at(&world, 3040), data_at(&world, 3080)), (1, 2));
}

#[test]
fn nobody_answers() {
    let config = TcpConfig { syn_retries: 2, ..reno() };
    let mut world = World::new(config.clone(), config, |_, _| vec![]);
    world.keep = true;
    world.run_until(Time::MAX);
    assert_eq!(world.sent[CLIENT].len(), 3);
    assert_eq!(world.events[CLIENT], [ConnectionEvent::Failed]);
    assert_eq!(world.now, Time::from_millis(7000));
}

#[test]
fn a_closed_window_is_probed_until_it_opens() {
    // A reader of 100 segments a second with room for four; window updates lost.
    let config = TcpConfig {
        receive_buffer: Bytes(4000),
        read_rate: Rate::Limited(BitRate::from_kbps(800)),
        min_rto: Duration::from_millis(200),
        ..reno()
    };
    let (mut last_ack, mut lost) = (0, 0);
    let world = transfer(config, 20, move |from, s| {
        let update = from == SERVER && s.repr.ack.0 == last_ack && s.repr.window > 0;
        if from == SERVER {
            last_ack = s.repr.ack.0;
        }
        lost += u32::from(update);
        if update && lost < 8 { vec![] } else { vec![HALF] }
    });
    let probes = world.sent[CLIENT].iter().filter(|(at, s)| {
        s.repr.payload_len == 0 && s.repr.flags == TcpFlags::ACK && *at > Time::from_millis(60)
    });
    assert!(probes.count() >= 1);
}

#[test]
fn a_slow_reader_sets_the_pace() {
    let config = TcpConfig {
        receive_buffer: Bytes(20_000),
        read_rate: Rate::Limited(BitRate::from_kbps(800)),
        ..reno()
    };
    let world = transfer(config, 200, |_, _| vec![HALF]);
    // 200 segments at 100 a second from 60 ms on.
    let took = world.now.as_secs_f64();
    assert!((2.06..2.2).contains(&took), "{took}");
    assert_eq!(world.retransmissions(CLIENT), 0);
}

#[test]
fn idle_restarts_with_the_initial_window() {
    for (idle_restart, expected) in [(true, 10), (false, 30)] {
        let config = TcpConfig { idle_restart, ..reno() };
        let mut world = World::new(config.clone(), config, |_, _| vec![HALF]);
        world.keep = true;
        world.ends[CLIENT].write(100_000);
        world.run_until(Time::from_millis(5000));
        world.now = Time::from_millis(5000);
        world.ends[CLIENT].write(30_000);
        world.flush(CLIENT);
        let now = world.now;
        let burst = world.sent[CLIENT].iter().filter(|(at, _)| *at == now).count();
        assert_eq!(burst, expected);
    }
}

#[test]
fn eifel_takes_a_spurious_timeout_back() {
    // From 100 ms on nothing gets through until 2100 ms; nothing is lost.
    let config = TcpConfig { eifel: true, ..reno() };
    let mut world = World::new(config.clone(), config, |from, s: &Segment| {
        let now = s.repr.timestamps.map_or(0, |t| u64::from(t.value) - 1);
        let held = from == CLIENT && (100..2100).contains(&now);
        vec![if held { Duration::from_millis(2100 - now) + HALF } else { HALF }]
    });
    world.keep = true;
    world.ends[CLIENT].write(60_000);
    world.run_until(Time::from_millis(20_000));
    assert_eq!(world.delivered[SERVER], 60_000);
    assert_eq!(world.count(CLIENT, ConnectionEvent::Spurious), 1);
    let cwnd = world.ends[CLIENT].sender_state().cwnd;
    assert!(cwnd > 20_000, "{cwnd}");
}

#[test]
fn delayed_acknowledgements_halve_growth_by_acknowledgements() {
    let delayed = TcpConfig { delayed_ack: DelayedAckOption::On(DelayedAck::default()), ..reno() };
    let counting = |avoidance| {
        let config = NewRenoConfig { avoidance, ..NewRenoConfig::default() };
        let tcp = TcpConfig {
            initial_ssthresh: Buffer::Bytes(Bytes(10_000)),
            newreno: Some(config),
            ..delayed.clone()
        };
        let mut world = World::new(tcp.clone(), tcp, |_, _| vec![HALF]);
        world.ends[CLIENT].write(u64::MAX);
        world.run_until(Time::from_millis(40 + 40 * 20));
        world.ends[CLIENT].sender_state().cwnd / u64::from(SEGMENT)
    };
    // Twenty round trips from 10 segments.
    let (bytes, acks) = (counting(Avoidance::ByteCounting), counting(Avoidance::PerAck));
    assert!((27..=30).contains(&bytes), "{bytes}");
    assert!((18..=20).contains(&acks), "{acks}");
}

#[test]
fn a_reset_ends_the_connection() {
    let mut world = World::new(reno(), reno(), |_, _| vec![HALF]);
    world.run_until(Time::from_millis(500));
    let mut reset = airpath_wire::TcpRepr {
        seq: airpath_wire::SeqNumber(7),
        flags: TcpFlags::RST,
        ..airpath_wire::TcpRepr::default()
    };
    assert!(!world.ends[CLIENT].receive(world.now, &reset, Ecn::NotEct), "out of place");
    reset.seq = airpath_wire::SeqNumber(1);
    assert!(world.ends[CLIENT].receive(world.now, &reset, Ecn::NotEct));
    assert_eq!(world.ends[CLIENT].poll_event(), Some(ConnectionEvent::Failed));
    assert!(!world.ends[CLIENT].is_established());
}

/// The sender of ns-3 in 2018, as far as options describe it.
fn ns3() -> TcpConfig {
    TcpConfig {
        segment: Some(Bytes(536)),
        announce_mss: false,
        initial_window: 1,
        receive_buffer: Bytes(131_072),
        send_buffer: Buffer::Bytes(Bytes(131_072)),
        write_size: Bytes(512),
        delayed_ack: DelayedAckOption::On(DelayedAck {
            count: 2,
            timeout: Duration::from_millis(200),
            at_once: 1,
        }),
        syn_timeout: Duration::from_secs(3),
        backoff_until_sample: false,
        rtt_source: RttSource::Timestamps,
        flight_measure: FlightMeasure::Pipe,
        rescue_retransmission: false,
        recovery: LossRecovery::Ns3,
        recovery_timer: RecoveryTimer::FirstPartialAck,
        rto_always_lowers_ssthresh: true,
        timeout_exit_counts_new_only: true,
        idle_restart: false,
        controller: ControllerName::NewReno,
        newreno: Some(NewRenoConfig {
            slow_start_limit: 1,
            avoidance: Avoidance::PerAck,
            whole_bytes: true,
            cwnd_limited_only: false,
            ..NewRenoConfig::default()
        }),
        ..TcpConfig::default()
    }
}

#[test]
fn the_start_of_the_sender_of_2018() {
    let mut world = World::new(ns3(), ns3(), |_, _| vec![HALF]);
    world.keep = true;
    world.ends[CLIENT].write(u64::MAX);
    world.run_until(Time::from_millis(200));
    assert_eq!(world.sent[CLIENT][0].1.repr.header_len(), 36);
    // The first segment is acknowledged at once, then every second one, each time
    // for a segment more: five acknowledgements by 200 ms.
    let windows: Vec<usize> = (0..4).map(|n| data_at(&world, 40 + 40 * n)).collect();
    assert_eq!(windows, [1, 2, 3, 3]);
    assert_eq!(world.ends[CLIENT].sender_state().cwnd, 6 * 536);
}

#[test]
fn the_end_of_a_timeout_may_count_only_what_is_new() {
    // The last segment is lost; nothing is sent after the timeout.
    let cwnd = |timeout_exit_counts_new_only| {
        let always = NewRenoConfig { cwnd_limited_only: false, ..NewRenoConfig::default() };
        let config = TcpConfig { timeout_exit_counts_new_only, newreno: Some(always), ..reno() };
        let mut world = World::new(config.clone(), config, losing(&[10]));
        world.ends[CLIENT].write(10_000);
        world.run_until(Time::from_millis(3000));
        world.ends[CLIENT].sender_state().cwnd
    };
    assert_eq!((cwnd(false), cwnd(true)), (2000, 1000));
}

#[test]
fn a_loss_halves_the_pipe_or_the_flight() {
    for (measure, expected) in [(FlightMeasure::Pipe, 8), (FlightMeasure::FlightSize, 10)] {
        let flat = NewRenoConfig { avoidance: Avoidance::PerAck, ..NewRenoConfig::default() };
        let config = TcpConfig {
            initial_window: 20,
            initial_ssthresh: Buffer::Bytes(Bytes(1)),
            flight_measure: measure,
            limited_transmit: false,
            newreno: Some(flat),
            ..reno()
        };
        let mut world = World::new(config.clone(), config, losing(&[1]));
        world.ends[CLIENT].write(u64::MAX);
        // Of 20 in flight one is lost and three are SACKed when it is noticed.
        world.run_until(Time::from_millis(80));
        let ssthresh = world.ends[CLIENT].sender_state().ssthresh;
        assert_eq!(ssthresh / u64::from(SEGMENT), expected, "{measure:?}");
    }
}

/// Notes its calls and keeps its window.
struct Observer(std::sync::Arc<std::sync::Mutex<Vec<AckSample>>>);

impl CongestionControl for Observer {
    fn on_start(&mut self, _start: &Start) {}
    fn on_ack(&mut self, sample: &AckSample) {
        self.0.lock().expect("no panic").push(*sample);
    }
    fn on_loss(&mut self, _loss: &LossEvent) {}
    fn on_rto(&mut self, _loss: &LossEvent) {}
    fn on_spurious(&mut self, _now: Time) {}
    fn cwnd(&self) -> u64 {
        20_000
    }
    fn ssthresh(&self) -> u64 {
        u64::MAX
    }
}

#[test]
fn a_controller_of_the_user_is_told_all() {
    let samples = std::sync::Arc::default();
    let mut world = World::new(reno(), reno(), losing(&[30]));
    let custom = Controller::Custom(Box::new(Observer(std::sync::Arc::clone(&samples))));
    world.ends[CLIENT] = Connection::with_controller(reno(), custom).expect("options");
    world.ends[CLIENT].connect(Time::ZERO);
    world.ends[CLIENT].write(100_000);
    world.run_until(Time::from_millis(10_000));
    let samples = samples.lock().expect("no panic");
    let sum = |part: fn(&AckSample) -> u64| samples.iter().map(part).sum::<u64>();
    assert_eq!((sum(|s| s.acked), sum(|s| s.delivered)), (100_000, 100_000));
    assert!(sum(|s| s.sacked) > 0);
    assert!(samples.iter().all(|s| s.min_rtt == Some(HALF * 2)));
    // A window of 20 segments in each round trip of 40 ms: 4 Mbit/s.
    let best = samples.iter().filter_map(|s| s.rate).map(|r| r.rate().as_bps()).max();
    assert_eq!(best, Some(4_000_000));
    assert!(samples.iter().any(|s| s.in_recovery));
    assert!(samples.last().expect("samples").app_limited);
    assert!(samples[0].cwnd_limited && samples[0].in_flight_before == 20_000);
}
