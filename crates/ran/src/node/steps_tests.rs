use proptest::prelude::*;

use super::super::tests::{any_cell, asking};
use super::*;
use crate::duplex::{Pattern, SpecialSlot};
use crate::{HarqConfig, Tti};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// Downlink and grants are prepared for 1 slot, k1 and k2 as given, a round trip of 6.
fn config(letters: &str, k1: u64, k2: u64) -> CellConfig {
    let tti = Tti::nr(1, 14).expect("a slot");
    let special = letters.contains('S').then(|| SpecialSlot::new(10, 2, 2)).flatten();
    let mut cell = any_cell(asking(), tti);
    cell.duplex = Duplex::Tdd(Pattern::new(letters, special).expect("a pattern"));
    cell.harq = HarqConfig::NR;
    cell.timing.downlink_preparation = tti.times(1);
    cell.timing.grant_preparation = tti.times(1);
    cell.timing.grant_to_transmission = tti.times(k2);
    cell.timing.data_to_feedback = tti.times(k1);
    cell.timing.harq_round_trip = tti.times(k1 + 3);
    cell
}

fn steps(letters: &str, k1: u64, k2: u64) -> Steps {
    Steps::new(&config(letters, k1, k2), 1)
}

fn granted(steps: &Steps, decided: u64) -> Vec<u64> {
    let all = steps.uplink(decided);
    all.filter(|&tti| steps.serves(Purpose::UplinkData, tti)).collect()
}

#[test]
fn an_uplink_slot_is_decided_for_the_latest_grant_before_it() {
    // D D D S U: grants in 0 to 3, 5 to 8, ...; decided one slot before. U at 4, 9, 14.
    let two = steps("DDDSU", 1, 2);
    let decided = [9, 14].map(|tti| two.decided(tti, UP));
    assert_eq!(decided, [6, 11]); // grants in 7 and 12
    // k2 = 5: from an uplink slot to the one before it, which has no grant. That of 8 it is,
    // 6 slots before.
    let five = steps("DDDSU", 1, 5);
    assert_eq!([14, 19].map(|tti| five.decided(tti, UP)), [7, 12]);
    assert_eq!((granted(&five, 7), granted(&five, 8)), (vec![14], vec![]));
}

#[test]
fn one_decision_may_be_about_several_slots() {
    // D S U U U: grants in 0, 1, 5, 6, 10, 11; U at 2 to 4, 7 to 9, 12 to 14.
    let steps = steps("DSUUU", 1, 2);
    // Those of 7 with the grant in 5, of 8 and 9 with that in 6.
    assert_eq!([4, 5, 6].map(|n| granted(&steps, n)), [vec![7], vec![8, 9], vec![]]);
    let next = |from| steps.next_decision(Work::Serve(UP), from);
    assert_eq!([0, 1, 4, 5, 6].map(next), [0, 4, 4, 5, 9]);
    assert_eq!(steps.longest_lead(), 4); // of 9, decided in 5
}

#[test]
fn downlink_is_decided_where_it_is_sent() {
    let steps = steps("DDDSU", 1, 2);
    let next = |from| steps.next_decision(Work::Serve(DOWN), from);
    assert_eq!([0, 2, 3, 4].map(next), [0, 2, 4, 4]);
    assert_eq!([1, 2, 3].map(|n| steps.downlink(n)), [Some(2), Some(3), None]);
}

#[test]
fn feedback_waits_for_the_next_uplink_symbols() {
    // k1 of 1: feedback of slots 0, 1, 2 in 3, of 3 in 4; 3 slots from there to the next
    // transmission: 6, 6, 6, 7.
    let one = steps("DDDSU", 1, 2);
    assert_eq!([0, 1, 2, 3].map(|n| one.again(n)), [6, 6, 6, 7]);
    // k1 of 4: feedback in 4, 8, 8, 8; from there to 7, 11, 11, 11.
    let four = steps("DDDSU", 4, 2);
    assert_eq!([0, 1, 2, 3].map(|n| four.again(n)), [7, 11, 11, 11]);
    assert_eq!([10, 11].map(|n| four.is_free(3, n)), [false, true]);
}

#[test]
fn opportunities_wait_for_their_slot() {
    let steps = steps("DDDSU", 1, 2);
    let control = |from, of| steps.opportunity(Purpose::UplinkControl, from, of);
    // Each fifth slot from 1 on waits for the special slot, also if it has passed already.
    assert_eq!([0, 1, 2, 3, 4].map(|n| control(n, (1, 5))), [3, 3, 3, 3, 8]);
    // From 4 on each fourth: 4, 8, 12 and 16 wait for 4, 8, 13 and 18.
    assert_eq!([4, 5, 9, 13, 14].map(|n| control(n, (0, 4))), [4, 8, 13, 13, 18]);
    let data = |from, of| steps.opportunity(Purpose::UplinkData, from, of);
    // More opportunities than slots: each uplink slot is one.
    assert_eq!([0, 5, 9, 10].map(|n| data(n, (1, 2))), [4, 9, 9, 14]);
    // Slots 5 to 9 wait for 9; of each offset in a period of three the last.
    assert_eq!((steps.waiting_for(9, 10), steps.waiting_for(9, 3)), (5..10, 7..10));
    assert_eq!(steps.waiting_for(4, 10), 0..5);
}

#[test]
fn with_frequency_division_each_step_takes_its_time() {
    let mut config = config("DU", 4, 4);
    config.duplex = Duplex::Fdd;
    let steps = Steps::new(&config, 9);
    assert_eq!((steps.downlink(7), steps.uplink(7)), (Some(8), 12..13));
    assert_eq!((steps.decided(12, UP), steps.decided(3, UP)), (7, 0));
    assert_eq!(steps.next_decision(Work::Serve(UP), 3), 3);
    assert_eq!((steps.again(10), steps.is_free(10, 18), steps.is_free(10, 19)), (17, false, true));
    assert_eq!((steps.longest_lead(), steps.waiting_for(9, 10)), (5, 9..10));
    assert_eq!(steps.control(7), [7, 7]);
}

proptest! {
    #[test]
    fn each_uplink_slot_has_one_decision_and_decisions_are_found(
        letters in "D[DSU]{0,8}U[DSU]{0,4}",
        k2 in 1u64..9,
        from in 0u64..60,
    ) {
        let steps = steps(&letters, 1, k2);
        let all: Vec<(u64, u64)> = (0..400)
            .flat_map(|n| granted(&steps, n).into_iter().map(move |tti| (n, tti)))
            .collect();
        let slots: Vec<u64> = all.iter().map(|(_, tti)| *tti).collect();
        // All of them from the first on, in their order.
        let expected = (slots[0]..).filter(|&n| steps.serves(Purpose::UplinkData, n));
        prop_assert!(slots.iter().copied().eq(expected.take(slots.len())));
        for &(decided, tti) in &all {
            prop_assert_eq!(steps.decided(tti, UP), decided);
            prop_assert!(tti - decided > k2 && tti - decided <= steps.longest_lead());
            prop_assert!(steps.serves(Purpose::Grant, decided + 1));
            // There is no later grant for it.
            let between = decided + 2..=tti - k2;
            prop_assert!(!between.into_iter().any(|n| steps.serves(Purpose::Grant, n)));
        }
        let next = all.iter().find(|(decided, _)| *decided >= from).map(|(decided, _)| *decided);
        prop_assert_eq!(Some(steps.next_decision(Work::Serve(UP), from)), next);
    }
}
