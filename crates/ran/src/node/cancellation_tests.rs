//! Uplink cancellation by hand, in a cell of six resource blocks. TTIs last 1 ms with frequency division duplex. Of time
//! division duplex the pattern is D D D S U, and slots last half a millisecond.

use airpath_base::random::Seed;
use airpath_base::{BearerId, Duration, NodeId, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Held, Node, Probe};
use proptest::prelude::*;

use super::super::tdd_tests::{Blocks, Sent};
use super::super::tests::{any_cell, asking, config, packet};
use super::super::{Ran, RanError};
use super::*;
use crate::Tti;
use crate::config::{Access, BearerConfig, HarqConfig, RanConfig};
use crate::duplex::{Duplex, Pattern, SpecialSlot};

const MS: Duration = Duration::from_millis(1);
const SLOT: Duration = Duration::from_micros(500);

/// Blocks that were decoded, and UE, process and resource blocks of grants that were taken back.
#[derive(Default)]
struct Seen {
    blocks: Blocks,
    cancelled: Vec<(UeId, u16, u16)>,
}

impl Probe for Seen {
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        self.blocks.on(now, node, event);
        if let Event::Radio(RadioEvent::Cancelled { ue, process, resource_blocks, .. }) = *event {
            self.cancelled.push((ue, process, resource_blocks));
        }
    }
}

impl Seen {
    fn slots(&self, ue: u32) -> Vec<u64> {
        self.of(ue).map(|sent| sent.slot).collect()
    }

    fn of(&self, ue: u32) -> impl Iterator<Item = &Sent> {
        let uplink = |sent: &&Sent| sent.direction == UP;
        self.blocks.0.iter().filter(uplink).filter(move |sent| sent.ue == UeId(ue))
    }
}

/// So many UEs that pre-empt others, and one behind them that does not; all may ask in the same TTIs.
fn with_ues(mut config: RanConfig, urgent: u32) -> RanConfig {
    for number in 1..=urgent {
        let mut next = config.ues[0].clone();
        (next.number, next.bearers) = (number.into(), vec![BearerId(number)]);
        let teid = config.bearers[0].teid + number;
        config.bearers.push(BearerConfig { ue: UeId(number), teid, ..config.bearers[0] });
        config.ues.push(next);
    }
    config.ues.iter_mut().take(urgent as usize).for_each(|ue| ue.pre_empts = true);
    config
}

/// Requests each 5 ms take 2 ms; k2 is 4 ms, and a grant takes 2 ms until the UE fills its block.
fn fdd(urgent: u32, cancellation: Option<Cancellation>) -> RanConfig {
    let mut config = config(9, asking(), 1e10);
    config.cells[0].harq = HarqConfig::NR;
    config.cells[0].uplink.cancellation = cancellation;
    with_ues(config, urgent)
}

/// Requests in each slot U take two slots; k2 is 4 slots, and a grant takes a slot until the UE fills its block.
fn tdd(urgent: u32, cancellation: Option<Cancellation>) -> RanConfig {
    let mut config = config(9, asking(), 1e10);
    let mut cell = any_cell(asking(), Tti::nr(1, 14).expect("a slot"));
    let pattern = Pattern::new("DDDSU", SpecialSlot::new(10, 2, 2)).expect("a pattern");
    (cell.duplex, cell.harq, cell.resource_blocks) = (Duplex::Tdd(pattern), HarqConfig::NR, 6);
    cell.timing.grant_preparation = SLOT;
    cell.timing.grant_transmission = SLOT / 2;
    cell.timing.grant_decoding = SLOT / 2;
    cell.uplink.cancellation = cancellation;
    config.cells[0] = cell;
    config.ues[0].offset = 4;
    with_ues(config, urgent)
}

fn cancellation(grant_to_transmission: Duration, indication: Duration) -> Option<Cancellation> {
    Some(Cancellation { grant_to_transmission, indication })
}

