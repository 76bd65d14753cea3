//! Tables of TS 36.213: transport block sizes, modulation and coding schemes, channel
//! quality indicators. The figures are in `data/`, their origins in its README.

use airpath_net::Direction;

use super::McsTable;

include!(concat!(env!("OUT_DIR"), "/lte_tables.rs"));

/// CQI indices that name a scheme, 1 to 15 (TS 36.213, tables 7.2.3-1 and 7.2.3-2), and 0 for
/// "out of range".
pub const CQI_COUNT: usize = 16;

/// Most resource blocks of a carrier (TS 38.101-1, table 5.3.2-1: 100 MHz at 30 kHz).
pub const MAX_RESOURCE_BLOCKS: u16 = 273;
/// Most resource blocks of a transport block (TS 36.213, table 7.1.7.2.1-1).
const MAX_OF_TABLE: u16 = 110;

/// MCS indices of a table, from 0 (TS 36.213, tables 7.1.7.1-1 and 7.1.7.1-1A; those above are
/// reserved): 29 or 28.
pub const fn mcs_count(table: McsTable) -> u8 {
    MCS_EFFICIENCY[table as usize].len() as u8
}

pub(super) fn mcs_index(table: McsTable, mcs: u8) -> usize {
    usize::from(mcs.min(mcs_count(table) - 1))
}

/// Bytes of a transport block on `resource_blocks` pairs of resource blocks with `mcs`
/// (TS 36.213, 7.1.7.2.1 and 8.6.2). None fit on no resource blocks; more than the table's
/// 110 carry in proportion, rounded down, and more than 273 count as 273. An MCS above the last
/// counts as the last. The uplink has the table up to 64QAM only.
pub fn block_bytes(table: McsTable, direction: Direction, mcs: u8, resource_blocks: u16) -> u32 {
    let Some(row) = resource_blocks.min(MAX_OF_TABLE).checked_sub(1) else { return 0 };
    let itbs = i_tbs(table, direction, mcs);
    in_proportion(BLOCK_BITS[usize::from(row)][itbs] / 8, resource_blocks)
}

/// Bytes downlink of a transport block on two layers (TS 36.213, 7.1.7.2.2), otherwise as
/// [`block_bytes`]. Up to 55 resource blocks it has the size of twice as many on one layer.
pub fn two_layer_bytes(table: McsTable, mcs: u8, resource_blocks: u16) -> u32 {
    let Some(row) = resource_blocks.min(MAX_OF_TABLE).checked_sub(1) else { return 0 };
    let itbs = i_tbs(table, Direction::Downlink, mcs);
    let bits = match 2 * resource_blocks {
        twice @ 0..=MAX_OF_TABLE => BLOCK_BITS[usize::from(twice) - 1][itbs],
        _ => {
            let one = BLOCK_BITS[usize::from(row)][itbs];
            let found = TWO_LAYER_BITS.partition_point(|(bits, _)| *bits < one);
            TWO_LAYER_BITS[found.min(TWO_LAYER_BITS.len() - 1)].1
        }
    };
    in_proportion(bits / 8, resource_blocks)
}

fn i_tbs(table: McsTable, direction: Direction, mcs: u8) -> usize {
    usize::from(match direction {
        Direction::Downlink => ITBS_DL[table as usize][mcs_index(table, mcs)],
        Direction::Uplink => ITBS_UL[mcs_index(McsTable::Qam64, mcs)],
    })
}

/// Bytes of the table in more resource blocks than it has.
fn in_proportion(bytes: u32, resource_blocks: u16) -> u32 {
    match resource_blocks.min(MAX_RESOURCE_BLOCKS) {
        0..=MAX_OF_TABLE => bytes,
        more => bytes * u32::from(more) / u32::from(MAX_OF_TABLE),
    }
}

/// Bits of a modulation symbol with `mcs` (TS 36.213, tables 7.1.7.1-1 and 7.1.7.1-1A): 2, 4, 6
/// or 8. An MCS above the last counts as the last.
pub fn modulation_bits(table: McsTable, mcs: u8) -> u8 {
    MODULATION[table as usize][mcs_index(table, mcs)]
}

/// Bits of a modulation symbol with `mcs` in a direction. The uplink stays with a
/// modulation for a few indices longer than the downlink (TS 36.213, table 8.6.1-1).
pub fn modulation_bits_in(table: McsTable, direction: Direction, mcs: u8) -> u8 {
    match (direction, mcs) {
        (Direction::Downlink, _) => modulation_bits(table, mcs),
        (Direction::Uplink, 0..=10) => 2,
        (Direction::Uplink, 11..=20) => 4,
        (Direction::Uplink, _) => 6,
    }
}

