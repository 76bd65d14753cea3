//! HARQ of the whole node, by what it reports of its blocks.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{BearerId, Duration, NodeId, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Direction, Event, Node, Probe, RadioEvent};
use proptest::prelude::*;

use super::super::Ran;
use super::super::tests::{asking, config, in_tunnel, packet, watched};
use crate::config::{Access, CellConfig, RanConfig};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;
const TTI: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug)]
struct Sent {
    ue: UeId,
    direction: Direction,
    slot: u64,
    process: u16,
    new_data: bool,
    attempt: u8,
    decoded: bool,
    bytes: u32,
    padding: u32,
}

impl Sent {
    /// True if there is nothing but a report of two or four bytes in it, which is not sent
    /// again.
    fn is_empty(&self) -> bool {
        self.padding + 4 >= self.bytes
    }
}

/// All transmissions in the order of their decoding.
#[derive(Default)]
struct Blocks(Vec<Sent>);

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
                bytes,
                padding,
            });
        }
    }
}

/// Two UEs, alike.
fn two(access: Access, snr: f64) -> RanConfig {
    let mut two = config(9, access, snr);
    let (mut ue, mut bearer) = (two.ues[0].clone(), two.bearers[0]);
    (ue.bearers, ue.offset) = (vec![BearerId(1)], 1);
    (bearer.ue, bearer.teid) = (UeId(1), 8);
    two.ues.push(ue);
    two.bearers.push(bearer);
    two
}

/// A packet for and one from each UE every `gap` for a second, and what was on the air.
fn carry(config: RanConfig, gap: Duration, size: u32) -> Vec<Sent> {
    let blocks: Blocks = watched(config, gap, |ran, now, bench| {
        for n in 0..2 {
            let cx = &mut bench.cx(now);
            ran.receive(now, Ran::CORE, in_tunnel(now, size, 7 + n), cx);
            ran.receive(now, Ran::ue(UeId(n)), packet(now, size), cx);
        }
    });
    blocks.0
}

/// Properties of all transmissions. `round_trip` is the least number of TTIs between those
/// of a block, uplink the exact one.
fn check(sent: &[Sent], round_trip: u64) {
    let mut in_slot = BTreeMap::new();
    let mut process: BTreeMap<_, Sent> = BTreeMap::new();
    for one in sent {
        let place = (one.ue, one.direction, one.slot);
        assert_eq!(in_slot.insert(place, one.process), None, "two blocks in a TTI: {one:?}");
        let before = process.insert((one.ue, one.direction, one.process), *one);
        let Some(before) = before else {
            assert_eq!(one.attempt, 0);
            continue;
        };
        let apart = one.slot - before.slot;
        assert!(apart >= round_trip, "{before:?} {one:?}");
        match one.attempt {
            // A process takes a new block when the one before is decoded or given up.
            0 => assert!(before.decoded || before.attempt == 3 || before.is_empty(), "{before:?}"),
            _ => assert_eq!((before.decoded, before.bytes), (false, one.bytes)),
        }
        assert_eq!(one.new_data != before.new_data, one.attempt == 0, "{before:?} {one:?}");
        if one.direction == UP {
            assert_eq!(apart % round_trip, 0, "{before:?} {one:?}");
        }
    }
}

#[test]
fn a_ue_has_one_block_a_tti_and_a_process_one_block() {
    let sent = carry(two(asking(), 0.5), TTI, 300);
    check(&sent, 8);
    for direction in [DOWN, UP] {
        let failed = sent.iter().filter(|one| one.direction == direction && !one.decoded).count();
        assert!(failed > 100, "{failed}");
    }
}

#[test]
fn where_feedback_comes_after_the_grant_the_retransmission_takes_its_place() {
    let mut config = two(asking(), 1e10);
    config.cells[0].timing.uplink_processing = TTI * 2;
    config.cells[0].first_error = Some(0.3);
    let sent = carry(config, TTI, 300);
    check(&sent, 8);
    // Granted in each TTI all the same, as if nothing had failed.
    let up = sent.iter().filter(|one| one.direction == UP).count();
    assert!(up > 900, "{up}");
    let late = sent.iter().filter(|one| one.direction == UP && one.attempt == 1);
    assert!(late.count() > 100);
}

#[test]
fn a_round_trip_is_no_shorter_than_feedback_takes() {
    let mut config = two(asking(), 1e10);
    config.cells[0].timing.uplink_processing = TTI * 20;
    config.cells[0].timing.downlink_processing = TTI * 20;
    config.cells[0].first_error = Some(0.3);
    let sent = carry(config, TTI, 300);
    // 1 TTI on the air, 20 to decode, 2 from filling to the air: 24 are the least above.
    check(&sent.iter().copied().filter(|one| one.direction == UP).collect::<Vec<_>>(), 24);
    check(&sent.iter().copied().filter(|one| one.direction == DOWN).collect::<Vec<_>>(), 23);
}

#[test]
fn the_slot_is_that_on_the_air() {
    let mut ran = Ran::new(config(7, asking(), 1e10), Seed(1)).expect("a network");
    let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
    let start = Time::from_nanos(10_300_000);
    ran.receive(start, Ran::CORE, in_tunnel(start, 200, 7), &mut bench.cx(start));
    ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start));
    while let Some(due) = ran.next_wake().filter(|&due| due < Time::from_millis(100)) {
        ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
    }
    // Decided at 11 ms, on the air from 13 ms. Requested at 15, detected at 17, granted at
    // 19, on the air from 23 ms.
    let slots: Vec<u64> = blocks.0.iter().take(2).map(|one| one.slot).collect();
    assert_eq!(slots, [13, 23]);
}

fn any_access() -> impl Strategy<Value = Access> {
    let retry = TTI * 320;
    prop_oneof![
        (2u64..20).prop_map(move |period| Access::SchedulingRequest { period, grant: 100, retry }),
        (2u64..20).prop_map(|period| Access::Configured { period, resource_blocks: 2 }),
        Just(Access::Instant),
        (1u64..10).prop_map(|period| Access::Reported { period: TTI * period }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn processes_hold_under_any_timing(
        access in any_access(),
        preparation in 0u64..4,
        processing_us in 0u64..30_000,
        processing_up_us in 0u64..30_000,
        to_transmission in 2u64..6,
        round_trip in 1u64..17,
        error in 0.0f64..0.9,
        size in 40u32..1_000,
    ) {
        let mut config = two(access, 1e10);
        let cell: &mut CellConfig = &mut config.cells[0];
        cell.timing.downlink_preparation = TTI * preparation;
        cell.timing.grant_preparation = TTI * preparation;
        cell.timing.downlink_processing = Duration::from_micros(processing_us);
        cell.timing.uplink_processing = Duration::from_micros(processing_up_us);
        cell.timing.grant_to_transmission = TTI * to_transmission;
        cell.timing.harq_round_trip = TTI * round_trip;
        cell.first_error = Some(error);
        let [down, up] = super::super::harq::round_trips(cell);
        let sent = carry(config, TTI * 2, size);
        let of = |direction| sent.iter().copied().filter(move |one| one.direction == direction);
        // Downlink a block that failed may be sent again before its process would be free.
        check(&of(UP).collect::<Vec<_>>(), up);
        check(&of(DOWN).collect::<Vec<_>>(), round_trip.min(down));
    }
}
