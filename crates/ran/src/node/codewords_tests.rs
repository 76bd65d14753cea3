//! Two codewords of the whole node, by what it reports of its blocks.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{Db, Duration, NodeId, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Change, Direction, Event, Node, Probe, RadioEvent};

use super::super::Ran;
use super::super::tests::{asking, config, in_tunnel, watched};
use crate::config::RanConfig;

const DOWN: Direction = Direction::Downlink;
const TTI: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug)]
struct Sent {
    slot: u64,
    process: u16,
    new_data: bool,
    transport_block: u8,
    first_layer: u8,
    layers: u8,
    resource_blocks: u16,
    attempt: u8,
    decoded: bool,
    bytes: u32,
}

/// All transmissions downlink in the order of their decoding.
#[derive(Default)]
struct Blocks(Vec<Sent>);

impl Probe for Blocks {
    fn on(&mut self, _now: Time, _node: NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::Block {
            direction: DOWN,
            slot,
            process,
            new_data,
            transport_block,
            first_layer,
            layers,
            resource_blocks,
            attempt,
            decoded,
            bytes,
            ..
        }) = *event
        {
            self.0.push(Sent {
                slot,
                process,
                new_data,
                transport_block,
                first_layer,
                layers,
                resource_blocks,
                attempt,
                decoded,
                bytes,
            });
        }
    }
}

/// A UE at 20 dB with up to so many layers, a share of whose first transmissions fails.
fn layered(layers: u8, failing: f64) -> RanConfig {
    let mut config = config(9, asking(), 100.0 * f64::from(layers));
    config.cells[0].layers[0] = layers;
    config.cells[0].least_layers[0] = layers;
    config.cells[0].first_error = Some(failing);
    config.ues[0].layers[0] = layers;
    config
}

/// Packets of this size for the UE every TTI for a second, and what was on the air.
fn carry(config: RanConfig, (count, size): (u32, u32), gap: Duration) -> Vec<Sent> {
    let blocks: Blocks = watched(config, gap, |ran, now, bench| {
        for _ in 0..count {
            ran.receive(now, Ran::CORE, in_tunnel(now, size, 7), &mut bench.cx(now));
        }
    });
    blocks.0
}

/// The blocks of each TTI.
fn by_slot(sent: &[Sent]) -> BTreeMap<u64, Vec<Sent>> {
    let mut slots: BTreeMap<u64, Vec<Sent>> = BTreeMap::new();
    sent.iter().for_each(|one| slots.entry(one.slot).or_default().push(*one));
    slots
}

/// TS 36.321, 5.3.2: a TTI has blocks of one process, each with a new-data indicator of its own. Those that
/// failed are sent again with the same size.
fn check(sent: &[Sent], layers: u8) {
    for blocks in by_slot(sent).values() {
        let first = blocks[0];
        assert!(blocks.len() <= 2 && blocks.iter().all(|one| one.process == first.process));
        assert!(blocks.iter().all(|one| one.resource_blocks == first.resource_blocks));
        let begins: Vec<u8> = blocks.iter().map(|one| one.first_layer).collect();
        match blocks.len() {
            1 => assert_eq!(begins, [0]),
            _ => {
                // Of three layers the second codeword has two (TS 36.211, table 6.3.3.2-1).
                let mut sorted = begins;
                sorted.sort_unstable();
                assert_eq!(sorted, [0, layers / 2]);
                assert!(blocks.iter().all(|one| one.layers == layers), "{blocks:?}");
                assert_ne!(blocks[0].transport_block, blocks[1].transport_block);
            }
        }
    }
    let mut process: BTreeMap<_, Sent> = BTreeMap::new();
    for one in sent {
        let before = process.insert((one.process, one.transport_block), *one);
        let Some(before) = before else {
            assert_eq!(one.attempt, 0);
            continue;
        };
        assert_eq!(one.attempt > 0, !before.decoded, "{before:?} {one:?}");
        assert_eq!(one.new_data != before.new_data, one.attempt == 0, "{before:?} {one:?}");
        if one.attempt > 0 {
            assert_eq!((one.attempt, one.bytes), (before.attempt + 1, before.bytes));
            assert!(one.slot >= before.slot + 8, "{before:?} {one:?}");
        }
    }
}

