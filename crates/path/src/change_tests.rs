//! Links that change while they send.

use airpath_net::queue::{DropTail, Limit, Step, StepConfig, Threshold};
use airpath_net::{ChangeFailed, QueueChange, Stage};
use proptest::prelude::*;

use super::*;
use crate::samples::{World, packet};

fn micros(n: u64) -> Time {
    Time::from_nanos(n * 1000)
}

fn mbps(n: u64) -> Change {
    Change::Rate(Some(BitRate::from_mbps(n)))
}

/// 8 Mbit/s and 10 ms: a kilobyte takes a millisecond.
fn config(queue: QueueKind) -> LinkConfig {
    LinkConfig {
        rate: Some(BitRate::from_mbps(8)),
        delay: Duration::from_millis(10),
        queue,
        ..LinkConfig::default()
    }
}

fn queues(limit: Limit) -> [QueueKind; 2] {
    [DropTail::new(limit).into(), QueueKind::Custom(Box::new(DropTail::new(limit)))]
}

/// A world with so many kilobytes at time zero.
fn loaded(config: LinkConfig, packets: u64) -> World {
    let mut world = World::new(Link::new(config, Seed(1), "link"));
    for number in 1..=packets {
        let mut packet = packet(1000, Time::ZERO);
        (packet.number, packet.ecn) = (number, Ecn::Ect1);
        world.inject(Time::ZERO, Port(0), packet);
    }
    world
}

fn change(world: &mut World, at: Time, change: Change) {
    world.change(at, &change).expect("a change that the link takes");
}

/// Arrivals of packets, in microseconds.
fn arrivals(world: &mut World) -> Vec<u64> {
    let out = world.run(Time::from_millis(10_000));
    assert_eq!(world.held(), 0);
    for (at, _, packet) in &out {
        assert_eq!(packet.stages.total(), at.since(packet.born()), "stages sum to the delay");
    }
    out.iter().map(|(at, ..)| at.as_nanos() / 1000).collect()
}

#[test]
fn what_is_left_of_a_packet_goes_at_the_new_rate() {
    for queue in queues(Limit::NONE) {
        let mut world = loaded(config(queue), 10);
        change(&mut world, micros(3_500), mbps(4));
        assert_eq!(world.log.occupancy(micros(3_500)), (6, 6000));
        let out = world.run(Time::from_millis(100));
        // Half of the fourth is left, 500 bytes: 1 ms more. Then 2 ms for each.
        let expected =
            [11_000, 12_000, 13_000, 14_500, 16_500, 18_500, 20_500, 22_500, 24_500, 26_500];
        let times: Vec<Time> = out.iter().map(|(at, ..)| *at).collect();
        assert_eq!(times, expected.map(micros));
        let stages = |n: usize| {
            let spent = |stage| out[n].2.stages.spent(stage);
            [spent(Stage::WiredQueue), spent(Stage::Wired)].map(|span| span.as_nanos() / 1000)
        };
        assert_eq!([stages(3), stages(9)], [[3_000, 11_500], [14_500, 12_000]]);
        let waits = world.log.waits.iter().map(|wait| wait.as_nanos() / 1_000);
        let expected = [0, 1_000, 2_000, 3_000, 4_500, 6_500, 8_500, 10_500, 12_500, 14_500];
        assert_eq!(waits.collect::<Vec<u64>>(), expected);
        assert_eq!(world.log.occupancy(micros(4_500)), (5, 5000));
    }
}

#[test]
fn a_packet_that_begins_at_the_instant_of_a_change_begins_behind_it() {
    for queue in queues(Limit::NONE) {
        let mut world = loaded(config(queue), 3);
        change(&mut world, micros(1_000), mbps(80));
        change(&mut world, micros(1_000), Change::Delay(Duration::from_millis(20)));
        // The first has been sent and keeps its delay.
        assert_eq!(arrivals(&mut world), [11_000, 21_100, 21_200]);
    }
}

#[test]
fn a_link_may_lose_its_rate_and_get_one() {
    for queue in queues(Limit::NONE) {
        let mut world = loaded(config(queue), 3);
        change(&mut world, micros(500), Change::Rate(None));
        assert_eq!(arrivals(&mut world), [10_500, 10_500, 10_500]);
    }
    for queue in queues(Limit::NONE) {
        let mut world = loaded(LinkConfig { rate: None, ..config(queue) }, 3);
        change(&mut world, micros(2_000), mbps(8));
        world.inject(micros(3_000), Port(0), packet(1000, micros(3_000)));
        assert_eq!(arrivals(&mut world), [10_000, 10_000, 10_000, 14_000]);
    }
    for queue in queues(Limit::NONE) {
        // Nothing of the first has been sent.
        let rate = Some(BitRate::from_bps(0));
        let mut world = loaded(LinkConfig { rate, ..config(queue) }, 2);
        change(&mut world, micros(7_000), mbps(8));
        assert_eq!(arrivals(&mut world), [18_000, 19_000]);
    }
}

