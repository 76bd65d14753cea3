//! Several cells: each serves its own UEs, and how they are numbered decides nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{BearerId, CellId, Duration, NodeId, Port, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Direction, Event, Node, Probe, RadioEvent};

use super::Ran;
use super::tests::{asking, config, in_tunnel, packet};
use crate::air::{Channel, Link, OnAir, Transmission};
use crate::config::{Access, HarqConfig, RanConfig};
use crate::duplex::{Duplex, Pattern, SpecialSlot};

const TTI: Duration = Duration::from_millis(1);

/// Outcome of each block, without the number of its cell.
#[derive(Default)]
struct Blocks(Vec<(UeId, Direction, u64, u16, u32, u8, bool)>);

impl Probe for Blocks {
    fn on(&mut self, _now: Time, _node: NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::Block {
            ue,
            direction,
            slot,
            resource_blocks,
            bytes,
            attempt,
            decoded,
            ..
        }) = *event
        {
            self.0.push((ue, direction, slot, resource_blocks, bytes, attempt, decoded));
        }
    }
}

/// So many cells with two UEs each, one near and one far; UEs of a cell are not neighbours.
/// `number` says how a cell is numbered.
fn network(access: Access, number: &[u16]) -> RanConfig {
    let mut network = config(9, access, 1.0);
    let (cell, ue, bearer) = (network.cells[0].clone(), network.ues[0].clone(), network.bearers[0]);
    network.cells = vec![cell; number.len()];
    for (n, &number) in number.iter().enumerate() {
        // No two are alike.
        network.cells[number as usize].resource_blocks = 6 + n as u16;
    }
    network.ues.clear();
    network.bearers.clear();
    for n in 0..2 * number.len() {
        let mut ue = ue.clone();
        ue.cell = CellId(number[n % number.len()]);
        ue.bearers = vec![BearerId(n as u32)];
        ue.offset = n as u64 % 5;
        ue.link = match n < number.len() {
            true => Link::fixed(0.7, 0.7),
            false => Link::fixed(4.0, 2.0),
        };
        network.ues.push(ue);
        let mut bearer = bearer;
        (bearer.ue, bearer.teid) = (UeId(n as u32), 100 + n as u32);
        network.bearers.push(bearer);
    }
    network
}

const ALL: [u32; 6] = [0, 1, 2, 3, 4, 5];

/// Loads these UEs; gives what was on the air and what came out, each in its order.
fn carry(config: RanConfig, ues: &[u32]) -> (Blocks, Vec<(Time, Port, u32)>) {
    let mut ran = Ran::new(config, Seed(3)).expect("a network");
    let (mut bench, mut blocks, mut left) = (Bench::new(), Blocks::default(), Vec::new());
    for n in 0..500u64 {
        let now = Time::ZERO + TTI * (4 * n);
        let end = if n == 499 { Time::from_millis(20_000) } else { now };
        while let Some(due) = ran.next_wake().filter(|&due| due <= end) {
            ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
            left.extend(bench.sent().into_iter().map(|(port, packet)| (due, port, packet.size)));
        }
        for &ue in ues {
            let size = 100 + 7 * ue;
            ran.receive(now, Ran::CORE, in_tunnel(now, size, 100 + ue), &mut bench.cx(now));
            ran.receive(now, Ran::ue(UeId(ue)), packet(now, size), &mut bench.cx(now));
        }
    }
    assert_eq!(ran.audit(), Ok(()));
    (blocks, left)
}

fn all_kinds() -> [Access; 4] {
    [
        asking(),
        Access::Configured { period: 10, resource_blocks: 1 },
        Access::Instant,
        Access::Reported { period: TTI * 5 },
    ]
}

#[test]
fn the_order_of_the_cells_decides_nothing() {
    for access in all_kinds() {
        let expected = carry(network(access, &[0, 1, 2]), &ALL);
        assert!(expected.0.0.len() > 1_000 && expected.0.0.iter().any(|block| !block.6));
        for number in [[1, 2, 0], [2, 1, 0], [0, 2, 1]] {
            let permuted = carry(network(access, &number), &ALL);
            assert!(permuted.0.0 == expected.0.0 && permuted.1 == expected.1);
        }
    }
}

#[test]
fn a_cell_serves_its_ues_as_if_it_were_alone() {
    for access in all_kinds() {
        let all = carry(network(access, &[0, 1, 2]), &ALL).0;
        let own = [0, 3];
        let of = |blocks: &Blocks| -> Vec<_> {
            blocks.0.iter().filter(|block| own.contains(&block.0.0)).copied().collect()
        };
        let alone = carry(network(access, &[0, 1, 2]), &own).0;
        assert!(of(&all) == of(&alone));
    }
}

/// Serves nobody, or the first with all that is free.
struct Closed(bool);

