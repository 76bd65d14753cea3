//! LTE's uplink-downlink configurations, against the tables of TS 36.211 and TS 36.213.

use airpath_base::random::Seed;
use airpath_base::{Duration, FlowId, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Direction, Held, Node};
use proptest::prelude::*;

use super::steps::Steps;
use super::tdd_tests::{Blocks, Sent};
use super::tests::{any_cell, asking, config, in_tunnel, packet};
use super::{Ran, RanError};
use crate::Tti;
use crate::config::{Access, CellConfig, FullBuffer, HarqConfig, RanConfig};
use crate::duplex::lte::tests::{SUBFRAMES, TABLE_8_2};
use crate::duplex::{Duplex, Pattern, Purpose};
use crate::phy::McsTable::Qam64;
use crate::phy::tables::block_bytes;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;
const TTI: Duration = Duration::from_millis(1);

fn lte_cell((configuration, special): (u8, u8), access: Access) -> CellConfig {
    let pattern = Pattern::lte(configuration, special).expect("a configuration of LTE");
    CellConfig { duplex: Duplex::Tdd(pattern), ..any_cell(access, Tti::LTE) }
}

fn steps(configuration: u8) -> Steps {
    Steps::new(&lte_cell((configuration, 7), asking()), 1)
}

fn lte(qci: u8, of: (u8, u8), access: Access) -> RanConfig {
    let mut config = config(qci, access, 1e10);
    config.cells[0] = lte_cell(of, access);
    config
}

#[test]
fn a_process_uplink_has_the_subframe_that_phich_asks_for() {
    // TS 36.213, table 9.1.2-1: uplink subframes, and subframes to PHICH.
    let phich: [&[(u64, u64)]; 7] = [
        &[(2, 4), (3, 7), (4, 6), (7, 4), (8, 7), (9, 6)],
        &[(2, 4), (3, 6), (7, 4), (8, 6)],
        &[(2, 6), (7, 6)],
        &[(2, 6), (3, 6), (4, 6)],
        &[(2, 6), (3, 6)],
        &[(2, 6)],
        &[(2, 4), (3, 6), (4, 6), (7, 4), (8, 7)],
    ];
    // Table 8-1.
    let processes = [7, 4, 2, 3, 2, 1, 6];
    for (n, (phich, k)) in phich.into_iter().zip(TABLE_8_2).enumerate() {
        let steps = steps(n as u8);
        assert_eq!(
            lte_cell((n as u8, 7), asking()).duplex.processes().map(|all| all[1]),
            Some(processes[n])
        );
        for (subframe, later) in phich {
            let feedback = 20 + subframe + later;
            // TS 36.213, 8: in configuration 0, seven subframes behind PHICH in subframes 1 and 6,
            // and in its second resource, that of the subframes 4 and 9 (9.1.2).
            let second = n == 0 && ([1, 6].contains(&(feedback % 10)) || [4, 9].contains(subframe));
            let table = k.iter().find(|(own, _)| *own == feedback % 10);
            let again = feedback + if second { 7 } else { table.expect("a row with PHICH").1 };
            assert_eq!(steps.again_uplink(20 + subframe, processes[n]), again, "{n}, {subframe}");
        }
    }
}

#[test]
fn processes_downlink_are_as_many_as_keep_it_busy() {
    // TS 36.213, table 7-1. A process is free for another block 4 subframes after its feedback.
    for (n, processes) in (0..).zip([4, 7, 10, 9, 12, 15, 6]) {
        let steps = steps(n);
        assert_eq!(
            lte_cell((n, 7), asking()).duplex.processes().map(|all| all[0]),
            Some(processes)
        );
        let data = |tti: &u64| steps.serves(Purpose::DownlinkData, *tti);
        let busy = |tti| (tti..steps.again(tti)).filter(data).count() as u64;
        let most = (20..30).filter(data).map(busy).max();
        assert_eq!(most, Some(processes), "{n}");
    }
}

/// Transmissions from `from` to `to` ms.
fn sent_between(config: RanConfig, from: u64, to: u64) -> Vec<Sent> {
    let mut ran = Ran::new(config, Seed(1)).expect("a network");
    let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
    while let Some(due) = ran.next_wake().filter(|&due| due < Time::from_millis(to + 20)) {
        ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
    }
    blocks.0.retain(|one| (from..to).contains(&one.slot));
    blocks.0
}

