//! Secondary cells of the whole node, by what it reports of its blocks and hands up.

use airpath_base::random::Seed;
use airpath_base::{CellId, Db, Duration, NodeId, Time, UeId, rrc};
use airpath_net::testing::Bench;
use airpath_net::{Change, Direction, Event, Held, Node, Probe, RadioEvent};
use proptest::prelude::*;

use super::super::tests::{any_cell, asking, config, in_tunnel, packet};
use super::super::{Ran, RanError};
use crate::Tti;
use crate::config::{Access, Activation, CellConfig, HarqConfig, RanConfig, Secondary, UeCarrier};
use crate::duplex::{Duplex, Pattern, SpecialSlot};
use crate::rrc::{Promotion, RrcConfig};

const TTI: Duration = Duration::from_millis(1);

/// A transmission that was received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::node) struct Received {
    pub at: Time,
    pub cell: usize,
    pub direction: Direction,
    pub slot: u64,
    pub resource_blocks: u16,
    pub attempt: u8,
    pub bytes: u32,
    pub sinr_db: f32,
    pub decoded: bool,
}

/// All transmissions that were received.
#[derive(Default)]
pub(in crate::node) struct Blocks(pub Vec<Received>);

impl Probe for Blocks {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::Block {
            cell,
            direction,
            slot,
            resource_blocks,
            attempt,
            bytes,
            sinr_db,
            decoded,
            ..
        }) = *event
        {
            let (at, cell) = (now, cell.index());
            self.0.push(Received {
                at,
                cell,
                direction,
                slot,
                resource_blocks,
                attempt,
                bytes,
                sinr_db,
                decoded,
            });
        }
    }
}

/// A UE whose bearer has this QCI, at 40 dB, in a cell of 100 resource blocks with secondary cells.
pub(in crate::node) fn carriers(
    qci: u8,
    secondaries: Vec<(CellConfig, Option<Activation>)>,
) -> RanConfig {
    let mut config = config(qci, asking(), 1e4);
    config.cells[0] = any_cell(asking(), Tti::LTE);
    let secondaries = secondaries.into_iter().map(|(cell, activation)| {
        let role = Secondary { of: CellId(0), activation, addition: None };
        CellConfig { secondary: Some(role), ..cell }
    });
    config.cells.extend(secondaries);
    config
}

/// A network whose UE sends on all carriers.
pub(in crate::node) fn sending(mut config: RanConfig) -> RanConfig {
    config.ues[0].carriers = vec![UeCarrier { uplink: true, ..UeCarrier::ALIKE }; 8];
    config
}

/// Packets in a direction at their times, all below `end`. Gives blocks in that direction, and packets
/// that were handed up with their sizes and times.
pub(in crate::node) fn carry(
    direction: Direction,
    config: RanConfig,
    packets: &[(Time, u32)],
    end: Time,
) -> (Vec<Received>, Vec<(Time, u32)>) {
    let to = match direction {
        Direction::Downlink => Ran::ue(UeId(0)),
        Direction::Uplink => Ran::CORE,
    };
    let mut ran = Ran::new(config, Seed(3)).expect("a network");
    let (mut bench, mut blocks, mut left) = (Bench::new(), Blocks::default(), Vec::new());
    let mut packets = packets.iter().peekable();
    loop {
        let next = packets.peek().map(|(at, _)| *at);
        let due = ran.next_wake().filter(|due| next.is_none_or(|next| *due < next));
        let Some(now) = due.or(next).filter(|now| *now <= end) else { break };
        let cx = &mut bench.cx_watched(now, &mut blocks);
        match due {
            Some(now) => ran.wake(now, cx),
            None => {
                let size = packets.next().expect("one").1;
                match direction {
                    Direction::Downlink => ran.receive(now, Ran::CORE, in_tunnel(now, size, 7), cx),
                    Direction::Uplink => ran.receive(now, Ran::ue(UeId(0)), packet(now, size), cx),
                }
            }
        }
        let sent = bench.sent().into_iter().filter(|(port, _)| *port == to);
        left.extend(sent.map(|(_, packet)| (now, packet.size)));
    }
    assert_eq!(ran.audit(), Ok(()));
    assert_eq!(ran.held(), Held::default());
    blocks.0.retain(|block| block.direction == direction);
    (blocks.0, left)
}

