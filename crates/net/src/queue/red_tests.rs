use airpath_base::{BitRate, Bytes};
use airpath_wire::Ecn;

use super::*;
use crate::queue::samples::{Wire, ms, packet, stream};
use crate::testing::Bench;

fn red(config: RedConfig) -> Red {
    Red::new(config, stream("red"))
}

#[test]
fn the_average_follows_the_queue_by_its_weight() {
    // Nine packets arrive at 0, and the average sees queues of 1 to 8 behind the first. After n of
    // them it is 0.002 * sum of k 0.998^(n-k), here computed by hand for 8.
    let mut queue = red(RedConfig::default());
    let mut bench = Bench::new();
    for n in 0..9 {
        queue.enqueue(Time::ZERO, packet(1, n, 100, Ecn::Ect0), &mut bench.cx(Time::ZERO));
    }
    let expected: f64 = (1..=8).map(|k| 0.002 * f64::from(k) * 0.998_f64.powi(8 - k)).sum();
    assert!((queue.average() - expected).abs() < 1e-12);
    assert!((expected - 0.071_666).abs() < 1e-3);
}

#[test]
fn the_average_decays_in_idle_times_by_packets_that_could_have_left() {
    let mut queue = red(RedConfig::default());
    let mut bench = Bench::new();
    (0..3).for_each(|n| queue.enqueue(ms(0), packet(1, n, 100, Ecn::Ect0), &mut bench.cx(ms(0))));
    // One leaves each 2 ms; the queue is empty at 4 ms.
    (0..3).for_each(|n| drop(queue.dequeue(ms(2 * n), &mut bench.cx(ms(2 * n)))));
    queue.average = 4.0;
    queue.enqueue(ms(104), packet(1, 9, 100, Ecn::Ect0), &mut bench.cx(ms(104)));
    // 100 ms are 50 packets of 2 ms: 4 * 0.998^50.
    assert!((queue.average() - 4.0 * 0.998_f64.powi(50)).abs() < 1e-9);
}

#[test]
fn the_probability_rises_as_the_paper_has_it() {
    let config = RedConfig::default();
    assert_eq!(config.probability(4.9), Some(0.0));
    assert_eq!(config.probability(10.0), Some(0.05));
    assert_eq!(config.probability(15.0), Some(0.1));
    // Gentle: from 0.1 at 15 to 1 at 30.
    assert!((config.probability(22.5).unwrap() - 0.55).abs() < 1e-12);
    assert_eq!(config.probability(30.0), None);
    assert_eq!(RedConfig { gentle: false, ..config }.probability(15.0), None);
}

#[test]
fn distances_of_signals_are_uniform() {
    // p_a = p_b / (1 - count p_b) with count 1 for the first packet after a signal (Floyd and
    // Jacobson, 7). With p_b = 0.05 distances lie uniformly in 1..=19. Their mean is 10, and none
    // is longer.
    let mut queue = red(RedConfig::default());
    queue.average = 10.0;
    let (mut gap, mut gaps) = (0, Vec::new());
    while gaps.len() < 20_000 {
        gap += 1;
        if queue.verdict() == Verdict::Signal {
            gaps.push(gap);
            gap = 0;
        }
    }
    let mean = gaps[1..].iter().sum::<u32>() as f64 / (gaps.len() - 1) as f64;
    assert!((mean - 10.0).abs() < 0.2, "{mean}");
    assert!(gaps[1..].iter().all(|gap| *gap <= 19));
}

#[test]
fn beyond_the_last_threshold_marks_give_way_to_drops() {
    let config = RedConfig { weight: 1.0, limit: Limit::NONE, ..RedConfig::default() };
    let mut wire = Wire::new(red(config), BitRate::from_mbps(8));
    // Three times the rate: the queue stays near 30 packets, everything above goes.
    wire.load(ms(0), ms(2_000), BitRate::from_mbps(24), Ecn::Ect0);
    let (drops, marks) = wire.signals(ms(500));
    assert!((drops - 2.0 / 3.0).abs() < 0.02, "{drops}");
    assert!(marks > 0.2, "{marks}");
    assert!(wire.queue.packets() <= 31);
}

#[test]
fn lengths_may_be_counted_in_bytes() {
    let config = RedConfig {
        weight: 0.5,
        min: Length::Bytes(Bytes(5_000)),
        max: Length::Bytes(Bytes(15_000)),
        ..RedConfig::default()
    };
    let mut queue = red(config);
    let mut bench = Bench::new();
    for n in 0..3 {
        queue.enqueue(Time::ZERO, packet(1, n, 600, Ecn::Ect0), &mut bench.cx(Time::ZERO));
    }
    // 0, then 300, then 300 + (1200 - 300) / 2.
    assert_eq!(queue.average(), 750.0);
}
