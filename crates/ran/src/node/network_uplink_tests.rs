//! Uplink of further carriers in a network, with fading that is flat and does not change.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{BearerId, CellId, Db, Dbm, Duration, FlowId, Time, UeId};
use airpath_channel::fading::{Library, LibraryConfig, Profile};
use airpath_net::testing::Bench;
use airpath_net::{Direction, Node};

use super::super::Ran;
use super::super::secondary::tests::{Blocks, Received, carry};
use super::super::tests::{any_cell, asking, config};
use crate::Tti;
use crate::air::{Channel, Link};
use crate::config::{CellConfig, FullBuffer, RanConfig, Secondary, UeCarrier};
use crate::network::{Network, NetworkLinks, NetworkUe};
use crate::phy::PowerControl;

const BLOCKS: u16 = 25;
const UP: Direction = Direction::Uplink;
/// Power that reaches a cell in a resource block: all of the loss is made up for.
const TARGET: Dbm = Dbm(-80.0);

/// A carrier whose UEs have these gains to each cell. With a gain of -90 dB, a UE sends 10 dBm in a resource
/// block.
fn carrier(number: u64, most: Dbm, gains: &[&[f64]]) -> Arc<dyn Channel> {
    let library = LibraryConfig::new(Profile::Flat, Duration::ZERO, 0.0);
    let library = library.on(BLOCKS, 0, airpath_channel::precoding::Precoding::SinglePort);
    let library = Arc::new(Library::new(&library, Seed(4)).expect("a library"));
    let ues = gains.iter().zip(0..).map(|(gains, n)| NetworkUe {
        number: 10 * number + u64::from(n),
        cell: CellId(n),
        gains: gains.to_vec(),
        gains_up: None,
        library: 0,
        travelled: None,
        receivers: 1,
        direction: (0.0, 90.0),
    });
    Arc::new(Network::new(NetworkLinks {
        power: vec![Dbm(30.0); gains.len()],
        resource_blocks: BLOCKS,
        noise: [Dbm(-100.0), Dbm(-90.0)],
        power_control: PowerControl::Fractional { most, target: TARGET, share: 1.0 },
        interferers: 0,
        precoded: false,
        panel: None,
        libraries: vec![[library.clone(), library]],
        ues: ues.collect(),
    }))
}

/// A cell for each UE, each with another carrier, on which a UE sends if `sends` has it.
fn network(most: Dbm, gains: [&[&[f64]]; 2], sends: &[bool]) -> RanConfig {
    let mut network = config(7, asking(), 1.0);
    let lte = CellConfig { resource_blocks: BLOCKS, ..any_cell(asking(), Tti::LTE) };
    let (ue, bearer) = (network.ues.remove(0), network.bearers.remove(0));
    let [first, second] = [carrier(0, most, gains[0]), carrier(1, most, gains[1])];
    network.cells = vec![lte.clone(); sends.len()];
    for (n, uplink) in (0..).zip(sends) {
        let role = Secondary { of: CellId(n), activation: None, addition: None };
        network.cells.push(CellConfig { secondary: Some(role), ..lte.clone() });
        let (mut ue, mut bearer) = (ue.clone(), bearer);
        ue.link = Link::Network(first.clone());
        ue.carriers =
            vec![UeCarrier { uplink: *uplink, channel: Some(second.clone()), ..UeCarrier::ALIKE }];
        (ue.cell, ue.number, ue.bearers) = (CellId(n), n.into(), vec![BearerId(n.into())]);
        (bearer.ue, bearer.teid) = (UeId(n.into()), 7 + u32::from(n));
        network.ues.push(ue);
        network.bearers.push(bearer);
    }
    network
}

/// Blocks uplink of full buffers of all UEs in the second half of a second, none of which fails.
fn full(mut config: RanConfig) -> Vec<Received> {
    config.cells.iter_mut().for_each(|cell| cell.first_error = Some(0.0));
    for (bearer, n) in config.bearers.iter_mut().zip(0..) {
        let full = FullBuffer { flow: FlowId(n), start: Time::ZERO, stop: None };
        bearer.full_buffers = [None, Some(full)];
    }
    let mut ran = Ran::new(config, Seed(3)).expect("a network");
    let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
    while let Some(now) = ran.next_wake().filter(|due| *due < Time::from_millis(1_000)) {
        ran.wake(now, &mut bench.cx_watched(now, &mut blocks));
    }
    blocks.0.retain(|block| block.direction == UP && block.at >= Time::from_millis(500));
    blocks.0
}

