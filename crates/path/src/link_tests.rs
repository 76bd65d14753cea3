use airpath_net::queue::{DropTail, Limit};
use airpath_net::{Outer, Stage, TunnelKind};
use airpath_wire::datagram::{Content, Inner, emit};
use airpath_wire::{AccurateEcn, IpRepr, Protocol, TcpRepr};
use proptest::prelude::*;

use super::*;
use crate::samples::{Log, World, packet};

fn config(limit: Limit) -> LinkConfig {
    LinkConfig {
        rate: Some(BitRate::from_mbps(8)),
        delay: Duration::from_millis(10),
        queue: DropTail::new(limit).into(),
        ..LinkConfig::default()
    }
}

fn world(config: LinkConfig) -> World {
    World::new(Link::new(config, Seed(1), "link"))
}

fn micros(n: u64) -> Time {
    Time::from_nanos(n * 1000)
}

#[test]
fn delays_are_exact_to_the_nanosecond() {
    let mut world = world(config(Limit::NONE));
    for _ in 0..2 {
        world.inject(micros(5), Port(0), packet(1000, micros(5)));
    }
    let out = world.run(Time::from_millis(100));
    // 1000 bytes at 8 Mbit/s take 1 ms.
    let times: Vec<Time> = out.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [micros(11_005), micros(12_005)]);
    let stages = &out[1].2.stages;
    assert_eq!(stages.spent(Stage::WiredQueue), Duration::from_millis(1));
    assert_eq!(stages.spent(Stage::Wired), Duration::from_millis(11));
    assert_eq!(world.next_wake(), None);
}

#[test]
fn the_link_layer_takes_time() {
    let mut world = world(LinkConfig { layer2: 38, ..config(Limit::NONE) });
    world.inject(Time::ZERO, Port(0), packet(1500, Time::ZERO));
    let out = world.run(Time::from_millis(100));
    // 1538 bytes at 1 byte a microsecond.
    assert_eq!(out[0].0, micros(11_538));
}

#[test]
fn an_unlimited_link_only_delays() {
    let mut world = world(LinkConfig { rate: None, ..config(Limit::packets(1)) });
    for _ in 0..5 {
        world.inject(Time::ZERO, Port(0), packet(1500, Time::ZERO));
    }
    let out = world.run(Time::from_millis(10));
    assert_eq!(out.len(), 5);
    assert!(out.iter().all(|(at, ..)| *at == Time::from_millis(10)));
}

#[test]
fn a_link_without_rate_and_delay_passes_packets_in_the_same_instant() {
    let mut world = world(LinkConfig::default());
    world.inject(micros(3), Port(0), packet(1500, micros(3)));
    assert_eq!(world.next_wake(), None);
    assert_eq!(world.run(micros(3))[0].0, micros(3));
}

#[test]
fn the_packet_being_sent_is_not_in_the_queue() {
    let mut world = world(config(Limit::packets(2)));
    for n in 0..4 {
        world.inject(micros(n), Port(0), packet(1000, micros(n)));
    }
    assert_eq!(world.log.drops, [(micros(3), DropCause::QueueFull)]);
    let waiting = [0, 1, 2, 3].map(|n| world.log.occupancy(micros(n)));
    assert_eq!(waiting, [(0, 0), (1, 1000), (2, 2000), (2, 2000)]);
    // At 1 ms the first has been sent, the second has left the queue.
    world.inject(micros(1000), Port(0), packet(500, micros(1000)));
    assert_eq!(world.log.occupancy(micros(1000)), (2, 1500));
    assert_eq!(world.log.occupancy(micros(2000)), (1, 500));
    assert_eq!(world.log.occupancy(micros(3000)), (0, 0));
    assert_eq!(world.run(Time::from_millis(100)).len(), 4);
}

