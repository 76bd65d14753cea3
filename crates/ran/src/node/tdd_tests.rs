//! Time division duplex, by hand: the pattern is D D D S U, special slots are 10:2:2 and slots
//! last half a millisecond. Slot 10 is the first of a pattern.

use airpath_base::random::Seed;
use airpath_base::{BearerId, Duration, FlowId, NodeId, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Direction, Event, Held, Node, Probe, RadioEvent};
use proptest::prelude::*;

use super::tests::{any_cell, asking, config, in_tunnel, packet};
use super::{Ran, RanError};
use crate::Tti;
use crate::config::{Access, CellConfig, Control, FullBuffer, HarqConfig, RanConfig};
use crate::duplex::{Duplex, Pattern, SpecialSlot};
use crate::phy::McsTable::Qam64;
use crate::phy::tables::block_bytes;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;
const SLOT: Duration = Duration::from_micros(500);

/// A slot to prepare, to be received, to be decoded; k1 and k2 of 2 slots, and 3 slots from
/// feedback to the next transmission.
fn tdd_cell(letters: &str, access: Access) -> CellConfig {
    let mut cell = any_cell(access, Tti::nr(1, 14).expect("a slot"));
    let special = letters.contains('S').then(|| SpecialSlot::new(10, 2, 2)).flatten();
    let pattern = Pattern::new(letters, special).expect("a pattern");
    cell.duplex = Duplex::Tdd(pattern.with_flexible_by_need());
    cell.harq = HarqConfig::NR;
    let timing = &mut cell.timing;
    timing.downlink_preparation = SLOT;
    timing.downlink_processing = SLOT;
    timing.grant_preparation = SLOT;
    timing.grant_to_transmission = SLOT * 2;
    timing.report_preparation = SLOT;
    timing.data_to_feedback = SLOT * 2;
    timing.harq_round_trip = SLOT * 5;
    cell
}

fn tdd(letters: &str, access: Access) -> RanConfig {
    let mut config = config(7, access, 1e10);
    config.cells[0] = tdd_cell(letters, access);
    config
}

fn slot(n: u64) -> Time {
    Time::ZERO + SLOT * n
}

/// A transmission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sent {
    pub ue: UeId,
    pub direction: Direction,
    pub slot: u64,
    pub process: u16,
    pub new_data: bool,
    pub attempt: u8,
    pub decoded: bool,
    pub resource_blocks: u16,
    pub bytes: u32,
    pub padding: u32,
}

#[derive(Default)]
pub(super) struct Blocks(pub Vec<Sent>);

impl Probe for Blocks {
    fn on(&mut self, _now: Time, _node: NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::Block {
            ue,
            direction,
            slot,
            process,
            new_data,
            attempt,
            decoded,
            resource_blocks,
            bytes,
            padding,
            ..
        }) = *event
        {
            self.0.push(Sent {
                ue,
                direction,
                slot,
                process,
                new_data,
                attempt,
                decoded,
                resource_blocks,
                bytes,
                padding,
            });
        }
    }
}

/// A packet that comes a tenth of a millisecond into slot `arrival`. Gives the slots in which it is
/// sent, and the slot at whose beginning it leaves.
fn carry(config: RanConfig, direction: Direction, arrival: u64) -> (Vec<u64>, u64) {
    let mut ran = Ran::new(config, Seed(1)).expect("a network");
    let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
    let start = slot(arrival) + Duration::from_micros(100);
    while let Some(due) = ran.next_wake().filter(|&due| due < start) {
        ran.wake(due, &mut bench.cx(due));
    }
    match direction {
        DOWN => ran.receive(start, Ran::CORE, in_tunnel(start, 200, 7), &mut bench.cx(start)),
        UP => ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start)),
    }
    let mut left = None;
    while let Some(due) = ran.next_wake().filter(|&due| due < slot(60) && left.is_none()) {
        ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
        left = bench.sent().first().map(|_| due);
    }
    let left = left.expect("a packet that leaves").as_nanos();
    assert_eq!(left % SLOT.as_nanos(), 0);
    (blocks.0.iter().map(|one| one.slot).collect(), left / SLOT.as_nanos())
}

