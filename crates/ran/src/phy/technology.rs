//! LTE and NR behind one set of functions.

use airpath_net::Direction;
use airpath_schema::choice;

use super::nr::Nr;
use super::tables;
use super::{adaptation, error, mutual};
use crate::config::Combining;

/// SINRs of a coded bit with some information and some errors, and bisections that find one to 1e-7.
const SINRS: [f64; 2] = [1e-6, 1e8];
const HALVINGS: u32 = 28;

choice! {
    /// An MCS table, and the CQI table that goes with it.
    pub enum McsTable {
        /// Up to 64QAM, MCS 0 to 28 (TS 36.213, tables 7.1.7.1-1 and 7.2.3-1; TS 38.214, tables
        /// 5.1.3.1-1 and 5.2.2.1-2).
        Qam64 = "64qam",
        /// Up to 256QAM, MCS 0 to 27 (TS 36.213, tables 7.1.7.1-1A and 7.2.3-2; TS 38.214, tables
        /// 5.1.3.1-2 and 5.2.2.1-3).
        Qam256 = "256qam",
        /// With NR, of low spectral efficiency, MCS 0 to 28 from 30/1024 on (TS 38.214, tables 5.1.3.1-3
        /// and 5.2.2.1-4). A UE reports its CQI for `bler_target = 0.00001` (5.2.2.1).
        Qam64LowSe = "64qam-low-se",
    }
}

/// A radio technology: what its tables say of a scheme, a transport block, an error.
///
/// An MCS above the last counts as the last, a CQI above 15 as 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technology {
    /// LTE: TS 36.213, turbo code. The uplink has the table up to 64QAM only.
    Lte(McsTable),
    /// NR: TS 38.214, LDPC.
    Nr(Nr),
}

impl Technology {
    /// True of NR.
    pub fn is_nr(&self) -> bool {
        matches!(self, Technology::Nr(_))
    }

    /// MCS indices, from 0: 29 or 28.
    pub fn mcs_count(&self) -> u8 {
        match self {
            Technology::Lte(table) => tables::mcs_count(*table),
            Technology::Nr(nr) => nr.mcs_count(),
        }
    }

    /// Bits of information a symbol at a CQI; zero for CQI 0.
    pub fn cqi_efficiency(&self, cqi: u8) -> f64 {
        match self {
            Technology::Lte(table) => tables::cqi_efficiency(*table, cqi),
            Technology::Nr(nr) => nr.cqi_efficiency(cqi),
        }
    }

    /// The highest MCS whose spectral efficiency does not exceed that of a CQI; 0 if none.
    pub fn mcs_for_cqi(&self, cqi: u8) -> u8 {
        match self {
            Technology::Lte(table) => adaptation::mcs_for_cqi(*table, cqi),
            Technology::Nr(nr) => nr.mcs_for_cqi(cqi),
        }
    }

    /// Bits of a modulation symbol: 2, 4, 6 or 8.
    pub fn modulation_bits(&self, direction: Direction, mcs: u8) -> u8 {
        match self {
            Technology::Lte(table) => tables::modulation_bits_in(*table, direction, mcs),
            Technology::Nr(nr) => nr.modulation_bits(mcs),
        }
    }

    /// Bits of information a symbol with an MCS.
    pub fn efficiency(&self, mcs: u8) -> f64 {
        match self {
            Technology::Lte(table) => tables::mcs_efficiency(*table, mcs),
            Technology::Nr(nr) => nr.efficiency(mcs),
        }
    }

    /// Bytes of a transport block on so many layers: LTE's of a subframe on one or two, NR's of a slot.
    /// Of NR's slot, `symbols` carry data or its demodulation reference signals, 0 to 14. None fit on no
    /// resource blocks or no symbols.
    pub fn block_bytes(
        &self,
        direction: Direction,
        mcs: u8,
        (resource_blocks, symbols, layers): (u16, u8, u8),
    ) -> u32 {
        match self {
            Technology::Lte(table) if layers < 2 => {
                tables::block_bytes(*table, direction, mcs, resource_blocks)
            }
            Technology::Lte(table) => tables::two_layer_bytes(*table, mcs, resource_blocks),
            Technology::Nr(nr) => nr.block_bytes(mcs, (resource_blocks, symbols, layers)),
        }
    }

