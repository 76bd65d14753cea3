//! Schemes for levels that the cell predicts itself, of layers beside those of other UEs.

use super::{DOWN, Links};
use crate::index::UeIndex;
use crate::rates::{Room, Scheme};

/// Level in dB at which the bits of a resource block are looked up.
const MIDDLE_DB: f32 = 10.0;

impl Links {
    /// Predicted level in dB over the carrier of one layer downlink that a UE has alone, without the outer loop.
    pub fn level_alone_db(&self, ue: UeIndex) -> f32 {
        self.quality[DOWN as usize][ue.index()].levels_db[0]
    }

    /// Offset in dB of an outer loop downlink after a step.
    pub fn shifted(&self, level_db: f32, offset_db: f32, step_db: f32) -> f32 {
        self.tables.levels[DOWN as usize].shifted(level_db, offset_db, step_db)
    }

    /// Bits of a resource block downlink in so many symbols for each bit a symbol of an MCS.
    pub fn bits_of_symbol(&self, symbols: u8) -> f64 {
        let levels = &self.tables.levels[DOWN as usize];
        let room = Room::single(DOWN, symbols);
        let rates = self.tables.rates.at(room, levels.allowed(MIDDLE_DB));
        let bytes = rates.bytes[usize::from(self.carrier)];
        let each = f64::from(levels.efficiency(MIDDLE_DB)) * f64::from(self.carrier.max(1));
        8.0 * f64::from(bytes) / each.max(f64::MIN_POSITIVE)
    }

    /// MCS and bytes of a block downlink of one layer in so many symbols and resource blocks, at this level in dB.
    pub fn scheme_at(&self, ue: UeIndex, (symbols, level_db): (u8, f32), count: u16) -> Scheme {
        let allowed = self.tables.levels[DOWN as usize].allowed(level_db);
        let most = self.quality[DOWN as usize][ue.index()].most_bytes;
        self.tables.rates.scheme(Room::single(DOWN, symbols), (allowed, most), count)
    }
}
