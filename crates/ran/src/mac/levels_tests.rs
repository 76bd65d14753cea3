use airpath_base::{BitRate, UeId};
use proptest::prelude::*;

use super::*;
use crate::config::Allocation;
use crate::index::UeIndex;
use crate::mac::testing::{BYTES, CARRIER, Cell, GROUP, Queue, VIDEO, WEB, class, classes};
use crate::mac::{
    Buffers, DelayBased, MeanRates, Placement, ProportionalFair, ResourceBlocks, RoundRobin,
};

const VOICE: u8 = 2;

fn turns(ues_per_slot: Option<u16>) -> RoundRobin {
    RoundRobin::new(Allocation::ByNeed, GROUP, GROUP, ues_per_slot)
}

fn video_first(ues_per_slot: Option<u16>) -> Levels<Priority, RoundRobin> {
    Levels::new(Priority(vec![class(VIDEO)]), || turns(ues_per_slot))
}

/// A queue with a packet that takes so many resource blocks.
fn queue(of: u8, blocks: u32) -> Queue {
    let mut queue = Queue::new(of, 1);
    queue.packets.push_back((0, blocks * BYTES));
    queue
}

#[test]
fn a_lower_level_gets_what_is_left() {
    let queues = vec![Queue::full(WEB, 1), queue(VIDEO, 4), Queue::full(WEB, 1), queue(VIDEO, 2)];
    assert_eq!(Cell::new(queues.clone()).serve(&mut video_first(None)), [(1, 4), (3, 2), (0, 6)]);
    // One UE a slot, in each level.
    let (mut cell, mut one) = (Cell::new(queues), video_first(Some(1)));
    let slots = [0; 3].map(|_| cell.serve(&mut one));
    assert_eq!(slots, [vec![(1, 4), (0, 8)], vec![(3, 2), (2, 10)], vec![(0, 12)]]);
}

#[test]
fn each_level_has_its_own_turns() {
    // Were turns shared, the first web UE would be served always, as that behind the last video.
    let mut cell = Cell::new(vec![Queue::full(WEB, 1), Queue::full(WEB, 1), queue(VIDEO, 400)]);
    cell.queues[2].packets = (0..400).map(|_| (0, BYTES)).collect();
    let mut scheduler = video_first(None);
    let mut served = [0; 2];
    for tti in 0..20 {
        // A packet each TTI, for two resource blocks.
        cell.queues[2].packets = [(tti, 2 * BYTES)].into();
        let list = cell.serve(&mut scheduler);
        assert_eq!((list[0], list[1].1), ((2, 2), 10));
        served[list[1].0 as usize] += 1;
    }
    assert_eq!(served, [10, 10]);
}

#[test]
fn classes_come_in_their_order() {
    let rule = Priority(vec![class(VOICE), class(VIDEO)]);
    let mut scheduler = Levels::new(rule, || turns(None));
    let mut cell = Cell::new([WEB, VIDEO, VOICE, VIDEO].map(|of| queue(of, 4)).to_vec());
    assert_eq!(cell.serve(&mut scheduler), [(2, 4), (1, 4), (3, 4)]);
}

#[test]
fn old_packets_raise_their_queue_around_any_scheduler() {
    let rule = Raise { classes: classes(VIDEO), beyond: Duration::from_millis(10) };
    let queues = || vec![Queue::full(WEB, 9), queue(VIDEO, 12), Queue::full(VIDEO, 1)];
    let mut round_robin = Levels::new(rule, || turns(None));
    let mut fair = Levels::new(rule, || ProportionalFair::new(Allocation::ByNeed, GROUP));
    let order = |scheduler: &mut dyn FnMut(&mut Cell) -> Vec<(u32, u16)>| {
        let mut cell = Cell::new(queues());
        cell.tti = 9;
        (0..4).map(|_| scheduler(&mut cell)[0].0).collect::<Vec<_>>()
    };
    // 9 and 10 ms are not older; from 11 ms on only video is served.
    assert_eq!(order(&mut |cell| cell.serve(&mut round_robin)), [0, 1, 2, 2]);
    assert_eq!(order(&mut |cell| cell.serve(&mut fair))[2..], [2, 2]);
}

