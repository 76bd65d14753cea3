use proptest::prelude::*;

use super::*;
use crate::mac::testing::{BYTES, CARRIER, Cell, GROUP, Queue, WEB};

fn round_robin(ues_per_slot: Option<u16>) -> RoundRobin {
    RoundRobin::new(Allocation::ByNeed, GROUP, GROUP, ues_per_slot)
}

/// UEs of which each has a packet that needs four resource blocks.
fn three() -> Cell {
    let mut queue = Queue::new(WEB, 1);
    queue.packets.push_back((0, 4 * BYTES));
    Cell::new(vec![queue; 3])
}

#[test]
fn ues_share_a_slot_by_need() {
    assert_eq!(three().serve(&mut round_robin(None)), [(0, 4), (1, 4), (2, 4)]);
}

/// Twelve resource blocks, of which a UE can use eleven or eight: the one that has the rest goes first in the next slot.
#[test]
fn a_ue_that_has_only_the_rest_goes_first_in_the_next_slot() {
    let full = |ues| Cell::new(vec![Queue::full(WEB, 1); ues]);
    let slots = |ues, most: u16, count: u32| -> Vec<_> {
        let mut cell = full(ues);
        cell.most = most;
        let mut turns = RoundRobin::new(Allocation::ByNeed, 1, 1, None);
        (0..count).map(|_| cell.serve(&mut turns)).collect()
    };
    let two = [vec![(0, 11), (1, 1)], vec![(1, 11), (0, 1)], vec![(0, 11), (1, 1)]];
    assert_eq!(slots(2, 11, 3), two);
    let three = [vec![(0, 8), (1, 4)], vec![(1, 8), (2, 4)], vec![(2, 8), (0, 4)]];
    assert_eq!(slots(3, 8, 3), three);
    // One that has all of a slot has had its turn, whatever it needs.
    assert_eq!(slots(2, 12, 3), [[(0, 12)], [(1, 12)], [(0, 12)]]);
}

#[test]
fn one_ue_a_slot_leaves_the_rest_unused() {
    // "First queue in slot 1, queue 2 in slot 2."
    let (mut cell, mut one) = (three(), round_robin(Some(1)));
    let slots: Vec<_> = (0..4).map(|_| cell.serve(&mut one)).collect();
    assert_eq!(slots, [vec![(0, 4)], vec![(1, 4)], vec![(2, 4)], vec![]]);
}

#[test]
fn a_limit_of_none_counts_as_one() {
    assert_eq!(three().serve(&mut round_robin(Some(0))), [(0, 4)]);
}

#[test]
fn without_control_channel_elements_the_turn_stays() {
    let (mut cell, mut all) = (three(), round_robin(None));
    // Two elements each.
    cell.elements = Some(5);
    assert_eq!(cell.serve(&mut all), [(0, 4), (1, 4)]);
    assert_eq!(cell.serve(&mut all), [(2, 4)]);
}

proptest! {
    #[test]
    fn turns_are_fair(
        ues in 1usize..9,
        ues_per_slot in prop::option::of(1u16..4),
        ttis in 1u64..60,
        qualities in prop::collection::vec(1u32..9, 9),
    ) {
        let queues = (0..ues).map(|n| Queue::full(WEB, qualities[n]));
        let mut cell = Cell::new(queues.collect());
        let served = cell.serve_many(&mut round_robin(ues_per_slot), ttis);
        // Each takes a whole slot, so that one is served in each.
        prop_assert_eq!(served.iter().sum::<u32>() as u64, ttis);
        let (least, most) = (served.iter().min(), served.iter().max());
        prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1));
    }

    #[test]
    fn by_need_nothing_is_left_while_somebody_has_data(
        wanted in prop::collection::vec(1u32..400, 1..12),
        ttis in 1usize..12,
    ) {
        let queues = wanted.iter().map(|bytes| {
            let mut queue = Queue::new(WEB, 1);
            queue.packets.push_back((0, *bytes));
            queue
        });
        let (mut cell, mut all) = (Cell::new(queues.collect()), round_robin(None));
        for _ in 0..ttis {
            let waiting: Vec<u32> = cell.queues.iter().map(Queue::bytes).collect();
            let list = cell.serve(&mut all);
            let used: u16 = list.iter().map(|(_, blocks)| blocks).sum();
            let left = cell.queues.iter().any(|queue| !queue.packets.is_empty());
            prop_assert!(used == CARRIER || !left, "{waiting:?} {list:?}");
        }
    }
}
