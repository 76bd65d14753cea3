use airpath_base::Port;
use airpath_base::random::Seed;
use airpath_net::queue::{DropTail, Limit};
use proptest::prelude::*;

use super::*;
use crate::samples::{World, packet};
use crate::{Link, LinkConfig};

/// Trains of 20 ms of base delay, with arrivals 0, 1, 4 and 4 ms after the first one.
const LIGHT: &str = "0 20 0 1 4 4\n1000 20 0 1 4 4\n2000 20 0 1 4 4\n";
/// A heavy opportunity each 10 ms.
const HEAVY: &str = "10\n20\n30\n40\n50\n60\n70\n80\n90\n100\n";

fn world(light: &str, queue: QueueKind) -> World {
    let recording = Some(Arc::new(Recording::parse_heavy("heavy", HEAVY).unwrap()));
    let light = Some(Arc::new(Light::parse("light", light).unwrap()));
    World::new(Link::new(
        LinkConfig { recording, light, queue, ..LinkConfig::default() },
        Seed(1),
        "link",
    ))
}

fn micros(out: &[(Time, Port, Packet)]) -> Vec<u64> {
    out.iter().map(|(at, ..)| at.as_nanos() / 1_000).collect()
}

fn at(world: &mut World, micros: u64, size: u32) {
    let now = Time::from_nanos(micros * 1_000);
    world.inject(now, Port(0), packet(size, now));
}

#[test]
fn a_packet_after_a_pause_has_the_base_delay() {
    let mut world = world(LIGHT, QueueKind::default());
    at(&mut world, 3_400, 1_400);
    at(&mut world, 53_000, 80);
    let out = world.run(Time::from_millis(200));
    assert_eq!(micros(&out), [23_400, 73_000]);
    assert_eq!(out[0].2.stages.spent(Stage::Wired), Duration::from_millis(20));
}

#[test]
fn a_train_takes_the_light_opportunities() {
    let mut world = world(LIGHT, QueueKind::default());
    for _ in 0..4 {
        at(&mut world, 0, 1_400);
    }
    assert_eq!(micros(&world.run(Time::from_millis(200))), [20_000, 21_000, 24_000, 24_000]);
}

#[test]
fn small_packets_share_an_opportunity() {
    let mut world = world(LIGHT, QueueKind::default());
    // Two of 700 bytes fill the first; 1000 and 500 are too much for one.
    for size in [700, 700, 1_000, 500] {
        at(&mut world, 0, size);
    }
    assert_eq!(micros(&world.run(Time::from_millis(200))), [20_000, 20_000, 21_000, 24_000]);
}

#[test]
fn packets_beyond_the_train_wait_for_heavy_opportunities() {
    let mut world = world(LIGHT, QueueKind::default());
    for _ in 0..6 {
        at(&mut world, 0, 1_400);
    }
    // The fifth and sixth end their delay at 24 ms, as nothing overtakes; opportunities follow at 30 and 40 ms.
    let out = world.run(Time::from_millis(200));
    assert_eq!(micros(&out), [20_000, 21_000, 24_000, 24_000, 30_000, 40_000]);
    assert_eq!(out[5].2.stages.spent(Stage::WiredQueue), Duration::from_millis(16));
}

#[test]
fn a_light_packet_waits_behind_heavy_ones() {
    let mut world = world(LIGHT, QueueKind::default());
    for _ in 0..7 {
        at(&mut world, 0, 1_400);
    }
    // A new train: its packet's delay ends at 45 ms, while one packet waits for 50 ms.
    at(&mut world, 25_000, 100);
    let out = micros(&world.run(Time::from_millis(200)));
    assert_eq!(out[4..], [30_000, 40_000, 50_000, 60_000]);
}

#[test]
fn the_base_delay_varies_and_nothing_overtakes() {
    let mut world = world("0 50 0\n100 10 0\n200 10 0\n", QueueKind::default());
    at(&mut world, 0, 100);
    at(&mut world, 75_000, 100);
    // From 50 ms at 0 to 10 ms at 100 ms: 20 ms at 75 ms.
    assert_eq!(micros(&world.run(Time::from_millis(300))), [50_000, 95_000]);
}

#[test]
fn a_large_packet_takes_several_opportunities() {
    let mut world = world(LIGHT, QueueKind::default());
    at(&mut world, 0, 1_400);
    at(&mut world, 0, 1_500);
    at(&mut world, 0, 1_300);
    // 1500 bytes end in the opportunity at 4 ms, which has room for 1300 more.
    assert_eq!(micros(&world.run(Time::from_millis(300))), [20_000, 24_000, 24_000]);
}

#[test]
fn the_queue_of_the_link_holds_what_waits_for_the_heavy_recording() {
    let mut world = world(LIGHT, DropTail::new(Limit::packets(2)).into());
    for _ in 0..9 {
        at(&mut world, 0, 1_400);
    }
    let out = world.run(Time::from_millis(300));
    assert_eq!((out.len(), world.log.drops.len()), (6, 3));
}

proptest! {
    /// Every packet arrives in order, and no earlier than the base delay.
    #[test]
    fn order_and_base_delay_are_kept(
        arrivals in prop::collection::vec((0u64..30_000, 40u32..3_000), 1..80),
    ) {
        let mut world = world(LIGHT, QueueKind::default());
        let mut now = 0;
        for &(gap, size) in &arrivals {
            now += gap;
            at(&mut world, now, size);
        }
        let out = world.run(Time::from_millis(10_000));
        prop_assert_eq!(out.len(), arrivals.len());
        for ((at, _, packet), (_, size)) in out.iter().zip(&arrivals) {
            prop_assert_eq!(packet.size, *size);
            let delay = at.saturating_since(packet.born());
            prop_assert!(delay >= Duration::from_millis(20), "{delay}");
            let spent = packet.stages.spent(Stage::Wired) + packet.stages.spent(Stage::WiredQueue);
            prop_assert_eq!(spent, delay);
        }
    }
}
