//! Sizes of a cell's transport blocks, by the MCS that the channel allows.

use airpath_net::Direction;

use crate::config::CellConfig;
use crate::duplex::Duplex;
use crate::mac::SLOT_SYMBOLS;
use crate::phy::Format;

/// MCS and transport block size by number of resource blocks, from 0.
#[derive(Debug)]
pub(crate) struct Rates {
    mcs: Vec<u8>,
    pub bytes: Vec<u32>,
    layers: u8,
}

/// MCS of a transport block, its bytes and layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scheme {
    pub mcs: u8,
    pub bytes: u32,
    pub layers: u8,
}

/// Room of a transport block beside its resource blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    pub direction: Direction,
    /// Symbols of the slot.
    pub symbols: u8,
    pub layers: u8,
}

impl Room {
    /// One layer in so many symbols.
    pub fn single(direction: Direction, symbols: u8) -> Room {
        Room { direction, symbols, layers: 1 }
    }
}

/// The rates of a cell, by direction, by layers and by the largest MCS that the channel allows. A block
/// may have a lower one: the code rate limits it.
#[derive(Debug)]
pub(crate) struct RateTable {
    /// In whole TTIs.
    whole: [Layered; 2],
    /// Downlink in special slots, where they carry data.
    special: Layered,
}

/// Rates by layers, from one on, and by MCS.
type Layered = Vec<Vec<Rates>>;

impl RateTable {
    pub fn new(cell: &CellConfig) -> RateTable {
        let of = |direction, symbols| -> Layered {
            let rates = |layers| {
                let all = 0..cell.technology_in(direction).mcs_count();
                let room = Room { direction, symbols, layers };
                all.map(|allowed| Rates::new(room, allowed, cell)).collect()
            };
            (1..=cell.layers[direction as usize]).map(rates).collect()
        };
        let special = match &cell.duplex {
            Duplex::Fdd => None,
            Duplex::Tdd(pattern) => pattern.special_symbols(),
        };
        let special = special.map(|symbols| of(Direction::Downlink, symbols));
        RateTable {
            whole: [Direction::Downlink, Direction::Uplink].map(|way| of(way, SLOT_SYMBOLS)),
            special: special.unwrap_or_default(),
        }
    }

    /// Rates where the channel allows at most this MCS. An MCS or a number of layers above the last counts
    /// as the last.
    #[inline]
    pub fn at(&self, Room { direction, symbols, layers }: Room, allowed: u8) -> &Rates {
        let all = match symbols < SLOT_SYMBOLS && !self.special.is_empty() {
            true => &self.special,
            false => &self.whole[direction as usize],
        };
        let all = &all[usize::from(layers).min(all.len()) - 1];
        &all[usize::from(allowed).min(all.len() - 1)]
    }

    /// MCS and bytes of a transport block of so many resource blocks. The bounds are
    /// the largest MCS that the channel allows, and the most bytes.
    #[inline]
    pub fn scheme(
        &self,
        room: Room,
        (allowed, most_bytes): (u8, u32),
        resource_blocks: u16,
    ) -> Scheme {
        let scheme = |allowed| self.at(room, allowed).scheme(resource_blocks);
        let best = scheme(allowed);
        if best.bytes <= most_bytes {
            return best;
        }
        let fits = |scheme: &Scheme| scheme.bytes <= most_bytes;
        (0..best.mcs)
            .rev()
            .map(scheme)
            .find(fits)
            .unwrap_or(Scheme { layers: room.layers, ..Scheme::default() })
    }
}

impl Rates {
    /// MCS and bytes of a transport block of so many resource blocks.
    #[inline]
    pub fn scheme(&self, resource_blocks: u16) -> Scheme {
        let n = usize::from(resource_blocks);
        Scheme { mcs: self.mcs[n], bytes: self.bytes[n], layers: self.layers }
    }

    fn new(room: Room, allowed: u8, cell: &CellConfig) -> Rates {
        let Room { direction, symbols, layers } = room;
        let all = 0..=cell.resource_blocks;
        let format = Format { layers, ..cell.format(direction) };
        let limited = |n| cell.adaptation.limited(&format, direction, allowed, n);
        let mcs: Vec<u8> = all.map(limited).collect();
        let size = |(n, &mcs): (usize, &u8)| format.block_bytes(direction, mcs, n as u16, symbols);
        let bytes = mcs.iter().enumerate().map(size).collect();
        Rates { mcs, bytes, layers }
    }
}
