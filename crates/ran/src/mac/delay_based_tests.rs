use airpath_base::Duration;
use proptest::prelude::*;

use super::*;
use crate::config::Allocation;
use crate::mac::testing::{BYTES, CARRIER, Cell, GROUP, Queue, VIDEO, WEB, classes};
use crate::mac::{Levels, Raise};

/// Bytes that take a whole slot.
const SLOT: u32 = CARRIER as u32 * BYTES;

fn turns(ues_per_slot: Option<u16>) -> RoundRobin {
    RoundRobin::new(Allocation::ByNeed, GROUP, GROUP, ues_per_slot)
}

fn by_age(of: TrafficClasses) -> DelayBased {
    DelayBased::new(turns(Some(1)), of)
}

/// Scheduler of chapter 4.5 of the thesis: video by age, beyond 10 ms before the others.
fn delay_based() -> Levels<Raise, DelayBased> {
    let rule = Raise { classes: classes(VIDEO), beyond: Duration::from_millis(10) };
    Levels::new(rule, || by_age(classes(VIDEO)))
}

/// A queue with packets that came in these TTIs, each of which takes a slot.
fn queue(class: u8, came: &[u64]) -> Queue {
    let mut queue = Queue::new(class, 1);
    queue.packets.extend(came.iter().map(|tti| (*tti, SLOT)));
    queue
}

/// UEs that are served in each TTI from `first` on.
fn order(queues: Vec<Queue>, first: u64, ttis: usize, scheduler: &mut impl Scheduler) -> Vec<u32> {
    let mut cell = Cell::new(queues);
    cell.tti = first;
    let served = (0..ttis).map(|_| cell.serve(scheduler)[..].first().map(|(ue, _)| *ue));
    served.map(|ue| ue.expect("somebody has data")).collect()
}

#[test]
fn a_queue_with_a_packet_older_than_10_ms_goes_first_until_it_has_none() {
    // At 20 ms UE 0 has packets of 11, 10 and 3 ms, UE 1 one of 12 ms, UE 2 one of 9 ms. Two
    // web queues are full, with older packets.
    let queues = vec![
        queue(VIDEO, &[9, 10, 17]),
        queue(VIDEO, &[8]),
        queue(VIDEO, &[11]),
        Queue::full(WEB, 1),
        Queue::full(WEB, 1),
    ];
    let served = order(queues, 20, 9, &mut delay_based());
    // At 20 ms the oldest packet of all is UE 1's, 12 ms old. Then UE 0's follows, of 12 ms. At 22
    // ms UE 0's second, of 12 ms, goes before that of UE 2, of 11 ms, which goes at 23 ms. Now the
    // packet of 17 ms, 7 ms old, is the only one of video. It has to await a turn of the default
    // priority, and the first is its own.
    assert_eq!(served, [1, 0, 0, 2, 0, 3, 4, 3, 4]);
}

#[test]
fn below_the_threshold_video_and_web_take_turns() {
    // Turns are of UEs 0, 1, 2, 3; those of UEs 0 and 2 go to the oldest video packet. UE 2
    // has three, older than the first of UE 0, and no turn once they are gone.
    let queues = vec![
        queue(VIDEO, &[6, 7, 7]),
        Queue::full(WEB, 1),
        queue(VIDEO, &[3, 4, 5]),
        Queue::full(WEB, 1),
    ];
    let served = order(queues, 7, 10, &mut by_age(classes(VIDEO)));
    assert_eq!(served, [2, 1, 2, 3, 2, 1, 3, 0, 1, 3]);
}

#[test]
fn exactly_10_ms_is_not_older() {
    let web_first = || {
        let mut scheduler = delay_based();
        // The first turn is that of UE 0.
        order(vec![Queue::full(WEB, 1), queue(VIDEO, &[5, 6, 7, 8])], 15, 2, &mut scheduler)
    };
    // At 15 ms the packet is 10 ms old, at 16 ms older.
    assert_eq!(web_first(), [0, 1]);
}

#[test]
fn by_age_over_all_queues_the_oldest_goes_first() {
    let queues = vec![queue(WEB, &[4, 6, 9]), queue(VIDEO, &[5, 7]), queue(WEB, &[3, 8])];
    let served = order(queues, 10, 7, &mut by_age(TrafficClasses::ALL));
    assert_eq!(served, [2, 0, 1, 0, 1, 2, 0]);
}

#[test]
fn of_equal_ages_turns_decide() {
    let queues = vec![queue(VIDEO, &[0; 3]), queue(VIDEO, &[0; 3]), queue(VIDEO, &[0; 3])];
    let served = order(queues, 5, 9, &mut by_age(classes(VIDEO)));
    assert_eq!(served, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
}

/// By UE and TTI, bytes that arrive.
fn arrivals(ues: usize) -> impl Strategy<Value = Vec<Vec<Option<u32>>>> {
    let tti = prop::collection::vec(prop::option::weighted(0.3, 1u32..700), ues);
    prop::collection::vec(tti, 1..60)
}

proptest! {
    #[test]
    fn without_video_it_is_round_robin(
        arrivals in (1usize..7).prop_flat_map(arrivals),
        ues_per_slot in prop::option::of(1u16..4),
        elements in prop::option::of(1u16..9),
        whole in any::<bool>(),
        class in 0u8..5,
    ) {
        // Any class but video.
        let class = if class == VIDEO { WEB } else { class };
        let allocation = if whole { Allocation::Whole } else { Allocation::ByNeed };
        let turns = || RoundRobin::new(allocation, GROUP, GROUP, ues_per_slot);
        let rule = Raise { classes: classes(VIDEO), beyond: Duration::from_millis(10) };
        let mut delay_based = Levels::new(rule, || DelayBased::new(turns(), classes(VIDEO)));
        let mut round_robin = turns();
        let queues: Vec<Queue> =
            (1..=arrivals[0].len()).map(|n| Queue::new(class, n as u32)).collect();
        let [mut one, mut other] = [Cell::new(queues.clone()), Cell::new(queues)];
        (one.elements, other.elements) = (elements, elements);
        for tti in &arrivals {
            for (n, bytes) in tti.iter().enumerate() {
                let packet = bytes.map(|bytes| (one.tti, bytes));
                one.queues[n].packets.extend(packet);
                other.queues[n].packets.extend(packet);
            }
            prop_assert_eq!(one.serve(&mut delay_based), other.serve(&mut round_robin));
        }
    }

    #[test]
    fn a_kind_has_the_share_of_its_ues(video in 0usize..5, web in 1usize..5, rounds in 1u64..9) {
        let all = [vec![Queue::full(VIDEO, 1); video], vec![Queue::full(WEB, 1); web]].concat();
        let mut cell = Cell::new(all);
        let served = cell.serve_many(&mut by_age(classes(VIDEO)), rounds * (video + web) as u64);
        prop_assert_eq!(u64::from(served[..video].iter().sum::<u32>()), rounds * video as u64);
        prop_assert!(served[video..].iter().all(|count| u64::from(*count) == rounds));
    }
}
