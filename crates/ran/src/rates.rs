//! Sizes of a cell's transport blocks, by the MCS that the channel allows.

use airpath_net::Direction;

use crate::config::CellConfig;
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
    /// In slots of which a direction has a part, by direction and by its symbols.
    part: [Vec<(u8, Layered)>; 2],
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
        let part = |way| {
            let all = cell.duplex.part_symbols(way).into_iter();
            all.map(|symbols| (symbols, of(way, symbols))).collect()
        };
        RateTable {
            whole: Direction::ALL.map(|way| of(way, SLOT_SYMBOLS)),
            part: Direction::ALL.map(part),
        }
    }

    /// Rates where the channel allows at most this MCS. An MCS or a number of layers above the last counts
    /// as the last.
    #[inline]
    pub fn at(&self, Room { direction, symbols, layers }: Room, allowed: u8) -> &Rates {
        let whole = &self.whole[direction as usize];
        let all = match symbols < SLOT_SYMBOLS {
            true => {
                let mut part = self.part[direction as usize].iter();
                part.find(|(own, _)| *own == symbols).map_or(whole, |(_, rates)| rates)
            }
            false => whole,
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
        // The size, and the code rate where that is not the one of a whole TTI.
        let size = |mcs, n| match cell.duplex.size_of((direction, symbols), n) {
            None => (format.block_bytes(direction, mcs, n, symbols), None),
            Some((counted, whole)) => {
                let bytes = format.block_bytes(direction, mcs, counted, whole);
                (bytes, Some(format.special_code_rate(mcs, (bytes, n), symbols)))
            }
        };
        let rate = |mcs, n| size(mcs, n).1.unwrap_or_else(|| format.code_rate(direction, mcs, n));
        let mcs: Vec<u8> =
            all.map(|n| cell.adaptation.limited(|mcs| rate(mcs, n), allowed)).collect();
        let bytes = (0..).zip(&mcs).map(|(n, &mcs)| size(mcs, n).0).collect();
        Rates { mcs, bytes, layers }
    }
}
