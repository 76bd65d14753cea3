use airpath_base::random::Seed;
use airpath_base::{Db, Duration, NodeId, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Change, Direction, Event, Node, Probe, RadioEvent};

use super::full_buffer::tests::{Arrived, full};
use super::tests::asking;
use super::{Ran, RanConfig};
use crate::config::{Access, Allocation, CellConfig, DownlinkPlacement, SchedulerConfig};
use crate::mac::TrafficClasses;
use crate::phy::nr::Nr;
use crate::phy::{McsTable, Technology};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;
/// 20 dB and -15 dB.
const NEAR: f64 = 100.0;
const FAR: f64 = 0.031_622_8;

/// Resource blocks of each UE and direction, and when UEs went out of range or came back.
#[derive(Default)]
struct Taken {
    blocks: Vec<[u64; 2]>,
    arrived: Option<Arrived>,
    ranges: Vec<(Time, UeId, Direction, bool, i32)>,
}

impl Probe for Taken {
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        match *event {
            Event::Radio(
                RadioEvent::Block { ue, direction, resource_blocks, .. }
                | RadioEvent::Missed { ue, direction, resource_blocks, .. },
            ) => self.blocks[ue.index()][direction as usize] += u64::from(resource_blocks),
            Event::Radio(RadioEvent::Range { ue, direction, in_range, sinr_db }) => {
                self.ranges.push((now, ue, direction, in_range, sinr_db.round() as i32));
            }
            _ => {}
        }
        self.arrived.iter_mut().for_each(|arrived| arrived.on(now, node, event));
    }
}

/// Runs for so long, with changes of SNR in both directions.
fn carry(config: RanConfig, seconds: u64, changes: &[(Time, UeId, Db)]) -> Taken {
    let ues = config.ues.len();
    let mut ran = Ran::new(config, Seed(5)).expect("a network");
    let mut taken =
        Taken { blocks: vec![[0; 2]; ues], arrived: Some(Arrived::new(ues)), ..Taken::default() };
    let mut bench = Bench::new();
    let mut until = |ran: &mut Ran, end: Time, taken: &mut Taken| {
        while let Some(due) = ran.next_wake().filter(|&due| due < end) {
            ran.wake(due, &mut bench.cx_watched(due, taken));
        }
    };
    for &(at, ue, snr) in changes {
        until(&mut ran, at, &mut taken);
        for direction in Direction::ALL {
            let change = Change::Snr { ue, direction, snr };
            let mut bench = Bench::new();
            ran.change(at, &change, &mut bench.cx_watched(at, &mut taken)).expect("changed");
        }
    }
    until(&mut ran, Time::ZERO + Duration::from_secs(seconds), &mut taken);
    assert_eq!(ran.audit(), Ok(()));
    taken
}

fn nr(mcs_table: McsTable) -> Technology {
    Technology::Nr(Nr { mcs_table, ..Nr::DEFAULT })
}

#[test]
fn who_is_out_of_range_takes_nothing() {
    let schedulers = [
        SchedulerConfig::ProportionalFair { window: 99.0 },
        SchedulerConfig::RoundRobin { ues_per_slot: Some(2) },
        SchedulerConfig::DelayBased { by_age: TrafficClasses::EMPTY, ues_per_slot: None },
    ];
    let accesses =
        [asking(), Access::Instant, Access::Reported { period: Duration::from_millis(5) }];
    for technology in [Technology::Lte(McsTable::Qam64), nr(McsTable::Qam64), nr(McsTable::Qam256)]
    {
        for ((scheduler, access), allocation) in schedulers.into_iter().zip(accesses).zip([
            Allocation::ByNeed,
            Allocation::Whole,
            Allocation::ByNeed,
        ]) {
            let change = |cell: &mut CellConfig| {
                (cell.technology, cell.scheduler, cell.allocation) =
                    ([technology; 2], scheduler, allocation);
                cell.uplink.access = access;
                cell.downlink_placement = DownlinkPlacement::Groups;
                // Errors would not show: the blocks of full buffers arrive here.
                cell.adaptation.min_mcs = 2;
            };
            let alone = carry(full(&[[NEAR; 2]], change), 1, &[]);
            let both = carry(full(&[[NEAR; 2], [FAR; 2]], change), 1, &[]);
            assert_eq!(both.blocks[1], [0; 2], "{technology:?} {scheduler:?} {access:?}");
            assert_eq!(both.blocks[0], alone.blocks[0], "{technology:?} {scheduler:?} {access:?}");
            let flows = |taken: Taken| taken.arrived.expect("counted").flows;
            let (both, alone) = (flows(both), flows(alone));
            assert_eq!((&both[..2], &both[2..]), (&alone[..], &[0; 2][..]));
            assert!(alone.iter().all(|bytes| *bytes > 100_000), "{alone:?}");
        }
    }
}

