//! Downlink categories of LTE's UEs: their modulation, and the size of their transport blocks.
//!
//! Left out: what several carriers or layers bring, soft channel bits, uplink categories. TS 36.306
//! names categories 1 to 12 by `ue-Category` and those from 6 on by `ue-CategoryDL`. A number that
//! both have is the same downlink.

/// Categories: 1 to 26 (TS 36.306, tables 4.1-1 and 4.1A-1, Release 16).
pub const LAST_CATEGORY: u8 = 26;

/// The first category with 256QAM. All from there on may have it.
pub const FIRST_WITH_256QAM: u8 = 11;

/// Most bits of a transport block of one layer (TS 36.306, tables 4.1-1 and 4.1A-1: within a TTI,
/// and of a block on up to two layers).
pub const fn most_block_bits(category: u8) -> u32 {
    match category {
        0..=1 => 10_296,
        2 => 51_024,
        3..FIRST_WITH_256QAM => 75_376,
        FIRST_WITH_256QAM.. => 97_896,
    }
}

#[cfg(test)]
mod tests {
    use airpath_net::Direction::Downlink;

    use super::*;
    use crate::phy::McsTable::{Qam64, Qam256};
    use crate::phy::tables::block_bytes;

    #[test]
    fn sizes_of_the_standard() {
        let sizes = [1, 2, 3, 4, 5, 8, 10, 11, 12, 13, 19, 26].map(most_block_bits);
        let [small, large] = [75_376, 97_896];
        let expected = [10_296, 51_024, small, small, small, small, small];
        assert_eq!((&sizes[..7], &sizes[7..]), (&expected[..], &[large; 5][..]));
        // From category 3 on none bounds a block of a carrier of LTE.
        for (table, category) in [(Qam64, 3), (Qam256, FIRST_WITH_256QAM)] {
            let most = (1..=110).map(|blocks| block_bytes(table, Downlink, 28, blocks)).max();
            assert_eq!(most.map(|bytes| bytes * 8), Some(most_block_bits(category)));
        }
    }
}
