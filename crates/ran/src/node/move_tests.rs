//! A UE that goes from one cell to another: its state is all in one value, so nothing is lost.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{BearerId, CellId, Duration, Port, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Held, Node};

use super::Ran;
use super::tests::{asking, config, in_tunnel, packet};
use crate::air::Link;
use crate::config::RanConfig;
use crate::index::UeIndex;

/// Two cells that are alike, with a UE each at a bad channel. Bearers are acknowledged.
fn two_cells() -> RanConfig {
    let mut network = config(9, asking(), 0.8);
    network.cells.push(network.cells[0].clone());
    let (mut ue, mut bearer) = (network.ues[0].clone(), network.bearers[0]);
    ue.cell = CellId(1);
    ue.link = Link::fixed(4.0, 2.0);
    ue.bearers = vec![BearerId(1)];
    (bearer.ue, bearer.teid) = (UeId(1), 8);
    network.ues.push(ue);
    network.bearers.push(bearer);
    network
}

/// Exchanges the UEs of two cells between slots. MAC is reset in both (TS 36.321, 5.9): blocks on
/// the air carry nothing any more, and RLC sends their data again.
fn exchange(ran: &mut Ran) {
    const UE: UeIndex = UeIndex::new(0);
    let mut cells = ran.cells.iter_mut();
    let (Some(one), Some(other)) = (cells.next(), cells.next()) else { unreachable!("two cells") };
    for cell in [&mut *one, &mut *other] {
        cell.reset_mac(UE, (Time::ZERO, airpath_net::SecondaryEnd::Handover));
    }
    std::mem::swap(&mut one.ues[0], &mut other.ues[0]);
    for cell in [one, other] {
        cell.ues[0].config.cell = cell.id;
        for bearer in &mut cell.ues[0].bearers {
            (bearer.cell, bearer.armed) = (cell.id, None);
        }
        cell.bearers_used(UE);
        cell.notice(Time::from_millis(301), UE);
    }
    ran.serving.swap(0, 1);
}

#[test]
fn a_ue_that_moves_keeps_its_bytes() {
    let (mut ran, mut bench) = (Ran::new(two_cells(), Seed(4)).expect("a network"), Bench::new());
    let mut left: BTreeMap<Port, Vec<u32>> = BTreeMap::new();
    let mut run = |ran: &mut Ran, bench: &mut Bench, end: Time| {
        while let Some(due) = ran.next_wake().filter(|due| *due <= end) {
            ran.wake(due, &mut bench.cx(due));
            for (port, packet) in bench.sent() {
                left.entry(port).or_default().push(packet.size);
            }
        }
    };
    // Packets of sizes that tell them apart, more than the channel carries.
    for n in 0..150u32 {
        let now = Time::ZERO + Duration::from_millis(2) * u64::from(n);
        run(&mut ran, &mut bench, now);
        for ue in 0..2u32 {
            let size = 200 + 2 * n + ue;
            ran.receive(now, Ran::CORE, in_tunnel(now, size, 7 + ue), &mut bench.cx(now));
            ran.receive(now, Ran::ue(UeId(ue)), packet(now, size), &mut bench.cx(now));
        }
    }
    run(&mut ran, &mut bench, Time::from_millis(300));
    let backlog = ran.held();
    assert!(backlog.packets > 100, "{backlog:?}");
    assert!(ran.cells.iter().all(|cell| !cell.blocks.of(UeIndex::new(0)).is_empty()), "on the air");
    exchange(&mut ran);
    assert_eq!((ran.held(), ran.audit()), (backlog, Ok(())));
    run(&mut ran, &mut bench, Time::from_millis(60_000));
    assert_eq!((ran.held(), ran.audit()), (Held::default(), Ok(())));
    for ue in 0..2 {
        let sizes: Vec<u32> = (0..150).map(|n| 200 + 2 * n + ue).collect();
        assert_eq!(left[&Ran::ue(UeId(ue))], sizes, "downlink of UE {ue}");
    }
    let mut uplink = left[&Ran::CORE].clone();
    uplink.sort_unstable();
    assert_eq!(uplink, (200..500).collect::<Vec<u32>>());
}
