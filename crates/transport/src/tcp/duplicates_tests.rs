use std::cell::Cell;
use std::rc::Rc;

use airpath_base::Bytes;

use super::super::harness::{CLIENT, Fate, SERVER, World};
use super::super::{ConnectionEvent, DelayedAckOption, RttSource, Segment, TcpConfig};
use super::*;
use crate::control::ControllerName;

const SEGMENT: u32 = 1000;
/// Propagation, each way.
const HALF: Duration = Duration::from_millis(50);
/// Time at which the bottleneck begins to slow down.
const SLOWER: Time = Time::from_millis(1000);

/// A sender of 2013 with 200 segments in flight.
fn sender() -> TcpConfig {
    TcpConfig {
        segment: Some(Bytes(u64::from(SEGMENT))),
        delayed_ack: DelayedAckOption::Off,
        min_rto: Duration::from_millis(200),
        rtt_source: RttSource::Timestamps,
        rescue_retransmission: false,
        receive_buffer: Bytes(200 * u64::from(SEGMENT)),
        controller: ControllerName::NewReno,
        ..TcpConfig::default()
    }
}

/// Time of a segment at the bottleneck: 1 ms at first, later 1 us more for each millisecond.
fn serialisation(now: Time) -> Duration {
    let later = now.saturating_since(SLOWER).as_nanos() / 1_000_000;
    Duration::from_micros(1000 + later)
}

/// A path whose queue grows. It loses the first segment of data that is sent after the bottleneck
/// has begun to slow down, and its first `copies` retransmissions too.
fn path(copies: usize, clock: Rc<Cell<Time>>) -> impl FnMut(usize, &Segment) -> Fate {
    let (mut free, mut lost, mut left) = (Time::ZERO, None, copies + 1);
    move |from, segment| {
        let now = clock.get();
        if from == SERVER || segment.repr.payload_len == 0 {
            return vec![HALF];
        }
        if now >= SLOWER && *lost.get_or_insert(segment.repr.seq) == segment.repr.seq && left > 0 {
            left -= 1;
            return vec![];
        }
        free = free.max(now) + serialisation(free.max(now));
        vec![free.saturating_since(now) + HALF]
    }
}

fn run(config: TcpConfig, copies: usize) -> World<impl FnMut(usize, &Segment) -> Fate> {
    let clock = Rc::<Cell<Time>>::default();
    let mut world = World::new(config.clone(), config, path(copies, clock.clone()));
    world.clock = clock;
    world.keep = true;
    world.ends[CLIENT].write(2_000_000);
    world.run_until(Time::from_millis(3000));
    world
}

fn timeouts(config: TcpConfig, copies: usize) -> usize {
    let world = run(config, copies);
    let timeout = |e: &&ConnectionEvent| matches!(e, ConnectionEvent::Timeout { .. });
    world.events[CLIENT].iter().filter(timeout).count()
}

#[test]
fn a_queue_that_grows_makes_a_timeout_of_a_single_loss() {
    for sack in [true, false] {
        let plain = TcpConfig { sack, ..sender() };
        assert_eq!(timeouts(plain.clone(), 0), 1, "{sack}");
        let updated = TcpConfig { rto_from_duplicates: true, ..plain };
        assert_eq!(timeouts(updated.clone(), 0), 0, "{sack}");
        let world = run(updated, 0);
        assert_eq!(world.retransmissions(CLIENT), 1, "{sack}");
        assert_eq!(world.count(CLIENT, ConnectionEvent::Recovery), 1);
    }
}

#[test]
fn a_retransmission_that_is_lost_still_costs_a_timeout() {
    let config = TcpConfig { rto_from_duplicates: true, ..sender() };
    assert_eq!(timeouts(config, 1), 1);
}

/// Samples before and after the recovery began.
fn samples(config: TcpConfig) -> (Duration, Vec<Duration>) {
    let world = run(config, 0);
    let events = &world.events[CLIENT];
    let begin = events.iter().position(|e| *e == ConnectionEvent::Recovery).expect("a loss");
    let rtt = |e: &ConnectionEvent| match e {
        ConnectionEvent::Rtt(rtt) => Some(*rtt),
        _ => None,
    };
    let before = events[..begin].iter().filter_map(rtt).next_back().expect("samples");
    (before, events[begin..].iter().filter_map(rtt).take(150).collect())
}

#[test]
fn each_duplicate_gives_the_rtt_of_the_segment_that_it_is_for() {
    let with = |sack| TcpConfig { sack, rto_from_duplicates: true, ..sender() };
    let (before, by_sack) = samples(with(true));
    // A queue of 200 segments, each of which takes 1 us more in each ms.
    assert!(by_sack.iter().all(|rtt| *rtt > before), "{before}");
    assert!(by_sack.windows(2).all(|pair| pair[0] < pair[1]));
    // With a single hole nothing is ambiguous without SACK either.
    assert_eq!(samples(with(false)).1, by_sack);
}

#[test]
fn without_the_option_nothing_is_sampled_until_the_hole_is_filled() {
    let (before, after) = samples(sender());
    let gap = after[0].saturating_sub(before);
    assert!(gap > Duration::from_millis(30), "{gap}");
}

#[test]
fn the_timer_may_count_from_the_retransmission() {
    let when = |recovery_timer| retransmissions(TcpConfig { recovery_timer, ..sender() });
    let (usual, careful) = (when(RecoveryTimer::EveryAck), when(RecoveryTimer::EachRetransmission));
    // The first goes with the third duplicate, each 1.2 ms after the one before.
    assert_eq!(usual[0], careful[0]);
    let later = careful[1].saturating_since(usual[1]).as_nanos() / 1000;
    assert!((3_300..4_200).contains(&later), "{later}");
}

/// Times at which the first two retransmissions leave.
fn retransmissions(config: TcpConfig) -> [Time; 2] {
    let world = run(config, 1);
    let again = world.sent[CLIENT].iter().filter(|(_, s)| s.retransmission.is_some());
    let at: Vec<Time> = again.map(|(at, _)| *at).take(2).collect();
    [at[0], at[1]]
}

#[test]
fn the_timer_of_the_head_counts_from_its_retransmission() {
    let timer = |recovery_timer| retransmissions(TcpConfig { recovery_timer, ..sender() });
    assert_eq!(timer(RecoveryTimer::Head), timer(RecoveryTimer::EachRetransmission));
}

/// Duplicates for what was sent before the retransmission arrive throughout the round trip behind
/// it, and the last of them restarts the timer. Those for what was sent later do not, however many
/// they are. A path that loses the retransmission costs one timeout, a round trip and the timeout
/// behind it.
#[test]
fn duplicates_for_what_was_sent_before_the_head_restart_its_timer() {
    let config = TcpConfig { rto_from_duplicates: true, ..sender() };
    let config = TcpConfig { recovery_timer: RecoveryTimer::Head, ..config };
    let [first, second] = retransmissions(config.clone());
    // 200 segments stand in the queue.
    let rtt = serialisation(first) * 200;
    let waited = second.saturating_since(first);
    assert!(waited > rtt * 2 && waited < rtt * 2 + rtt / 10, "{waited}, {rtt}");
    assert_eq!(timeouts(config, 1), 1);
}
