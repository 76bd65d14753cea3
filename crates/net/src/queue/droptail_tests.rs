use airpath_base::FlowId;
use airpath_wire::{Ecn, Endpoint, Protocol, Tuple};
use proptest::prelude::*;

use super::*;
use crate::queue::QueueKind;
use crate::testing::Bench;
use crate::{Leg, Outer, TunnelKind};

fn packet(size: u32) -> Packet {
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
    Packet::new(FlowId(0), Leg::Data, size, tuple, Time::ZERO)
}

fn enqueue(queue: &mut QueueKind, bench: &mut Bench, size: u32) {
    queue.enqueue(Time::ZERO, packet(size), &mut bench.cx(Time::ZERO));
}

#[test]
fn a_limit_of_packets() {
    let (mut queue, mut bench) = (DropTail::new(Limit::packets(2)).into(), Bench::new());
    for _ in 0..3 {
        enqueue(&mut queue, &mut bench, 100);
    }
    assert_eq!((queue.packets(), queue.bytes()), (2, 200));
    assert_eq!(bench.drops.0, [DropCause::QueueFull]);
}

#[test]
fn a_limit_of_bytes_lets_a_small_packet_in_where_a_large_one_does_not_fit() {
    let (mut queue, mut bench) = (DropTail::new(Limit::bytes(250)).into(), Bench::new());
    for size in [200, 51, 50, 1] {
        enqueue(&mut queue, &mut bench, size);
    }
    assert_eq!((queue.packets(), queue.bytes()), (2, 250));
    assert_eq!(bench.drops.0.len(), 2);
}

#[test]
fn bytes_are_those_on_the_wire_and_held_ones_those_of_ip() {
    let (mut queue, mut bench) = (QueueKind::default(), Bench::new());
    let end = Endpoint::new([10, 0, 0, 9], 2152);
    let kind = TunnelKind::Gtpu { teid: 1, qfi: None, congestion: None };
    let outer = Outer { kind, ends: (end, end), dscp: 0, ecn: Ecn::NotEct, overhead: 36 };
    let mut tunnelled = packet(100);
    tunnelled.push_outer(outer).unwrap();
    queue.enqueue(Time::ZERO, tunnelled, &mut bench.cx(Time::ZERO));
    assert_eq!(queue.bytes(), 136);
    assert_eq!(queue.held(), crate::Held { packets: 1, bytes: 100 });
}

proptest! {
    /// Against a list of sizes.
    #[test]
    fn drop_tail_is_a_list_with_a_limit(
        steps in prop::collection::vec(prop::option::of(1u32..2000), 0..60),
        packets in prop::option::of(0u32..8), bytes in prop::option::of(0u64..8000),
    ) {
        let limit = Limit { packets, bytes };
        let (mut queue, mut bench) = (QueueKind::from(DropTail::new(limit)), Bench::new());
        let (mut model, mut lost): (Vec<u32>, usize) = (Vec::new(), 0);
        for step in steps {
            if let Some(size) = step {
                enqueue(&mut queue, &mut bench, size);
                let sum = model.iter().sum::<u32>() + size;
                if packets.is_some_and(|most| model.len() as u32 >= most)
                    || bytes.is_some_and(|most| u64::from(sum) > most)
                {
                    lost += 1;
                } else {
                    model.push(size);
                }
            } else {
                let out = queue.dequeue(Time::ZERO, &mut bench.cx(Time::ZERO));
                let expected = (!model.is_empty()).then(|| model.remove(0));
                prop_assert_eq!(out.map(|packet| packet.size), expected);
            }
            prop_assert_eq!(queue.packets() as usize, model.len());
            prop_assert_eq!(queue.bytes(), u64::from(model.iter().sum::<u32>()));
            prop_assert_eq!(bench.drops.0.len(), lost);
        }
    }
}
