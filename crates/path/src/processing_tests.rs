use super::*;
use crate::samples::{World, packet};

const MS: Duration = Duration::from_millis(1);

/// Delays of packets that come a second apart, in ms, in ascending order.
fn delays(time: ProcessingTime, count: u64) -> Vec<f64> {
    let mut world = World::new(Processing::new(&[time], &[], Seed(3), "gNB"));
    for n in 0..count {
        let at = Time::ZERO + Duration::from_secs(n);
        world.inject(at, Processing::OUTER, packet(100, at));
    }
    let out = world.run(Time::MAX);
    let mut delays: Vec<f64> =
        out.iter().map(|(at, _, packet)| at.since(packet.born()).as_secs_f64() * 1e3).collect();
    assert_eq!(delays.len() as u64, count);
    delays.sort_by(f64::total_cmp);
    delays
}

#[test]
fn quartiles_are_those_of_the_distribution() {
    // 20 000 draws: the error of a quartile is below 2% of these.
    let cases = [
        (ProcessingTime::Fixed(MS), [1.0, 1.0, 1.0]),
        (ProcessingTime::Uniform(MS, MS * 3), [1.5, 2.0, 2.5]),
        // ln 4/3, ln 2, ln 4.
        (ProcessingTime::Exponential(MS), [0.2877, core::f64::consts::LN_2, 1.3863]),
        // exp(0.5 * 0.67449) = 1.4011.
        (ProcessingTime::Lognormal(MS, 0.5), [0.7137, 1.0, 1.4011]),
    ];
    for (time, expected) in cases {
        let drawn = delays(time, 20_000);
        for (quartile, expected) in [5_000, 10_000, 15_000].into_iter().zip(expected) {
            let found = drawn[quartile];
            assert!((found / expected - 1.0).abs() < 0.03, "{time:?}: {found} not {expected}");
        }
    }
}

#[test]
fn no_packet_overtakes_another_and_both_ways_are_apart() {
    let slow = ProcessingTime::Exponential(MS * 10);
    let node = Processing::new(
        &[slow, ProcessingTime::Fixed(MS)],
        &[ProcessingTime::Fixed(MS)],
        Seed(1),
        "ue",
    );
    let mut world = World::new(node);
    for n in 0..200u32 {
        let at = Time::ZERO + Duration::from_micros(100 * u64::from(n));
        world.inject(at, Processing::OUTER, packet(100 + n, at));
        world.inject(at, Processing::INNER, packet(1_000 + n, at));
    }
    let out = world.run(Time::MAX);
    let sizes = |port| -> Vec<u32> {
        out.iter().filter(|(_, own, _)| *own == port).map(|(.., packet)| packet.size).collect()
    };
    assert!(sizes(Processing::INNER).iter().copied().eq(100..300));
    assert!(sizes(Processing::OUTER).iter().copied().eq(1_000..1_200));
    let back = out.iter().filter(|(_, port, _)| *port == Processing::OUTER);
    assert!(back.map(|(at, _, packet)| at.since(packet.born())).all(|time| time == MS));
}