impl crate::mac::Scheduler for Closed {
    fn schedule(&mut self, slot: &crate::mac::Slot<'_>, grants: &mut crate::mac::Grants) {
        if !self.0 {
            grants.give(&slot.candidates[0], grants.free());
        }
    }
}

#[test]
fn each_cell_has_a_scheduler_of_the_users_own() {
    let config = network(asking(), &[0, 1, 2]);
    let widths = config.cells.iter().map(|cell| cell.resource_blocks).collect::<Vec<_>>();
    let make = |id: CellId, cell: &crate::CellConfig| -> Box<dyn crate::mac::Scheduler> {
        assert_eq!(cell.resource_blocks, widths[id.index()]);
        Box::new(Closed(id == CellId(1)))
    };
    let mut ran = Ran::with_scheduler(config, Seed(3), &make).expect("a network");
    let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
    let now = Time::from_millis(1);
    for ue in ALL {
        ran.receive(now, Ran::CORE, in_tunnel(now, 100, 100 + ue), &mut bench.cx(now));
    }
    while let Some(due) = ran.next_wake().filter(|due| *due <= Time::from_millis(100)) {
        ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
    }
    // UEs 1 and 4 are in the cell that serves nobody.
    let served =
        |ue| blocks.0.iter().any(|block| block.0 == UeId(ue) && block.1 == Direction::Downlink);
    assert_eq!(ALL.map(served), [true, false, true, true, false, true]);
}

/// Each resource block in which another cell or its UE sends at the same time lowers the ratio. A
/// sender far off counts less.
#[derive(Debug)]
struct Heard {
    signal: f32,
}

impl Channel for Heard {
    fn expected_sinr(&self, _: UeId, _: Direction) -> f64 {
        f64::from(self.signal)
    }

    fn full_power(&self, _: UeId) -> f32 {
        f32::INFINITY
    }

    fn power(&self, _: UeId, _: CellId, _: Direction, _: u16) -> f32 {
        1.0
    }

    fn sinr(&self, transmission: &Transmission, air: &OnAir, sinr: &mut Vec<f32>) {
        let mut power = Vec::new();
        self.disturbance(transmission, air, &mut power);
        self.against(transmission, &power, sinr);
    }

    fn disturbance(&self, transmission: &Transmission, air: &OnAir, power: &mut Vec<f32>) {
        for n in transmission.allocation.blocks.iter() {
            let others = (0..air.cells() as u16).map(CellId).filter(|c| *c != transmission.cell);
            let sent = others.flat_map(|c| air.sent(c, transmission.direction, transmission.tti));
            let disturbing = sent.filter(|sent| sent.blocks.contains(n)).count();
            power.push(1.0 + 0.4 * disturbing as f32);
        }
    }

    fn against(&self, _: &Transmission, disturbance: &[f32], sinr: &mut Vec<f32>) {
        sinr.extend(disturbance.iter().map(|power| self.signal / power));
    }
}

/// Signal 8 in noise 1, and interference by TTI.
#[derive(Debug)]
struct Pulsed(fn(u64) -> f32);

impl Channel for Pulsed {
    fn expected_sinr(&self, _: UeId, _: Direction) -> f64 {
        8.0
    }

    fn full_power(&self, _: UeId) -> f32 {
        f32::INFINITY
    }

    fn power(&self, _: UeId, _: CellId, _: Direction, _: u16) -> f32 {
        1.0
    }

    fn sinr(&self, transmission: &Transmission, air: &OnAir, sinr: &mut Vec<f32>) {
        let mut power = Vec::new();
        self.disturbance(transmission, air, &mut power);
        self.against(transmission, &power, sinr);
    }

    fn disturbance(&self, transmission: &Transmission, _: &OnAir, power: &mut Vec<f32>) {
        let own = 1.0 + self.0(transmission.tti);
        power.extend(transmission.allocation.blocks.iter().map(|_| own));
    }

    fn against(&self, _: &Transmission, disturbance: &[f32], sinr: &mut Vec<f32>) {
        sinr.extend(disturbance.iter().map(|power| 8.0 / power));
    }
}

#[test]
fn a_report_has_the_mean_interference_of_several_measurements() {
    // Every fourth measurement has interference 3: the mean is 0.75, whatever the last one had.
    let sizes = |disturbing, interference| {
        let mut config = network(asking(), &[0]);
        config.cells[0].reports.interference = interference;
        config.cells[0].reports.outer_loop_db = 0.0;
        for ue in &mut config.ues {
            ue.link = Link::Network(Arc::new(Pulsed(disturbing)));
        }
        let blocks = carry(config, &[0, 1]).0.0.into_iter();
        let later = blocks.filter(|block| block.2 > 100 && block.5 == 0);
        later.map(|block| (block.1, block.3, block.4)).collect::<BTreeSet<_>>()
    };
    let pulses: fn(u64) -> f32 = |tti| if (tti / 5).is_multiple_of(4) { 3.0 } else { 0.0 };
    let averaged = sizes(pulses, 4);
    assert_eq!(averaged, sizes(|_| 0.75, 1));
    assert_ne!(averaged, sizes(pulses, 1));
}