fn of_cell(blocks: &[Received], cell: usize) -> Vec<Received> {
    blocks.iter().filter(|block| block.cell == cell).copied().collect()
}

/// The SINR of blocks in dB, which all have the same.
fn sinr_db(blocks: &[Received]) -> f64 {
    let first = f64::from(blocks.first().expect("blocks").sinr_db);
    let same = |block: &Received| (f64::from(block.sinr_db) - first).abs() < 1e-3;
    assert!(blocks.iter().all(same), "{blocks:?}");
    first
}

#[test]
fn carriers_of_a_network_are_granted_what_the_path_loss_leaves() {
    // 25 resource blocks at 10 dBm take 250 mW. Behind twice the loss each takes 20 mW.
    let power = |milliwatts: f64| Dbm(Db::from_linear(milliwatts).0);
    let near: &[&[f64]] = &[&[1e-9]];
    let far: &[&[f64]] = &[&[0.5e-9]];
    let counts = |milliwatts, gains| {
        let blocks = full(network(power(milliwatts), gains, &[true]));
        let found = [0, 1].map(|cell| of_cell(&blocks, cell));
        assert!(found.iter().all(|own| own.is_empty() || own.len() == 500));
        found.map(|own| own.first().map_or(0, |block| block.resource_blocks))
    };
    // 125 mW are left: 6 resource blocks.
    assert_eq!(counts(375.0, [near, far]), [25, 6]);
    // Behind the smaller loss 12.
    assert_eq!(counts(375.0, [near, near]), [25, 12]);
    assert_eq!(counts(750.5, [near, far]), [25, 25]);
    // All of it is in the cell itself.
    assert_eq!(counts(250.0, [near, far])[1], 0);
}

#[test]
fn a_ue_disturbs_the_carriers_that_it_sends_on() {
    // Blocks of the other UE arrive at -90 dBm, as much as there is noise.
    let gains: &[&[f64]] = &[&[1e-9, 1e-13], &[1e-10, 1e-9]];
    let of = |sends| full(network(Dbm(40.0), [gains; 2], &[true, sends]));
    let [alone, both] = [false, true].map(of);
    assert!(of_cell(&alone, 3).is_empty());
    assert_eq!(of_cell(&both, 3).len(), 500);
    let change = |cell| sinr_db(&of_cell(&both, cell)) - sinr_db(&of_cell(&alone, cell));
    assert_eq!(change(0), 0.0);
    // 10 lg 2 = 3.0103.
    assert!((change(2) + 3.0103).abs() < 1e-3, "{}", change(2));
    // The other way it is 30 dB less.
    assert!(change(1).abs() < 1e-3);
}

/// Transmissions of both carriers at once, where retransmissions want more than all of the power.
#[test]
fn blocks_that_are_sent_again_keep_within_the_power_of_a_network() {
    let gains: &[&[f64]] = &[&[1e-9]];
    let mut config = network(Dbm(25.0), [gains; 2], &[true]);
    config.cells.iter_mut().for_each(|cell| cell.adaptation.bler_target = 0.3);
    let at = |n: u64| Time::from_millis(5 + 17 * (n / 8));
    let packets: Vec<(Time, u32)> =
        (0..4_000).map(|n| (at(n), 100 + (n * n * 389 % 1_400) as u32)).collect();
    let (blocks, left) = carry(UP, config, &packets, Time::from_millis(9_000));
    // Few are lost with all four transmissions.
    assert!(left.len() > 3_600, "{}", left.len());
    let level = |cell: usize| {
        let own = blocks.iter().filter(|block| block.cell == cell);
        own.map(|block| f64::from(block.sinr_db)).fold(f64::MIN, f64::max)
    };
    let levels = [level(0), level(1)];
    let mut scaled = 0;
    for one in blocks.iter().filter(|block| block.cell == 0) {
        let two = blocks.iter().find(|other| (other.cell, other.slot) == (1, one.slot));
        let Some(two) = two else { continue };
        // 10 mW in each resource block, of 316 mW.
        let all = f64::from(one.resource_blocks + two.resource_blocks) * 10.0 / 316.228;
        scaled += usize::from(all > 1.01);
        let less_db = Db::from_linear(all.max(1.0)).0;
        for (block, level) in [one, two].into_iter().zip(levels) {
            let found = level - f64::from(block.sinr_db);
            // A table has effective SINRs, which its own test holds to 0.05 dB.
            assert!((found - less_db).abs() < 0.05, "{one:?} {two:?}: {found} {less_db}");
        }
    }
    assert!(scaled > 5, "{scaled}");
}
