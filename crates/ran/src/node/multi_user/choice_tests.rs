//! Sets of UEs by hand: channels that are alike, orthogonal, and between.

use std::sync::Arc;

use airpath_base::{BitRate, Duration, UeId};

use super::*;
use crate::mac::{Buffers, Candidate, MeanRates, Placement, TrafficClasses};
use crate::testing::{asking, cell};

const CARRIER: u16 = 6;
const STRONG: f64 = 30.0;

fn candidate(n: u32, bytes: &[u32]) -> Candidate<'_> {
    Candidate {
        ue: UeId(n),
        wanted: u32::MAX,
        head_of_line: Duration::ZERO,
        remaining: None,
        priority: 1,
        traffic: TrafficClasses::ALL,
        guaranteed: BitRate::from_bps(0),
        bytes,
        most: CARRIER,
        layers: 1,
        control_elements: 2,
        index: UeIndex::new(n as usize),
        buffers: Buffers::Uplink(&[]),
    }
}

/// The set of a first UE whose channel, like those of others, these are over two ports. Means are equal. The answer has the
/// members and their ratios.
fn set(channels: &[[Complex64; 2]], change: impl Fn(&mut Choice<'_>)) -> (Vec<usize>, Vec<f64>) {
    let bytes = vec![100; usize::from(CARRIER) + 1];
    let candidates: Vec<Candidate<'_>> =
        (0..channels.len() as u32).map(|n| candidate(n, &bytes)).collect();
    let means = MeanRates::new(99.0, channels.len());
    let slot = Slot {
        tti: 0,
        tti_length: Duration::from_millis(1),
        carrier: CARRIER,
        candidates: &candidates,
        means: &means,
        group_rates: &[],
        trials: None,
    };
    let tables: Arc<Tables> = Tables::of(&[cell(asking())]).swap_remove(0);
    let mut choice = Choice {
        slot: &slot,
        tables: &tables,
        ports: 2,
        most: 2,
        least: 0.1,
        channels: channels.iter().map(|channel| channel.to_vec()).collect(),
        offsets_db: vec![0.0; channels.len()],
        offsets: vec![1.0; channels.len()],
        errors: vec![0.0; channels.len()],
        weights: vec![1.0; channels.len()],
        arrive: 1.0,
        left: vec![1e9; channels.len()],
        bits: 100.0,
        served: vec![false; channels.len()],
        elements: None,
        more: 10,
    };
    choice.served[0] = true;
    change(&mut choice);
    let blocks = ResourceBlocks::range(0, CARRIER);
    let Set { members, ratios, .. } = choice.set((0, blocks), 0, &mut ZeroForcing::default());
    (members, ratios)
}

fn c(re: f64) -> Complex64 {
    Complex64::new(re, 0.0)
}

#[test]
fn orthogonal_channels_share_and_equal_ones_do_not() {
    let [one, other] = [[c(STRONG), c(STRONG)], [c(STRONG), c(-STRONG)]];
    // Half of the power each, and no interference: 2 x 900 / 2.
    let (members, ratios) = set(&[one, one, other], |_| {});
    assert_eq!(members, [0, 2]);
    assert!(ratios.iter().all(|ratio| (ratio / 900.0 - 1.0).abs() < 1e-9), "{ratios:?}");
    // One channel for both: at best a ratio of 1 each, two bits a symbol instead of ten.
    let (members, ratios) = set(&[one, one], |_| {});
    assert_eq!(members, [0]);
    assert!((ratios[0] / 1_800.0 - 1.0).abs() < 1e-9, "{ratios:?}");
}

#[test]
fn a_ue_that_needs_nothing_or_cannot_be_served_does_not_join() {
    let channels = [[c(STRONG), c(STRONG)], [c(STRONG), c(-STRONG)]];
    let members = |change: &dyn Fn(&mut Choice<'_>)| set(&channels, change).0;
    assert_eq!(members(&|_| {}), [0, 1]);
    assert_eq!(members(&|choice| choice.left[1] = 0.0), [0]);
    assert_eq!(members(&|choice| choice.elements = Some(1)), [0]);
    assert_eq!(members(&|choice| choice.elements = Some(2)), [0, 1]);
    assert_eq!(members(&|choice| choice.more = 0), [0]);
    // An outer loop that is far down makes its rate too small to be worth half of the first UE's power.
    assert_eq!(
        members(&|choice| {
            choice.offsets[1] = 1e-4;
            choice.offsets_db[1] = -40.0;
        }),
        [0]
    );
    // Its mean rate is a hundredth of that of the others: it joins even then.
    assert_eq!(
        members(&|choice| {
            choice.offsets[1] = 1e-2;
            choice.weights[1] = 100.0;
        }),
        [0, 1]
    );
}

#[test]
fn no_ue_joins_at_the_price_of_another_ues_rate() {
    // The first has a ratio of 2 x 0.08 alone. Beside another that is 0.08, below the least of 0.1.
    let weak = 0.08_f64.sqrt();
    let channels = [[c(weak), c(weak)], [c(STRONG), c(-STRONG)]];
    assert_eq!(set(&channels, |_| {}).0, [0]);
    assert_eq!(set(&channels, |choice| choice.least = 0.07).0, [0, 1]);
}

#[test]
fn a_channel_that_has_turned_meets_the_other_layers() {
    let channels = [[c(STRONG), c(STRONG)], [c(STRONG), c(-STRONG)]];
    let (members, ratios) = set(&channels, |choice| choice.errors[0] = 0.01);
    assert_eq!(members, [0, 1]);
    // Of a power of 1800 over two ports, 0.01 strays: 4.5 from each of two layers with half of the power.
    let expected = (900.0 * 0.99 + 4.5) / (1.0 + 4.5);
    assert!((ratios[0] / expected - 1.0).abs() < 1e-9, "{ratios:?}");
    assert!((ratios[1] / 900.0 - 1.0).abs() < 1e-9, "{ratios:?}");
    // All of it has turned: each has a ratio below one, and the first is better alone.
    assert_eq!(set(&channels, |choice| choice.errors = vec![1.0; 2]).0, [0]);
}

#[test]
fn grants_are_shared_and_extended() {
    let bytes = vec![100; usize::from(CARRIER) + 1];
    let [first, second] = [0, 1].map(|n| candidate(n, &bytes));
    let mut grants = Grants::new();
    let all = ResourceBlocks::range(0, CARRIER);
    grants.begin(Placement::Blocks, CARRIER, all, Some(8));
    assert!(grants.give(&first, 4) && grants.free() == 2);
    grants.share(&second, ResourceBlocks::range(1, 3));
    grants.share(&first, all);
    let list: Vec<(u32, u16)> =
        grants.list().iter().map(|grant| (grant.ue.0, grant.blocks.count())).collect();
    // The second took two more elements; a grant that grows takes none.
    assert_eq!((list, grants.elements()), (vec![(0, 6), (1, 3)], Some(4)));
}