/// Bits of information a modulation symbol at `cqi` (TS 36.213, tables 7.2.3-1 and 7.2.3-2). Zero
/// for CQI 0; above 15 counts as 15.
pub const fn cqi_efficiency(table: McsTable, cqi: u8) -> f64 {
    match cqi {
        0 => 0.0,
        1..=15 => CQI_EFFICIENCY[table as usize][cqi as usize - 1],
        _ => CQI_EFFICIENCY[table as usize][14],
    }
}

/// Bits of information a modulation symbol with `mcs`, two decimals (R1-081483; of 256QAM between
/// those of CQIs). An MCS above the last counts as the last.
pub const fn mcs_efficiency(table: McsTable, mcs: u8) -> f64 {
    let last = mcs_count(table) - 1;
    MCS_EFFICIENCY[table as usize][if mcs < last { mcs as usize } else { last as usize }]
}

#[cfg(test)]
mod tests {
    use airpath_net::Direction::{Downlink, Uplink};

    use super::*;
    use crate::phy::McsTable::{Qam64, Qam256};

    #[test]
    fn block_sizes_of_the_standard() {
        // TS 36.213, table 7.1.7.2.1-1; I_TBS from tables 7.1.7.1-1 and 8.6.1-1.
        for (direction, mcs, resource_blocks, bits) in [
            (Downlink, 0, 1, 16),
            (Downlink, 28, 1, 712),
            (Downlink, 28, 6, 4_392),
            (Downlink, 28, 50, 36_696),
            (Downlink, 28, 100, 75_376),
            (Downlink, 28, 110, 75_376),
            (Downlink, 0, 50, 1_384),
            (Downlink, 9, 50, 7_992),
            (Downlink, 10, 50, 7_992),
            (Downlink, 17, 25, 7_736),
            (Uplink, 10, 50, 8_760),
            (Uplink, 28, 50, 36_696),
        ] {
            let bytes = block_bytes(Qam64, direction, mcs, resource_blocks);
            assert_eq!(bytes * 8, bits, "{direction:?} {mcs} {resource_blocks}");
        }
    }

    #[test]
    fn block_sizes_on_two_layers() {
        // TS 36.306, table 4.1-1: most bits of a block of categories 5 and 13, with 64QAM and 256QAM on
        // four layers, which are two of each block.
        assert_eq!(two_layer_bytes(Qam64, 28, 100) * 8, 149_776);
        assert_eq!(two_layer_bytes(Qam256, 27, 100) * 8, 195_816);
        // TS 36.213, 7.1.7.2.2: twice the resource blocks, then table 7.1.7.2.2-1.
        for (mcs, resource_blocks, bits) in [
            (28, 1, 1_480),
            (28, 50, 75_376),
            (28, 55, 75_376),
            (28, 56, 81_176),
            (0, 56, 3_112),
            (27, 110, 142_248),
        ] {
            assert_eq!(two_layer_bytes(Qam64, mcs, resource_blocks) * 8, bits);
        }
        assert_eq!(two_layer_bytes(Qam64, 28, 0), 0);
    }

    /// TS 36.212, 5.1.2 and table 5.1.3-3: equal code blocks of at most 6144 bits, of sizes that the
    /// interleaver has.
    #[test]
    fn sizes_on_two_layers_are_whole_code_blocks() {
        let is_size = |bits: u32| match bits {
            40..=512 => bits.is_multiple_of(8),
            513..=1_024 => bits.is_multiple_of(16),
            1_025..=2_048 => bits.is_multiple_of(32),
            _ => bits.is_multiple_of(64) && bits <= 6_144,
        };
        for table in [Qam64, Qam256] {
            for (mcs, n) in (0..mcs_count(table)).flat_map(|mcs| (56..=110).map(move |n| (mcs, n)))
            {
                let bits = two_layer_bytes(table, mcs, n) * 8 + 24;
                let count = if bits <= 6_144 { 1 } else { bits.div_ceil(6_144 - 24) };
                let checks = if count == 1 { 0 } else { 24 * count };
                assert!((bits + checks).is_multiple_of(count) && is_size((bits + checks) / count));
                let twice = 2.0 * f64::from(block_bytes(table, Downlink, mcs, n) * 8);
                assert!((f64::from(bits - 24) / twice - 1.0).abs() < 0.025, "{mcs} {n}");
            }
        }
    }

