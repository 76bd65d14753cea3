use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{BitRate, Duration};
use airpath_wire::Ecn;
use proptest::prelude::*;

use super::samples::{Wire, packet, stream};
use super::*;

const LIMIT: Limit = Limit { packets: Some(40), bytes: Some(30_000) };

/// Every queue, with little room and quick to react.
pub(super) fn every() -> Vec<QueueKind> {
    let (limit, quick) = (LIMIT, Duration::from_millis(2));
    let codel = CodelConfig { target: quick, interval: quick * 4, limit, ecn: true };
    let fq =
        FqCodelConfig { target: quick, interval: quick * 4, limit, flows: 4, ..Default::default() };
    let pie = PieConfig {
        target: quick,
        update: quick,
        burst: quick,
        limit,
        beta: 50.0,
        ..Default::default()
    };
    let red = RedConfig { weight: 0.2, limit, ..Default::default() };
    let pi2 = Pi2Config { target: quick, update: quick, alpha: 10.0, beta: 50.0 };
    let dual = DualPi2Config { pi2, limit, ..Default::default() };
    let shifted = DualPi2Config {
        scheduler: DualScheduler::TimeShifted(quick * 2),
        native: NativeAqm::Step(quick),
        chance: Chance::Random,
        ..dual
    };
    let ramp =
        RampConfig { low: quick, high: quick * 3, update: quick, alpha: 0.5, free_above: None };
    let ramp = Some(ramp);
    let age = Some(AgeConfig { one: quick * 4, all: quick * 8, ..AgeConfig::default() });
    let delay = |end, drop_not_ect| DelayConfig { ramp, end, drop_not_ect, age, limit };
    let span = |drop_not_ect| L4SpanConfig {
        target: quick,
        window: 10,
        long_queue: airpath_base::Bytes(3_000),
        drop_not_ect,
        limit,
    };
    let dual_pi2 = |config| {
        let queue = DualPi2::new(config, [stream("l"), stream("c")], Seed(1).keyed("salt"));
        QueueKind::DualPi2(Box::new(queue))
    };
    let step = |threshold| QueueKind::Step(Step::new(StepConfig { threshold, limit }));
    vec![
        DropTail::new(limit).into(),
        QueueKind::Codel(Box::new(Codel::new(codel))),
        QueueKind::FqCodel(Box::new(FqCodel::new(fq, Seed(1).keyed("salt")))),
        QueueKind::Pie(Box::new(Pie::new(pie, stream("pie")))),
        QueueKind::Red(Box::new(Red::new(red, stream("red")))),
        dual_pi2(dual),
        dual_pi2(shifted),
        step(Threshold::Delay(quick)),
        step(Threshold::Packets(5)),
        step(Threshold::Bytes(5_000)),
        QueueKind::Delay(Box::new(DelayQueue::new(delay(End::Head, true), stream("ramp")))),
        QueueKind::Delay(Box::new(DelayQueue::new(delay(End::Tail, false), stream("ramp")))),
        QueueKind::L4Span(Box::new(L4Span::new(span(false), stream("l4span")))),
        QueueKind::L4Span(Box::new(L4Span::new(span(true), stream("l4span")))),
        QueueKind::Custom(Box::new(DropTail::new(limit))),
    ]
}

#[derive(Clone, Debug)]
struct Arrival {
    gap: u64,
    flow: u16,
    size: u32,
    ecn: Ecn,
}

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let gap = prop_oneof![8 => 0u64..2_000, 1 => 0u64..100_000];
    let one = (gap, 1u16..5, 20u32..1_600, 0u8..4);
    // A flow keeps its ECN field, as a sender would: otherwise its packets part.
    let one = one.prop_map(|(gap, flow, size, _)| {
        let ecn = Ecn::from_bits((flow % 4) as u8);
        Arrival { gap, flow, size, ecn }
    });
    prop::collection::vec(one, 0..250)
}

/// The ECN field before and after of each packet that was sent, by flow and number.
fn check(queue: QueueKind, arrivals: &[Arrival]) -> Result<(), TestCaseError> {
    let mut wire = Wire::new(queue, BitRate::from_mbps(8));
    let (mut now, mut before) = (Time::ZERO, BTreeMap::new());
    for (n, arrival) in arrivals.iter().enumerate() {
        now += Duration::from_micros(arrival.gap);
        before.insert(n as u64, arrival.ecn);
        wire.arrive(now, packet(arrival.flow, n as u64, arrival.size, arrival.ecn));
        let out = wire.sent.len() + wire.log.drops.len();
        prop_assert_eq!(out + wire.queue.packets() as usize, n + 1, "conservation");
        prop_assert_eq!(wire.queue.held().packets, u64::from(wire.queue.packets()));
        prop_assert_eq!(wire.queue.held().bytes, wire.queue.bytes());
        let (packets, bytes) = (wire.queue.packets(), wire.queue.bytes());
        prop_assert!(packets <= 40 && bytes <= 30_000, "a limit holds");
        prop_assert_eq!(wire.queue.next_wake(), None);
    }
    wire.run(now + Duration::from_secs(10));
    prop_assert_eq!((wire.queue.packets(), wire.queue.bytes()), (0, 0), "empties");
    let mut last = BTreeMap::new();
    for (_, packet) in &wire.sent {
        let before = before[&packet.number];
        let marked = packet.ecn == Ecn::Ce && before.is_capable();
        prop_assert!(packet.ecn == before || marked, "{:?} became {:?}", before, packet.ecn);
        let latest = last.insert(packet.tuple.src.port, packet.number);
        prop_assert!(latest < Some(packet.number), "in order within a flow");
    }
    let marked = |(_, from, _): &(Time, Ecn, u64)| matches!(from, Ecn::Ect0 | Ecn::Ect1);
    prop_assert!(wire.log.marks.iter().all(marked), "only what was ECN-capable is marked");
    Ok(())
}

proptest! {
    #[test]
    fn every_queue_conserves_keeps_order_and_empties(arrivals in arrivals()) {
        for queue in every() {
            check(queue, &arrivals)?;
        }
    }
}

#[test]
fn each_queue_signals_under_overload_what_it_should() {
    for (n, queue) in every().into_iter().enumerate() {
        let name = format!("{n} {queue:?}");
        let drop_tail = name.ends_with("DropTail") || name.ends_with("Custom");
        let mut wire = Wire::new(queue, BitRate::from_mbps(8));
        wire.load(Time::ZERO, Time::from_millis(1_000), BitRate::from_mbps(10), Ecn::Ect1);
        assert_eq!(wire.log.marks.is_empty(), drop_tail, "{name}");
    }
}

#[test]
fn the_same_seed_gives_the_same_marks() {
    let run = || {
        every().into_iter().map(|queue| {
            let mut wire = Wire::new(queue, BitRate::from_mbps(8));
            wire.load(Time::ZERO, Time::from_millis(300), BitRate::from_mbps(9), Ecn::Ect0);
            (wire.log.marks, wire.log.drops)
        })
    };
    assert!(run().eq(run()));
}
