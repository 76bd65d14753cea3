//! Link adaptation: from SINR to CQI, from CQI to MCS.

use airpath_net::Direction;

use super::tables::{self, CQI_COUNT, MCS_COUNT};
use super::{Resources, block_error};
use crate::Tti;

/// Resource blocks of the transport block by which a CQI is measured. The reference
/// resource spans the band (TS 36.213, 7.2.3); results hardly depend on its width.
const REFERENCE_RESOURCE_BLOCKS: u16 = 50;

/// The MCS of each CQI, see [`mcs_for_cqi`].
const MCS_OF_CQI: [u8; CQI_COUNT] = mcs_of_cqi();

const fn mcs_of_cqi() -> [u8; CQI_COUNT] {
    let mut all = [0; CQI_COUNT];
    let mut cqi = 1;
    while cqi < CQI_COUNT {
        // Efficiencies of MCS have two decimals only.
        let efficiency = tables::cqi_efficiency(cqi as u8) + 0.005;
        let mut mcs = 0;
        while mcs + 1 < MCS_COUNT as u8 && tables::mcs_efficiency(mcs + 1) <= efficiency {
            mcs += 1;
        }
        all[cqi] = mcs;
        cqi += 1;
    }
    all
}

/// The highest CQI whose matching MCS would fail with a chance of at most `bler_target`
/// (TS 36.213, 7.2.3) at a linear SINR. Zero ("out of range") if none would. Shorter
/// intervals have smaller blocks, which fail more.
pub fn cqi(sinr_linear: f64, bler_target: f64, tti: Tti) -> u8 {
    let suits = |cqi: &u8| {
        let mcs = mcs_for_cqi(*cqi);
        let bytes = tables::block_bytes(Direction::Downlink, mcs, REFERENCE_RESOURCE_BLOCKS);
        block_error(sinr_linear, mcs, tti.block_bytes(bytes)) <= bler_target
    };
    (1..CQI_COUNT as u8).rev().find(suits).unwrap_or(0)
}

/// The highest MCS whose spectral efficiency does not exceed that of `cqi`, in two
/// decimals. CQI 0 gives MCS 0; above 15 counts as 15.
pub fn mcs_for_cqi(cqi: u8) -> u8 {
    MCS_OF_CQI[usize::from(cqi).min(CQI_COUNT - 1)]
}

/// How the modulation and coding scheme follows the channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkAdaptation {
    /// The least MCS index, 0 to 28.
    pub min_mcs: u8,
    /// The largest MCS index, 0 to 28.
    pub max_mcs: u8,
    /// Share of first transmissions that may fail.
    pub bler_target: f64,
    /// Largest code rate, `None` for no limit. A UE may skip decoding above 0.93
    /// (TS 36.213, 7.1.7).
    pub code_rate_limit: Option<f64>,
    /// Symbols of the control region.
    pub control_symbols: u8,
}

impl LinkAdaptation {
    /// The CQI at a linear SINR.
    pub fn cqi(&self, sinr_linear: f64, tti: Tti) -> u8 {
        cqi(sinr_linear, self.bler_target, tti)
    }

    /// The MCS for a transport block: the one of the CQI, within the least and the
    /// largest index, then as far down as the code rate demands, but not below the least.
    pub fn mcs(&self, direction: Direction, cqi: u8, resource_blocks: u16) -> u8 {
        self.limited(direction, self.allowed(mcs_for_cqi(cqi)), resource_blocks)
    }

    /// An MCS that the channel allows, within the least and the largest index.
    pub fn allowed(&self, mcs: u8) -> u8 {
        mcs.min(self.max_mcs).max(self.min_mcs)
    }

    /// At most the MCS `allowed`, as far down as the code rate demands for a transport block of
    /// so many resource blocks, but not below the least.
    pub fn limited(&self, direction: Direction, allowed: u8, resource_blocks: u16) -> u8 {
        let mut mcs = allowed;
        let Some(limit) = self.code_rate_limit else { return mcs };
        let resources = Resources { control_symbols: self.control_symbols, srs: false };
        while mcs > self.min_mcs && resources.code_rate(direction, mcs, resource_blocks) > limit {
            mcs -= 1;
        }
        mcs
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::Db;
    use airpath_net::Direction::{Downlink, Uplink};
    use proptest::prelude::*;

    use super::*;

    const ALL: LinkAdaptation = LinkAdaptation {
        min_mcs: 0,
        max_mcs: 28,
        bler_target: 0.1,
        code_rate_limit: None,
        control_symbols: 3,
    };

    #[test]
    fn mcs_of_each_cqi() {
        // Efficiencies of TS 36.213, table 7.2.3-1, in two decimals, against R1-081483.
        let schemes: Vec<u8> = (0..=16).map(mcs_for_cqi).collect();
        assert_eq!(schemes, [0, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 28]);
    }

    #[test]
    fn cqi_rises_with_sinr_from_none_to_all() {
        let reports: Vec<u8> = (-150..300)
            .map(|tenth| cqi(Db(f64::from(tenth) / 10.0).linear(), 0.1, Tti::LTE))
            .collect();
        assert!(reports.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!((reports[0], reports[reports.len() - 1]), (0, 15));
        assert!((1..=15).all(|cqi| reports.contains(&cqi)));
        assert_eq!(cqi(f64::NAN, 0.1, Tti::LTE), 0);
    }

    #[test]
    fn code_rate_limits_the_mcs() {
        let limited = LinkAdaptation { code_rate_limit: Some(0.93), ..ALL };
        assert_eq!(ALL.mcs(Downlink, 15, 50), 28);
        // 50 resource blocks: (36 696 + 24) / 37 800 = 0.971; MCS 27: (31 704 + 24) /
        // 37 800 = 0.839.
        assert_eq!(limited.mcs(Downlink, 15, 50), 27);
        // Uplink: (36 696 + 24) / 43 200 = 0.85.
        assert_eq!(limited.mcs(Uplink, 15, 50), 28);
        // No room: the least.
        assert_eq!(LinkAdaptation { min_mcs: 5, ..limited }.mcs(Downlink, 15, 0), 5);
    }

    #[test]
    fn least_and_largest() {
        let narrow = LinkAdaptation { min_mcs: 4, max_mcs: 20, ..ALL };
        assert_eq!([0, 15].map(|cqi| narrow.mcs(Downlink, cqi, 10)), [4, 20]);
        let crossed = LinkAdaptation { min_mcs: 20, max_mcs: 4, ..ALL };
        assert_eq!(crossed.mcs(Downlink, 8, 10), 20);
    }

    proptest! {
        #[test]
        fn reported_schemes_meet_the_target(sinr in -6.0..30.0, target in 0.001..0.5) {
            let linear = Db(sinr).linear();
            let cqi = cqi(linear, target, Tti::LTE);
            prop_assume!(cqi > 0);
            let mcs = mcs_for_cqi(cqi);
            prop_assert!(block_error(linear, mcs, tables::block_bytes(Downlink, mcs, 50)) <= target);
        }
    }
}
