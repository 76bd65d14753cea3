//! Sizes of a cell's transport blocks, by the MCS that the channel allows.

use airpath_net::Direction;

use crate::config::CellConfig;
use crate::duplex::Duplex;
use crate::mac::SLOT_SYMBOLS;

/// MCS and transport block size by number of resource blocks, from 0.
#[derive(Debug)]
pub(crate) struct Rates {
    mcs: Vec<u8>,
    pub bytes: Vec<u32>,
}

/// MCS of a transport block, and its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scheme {
    pub mcs: u8,
    pub bytes: u32,
}

/// The rates of a cell, by direction and by the largest MCS that the channel allows. A block
/// may have a lower one: the code rate limits it.
#[derive(Debug)]
pub(crate) struct RateTable {
    /// In whole TTIs.
    whole: [Vec<Rates>; 2],
    /// Downlink in special slots, where they carry data.
    special: Vec<Rates>,
}

impl RateTable {
    pub fn new(cell: &CellConfig) -> RateTable {
        let of = |direction, symbols| {
            let all = 0..cell.technology_in(direction).mcs_count();
            all.map(|allowed| Rates::new((direction, symbols), allowed, cell)).collect()
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

    /// In a slot with so many symbols, where the channel allows at most this MCS; above the
    /// last counts as the last.
    #[inline]
    pub fn at(&self, (direction, symbols): (Direction, u8), allowed: u8) -> &Rates {
        let all = match symbols < SLOT_SYMBOLS && !self.special.is_empty() {
            true => &self.special,
            false => &self.whole[direction as usize],
        };
        &all[usize::from(allowed).min(all.len() - 1)]
    }

    /// MCS and bytes of a transport block of so many resource blocks in such a slot. The bounds are
    /// the largest MCS that the channel allows, and the most bytes.
    #[inline]
    pub fn scheme(
        &self,
        slot: (Direction, u8),
        (allowed, most_bytes): (u8, u32),
        resource_blocks: u16,
    ) -> Scheme {
        let scheme = |allowed| self.at(slot, allowed).scheme(resource_blocks);
        let best = scheme(allowed);
        if best.bytes <= most_bytes {
            return best;
        }
        let fits = |scheme: &Scheme| scheme.bytes <= most_bytes;
        (0..best.mcs).rev().map(scheme).find(fits).unwrap_or_default()
    }
}

impl Rates {
    /// MCS and bytes of a transport block of so many resource blocks.
    #[inline]
    pub fn scheme(&self, resource_blocks: u16) -> Scheme {
        let n = usize::from(resource_blocks);
        Scheme { mcs: self.mcs[n], bytes: self.bytes[n] }
    }

    /// In so many symbols of a slot.
    fn new((direction, symbols): (Direction, u8), allowed: u8, cell: &CellConfig) -> Rates {
        let (all, format) = (0..=cell.resource_blocks, cell.format(direction));
        let limited = |n| cell.adaptation.limited(&format, direction, allowed, n);
        let mcs: Vec<u8> = all.map(limited).collect();
        let size = |(n, &mcs): (usize, &u8)| format.block_bytes(direction, mcs, n as u16, symbols);
        let bytes = mcs.iter().enumerate().map(size).collect();
        Rates { mcs, bytes }
    }
}
