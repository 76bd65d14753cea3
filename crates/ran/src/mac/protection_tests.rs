use proptest::prelude::*;

use super::*;
use crate::mac::testing::{Cell, GROUP, Queue, VIDEO, WEB, class};
use crate::mac::{Levels, Priority, ProportionalFair, RoundRobin};

const PORTION: (Allocation, u16) = (Allocation::ByNeed, GROUP);

fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn video_first() -> Levels<Priority, RoundRobin> {
    let turns = || RoundRobin::new(Allocation::ByNeed, GROUP, GROUP, None);
    Levels::new(Priority(vec![class(VIDEO)]), turns)
}

fn protected(limit: u64) -> Protection<Levels<Priority, RoundRobin>> {
    Protection::new(video_first(), millis(limit), PORTION, None)
}

#[test]
fn one_slot_once_the_limit_is_passed() {
    let queues = || Cell::new(vec![Queue::full(WEB, 1), Queue::full(VIDEO, 1)]);
    assert_eq!(queues().serve_many(&mut video_first(), 1_000), [0, 1_000]);
    // It waits 0, 1, … 10 ms, then longer than 10 ms, so its slot is the twelfth. The next is
    // eleven later, since in the slot of its grant it waits no more.
    let (mut cell, mut scheduler) = (queues(), protected(10));
    let web: Vec<usize> = (0..60).filter(|_| cell.serve(&mut scheduler) == [(0, 12)]).collect();
    assert_eq!(web, [11, 22, 33, 44, 55]);
}

#[test]
fn who_has_waited_longest_goes_first() {
    let (mut cell, mut scheduler) = (
        Cell::new([Queue::full(VIDEO, 1), Queue::new(WEB, 1), Queue::new(WEB, 1)].into()),
        protected(5),
    );
    // The second web UE comes first, then both.
    for tti in 0..20u64 {
        if tti == 2 {
            cell.queues[2].packets.push_back((tti, u32::MAX));
        } else if tti == 3 {
            cell.queues[1].packets.push_back((tti, u32::MAX));
        }
        let served: Vec<u32> = cell.serve(&mut scheduler).iter().map(|(ue, _)| *ue).collect();
        let expected = match tti {
            // 6 ms after the data came, and each 6 ms then.
            8 | 14 => 2,
            9 | 15 => 1,
            _ => 0,
        };
        assert_eq!(served, [expected], "in TTI {tti}");
    }
}

#[test]
fn time_without_data_is_no_waiting() {
    let mut cell = Cell::new(vec![Queue::new(WEB, 1), Queue::full(VIDEO, 1)]);
    let mut scheduler = protected(10);
    for tti in 0..100 {
        if tti == 50 {
            cell.queues[0].packets.push_back((tti, 8));
        }
        let web = cell.serve(&mut scheduler)[0].0 == 0;
        assert_eq!(web, tti == 61, "in TTI {tti}");
    }
}

#[test]
fn one_ue_a_slot_of_those_that_starve() {
    let turns = || RoundRobin::new(Allocation::ByNeed, GROUP, GROUP, Some(1));
    let inner = Levels::new(Priority(vec![class(VIDEO)]), turns);
    let mut scheduler = Protection::new(inner, millis(3), PORTION, Some(1));
    let mut queues = vec![Queue::full(VIDEO, 1)];
    for _ in 0..2 {
        let mut web = Queue::new(WEB, 1);
        web.packets.extend([(0, 16); 9]);
        queues.push(web);
    }
    let mut cell = Cell::new(queues);
    let slots = [0; 6].map(|_| cell.serve(&mut scheduler));
    let video = vec![(0, 12)];
    // Each has 144 bytes, more than a slot.
    assert_eq!(slots[..4], [video.clone(), video.clone(), video.clone(), video.clone()]);
    assert_eq!(slots[4..], [vec![(1, 12)], vec![(2, 12)]]);
}

proptest! {
    #[test]
    fn nobody_waits_for_longer_than_the_limit_and_a_slot_for_each_other(
        classes in prop::collection::vec((0u8..2, 1u32..9), 2..9),
        limit in 0u64..30,
        fair in any::<bool>(),
    ) {
        let queues = classes.iter().map(|(of, quality)| Queue::full(*of, *quality));
        let mut cell = Cell::new(queues.collect());
        let inner: Box<dyn Scheduler> = match fair {
            true => Box::new(ProportionalFair::new(Allocation::ByNeed, GROUP)),
            false => Box::new(video_first()),
        };
        let mut scheduler = Protection::new(inner, millis(limit), PORTION, None);
        let mut last = vec![0; classes.len()];
        for tti in 0..300 {
            for (ue, _) in cell.serve(&mut scheduler) {
                last[ue as usize] = tti;
            }
            let most = limit + classes.len() as u64;
            prop_assert!(last.iter().all(|last| tti - last <= most), "{last:?} at {tti}");
        }
    }

    #[test]
    fn who_never_starves_is_not_touched(
        ues in 1usize..6,
        arrivals in prop::collection::vec(prop::option::weighted(0.5, (0usize..6, 1u32..90)), 60),
    ) {
        let turns = || RoundRobin::new(Allocation::ByNeed, GROUP, GROUP, None);
        let [mut one, mut other] = [0; 2].map(|_| Cell::new(vec![Queue::new(WEB, 1); ues]));
        let mut scheduler = Protection::new(turns(), millis(1_000), PORTION, None);
        let mut plain = turns();
        for arrival in arrivals {
            for cell in [&mut one, &mut other] {
                let tti = cell.tti;
                if let Some((n, bytes)) = arrival {
                    cell.queues[n % ues].packets.push_back((tti, bytes));
                }
            }
            prop_assert_eq!(one.serve(&mut scheduler), other.serve(&mut plain));
        }
    }
}
