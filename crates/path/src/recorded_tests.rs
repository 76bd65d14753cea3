use airpath_base::random::Seed;
use airpath_base::{Duration, Port};
use airpath_net::queue::{Codel, CodelConfig, DropTail, Limit};
use proptest::prelude::*;

use super::*;
use crate::samples::{World, packet};
use crate::{Link, LinkConfig};

/// Opportunities at 2, 5 (two) and 10 ms, then again from 10 ms on.
const TRACE: &str = "2\n5\n5\n10\n";

fn world(queue: QueueKind, delay: u64) -> World {
    let recording = Some(Arc::new(Recording::parse("trace", TRACE).unwrap()));
    let delay = Duration::from_millis(delay);
    let config = LinkConfig { recording, delay, queue, ..LinkConfig::default() };
    World::new(Link::new(config, Seed(1), "link"))
}

fn millis(out: &[(Time, Port, Packet)]) -> Vec<u64> {
    out.iter().map(|(at, ..)| at.as_nanos() / 1_000_000).collect()
}

#[test]
fn each_opportunity_delivers_a_full_packet() {
    let mut world = world(QueueKind::default(), 0);
    for _ in 0..6 {
        world.inject(Time::ZERO, Port(0), packet(1500, Time::ZERO));
    }
    assert_eq!(millis(&world.run(Time::from_millis(50))), [2, 5, 5, 10, 12, 15]);
    assert_eq!(world.next_wake(), None);
}

#[test]
fn small_packets_share_an_opportunity_and_large_ones_take_several() {
    let mut world = world(QueueKind::default(), 7);
    // 600 + 600 + 300 of 900 bytes; its rest, and 2400 of 3000; its rest at 10 ms.
    for size in [600, 600, 900, 3000, 100] {
        world.inject(Time::ZERO, Port(0), packet(size, Time::ZERO));
    }
    let out = world.run(Time::from_millis(50));
    assert_eq!(millis(&out), [9, 9, 12, 17, 17]);
    let stages = &out[3].2.stages;
    assert_eq!(stages.spent(Stage::WiredQueue), Duration::from_millis(5));
    assert_eq!(stages.spent(Stage::Wired), Duration::from_millis(12));
}

#[test]
fn an_opportunity_without_packets_is_lost() {
    let mut world = world(QueueKind::default(), 0);
    // At 5 ms the opportunities of that instant have passed.
    world.inject(Time::from_millis(5), Port(0), packet(1500, Time::ZERO));
    world.inject(Time::from_millis(36), Port(0), packet(100, Time::ZERO));
    world.inject(Time::from_millis(39), Port(0), packet(1500, Time::ZERO));
    // 36 ms lie in the fourth round: 40 ms, where 1400 bytes are left for the third.
    assert_eq!(millis(&world.run(Time::from_millis(100))), [10, 40, 42]);
}

#[test]
fn the_link_layer_takes_room() {
    let recording = Some(Arc::new(Recording::parse("trace", TRACE).unwrap()));
    let config = LinkConfig { recording, layer2: 1, ..LinkConfig::default() };
    let mut world = World::new(Link::new(config, Seed(1), "link"));
    world.inject(Time::ZERO, Port(0), packet(1500, Time::ZERO));
    assert_eq!(millis(&world.run(Time::from_millis(50))), [5]);
}

#[test]
fn a_queue_may_be_full_and_may_be_managed() {
    let mut full = world(DropTail::new(Limit::packets(2)).into(), 0);
    for _ in 0..3 {
        full.inject(Time::ZERO, Port(0), packet(1500, Time::ZERO));
    }
    assert_eq!(full.log.drops.len(), 1);
    let config = CodelConfig { limit: Limit::NONE, ..CodelConfig::default() };
    let mut managed = world(QueueKind::Codel(Box::new(Codel::new(config))), 0);
    for _ in 0..200 {
        managed.inject(Time::ZERO, Port(0), packet(1500, Time::ZERO));
    }
    managed.run(Time::from_millis(1_000));
    assert!(!managed.log.drops.is_empty(), "half a second of queue");
}

proptest! {
    /// Packets leave in the order of arrival, at opportunities, and no faster than these allow.
    #[test]
    fn bytes_keep_to_the_recording(
        arrivals in prop::collection::vec((0u64..4_000, 40u32..4_000), 1..100),
    ) {
        let mut world = world(QueueKind::default(), 0);
        let mut now = Time::ZERO;
        for &(gap, size) in &arrivals {
            now += Duration::from_micros(gap);
            world.inject(now, Port(0), packet(size, now));
        }
        let out = world.run(now + Duration::from_secs(10));
        prop_assert_eq!(out.len(), arrivals.len());
        let mut bytes = 0;
        for ((at, _, packet), (_, size)) in out.iter().zip(&arrivals) {
            let at = at.as_nanos() / 1_000_000;
            prop_assert_eq!(packet.size, *size);
            prop_assert!([0, 2, 5].contains(&(at % 10)));
            bytes += u64::from(*size);
            let opportunities: u64 =
                at / 10 * 4 + [2, 5, 5].iter().filter(|t| **t <= at % 10).count() as u64;
            prop_assert!(bytes <= opportunities * 1_500);
        }
    }
}
