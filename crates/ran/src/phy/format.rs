//! Transport blocks for the transmission time intervals of a cell, and the CQI that a channel
//! allows.

use airpath_base::Db;
use airpath_net::Direction;

use super::resources::{BLOCK_CHECK_BITS, ReferenceSignals, Resources};
use super::tables::CQI_COUNT;
use super::technology::Technology;
use crate::Tti;

/// Symbols of a slot of NR, or of a subframe of LTE, with the normal cyclic prefix (TS 38.211,
/// table 4.3.2-1).
const SLOT_SYMBOLS: u8 = 14;
/// Resource blocks of the transport block by which a CQI is measured. The reference
/// resource spans the band (TS 36.213, 7.2.3); results hardly depend on its width.
const REFERENCE_RESOURCE_BLOCKS: u16 = 50;

/// The highest CQI.
pub(crate) const LAST_CQI: u8 = CQI_COUNT as u8 - 1;

/// Properties of a cell that decide the size of transport blocks, besides their MCS and resource
/// blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Format {
    /// Radio technology.
    pub technology: Technology,
    /// Transmission time interval.
    pub tti: Tti,
    /// Its symbols that the control region takes downlink.
    pub control_symbols: u8,
    /// Layers of a transport block: with NR 1 to 4 (TS 38.214, 5.1.3.2), with LTE 1 or 2 (TS 36.213,
    /// 7.1.7.2).
    pub layers: u8,
    /// Reference signals of LTE downlink.
    pub reference: ReferenceSignals,
}

impl Format {
    /// Symbols for data in an interval that has so many of a slot in its direction.
    fn data_symbols(&self, direction: Direction, symbols: u8) -> u8 {
        match direction {
            Direction::Downlink => symbols.saturating_sub(self.control_symbols),
            Direction::Uplink => symbols,
        }
    }

    /// The symbols with which transport blocks grow, in an interval that has so many of a slot
    /// in its direction: with LTE all of them.
    pub(crate) fn symbols_of_size(&self, direction: Direction, symbols: u8) -> u8 {
        match &self.technology {
            Technology::Lte(_) => symbols.min(SLOT_SYMBOLS),
            Technology::Nr(nr) => self.data_symbols(direction, symbols.min(nr.symbols)),
        }
    }

    /// Bytes of a transport block in an interval of which so many of 14 symbols belong to its
    /// direction, 14 for all of it. With LTE in proportion to the interval and to them, rounded
    /// down.
    pub fn block_bytes(
        &self,
        direction: Direction,
        mcs: u8,
        resource_blocks: u16,
        symbols: u8,
    ) -> u32 {
        match &self.technology {
            Technology::Lte(_) => {
                let elements = (resource_blocks, symbols, self.layers);
                let bytes = self.technology.block_bytes(direction, mcs, elements);
                let whole = u64::from(self.tti.block_bytes(bytes));
                let symbols = self.symbols_of_size(direction, symbols);
                (whole * u64::from(symbols) / u64::from(SLOT_SYMBOLS)) as u32
            }
            Technology::Nr(_) => {
                let symbols = self.symbols_of_size(direction, symbols);
                let elements = (resource_blocks, symbols, self.layers);
                self.technology.block_bytes(direction, mcs, elements)
            }
        }
    }

    /// Code rate of a transport block in a whole interval (TS 36.213, 7.1.7; TS 38.214, 5.1.3):
    /// its bits and those of its check to the bits of the channel. Infinite where there is no
    /// room.
    pub fn code_rate(&self, direction: Direction, mcs: u8, resource_blocks: u16) -> f64 {
        match &self.technology {
            Technology::Lte(table) => {
                let whole = (resource_blocks, SLOT_SYMBOLS, self.layers);
                let bytes = self.technology.block_bytes(direction, mcs, whole);
                let room = self.resources(self.control_symbols);
                let coded = room.coded_bits(*table, direction, mcs, resource_blocks);
                f64::from(bytes * 8 + BLOCK_CHECK_BITS) / f64::from(coded * u32::from(self.layers))
            }
            Technology::Nr(nr) => {
                let symbols = self.data_symbols(direction, nr.symbols);
                let bytes = self.block_bytes(direction, mcs, resource_blocks, SLOT_SYMBOLS);
                let coded = nr.coded_bits(mcs, (resource_blocks, symbols, self.layers));
                f64::from(bytes * 8 + BLOCK_CHECK_BITS) / f64::from(coded)
            }
        }
    }

