//! NR's tables: schemes, transport block sizes, link-level error curves, carriers.
//!
//! One layer, both directions alike (TS 38.214, 5.1.3 and 6.1.4; PUSCH without transform
//! precoding), LDPC. Left out: limited-buffer rate matching, MCS table 3 (low efficiency).

use airpath_schema::choice;

use super::McsTable;

mod bandwidth;
mod block_size;
mod error;
pub(super) mod information;
mod segments;
mod tables;

pub use bandwidth::{MAX_NUMEROLOGY, bandwidths, resource_blocks};

/// Tables of an NR cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nr {
    /// MCS and CQI table.
    pub mcs_table: McsTable,
    /// Error curves of code blocks.
    pub curves: Curves,
    /// Mapping of the SINRs of several resource blocks to one.
    pub mapping: Mapping,
    /// Resource elements of a resource block and slot that demodulation reference signals
    /// take, with those that are kept free beside them (TS 38.214, 5.1.3.2: N_DMRS).
    pub dmrs_elements: u8,
    /// Resource elements of a resource block and slot that are counted as lost to other
    /// signals: xOverhead, 0, 6, 12 or 18 (TS 38.214, 5.1.3.2).
    pub overhead: u8,
    /// Symbols of a transmission time interval: 14 of a slot, fewer of a mini-slot.
    pub symbols: u8,
}

// `data/README.md` has the origins. 5G-LENA: some 40 sizes, near what a whole receiver needs.
// Sionna: five sizes; at 10% of errors 2.3 to 4.4 dB better.
choice! {
    /// Link-level results of NR.
    pub enum Curves {
        /// Results of CTTC's 5G-LENA.
        FiveGLena = "5g-lena",
        /// Results of NVIDIA's Sionna: the code alone in white noise. Blocks need 2.3 to 4 dB less.
        Sionna = "sionna",
    }
}

choice! {
    /// Mapping of several SINRs to one.
    pub enum Mapping {
        /// Exponential effective SINR mapping, with 5G-LENA's beta of each MCS.
        Exponential = "eesm",
        /// The mean of the mutual information of a coded bit.
        MutualInformation = "mutual-information",
    }
}

impl Nr {
    /// Slots with table 1, 5G-LENA's curves and its exponential mapping; one symbol of
    /// demodulation reference signals without data beside them; no overhead.
    pub const DEFAULT: Nr = Nr {
        mcs_table: McsTable::Qam64,
        curves: Curves::FiveGLena,
        mapping: Mapping::Exponential,
        dmrs_elements: 12,
        overhead: 0,
        symbols: 14,
    };

    pub(super) fn mcs_count(&self) -> u8 {
        tables::schemes(self.mcs_table).len() as u8
    }

    pub(super) fn cqi_efficiency(&self, cqi: u8) -> f64 {
        tables::cqi_efficiency(self.mcs_table, cqi)
    }

    pub(super) fn mcs_for_cqi(&self, cqi: u8) -> u8 {
        tables::mcs_for_cqi(self.mcs_table, cqi)
    }

    pub(super) fn modulation_bits(&self, mcs: u8) -> u8 {
        tables::scheme(self.mcs_table, mcs).modulation_bits
    }

    pub(super) fn efficiency(&self, mcs: u8) -> f64 {
        tables::scheme(self.mcs_table, mcs).efficiency
    }

    pub(super) fn block_bytes(&self, mcs: u8, elements: (u16, u8, u8)) -> u32 {
        let elements = self.elements(elements);
        block_size::bits(tables::scheme(self.mcs_table, mcs), elements) / 8
    }

    /// Resource elements for data on all layers. Reference signals of up to four layers are in the
    /// symbols of those of one.
    fn elements(&self, (resource_blocks, symbols, layers): (u16, u8, u8)) -> u32 {
        let lost = u32::from(self.dmrs_elements) + u32::from(self.overhead);
        block_size::elements(resource_blocks, symbols, lost) * u32::from(layers)
    }

    /// Bits of the channel that carry a transport block.
    pub(super) fn coded_bits(&self, mcs: u8, elements: (u16, u8, u8)) -> u32 {
        self.elements(elements) * u32::from(self.modulation_bits(mcs))
    }

    pub(super) fn information(&self, mcs: u8, sinrs: &[f32]) -> f64 {
        let scheme = tables::scheme(self.mcs_table, mcs);
        let map = information::map(scheme.modulation_bits);
        match self.mapping {
            Mapping::MutualInformation => map.mean(sinrs),
            Mapping::Exponential => map.at(information::exponential(scheme.beta, sinrs)),
        }
    }

    pub(super) fn block_error(&self, mcs: u8, information: f64, block_bytes: u32) -> f64 {
        let scheme = tables::scheme(self.mcs_table, mcs);
        error::block_error(scheme, self.curves, information, block_bytes)
    }
}