#[test]
fn a_limit_of_bytes_counts_those_that_wait() {
    let mut world = world(config(Limit::bytes(1500)));
    for size in [1500, 1000, 501, 500] {
        world.inject(Time::ZERO, Port(0), packet(size, Time::ZERO));
    }
    assert_eq!(world.log.drops.len(), 1);
    let sizes: Vec<u32> =
        world.run(Time::from_millis(100)).iter().map(|(.., packet)| packet.size).collect();
    assert_eq!(sizes, [1500, 1000, 500]);
}

#[test]
fn nothing_arrives_at_rate_zero_and_nothing_wakes() {
    for queue in [DropTail::new(Limit::packets(3)).into(), custom(Limit::packets(3))] {
        let rate = Some(BitRate::from_bps(0));
        let mut world = world(LinkConfig { rate, queue, ..LinkConfig::default() });
        for _ in 0..5 {
            world.inject(Time::ZERO, Port(0), packet(100, Time::ZERO));
        }
        assert!(world.run(Time::from_millis(1_000_000)).is_empty());
        assert_eq!((world.held(), world.next_wake()), (4, None));
    }
}

#[test]
fn a_lost_packet_has_taken_its_time_on_the_wire() {
    let mut world = world(LinkConfig { loss: Pattern::Random(1.0), ..config(Limit::NONE) });
    world.inject(Time::ZERO, Port(0), packet(1000, Time::ZERO));
    assert!(world.run(Time::from_millis(100)).is_empty());
    assert_eq!(world.log.drops, [(micros(11_000), DropCause::RandomLoss)]);
}

#[test]
fn losses_have_their_probability() {
    let mut world = world(LinkConfig { loss: Pattern::Random(0.1), ..LinkConfig::default() });
    for _ in 0..20_000 {
        world.inject(Time::ZERO, Port(0), packet(100, Time::ZERO));
    }
    // Five standard deviations of a binomial: 5 sqrt(20000 * 0.09) = 212.
    assert!(world.log.drops.len().abs_diff(2000) < 212, "{}", world.log.drops.len());
}

/// Numbers of the packets that arrive out of `count`, and of the marked ones. ECN fields alternate.
fn survivors(config: LinkConfig, count: u64, ecn: &[Ecn]) -> (Vec<u64>, Vec<u64>, World) {
    let mut world = world(config);
    for (number, &ecn) in (1..=count).zip(ecn.iter().cycle()) {
        let mut packet = packet(100, Time::ZERO);
        (packet.number, packet.ecn) = (number, ecn);
        world.inject(Time::ZERO, Port(0), packet);
    }
    let out = world.run(Time::from_millis(100_000));
    let marked = out.iter().filter(|(.., p)| p.ecn == Ecn::Ce).map(|(.., p)| p.number);
    let marked = marked.collect();
    (out.iter().map(|(.., p)| p.number).collect(), marked, world)
}

#[test]
fn a_period_loses_the_last_of_each_so_many() {
    let loss = Pattern::Every(3);
    let (arrived, _, world) =
        survivors(LinkConfig { loss, ..config(Limit::NONE) }, 7, &[Ecn::Ect0]);
    assert_eq!(arrived, [1, 2, 4, 5, 7]);
    assert!(world.log.drops.iter().all(|(_, cause)| *cause == DropCause::PeriodicLoss));
    let (all, ..) =
        survivors(LinkConfig { loss: Pattern::Every(1), ..config(Limit::NONE) }, 5, &[Ecn::Ect0]);
    assert!(all.is_empty());
}

#[test]
fn only_what_is_ecn_capable_is_marked_and_counts() {
    let mark = Pattern::Every(2);
    for queue in [DropTail::default().into(), custom(Limit::NONE)] {
        let config = LinkConfig { mark, queue, ..config(Limit::NONE) };
        let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1];
        let (arrived, marked, world) = survivors(config, 9, &ecn);
        assert_eq!((arrived.len(), marked), (9, vec![3, 6, 9]));
        assert_eq!(world.log.marks, 3);
    }
}