/// A cell whose TTI is an eighth of a millisecond: its round trip is 1 ms, where that of LTE is 8.
pub(in crate::node) fn fast(access: Access) -> CellConfig {
    any_cell(access, Tti::new(TTI / 8).expect("a TTI"))
}

fn any_access() -> impl Strategy<Value = Access> {
    prop_oneof![
        Just(asking()),
        Just(Access::Instant),
        Just(Access::Reported { period: TTI * 5 }),
        Just(Access::Configured { period: 10, resource_blocks: 4 }),
    ]
}

#[test]
fn packets_of_carriers_with_8_and_1_ms_round_trip_leave_in_order() {
    let kinds = [7, 9].map(|qci| Direction::ALL.map(|direction| (qci, direction)));
    for (qci, direction) in kinds.into_iter().flatten() {
        let mut config = sending(carriers(qci, vec![(fast(asking()), None)]));
        config.cells.iter_mut().for_each(|cell| cell.first_error = Some(0.3));
        let at = |n: u64| Time::from_nanos(1_000_000 + 150_000 * n);
        let packets: Vec<(Time, u32)> = (0..1_400).map(|n| (at(n), 100 + n as u32)).collect();
        let (blocks, left) = carry(direction, config, &packets, Time::from_millis(3_000));
        let sizes = |packets: &[(Time, u32)]| packets.iter().map(|(_, size)| *size).collect();
        let (sizes, expected): (Vec<u32>, Vec<u32>) = (sizes(&left), sizes(&packets));
        assert_eq!(sizes, expected);
        for (cell, round_trip) in [(0, TTI * 8), (1, TTI)] {
            let own: Vec<&Received> = blocks.iter().filter(|block| block.cell == cell).collect();
            assert!(own.len() > 100, "carrier {cell} has {}", own.len());
            let again = own.iter().filter(|block| block.attempt == 1);
            let mut failed = own.iter().filter(|block| !block.decoded);
            // The first that failed is sent again a round trip later.
            let (first, again) = (failed.next().expect("one"), again.min_by_key(|b| b.at));
            assert_eq!(again.expect("one").at.since(first.at), round_trip);
        }
    }
}

#[test]
fn two_carriers_that_are_alike_carry_twice_as_much() {
    let second = any_cell(asking(), Tti::LTE);
    let packets = vec![(Time::from_millis(5), 1_400); 400];
    let bytes = |direction, config| {
        let (blocks, left) = carry(direction, config, &packets, Time::from_millis(3_000));
        assert_eq!(left.len(), 400);
        let mut full = [0; 2];
        // Three slots in the middle are full on both.
        let middle = blocks[blocks.len() / 2].slot;
        for block in blocks.iter().filter(|block| (middle - 1..=middle + 1).contains(&block.slot)) {
            full[block.cell] += block.bytes;
        }
        full
    };
    for direction in Direction::ALL {
        let [one, none] = bytes(direction, carriers(7, Vec::new()));
        assert!(none == 0 && one > 0);
        let both = |second| sending(carriers(7, vec![(second, None)]));
        assert_eq!(bytes(direction, both(second.clone())), [one, one]);
    }
    // A UE that sends in its cell alone.
    let config = carriers(7, vec![(second, None)]);
    assert_eq!(bytes(Direction::Uplink, config)[1], 0);
}

