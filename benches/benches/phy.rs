//! Cost of the physical layer for each transport block.
#![allow(missing_docs, reason = "criterion's macros make functions without documentation")]

use std::hint::black_box;

use airpath_net::Direction;
use airpath_ran::phy::nr::{Mapping, Nr};
use airpath_ran::phy::{McsTable, Technology, block_error};
use criterion::{Criterion, criterion_group, criterion_main};

/// SINRs of 50 resource blocks, from 0.5 to 50 times the noise.
fn sinrs() -> Vec<f32> {
    (0..50).map(|block| 0.5 + block as f32 * 49.5 / 49.0).collect()
}

fn phy(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("phy");
    // One code block, and several (TS 36.212, 5.1.2: 6144 bits at most).
    for (name, bytes) in [("one code block", 549), ("six code blocks", 4_587)] {
        group.bench_function(format!("block_error, {name}"), |bencher| {
            let error = |sinr, mcs, bytes| block_error(McsTable::Qam64, sinr, mcs, bytes);
            bencher.iter(|| error(black_box(10.0), black_box(16), black_box(bytes)));
        });
    }
    let sinrs = sinrs();
    let by_bits = Nr { mapping: Mapping::MutualInformation, ..Nr::DEFAULT };
    for (name, technology) in [
        ("LTE", Technology::Lte(McsTable::Qam64)),
        ("NR, exponential", Technology::Nr(Nr::DEFAULT)),
        ("NR, mutual information", Technology::Nr(by_bits)),
    ] {
        group.bench_function(format!("information, 50 resource blocks, {name}"), |bencher| {
            let of = |sinrs: &[f32]| technology.information(Direction::Downlink, 16, sinrs);
            bencher.iter(|| of(black_box(&sinrs)));
        });
    }
    let nr = Technology::Nr(Nr::DEFAULT);
    group.bench_function("block_error, NR", |bencher| {
        bencher.iter(|| nr.block_error(black_box(16), black_box(0.65), black_box(4_587)));
    });
    group.finish();
}

criterion_group!(benches, phy);
criterion_main!(benches);