#[test]
fn a_link_that_bleaches_clears_the_field_of_all_that_arrives() {
    for queue in [DropTail::default().into(), custom(Limit::NONE)] {
        let config = LinkConfig { ecn: EcnField::Bleach, queue, ..config(Limit::NONE) };
        let mark = Pattern::Every(2);
        for config in [LinkConfig { mark, ..LinkConfig::default() }, config] {
            let config = LinkConfig { ecn: EcnField::Bleach, ..config };
            let mut world = world(config);
            for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce, Ecn::NotEct] {
                let mut one = packet(100, Time::ZERO);
                one.ecn = ecn;
                world.inject(Time::ZERO, Port(1), one);
            }
            let out = world.run(Time::from_millis(100));
            let left: Vec<Ecn> = out.iter().map(|(.., packet)| packet.ecn).collect();
            assert_eq!((left, world.log.marks), (vec![Ecn::NotEct; 4], 0));
        }
    }
}

/// Presence of the option AccECN in packets that enter with it and arrive, and their sizes.
fn with_option(config: LinkConfig, packets: Vec<Packet>) -> Vec<(bool, u32)> {
    let mut world = world(config);
    packets.into_iter().for_each(|packet| world.inject(Time::ZERO, Port(1), packet));
    let out = world.run(Time::from_millis(100));
    let has = |packet: &Packet| match &packet.payload {
        Payload::Tcp(header) => TcpRepr::from(header).accurate_ecn.is_some(),
        Payload::Bytes(bytes) => bytes.windows(2).any(|pair| pair == [174, 8]),
        _ => false,
    };
    out.iter().map(|(.., packet)| (has(packet), packet.size)).collect()
}

#[test]
fn a_link_that_strips_takes_the_option_from_what_is_in_no_tunnel() {
    let option = Some(AccurateEcn::order_1(&[1, 2]));
    let repr = TcpRepr { accurate_ecn: option, ..TcpRepr::default() };
    let simulated = |tunnel: bool| {
        let mut packet = packet(20 + repr.header_len(), Time::ZERO);
        packet.tuple.protocol = Protocol::TCP;
        packet.payload = Payload::Tcp(repr.into());
        let ends = (packet.tuple.src, packet.tuple.dst);
        let kind = TunnelKind::Gtpu { teid: 1, qfi: None, congestion: None };
        let outer = Outer { kind, ends, dscp: 0, ecn: Ecn::NotEct, overhead: 36 };
        if tunnel {
            packet.push_outer(outer).expect("room for one tunnel");
        }
        packet
    };
    let real = || {
        let (mut packet, mut bytes) = (simulated(false), Vec::new());
        let ip = IpRepr::new(packet.tuple, 0, Ecn::NotEct, packet.size);
        emit(Inner::Repr(ip, Content::Tcp(repr)), &[], usize::MAX, &mut bytes).expect("short");
        packet.payload = Payload::Bytes(bytes.into());
        packet
    };
    for (ecn_option, expected) in [(EcnOption::Strip, false), (EcnOption::Keep, true)] {
        let config = LinkConfig { ecn_option, ..config(Limit::NONE) };
        let arrived = with_option(config, vec![simulated(false), real(), simulated(true)]);
        assert_eq!(arrived, [(expected, 48), (expected, 48), (true, 48)]);
    }
}

#[test]
fn marks_have_their_probability_and_do_not_move_the_losses() {
    let loss = Pattern::Random(0.05);
    let with = |mark| {
        let config = LinkConfig { loss, mark, ..LinkConfig::default() };
        survivors(config, 20_000, &[Ecn::Ect1])
    };
    let (arrived, marked, _) = with(Pattern::Random(0.1));
    assert_eq!(arrived, with(Pattern::Never).0);
    // Five standard deviations of a binomial: 5 sqrt(19000 * 0.09) = 207.
    assert!(marked.len().abs_diff(1900) < 207, "{}", marked.len());
}

fn custom(limit: Limit) -> QueueKind {
    QueueKind::Custom(Box::new(DropTail::new(limit)))
}

