//! Downlink categories of LTE's UEs: their modulation, layers, and the size of their transport blocks.
//!
//! Left out: layers by band, soft channel bits, uplink categories. TS 36.306
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

/// Most layers, up to four (TS 36.306, tables 4.1-1 and 4.1A-1). Categories 6 and 7, and those from 9 on, may have
/// two or four, by their receivers.
pub const fn most_layers(category: u8) -> u8 {
    match category {
        0..=1 => 1,
        2..=4 => 2,
        5.. => 4,
    }
}

/// Most bits of all transport blocks within a TTI, on up to four layers of a carrier (TS 36.306, tables 4.1-1
/// and 4.1A-1). From category 4 on none bounds what a carrier of LTE has on those layers.
pub const fn most_tti_bits(category: u8) -> u32 {
    match category {
        0..=1 => 10_296,
        2 => 51_024,
        3 => 102_048,
        4 => 150_752,
        5 => 299_552,
        6..FIRST_WITH_256QAM => 301_504,
        FIRST_WITH_256QAM.. => 391_632,
    }
}

/// The last category whose bits over several carriers are known here.
pub const LAST_WITH_CARRIERS: u8 = 13;

/// Most bits of all transport blocks within a TTI over all carriers (TS 36.306, tables 4.1-1 and 4.1A-1).
/// None behind [`LAST_WITH_CARRIERS`]: most of those have a range of bits.
pub const fn most_bits_of_carriers(category: u8) -> Option<u32> {
    match category {
        0..=7 => Some(most_tti_bits(category)),
        8 => Some(2_998_560),
        9..=10 => Some(452_256),
        11..=12 => Some(603_008),
        LAST_WITH_CARRIERS => Some(391_632),
        14.. => None,
    }
}

#[cfg(test)]
mod tests {
    use airpath_net::Direction::Downlink;

    use super::*;
    use crate::phy::McsTable::{Qam64, Qam256};
    use crate::phy::tables::{block_bytes, two_layer_bytes};

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

    #[test]
    fn bits_of_carriers() {
        // Two, three and four carriers of 20 MHz with two layers (TS 36.213, table 7.1.7.2.1-1 for each).
        let block = 2 * 8 * block_bytes(Qam64, Downlink, 28, 100);
        let found = [6, 9, 11].map(most_bits_of_carriers);
        assert_eq!(found, [2, 3, 4].map(|carriers| Some(carriers * block)));
        let found = [1, 2, 3, 4, 5, 7, 8, 10, 12, 13, 14, 26].map(most_bits_of_carriers);
        let (small, large) = ([10_296, 51_024, 102_048, 150_752, 299_552], 2_998_560);
        let more = [301_504, large, 452_256, 603_008, 391_632].map(Some);
        assert_eq!(found[..5], small.map(Some));
        assert_eq!((&found[5..10], &found[10..]), (&more[..], &[None; 2][..]));
    }

    #[test]
    fn peaks_of_the_standard() {
        // TS 36.306, table 4.1-1: layers, and bits within a TTI.
        assert_eq!([1, 2, 3, 4, 5, 6, 8, 13].map(most_layers), [1, 2, 2, 2, 4, 4, 4, 4]);
        let bits = |table, mcs| {
            [block_bytes(table, Downlink, mcs, 100), two_layer_bytes(table, mcs, 100)]
                .map(|bytes| 2 * 8 * bytes)
        };
        // Two blocks of one layer, and two of two layers, in 20 MHz.
        let expected = [4, 5].map(most_tti_bits);
        assert_eq!(bits(Qam64, 28), expected);
        assert_eq!(bits(Qam256, 27)[1], most_tti_bits(13));
    }
}
