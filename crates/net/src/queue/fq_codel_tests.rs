use airpath_base::BitRate;
use airpath_base::random::Seed;
use airpath_wire::Ecn;

use super::*;
use crate::queue::samples::{Wire, ms, packet};

fn fq(config: FqCodelConfig) -> FqCodel {
    FqCodel::new(config, Seed(3).keyed("flows"))
}

fn flows_sent(wire: &Wire<FqCodel>) -> Vec<u16> {
    wire.sent.iter().map(|(_, packet)| packet.tuple.src.port).collect()
}

#[test]
fn flows_take_turns_by_bytes() {
    let mut wire = Wire::new(fq(FqCodelConfig::default()), BitRate::from_mbps(8));
    // Flow 1 has packets of 1514 bytes, flow 2 of 757: two of these for one of those.
    for n in 0..10 {
        wire.arrive(Time::ZERO, packet(1, n, 1514, Ecn::NotEct));
    }
    for n in 0..20 {
        wire.arrive(Time::ZERO, packet(2, n, 757, Ecn::NotEct));
    }
    wire.run(ms(14));
    assert_eq!(flows_sent(&wire)[..12], [1, 2, 2, 1, 2, 2, 1, 2, 2, 1, 2, 2]);
}

#[test]
fn a_sparse_flow_passes_before_a_standing_queue() {
    let mut wire = Wire::new(fq(FqCodelConfig::default()), BitRate::from_mbps(8));
    (0..50).for_each(|n| wire.arrive(Time::ZERO, packet(1, n, 1000, Ecn::NotEct)));
    wire.arrive(Time::from_nanos(3_500_000), packet(2, 0, 100, Ecn::NotEct));
    wire.run(ms(10));
    let place = flows_sent(&wire).iter().position(|flow| *flow == 2);
    assert_eq!(place, Some(4), "after the packets that began at 0, 1, 2 and 3 ms");
}

#[test]
fn a_flow_that_ran_out_must_pass_the_old_ones_once() {
    let mut queue = fq(FqCodelConfig::default());
    let mut bench = crate::testing::Bench::new();
    let mut add = |queue: &mut FqCodel, flow| {
        queue.enqueue(ms(0), packet(flow, 0, 1514, Ecn::NotEct), &mut bench.cx(ms(0)));
    };
    [1, 1, 1].into_iter().for_each(|flow| add(&mut queue, flow));
    add(&mut queue, 2);
    let mut bench = crate::testing::Bench::new();
    let mut next = |queue: &mut FqCodel| {
        queue.dequeue(ms(0), &mut bench.cx(ms(0))).map(|packet| packet.tuple.src.port)
    };
    assert_eq!((next(&mut queue), next(&mut queue)), (Some(1), Some(2)));
    // Flow 2 is empty now, but comes back among the old ones.
    let mut bench = crate::testing::Bench::new();
    queue.enqueue(ms(0), packet(2, 1, 1514, Ecn::NotEct), &mut bench.cx(ms(0)));
    assert_eq!((next(&mut queue), next(&mut queue)), (Some(1), Some(2)));
}

#[test]
fn without_room_the_fattest_flow_loses_half_or_64_packets_from_its_head() {
    let config = FqCodelConfig { limit: Limit::packets(100), ..FqCodelConfig::default() };
    let mut wire = Wire::new(fq(config), BitRate::from_mbps(8));
    wire.stall(ms(1_000));
    (0..95).for_each(|n| wire.arrive(Time::ZERO, packet(1, n, 1000, Ecn::Ect0)));
    (0..6).for_each(|n| wire.arrive(Time::ZERO, packet(2, 1_000 + n, 1000, Ecn::Ect0)));
    // 95 packets: 48 of them are more than half.
    let lost: Vec<u64> = wire.log.drops.iter().map(|drop| drop.2).collect();
    assert_eq!(lost, (0..48).collect::<Vec<u64>>());
    assert_eq!((wire.queue.packets(), wire.queue.bytes()), (53, 53_000));
}

#[test]
fn the_salt_moves_flows_to_other_buckets() {
    let bucket = |seed: u64, flow: u16| {
        let salt = Seed(seed).keyed("flows");
        flow_hash(&packet(flow, 0, 100, Ecn::NotEct), salt) >> 54
    };
    let same = (1..200).filter(|flow| bucket(1, *flow) == bucket(2, *flow)).count();
    assert!(same < 5, "{same}");
}
