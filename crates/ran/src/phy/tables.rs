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
    let itbs = match direction {
        Direction::Downlink => ITBS_DL[table as usize][mcs_index(table, mcs)],
        Direction::Uplink => ITBS_UL[mcs_index(McsTable::Qam64, mcs)],
    };
    let bytes = BLOCK_BITS[usize::from(row)][usize::from(itbs)] / 8;
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
                for blocks in 1..=273 {
                    let bytes = block_bytes(Qam64, direction, mcs, blocks);
                    assert!(bytes <= block_bytes(Qam64, direction, mcs + 1, blocks));
                    assert!(bytes <= block_bytes(Qam64, direction, mcs, blocks + 1));
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
    }
}
