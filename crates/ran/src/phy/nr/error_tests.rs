use proptest::prelude::*;

use super::*;
use crate::phy::McsTable::{self, Qam64, Qam256};
use crate::phy::nr::tables::{scheme, schemes};

/// SNR in dB at which a share of blocks of `bytes` fails.
fn threshold(scheme: &Scheme, set: Curves, bytes: u32, share: f64) -> f64 {
    let map = information::map(scheme.modulation_bits);
    let (mut low, mut high) = (-20.0, 36.0);
    for _ in 0..50 {
        let middle: f64 = (low + high) / 2.0;
        let sinr = airpath_base::Db(middle).linear() as f32;
        match block_error(scheme, set, map.at(sinr), bytes) > share {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// A row of a file of link-level results: scheme, base graph or 0, bits, SNR in dB, error.
type Point = ((u8, u16), u8, u32, f64, f64);

fn points(file: &str, has_graph: bool) -> Vec<Point> {
    let parse = |line: &str| {
        let cells: Vec<f64> = line.split(',').map(|c| c.parse().expect("a number")).collect();
        let (graph, bits) = if has_graph { (cells[2], cells[3]) } else { (0.0, cells[2]) };
        ((cells[0] as u8, (cells[1] * 2.0) as u16), graph as u8, bits as u32, cells[4], cells[5])
    };
    file.lines().skip(1).map(parse).collect()
}

fn find(key: (u8, u16)) -> &'static Scheme {
    let all = [Qam64, Qam256].into_iter().flat_map(schemes);
    let mut same = all.filter(|s| (s.modulation_bits, s.rate_x2048) == key);
    same.next().expect("a scheme of the tables")
}

/// SNR at which results cross a share, by a straight line between the logarithms of two points.
fn crossing(points: &[(f64, f64)], share: f64) -> Option<f64> {
    let ln = |error: f64| math::ln(error.max(1e-4));
    points.windows(2).find(|p| p[0].1 >= share && p[1].1 < share).map(|p| {
        let part = (ln(share) - ln(p[0].1)) / (ln(p[1].1) - ln(p[0].1));
        p[0].0 + part * (p[1].0 - p[0].0)
    })
}

/// Largest and root mean square distance in dB between results and their curves at 10%, and the
/// number of results. Results are over blocks of one code block.
fn distance(all: &[Point], set: Curves) -> (f64, f64, usize) {
    let (mut most, mut squares, mut count) = (0.0f64, 0.0, 0);
    let same = |a: &Point, b: &Point| (a.0, a.1, a.2) == (b.0, b.1, b.2);
    for group in all.chunk_by(same) {
        let (key, graph, bits, _, _) = group[0];
        let scheme = find(key);
        if graph != 0 && base_graph(bits.into(), key.1) as u8 + 1 != graph {
            continue; // does not occur
        }
        let results: Vec<(f64, f64)> = group.iter().map(|p| (p.3, p.4)).collect();
        let Some(expected) = crossing(&results, 0.1) else { continue };
        let less = threshold(scheme, set, bits / 8, 0.1) - expected;
        most = most.max(less.abs());
        squares += less * less;
        count += 1;
    }
    (most, (squares / count as f64).sqrt(), count)
}

#[test]
fn simulated_thresholds_are_recovered() {
    let file = include_str!("../../../data/nr_bler_5g_lena.csv");
    let (most, typical, count) = distance(&points(file, true), Curves::FiveGLena);
    assert!(most < 0.25 && typical < 0.05 && count > 1_300, "{most} {typical} {count}");
}

#[test]
fn coarse_results_are_recovered() {
    // Points lie 1.3 to 1.8 dB apart: those that say something, against the curve in dB.
    let file = points(include_str!("../../../data/nr_bler_sionna.csv"), false);
    let said: Vec<f64> = file
        .iter()
        .filter(|point| point.2 > 24 && (0.02..0.98).contains(&point.4))
        .map(|&(key, _, bits, snr, error)| {
            (threshold(find(key), Curves::Sionna, bits / 8, error) - snr).abs()
        })
        .collect();
    let typical = (said.iter().map(|d| d * d).sum::<f64>() / said.len() as f64).sqrt();
    let most = said.iter().copied().fold(0.0, f64::max);
    assert!(most < 0.45 && typical < 0.15 && said.len() > 150, "{most} {typical} {}", said.len());
}

#[test]
fn sets_differ_as_they_are_known_to() {
    for (table, first) in [(Qam64, 3), (Qam256, 2)] {
        for mcs in first..schemes(table).len() as u8 {
            let of = |set| threshold(scheme(table, mcs), set, 8_192 / 8, 0.1);
            let more = of(Curves::FiveGLena) - of(Curves::Sionna);
            assert!((2.2..4.4).contains(&more), "{table:?} {mcs}: {more} dB");
        }
    }
}

/// SNR in dB at 10% by MCS of table 1 from 5 on, and the bits of the block: a whole receiver
/// in white noise (OpenAirInterface).
const RECEIVER: [(u32, f64); 24] = [
    (5_888, 1.37),
    (6_912, 2.23),
    (8_912, 3.31),
    (9_224, 4.16),
    (10_504, 4.90),
    (10_504, 6.34),
    (11_784, 7.13),
    (13_576, 7.96),
    (15_112, 8.66),
    (17_424, 9.92),
    (18_960, 10.48),
    (20_496, 11.02),
    (20_496, 11.99),
    (21_504, 12.69),
    (24_072, 13.65),
    (26_632, 14.63),
    (28_680, 15.30),
    (31_240, 16.15),
    (33_816, 16.97),
    (35_856, 17.76),
    (37_896, 18.32),
    (40_976, 20.84),
    (42_016, 21.20),
    (44_040, 21.88),
];

#[test]
fn near_a_whole_receiver_and_in_its_order() {
    for ((bits, expected), mcs) in RECEIVER.iter().zip(5..) {
        let scheme = scheme(Qam64, mcs);
        let [lena, sionna] =
            [Curves::FiveGLena, Curves::Sionna].map(|set| threshold(scheme, set, bits / 8, 0.1));
        assert!((lena - expected).abs() < 1.5, "{mcs}: {lena} {expected}");
        assert!(sionna < *expected, "{mcs}: {sionna} {expected}");
    }
}

#[test]
fn each_scheme_needs_more_than_the_one_below() {
    for (table, set) in [Qam64, Qam256]
        .into_iter()
        .flat_map(|t| [Curves::FiveGLena, Curves::Sionna].map(|s| (t, s)))
    {
        for bytes in [250, 1_000, 10_000] {
            let all: Vec<f64> =
                schemes(table).iter().map(|s| threshold(s, set, bytes, 0.1)).collect();
            for (mcs, pair) in all.windows(2).enumerate() {
                assert!(pair[0] < pair[1], "{table:?} {set:?} {bytes} {mcs}: {pair:?}");
            }
        }
    }
}

#[test]
fn blocks_fail_if_one_of_their_code_blocks_does() {
    // MCS 27 of table 1: where half of the code blocks of 8 400 bits fail, three quarters of
    // the blocks of two of them do.
    let scheme = scheme(Qam64, 27);
    let one = threshold(scheme, Curves::FiveGLena, 8_400 / 8, 0.5);
    let two = threshold(scheme, Curves::FiveGLena, 2 * 8_400 / 8, 0.75);
    assert!((one - two).abs() < 1e-4, "{one} {two}");
}

#[test]
fn certain_at_both_ends() {
    for scheme in [Qam64, Qam256].into_iter().flat_map(schemes) {
        for set in [Curves::FiveGLena, Curves::Sionna] {
            for bytes in [0, 3, 100, 1_000, 40_000] {
                let error = |information| block_error(scheme, set, information, bytes);
                assert_eq!([1.0, 2.0, f64::INFINITY].map(error), [0.0; 3]);
                assert_eq!([0.0, -1.0, f64::NAN].map(error), [1.0; 3]);
                assert!(error(0.01) > 0.999, "{scheme:?} {bytes}");
            }
        }
    }
}

proptest! {
    #[test]
    fn errors_are_probabilities_and_fall_with_information(
        large in any::<bool>(),
        sionna in any::<bool>(),
        mcs in any::<u8>(),
        bytes in 0u32..60_000,
        information in 0.0..1.1,
        more in 0.0..0.2,
    ) {
        let table = if large { McsTable::Qam256 } else { McsTable::Qam64 };
        let set = if sionna { Curves::Sionna } else { Curves::FiveGLena };
        let error = |information| block_error(scheme(table, mcs), set, information, bytes);
        let (here, better) = (error(information), error(information + more));
        prop_assert!((0.0..=1.0).contains(&here));
        prop_assert!(better <= here + 1e-12, "{} {}", here, better);
    }
}
