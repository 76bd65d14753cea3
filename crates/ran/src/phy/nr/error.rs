//! Block errors by link-level curves.
//!
//! The error probability of a code block is 0.5 erfc((snr - centre) / (sqrt(2) width)), all in dB
//! (`data/nr_curves.py` fits the curves and fills their gaps). Between sizes, centre and spread
//! (width times the square root of the size) are interpolated along one over the square root of the
//! size. Beyond the first and the last size they stay.

use airpath_base::math;

use super::Curves;
use super::information;
use super::segments::{base_graph, code_blocks};
use super::tables::{Curve, Scheme};

/// SNR in dB at which half of the code blocks of a size fail, and the width of the curve in dB.
fn curve_at(curves: &[Curve], bits: f64) -> (f64, f64) {
    let place = 1.0 / bits.sqrt();
    let above = curves.partition_point(|curve| curve.place > place);
    let below = &curves[above.saturating_sub(1)];
    let above = &curves[above.min(curves.len() - 1)];
    let gap = above.place - below.place;
    let part = if gap < 0.0 { (place - below.place) / gap } else { 0.0 };
    let centre = below.centre_db + part * (above.centre_db - below.centre_db);
    let spread = below.spread + part * (above.spread - below.spread);
    (centre, spread * place)
}

/// Chance that a transport block fails, given the mutual information of a coded bit. None
/// fails from one on.
pub(super) fn block_error(scheme: &Scheme, set: Curves, information: f64, block_bytes: u32) -> f64 {
    if information >= 1.0 {
        return 0.0;
    }
    if information.is_nan() || information <= 0.0 {
        return 1.0;
    }
    let sinr = information::map(scheme.modulation_bits).inverse(information);
    // The sizes of the curves are those of the transport block's own bits.
    let bits = u64::from(block_bytes.max(1)) * 8;
    let graph = base_graph(bits, scheme.rate_x2048);
    let count = code_blocks(bits, graph) as f64;
    let curves = scheme.curves[set as usize][graph as usize];
    let (centre, width) = curve_at(curves, bits as f64 / count);
    let beyond = (10.0 * math::log10(sinr) - centre) / width;
    let arrives = 0.5 * (1.0 + math::erf(beyond * std::f64::consts::FRAC_1_SQRT_2));
    1.0 - if count > 1.0 { math::pow(arrives, count) } else { arrives }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