/// For arrivals in the slots 9 to 13.
fn by_arrival(config: &RanConfig, direction: Direction) -> Vec<(Vec<u64>, u64)> {
    (9..14).map(|arrival| carry(config.clone(), direction, arrival)).collect()
}

#[test]
fn a_downlink_packet_waits_for_a_slot_that_carries_it() {
    // Decided with the next slot, sent with the one after that, unless that is for the uplink:
    // 14. Received a slot later, and delivered after one more.
    let expected = [(11, 13), (12, 14), (13, 15), (15, 17), (15, 17)];
    let expected = expected.map(|(sent, left)| (vec![sent], left));
    assert_eq!(by_arrival(&tdd("DDDSU", asking()), DOWN), expected);
}

#[test]
fn a_downlink_retransmission_waits_for_its_feedback() {
    let mut config = tdd("DDDSU", asking());
    config.cells[0].first_error = Some(1.0);
    // Feedback two slots after the data or later: of 11 in the special slot 13, of 12 in 14, of
    // 13 and 15 in 18. Three slots from there: 16, 17, 21 and 21.
    let expected = [
        (vec![11, 16], 18),
        (vec![12, 17], 19),
        (vec![13, 21], 23),
        (vec![15, 21], 23),
        (vec![15, 21], 23),
    ];
    assert_eq!(by_arrival(&config, DOWN), expected);
}

#[test]
fn an_uplink_packet_asks_and_is_granted() {
    let mut config = tdd("DDDSU", asking());
    // An opportunity each five slots, 10 and 15, that waits for the special slots 13 and 18.
    // Received in 14, detected in 15; the uplink slot 19 is granted in 17, the latest that is two
    // before it, decided in 16. Received in 20, processed in 21. And five slots later.
    let once = |sent: u64| (vec![sent], sent + 2);
    assert_eq!(by_arrival(&config, UP), [19, 19, 19, 19, 24].map(once));
    // The cell knows of the failure in 21, and decides slot 24 then.
    config.cells[0].first_error = Some(1.0);
    let twice = |sent: u64| (vec![sent, sent + 5], sent + 7);
    assert_eq!(by_arrival(&config, UP), [19, 19, 19, 19, 24].map(twice));
}

#[test]
fn a_configured_grant_waits_for_the_next_uplink_slot() {
    let mut config = tdd("DDDSU", Access::Configured { period: 10, resource_blocks: 4 });
    config.ues[0].offset = 2;
    // Slots 12 and 22 wait for 14 and 24, which are filled one slot before.
    let once = |sent: u64| (vec![sent], sent + 2);
    assert_eq!(by_arrival(&config, UP), [14, 14, 14, 14, 24].map(once));
    config.cells[0].first_error = Some(1.0);
    // Known in 16, granted in 17 for 19.
    let twice = |sent: u64| (vec![sent, sent + 5], sent + 7);
    assert_eq!(by_arrival(&config, UP), [14, 14, 14, 14, 24].map(twice));
}

#[test]
fn instant_access_and_reports_wait_for_the_uplink_too() {
    // Decided one slot before the uplink slot 14, not after arrivals in 13.
    let once = |sent: u64| (vec![sent], sent + 2);
    assert_eq!(by_arrival(&tdd("DDDSU", Access::Instant), UP), [14, 14, 14, 14, 19].map(once));
    // Reports are made in 12 and 13 for the slots 13 and 14 with uplink symbols, and 17 for 18.
    // Read at the end of those: 14, 15, 19. Slot 19 is decided in 16, 24 in 21.
    let reported = tdd("DDDSU", Access::Reported { period: SLOT });
    assert_eq!(by_arrival(&reported, UP), [19, 19, 19, 19, 24].map(once));
}

