use airpath_base::Db;
use airpath_net::Direction;
use proptest::prelude::*;

use super::*;
use crate::phy::McsTable::Qam64;

#[test]
fn segmentation_of_the_standard() {
    // TS 36.212, 5.1.2, by hand. 36 696 + 24 bits: C = 6, B' = 36 864 = 6 x 6 144.
    let all =
        |Segments { large, small }: Segments| (large, if small.0 == 0 { (0, 0) } else { small });
    assert_eq!(all(segments(4_587)), ((6, 6_144), (0, 0)));
    // 6 200 + 24 bits: C = 2, B' = 6 272, K+ = 3 136.
    assert_eq!(all(segments(775)), ((2, 3_136), (0, 0)));
    // 6 712 + 24 bits: C = 2, B' = 6 784, K+ = 3 392.
    assert_eq!(all(segments(839)), ((2, 3_392), (0, 0)));
    // 21 384 + 24 bits: C = 4, B' = 21 504, K+ = 5 376.
    assert_eq!(all(segments(2_673)), ((4, 5_376), (0, 0)));
    // 7 000 + 24 bits: C = 2, B' = 7 072, K+ = 3 584, K- = 3 520, C- = 1: 32 bits of filling.
    assert_eq!(all(segments(875)), ((1, 3_584), (1, 3_520)));
    // Small blocks are filled to 40 bits, others to the next size.
    assert_eq!(all(segments(0)), ((1, 40), (0, 0)));
    assert_eq!(all(segments(2)), ((1, 40), (0, 0)));
    assert_eq!(all(segments(64)), ((1, 544), (0, 0)));
}

#[test]
fn half_of_the_blocks_fail_at_the_centre_of_a_curve() {
    // Curve of MCS 28, 6 144 bits: b = 0.9325, c = 0.0058; one c above the centre the
    // normal distribution leaves 0.158655.
    assert!((success(0.9325, (Qam64, 28), 6_144) - 0.5).abs() < 1e-12);
    assert!((success(0.9325 + 0.0058, (Qam64, 28), 6_144) - 0.841_345).abs() < 1e-6);
    // MCS 0: 256 bits, up to the next size.
    assert!((success(0.1304, (Qam64, 0), 256) - 0.5).abs() < 1e-12);
    assert!((success(0.1304, (Qam64, 0), 511) - 0.5).abs() < 1e-12);
    // MCS 28 below 2 560 bits was not simulated: the curve of 2 560.
    assert!((success(0.9369, (Qam64, 28), 40) - 0.5).abs() < 1e-12);
}

#[test]
fn blocks_fail_if_one_of_their_code_blocks_does() {
    // MCS 28, six code blocks of 6 144 bits (50 resource blocks).
    let map = mutual::map(6);
    let (mut low, mut high) = (1.0, map.last);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if map.at(middle) < 0.9325 { low = middle } else { high = middle }
    }
    let expected = 1.0 - 0.5f64.powi(6);
    assert!((block_error(Qam64, high, 28, 4_587) - expected).abs() < 1e-6);
}

/// SINR in dB at which a tenth of the blocks fail.
fn tenth(mcs: u8, resource_blocks: u16) -> f64 {
    let bytes = tables::block_bytes(Qam64, Direction::Downlink, mcs, resource_blocks);
    let (mut low, mut high) = (-20.0, 40.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if block_error(Qam64, Db(middle).linear(), mcs, bytes) > 0.1 {
            low = middle
        } else {
            high = middle
        }
    }
    high
}

/// SNR in dB at 10% of errors by CQI in white noise, of the Vienna 5G link-level simulator and
/// of LTE-Sim.
#[expect(clippy::approx_constant, reason = "3.14 dB is a figure, not pi")]
const BY_CQI: [[f64; 2]; 15] = [
    [-6.91, -6.75],
    [-5.13, -4.97],
    [-3.14, -2.97],
    [-1.22, -1.02],
    [0.74, 0.94],
    [2.61, 2.83],
    [4.62, 4.87],
    [6.5, 6.66],
    [8.42, 8.69],
    [10.41, 10.51],
    [12.23, 12.40],
    [14.11, 14.30],
    [15.9, 16.04],
    [17.75, 17.81],
    [19.66, 19.94],
];