#[test]
fn a_direction_out_of_range_leaves_the_other() {
    let taken = carry(full(&[[NEAR, FAR]], |_| {}), 1, &[]);
    assert!(taken.blocks[0][0] > 10_000 && taken.blocks[0][1] == 0, "{:?}", taken.blocks);
    let taken = carry(full(&[[FAR, NEAR]], |_| {}), 1, &[]);
    assert!(taken.blocks[0][1] > 10_000 && taken.blocks[0][0] == 0, "{:?}", taken.blocks);
}

#[test]
fn a_configured_grant_is_not_used_out_of_range() {
    let access = Access::Configured { period: 10, resource_blocks: 5 };
    let change = |cell: &mut CellConfig| cell.uplink.access = access;
    let taken = carry(full(&[[FAR; 2]], change), 1, &[]);
    assert_eq!(taken.blocks[0], [0; 2]);
    assert!(carry(full(&[[NEAR; 2]], change), 1, &[]).blocks[0][1] > 0);
}

#[test]
fn range_is_lost_and_won_again() {
    let at = Time::from_millis;
    // LTE's CQI 1 needs about -6.7 dB (Mehlführer et al., "Simulating the Long Term Evolution
    // physical layer", EUSIPCO 2009, figure 4).
    let changes =
        [(at(200), UeId(0), Db(-9.0)), (at(700), UeId(0), Db(-4.5)), (at(900), UeId(0), Db(9.0))];
    for access in [asking(), Access::Configured { period: 10, resource_blocks: 5 }] {
        let cell = |cell: &mut CellConfig| cell.uplink.access = access;
        let taken = carry(full(&[[NEAR; 2]], cell), 1, &changes);
        let expected = [(at(200), false, -9), (at(700), true, -5)];
        let expected = expected.into_iter().flat_map(|(at, in_range, db)| {
            [DOWN, UP].map(|direction| (at, UeId(0), direction, in_range, db))
        });
        assert!(taken.ranges.iter().copied().eq(expected), "{:?}", taken.ranges);
        // Half of the time: what was on its way at 200 ms, or waits for its first slot, is left.
        let always = carry(full(&[[NEAR; 2]], cell), 1, &[]);
        for way in [0, 1] {
            let share = taken.blocks[0][way] as f64 / always.blocks[0][way] as f64;
            assert!((0.45..0.53).contains(&share), "{access:?} {way}: {share}");
        }
    }
}

#[test]
fn who_has_no_service_takes_nothing_and_gets_nothing() {
    let mut config = full(&[[NEAR; 2], [NEAR; 2]], |_| {});
    config.ues[1].served = false;
    let both = carry(config, 1, &[]);
    let alone = carry(full(&[[NEAR; 2]], |_| {}), 1, &[]);
    assert_eq!((both.blocks[1], both.blocks[0]), ([0; 2], alone.blocks[0]));
    // Grants that are configured are not set aside for it.
    let access = Access::Configured { period: 2, resource_blocks: 40 };
    let change = |cell: &mut CellConfig| cell.uplink.access = access;
    let mut config = full(&[[NEAR; 2], [NEAR; 2]], change);
    config.ues[1].served = false;
    let ran = Ran::new(config, Seed(5)).expect("a network");
    assert_eq!([0, 1].map(|tti| ran.cells[0].reserved_in(tti)), [40, 0]);
}