#[test]
fn a_block_takes_as_many_resource_elements_when_it_is_sent_again() {
    let mut config = tdd("DDDSU", asking());
    config.cells[0].first_error = Some(1.0);
    let mut ran = Ran::new(config, Seed(1)).expect("a network");
    let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
    // Decided in 12, on the air in the special slot 13, and again in 21.
    let start = slot(12) - Duration::from_micros(1);
    ran.receive(start, Ran::CORE, in_tunnel(start, 1_500, 7), &mut bench.cx(start));
    while let Some(due) = ran.next_wake().filter(|&due| due < slot(40)) {
        ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
    }
    let [first, again] = [0, 1].map(|n| blocks.0[n]);
    assert_eq!((first.slot, again.slot, first.bytes), (13, 21, again.bytes));
    // Of MCS 28, 50 resource blocks have 36 696 bits a subframe (TS 36.213, table 7.1.7.2.1-1):
    // 1 638 B in 10 symbols of a slot.
    assert!(first.bytes > 1_500 && first.resource_blocks <= 50, "{first:?}");
    assert_eq!(again.resource_blocks, (first.resource_blocks * 10).div_ceil(14));
}

/// Full buffers in both directions for one UE, 50 resource blocks, for a second: bytes that
/// arrived downlink and uplink, and the slots of blocks.
fn full(duplex: &Duplex) -> ([u64; 2], Vec<Sent>) {
    full_in(duplex, [true; 2])
}

/// In these directions.
fn full_in(duplex: &Duplex, directions: [bool; 2]) -> ([u64; 2], Vec<Sent>) {
    let mut config = tdd("DDDSU", asking());
    let cell = &mut config.cells[0];
    (cell.duplex, cell.resource_blocks) = (duplex.clone(), 50);
    config.bearers[0].full_buffers = [0, 1].map(|flow| {
        let full = FullBuffer { flow: FlowId(flow), start: Time::ZERO, stop: None };
        directions[flow as usize].then_some(full)
    });
    let mut ran = Ran::new(config, Seed(1)).expect("a network");
    let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
    while let Some(due) = ran.next_wake().filter(|&due| due < slot(2_300)) {
        ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
    }
    blocks.0.retain(|one| (200..2_200).contains(&one.slot));
    let bytes = |direction| {
        let own = blocks.0.iter().filter(|one| one.direction == direction);
        own.map(|one| u64::from(one.bytes)).sum()
    };
    ([bytes(DOWN), bytes(UP)], blocks.0)
}

fn pattern(letters: &str) -> Duplex {
    tdd_cell(letters, asking()).duplex
}

#[test]
fn a_loaded_cell_has_the_share_of_its_symbols() {
    // 36 696 bits a subframe (TS 36.213, table 7.1.7.2.1-1), 2 293 B a slot, 1 637 B in 10
    // symbols.
    let whole = u64::from(block_bytes(Qam64, DOWN, 28, 50)) / 2;
    assert_eq!(full(&Duplex::Fdd).0, [2_000 * whole; 2]);
    for (letters, [full_slots, special, uplink]) in [
        ("DDDSU", [3, 1, 1]),
        ("DDSUU", [2, 1, 2]),
        ("DSUUU", [1, 1, 3]),
        ("DDDSUDDSUU", [5, 2, 3]),
        ("DDDDDDDDDU", [9, 0, 1]),
    ] {
        let patterns = 2_000 / letters.len() as u64;
        let down = patterns * (full_slots * whole + special * 1_637);
        assert_eq!(full(&pattern(letters)).0, [down, patterns * uplink * whole], "{letters}");
    }
}