    /// Mean mutual information of a coded bit, 0 to 1, over resource blocks with these linear
    /// SINRs; with NR's exponential mapping the one at their effective SINR. What is no number
    /// above zero counts as zero.
    pub fn information(&self, direction: Direction, mcs: u8, sinrs: &[f32]) -> f64 {
        match self {
            Technology::Lte(table) => mutual::information(*table, direction, mcs, sinrs),
            Technology::Nr(nr) => nr.information(mcs, sinrs),
        }
    }

    /// Chance that a transport block fails at a linear SINR that is the same in all its
    /// resource blocks, or adds up over attempts. One for what is no SINR above zero.
    pub fn error_at(&self, mcs: u8, sinr_linear: f64, block_bytes: u32) -> f64 {
        match self {
            Technology::Lte(table) => error::block_error(*table, sinr_linear, mcs, block_bytes),
            Technology::Nr(nr) => {
                let information = nr.information(mcs, &[sinr_linear as f32]);
                nr.block_error(mcs, information, block_bytes)
            }
        }
    }

    /// Mutual information of a coded bit after one more transmission, given that of those before and
    /// that of the one more.
    pub fn combined(
        &self,
        combining: Combining,
        (direction, mcs): (Direction, u8),
        [before, now]: [f64; 2],
    ) -> f64 {
        if combining == Combining::Incremental || before <= 0.0 {
            return before + now;
        }
        let sinr = [before, now].map(|information| self.sinr_of((direction, mcs), information));
        self.information(direction, mcs, &[(sinr[0] + sinr[1]) as f32])
    }

    /// The linear SINR of this mutual information, the same in all resource blocks; by bisection of its
    /// logarithm.
    fn sinr_of(&self, (direction, mcs): (Direction, u8), information: f64) -> f64 {
        let [mut low, mut high] = SINRS;
        for _ in 0..HALVINGS {
            let middle = (low * high).sqrt();
            let is_below = self.information(direction, mcs, &[middle as f32]) < information;
            *(if is_below { &mut low } else { &mut high }) = middle;
        }
        (low * high).sqrt()
    }

