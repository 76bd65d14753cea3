//! Link adaptation: from CQI to MCS, within limits.

use airpath_net::Direction;

use super::tables::{self, CQI_COUNT};
use super::{Format, McsTable};

/// The MCS of each CQI by table, see [`mcs_for_cqi`].
const MCS_OF_CQI: [[u8; CQI_COUNT]; 2] =
    [mcs_of_cqi(McsTable::Qam64), mcs_of_cqi(McsTable::Qam256)];

const fn mcs_of_cqi(table: McsTable) -> [u8; CQI_COUNT] {
    let mut all = [0; CQI_COUNT];
    let mut cqi = 1;
    while cqi < CQI_COUNT {
        // Efficiencies of MCS have two decimals only.
        let efficiency = tables::cqi_efficiency(table, cqi as u8) + 0.005;
        let mut mcs = 0;
        while mcs + 1 < tables::mcs_count(table)
            && tables::mcs_efficiency(table, mcs + 1) <= efficiency
        {
            mcs += 1;
        }
        all[cqi] = mcs;
        cqi += 1;
    }
    all
}

/// LTE: the highest MCS whose spectral efficiency does not exceed that of `cqi`, in two
/// decimals. CQI 0 gives MCS 0; above 15 counts as 15.
pub(super) fn mcs_for_cqi(table: McsTable, cqi: u8) -> u8 {
    MCS_OF_CQI[table as usize][usize::from(cqi).min(CQI_COUNT - 1)]
}

/// Link adaptation: the modulation and coding scheme by the channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkAdaptation {
    /// The least MCS index.
    pub min_mcs: u8,
    /// The largest MCS index; what is above the last of the technology counts as the last.
    pub max_mcs: u8,
    /// Share of first transmissions that may fail.
    pub bler_target: f64,
    /// Largest code rate, `None` for no limit. A UE may skip decoding above 0.93, with NR
    /// above 0.95 (TS 36.213, 7.1.7; TS 38.214, 5.1.3).
    pub code_rate_limit: Option<f64>,
    /// Symbols of the control region.
    pub control_symbols: u8,
    /// True if the MCS of a fixed link is that of the block which is granted, not of one in 50 resource
    /// blocks.
    pub by_grant: bool,
}

impl LinkAdaptation {
    /// MCS for a transport block. It is the one of the CQI, within the least and the largest index.
    /// The code rate may demand a lower one, but none below the least.
    pub fn mcs(&self, format: &Format, direction: Direction, cqi: u8, resource_blocks: u16) -> u8 {
        let allowed = self.allowed(format.technology.mcs_for_cqi(cqi));
        self.limited(|mcs| format.code_rate(direction, mcs, resource_blocks), allowed)
    }

    /// An MCS that the channel allows, within the least and the largest index.
    pub fn allowed(&self, mcs: u8) -> u8 {
        mcs.min(self.max_mcs).max(self.min_mcs)
    }

    /// MCS for a transport block with this code rate by MCS, at most `allowed`. The code rate may
    /// demand a lower one, but none below the least.
    pub(crate) fn limited(&self, code_rate: impl Fn(u8) -> f64, allowed: u8) -> u8 {
        let mut mcs = allowed;
        let Some(limit) = self.code_rate_limit else { return mcs };
        while mcs > self.min_mcs && code_rate(mcs) > limit {
            mcs -= 1;
        }
        mcs
    }
}

#[cfg(test)]
mod tests {
    use airpath_net::Direction::{Downlink, Uplink};

    use super::*;
    use crate::Tti;
    use crate::phy::{ReferenceSignals, Technology};

    const LTE: Format = Format {
        technology: Technology::Lte(McsTable::Qam64),
        tti: Tti::LTE,
        control_symbols: 3,
        layers: 1,
        reference: ReferenceSignals::ONE_PORT,
    };
    const ALL: LinkAdaptation = LinkAdaptation {
        min_mcs: 0,
        max_mcs: 28,
        bler_target: 0.1,
        code_rate_limit: None,
        control_symbols: 3,
        by_grant: false,
    };

    #[test]
    fn mcs_of_each_cqi() {
        // Efficiencies of TS 36.213, table 7.2.3-1, in two decimals, against R1-081483.
        let schemes: Vec<u8> = (0..=16).map(|cqi| mcs_for_cqi(McsTable::Qam64, cqi)).collect();
        assert_eq!(schemes, [0, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 28]);
        // Table 7.2.3-2.
        let schemes: Vec<u8> = (0..=16).map(|cqi| mcs_for_cqi(McsTable::Qam256, cqi)).collect();
        assert_eq!(schemes, [0, 0, 2, 4, 6, 8, 10, 11, 13, 15, 17, 19, 21, 23, 25, 27, 27]);
    }

    #[test]
    fn code_rate_limits_the_mcs() {
        let limited = LinkAdaptation { code_rate_limit: Some(0.93), ..ALL };
        assert_eq!(ALL.mcs(&LTE, Downlink, 15, 50), 28);
        // 50 resource blocks: (36 696 + 24) / 37 800 = 0.971; MCS 27: (31 704 + 24) /
        // 37 800 = 0.839.
        assert_eq!(limited.mcs(&LTE, Downlink, 15, 50), 27);
        // Uplink: (36 696 + 24) / 43 200 = 0.85.
        assert_eq!(limited.mcs(&LTE, Uplink, 15, 50), 28);
        // No room: the least.
        assert_eq!(LinkAdaptation { min_mcs: 5, ..limited }.mcs(&LTE, Downlink, 15, 0), 5);
    }

    #[test]
    fn least_and_largest() {
        let narrow = LinkAdaptation { min_mcs: 4, max_mcs: 20, ..ALL };
        assert_eq!([0, 15].map(|cqi| narrow.mcs(&LTE, Downlink, cqi, 10)), [4, 20]);
        let crossed = LinkAdaptation { min_mcs: 20, max_mcs: 4, ..ALL };
        assert_eq!(crossed.mcs(&LTE, Downlink, 8, 10), 20);
    }
}