/// Runs a network whose last UE has 40 packets from 1 ms on. A packet comes for each of the others at `arrival`. Gives what
/// was seen, and the times at which their packets leave.
fn run(config: RanConfig, arrival: Time) -> (Seen, Vec<Time>) {
    let urgent = config.ues.len() as u32 - 1;
    let mut ran = Ran::new(config, Seed(1)).expect("a network");
    let (mut bench, mut seen, mut left) = (Bench::new(), Seen::default(), Vec::new());
    let begin = Time::from_millis(1);
    for _ in 0..40 {
        ran.receive(begin, Ran::ue(UeId(urgent)), packet(begin, 1_400), &mut bench.cx(begin));
    }
    let mut sent = false;
    loop {
        match ran.next_wake() {
            Some(due) if sent || due <= arrival => {
                ran.wake(due, &mut bench.cx_watched(due, &mut seen));
                let small = bench.sent().into_iter().filter(|(_, packet)| packet.size < 1_000);
                left.extend(small.map(|_| due));
            }
            None if sent => break,
            _ => {
                sent = true;
                for ue in 0..urgent {
                    let cx = &mut bench.cx(arrival);
                    ran.receive(arrival, Ran::ue(UeId(ue)), packet(arrival, 40), cx);
                }
            }
        }
    }
    // All came once.
    assert_eq!(bench.ledger().sent.packets, u64::from(40 + urgent));
    assert_eq!((ran.held(), ran.audit()), (Held::default(), Ok(())));
    (seen, left)
}

/// The arrival behind the opportunity at 30 ms and before that at 35 ms.
fn fdd_arrival() -> Time {
    Time::from_nanos(31_000_001)
}

#[test]
fn without_cancellation_a_grant_waits_for_k2_of_all() {
    // Opportunity at 35 ms, detected at 37, grant at 39, transmission from 43 to 44, decoded at 45 ms.
    let (seen, left) = run(fdd(1, None), fdd_arrival());
    assert_eq!(left, [Time::from_millis(45)]);
    assert_eq!((seen.slots(0), seen.cancelled.len()), (vec![43], 0));
}

#[test]
fn a_grant_takes_resource_blocks_back() {
    // Grant at 39 ms, transmission two later from 41 to 42, decoded at 43 ms.
    let (seen, left) = run(fdd(1, cancellation(MS * 2, MS)), fdd_arrival());
    assert_eq!(left, [Time::from_millis(43)]);
    assert_eq!(seen.slots(0), [41]);
    // 105 bytes take two resource blocks (TS 36.213, table 7.1.7.2.1-1: 712 and 1480 bits). The other UE had all six.
    assert_eq!(seen.of(0).next().map(|sent| sent.resource_blocks), Some(2));
    let [(UeId(1), process, 6)] = seen.cancelled[..] else { panic!("{:?}", seen.cancelled) };
    // It sends in each TTI but that one. It fills its block at 39 ms, when the cell decides TTI 45.
    let slots = seen.slots(1).into_iter().filter(|slot| (21..=60).contains(slot));
    assert_eq!(
        slots.collect::<Vec<u64>>(),
        (21..=60).filter(|slot| *slot != 41).collect::<Vec<u64>>()
    );
    let again = seen.of(1).find(|sent| sent.slot > 41 && sent.process == process);
    let again = again.expect("the block");
    assert_eq!((again.slot, again.attempt, again.decoded), (45, 0, true));
}

#[test]
fn a_block_that_is_filled_already_is_not_sent() {
    // No time from a decision to its grant: UEs fill blocks two TTIs before, which is when the cell decides. Detected at
    // 37 ms, transmission from 39 to 40, decoded at 41 ms.
    let mut config = fdd(1, cancellation(MS * 2, MS));
    config.cells[0].timing.grant_preparation = Duration::ZERO;
    let (seen, left) = run(config, fdd_arrival());
    assert_eq!(left, [Time::from_millis(41)]);
    assert_eq!((seen.slots(0), seen.slots(1).contains(&39)), (vec![39], false));
    let [(UeId(1), process, 6)] = seen.cancelled[..] else { panic!("{:?}", seen.cancelled) };
    // Its block goes first in TTI 41, which is decided at 37 ms.
    let again = seen.of(1).find(|sent| sent.slot == 41).expect("a block");
    assert_eq!((again.process, again.attempt, again.decoded), (process, 0, true));
}

#[test]
fn an_indication_takes_its_time() {
    // The indication ends at 40 ms, and two later TTI 42 is the first that it can cancel.
    let (seen, left) = run(fdd(1, cancellation(MS * 2, MS * 2)), fdd_arrival());
    assert_eq!(left, [Time::from_millis(44)]);
    assert_eq!((seen.slots(0), seen.slots(1).contains(&42)), (vec![42], false));
}

#[test]
fn free_resource_blocks_go_first() {
    // The last UE's packets have left by then.
    let (seen, left) = run(fdd(1, cancellation(MS * 2, MS)), Time::from_nanos(511_000_001));
    assert_eq!((left, seen.cancelled.len()), (vec![Time::from_millis(523)], 0));
}