    /// Chance that a transport block fails, given the mutual information of a coded bit. That
    /// of several attempts adds up and may exceed 1; from 1 on no block fails.
    pub fn block_error(&self, mcs: u8, information: f64, block_bytes: u32) -> f64 {
        match self {
            Technology::Lte(table) => {
                error::error_of_information(*table, information, mcs, block_bytes)
            }
            Technology::Nr(nr) => nr.block_error(mcs, information, block_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::Db;
    use airpath_net::Direction::{Downlink, Uplink};
    use proptest::prelude::*;

    use super::*;
    use crate::phy::nr::{Curves, Mapping};
    use crate::phy::{block_error, effective_sinr};

    const LTE: Technology = Technology::Lte(McsTable::Qam64);

    fn nr(mcs_table: McsTable, mapping: Mapping) -> Technology {
        Technology::Nr(Nr { mcs_table, mapping, ..Nr::DEFAULT })
    }

    #[test]
    fn tables_of_each() {
        let small = nr(McsTable::Qam64, Mapping::Exponential);
        let large = nr(McsTable::Qam256, Mapping::Exponential);
        assert_eq!([LTE, small, large].map(|t| t.mcs_count()), [29, 29, 28]);
        // TS 36.213, table 7.2.3-1; TS 38.214, tables 5.2.2.1-2 and 5.2.2.1-3.
        assert_eq!([LTE, small, large].map(|t| t.cqi_efficiency(15)), [5.5547, 5.5547, 7.4063]);
        assert_eq!([LTE, small, large].map(|t| t.mcs_for_cqi(15)), [28, 28, 27]);
        assert_eq!([LTE, small, large].map(|t| t.modulation_bits(Uplink, 20)), [4, 6, 8]);
        assert_eq!([LTE, small, large].map(|t| t.efficiency(5)), [0.49, 0.7402, 1.4766]);
        // 36 696 bits in 50 resource blocks; 14 symbols less one of reference signals:
        // 237 776 and 303 240 bits in 273 and 264.
        assert_eq!(LTE.block_bytes(Downlink, 28, (50, 0, 1)), 4_587);
        assert_eq!(small.block_bytes(Downlink, 28, (273, 14, 1)), 29_722);
        assert_eq!(large.block_bytes(Uplink, 27, (264, 14, 1)), 37_905);
    }

    #[test]
    fn overhead_takes_room() {
        // 12 x 12 - 12 - 18 = 114 elements: 114 x 51 x 4 x 658 / 1024 bits of information,
        // 14 944.2, in steps of 256 and with its checks 14 856 or 15 112.
        let less = Technology::Nr(Nr { overhead: 18, ..Nr::DEFAULT });
        assert_eq!(less.block_bytes(Downlink, 16, (51, 12, 1)) * 8, 14_856);
    }

    #[test]
    fn mappings_agree_where_the_channel_is_flat() {
        for mcs in 0..28 {
            let of = |mapping| nr(McsTable::Qam256, mapping).information(Downlink, mcs, &[7.0; 9]);
            assert!((of(Mapping::Exponential) - of(Mapping::MutualInformation)).abs() < 1e-12);
        }
        // Half of the band faded: -34.28 ln((exp(-1/34.28) + exp(-300/34.28)) / 2) = 24.755.
        let technology = |mapping| nr(McsTable::Qam64, mapping);
        let exponential = technology(Mapping::Exponential);
        let [faded, flat] =
            [&[1.0, 300.0][..], &[24.755]].map(|s| exponential.information(Downlink, 28, s));
        assert!((faded - flat).abs() < 1e-4, "{faded} {flat}");
        let by_bits = technology(Mapping::MutualInformation);
        let halves = [1.0, 300.0].map(|sinr| by_bits.information(Downlink, 28, &[sinr]));
        let mean = by_bits.information(Downlink, 28, &[1.0, 300.0]);
        assert!((mean - (halves[0] + halves[1]) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn transmissions_of_the_same_bits_add_their_sinr() {
        let exponential = nr(McsTable::Qam256, Mapping::Exponential);
        for technology in [LTE, exponential, nr(McsTable::Qam64, Mapping::MutualInformation)] {
            for (mcs, sinr) in [(0, 0.02_f32), (4, 0.9), (15, 4.0), (27, 40.0)] {
                let of = |sinr: f32| technology.information(Uplink, mcs, &[sinr]);
                let [one, other] = [of(sinr), of(0.5 * sinr)];
                let both = |combining| technology.combined(combining, (Uplink, mcs), [one, other]);
                let chase = both(Combining::Chase);
                assert!((chase - of(1.5 * sinr)).abs() < 1e-4, "{technology:?} {mcs} {chase}");
                assert_eq!(both(Combining::Incremental), one + other);
            }
        }
        // QPSK near its capacity: repetition brings less than new bits.
        let one = LTE.information(Downlink, 4, &[1.5]);
        assert!(LTE.combined(Combining::Chase, (Downlink, 4), [one; 2]) < 0.9 * 2.0 * one);
        // A first transmission is what it is.
        let first = LTE.combined(Combining::Chase, (Downlink, 9), [0.0, 0.61]);
        assert_eq!(first, 0.61);
    }

    #[test]
    fn more_errors_with_the_curves_of_a_receiver() {
        let error = |curves| {
            let technology = Technology::Nr(Nr { curves, ..Nr::DEFAULT });
            let sinr = Db(13.0).linear() as f32;
            technology.block_error(20, technology.information(Downlink, 20, &[sinr]), 1_000)
        };
        assert!(error(Curves::FiveGLena) > 0.9 && error(Curves::Sionna) < 1e-3);
    }

    proptest! {
        #[test]
        fn lte_is_what_it_was(
            mcs in 0u8..29,
            up in any::<bool>(),
            sinrs in prop::collection::vec(-15.0f64..25.0, 1..30),
            bytes in 1u32..9_000,
        ) {
            let direction = if up { Uplink } else { Downlink };
            let linear: Vec<f64> = sinrs.iter().map(|&db| Db(db).linear()).collect();
            let bits = LTE.modulation_bits(direction, mcs);
            let expected = block_error(McsTable::Qam64, effective_sinr(bits, &linear), mcs, bytes);
            let floats: Vec<f32> = linear.iter().map(|&sinr| sinr as f32).collect();
            let found = LTE.block_error(mcs, LTE.information(direction, mcs, &floats), bytes);
            // Curves are as steep as 0.005 a standard deviation; grids differ by up to 1e-4.
            prop_assert!((found - expected).abs() < 0.05, "{} {}", found, expected);
        }
    }
}