    /// Code rate of a transport block of LTE, by its bytes and resource blocks, in the downlink
    /// symbols of a special subframe. That has two symbols of control at most (TS 36.211, table
    /// 6.7-1).
    pub(crate) fn special_code_rate(
        &self,
        mcs: u8,
        (bytes, resource_blocks): (u32, u16),
        symbols: u8,
    ) -> f64 {
        let room = self.resources(self.control_symbols.min(2));
        let elements = room.elements_downlink(u32::from(symbols)) * u32::from(resource_blocks);
        let bits = u32::from(self.technology.modulation_bits(Direction::Downlink, mcs));
        let coded = elements * bits * u32::from(self.layers);
        f64::from(bytes * 8 + BLOCK_CHECK_BITS) / f64::from(coded)
    }

    fn resources(&self, control_symbols: u8) -> Resources {
        Resources { control_symbols, srs: false, reference: self.reference }
    }

    /// Bytes of the transport block by which a scheme is measured: one layer.
    fn reference_bytes(&self, mcs: u8) -> u32 {
        Format { layers: 1, ..*self }.block_bytes(
            Direction::Downlink,
            mcs,
            REFERENCE_RESOURCE_BLOCKS,
            SLOT_SYMBOLS,
        )
    }

    /// The highest CQI whose matching MCS would fail with a chance of at most `bler_target`
    /// (TS 36.213, 7.2.3; TS 38.214, 5.2.2.1) at a linear SINR. Zero ("out of range") if none
    /// would. Shorter intervals have smaller blocks, which fail more.
    pub fn cqi(&self, sinr_linear: f64, bler_target: f64) -> u8 {
        self.cqi_up_to(LAST_CQI, sinr_linear, bler_target)
    }

    /// The highest CQI by a block of all layers in so many resource blocks. The more code blocks it has, the
    /// more often one of them fails.
    pub(crate) fn cqi_in(
        &self,
        sinr_linear: f64,
        bler_target: f64,
        (direction, resource_blocks): (Direction, u16),
    ) -> u8 {
        self.highest(LAST_CQI, (sinr_linear, bler_target), |mcs| {
            self.block_bytes(direction, mcs, resource_blocks, SLOT_SYMBOLS)
        })
    }

    /// The highest such CQI, if it is known to be at most `most`.
    pub(crate) fn cqi_up_to(&self, most: u8, sinr_linear: f64, bler_target: f64) -> u8 {
        self.highest(most, (sinr_linear, bler_target), |mcs| self.reference_bytes(mcs))
    }

    /// The highest CQI up to `most` whose block of so many bytes fails no more often than it may.
    fn highest(&self, most: u8, (sinr, target): (f64, f64), bytes: impl Fn(u8) -> u32) -> u8 {
        let suits = |cqi: &u8| {
            let mcs = self.technology.mcs_for_cqi(*cqi);
            self.technology.error_at(mcs, sinr, bytes(mcs)) <= target
        };
        (1..=most).rev().find(suits).unwrap_or(0)
    }

    /// The SINR in dB from which on an MCS fails no more often than `bler_target`, between -40
    /// and 60.
    pub fn needed_db(&self, mcs: u8, bler_target: f64) -> f64 {
        let bytes = self.reference_bytes(mcs);
        let (mut low, mut high) = (-40.0, 60.0);
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            match self.technology.error_at(mcs, Db(middle).linear(), bytes) <= bler_target {
                true => high = middle,
                false => low = middle,
            }
        }
        high
    }
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
