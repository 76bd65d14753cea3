//! Little's law, for every kind of queue and link: what a queue holds over time is what its
//! packets wait, exactly.

use airpath_base::random::Seed;
use airpath_net::Stage;
use airpath_net::queue::*;
use airpath_wire::Ecn;
use proptest::prelude::*;

use super::*;
use crate::samples::{World, draws, packet};

const KINDS: usize = 10;

/// A queue of each kind, quick to react.
fn queue(kind: usize, limit: Limit) -> QueueKind {
    let quick = Duration::from_millis(2);
    let codel = CodelConfig { target: quick, interval: quick * 4, limit, ecn: true };
    let fq = FqCodelConfig { target: quick, interval: quick * 4, limit, ..Default::default() };
    let pie = PieConfig { target: quick, update: quick, burst: quick, limit, ..Default::default() };
    let pi2 = Pi2Config { target: quick, update: quick, alpha: 10.0, beta: 50.0 };
    let dual = DualPi2Config { pi2, limit, ..Default::default() };
    let age = Some(AgeConfig { one: quick * 4, all: quick * 8, ..AgeConfig::default() });
    let delay =
        DelayConfig { age, drop_not_ect: true, end: End::Head, limit, ..Default::default() };
    let salt = Seed(1).keyed("salt");
    match kind {
        0 => DropTail::new(limit).into(),
        1 => QueueKind::Codel(Box::new(Codel::new(codel))),
        2 => QueueKind::FqCodel(Box::new(FqCodel::new(fq, salt))),
        3 => QueueKind::Pie(Box::new(Pie::new(pie, draws("pie")))),
        4 => {
            let config = RedConfig { weight: 0.2, limit, ..Default::default() };
            QueueKind::Red(Box::new(Red::new(config, draws("red"))))
        }
        5 => QueueKind::DualPi2(Box::new(DualPi2::new(dual, [draws("l"), draws("c")], salt))),
        6 => QueueKind::Step(Step::new(StepConfig { threshold: Threshold::Packets(5), limit })),
        7 => QueueKind::Delay(Box::new(DelayQueue::new(delay, draws("ramp")))),
        8 => QueueKind::Custom(Box::new(DropTail::new(limit))),
        _ => QueueKind::default(),
    }
}

/// The part of a wait that lies before `end`.
fn clipped(bytes: u32, from: Time, to: Time, end: Time) -> u128 {
    let span = to.min(end).saturating_since(from.min(end));
    u128::from(bytes) * u128::from(span.as_nanos())
}

/// Sum of the waits of packets before `end`, in nanoseconds: arrived, dropped, and those that still
/// wait then.
fn waits(world: &mut World, end: Time) -> u128 {
    let out = world.run(Time::from_millis(10_000_000));
    assert_eq!(world.held(), 0);
    let arrived = out.iter().map(|(.., packet)| {
        let left = packet.born() + packet.stages.spent(Stage::WiredQueue);
        clipped(packet.wire_size(), packet.born(), left, end)
    });
    let lost = world.log.lost.iter().map(|&(bytes, from, to)| clipped(bytes, from, to, end));
    arrived.sum::<u128>() + lost.sum::<u128>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 4))]

    #[test]
    fn what_a_queue_holds_is_what_its_packets_wait(
        kind in 0..KINDS, recorded: bool, rate in prop::option::of((1u64..10, 3u32..9)),
        arrivals in prop::collection::vec((0u64..3_000, 20u32..1_600, 0u8..4), 1..120),
        packets in prop::option::of(0u32..40), bytes in prop::option::of(0u64..30_000),
        loss in 0usize..3, layer2 in 0u32..40, end in 0u64..300_000,
    ) {
        let recording = Recording::parse("trace", "2\n5\n5\n10\n").expect("a recording");
        let config = LinkConfig {
            rate: rate.map(|(n, digits)| BitRate::from_bps(n * 10u64.pow(digits))),
            recording: recorded.then(|| Arc::new(recording)),
            light: None,
            delay: Duration::from_millis(3),
            queue: queue(kind, Limit { packets, bytes }),
            layer2,
            loss: [Pattern::Never, Pattern::Random(0.3), Pattern::Every(3)][loss],
            mark: Pattern::Every(2),
            ecn: EcnField::Keep,
            ecn_option: EcnOption::Keep,
        };
        let mut world = World::new(Link::new(config, Seed(1), "link"));
        let end = Time::from_nanos(end * 1_000);
        let mut now = Time::ZERO;
        for (n, &(gap, size, ecn)) in arrivals.iter().enumerate() {
            now += Duration::from_micros(gap);
            let mut packet = packet(size, now);
            (packet.number, packet.ecn) = (n as u64, Ecn::from_bits(ecn));
            world.inject(now, Port(0), packet);
        }
        let waited = waits(&mut world, end);
        prop_assert_eq!(world.log.byte_nanos(end), waited);
    }
}
