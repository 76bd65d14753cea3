use airpath_base::{BitRate, Duration, UeId};

use super::*;
use crate::index::UeIndex;
use crate::mac::{Buffers, Candidate, MeanRates, Placement, TrafficClasses};

const BYTES: [u32; 13] = [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96];

/// Twelve resource blocks in groups of two; three UEs, each best in two groups, in turn.
fn granted(elements: Option<u16>, wanted: u32) -> (Vec<(u32, u16)>, Vec<u32>) {
    let candidate = |n: u32| Candidate {
        ue: UeId(n),
        wanted,
        head_of_line: Duration::ZERO,
        remaining: None,
        priority: 1,
        traffic: TrafficClasses::EMPTY,
        guaranteed: BitRate::from_bps(0),
        bytes: &BYTES,
        most: 12,
        layers: 1,
        control_elements: 2,
        index: UeIndex::new(n as usize),
        buffers: Buffers::Uplink(&[]),
    };
    let candidates = [candidate(0), candidate(1), candidate(2)];
    let best_in = |n: usize| (0..6).map(move |g| if g % 3 == n { 4.0 } else { 1.0 + n as f32 });
    let group_rates: Vec<f32> = (0..3).flat_map(best_in).collect();
    let means = MeanRates::new(99.0, 3);
    let slot = Slot {
        tti: 0,
        tti_length: Duration::from_millis(1),
        carrier: 12,
        candidates: &candidates,
        means: &means,
        group_rates: &group_rates,
        trials: None,
    };
    let mut grants = Grants::new();
    grants.begin(Placement::Blocks, 12, ResourceBlocks::range(0, 12), elements);
    ProportionalFair::new(Allocation::ByNeed, 2).schedule(&slot, &mut grants);
    grants.block_rest(&candidates);
    let list = grants.list().iter().map(|grant| (grant.ue.0, grant.blocks.count()));
    (list.collect(), grants.blocked().iter().map(|ue| ue.0).collect())
}

#[test]
fn who_lacks_elements_leaves_the_groups_to_others() {
    assert_eq!(granted(None, 96), (vec![(0, 4), (1, 4), (2, 4)], vec![]));
    assert_eq!(granted(Some(6), 96), granted(None, 96));
    // Elements for two: the third's groups go to the second, which is better there.
    assert_eq!(granted(Some(5), 96), (vec![(0, 4), (1, 8)], vec![2]));
    // They need no more than their own two groups.
    assert_eq!(granted(Some(5), 32), (vec![(0, 4), (1, 4)], vec![2]));
    // In the order of the first group, where the third comes before the second.
    assert_eq!(granted(Some(1), 96), (vec![], vec![0, 2, 1]));
}
