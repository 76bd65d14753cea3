use airpath_base::BitRate;
use airpath_wire::Ecn;
use proptest::prelude::*;

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
fn one_drop_for_each_rise_above_the_lower_age() {
    // Thresholds of 100 and 500 ms. Calls in ms: some arrive (positive) or one is to be sent (0).
    let calls: &[(u64, u64)] = &[
        (0, 2), // packets 0 and 1
        (450, 4),
        (560, 0), // 0 and 1, above 500 ms, go; 2, of 110 ms, is dropped, and 3 is sent
        (565, 0), // 4, of 115 ms, is sent: no age has been at or below 100 ms
        (570, 1), // packet 6
        (580, 0), // 5, of 130 ms, is sent, and 6 is the oldest at 10 ms
        (670, 0), // 6, of 100 ms, is not above it
        (700, 2), // packets 7 and 8, to an empty queue
        (750, 2),
        (801, 0), // 7, of 101 ms, is dropped, and 8 is sent; 9 is the oldest at 51 ms
        (850, 0), // 9, of 100 ms, is sent; 10 is as old
        (851, 1), // packet 11
        (960, 0), // 10, of 210 ms, is dropped: it was the oldest at 100 ms; 11 is sent
    ];
    let age = AgeConfig { again: Some(Again::Below), ..AgeConfig::default() };
    let mut queue = queue(DelayConfig { ramp: None, age: Some(age), ..DelayConfig::default() });
    let (mut bench, mut log) =
        (crate::testing::Bench::new(), crate::queue::samples::Log::default());
    let (mut number, mut sent) = (0, Vec::new());
    for &(at, arriving) in calls {
        let cx = &mut bench.cx_watched(ms(at), &mut log);
        for _ in 0..arriving {
            queue.enqueue(ms(at), packet(1, number, 1000, Ecn::NotEct), cx);
            number += 1;
        }
        if arriving == 0 {
            sent.extend(queue.dequeue(ms(at), cx).map(|packet| packet.number));
        }
    }
    let dropped: Vec<u64> = log.drops.iter().map(|drop| drop.2).collect();
    assert_eq!((dropped, sent), (vec![0, 1, 2, 7, 10], vec![3, 4, 5, 6, 8, 9, 11]));
}

#[test]
fn packets_of_a_discard_timer_end_a_rise() {
    let age = AgeConfig { again: Some(Again::Below), ..AgeConfig::default() };
    let mut queue = queue(DelayConfig { ramp: None, age: Some(age), ..DelayConfig::default() });
    let mut bench = crate::testing::Bench::new();
    for (number, at) in [0, 0, 0, 250, 250, 360].into_iter().enumerate() {
        let packet = packet(1, number as u64, 1000, Ecn::NotEct);
        queue.enqueue(ms(at), packet, &mut bench.cx(ms(at)));
    }
    let mut next = |at, discard| {
        let cx = &mut bench.cx(ms(at));
        if discard {
            queue.discard(ms(at), millis(300), cx);
        }
        queue.dequeue(ms(at), cx).map(|packet| packet.number)
    };
    // At 290 ms packet 0 is dropped. At 380 ms the timer takes 2, and 3, of 130 ms, is spared.
    assert_eq!((next(290, false), next(380, true)), (Some(1), Some(3)));
    // Packet 4 is sent by then. Packet 5 was the oldest at 21 ms, and is dropped.
    assert_eq!((next(381, false), next(480, false)), (Some(4), None));
}

proptest! {
    /// Times are whole milliseconds, so that the age of the oldest packet can be read at each.
    #[test]
    fn drops_of_one_packet_are_the_rises_above_the_lower_age(
        calls in prop::collection::vec((0..12u64, any::<bool>()), 1..300),
        all in prop_oneof![Just(1 << 40), 26..60u64],
    ) {
        let again = Some(Again::Below);
        let age = AgeConfig { one: millis(25), all: millis(all), again, ..AgeConfig::default() };
        let mut queue = queue(DelayConfig { ramp: None, age: Some(age), ..DelayConfig::default() });
        let (mut bench, mut log) = (crate::testing::Bench::new(), crate::queue::samples::Log::default());
        let (mut now, mut above, mut rises, mut since) = (0, false, 0, Vec::new());
        for (gap, sends) in calls.into_iter().chain([(30, true)]) {
            let end = now + gap;
            while now < end {
                now += 1;
                let is = queue.oldest().is_some_and(|since| ms(now).since(since) > millis(25));
                rises += usize::from(is && !std::mem::replace(&mut above, is));
            }
            let cx = &mut bench.cx_watched(ms(now), &mut log);
            if sends {
                let sent = queue.dequeue(ms(now), cx).map(|packet| since[packet.number as usize]);
                prop_assert!(sent.is_none_or(|since| now - since <= all));
            } else {
                queue.enqueue(ms(now), packet(1, since.len() as u64, 1000, Ecn::NotEct), cx);
                since.push(now);
            }
            above = queue.oldest().is_some_and(|since| ms(now).since(since) > millis(25));
        }
        let waited = |&(at, _, number): &(Time, DropCause, u64)| at.since(ms(since[number as usize]));
        let single = log.drops.iter().filter(|drop| waited(drop) <= millis(all)).count();
        prop_assert!(log.drops.iter().all(|drop| waited(drop) > millis(25)));
        // A rise may go beyond the upper age before a packet is to be sent.
        prop_assert!(if all > 60 { single == rises } else { single <= rises }, "{single} {rises}");
    }
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