#[test]
fn special_slots_carry_data_uplink_where_the_pattern_has_it_so() {
    // 2 293 B in the 14 symbols of a slot, 655 B in 4 of them, 1 310 B in 8 downlink.
    let whole = u64::from(block_bytes(Qam64, DOWN, 28, 50)) / 2;
    let pattern = |letters: &str, [down, guard, up]: [u8; 3]| {
        let special = SpecialSlot::new(down, guard, up);
        Pattern::new(letters, special).expect("a pattern").with_special_uplink()
    };
    for (letters, symbols, [full_slots, special, uplink]) in [
        ("DDDSU", [8, 2, 4], [3, 1, 1]),
        ("DDFSU", [8, 2, 4], [2, 1, 1]),
        ("DDDSUDDSUU", [8, 2, 4], [5, 2, 3]),
    ] {
        let patterns = 2_000 / letters.len() as u64;
        let down = patterns * (full_slots * whole + special * 1_310);
        let up = patterns * (uplink * whole + special * 655);
        let (bytes, sent) = full(&Duplex::Tdd(pattern(letters, symbols)));
        assert_eq!(bytes, [down, up], "{letters}");
        assert!(
            sent.iter().all(|one| letters.as_bytes()[one.slot as usize % letters.len()] != b'F')
        );
    }
    // A symbol alone has no room for data beside its reference signals.
    let (bytes, _) = full(&Duplex::Tdd(pattern("DDDSU", [11, 2, 1])));
    assert_eq!(bytes[1], 400 * whole);
}

#[test]
fn flexible_slots_are_given_by_need() {
    // 12 of 14 symbols of a flexible slot carry data: 1 965 B of 2 293. D D F S U, 400 times.
    let whole = u64::from(block_bytes(Qam64, DOWN, 28, 50)) / 2;
    let duplex = || pattern("DDFSU");
    let bytes = |directions: [bool; 2]| {
        let (bytes, sent) = full_in(&duplex(), directions);
        let flexible = sent.iter().filter(|one| one.slot % 5 == 2);
        let count = |way| flexible.clone().filter(|one| one.direction == way).count();
        (bytes, [count(DOWN), count(UP)])
    };
    let special = 1_637;
    let down = |flexible: u64| 400 * (2 * whole + special) + flexible * 1_965;
    let up = |flexible: u64| 400 * whole + flexible * 1_965;
    // Each alone has all of them, and both have them in turn.
    assert_eq!(bytes([true, false]), ([down(400), 0], [400, 0]));
    assert_eq!(bytes([false, true]), ([0, up(400)], [0, 400]));
    assert_eq!(bytes([true, true]), ([down(200), up(200)], [200, 200]));
}

#[test]
fn an_uplink_packet_is_granted_a_special_slot() {
    let mut config = tdd("DDDSU", asking());
    let special = SpecialSlot::new(10, 2, 2);
    let pattern = Pattern::new("DDDSU", special).expect("a pattern").with_special_uplink();
    config.cells[0].duplex = Duplex::Tdd(pattern);
    config.cells[0].resource_blocks = 100;
    // Requested in slot 13, known in 15, decided in 15 for a grant in 16 and the special slot 18.
    let once = |sent: u64| (vec![sent], sent + 2);
    assert_eq!(by_arrival(&config, UP), [18, 18, 18, 18, 23].map(once));
}

#[test]
fn more_processes_than_blocks_under_way_or_less() {
    // A process that sends in 10 may do so again in 16, of 11 in 16, of 16 in 21, of 17 in 22. Two
    // of them serve two slots of five; four of five carry data.
    let full = |processes| {
        let mut config = tdd("DDDSU", asking());
        config.cells[0].harq = HarqConfig::Asynchronous { processes };
        let full = FullBuffer { flow: FlowId(0), start: Time::ZERO, stop: None };
        config.bearers[0].full_buffers = [Some(full), None];
        let mut ran = Ran::new(config, Seed(1)).expect("a network");
        let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
        while let Some(due) = ran.next_wake().filter(|&due| due < slot(2_000)) {
            ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
        }
        assert!(blocks.0.iter().all(|one| one.process < processes));
        blocks.0.len()
    };
    assert_eq!(full(16), full(8));
    assert!((2 * full(2)).abs_diff(full(16)) <= 4);
}