#[test]
fn a_secondary_cell_is_activated_by_data_and_deactivated_by_its_timer() {
    let activation = Activation { bytes: 20_000, delay: TTI * 24, timer: Some(TTI * 20) };
    let config = || carriers(7, vec![(any_cell(asking(), Tti::LTE), Some(activation))]);
    let second = |packets: &[(Time, u32)]| {
        let (blocks, left) =
            carry(Direction::Downlink, config(), packets, Time::from_millis(3_000));
        assert_eq!(left.len(), packets.len());
        let own = blocks.iter().filter(|block| block.cell == 1);
        own.map(|block| block.slot).collect::<Vec<u64>>()
    };
    let burst = |at: u64, count: usize| vec![(Time::from_millis(at), 1_400); count];
    // 19.6 kB are too few.
    assert_eq!(second(&burst(10, 14)), Vec::<u64>::new());
    // 700 kB in 9 kB a TTI last longer than the delay. The first decision is at 34 ms, two TTIs before
    // its block.
    let long = second(&burst(10, 500));
    assert_eq!(long[0], 10 + 24 + 2);
    // The next packet soon after finds it active; one that comes 20 ms after the last assignment does not.
    let last = long[long.len() - 1];
    let with = |at: u64| second(&[burst(10, 500), burst(at, 14)].concat());
    assert!(with(last + 15).len() > long.len());
    assert_eq!(with(last + 30), long);
}

