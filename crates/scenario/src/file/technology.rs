//! Differences between LTE and NR in a cell, and their consequences.

use airpath_schema::units::Hertz;
use airpath_schema::{choice, record};

use super::{Cell, McsTable};
use crate::interval::Interval;

choice! {
    /// A radio technology.
    pub enum RadioTechnology {
        /// LTE: TS 36.213, turbo code, up to 64QAM, downlink up to 256QAM.
        Lte = "lte",
        /// NR: TS 38.214, LDPC, up to 256QAM; one layer.
        Nr = "nr",
    }
}

choice! {
    /// RLC, PDCP and SDAP of a bearer.
    pub enum UserPlane {
        /// LTE: TS 36.322, TS 36.323.
        Lte = "lte",
        /// NR: TS 38.322, TS 38.323, TS 37.324.
        Nr = "nr",
    }
}

record! {
    /// MCS tables by direction. A single one counts for both, with LTE downlink alone.
    pub struct McsTables(down, up) {
        /// Downlink table. Default with LTE: "64qam", which UEs of all categories have. Default with
        /// NR: "256qam", which UEs of frequency range 1 have to know (TS 38.306, 4.2.7.5,
        /// pdsch-256QAM-FR1); in frequency range 2, from 24.25 GHz on or with numerology 3, "64qam".
        down: Option<McsTable>;
        /// Uplink table, with LTE "64qam" only. Default: "64qam", what every UE has; 256QAM is
        /// optional (TS 38.306, 4.2.7.5, pusch-256QAM).
        up: Option<McsTable>;
    }
}

/// The least MCS with 256QAM of LTE's table up to 256QAM (TS 36.213, table 7.1.7.1-1A).
pub const FIRST_256QAM: u8 = 20;

/// Subcarriers of a resource block (TS 38.211, 4.4.4.1; TS 36.211, table 6.2.3-1).
const SUBCARRIERS: f64 = 12.0;
/// Between subcarriers in Hz, with numerology 0 and in LTE.
const SPACING_HZ: f64 = 15e3;
/// Channel bandwidths of LTE in Hz and their resource blocks (TS 36.104, table 5.6-1).
const LTE_CARRIERS: [(u64, u32); 6] = [
    (1_400_000, 6),
    (3_000_000, 15),
    (5_000_000, 25),
    (10_000_000, 50),
    (15_000_000, 75),
    (20_000_000, 100),
];

impl Cell {
    /// True if NR's tables count.
    pub fn is_nr(&self) -> bool {
        self.technology == RadioTechnology::Nr
    }

    /// The least MCS downlink with 256QAM, if it is LTE and has the table with it.
    pub fn first_256qam(&self) -> Option<u8> {
        let table = self.link_adaptation.mcs_table.as_ref().and_then(|tables| tables.down);
        (!self.is_nr() && table == Some(McsTable::Qam256)).then_some(FIRST_256QAM)
    }

    /// True if bearers have RLC, PDCP and SDAP of NR.
    pub fn has_user_plane_of_nr(&self) -> bool {
        self.user_plane.map_or(self.is_nr(), |plane| plane == UserPlane::Nr)
    }

    /// Numerology; 0 with LTE.
    pub fn numerology(&self) -> u8 {
        match (self.numerology, self.tti) {
            _ if !self.is_nr() => 0,
            (Some(numerology), _) => numerology,
            (None, Interval::Nr { mu, .. }) => mu,
            (None, Interval::Time(_)) => 1,
        }
    }

    /// Resource blocks in each direction.
    pub fn resource_blocks(&self) -> u16 {
        let bandwidth = self.bandwidth.and_then(|bandwidth| self.carrier(bandwidth));
        bandwidth.or(self.resource_blocks.map(|blocks| blocks as u16)).unwrap_or(50)
    }

    /// The resource blocks of a bandwidth, if there is such a carrier.
    pub(crate) fn carrier(&self, bandwidth: Hertz) -> Option<u16> {
        if self.is_nr() {
            return airpath_ran::phy::nr::resource_blocks(self.numerology(), bandwidth.0);
        }
        let carrier = LTE_CARRIERS.iter().find(|(hertz, _)| *hertz == bandwidth.0)?;
        Some(carrier.1 as u16)
    }

    /// The bandwidths that it may have, rising.
    pub(crate) fn bandwidths(&self) -> Vec<Hertz> {
        if self.is_nr() {
            let all = airpath_ran::phy::nr::bandwidths(self.numerology());
            return all.map(|mhz| Hertz(u64::from(mhz) * 1_000_000)).collect();
        }
        LTE_CARRIERS.iter().map(|(hertz, _)| Hertz(*hertz)).collect()
    }

    /// Width of a resource block in Hz.
    pub fn resource_block_hz(&self) -> f64 {
        SUBCARRIERS * SPACING_HZ * f64::from(1 << self.numerology())
    }

    /// Width of its resource blocks in Hz.
    pub fn occupied_hz(&self) -> f64 {
        self.resource_block_hz() * f64::from(self.resource_blocks())
    }

    /// Symbols of an interval: 14 but for mini-slots.
    pub fn symbols(&self) -> u8 {
        match self.tti {
            Interval::Nr { symbols, .. } => symbols,
            Interval::Time(_) => 14,
        }
    }

    /// Symbols of each interval that the control region takes.
    pub fn control_symbols(&self) -> u8 {
        let usual = match (self.is_nr(), self.symbols()) {
            (false, _) => 3,
            (true, 14) => 1,
            (true, _) => 0,
        };
        self.control_symbols.unwrap_or(usual)
    }
}