/// True if a cell of these letters has anything to decide in slot `n`. That is data downlink and
/// reports one slot later, or grants then for uplink slots two to `k2` slots later.
fn may_decide(letters: &str, access: Access, n: u64) -> bool {
    let letter = |n: u64| letters.as_bytes()[n as usize % letters.len()];
    let carries = |n: u64, kinds: &str| kinds.as_bytes().contains(&letter(n));
    let later = (n + 2..).find(|&n| carries(n, "DS")).expect("a downlink slot");
    let up = match access {
        Access::Instant => carries(n + 1, "UF"),
        _ => carries(n + 1, "DS") && (n + 3..later + 2).any(|n| carries(n, "UF")),
    };
    let report = matches!(access, Access::Reported { .. }) && carries(n + 1, "SU");
    carries(n + 1, "DSF") || up || report
}

/// Properties of the transmissions of asynchronous HARQ in both directions.
fn check_processes(sent: &[Sent]) {
    for (n, one) in sent.iter().enumerate() {
        let own = |other: &&Sent| (other.ue, other.direction) == (one.ue, one.direction);
        let before = sent[..n].iter().filter(own);
        assert!(before.clone().all(|other| other.slot != one.slot), "two blocks: {one:?}");
        let Some(last) = before.rev().find(|other| other.process == one.process) else {
            assert_eq!(one.attempt, 0);
            continue;
        };
        assert!(last.slot < one.slot, "{last:?} {one:?}");
        assert_eq!(last.new_data != one.new_data, one.attempt == 0, "{last:?} {one:?}");
        let empty = last.padding + 4 >= last.bytes;
        match one.attempt {
            0 => assert!(last.decoded || last.attempt == 3 || empty, "{last:?} {one:?}"),
            _ => assert_eq!((last.decoded, last.bytes), (false, one.bytes)),
        }
        if one.direction == DOWN {
            assert!(one.slot - last.slot >= 5, "{last:?} {one:?}");
        }
    }
}