proptest! {
    #[test]
    fn all_carriers_carry_everything(
        numerologies in prop::collection::vec((0u8..4, prop::option::of(0u32..5_000)), 1..4),
        qci in prop_oneof![Just(7u8), Just(9)],
        error in prop_oneof![Just(None), Just(Some(0.3))],
        timer in prop::option::of(1u64..40),
        arrivals in prop::collection::vec((0u64..200_000, 40u32..1_500), 1..200),
        uplink in any::<bool>(),
        access in any_access(),
    ) {
        let secondary = |(mu, bytes): (u8, Option<u32>)| {
            let cell = any_cell(access, Tti::nr(mu, 14).expect("a slot"));
            let timer = timer.map(|ttis| TTI * ttis);
            (cell, bytes.map(|bytes| Activation { bytes, delay: TTI * 8, timer }))
        };
        let mut config = sending(carriers(qci, numerologies.into_iter().map(secondary).collect()));
        config.cells[0] = any_cell(access, Tti::LTE);
        config.cells.iter_mut().for_each(|cell| cell.first_error = error);
        let mut packets: Vec<(Time, u32)> =
            arrivals.into_iter().map(|(at, size)| (Time::from_nanos(1_000 * at), size)).collect();
        packets.sort_by_key(|(at, _)| *at);
        let direction = if uplink { Direction::Uplink } else { Direction::Downlink };
        let (_, left) = carry(direction, config, &packets, Time::from_millis(5_000));
        let sizes = |packets: &[(Time, u32)]| packets.iter().map(|(_, size)| *size).collect();
        let (left, sent): (Vec<u32>, Vec<u32>) = (sizes(&left), sizes(&packets));
        prop_assert_eq!(left, sent);
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_sight_of_where_links_fail_and_connections_end(
        qci in prop_oneof![Just(7u8), Just(9)],
        activation in prop::option::of((0u32..5_000, 1u64..40, prop::option::of(1u64..40))),
        drx in any::<bool>(),
        with_rrc in any::<bool>(),
        access in any_access(),
        steps in prop::collection::vec((1u64..400, -30i32..30, 40u32..1_500, 0u32..30), 1..30),
    ) {
        let activation = activation.map(|(bytes, delay, timer)| Activation {
            bytes,
            delay: TTI * delay,
            timer: timer.map(|ttis| TTI * ttis),
        });
        let secondaries = vec![(any_cell(access, Tti::LTE), activation), (fast(access), None)];
        let mut config = sending(carriers(qci, secondaries));
        config.cells[0] = any_cell(access, Tti::LTE);
        config.ues[0].rrc = with_rrc.then(|| radio(drx));
        let mut ran = Ran::new(config, Seed(2)).expect("a network");
        let (mut bench, mut end) = (Bench::new(), Time::ZERO);
        for (gap, db, size, count) in steps {
            end += TTI * gap;
            wake(&mut ran, &mut bench, end);
            let change = Change::Snr { ue: UeId(0), direction: Direction::Downlink, snr: Db(db.into()) };
            ran.change(end, &change, &mut bench.cx(end)).expect("a change");
            for _ in 0..count {
                ran.receive(end, Ran::CORE, in_tunnel(end, size, 7), &mut bench.cx(end));
                ran.receive(end, Ran::ue(UeId(0)), packet(end, size), &mut bench.cx(end));
            }
            prop_assert_eq!(ran.audit(), Ok(()));
        }
        for direction in Direction::ALL {
            let change = Change::Snr { ue: UeId(0), direction, snr: Db(20.0) };
            ran.change(end, &change, &mut bench.cx(end)).expect("a change");
        }
        wake(&mut ran, &mut bench, end + TTI * 20_000);
        prop_assert_eq!(ran.audit(), Ok(()));
        prop_assert_eq!(ran.held(), Held::default());
        prop_assert_eq!(bench.error(), None);
    }
}

/// Wakes the node as it asks up to a time.
fn wake(ran: &mut Ran, bench: &mut Bench, end: Time) {
    while let Some(now) = ran.next_wake().filter(|due| *due < end) {
        ran.wake(now, &mut bench.cx(now));
    }
}

/// A UE that is idle after 200 ms without data.
fn radio(drx: bool) -> RrcConfig {
    let drx = drx.then_some(rrc::Drx {
        inactivity: TTI * 10,
        short: None,
        long_cycle: (TTI * 80).into(),
        on_duration: TTI * 4,
        offset: Duration::ZERO,
        command: false,
    });
    let paging = rrc::Pattern { cycle: (TTI * 320).into(), offset: TTI * 9, on: TTI };
    RrcConfig {
        states: rrc::Config {
            release_after: Some(TTI * 200),
            drx,
            paging,
            inactive: None,
            skipping: None,
        },
        connected: false,
        promotion: Promotion::Fixed(TTI * 50),
        draws: Seed(1).stream("promotion"),
        resume: None,
    }
}

#[test]
fn carriers_that_cannot_be_are_refused() {
    let second = || any_cell(asking(), Tti::LTE);
    let error = |change: &dyn Fn(&mut RanConfig)| {
        let mut config = carriers(7, vec![(second(), None)]);
        change(&mut config);
        Ran::new(config, Seed(1)).err()
    };
    assert_eq!(error(&|_| {}), None);
    let tdd = |config: &mut RanConfig, cell: usize, letters: &str| {
        let special = SpecialSlot::new(10, 2, 2);
        let pattern = Pattern::new(letters, special).expect("a pattern");
        config.cells[cell].duplex = Duplex::Tdd(pattern);
        config.cells[cell].tti = Tti::nr(0, 14).expect("a slot");
        config.cells[cell].harq = HarqConfig::NR;
    };
    let both = |letters: [&str; 2]| {
        error(&|config: &mut RanConfig| {
            tdd(config, 0, letters[0]);
            tdd(config, 1, letters[1]);
        })
    };
    assert_eq!(error(&|config| tdd(config, 1, "DDDSU")), None);
    assert_eq!(both(["DDDSU"; 2]), None);
    assert_eq!(both(["DDDSU", "DDSUU"]), Some(RanError::Feedback(CellId(1))));
    assert_eq!(error(&|config| tdd(config, 0, "DDDSU")), Some(RanError::Feedback(CellId(1))));
    assert_eq!(error(&|config| config.cells.swap(0, 1)), Some(RanError::Primary(CellId(0))));
    assert_eq!(
        error(&|config| config.ues[0].cell = CellId(1)),
        Some(RanError::Cell(Some(UeId(0))))
    );
}