fn with_full_buffers(mut config: RanConfig) -> RanConfig {
    config.bearers[0].full_buffers =
        [0, 1].map(|flow| Some(FullBuffer { flow: FlowId(flow), start: Time::ZERO, stop: None }));
    config
}

#[test]
fn a_ue_alone_has_all_subframes_in_each_configuration() {
    // 50 resource blocks at MCS 28, and those that count in special subframes (TS 36.213, 7.1.7).
    let size = |blocks| u64::from(block_bytes(Qam64, DOWN, 28, blocks));
    for (n, letters) in (0..).zip(SUBFRAMES) {
        for (special, own) in [(0, 0), (7, size(37)), (9, size(18))] {
            let mut config = with_full_buffers(lte(7, (n, special), asking()));
            config.cells[0].resource_blocks = 50;
            let count = |letter| letters.matches(letter).count() as u64;
            let expected = [count("D") * size(50) + count("S") * own, count("U") * size(50)];
            let sent = sent_between(config, 200, 1_200);
            let bytes = [DOWN, UP].map(|way| {
                let own = sent.iter().filter(|one| one.direction == way);
                own.map(|one| u64::from(one.bytes)).sum::<u64>()
            });
            assert_eq!(bytes, expected.map(|frame| 100 * frame), "{n}, special subframe {special}");
            // The process of an uplink subframe is that of synchronous HARQ.
            let steps = steps(n);
            for one in sent.iter().filter(|one| one.direction == UP && one.slot < 1_100) {
                let processes = [7, 4, 2, 3, 2, 1, 6][usize::from(n)];
                let next = steps.again_uplink(one.slot, processes);
                let again = sent.iter().find(|other| other.direction == UP && other.slot == next);
                assert_eq!(again.map(|again| again.process), Some(one.process), "{n}, {one:?}");
            }
        }
    }
}

#[test]
fn the_code_rate_limits_blocks_in_special_subframes() {
    // In 9 symbols, 2 of them control, a resource block has 80 elements, 14 more than with reference
    // signals in symbols 4 and 7. 0.93 of 80 * 50 * 6 bits are 22 320; 37 resource blocks have 21 384
    // bits at MCS 25 and 22 920 at MCS 26 (TS 36.213, table 7.1.7.2.1-1).
    let mut config = with_full_buffers(lte(7, (2, 6), asking()));
    config.cells[0].resource_blocks = 50;
    config.cells[0].adaptation.code_rate_limit = Some(0.93);
    let sent = sent_between(config, 200, 400);
    let special = sent.iter().filter(|one| one.direction == DOWN && one.slot % 5 == 1);
    let bits = special.map(|one| one.bytes * 8).collect::<Vec<_>>();
    assert_eq!(bits, [21_384; 40]);
}

/// Subframes of the transmissions of a packet that comes a tenth of a millisecond into subframe
/// `arrival`, where each first transmission fails.
fn twice(of: u8, direction: Direction, arrival: u64) -> Vec<u64> {
    let mut config = lte(7, (of, 7), asking());
    config.cells[0].first_error = Some(1.0);
    let mut ran = Ran::new(config, Seed(1)).expect("a network");
    let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
    let start = Time::from_millis(arrival) + Duration::from_micros(100);
    while let Some(due) = ran.next_wake().filter(|&due| due < start) {
        ran.wake(due, &mut bench.cx(due));
    }
    match direction {
        DOWN => ran.receive(start, Ran::CORE, in_tunnel(start, 200, 7), &mut bench.cx(start)),
        UP => ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start)),
    }
    while let Some(due) = ran.next_wake().filter(|&due| due < Time::from_millis(arrival + 80)) {
        ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
    }
    blocks.0.iter().map(|one| one.slot).collect()
}

