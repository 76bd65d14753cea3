//! MCS and CQI tables of TS 38.214. The figures are in `data/`, their origins in its README.

use crate::phy::McsTable;

include!(concat!(env!("OUT_DIR"), "/nr_tables.rs"));

/// A modulation and coding scheme.
#[derive(Debug)]
pub(super) struct Scheme {
    pub modulation_bits: u8,
    /// Target code rate times 2048: two rates of table 2 are halves of 1/1024.
    pub rate_x2048: u16,
    /// Bits of information a symbol.
    pub efficiency: f64,
    /// Of the exponential effective SINR mapping.
    pub beta: f32,
    /// Error curves by set and base graph, the smallest block first. None for base graph 1
    /// where the code rate is at most a quarter, which never uses it.
    pub curves: [[&'static [Curve]; 2]; 2],
}

/// The error curve of a size of code blocks.
#[derive(Debug)]
pub(super) struct Curve {
    /// One over the square root of the size in bits.
    pub place: f64,
    /// SNR in dB at which half of the blocks fail.
    pub centre_db: f64,
    /// Standard deviation in dB times the square root of the size in bits.
    pub spread: f64,
}

/// Sizes in bits of transport blocks with up to 3824 bits of information, rising (TS 38.214,
/// table 5.1.3.2-1).
pub(super) fn small_sizes() -> &'static [u16] {
    &SMALL_BITS
}

/// The schemes of a table.
pub(super) fn schemes(table: McsTable) -> &'static [Scheme] {
    match table {
        McsTable::Qam64 => &SCHEMES_1,
        McsTable::Qam256 => &SCHEMES_2,
        McsTable::Qam64LowSe => &SCHEMES_3,
    }
}

/// A scheme; an MCS above the last counts as the last.
pub(super) fn scheme(table: McsTable, mcs: u8) -> &'static Scheme {
    let schemes = schemes(table);
    &schemes[usize::from(mcs).min(schemes.len() - 1)]
}

/// Efficiency of a CQI; zero for CQI 0, above 15 counts as 15.
pub(super) fn cqi_efficiency(table: McsTable, cqi: u8) -> f64 {
    let of_table = match table {
        McsTable::Qam64 => &CQI_1,
        McsTable::Qam256 => &CQI_2,
        McsTable::Qam64LowSe => &CQI_3,
    };
    of_table[usize::from(cqi.min(15))]
}

/// The highest MCS whose efficiency does not exceed that of a CQI, or 0; above 15 counts as
/// 15.
pub(super) fn mcs_for_cqi(table: McsTable, cqi: u8) -> u8 {
    let of_table = match table {
        McsTable::Qam64 => &MCS_OF_CQI_1,
        McsTable::Qam256 => &MCS_OF_CQI_2,
        McsTable::Qam64LowSe => &MCS_OF_CQI_3,
    };
    of_table[usize::from(cqi.min(15))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_of_the_standard() {
        // TS 38.214, tables 5.1.3.1-1 and 5.1.3.1-2: modulation order, code rate x 1024.
        let row = |table, mcs| {
            let Scheme { modulation_bits, rate_x2048, efficiency, .. } = scheme(table, mcs);
            (*modulation_bits, f64::from(*rate_x2048) / 2.0, *efficiency)
        };
        assert_eq!(row(McsTable::Qam64, 0), (2, 120.0, 0.2344));
        assert_eq!(row(McsTable::Qam64, 17), (6, 438.0, 2.5664));
        assert_eq!(row(McsTable::Qam64, 28), (6, 948.0, 5.5547));
        assert_eq!(row(McsTable::Qam256, 20), (8, 682.5, 5.3320));
        assert_eq!(row(McsTable::Qam256, 26), (8, 916.5, 7.1602));
        assert_eq!(row(McsTable::Qam256, 200), (8, 948.0, 7.4063));
        assert_eq!(row(McsTable::Qam64LowSe, 0), (2, 30.0, 0.0586));
        assert_eq!(row(McsTable::Qam64LowSe, 5), (2, 99.0, 0.1934));
        assert_eq!(row(McsTable::Qam64LowSe, 28), (6, 772.0, 4.5234));
        for table in [McsTable::Qam64, McsTable::Qam256, McsTable::Qam64LowSe] {
            for scheme in schemes(table) {
                let rate = f64::from(scheme.rate_x2048) / 2048.0;
                let efficiency = f64::from(scheme.modulation_bits) * rate;
                assert!((efficiency - scheme.efficiency).abs() < 1e-4, "{scheme:?}");
            }
        }
    }

    #[test]
    fn schemes_of_the_indicators() {
        // By hand from the same tables and 5.2.2.1-2, 5.2.2.1-3. CQI 1, 0.1523, lies below
        // all schemes.
        let all = |table| (0..=16).map(|cqi| mcs_for_cqi(table, cqi)).collect::<Vec<u8>>();
        let expected = [0, 0, 0, 2, 4, 6, 8, 11, 13, 15, 18, 20, 22, 24, 26, 28, 28];
        assert_eq!(all(McsTable::Qam64), expected);
        let expected = [0, 0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 27];
        assert_eq!(all(McsTable::Qam256), expected);
        // And from 5.1.3.1-3 and 5.2.2.1-4.
        let expected = [0, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 28];
        assert_eq!(all(McsTable::Qam64LowSe), expected);
        assert_eq!(cqi_efficiency(McsTable::Qam64, 0), 0.0);
        assert_eq!(cqi_efficiency(McsTable::Qam256, 255), 7.4063);
    }
}
