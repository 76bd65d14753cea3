//! Block error probability: code block segmentation and link-level curves.
//!
//! The curves give the error of a code block as 0.5 (1 - erf((mi - b) / (sqrt(2) c))), mi the
//! mutual information of a coded bit. A code block follows the curve of the largest simulated size
//! not above its own, as shorter blocks fail more. If that size was not simulated for an MCS, it
//! follows the next larger simulated one. Beyond the last point of the map of mutual information no
//! block fails (the curves leave less than 1e-7 there).

use airpath_base::math;

use super::resources::BLOCK_CHECK_BITS;
use super::{McsTable, mutual, tables};

include!(concat!(env!("OUT_DIR"), "/lte_curves.rs"));

/// Largest code block in bits (TS 36.212, 5.1.2).
const LARGEST: u64 = 6_144;
/// Bits of the check of a code block, where there is more than one (TS 36.212, 5.1.2).
const CODE_BLOCK_CHECK_BITS: u64 = 24;

/// The code blocks of a transport block (TS 36.212, 5.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segments {
    /// Count and bits of the larger ones.
    large: (u64, u64),
    /// Count and bits of the smaller ones.
    small: (u64, u64),
}

/// The step of code block sizes up to and including `bits` (TS 36.212, table 5.1.3-3).
fn size_step(bits: u64) -> u64 {
    match bits {
        0..=512 => 8,
        513..=1_024 => 16,
        1_025..=2_048 => 32,
        _ => 64,
    }
}

fn segments(block_bytes: u32) -> Segments {
    let bits = u64::from(block_bytes) * 8 + u64::from(BLOCK_CHECK_BITS);
    if bits <= LARGEST {
        let size = bits.next_multiple_of(size_step(bits)).max(40);
        return Segments { large: (1, size), small: (0, 0) };
    }
    let count = bits.div_ceil(LARGEST - CODE_BLOCK_CHECK_BITS);
    let all = bits + count * CODE_BLOCK_CHECK_BITS;
    let least = all.div_ceil(count);
    let large = least.next_multiple_of(size_step(least));
    let step = size_step(large);
    let small_count = (count * large - all) / step;
    Segments { large: (count - small_count, large), small: (small_count, large - step) }
}

/// Chance that a code block of `bits` arrives.
fn success(information: f64, (table, mcs): (McsTable, u8), bits: u64) -> f64 {
    let not_above = CURVE_SIZES.partition_point(|&size| u64::from(size) <= bits);
    let curves = &CURVES[table as usize][tables::mcs_index(table, mcs)];
    let (b, c) = curves[not_above.saturating_sub(1)];
    let x = (information - b) / (core::f64::consts::SQRT_2 * c);
    0.5 * (1.0 + math::erf(x))
}

/// Chance that a transport block of `block_bytes` fails at its first transmission, at
/// a linear SINR that is the same in all its resource blocks. One for what is no SINR above zero;
/// an MCS above the last counts as the last.
pub fn block_error(table: McsTable, sinr_linear: f64, mcs: u8, block_bytes: u32) -> f64 {
    let modulation = tables::modulation_bits(table, mcs);
    if sinr_linear >= mutual::end(modulation).0 {
        return 0.0;
    }
    if sinr_linear.is_nan() || sinr_linear <= 0.0 {
        return 1.0;
    }
    error_by_curves(mutual::at(modulation, sinr_linear), (table, mcs), block_bytes)
}

/// Chance that a transport block of `block_bytes` fails, given the mutual information of a
/// coded bit in the modulation of the downlink. One for what is no information above zero; an
/// MCS above the last counts as the last.
pub(super) fn error_of_information(
    table: McsTable,
    information: f64,
    mcs: u8,
    block_bytes: u32,
) -> f64 {
    if information >= mutual::end(tables::modulation_bits(table, mcs)).1 {
        return 0.0;
    }
    if information.is_nan() || information <= 0.0 {
        return 1.0;
    }
    error_by_curves(information, (table, mcs), block_bytes)
}

fn error_by_curves(information: f64, scheme: (McsTable, u8), block_bytes: u32) -> f64 {
    let Segments { large, small } = segments(block_bytes);
    let arrive = |(count, bits): (u64, u64)| match count {
        0 => 1.0,
        1 => success(information, scheme, bits),
        _ => math::pow(success(information, scheme, bits), count as f64),
    };
    1.0 - arrive(large) * arrive(small)
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