#[test]
fn packets_by_hand() {
    // Configuration 2, D S U D D: decided in the subframe after the arrival, sent 2 later or more.
    // Feedback 7, 6, 4 and 8 subframes after subframes 0, 1, 3 and 4, and 4 more to another.
    let down = [(30, 33, 41), (31, 34, 46), (32, 35, 46), (33, 36, 46), (36, 39, 51), (37, 40, 51)];
    for (arrival, first, again) in down {
        assert_eq!(twice(2, DOWN, arrival), [first, again], "{arrival}");
    }
    // Uplink, an opportunity each 5 subframes, 30 and 35, that waits for 32 and 37. Known in 34,
    // decided in 36 for the grant in 38 of subframe 42; PHICH in 48 asks for 52.
    let up = [(29, 42, 52), (30, 42, 52), (32, 47, 57)];
    for (arrival, first, again) in up {
        assert_eq!(twice(2, UP, arrival), [first, again], "{arrival}");
    }
    // Configuration 0, D S U U U: the request of 32 is known in 34, and decided there for the grant in
    // 36. That is for the subframes 42 and 43: k is 6, and 7 in the second part of a grant. The process
    // of 42 has 53 next.
    assert_eq!(twice(0, UP, 29), [42, 53]);
    // Configuration 6: the request of 32, known in 34; grants in 35 for 42, decided in 33, and in 36
    // for 43, decided in 34. PHICH in 49 and k = 5 have 54.
    assert_eq!(twice(6, UP, 29), [43, 54]);
}

#[test]
fn what_lte_cannot_be_is_refused() {
    let refused = |change: fn(&mut CellConfig)| {
        let mut config = lte(7, (2, 7), asking());
        change(&mut config.cells[0]);
        Ran::new(config, Seed(1)).err()
    };
    assert_eq!(refused(|_| {}), None);
    assert_eq!(refused(|cell| cell.harq = HarqConfig::NR), Some(RanError::TddHarq));
    let slot = |cell: &mut CellConfig| cell.tti = Tti::nr(1, 14).expect("a slot");
    assert_eq!(refused(slot), Some(RanError::TddTti));
    let late = |cell: &mut CellConfig| cell.timing.uplink_processing = TTI * 4;
    assert_eq!(refused(late), Some(RanError::TddFeedback));
    assert_eq!(refused(|cell| cell.timing.uplink_processing = TTI * 3), None);
}

fn any_access() -> impl Strategy<Value = Access> {
    let retry = TTI * 320;
    prop_oneof![
        (1u64..20).prop_map(move |period| Access::SchedulingRequest { period, grant: 100, retry }),
        (1u64..20).prop_map(|period| Access::Configured { period, resource_blocks: 2 }),
        Just(Access::Instant),
        (1u64..10).prop_map(|period| Access::Reported { period: TTI * period }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]
    #[test]
    fn everything_arrives_in_the_subframes_of_the_configuration(
        of in (0u8..7, 0u8..10),
        access in any_access(),
        processing in 0u64..4,
        error in prop_oneof![Just(None), Just(Some(0.3))],
        arrivals in prop::collection::vec((0u64..3_000_000, 40u32..1_500), 1..40),
    ) {
        let mut config = lte(9, of, access);
        let cell = &mut config.cells[0];
        (cell.first_error, cell.resource_blocks) = (error, 25);
        cell.timing.uplink_processing = TTI * processing;
        let mut ran = Ran::new(config, Seed(1)).expect("a network");
        let (mut bench, mut blocks, mut now) = (Bench::new(), Blocks::default(), Time::ZERO);
        for (gap, size) in arrivals.iter().copied().chain([(10_000_000_000, 0)]) {
            now += Duration::from_nanos(gap);
            while let Some(due) = ran.next_wake().filter(|&due| due <= now) {
                ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
            }
            if size > 0 {
                ran.receive(now, Ran::ue(UeId(0)), packet(now, size), &mut bench.cx(now));
                ran.receive(now, Ran::CORE, in_tunnel(now, size, 7), &mut bench.cx(now));
            }
        }
        prop_assert_eq!(ran.held(), Held::default());
        prop_assert_eq!(bench.ledger().sent.packets, 2 * arrivals.len() as u64);
        prop_assert_eq!(ran.audit(), Ok(()));
        let (steps, count) = (steps(of.0), [7, 4, 2, 3, 2, 1, 6][usize::from(of.0)]);
        let mut last: [Option<Sent>; 16] = [None; 16];
        for one in &blocks.0 {
            let letter = SUBFRAMES[usize::from(of.0)].as_bytes()[one.slot as usize % 10];
            prop_assert_eq!(one.direction == UP, letter == b'U');
            if one.direction == DOWN {
                continue;
            }
            let before = last[usize::from(one.process)].replace(*one);
            if one.attempt > 0 {
                let before = before.expect("a first transmission");
                let mut next = before.slot;
                while next < one.slot {
                    next = steps.again_uplink(next, count);
                }
                prop_assert_eq!((next, before.bytes), (one.slot, one.bytes));
            }
        }
    }
}