#[test]
fn nothing_overtakes_when_the_delay_falls() {
    for queue in queues(Limit::NONE) {
        let mut world = loaded(config(queue), 4);
        change(&mut world, micros(1_500), Change::Delay(Duration::from_millis(1)));
        // The second would arrive at 3 ms, and waits for the first.
        assert_eq!(arrivals(&mut world), [11_000, 11_000, 11_000, 11_000]);
    }
    let recording = Recording::parse("trace", "1\n2\n3\n4\n").expect("a recording");
    let recording = Some(Arc::new(recording));
    let mut world = loaded(LinkConfig { recording, ..config(QueueKind::default()) }, 3);
    change(&mut world, micros(1_500), Change::Delay(Duration::from_millis(1)));
    // 1500 bytes at 1 ms and at 2 ms.
    assert_eq!(arrivals(&mut world), [11_000, 11_000, 11_000]);
}

#[test]
fn a_period_begins_anew_and_goes_on_where_another_thing_changes() {
    for queue in queues(Limit::NONE) {
        let loss = Pattern::Every(3);
        let mut world = loaded(LinkConfig { loss, ..config(queue) }, 9);
        // Behind the second, which counts.
        change(&mut world, micros(1_500), mbps(4));
        let out = world.run(Time::from_millis(100));
        let numbers: Vec<u64> = out.iter().map(|(.., packet)| packet.number).collect();
        assert_eq!(numbers, [1, 2, 4, 5, 7, 8]);
    }
    for queue in queues(Limit::NONE) {
        let mark = Pattern::Every(3);
        let mut world = loaded(LinkConfig { mark, ..config(queue) }, 9);
        change(&mut world, micros(1_500), Change::Mark(Pattern::Every(2)));
        change(&mut world, micros(6_500), Change::Loss(Pattern::Random(1.0)));
        let out = world.run(Time::from_millis(100));
        let marked = out.iter().filter(|(.., packet)| packet.ecn == Ecn::Ce);
        let marked: Vec<u64> = marked.map(|(.., packet)| packet.number).collect();
        assert_eq!((out.len(), marked), (7, vec![4, 6]));
        assert_eq!(
            world.log.drops,
            [(micros(18_000), DropCause::RandomLoss), (micros(19_000), DropCause::RandomLoss)]
        );
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refusal = |config: LinkConfig, change: Change| {
        let mut world = loaded(config, 1);
        match world.change(micros(500), &change) {
            Err(ChangeFailed::Refused { node, why }) => format!("{node} {why}"),
            other => format!("{other:?}"),
        }
    };
    let recording = || {
        let recording = Recording::parse("trace", "1\n").expect("a recording");
        LinkConfig { recording: Some(Arc::new(recording)), ..LinkConfig::default() }
    };
    let plain = || config(QueueKind::default());
    assert_eq!(refusal(recording(), mbps(1)), "node has recorded capacity, which is its rate");
    let zero = Change::Rate(Some(BitRate::from_bps(0)));
    assert_eq!(refusal(plain(), zero), "node cannot have a rate of zero");
    let off = Change::Queue(QueueChange::Marking(false));
    assert_eq!(refusal(plain(), off.clone()), "node has a drop-tail queue, which marks nothing");
    let step = || config(QueueKind::Step(Step::new(StepConfig::default())));
    let low = Change::Queue(QueueChange::Low(Duration::ZERO));
    assert_eq!(refusal(step(), low), "node has a queue without a ramp");
    assert_eq!(refusal(step(), Change::Active(true)), "node is a link");
    assert_eq!(refusal(step(), off), "Ok(())");
}

#[test]
fn a_queue_in_front_of_a_link_changes() {
    let threshold = Threshold::Delay(Duration::from_millis(1));
    let step = StepConfig { threshold, ..StepConfig::default() };
    let mut world = loaded(config(QueueKind::Step(Step::new(step))), 10);
    change(&mut world, micros(3_500), Change::Queue(QueueChange::Marking(false)));
    change(&mut world, micros(5_500), Change::Queue(QueueChange::Marking(true)));
    let threshold = Threshold::Delay(Duration::from_millis(8));
    change(&mut world, micros(6_500), Change::Queue(QueueChange::Threshold(threshold)));
    let out = world.run(Time::from_millis(100));
    let marked = out.iter().filter(|(.., packet)| packet.ecn == Ecn::Ce);
    let marked: Vec<u64> = marked.map(|(.., packet)| packet.number).collect();
    // Waits are 0 to 9 ms. Those of the third and fourth packet are above 1 ms, and that of the
    // tenth is above 8 ms. That of the seventh is marked because marking is on again.
    assert_eq!(marked, [3, 4, 7, 10]);
}

/// Rates in Mbit/s by the time in nanoseconds from when on they count, the first from zero.
type Course = Vec<(u64, u64)>;

/// Ends of transmission, in nanoseconds, of packets by their times of arrival and bytes. They
/// follow from the work that the rates do, in bits times 10^9.
fn sent(arrivals: &[(u64, u32)], rates: &Course) -> Vec<u64> {
    let mut free = 0;
    let one = |&(at, bytes): &(u64, u32)| {
        let mut now = free.max(at);
        let mut work = u128::from(bytes) * 8 * 1_000_000_000;
        loop {
            let n = rates.iter().rposition(|(from, _)| *from <= now).expect("a first rate");
            let rate = u128::from(rates[n].1) * 1_000_000;
            let end = rates.get(n + 1).map_or(u64::MAX, |(from, _)| *from);
            let most = rate * u128::from(end - now);
            if most >= work {
                now += u64::try_from(work.div_ceil(rate)).expect("a time");
                break;
            }
            (work, now) = (work - most, end);
        }
        free = now;
        now
    };
    arrivals.iter().map(one).collect()
}

#[derive(Clone, Debug)]
enum Act {
    Packet(u32),
    Rate(u64),
    Delay(u64),
}

fn steps() -> impl Strategy<Value = Vec<(u64, Act)>> {
    let step = prop_oneof![
        6 => (1u32..6).prop_map(Act::Packet),
        1 => (1u64..9).prop_map(Act::Rate),
        1 => (0u64..9).prop_map(Act::Delay),
    ];
    prop::collection::vec((0u64..5, step), 1..120)
}

proptest! {
    #[test]
    fn changes_neither_lose_nor_reorder_nor_waste(
        steps in steps(), limit in prop::option::of(0u32..5), coarse: bool,
        loss in 0usize..2,
    ) {
        let (grid, size) = if coarse { (250, 250) } else { (233, 249) };
        let limit = Limit { packets: limit, bytes: None };
        let [ahead, when_due] = queues(limit).map(|queue| {
            let loss = [Pattern::Never, Pattern::Every(3)][loss];
            let config = LinkConfig { loss, mark: Pattern::Every(2), ..config(queue) };
            let mut world = World::new(Link::new(config, Seed(1), "link"));
            let (mut now, mut number) = (0, 0);
            for (gap, step) in &steps {
                now += gap * grid;
                let at = micros(now);
                match step {
                    Act::Packet(n) => {
                        let mut packet = packet(n * size, at);
                        (packet.number, packet.ecn) = (number, Ecn::Ect1);
                        world.inject(at, Port(0), packet);
                        number += 1;
                    }
                    // Between the instants at which packets come.
                    Act::Rate(rate) => change(&mut world, at + Duration::from_nanos(500), mbps(*rate)),
                    Act::Delay(n) => {
                        let delay = Duration::from_micros(n * 700);
                        change(&mut world, at + Duration::from_nanos(500), Change::Delay(delay));
                    }
                }
                now += 1;
            }
            let out = world.run(Time::from_millis(100_000));
            let out: Vec<_> = out.into_iter().map(|(at, _, packet)| {
                assert_eq!(packet.stages.total(), at.since(packet.born()));
                (at, packet.number, packet.stages.clone(), packet.ecn)
            }).collect();
            assert_eq!(world.held(), 0);
            (out, world.log)
        });
        prop_assert_eq!(&ahead.0, &when_due.0);
        prop_assert_eq!(&ahead.1.waits, &when_due.1.waits);
        prop_assert_eq!(ahead.1.changes(), when_due.1.changes());
        let times = ahead.0.iter().map(|(at, number, ..)| (*at, *number));
        prop_assert!(times.is_sorted(), "in order");
        if limit.packets.is_none() && loss == 0 {
            let (arrivals, rates) = plan(&steps, grid, size);
            let sent = sent(&arrivals, &rates);
            prop_assert_eq!(ahead.0.len(), sent.len());
            let begun = ahead.1.waits.iter().zip(&arrivals);
            let begun = begun.map(|(wait, (at, _))| at + wait.as_nanos());
            let before = core::iter::once(0).chain(sent.iter().copied());
            for ((begun, (at, _)), before) in begun.zip(&arrivals).zip(before) {
                let expected = before.max(*at);
                // The remaining work is rounded to whole nanoseconds at each change.
                prop_assert!(begun.abs_diff(expected) <= 10 * rates.len() as u64);
            }
        }
    }
}

/// Arrivals of packets, and the course of the rate.
fn plan(steps: &[(u64, Act)], grid: u64, size: u32) -> (Vec<(u64, u32)>, Course) {
    let (mut now, mut arrivals, mut rates) = (0, Vec::new(), vec![(0, 8)]);
    for (gap, step) in steps {
        now += gap * grid;
        match step {
            Act::Packet(n) => arrivals.push((now * 1000, n * size)),
            Act::Rate(rate) => rates.push((now * 1000 + 500, *rate)),
            Act::Delay(_) => {}
        }
        now += 1;
    }
    (arrivals, rates)
}