#[test]
fn blocks_fail_and_are_sent_again_one_by_one() {
    for layers in [2, 3, 4] {
        let sent = carry(layered(layers, 0.3), (3, 1_000), TTI);
        check(&sent, layers);
        let busy: Vec<Vec<Sent>> = by_slot(&sent).into_values().take(900).collect();
        // No layer is idle while there are data: what failed alone has new data beside it.
        assert!(busy.iter().all(|blocks| blocks.len() == 2));
        let kinds = |of: &dyn Fn(bool, bool) -> bool| {
            let again = |one: &Sent| one.attempt > 0;
            busy.iter().filter(|blocks| of(again(&blocks[0]), again(&blocks[1]))).count() as f64
        };
        let [new, mixed, both] =
            [kinds(&|a, b| !a && !b), kinds(&|a, b| a != b), kinds(&|a, b| a && b)];
        // With q = 0.3: of new pairs q^2 are sent again together, 2 q (1 - q) are followed by a
        // mixed one. So is a share q of mixed ones. Together 1 : 0.42 / 0.7 : 0.09.
        let all = new + mixed + both;
        for (found, share) in [(new, 1.0), (mixed, 0.6), (both, 0.09)] {
            assert!((found / all - share / 1.69).abs() < 0.06, "{layers}: {new} {mixed} {both}");
        }
    }
}

#[test]
fn little_data_is_one_codeword() {
    // 30 bytes fit one resource block of a layer at 20 dB; half of all first transmissions fail.
    let sent = carry(layered(2, 0.5), (1, 30), Duration::from_millis(10));
    check(&sent, 2);
    assert!(sent.iter().any(|one| one.attempt > 0));
    let alone = by_slot(&sent).values().filter(|blocks| blocks.len() == 1).count();
    assert!(alone > 50, "{alone}");
    assert!(by_slot(&sent).values().filter(|all| all.len() == 1).all(|all| all[0].layers == 1));
}

#[test]
fn no_new_data_leave_a_block_alone() {
    // Two packets fill both codewords, and the next two come when all is over.
    let sent = carry(layered(2, 0.5), (1, 900), Duration::from_millis(100));
    check(&sent, 2);
    let again: Vec<Sent> = sent.into_iter().filter(|one| one.attempt > 0).collect();
    // Alone a block of one layer has all of the power, and is codeword 0.
    let second = again.iter().filter(|one| one.transport_block == 1 && one.layers == 1);
    assert!(second.clone().count() > 0 && second.into_iter().all(|one| one.first_layer == 0));
}

#[test]
fn a_lost_layer_leaves_failed_blocks_alone() {
    let mut config = layered(2, 0.3);
    config.cells[0].least_layers[0] = 1;
    let mut ran = Ran::new(config, Seed(5)).expect("a network");
    let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
    for n in 0..600 {
        let now = Time::ZERO + TTI * n;
        while let Some(due) = ran.next_wake().filter(|&due| due <= now) {
            ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
        }
        bench.sent();
        if n == 300 {
            // Each of two layers would have -9 dB, too little for CQI 1.
            let change = Change::Snr { ue: UeId(0), direction: DOWN, snr: Db(-6.0) };
            ran.change(now, &change, &mut bench.cx(now)).expect("a change");
        }
        (0..3).for_each(|_| {
            ran.receive(now, Ran::CORE, in_tunnel(now, 1_000, 7), &mut bench.cx(now));
        });
    }
    check(&blocks.0, 2);
    assert!(blocks.0.iter().filter(|one| one.slot <= 300).all(|one| one.layers == 2));
    // Subframes 301 and 302 were decided before.
    let after: Vec<Sent> = blocks.0.iter().filter(|one| one.slot > 302).copied().collect();
    // Blocks that had failed alone go alone, those that had failed together go together.
    let slots = by_slot(&after);
    let again =
        slots.values().filter(|all| all.iter().any(|one| one.attempt > 0 && one.slot < 312));
    let again: Vec<&Vec<Sent>> = again.collect();
    assert!(again.len() > 2);
    assert!(again.iter().all(|all| all.iter().all(|one| one.attempt > 0)), "{again:?}");
    assert!(again.iter().any(|all| all.len() == 1 && all[0].layers == 1));
    assert!(after.iter().filter(|one| one.slot > 320).all(|one| one.layers == 1));
}