    #[test]
    fn block_sizes_with_256qam() {
        // TS 36.213, Release 12, table 7.1.7.2.1-1 with I_TBS of table 7.1.7.1-1A. I_TBS 28 of 1 to
        // 8 resource blocks is also in US 9 755 814.
        let i_tbs_28 = (1..).zip([680, 1_384, 2_088, 2_792, 3_496, 4_264, 4_968, 5_544]);
        let spots = [
            (0, 50, 1_384),
            (1, 50, 2_216),
            (4, 50, 6_968),
            (5, 50, 8_760),
            (10, 50, 15_264),
            (19, 50, 30_576),
            (20, 50, 31_704),
            (21, 1, 648),
            (27, 1, 968),
            (27, 25, 24_496),
            (27, 50, 48_936),
            (26, 100, 84_760),
            (27, 100, 97_896),
            (27, 110, 97_896),
            (200, 100, 97_896),
        ];
        let all = i_tbs_28.map(|(blocks, bits)| (22, blocks, bits)).chain(spots);
        for (mcs, resource_blocks, bits) in all {
            let bytes = block_bytes(Qam256, Downlink, mcs, resource_blocks);
            assert_eq!(bytes * 8, bits, "{mcs} {resource_blocks}");
        }
        // The rule of that patent: efficiency times 120 elements of a resource block, 136 with the
        // last I_TBS. The nearest size that there is counts.
        for (mcs, elements) in (21..28).zip([[120.0; 6].as_slice(), &[136.0]].concat()) {
            for n in 1..=110 {
                let bits = 8.0 * f64::from(block_bytes(Qam256, Downlink, mcs, n));
                let rule = mcs_efficiency(Qam256, mcs) * elements * f64::from(n);
                let away = bits / rule.min(97_896.0) - 1.0;
                assert!(away.abs() < 0.05, "{mcs} {n}: {bits} {rule}");
            }
        }
    }

    #[test]
    fn outside_of_the_tables() {
        assert_eq!(block_bytes(Qam64, Downlink, 28, 0), 0);
        assert_eq!(block_bytes(Qam64, Downlink, 200, 1), 89);
        assert_eq!(block_bytes(Qam64, Uplink, 0, 220), 2 * 389);
        assert_eq!(block_bytes(Qam64, Uplink, 0, u16::MAX), block_bytes(Qam64, Uplink, 0, 273));
        assert_eq!(modulation_bits(Qam64, 255), 6);
        assert_eq!(cqi_efficiency(Qam64, 0), 0.0);
        assert_eq!(cqi_efficiency(Qam64, 16), 5.5547);
    }

    #[test]
    fn blocks_grow_with_mcs_and_resource_blocks() {
        for direction in [Downlink, Uplink] {
            for mcs in 0..29 {
                for (table, blocks) in
                    [Qam64, Qam256].into_iter().flat_map(|t| (1..=273).map(move |n| (t, n)))
                {
                    let bytes = block_bytes(table, direction, mcs, blocks);
                    assert!(bytes <= block_bytes(table, direction, mcs + 1, blocks));
                    assert!(bytes <= block_bytes(table, direction, mcs, blocks + 1));
                }
            }
        }
    }

    #[test]
    fn modulation_changes_where_the_standard_says() {
        // Downlink: table 7.1.7.1-1; uplink: table 8.6.1-1.
        let bits =
            |direction, schemes: [u8; 4]| schemes.map(|m| modulation_bits_in(Qam64, direction, m));
        assert_eq!(bits(Downlink, [9, 10, 16, 17]), [2, 4, 4, 6]);
        assert_eq!(bits(Uplink, [10, 11, 20, 21]), [2, 4, 4, 6]);
        // Table 7.1.7.1-1A.
        let of_256qam = [4, 5, 10, 11, 19, 20, 27, 28].map(|mcs| modulation_bits(Qam256, mcs));
        assert_eq!(of_256qam, [2, 4, 4, 6, 6, 8, 8, 8]);
        assert_eq!([Qam64, Qam256].map(mcs_count), [29, 28]);
    }

    #[test]
    fn efficiencies_of_indicators() {
        // Table 7.2.3-2: bits a symbol and code rate times 1024.
        for (cqi, bits, rate) in [
            (1, 2, 78),
            (2, 2, 193),
            (3, 2, 449),
            (4, 4, 378),
            (6, 4, 616),
            (7, 6, 466),
            (11, 6, 873),
            (12, 8, 711),
            (13, 8, 797),
            (14, 8, 885),
            (15, 8, 948),
        ] {
            let efficiency = f64::from(bits * rate) / 1_024.0;
            assert!((cqi_efficiency(Qam256, cqi) - efficiency).abs() < 1e-4, "{cqi}");
        }
        assert_eq!(cqi_efficiency(Qam256, 0), 0.0);
        assert_eq!(cqi_efficiency(Qam256, 255), 7.4063);
        // Schemes with up to 64QAM are those of the other table, by I_TBS.
        let twins = [0, 2, 4, 6, 8, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 24, 25, 26];
        for (mcs, twin) in (0..20).zip(twins) {
            assert_eq!(modulation_bits(Qam256, mcs), modulation_bits(Qam64, twin));
            assert_eq!(mcs_efficiency(Qam256, mcs), mcs_efficiency(Qam64, twin));
            assert_eq!(
                block_bytes(Qam256, Downlink, mcs, 50),
                block_bytes(Qam64, Downlink, twin, 50)
            );
        }
    }
}