/// A network with links that disturb each other.
fn disturbed(access: Access, number: &[u16]) -> RanConfig {
    let mut network = network(access, number);
    for (n, ue) in network.ues.iter_mut().enumerate() {
        let signal = if n < number.len() { 1.5 } else { 4.0 };
        ue.link = Link::Network(Arc::new(Heard { signal }));
    }
    network
}

#[test]
fn the_order_of_the_cells_decides_nothing_where_they_disturb_each_other() {
    for access in all_kinds() {
        let expected = carry(disturbed(access, &[0, 1, 2]), &ALL);
        let failed = expected.0.0.iter().filter(|block| !block.6).count();
        assert!(failed > 200, "{failed}");
        for number in [[1, 2, 0], [2, 1, 0], [0, 2, 1]] {
            let permuted = carry(disturbed(access, &number), &ALL);
            assert!(permuted.0.0 == expected.0.0 && permuted.1 == expected.1);
        }
    }
}

/// A network with time division duplex.
fn in_time(mut network: RanConfig) -> RanConfig {
    let pattern = Pattern::new("DDSUU", SpecialSlot::new(6, 4, 4)).expect("a pattern");
    for cell in &mut network.cells {
        (cell.duplex, cell.harq) = (Duplex::Tdd(pattern.clone()), HarqConfig::NR);
    }
    network
}

#[test]
fn the_order_of_the_cells_decides_nothing_with_time_division() {
    for access in [asking(), Access::Configured { period: 10, resource_blocks: 1 }] {
        let carry = |number: &[u16]| carry(in_time(disturbed(access, number)), &ALL);
        let expected = carry(&[0, 1, 2]);
        let failed = expected.0.0.iter().filter(|block| !block.6).count();
        assert!(failed > 200, "{failed}");
        let permuted = carry(&[2, 0, 1]);
        assert!(permuted.0.0 == expected.0.0 && permuted.1 == expected.1);
    }
}

#[test]
fn a_block_is_decoded_against_what_was_on_the_air() {
    for access in all_kinds() {
        let failed = |ues: &[u32]| {
            let mut config = disturbed(access, &[0, 1, 2]);
            for cell in &mut config.cells {
                // Nothing is ever reported, and the MCS stays.
                cell.reports.delay = Duration::from_secs(1_000);
                cell.reports.outer_loop_db = 0.0;
            }
            let blocks = carry(config, ues).0;
            let own = blocks.0.iter().filter(|block| [0, 3].contains(&block.0.0));
            own.filter(|block| !block.6).count()
        };
        // Nobody else sends, or all do.
        let (alone, among_others) = (failed(&[0, 3]), failed(&ALL));
        assert!(among_others > 2 * alone + 50, "{alone} {among_others}");
    }
}

#[test]
fn a_network_has_one_tti_and_one_duplex() {
    let mut config = disturbed(asking(), &[0, 1, 2]);
    config.cells[1].tti = crate::Tti::nr(1, 14).expect("a slot");
    assert_eq!(Ran::new(config, Seed(1)).err(), Some(super::RanError::Ttis));
    let mut config = in_time(disturbed(asking(), &[0, 1, 2]));
    config.cells[1].duplex = Duplex::Fdd;
    assert_eq!(Ran::new(config, Seed(1)).err(), Some(super::RanError::Duplex));
}

#[test]
fn downlink_allocations_are_whole_groups_where_asked_for() {
    let mut config = network(asking(), &[0, 1, 2]);
    for cell in &mut config.cells {
        cell.resource_blocks = 50; // 16 groups of 3, and one of 2
        cell.downlink_placement = crate::DownlinkPlacement::Groups;
        cell.first_error = Some(0.3);
    }
    let (blocks, left) = carry(config, &ALL);
    // All of the rounds before the last arrive, 6 packets each way.
    assert_eq!(left.len(), 499 * 12);
    let down = || blocks.0.iter().filter(|block| block.1 == Direction::Downlink);
    assert!(down().all(|block| [0, 2].contains(&(block.3 % 3))));
    assert!(down().any(|block| block.5 > 0));
}

#[test]
fn links_of_a_network_have_no_ratio_to_set() {
    let mut ran = Ran::new(disturbed(Access::Instant, &[0, 1, 2]), Seed(1)).expect("a network");
    let (ue, direction) = (UeId(0), Direction::Uplink);
    let change = airpath_net::Change::Snr { ue, direction, snr: airpath_base::Db(3.0) };
    let refused = ran.change(Time::ZERO, &change, &mut Bench::new().cx(Time::ZERO));
    assert_eq!(
        refused.expect_err("a refusal").to_string(),
        "has links that follow from where UEs were dropped, and no SNR to set"
    );
}
