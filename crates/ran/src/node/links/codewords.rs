//! Codewords of links: levels and rates of their layers together, MCS and size of each of two.

use airpath_net::Direction;

use super::ranks::{Report, counts_bytes};
use super::{DOWN, Links, Quality};
use crate::index::UeIndex;
use crate::mac::{ResourceBlocks, SLOT_SYMBOLS};
use crate::phy::{Codeword, stream};
use crate::rates::{Coded, Room, Scheme};

/// The only codeword uplink.
pub(super) static ONE_CODEWORD: [Codeword; 1] = [Codeword { index: 0, first: 0, layers: 1 }];

/// Mean level in dB over the layers of both codewords.
fn mean_level_db(quality: &Quality, codewords: &[Codeword]) -> f32 {
    let level = |one: &Codeword| {
        f32::from(one.layers) * quality.levels_db[stream(quality.layers, one.index)]
    };
    codewords.iter().map(level).sum::<f32>() / f32::from(quality.layers)
}

impl Links {
    /// Looks up what a link allows now.
    pub(super) fn look_up(&mut self, direction: Direction, ue: UeIndex) {
        let quality = &self.quality[direction as usize][ue.index()];
        let level = match self.codewords(direction, quality.layers) {
            [_] => self.best_db(quality, quality.level_db()),
            both => mean_level_db(quality, both),
        };
        let level = level + quality.offset_db;
        self.quality[direction as usize][ue.index()].allowed =
            self.tables.levels[direction as usize].allowed(level);
        if direction == DOWN {
            self.look_up_groups(ue);
        }
    }

    pub(super) fn look_up_groups(&mut self, ue: UeIndex) {
        let quality = &self.quality[DOWN as usize][ue.index()];
        let (rank, offset) = (quality.layers, quality.offset_db);
        let levels = &self.tables.levels[DOWN as usize];
        for codeword in self.technology.codewords(rank) {
            let (layers, stream) = (f32::from(codeword.layers), stream(rank, codeword.index));
            let own = self.prediction[DOWN as usize][stream].levels(ue);
            let rates = self.group_rates.chunks_exact_mut(self.subband_of.len()).nth(ue.index());
            for (rate, subband) in rates.into_iter().flatten().zip(&self.subband_of) {
                let before = if codeword.index == 0 { 0.0 } else { *rate };
                *rate = before + layers * levels.efficiency(own[*subband] + offset);
            }
        }
    }

    /// Codewords of so many layers in a direction.
    pub(super) fn codewords(&self, direction: Direction, layers: u8) -> &'static [Codeword] {
        match direction {
            Direction::Downlink => self.technology.codewords(layers),
            Direction::Uplink => &ONE_CODEWORD,
        }
    }

    /// Rate of so many layers with these reported levels, which compares numbers of layers. Blocks count as
    /// often as they arrive. Zero if one of its codewords is out of range.
    pub(super) fn rate(
        &self,
        (direction, ue): (Direction, UeIndex),
        rank: u8,
        reported_db: &Report,
    ) -> f32 {
        let levels = &self.tables.levels[direction as usize];
        let all = self.codewords(direction, rank);
        let several = self.most_layers(direction, ue) > 1;
        let by_bytes = direction == DOWN && several && counts_bytes(&self.technology);
        let of = |codeword: &Codeword| {
            let level = reported_db[stream(rank, codeword.index)];
            let layers = if all.len() == 1 { rank } else { codeword.layers };
            levels.in_range(level).then(|| {
                let rate = match by_bytes {
                    true => self.bytes_at(ue, (rank, codeword), levels.allowed(level)) as f32,
                    false => f32::from(layers) * levels.efficiency(level),
                };
                rate * levels.arrives(rank, level)
            })
        };
        all.iter().map(of).sum::<Option<f32>>().unwrap_or(0.0)
    }

    /// Bytes downlink of a codeword over the carrier, with an MCS up to this one.
    fn bytes_at(&self, ue: UeIndex, (layers, codeword): (u8, &Codeword), allowed: u8) -> u32 {
        let room = Room { direction: DOWN, symbols: SLOT_SYMBOLS, layers };
        let bounds = (allowed, self.most_bytes(ue, layers, *codeword));
        match layers {
            1 => self.tables.rates.scheme(room, bounds, self.carrier).bytes,
            _ => self.tables.rates.codeword((room, codeword.index), bounds, self.carrier).bytes,
        }
    }

    /// Most bytes of a codeword downlink: those of a block, and its share by layers of those of a TTI.
    fn most_bytes(&self, ue: UeIndex, layers: u8, codeword: Codeword) -> u32 {
        let quality = &self.quality[DOWN as usize][ue.index()];
        let share = u64::from(quality.most_tti_bytes) * u64::from(codeword.layers);
        let share = (share / u64::from(layers)) as u32;
        if codeword.layers > 1 { share } else { share.min(quality.most_bytes) }
    }

    /// MCS and bytes of both transport blocks downlink in these resource blocks.
    pub(super) fn scheme_of_two(&self, room: Room, ue: UeIndex, blocks: &ResourceBlocks) -> Scheme {
        let slot = (room.direction, room.symbols);
        let codewords = self.technology.codewords(room.layers);
        let coded = |codeword: &Codeword| self.coded((slot, room.layers), ue, *codeword, blocks);
        let Coded { mcs, bytes } = coded(&codewords[0]);
        Scheme { mcs, bytes, layers: room.layers, second: codewords.get(1).map(coded) }
    }

    /// MCS and bytes of one of the two codewords of so many layers.
    pub fn coded(
        &self,
        ((direction, symbols), layers): ((Direction, u8), u8),
        ue: UeIndex,
        codeword: Codeword,
        blocks: &ResourceBlocks,
    ) -> Coded {
        let most = self.most_bytes(ue, layers, codeword);
        let allowed =
            self.allowed_in((direction, symbols), ue, (stream(layers, codeword.index), blocks));
        let room = Room { direction, symbols, layers };
        self.tables.rates.codeword((room, codeword.index), (allowed, most), blocks.count())
    }
}
