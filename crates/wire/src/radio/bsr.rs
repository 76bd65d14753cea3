//! Levels of buffer status reports.

use std::sync::OnceLock;

use airpath_base::math;

/// Upper ends of the levels of LTE in bytes (TS 36.321, table 6.1.3.1-1). Level 0 is an empty
/// buffer, and the last, level 63, is whatever exceeds the one before.
pub const LTE_LEVELS: [u32; 63] = [
    0, 10, 12, 14, 17, 19, 22, 26, 31, 36, 42, 49, 57, 67, 78, 91, 107, 125, 146, 171, 200, 234,
    274, 321, 376, 440, 515, 603, 706, 826, 967, 1_132, 1_326, 1_552, 1_817, 2_127, 2_490, 2_915,
    3_413, 3_995, 4_677, 5_476, 6_411, 7_505, 8_787, 10_287, 12_043, 14_099, 16_507, 19_325,
    22_624, 26_487, 31_009, 36_304, 42_502, 49_759, 58_255, 68_201, 79_846, 93_479, 109_439,
    128_125, 150_000,
];

/// Upper ends of the levels of NR's short report (TS 38.321, table 6.1.3.1-1); level 31 is
/// whatever exceeds the last.
pub const NR_SHORT_LEVELS: [u32; 31] = [
    0, 10, 14, 20, 28, 38, 53, 74, 102, 142, 198, 276, 384, 535, 745, 1_038, 1_446, 2_014, 2_806,
    3_909, 5_446, 7_587, 10_570, 14_726, 20_516, 28_581, 39_818, 55_474, 77_284, 107_669, 150_000,
];

/// Levels of NR's long report below the last, which is whatever exceeds them (TS 38.321, table
/// 6.1.3.1-2).
pub const NR_LONG: usize = 254;
/// The end of the last of these.
const NR_LONG_END: f64 = 81_338_368.0;

/// Groups of logical channels: eight in NR, of which LTE has the first four (TS 38.321 and TS
/// 36.321, 5.4.5).
pub const GROUPS: usize = 8;
/// Groups of LTE.
pub const LTE_GROUPS: usize = 4;

/// A buffer status report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// Of one group of logical channels that has all the data.
    Short {
        /// The group.
        group: u8,
        /// Bytes that wait.
        bytes: u32,
    },
    /// Of one group of several.
    Truncated {
        /// The group.
        group: u8,
        /// Bytes that wait in each.
        bytes: [u32; GROUPS],
    },
    /// Of all groups: bytes that wait in each.
    Long([u32; GROUPS]),
}

/// The level of so many bytes in LTE.
pub fn lte_level(bytes: u32) -> u8 {
    LTE_LEVELS.partition_point(|end| *end < bytes) as u8
}

/// The level of so many bytes in a short report of NR.
pub fn nr_short_level(bytes: u32) -> u8 {
    NR_SHORT_LEVELS.partition_point(|end| *end < bytes) as u8
}

/// The level of so many bytes in a long report of NR.
pub fn nr_long_level(bytes: u32) -> u8 {
    nr_long_levels().partition_point(|end| *end < bytes) as u8
}

/// Upper ends of the levels of NR's long report (TS 38.321, table 6.1.3.1-2); level 254 is
/// whatever exceeds the last.
///
/// The table's levels grow by a factor from 10 bytes on and are rounded up; it leaves out the
/// second of two that are the same.
pub fn nr_long_levels() -> &'static [u32; NR_LONG] {
    static LEVELS: OnceLock<[u32; NR_LONG]> = OnceLock::new();
    LEVELS.get_or_init(|| {
        core::array::from_fn(|n| {
            let power = if n < 5 { n as f64 - 1.0 } else { n as f64 };
            let end = 10.0 * math::pow(NR_LONG_END / 10.0, power / (NR_LONG - 1) as f64);
            if n == 0 { 0 } else { (end - 1e-6).ceil() as u32 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_lte() {
        // TS 36.321, table 6.1.3.1-1: 0 < 1 to 10 < 11 to 12; 128 125 < 150 000 < all above.
        let bytes = [0, 1, 10, 11, 128_126, 150_000, 150_001];
        assert_eq!(bytes.map(lte_level), [0, 1, 1, 2, 62, 62, 63]);
    }

    #[test]
    fn levels_of_nr() {
        // TS 38.321, table 6.1.3.1-1: indices 1, 2, 30 and 31.
        let bytes = [0, 10, 11, 150_000, 150_001];
        assert_eq!(bytes.map(nr_short_level), [0, 1, 2, 30, 31]);
        // Table 6.1.3.1-2, of each part some: indices 1 to 15, 144 to 147, 252 and 253.
        let first = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 23, 25, 26];
        assert_eq!(nr_long_levels()[1..16], first);
        assert_eq!(nr_long_levels()[144..148], [85_730, 91_295, 97_221, 103_532]);
        assert_eq!(nr_long_levels()[252..], [76_380_419, 81_338_368]);
        assert_eq!([0, 10, 14, 81_338_368, 81_338_369].map(nr_long_level), [0, 1, 5, 253, 254]);
    }
}
