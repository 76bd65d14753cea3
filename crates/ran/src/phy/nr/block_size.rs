//! Transport block sizes (TS 38.214, 5.1.3.2), in whole numbers throughout. Resource elements count once
//! for each layer.

use super::tables::{self, Scheme};

/// Subcarriers of a resource block (TS 38.211, 4.4.4.1).
const SUBCARRIERS: u32 = 12;
/// Most resource elements that count of a resource block and slot.
const MOST_ELEMENTS: u32 = 156;
/// Up to this many bits of information, sizes are those of table 5.1.3.2-1.
const SMALL: u64 = 3_824;
/// Code rates are in parts of this.
const PARTS: u64 = 2_048;
/// Bits of the check of a large transport block (TS 38.212, 6.2.1), and of a code block.
const CHECK: u64 = 24;

/// Resource elements for data: `symbols` of the slot on these resource blocks, less what is
/// `lost` in each of them.
pub(super) fn elements(resource_blocks: u16, symbols: u8, lost: u32) -> u32 {
    let of_block = (SUBCARRIERS * u32::from(symbols)).saturating_sub(lost).min(MOST_ELEMENTS);
    of_block * u32::from(resource_blocks)
}

/// Bits of a transport block on so many resource elements; none on no elements.
pub(super) fn bits(scheme: &Scheme, elements: u32) -> u32 {
    if elements == 0 {
        return 0;
    }
    let symbol = u64::from(scheme.rate_x2048) * u64::from(scheme.modulation_bits);
    let information = u64::from(elements) * symbol;
    let bits = match information <= SMALL * PARTS {
        true => small(information / PARTS),
        false => large(information, u64::from(scheme.rate_x2048) * 4 <= PARTS),
    };
    bits as u32
}

/// The least size of the table for so many whole bits of information, quantised.
fn small(information: u64) -> u64 {
    let step = 1 << information.checked_ilog2().unwrap_or(0).saturating_sub(6).max(3);
    let quantised = (information / step * step).max(24);
    let sizes = tables::small_sizes();
    let found = sizes.partition_point(|&size| u64::from(size) < quantised);
    u64::from(sizes[found.min(sizes.len() - 1)])
}

/// The size for so many parts of bits of information.
fn large(information: u64, low_rate: bool) -> u64 {
    let more = information - CHECK * PARTS;
    let step = 1 << ((more / PARTS).ilog2() - 5);
    // Half of a step rounds up.
    let rounded = (more + step * PARTS / 2) / (step * PARTS) * step;
    let quantised = rounded.max(3_840);
    let code_blocks = match (low_rate, quantised) {
        (true, _) => (quantised + CHECK).div_ceil(3_816),
        (false, 8_425..) => (quantised + CHECK).div_ceil(8_424),
        (false, _) => 1,
    };
    8 * code_blocks * (quantised + CHECK).div_ceil(8 * code_blocks) - CHECK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::McsTable::{Qam64, Qam256};
    use crate::phy::nr::tables::{scheme, schemes};

    /// With 12 elements lost to demodulation reference signals.
    fn size(table: u8, mcs: u8, resource_blocks: u16, symbols: u8) -> u32 {
        let table = if table == 1 { Qam64 } else { Qam256 };
        bits(scheme(table, mcs), elements(resource_blocks, symbols, 12))
    }

    #[test]
    fn sizes_by_exact_fractions() {
        // TS 38.214, 5.1.3.2 in a program of its own, with fractions: table, MCS, resource
        // blocks, symbols, bits.
        for (table, mcs, resource_blocks, symbols, bits) in [
            // Of the table, the largest of it, and the least above it.
            (1, 0, 1, 14, 32),
            (1, 28, 1, 2, 64),
            (2, 20, 1, 14, 848),
            (1, 0, 110, 13, 3_752),
            (1, 4, 50, 12, 3_968),
            // Code rates up to a quarter, one, two and three code blocks.
            (1, 3, 52, 14, 3_976),
            (1, 3, 66, 12, 4_232),
            (1, 3, 100, 12, 6_408),
            (1, 0, 273, 14, 9_984),
            // One code block of base graph 1.
            (1, 9, 20, 14, 4_096),
            (2, 19, 24, 4, 4_352),
            (1, 10, 30, 12, 5_248),
            // Several.
            (1, 16, 51, 12, 17_424),
            (1, 17, 51, 12, 17_424),
            (1, 27, 25, 13, 18_960),
            (2, 20, 52, 12, 36_896),
            (2, 26, 106, 12, 100_392),
            (1, 28, 273, 14, 237_776),
            (2, 27, 273, 13, 295_176),
            (2, 27, 264, 14, 303_240),
        ] {
            let found = size(table, mcs, resource_blocks, symbols);
            assert_eq!(found, bits, "{table} {mcs} {resource_blocks} {symbols}");
        }
    }

    #[test]
    fn all_sizes_by_exact_fractions() {
        // The same program over both tables, all schemes, 1 to 273 resource blocks.
        let (mut digest, mut count) = (0u64, 0);
        for (table, schemes) in [(1, 29), (2, 28)] {
            for (mcs, resource_blocks) in (0..schemes).flat_map(|m| (1..274).map(move |n| (m, n))) {
                for symbols in [2, 4, 7, 10, 12, 13, 14] {
                    let bits = size(table, mcs, resource_blocks, symbols);
                    let next = u128::from(digest) * 31 + u128::from(bits);
                    digest = (next % (1 << 61)) as u64;
                    count += 1;
                }
            }
        }
        assert_eq!((count, digest), (108_927, 936_803_653_097_012_616));
    }

    #[test]
    fn sizes_of_the_table_stand_for_themselves() {
        // TS 38.214, table 5.1.3.2-1.
        assert_eq!(tables::small_sizes().len(), 93);
        for &bits in tables::small_sizes() {
            assert_eq!(small(bits.into()), u64::from(bits));
        }
        assert_eq!([0, 1, 23, 24, 31].map(small), [24; 5]);
        // In steps of 32, 3775 counts as 3744 and 3776 as itself.
        assert_eq!([3_752, 3_753, 3_775, 3_776].map(small), [3_752, 3_752, 3_752, 3_824]);
    }

    #[test]
    fn elements_of_the_standard() {
        assert_eq!(elements(1, 14, 0), 156);
        assert_eq!(elements(10, 14, 12), 1_560);
        assert_eq!(elements(10, 14, 18), 1_500);
        assert_eq!(elements(3, 2, 12), 36);
        assert_eq!((elements(3, 1, 12), elements(3, 0, 12), elements(0, 14, 12)), (0, 0, 0));
        assert_eq!(size(1, 28, 0, 14), 0);
        assert_eq!(size(1, 28, 100, 1), 0);
    }

    #[test]
    fn blocks_are_whole_bytes_and_grow() {
        for table in [Qam64, Qam256] {
            for scheme in schemes(table) {
                let sizes: Vec<u32> = (0..274).map(|n| bits(scheme, elements(n, 13, 12))).collect();
                assert!(sizes.is_sorted() && sizes.iter().all(|bits| bits % 8 == 0));
            }
        }
    }
}