#[test]
fn a_link_with_nothing_to_do_has_an_empty_queue() {
    // 100 bytes each 10 ms on 8 Mbit/s: nothing ever waits.
    for queue in [DropTail::default().into(), custom(Limit::NONE)] {
        let mut world = world(LinkConfig { queue, ..config(Limit::NONE) });
        for n in 0..100 {
            world.inject(
                Time::from_millis(10 * n),
                Port(0),
                packet(100, Time::from_millis(10 * n)),
            );
        }
        world.run(Time::from_millis(2_000));
        assert_eq!(world.log.byte_nanos(Time::from_millis(2_000)), 0);
        assert_eq!(world.log.waits, vec![Duration::ZERO; 100]);
    }
}

/// Time, size and stages of all arrivals.
type Arrivals = Vec<(Time, u32, Vec<Duration>)>;

fn outcome(config: LinkConfig, arrivals: &[(u64, u32)]) -> (Arrivals, Log) {
    let mut world = world(config);
    let mut now = Time::ZERO;
    for &(gap, size) in arrivals {
        now += Duration::from_micros(gap);
        world.inject(now, Port(0), packet(size, now));
    }
    let out = world.run(Time::from_millis(100_000));
    let seen = |(at, _, packet): &(Time, Port, Packet)| {
        assert_eq!(packet.stages.total(), at.since(packet.born()), "stages sum to the delay");
        (*at, packet.size, Stage::ALL.map(|stage| packet.stages.spent(stage)).to_vec())
    };
    assert_eq!(world.held(), 0);
    (out.iter().map(seen).collect(), world.log)
}

proptest! {
    /// The two ways of sending agree, and the books close at every step.
    #[test]
    fn computing_ahead_is_the_same_as_taking_out_when_due(
        arrivals in prop::collection::vec((0u64..6, 1u32..6), 0..80),
        packets in prop::option::of(0u32..6), bytes in prop::option::of(0u64..6000),
        rated: bool, delay in 0u64..6, loss in 0u8..3, coarse: bool,
    ) {
        // A coarse grid makes arrivals, departures and deliveries fall together.
        let (step, layer2) = if coarse { (250, 0) } else { (233, 18) };
        let arrivals: Vec<(u64, u32)> =
            arrivals.iter().map(|&(gap, size)| (gap * step, size * 250)).collect();
        let limit = Limit { packets, bytes };
        let config = |queue| LinkConfig {
            rate: rated.then_some(BitRate::from_mbps(8)),
            delay: Duration::from_micros(delay * step),
            queue,
            layer2,
            loss: [Pattern::Never, Pattern::Random(0.2), Pattern::Every(3)][usize::from(loss)],
            mark: [Pattern::Random(0.3), Pattern::Every(2), Pattern::Never][usize::from(loss)],
            ecn: if coarse { EcnField::Bleach } else { EcnField::Keep },
            ..LinkConfig::default()
        };
        let ahead = outcome(config(DropTail::new(limit).into()), &arrivals);
        let when_due = outcome(config(custom(limit)), &arrivals);
        prop_assert_eq!(&ahead.0, &when_due.0);
        prop_assert_eq!(ahead.1.changes(), when_due.1.changes());
        prop_assert_eq!(&ahead.1.waits, &when_due.1.waits);
        prop_assert_eq!(sorted(ahead.1.drops), sorted(when_due.1.drops));
    }

    /// Against the recursion of Lindley (1952): a packet begins to be sent when it
    /// arrives or when the one before has been sent.
    #[test]
    fn departures_follow_lindley(
        arrivals in prop::collection::vec((0u64..1500, 1u32..1500), 0..80),
    ) {
        let (out, _) = outcome(config(Limit::NONE), &arrivals);
        let (mut now, mut free) = (0, 0);
        for (&(gap, size), (at, ..)) in arrivals.iter().zip(&out) {
            now += gap;
            free = now.max(free) + u64::from(size);
            prop_assert_eq!(*at, micros(free + 10_000));
        }
        prop_assert_eq!(out.len(), arrivals.len());
    }
}

fn sorted(mut drops: Vec<(Time, DropCause)>) -> Vec<(Time, DropCause)> {
    drops.sort_unstable();
    drops
}