#[test]
fn thresholds_of_other_simulators() {
    // A code block of 6144 bits; between MCS by spectral efficiency.
    let of = |mcs: u8| {
        let (mut low, mut high) = (-20.0, 40.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            match block_error(Qam64, Db(middle).linear(), mcs, 765) > 0.1 {
                true => low = middle,
                false => high = middle,
            }
        }
        high
    };
    for (cqi, [vienna, lte_sim]) in (1..=15).zip(BY_CQI) {
        let efficiency = tables::cqi_efficiency(Qam64, cqi);
        let above = (1..28).find(|m| tables::mcs_efficiency(Qam64, *m) >= efficiency).unwrap_or(28);
        let below = above - 1;
        let (from, to) =
            (tables::mcs_efficiency(Qam64, below), tables::mcs_efficiency(Qam64, above));
        let here = of(below) + (of(above) - of(below)) * (efficiency - from) / (to - from);
        let bound = if matches!(cqi, 2 | 6) { 0.7 } else { 0.5 };
        let away = (here - vienna).abs().min((here - lte_sim).abs());
        assert!(away < bound, "{cqi}: {here} {vienna} {lte_sim} dB");
    }
}

#[test]
fn each_mcs_needs_more_than_the_one_below() {
    for resource_blocks in [25, 50, 100] {
        for mcs in 0..28 {
            let (this, next) = (tenth(mcs, resource_blocks), tenth(mcs + 1, resource_blocks));
            assert!(this < next, "{mcs}: {this} {next} dB at {resource_blocks}");
        }
    }
}

#[test]
fn certain_at_both_ends() {
    for mcs in 0..29 {
        for resource_blocks in 1..=110 {
            let bytes = tables::block_bytes(Qam64, Direction::Downlink, mcs, resource_blocks);
            assert_eq!(block_error(Qam64, Db(100.0).linear(), mcs, bytes), 0.0);
            assert_eq!(block_error(Qam64, f64::INFINITY, mcs, bytes), 0.0);
            assert!(block_error(Qam64, Db(-30.0).linear(), mcs, bytes) > 0.9999);
            assert_eq!(block_error(Qam64, 0.0, mcs, bytes), 1.0);
            assert_eq!(block_error(Qam64, f64::NAN, mcs, bytes), 1.0);
        }
    }
}

#[test]
fn little_is_cut_off_at_the_end_of_the_maps() {
    for mcs in 0..29 {
        let end = mutual::map(tables::modulation_bits(Qam64, mcs)).last;
        let bytes = tables::block_bytes(Qam64, Direction::Downlink, mcs, 100);
        assert!(block_error(Qam64, end * (1.0 - 1e-9), mcs, bytes) < 1e-7, "{mcs}");
    }
}

proptest! {
    #[test]
    fn errors_are_probabilities_and_fall_with_sinr(
        mcs in any::<u8>(),
        bytes in any::<u32>(),
        sinr in -30.0..40.0,
        more in 0.0..10.0,
    ) {
        let here = block_error(Qam64, Db(sinr).linear(), mcs, bytes);
        let better = block_error(Qam64, Db(sinr + more).linear(), mcs, bytes);
        prop_assert!((0.0..=1.0).contains(&here));
        prop_assert!(better <= here + 1e-12, "{} {}", here, better);
    }

    #[test]
    fn segments_hold_the_block(bytes in 0u32..20_000) {
        let Segments { large, small } = segments(bytes);
        let count = large.0 + small.0;
        let checks = if count > 1 { 24 * count } else { 0 };
        let needed = u64::from(bytes) * 8 + 24 + checks;
        let held = large.0 * large.1 + small.0 * small.1;
        prop_assert!(held >= needed && large.1 <= 6_144);
        prop_assert!(count == 1 || held - needed < 64);
    }
}