#[test]
fn ues_that_pre_empt_share_what_was_taken_back() {
    let (seen, left) = run(fdd(3, cancellation(MS * 2, MS)), fdd_arrival());
    // Three times two resource blocks, and a fourth UE would have none: those of UEs that pre-empt stay theirs.
    assert_eq!((left, seen.cancelled.len()), (vec![Time::from_millis(43); 3], 1));
    let (seen, left) = run(fdd(4, cancellation(MS * 2, MS)), fdd_arrival());
    let mut expected = vec![Time::from_millis(43); 3];
    expected.push(Time::from_millis(44));
    assert_eq!((left, seen.cancelled.len()), (expected, 2));
}

#[test]
fn with_tdd_the_next_uplink_slot_is_taken_although_it_was_granted() {
    // Slots 34, 39 and 44 are U. The request of slot 34 is detected at the begin of slot 36. Slot 39 has been granted in
    // slot 35, and slot 44 is granted in slot 40. With a k2 of two slots the grant is in slot 37, for slot 39.
    let slot = |n: u64| Time::ZERO + SLOT * n;
    let arrival = slot(33) + SLOT / 4;
    let (seen, left) = run(tdd(1, None), arrival);
    assert_eq!((seen.slots(0), left), (vec![44], vec![slot(46)]));
    let (seen, left) = run(tdd(1, cancellation(SLOT * 2, SLOT)), arrival);
    assert_eq!((seen.slots(0), left), (vec![39], vec![slot(41)]));
    let [(UeId(1), process, 6)] = seen.cancelled[..] else { panic!("{:?}", seen.cancelled) };
    assert!(!seen.slots(1).contains(&39));
    let again = seen.of(1).find(|sent| sent.slot == 44).expect("a block");
    assert_eq!((again.process, again.attempt), (process, 0));
}

#[test]
fn conditions_are_checked() {
    let refused = |change: &dyn Fn(&mut RanConfig)| {
        let mut config = fdd(1, cancellation(MS * 2, MS));
        change(&mut config);
        Ran::new(config, Seed(1)).err()
    };
    let error = Some(RanError::Cancellation(airpath_base::CellId(0)));
    assert_eq!(refused(&|_| ()), None);
    assert_eq!(refused(&|config| config.cells[0].harq = HarqConfig::Synchronous), error);
    assert_eq!(refused(&|config| config.cells[0].uplink.access = Access::Instant), error);
    let late = cancellation(MS, MS);
    assert_eq!(refused(&|config| config.cells[0].uplink.cancellation = late), error);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn all_packets_come_once(
        is_tdd in any::<bool>(),
        urgent in 1u32..4,
        error in prop_oneof![Just(None), Just(Some(0.3))],
        indication in 0u64..3,
        arrivals in prop::collection::vec((0u64..3_000_000, 0u32..4, 40u32..1_500), 1..60),
    ) {
        let mut config = match is_tdd {
            true => tdd(urgent, cancellation(SLOT, SLOT * indication)),
            false => fdd(urgent, cancellation(MS * 2, MS * indication)),
        };
        config.cells[0].first_error = error;
        let mut ran = Ran::new(config, Seed(3)).expect("a network");
        let (mut bench, mut seen, mut now) = (Bench::new(), Seen::default(), Time::ZERO);
        for &(gap, ue, size) in &arrivals {
            now += Duration::from_nanos(gap);
            while let Some(due) = ran.next_wake().filter(|due| *due <= now) {
                ran.wake(due, &mut bench.cx_watched(due, &mut seen));
            }
            ran.receive(now, Ran::ue(UeId(ue.min(urgent))), packet(now, size), &mut bench.cx(now));
        }
        while let Some(due) = ran.next_wake() {
            ran.wake(due, &mut bench.cx_watched(due, &mut seen));
        }
        prop_assert_eq!(ran.held(), Held::default());
        prop_assert_eq!(bench.ledger().sent.packets, arrivals.len() as u64);
        prop_assert_eq!(ran.audit(), Ok(()));
        // No two blocks have a resource block in common: six of them are in a slot at most.
        let mut taken = std::collections::BTreeMap::new();
        for sent in seen.blocks.0.iter().filter(|sent| sent.direction == UP) {
            *taken.entry(sent.slot).or_insert(0) += sent.resource_blocks;
        }
        prop_assert!(taken.values().all(|count| *count <= 6));
    }
}
