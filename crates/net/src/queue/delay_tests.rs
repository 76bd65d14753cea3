use airpath_base::BitRate;
use airpath_wire::Ecn;

use super::*;
use crate::queue::samples::{Wire, millis, ms, packet, stream};

fn queue(config: DelayConfig) -> DelayQueue {
    DelayQueue::new(config, stream("ramp"))
}

#[test]
fn marks_reach_the_probability_at_either_end() {
    // 8.8 ms in the queue all the time: p settles at 0.76.
    for end in [End::Head, End::Tail] {
        let config = DelayConfig { end, ..DelayConfig::default() };
        let mut wire = Wire::new(queue(config), BitRate::from_mbps(10));
        (0..12).for_each(|n| wire.arrive(Time::ZERO, packet(1, n, 1000, Ecn::Ect1)));
        wire.load(Time::ZERO, ms(20_000), BitRate::from_mbps(10), Ecn::Ect1);
        let (drops, marks) = wire.signals(ms(1_000));
        let expected = wire.queue.probability();
        assert!((marks - expected).abs() < 0.02 && expected > 0.5, "{marks} {expected}");
        assert_eq!(drops, 0.0);
    }
}

#[test]
fn what_is_not_ecn_capable_passes_unless_it_is_to_be_dropped() {
    let run = |drop_not_ect| {
        let config = DelayConfig { drop_not_ect, ..DelayConfig::default() };
        let mut wire = Wire::new(queue(config), BitRate::from_mbps(8));
        wire.load(Time::ZERO, ms(1_000), BitRate::from_mbps(10), Ecn::NotEct);
        assert!(wire.log.marks.is_empty());
        wire.log.drops.len()
    };
    assert_eq!(run(false), 0);
    assert!(run(true) > 100);
}

/// Twenty packets, one each 50 ms, none of which can be sent before `until`.
fn stalled(age: AgeConfig, until: u64) -> Wire<DelayQueue> {
    let config = DelayConfig { ramp: None, age: Some(age), ..DelayConfig::default() };
    let mut bench = crate::testing::Bench::new();
    let mut queue = queue(config);
    for n in 0..20 {
        queue.enqueue(ms(50 * n), packet(1, n, 1000, Ecn::NotEct), &mut bench.cx(ms(50 * n)));
    }
    let mut wire = Wire::new(queue, BitRate::from_mbps(8));
    wire.stall(ms(until));
    wire
}

#[test]
fn all_that_is_too_old_goes_and_one_of_those_that_are_old() {
    let mut wire = stalled(AgeConfig::default(), 1_000);
    wire.run(Time::from_nanos(1_000_500_000));
    // Older than 500 ms at 1 s: those of 0 to 450 ms; then the one of 500 ms, older
    // than 100 ms; the one of 550 ms is sent.
    assert_eq!(
        wire.log.drops.iter().map(|drop| drop.2).collect::<Vec<_>>(),
        (0..=10).collect::<Vec<_>>()
    );
    assert_eq!(wire.sent.len(), 1);
    assert_eq!(wire.sent[0].1.number, 11);
    // At 1001 ms those of 600 and 650 ms, and so on, one dropped and one sent.
    wire.run(ms(1_002));
    assert_eq!((wire.log.drops[11].2, wire.sent[1].1.number), (12, 13));
}

#[test]
fn single_drops_may_keep_a_distance() {
    let age = AgeConfig { spacing: millis(100), ..AgeConfig::default() };
    let mut wire = stalled(age, 1_000);
    wire.run(ms(1_006));
    assert_eq!(wire.log.drops.len(), 11);
    assert_eq!(wire.sent.len(), 6);
}

#[test]
fn young_packets_are_spared() {
    let config =
        DelayConfig { age: Some(AgeConfig::default()), ramp: None, ..DelayConfig::default() };
    let mut wire = Wire::new(queue(config), BitRate::from_mbps(8));
    (0..101).for_each(|n| wire.arrive(Time::ZERO, packet(1, n, 1000, Ecn::NotEct)));
    wire.run(ms(1_000));
    // The 101st waits 100 ms, which is not above 100 ms.
    assert_eq!(wire.sent.len(), 101);
}

#[test]
fn a_ramp_can_be_switched_off_and_moved() {
    let changed = |changes: &[QueueChange]| {
        let mut queue = queue(DelayConfig::default());
        for change in changes {
            queue.change(Time::ZERO, *change).expect("a ramp has that");
        }
        let mut wire = Wire::new(queue, BitRate::from_mbps(10));
        (0..12).for_each(|n| wire.arrive(Time::ZERO, packet(1, n, 1000, Ecn::Ect1)));
        wire.load(Time::ZERO, ms(5_000), BitRate::from_mbps(10), Ecn::Ect1);
        (wire.queue.probability(), wire.log.marks.len())
    };
    let (probability, marks) = changed(&[QueueChange::Marking(false)]);
    assert!(probability > 0.5 && marks == 0, "{probability}, {marks}");
    assert!(changed(&[QueueChange::Marking(false), QueueChange::Marking(true)]).1 > 1_000);
    // 8.8 to 9.3 ms in the queue: below a ramp from 10 ms, above one that ends at 8 ms.
    let [low, high] = [10, 18].map(millis);
    assert_eq!(changed(&[QueueChange::Low(low), QueueChange::High(high)]), (0.0, 0));
    assert_eq!(changed(&[QueueChange::High(millis(8))]).0, 1.0);
    let age = DelayConfig { ramp: None, ..DelayConfig::default() };
    let refused = queue(age).change(Time::ZERO, QueueChange::Low(low)).expect_err("no ramp");
    assert_eq!(refused.to_string(), "has a queue without a ramp");
}