fn any_access() -> impl Strategy<Value = Access> {
    let retry = SLOT * 320;
    prop_oneof![
        (1u64..20).prop_map(move |period| Access::SchedulingRequest { period, grant: 100, retry }),
        (1u64..20).prop_map(|period| Access::Configured { period, resource_blocks: 2 }),
        Just(Access::Instant),
        (1u64..10).prop_map(|period| Access::Reported { period: SLOT * period }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]
    #[test]
    fn nothing_is_sent_against_the_pattern_and_everything_arrives(
        letters in "D[DFSU]{0,8}U[DFSU]{0,4}",
        access in any_access(),
        offsets in [0u64..20, 0u64..20],
        processes in 1u16..17,
        error in prop_oneof![Just(None), Just(Some(0.3))],
        arrivals in prop::collection::vec((0u64..1_500_000, 40u32..1_500, 0u32..2), 1..40),
    ) {
        let mut config = config(9, access, 1e10);
        let cell = tdd_cell(&letters, access);
        let harq = HarqConfig::Asynchronous { processes };
        config.cells[0] = CellConfig { harq, first_error: error, resource_blocks: 25, ..cell };
        let (mut ue, mut bearer) = (config.ues[0].clone(), config.bearers[0]);
        (ue.bearers, bearer.ue, bearer.teid) = (vec![BearerId(1)], UeId(1), 8);
        config.ues.push(ue);
        config.bearers.push(bearer);
        let period = match access {
            Access::SchedulingRequest { period, .. } | Access::Configured { period, .. } => period,
            _ => 1,
        };
        for (ue, offset) in config.ues.iter_mut().zip(offsets) {
            ue.offset = offset % period;
        }
        let mut ran = Ran::new(config, Seed(1)).expect("a network");
        let (mut bench, mut blocks, mut now) = (Bench::new(), Blocks::default(), Time::ZERO);
        let all = arrivals.iter().copied().chain([(10_000_000_000, 0, 0)]);
        for (gap, size, ue) in all {
            now += Duration::from_nanos(gap);
            while let Some(due) = ran.next_wake().filter(|&due| due <= now) {
                if ran.next_job().is_none_or(|job| job > due) {
                    let n = due.as_nanos() / SLOT.as_nanos();
                    prop_assert!(due == slot(n) && may_decide(&letters, access, n), "{}", n);
                }
                ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
            }
            if size > 0 {
                ran.receive(now, Ran::ue(UeId(ue)), packet(now, size), &mut bench.cx(now));
                ran.receive(now, Ran::CORE, in_tunnel(now, size, 7 + ue), &mut bench.cx(now));
            }
        }
        prop_assert_eq!(ran.held(), Held::default());
        prop_assert_eq!(bench.ledger().sent.packets, 2 * arrivals.len() as u64);
        prop_assert_eq!(ran.audit(), Ok(()));
        if !matches!(access, Access::Configured { .. }) {
            prop_assert_eq!(ran.next_wake(), None);
        }
        let letter = |n: u64| letters.as_bytes()[n as usize % letters.len()];
        for one in &blocks.0 {
            let carries = if one.direction == DOWN { "DSF" } else { "UF" };
            prop_assert!(carries.as_bytes().contains(&letter(one.slot)), "{:?}", one);
            let other = blocks.0.iter().find(|other| other.slot == one.slot && other.direction != one.direction);
            prop_assert!(other.is_none(), "{:?} {:?}", one, other);
        }
        check_processes(&blocks.0);
    }
}

#[test]
fn what_time_division_cannot_be_is_refused() {
    let refused = |change: fn(&mut CellConfig)| {
        let mut config = tdd("DDDSU", asking());
        change(&mut config.cells[0]);
        Ran::new(config, Seed(1)).err()
    };
    assert_eq!(refused(|_| {}), None);
    assert_eq!(refused(|cell| cell.harq = HarqConfig::Synchronous), Some(RanError::TddHarq));
    let mini_slot = |cell: &mut CellConfig| cell.tti = Tti::nr(1, 2).expect("a mini-slot");
    assert_eq!(refused(mini_slot), None);
    let three_symbols = |cell: &mut CellConfig| cell.tti = Tti::nr(1, 3).expect("an interval");
    assert_eq!(refused(three_symbols), Some(RanError::TddTti));
    let none = |cell: &mut CellConfig| cell.harq = HarqConfig::Asynchronous { processes: 0 };
    assert_eq!(refused(none), Some(RanError::Processes(0)));
}

#[derive(Default)]
struct Elements(u64);

impl Probe for Elements {
    fn on(&mut self, _now: Time, _node: NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::Control { used, .. }) = *event {
            self.0 += u64::from(used);
        }
    }
}

#[test]
fn assignments_and_grants_on_the_air_together_share_the_elements() {
    // Grants are prepared for two slots, assignments for one, so that each slot of a pattern decides
    // something. Four of five have downlink and one element, for an assignment or a grant.
    let mut config = tdd("DDDSU", asking());
    let cell = &mut config.cells[0];
    cell.timing.grant_preparation = SLOT * 2;
    cell.control = Control::Modelled { elements: 1, most: 8, errors: false };
    config.bearers[0].full_buffers =
        [0, 1].map(|flow| Some(FullBuffer { flow: FlowId(flow), start: Time::ZERO, stop: None }));
    let mut ran = Ran::new(config, Seed(1)).expect("a network");
    let (mut bench, mut elements) = (Bench::new(), Elements::default());
    while let Some(due) = ran.next_wake().filter(|&due| due < slot(2_000)) {
        ran.wake(due, &mut bench.cx_watched(due, &mut elements));
    }
    let used = elements.0;
    assert!((1_590..=1_600).contains(&used), "{used}");
}
