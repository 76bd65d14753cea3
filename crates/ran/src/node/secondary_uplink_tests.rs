use airpath_base::random::Seed;
use airpath_base::{Db, Duration, Time};
use airpath_net::Direction;

use super::super::Ran;
use super::super::cell::Cell;
use super::super::secondary::tests::{Received, carriers, carry, fast, sending};
use super::super::tests::{any_cell, asking};
use crate::Tti;
use crate::air::Link;
use crate::config::{Access, Activation, CellConfig, RanConfig};
use crate::index::UeIndex;

const TTI: Duration = Duration::from_millis(1);
const UP: Direction = Direction::Uplink;

fn lte() -> CellConfig {
    any_cell(asking(), Tti::LTE)
}

/// Blocks uplink of so many packets of 1400 bytes that come at 5 ms.
fn blocks(config: RanConfig, count: usize) -> Vec<Received> {
    let packets = vec![(Time::from_millis(5), 1_400); count];
    let (blocks, left) = carry(UP, config, &packets, Time::from_millis(3_000));
    assert_eq!(left.len(), count);
    blocks
}

/// The most bytes that begin in any `slots` milliseconds of blocks by carrier.
fn slot_bytes(blocks: &[Received], cell: usize, slot: u64) -> u32 {
    let own = blocks.iter().filter(|block| (block.cell, block.slot) == (cell, slot));
    own.map(|block| block.bytes).sum()
}

#[test]
fn three_carriers_of_20_mhz_send_three_times_the_block_of_the_table() {
    let config = sending(carriers(7, vec![(lte(), None), (lte(), None)]));
    let blocks = blocks(config, 1_000);
    let middle = blocks[blocks.len() / 2].slot;
    // TS 36.213, table 7.1.7.2.1-1: I_TBS 26 in 100 resource blocks is 75 376 bits.
    for cell in 0..3 {
        assert_eq!(slot_bytes(&blocks, cell, middle), 75_376 / 8);
    }
}

#[test]
fn data_in_the_ue_activate_a_carrier_that_it_sends_on() {
    let activation = Activation { bytes: 20_000, delay: TTI * 24, timer: Some(TTI * 20) };
    let config = || carriers(9, vec![(lte(), Some(activation))]);
    let second = |config, count| {
        let own = blocks(config, count).into_iter().filter(|block| block.cell == 1);
        own.map(|block| block.slot).collect::<Vec<u64>>()
    };
    assert_eq!(second(sending(config()), 10), Vec::<u64>::new());
    // The report in the first block is decoded when the first has been received; 24 ms later the carrier
    // is active.
    let slots = second(sending(config()), 1_000);
    let first = blocks(sending(config()), 1_000)[0];
    let decided = first.at + TTI * 24;
    // From the decision to the block: 2 TTIs of preparation, and 4 to the transmission.
    assert_eq!(slots[0], (decided + TTI * 6).since(Time::ZERO) / TTI);
    // A UE that does not send there does not activate it.
    assert_eq!(second(config(), 1_000), Vec::<u64>::new());
}

/// A UE on two carriers whose power suffices for so many resource blocks of each.
fn limited(full_power: [f64; 2], secondary: CellConfig) -> RanConfig {
    let mut config = sending(carriers(9, vec![(secondary, None)]));
    config.ues[0].link = Link::Fixed { downlink: 1e4, uplink: 1e3, full_power: full_power[0] };
    config.ues[0].carriers[0].full_power = full_power[1];
    config
}

#[test]
fn the_second_carrier_is_granted_what_power_is_left() {
    // 100 resource blocks take 2/3 of 150. A third of 90 is left: 30.
    let own = blocks(limited([150.0, 90.0], lte()), 1_000);
    let middle = own[own.len() / 2].slot;
    let in_slot = |cell| {
        let mut found = own.iter().filter(|block| (block.cell, block.slot) == (cell, middle));
        *found.next().expect("a block")
    };
    assert_eq!([0, 1].map(|cell| in_slot(cell).resource_blocks), [100, 30]);
    // So nothing is scaled down: all have 30 dB.
    assert!(own.iter().all(|block| (block.sinr_db - 30.0).abs() < 1e-4));
    // Without enough for its own carrier, all the power is there.
    let own = blocks(limited([60.0, 90.0], lte()), 1_000);
    let middle = own[own.len() / 2].slot;
    assert_eq!(slot_bytes(&own, 1, middle), 0);
    assert!(slot_bytes(&own, 0, middle) > 0);
}

#[test]
fn blocks_that_are_sent_again_keep_within_the_power() {
    // The second carrier is granted what the first leaves, also where blocks fail and come again.
    let mut config = limited([200.0, 100.0], lte());
    config.cells.iter_mut().for_each(|cell| cell.first_error = Some(0.3));
    let own = blocks(config, 800);
    let pairs = own.iter().filter(|block| block.cell == 0).filter_map(|one| {
        let mut beside = own.iter().filter(|other| (other.cell, other.slot) == (1, one.slot));
        Some((*one, *beside.next()?))
    });
    for (one, two) in pairs {
        let sum = f64::from(one.resource_blocks) / 200.0 + f64::from(two.resource_blocks) / 100.0;
        let expected = 30.0 - Db::from_linear(sum.max(1.0)).0;
        assert!((f64::from(one.sinr_db) - expected).abs() < 1e-4, "{one:?} {two:?}");
        assert!((f64::from(two.sinr_db) - expected).abs() < 1e-4, "{one:?} {two:?}");
    }
    assert!(own.iter().any(|block| block.attempt > 0));
}

#[test]
fn an_older_report_that_comes_later_does_not_count() {
    // Reports of the slow carrier arrive when the fast one has brought newer ones. A UE that has sent
    // everything is not granted again: the last blocks have data.
    let own = blocks(sending(carriers(7, vec![(fast(asking()), None)])), 200);
    let bytes: u32 = own.iter().map(|block| block.bytes).sum();
    assert!(bytes < 2 * 200 * 1_400, "{bytes}");
}

/// Configured grants are set aside in the primary cell alone.
#[test]
fn a_secondary_cell_sets_no_configured_grants_aside() {
    let access = Access::Configured { period: 2, resource_blocks: 40 };
    let mut config = sending(carriers(9, vec![(any_cell(access, Tti::LTE), None)]));
    config.cells[0].uplink.access = access;
    let ran = Ran::new(config, Seed(3)).expect("a network");
    let primary = &ran.cells[0];
    let count = |cell: &Cell, tti| cell.configured_blocks(tti, UeIndex::new(0)).count();
    let cells = [primary, &primary.secondaries[0]];
    let both = cells.map(|cell| (0..2).map(|tti| count(cell, tti)).collect::<Vec<_>>());
    assert_eq!(both, [[40, 0], [0, 0]]);
}
