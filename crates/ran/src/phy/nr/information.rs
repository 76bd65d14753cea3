//! Mutual information of a coded bit, and the exponential effective SINR mapping.
//!
//! The maps are computed (`data/mi_map.py`): bit-interleaved coded modulation with Gray
//! labels. LTE's, published with its error curves, lie up to 0.028 below them for 16QAM and
//! 64QAM.

use crate::phy::grid::Grid;

include!(concat!(env!("OUT_DIR"), "/nr_maps.rs"));

/// The map of a modulation with 2, 4, 6 or 8 bits a symbol.
pub(in crate::phy) fn map(modulation_bits: u8) -> &'static Grid {
    match modulation_bits {
        0..=2 => &QPSK,
        3..=4 => &QAM16,
        5..=6 => &QAM64,
        _ => &QAM256,
    }
}

/// Exponents that count; e to the power of -80 is 2e-35.
const MOST: f32 = 80.0;

/// Exponential effective SINR of several, all linear: -beta ln(mean(exp(-SINR / beta)))
/// (Ericsson, R1-031303, 2003). Zero for none; what is no number above zero counts as zero, above
/// 80 beta as 80 beta, where no block fails.
pub(super) fn exponential(beta: f32, sinrs: &[f32]) -> f32 {
    let Some(&first) = sinrs.first() else { return 0.0 };
    // Alone, or of a flat channel: exactly what it is.
    if sinrs.iter().all(|&sinr| sinr == first) {
        return first;
    }
    let scale = 1.0 / beta;
    let sum: f64 = sinrs.iter().map(|&sinr| f64::from(decay(sinr * scale))).sum();
    (-f64::from(beta) * airpath_base::math::ln(sum / sinrs.len() as f64)) as f32
}

/// e to the power of `-x`, within 1e-5 of itself; `x` from 0 to 80.
#[inline]
fn decay(x: f32) -> f32 {
    let x = if x > 0.0 { x.min(MOST) } else { 0.0 };
    let halvings = x * std::f32::consts::LOG2_E;
    let whole = (halvings + 0.5) as i32;
    let rest = (whole as f32 - halvings) * std::f32::consts::LN_2;
    // Taylor's series up to the fifth power, for at most ln(2) / 2.
    let series = 1.0
        + rest * (1.0 + rest / 2.0 * (1.0 + rest / 3.0 * (1.0 + rest / 4.0 * (1.0 + rest / 5.0))));
    series * f32::from_bits(((127 - whole) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use airpath_base::math;
    use proptest::prelude::*;

    use super::*;
    use crate::phy::mutual;

    /// Mutual information of a coded bit by Monte Carlo integration over the two dimensions of a
    /// constellation. It uses a low-discrepancy sequence, and has nothing in common with
    /// `mi_map.py`.
    fn by_sampling(bits: u32, sinr: f64) -> f64 {
        let side = 1 << (bits / 2);
        let energy = f64::from(side * side - 1) * 2.0 / 3.0;
        let gray = |n: i32| n ^ (n >> 1);
        let points: Vec<(f64, f64, i32)> = (0..side * side)
            .map(|n| (n % side, n / side))
            .map(|(i, q)| {
                let label = gray(i) | gray(q) << (bits / 2);
                (f64::from(2 * i - side + 1), f64::from(2 * q - side + 1), label)
            })
            .collect();
        let noise = energy / sinr;
        let (mut lost, count) = (0.0, 400);
        for &(i, q, label) in &points {
            for n in 0..count {
                // Radius and angle of complex Gaussian noise.
                let radius = (-noise * math::ln((f64::from(n) + 0.5) / f64::from(count))).sqrt();
                let angle = f64::from(n) * 2.399_963_229_728_653;
                let (y_i, y_q) = (i + radius * math::cos(angle), q + radius * math::sin(angle));
                let likely = |p: &(f64, f64, i32)| {
                    math::exp(-((y_i - p.0) * (y_i - p.0) + (y_q - p.1) * (y_q - p.1)) / noise)
                };
                let all: f64 = points.iter().map(likely).sum();
                for bit in 0..bits {
                    let same = points.iter().filter(|p| (p.2 ^ label) >> bit & 1 == 0);
                    lost += math::log2(all / same.map(likely).sum::<f64>());
                }
            }
        }
        1.0 - lost / f64::from(count) / points.len() as f64 / f64::from(bits)
    }

    #[test]
    fn maps_are_those_of_the_constellations() {
        for (bits, sinr) in
            [(2, 0.5), (2, 3.0), (4, 1.0), (4, 9.0), (6, 4.0), (6, 60.0), (8, 100.0)]
        {
            let (here, there) = (map(bits).at(sinr), by_sampling(bits.into(), sinr.into()));
            assert!((here - there).abs() < 2e-3, "{bits} {sinr}: {here} {there}");
        }
    }

    #[test]
    fn maps_near_the_published_ones() {
        // Those published with ns-3: QPSK the same, the others somewhat lower.
        for (bits, bound) in [(2, 5e-4), (4, 0.027), (6, 0.029)] {
            let published = mutual::map(bits);
            for n in 1..100 {
                let sinr = published.last * f64::from(n) / 100.0;
                let less = map(bits).at(sinr as f32) - published.at(sinr);
                assert!(less.abs() < bound, "{bits} {sinr}: {less}");
            }
        }
    }

    #[test]
    fn exponential_mapping_by_hand() {
        // -2 ln((exp(-1/2) + exp(-3/2)) / 2) = -2 ln(0.4148304).
        assert!((exponential(2.0, &[1.0, 3.0]) - 1.759_770_9).abs() < 1e-4);
        assert_eq!(exponential(2.0, &[]), 0.0);
        assert_eq!(exponential(2.0, &[1e9, 1e9]), 1e9);
        // The half without any decides: 2 ln(2).
        assert!((exponential(2.0, &[f32::INFINITY, f32::NAN]) - 1.386_294).abs() < 1e-4);
        assert!((exponential(1.6, &[1e9, 1e8]) - 128.0).abs() < 0.01);
    }

    proptest! {
        #[test]
        fn decay_is_the_exponential(x in 0.0f32..80.0) {
            let expected = math::exp(-f64::from(x));
            prop_assert!((f64::from(decay(x)) / expected - 1.0).abs() < 1e-5);
        }

        #[test]
        fn exponential_mapping_lies_between(
            beta in 1.6f32..130.0,
            sinrs in prop::collection::vec(1e-2f32..100.0, 1..20),
        ) {
            let effective = exponential(beta, &sinrs);
            let mean = sinrs.iter().sum::<f32>() / sinrs.len() as f32;
            prop_assert!(sinrs.iter().any(|&sinr| sinr <= effective * 1.001 + 1e-3));
            prop_assert!(effective <= mean * 1.001 + 1e-3);
        }
    }
}
