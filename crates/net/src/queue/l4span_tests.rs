use airpath_base::BitRate;

use super::*;
use crate::queue::samples::{Wire, millis, ms, packet, stream};
use crate::testing::Bench;

fn queue(config: L4SpanConfig) -> L4Span {
    L4Span::new(config, stream("l4span"))
}

/// A queue from which `sizes[n]` bytes leave at `n` ms while `waiting` packets of 1000 bytes
/// stay behind, and its probabilities after that.
fn after(sizes: &[u32], waiting: u64) -> (f64, f64) {
    let (mut queue, mut bench) = (queue(L4SpanConfig::default()), Bench::new());
    let cx = &mut bench.cx(Time::ZERO);
    let leave = sizes.iter().map(|size| packet(1, 0, *size, Ecn::Ect1));
    leave.for_each(|packet| queue.enqueue(Time::ZERO, packet, cx));
    (0..waiting).for_each(|n| queue.enqueue(Time::ZERO, packet(1, n, 1000, Ecn::Ect1), cx));
    (0..sizes.len()).for_each(|n| drop(queue.dequeue(ms(n as u64), cx)));
    queue.catch_up(ms(sizes.len() as u64));
    queue.probabilities()
}

#[test]
fn the_rate_needed_is_compared_with_the_mean_rate_by_its_deviation() {
    // 500 and 1500 bytes in turn, one each ms: mean 1 MB/s, deviation 0.5 MB/s. To empty 10 kB
    // in 10 ms takes 1 MB/s, 12.5 kB 1.25 MB/s, 16 kB more than both together.
    let mut sizes = [500, 1500].repeat(30);
    sizes.insert(0, 700);
    let l4s = |waiting| after(&sizes, waiting).0;
    assert_eq!([4, 5, 10, 15, 16].map(l4s), [0.0, 0.0, 0.5, 1.0, 1.0]);
    assert!((l4s(12) - 0.7).abs() < 1e-12);
    // Of these 60 rates the last 50 count: ten of 3 MB/s at the beginning do not.
    let mut early = vec![700];
    early.extend([3000; 10]);
    early.extend([500, 1500].repeat(25));
    assert_eq!(after(&early, 10).0, 0.5);
}

#[test]
fn without_deviation_it_is_a_step() {
    let l4s = |waiting| after(&[1000; 20], waiting).0;
    assert_eq!([9, 10, 11].map(l4s), [0.0, 0.0, 1.0]);
}

#[test]
fn nothing_is_marked_before_a_rate_is_known() {
    assert_eq!(after(&[], 50), (0.0, 0.0));
    assert_eq!(after(&[1000], 50).0, 0.0);
}

#[test]
fn a_long_queue_marks_classic_packets_by_the_square_of_its_bytes() {
    let classic = |bytes| L4SpanConfig::default().classic(bytes);
    // (10220 / 300000)^2 and (10220 / 450000)^2.
    assert_eq!([0, 225_000].map(classic), [0.0, 0.0]);
    assert!((classic(300_000) - 0.001_160_537_8).abs() < 1e-9);
    assert!((classic(450_000) - 0.000_515_794_6).abs() < 1e-9);
    assert_eq!(
        L4SpanConfig { long_queue: Bytes(0), ..L4SpanConfig::default() }.classic(5_000),
        1.0
    );
}

#[test]
fn what_leaves_within_a_millisecond_is_one_rate() {
    let (mut queue, mut bench) = (queue(L4SpanConfig::default()), Bench::new());
    let cx = &mut bench.cx(Time::ZERO);
    (0..9).for_each(|n| queue.enqueue(Time::ZERO, packet(1, n, 1000, Ecn::Ect1), cx));
    // One each 0.5 ms, and at once with that at 1 ms another: 3 kB in the first ms, then 2 kB.
    for micros in [0, 500, 1_000, 1_000, 1_500, 2_000, 2_500] {
        drop(queue.dequeue(Time::ZERO + Duration::from_micros(micros), cx));
    }
    queue.catch_up(ms(3));
    assert_eq!(queue.departures.rates, [3e6, 3e6, 3e6, 2e6, 2e6]);
    assert_eq!((queue.departures.bytes, queue.departures.packets), (1000, 1));
}

#[test]
fn each_code_point_has_its_rule() {
    let run = |ecn, drop_not_ect| {
        let config =
            L4SpanConfig { drop_not_ect, long_queue: Bytes(2_000), ..L4SpanConfig::default() };
        let mut wire = Wire::new(queue(config), BitRate::from_mbps(8));
        wire.load(Time::ZERO, ms(1_000), BitRate::from_mbps(10), ecn);
        (wire.log.marks.len(), wire.log.drops.len())
    };
    // The queue grows to 250 kB; more than 10 kB wait from 50 ms on.
    let (marks, drops) = run(Ecn::Ect1, true);
    assert!(marks > 1_100 && drops == 0, "{marks} {drops}");
    let (marks, drops) = run(Ecn::Ect0, true);
    assert!((20..400).contains(&marks) && drops == 0, "{marks} {drops}");
    assert_eq!(run(Ecn::NotEct, false), (0, 0));
    let (marks, drops) = run(Ecn::NotEct, true);
    assert!(marks == 0 && drops > 20, "{marks} {drops}");
    assert_eq!(run(Ecn::Ce, true), (0, 0));
    assert_eq!(L4SpanConfig::default().target, millis(10));
}

#[test]
fn marking_can_be_switched_and_the_target_moved() {
    let (mut queue, mut bench) = (queue(L4SpanConfig::default()), Bench::new());
    let cx = &mut bench.cx(Time::ZERO);
    (0..40).for_each(|n| queue.enqueue(Time::ZERO, packet(1, n, 1000, Ecn::Ect1), cx));
    // Ten leave, one each ms: 29 kB wait, and 1 MB/s is enough in 29 ms and more.
    let leave = |queue: &mut L4Span, from: u64, bench: &mut Bench| {
        (from..from + 10).for_each(|n| drop(queue.dequeue(ms(n), &mut bench.cx(ms(n)))));
        queue.catch_up(ms(from + 10));
        queue.probabilities().0
    };
    assert_eq!(leave(&mut queue, 0, &mut bench), 1.0);
    queue.change(ms(10), QueueChange::Marking(false)).expect("it marks");
    let marks = |queue: &mut L4Span, bench: &mut Bench| {
        let cx = &mut bench.cx(ms(10));
        let packet = queue.signalled(packet(1, 0, 1000, Ecn::Ect1), cx);
        packet.is_some_and(|packet| packet.ecn == Ecn::Ce)
    };
    assert!(!marks(&mut queue, &mut bench));
    queue.change(ms(10), QueueChange::Marking(true)).expect("it marks");
    assert!(marks(&mut queue, &mut bench));
    queue.change(ms(10), QueueChange::Target(millis(30))).expect("a target");
    assert_eq!(leave(&mut queue, 10, &mut bench), 0.0);
    let refused = queue.change(ms(20), QueueChange::High(millis(1))).expect_err("no ramp");
    assert_eq!(refused.to_string(), "has a queue without a ramp");
}