#[test]
fn who_is_below_the_minimum_rate_goes_first() {
    // 96 bytes a slot to one UE, 192 to the other. Proportional fair gives each half of the
    // slots: 48 and 96 bytes a TTI.
    let fair = || ProportionalFair::new(Allocation::ByNeed, GROUP);
    let served = |scheduler: &mut dyn Scheduler, kbps| {
        let mut cell = Cell::new(vec![Queue::full(VIDEO, 1), Queue::full(WEB, 2)]);
        cell.queues[0].guaranteed = BitRate::from_kbps(kbps);
        cell.serve_many(scheduler, 500); // the mean rates settle
        cell.serve_many(scheduler, 2_000)[0]
    };
    assert!(served(&mut fair(), 576).abs_diff(1_000) < 20);
    let mut minimum = Levels::new(MinimumRate, fair);
    // 72 bytes a TTI are 576 kbit/s: three quarters of the slots.
    assert!(served(&mut minimum, 576).abs_diff(1_500) < 20);
    // A rate that is reached in any case changes nothing.
    assert!(served(&mut minimum, 200).abs_diff(1_000) < 20);
}

/// Keeps what it saw.
struct Seen(Vec<(Vec<u32>, Vec<f32>)>);

impl Scheduler for Seen {
    fn schedule(&mut self, slot: &Slot<'_>, _grants: &mut Grants) {
        let rates = (0..slot.candidates.len()).flat_map(|n| slot.group_rates(n)).copied();
        self.0.push((slot.candidates.iter().map(|c| c.ue.0).collect(), rates.collect()));
    }
}

#[test]
fn a_level_sees_its_own_with_their_rates_in_order() {
    let table = [0; CARRIER as usize + 1];
    let candidates = [WEB, VIDEO, WEB, VIDEO].map(|of| (of, 0)).map(|(of, _)| Candidate {
        ue: UeId(0),
        wanted: 1,
        head_of_line: Duration::ZERO,
        remaining: None,
        priority: 1,
        traffic: classes(of),
        guaranteed: BitRate::from_bps(0),
        bytes: &table,
        most: CARRIER,
        layers: 1,
        control_elements: 1,
        index: UeIndex::new(0),
        buffers: Buffers::Uplink(&[]),
    });
    let mut candidates = candidates;
    for (n, candidate) in candidates.iter_mut().enumerate() {
        (candidate.ue, candidate.index) = (UeId(n as u32), UeIndex::new(n));
    }
    let means = MeanRates::new(99.0, 1);
    let slot = Slot {
        tti: 0,
        tti_length: Duration::from_millis(1),
        carrier: 2,
        candidates: &candidates,
        means: &means,
        group_rates: &[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5],
        trials: None,
    };
    let mut grants = Grants::new();
    grants.begin(Placement::Blocks, 2, ResourceBlocks::range(0, 2), None);
    let mut levels = Levels::new(Priority(vec![class(VIDEO)]), || Seen(Vec::new()));
    levels.schedule(&slot, &mut grants);
    assert_eq!(levels.schedulers[0].0, [(vec![1, 3], vec![1.0, 1.5, 3.0, 3.5])]);
    assert_eq!(levels.schedulers[1].0, [(vec![0, 2], vec![0.0, 0.5, 2.0, 2.5])]);
}

proptest! {
    #[test]
    fn nobody_is_served_while_one_of_a_higher_level_lacks_resource_blocks(
        ues in prop::collection::vec((0u8..4, 1u32..900), 1..9),
        ttis in 1usize..9,
        kind in 0..3,
    ) {
        let order = [class(VOICE), class(VIDEO)];
        let level = |of: u8| order.iter().position(|class| *class == self::class(of)).unwrap_or(2);
        let inner = || -> Box<dyn Scheduler> {
            match kind {
                0 => Box::new(turns(None)),
                1 => Box::new(DelayBased::new(turns(None), classes(VIDEO))),
                _ => Box::new(ProportionalFair::new(Allocation::ByNeed, GROUP)),
            }
        };
        let mut scheduler = Levels::new(Priority(order.to_vec()), inner);
        let mut cell = Cell::new(ues.iter().map(|(of, bytes)| {
            let mut queue = Queue::new(*of, 1);
            queue.packets.push_back((0, *bytes));
            queue
        }).collect());
        for _ in 0..ttis {
            let before: Vec<u32> = cell.queues.iter().map(Queue::bytes).collect();
            let list = cell.serve(&mut scheduler);
            // All that is left is of a level that is not above anybody's who was served.
            let lowest = list.iter().map(|(ue, _)| level(ues[*ue as usize].0)).max();
            let lacking = cell.queues.iter().filter(|queue| !queue.packets.is_empty());
            let above = lacking.map(|queue| level(queue.class)).min();
            prop_assert!(above >= lowest || above.is_none(), "{before:?} {list:?}");
            let used: u16 = list.iter().map(|(_, blocks)| blocks).sum();
            prop_assert!(used == CARRIER || above.is_none());
        }
    }
}
