//! Cost of a radio network of many cells: 21 cells of 50 resource blocks, for 100 ms. 550 UEs have
//! packets: none, a tenth or all of them. 210 UEs have full buffers in both directions, so that all
//! cells send and receive all the time.
#![allow(missing_docs, reason = "criterion's macros make functions without documentation")]

use airpath_base::random::Seed;
use airpath_base::{BearerId, CellId, Duration, FlowId, Time, UeId};
use airpath_net::Node;
use airpath_net::testing::Bench;
use airpath_ran::phy::LinkAdaptation;
use airpath_ran::testing::{asking, in_tunnel, one_ue, packet};
use airpath_ran::{BearerConfig, CellConfig, FullBuffer, Link, Ran, RanConfig, Timing, UeConfig};
use criterion::{Criterion, criterion_group, criterion_main};

const CELLS: u16 = 21;
/// UEs with packets.
const UES: u32 = 550;
/// UEs with full buffers, ten a cell.
const FULL: u32 = 210;
const TTI: Duration = Duration::from_millis(1);
const SPAN: u64 = 100;

fn network(ues: u32) -> RanConfig {
    let RanConfig { mut cells, ues: mut one, bearers, .. } = one_ue(9, asking(), 1.0);
    let (cell, ue, bearer) = (cells.remove(0), one.remove(0), bearers[0]);
    let cell = CellConfig {
        resource_blocks: 50,
        adaptation: LinkAdaptation { code_rate_limit: Some(0.93), ..cell.adaptation },
        timing: Timing { downlink_preparation: TTI, downlink_processing: TTI, ..cell.timing },
        first_error: Some(0.1),
        ..cell
    };
    let ue = |n: u32| UeConfig {
        cell: CellId((n % u32::from(CELLS)) as u16),
        link: Link::fixed(f64::from(1 + n % 97), f64::from(1 + n % 53)),
        number: u64::from(n),
        offset: u64::from(n % 5),
        bearers: vec![BearerId(n)],
        ..ue.clone()
    };
    let bearer = |n: u32| BearerConfig { ue: UeId(n), teid: n, ..bearer };
    RanConfig {
        cells: vec![cell; usize::from(CELLS)],
        ues: (0..ues).map(ue).collect(),
        bearers: (0..ues).map(bearer).collect(),
        ..one_ue(9, asking(), 1.0)
    }
}

/// A packet for each `every`th UE in each TTI, and one from it in each tenth.
fn carry(every: Option<u32>) -> u64 {
    let mut ran = Ran::new(network(UES), Seed(1)).expect("a network");
    let (mut bench, mut arrived) = (Bench::new(), 0);
    for n in 0..SPAN {
        let now = Time::ZERO + TTI * n;
        while let Some(due) = ran.next_wake().filter(|due| *due <= now) {
            ran.wake(due, &mut bench.cx(due));
        }
        arrived += bench.sent().len() as u64;
        let loaded = every.map_or(0, |every| UES / every);
        for ue in (0..loaded).map(|n| n * every.unwrap_or(1)) {
            if n % 10 == 0 {
                ran.receive(now, Ran::ue(UeId(ue)), packet(now, 100), &mut bench.cx(now));
            }
            ran.receive(now, Ran::CORE, in_tunnel(now, 300, ue), &mut bench.cx(now));
        }
    }
    arrived
}

/// Full buffers downlink and uplink of all UEs; gives how often the network was woken.
fn full() -> u64 {
    let mut config = network(FULL);
    for (n, bearer) in (0u32..).zip(&mut config.bearers) {
        let full = |way| FullBuffer { flow: FlowId(2 * n + way), start: Time::ZERO, stop: None };
        bearer.full_buffers = [Some(full(0)), Some(full(1))];
    }
    let mut ran = Ran::new(config, Seed(1)).expect("a network");
    let (mut bench, mut woken) = (Bench::new(), 0);
    while let Some(due) = ran.next_wake().filter(|due| *due < Time::ZERO + TTI * SPAN) {
        ran.wake(due, &mut bench.cx(due));
        woken += 1;
    }
    woken
}

fn cells(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cells");
    for (name, every) in [("idle", None), ("tenth", Some(10)), ("all", Some(1))] {
        group.bench_function(name, |bencher| bencher.iter(|| carry(every)));
    }
    group.bench_function("full", |bencher| bencher.iter(full));
    group.finish();
}

criterion_group!(benches, cells);
criterion_main!(benches);
