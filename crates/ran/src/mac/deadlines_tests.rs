use super::*;
use crate::mac::RoundRobin;
use crate::mac::testing::{BYTES, CARRIER, Cell, GROUP, Queue, VIDEO, WEB};

/// Bytes that take a whole slot.
const SLOT: u32 = CARRIER as u32 * BYTES;
/// TTIs of a delay budget.
const BUDGET: u64 = 12;

fn by_deadline() -> ByDeadline<RoundRobin> {
    let turns = RoundRobin::new(Allocation::ByNeed, GROUP, GROUP, None);
    ByDeadline::new(turns, (GROUP, GROUP), None)
}

/// A queue with packets that came in these TTIs, each of which takes a slot.
fn queue(came: &[u64]) -> Queue {
    let mut queue = Queue::new(VIDEO, 1);
    queue.budget = Some(BUDGET);
    queue.packets.extend(came.iter().map(|tti| (*tti, SLOT)));
    queue
}

/// UEs that are served in each TTI from `first` on.
fn order(queues: Vec<Queue>, first: u64, ttis: usize) -> Vec<u32> {
    let (mut cell, mut scheduler) = (Cell::new(queues), by_deadline());
    cell.tti = first;
    let served = (0..ttis).map(|_| cell.serve(&mut scheduler)[..].first().map(|(ue, _)| *ue));
    served.map(|ue| ue.expect("somebody has data")).collect()
}

#[test]
fn the_least_remaining_time_goes_first_and_others_get_the_rest() {
    let queues = vec![Queue::full(WEB, 1), queue(&[9, 10]), queue(&[8]), Queue::full(WEB, 1)];
    assert_eq!(order(queues, 10, 5), [2, 1, 1, 0, 3]);
}

#[test]
fn what_is_late_comes_behind_what_may_be_in_time() {
    // At 20, UE 0's packet is late since 17, UE 1's is due at 25.
    let queues = vec![queue(&[5]), queue(&[13]), Queue::full(WEB, 1)];
    assert_eq!(order(queues, 20, 3), [1, 0, 2]);
}

#[test]
fn of_equal_times_the_order_of_the_ues_decides() {
    assert_eq!(order(vec![queue(&[0, 0]), queue(&[0, 0])], 0, 4), [0, 0, 1, 1]);
}

/// Sets that are in time of two UEs whose packets take a slot each. UE 0's set of ten comes in two halves, at 0 and 6;
/// UE 1's of six comes at 5. `second` is the TTI from which the budget of UE 0's second half counts.
fn in_time(second: u64) -> Vec<bool> {
    let (mut cell, mut scheduler) = (Cell::new(vec![queue(&[]), queue(&[])]), by_deadline());
    let (mut left, mut ends) = ([10, 6], [0, 0]);
    for tti in 0..20 {
        let (ue, count, counts_from) = match tti {
            0 => (0, 5, 0),
            5 => (1, 6, 5),
            6 => (0, 5, second),
            _ => (0, 0, 0),
        };
        cell.queues[ue].packets.extend((0..count).map(|_| (counts_from, SLOT)));
        for (ue, _) in cell.serve(&mut scheduler) {
            left[ue as usize] -= 1;
            ends[ue as usize] = tti + 1;
        }
    }
    assert_eq!(left, [0, 0]);
    [0, 5].iter().zip(ends).map(|(came, end)| end <= came + BUDGET).collect()
}

#[test]
fn by_sets_both_are_in_time_where_by_packets_one_is_late() {
    // By hand. By packets UE 1 is served from 5 to 10, so UE 0's second half ends at 16, four TTIs late. By sets UE 1
    // is served at 5, UE 0 from 6 to 10, within 12, and UE 1 to the end of 15, within 17.
    assert_eq!(in_time(6), [false, true]);
    assert_eq!(in_time(0), [true, true]);
}
