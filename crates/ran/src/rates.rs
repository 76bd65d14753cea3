//! Sizes of a cell's transport blocks, by the MCS that the channel allows.

use airpath_net::Direction;

use crate::config::CellConfig;
use crate::mac::SLOT_SYMBOLS;
use crate::phy::{Codeword, Format};

/// MCS and transport block size by number of resource blocks, from 0.
#[derive(Debug)]
pub(crate) struct Rates {
    mcs: Vec<u8>,
    pub bytes: Vec<u32>,
    layers: u8,
}

/// MCS of a transport block, its bytes, and the layers of the transmission. LTE has a second block from two
/// layers on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scheme {
    pub mcs: u8,
    pub bytes: u32,
    pub layers: u8,
    pub second: Option<Coded>,
}

/// MCS and bytes of the second transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coded {
    pub mcs: u8,
    pub bytes: u32,
}

impl Scheme {
    /// Bytes of all blocks.
    pub fn all_bytes(&self) -> u32 {
        self.bytes + self.second.map_or(0, |second| second.bytes)
    }

    /// The scheme of each block alone.
    pub fn each(self) -> impl Iterator<Item = Scheme> {
        let first = Scheme { second: None, ..self };
        let second = self.second.map(|Coded { mcs, bytes }| Scheme { mcs, bytes, ..first });
        std::iter::once(first).chain(second)
    }
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
#[derive(Debug)]
struct Layered {
    /// By MCS, those of each number of layers together. They count all codewords, with one MCS.
    rates: Vec<Rates>,
    /// Of two codewords, likewise: those of each number of layers from two on, codeword after codeword.
    codewords: Vec<Rates>,
    layers: usize,
    schemes: usize,
}

impl Layered {
    fn at(&self, layers: u8, allowed: u8) -> &Rates {
        let rank = usize::from(layers).min(self.layers) - 1;
        &self.rates[rank * self.schemes + usize::from(allowed).min(self.schemes - 1)]
    }
}

impl RateTable {
    pub fn new(cell: &CellConfig) -> RateTable {
        let of = |direction, symbols| -> Layered {
            let (schemes, layers) =
                (cell.technology_in(direction).mcs_count(), cell.layers[direction as usize]);
            let rates = |layers| {
                let room = Room { direction, symbols, layers };
                (0..schemes).map(move |allowed| Rates::new(room, allowed, cell))
            };
            let codewords = |layers| {
                let all = cell.technology_in(direction).codewords(layers).iter();
                all.filter(move |one| one.layers < layers).flat_map(move |one| {
                    let room = Room { direction, symbols, layers };
                    (0..schemes).map(move |allowed| Rates::of_codeword((room, one), allowed, cell))
                })
            };
            Layered {
                rates: (1..=layers).flat_map(rates).collect(),
                codewords: (2..=layers).flat_map(codewords).collect(),
                layers: layers.into(),
                schemes: schemes.into(),
            }
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
    pub fn at(&self, room: Room, allowed: u8) -> &Rates {
        self.layered(room).at(room.layers, allowed)
    }

    fn layered(&self, Room { direction, symbols, .. }: Room) -> &Layered {
        match symbols < SLOT_SYMBOLS {
            true => self.in_part(direction, symbols),
            false => &self.whole[direction as usize],
        }
    }

    fn in_part(&self, direction: Direction, symbols: u8) -> &Layered {
        let mut part = self.part[direction as usize].iter();
        let found = part.find(|(own, _)| *own == symbols);
        found.map_or(&self.whole[direction as usize], |(_, rates)| rates)
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
        fitting(scheme, room, (allowed, most_bytes))
    }

    /// Schemes of all codewords in so many resource blocks, where the channel allows each at most this MCS.
    pub fn all_codewords(&self, room: Room, allowed: u8, resource_blocks: u16) -> Scheme {
        let all = self.layered(room);
        if all.codewords.is_empty() || room.layers < 2 {
            return all.at(room.layers, allowed).scheme(resource_blocks);
        }
        let of = |index| self.codeword((room, index), (allowed, u32::MAX), resource_blocks);
        let Coded { mcs, bytes } = of(0);
        Scheme { mcs, bytes, layers: room.layers, second: Some(of(1)) }
    }

    /// MCS and bytes of one of the two codewords of a transmission, as [`scheme`](RateTable::scheme) gives
    /// those of one codeword.
    pub fn codeword(
        &self,
        (room, codeword): (Room, u8),
        (allowed, most_bytes): (u8, u32),
        resource_blocks: u16,
    ) -> Coded {
        let all = self.layered(room);
        let rank = usize::from(room.layers).min(all.layers) - 2;
        let first = (2 * rank + usize::from(codeword)) * all.schemes;
        let scheme = |allowed: u8| {
            let allowed = usize::from(allowed).min(all.schemes - 1);
            all.codewords[first + allowed].scheme(resource_blocks)
        };
        let Scheme { mcs, bytes, .. } = fitting(scheme, room, (allowed, most_bytes));
        Coded { mcs, bytes }
    }
}

/// The scheme of the largest MCS up to `allowed` with at most so many bytes.
fn fitting(scheme: impl Fn(u8) -> Scheme, room: Room, (allowed, most_bytes): (u8, u32)) -> Scheme {
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

impl Rates {
    /// MCS and bytes of a transport block of so many resource blocks.
    #[inline]
    pub fn scheme(&self, resource_blocks: u16) -> Scheme {
        let n = usize::from(resource_blocks);
        Scheme { mcs: self.mcs[n], bytes: self.bytes[n], layers: self.layers, second: None }
    }

    /// Of all codewords, with one MCS.
    fn new(room: Room, allowed: u8, cell: &CellConfig) -> Rates {
        let all = cell.technology_in(room.direction).codewords(room.layers).iter();
        let each = all.map(|one| Rates::of_codeword((room, one), allowed, cell));
        let both = |mut both: Rates, next: Rates| {
            both.bytes.iter_mut().zip(next.bytes).for_each(|(sum, bytes)| *sum += bytes);
            both
        };
        each.reduce(both).expect("a codeword")
    }

    fn of_codeword((room, codeword): (Room, &Codeword), allowed: u8, cell: &CellConfig) -> Rates {
        let Room { direction, symbols, layers } = room;
        let all = 0..=cell.resource_blocks;
        let reference = cell.transmission.reference(layers);
        let format = Format { layers: codeword.layers, reference, ..cell.format(direction) };
        // Sizes of special slots of LTE are those of other numbers of resource blocks.
        let counted = |n| cell.duplex.size_of((direction, symbols), n);
        let size = |mcs, n| {
            let (n, symbols) = counted(n).unwrap_or((n, symbols));
            format.block_bytes(direction, mcs, n, symbols)
        };
        let rate = |mcs, n| match counted(n) {
            None => format.code_rate(direction, mcs, n),
            Some(_) => format.special_code_rate(mcs, (size(mcs, n), n), symbols),
        };
        let mcs: Vec<u8> =
            all.map(|n| cell.adaptation.limited(|mcs| rate(mcs, n), allowed)).collect();
        let bytes = (0..).zip(&mcs).map(|(n, &mcs)| size(mcs, n)).collect();
        Rates { mcs, bytes, layers }
    }
}
