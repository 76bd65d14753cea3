//! What a cell's transport blocks carry, by what the channel allows.

use airpath_net::Direction;

use crate::config::CellConfig;
use crate::phy::{MCS_COUNT, tables};

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
pub(crate) struct RateTable([Vec<Rates>; 2]);

impl RateTable {
    pub fn new(cell: &CellConfig) -> RateTable {
        let of = |direction| {
            (0..MCS_COUNT as u8).map(|allowed| Rates::new(direction, allowed, cell)).collect()
        };
        RateTable([of(Direction::Downlink), of(Direction::Uplink)])
    }

    /// Where the channel allows at most this MCS.
    #[inline]
    pub fn at(&self, direction: Direction, allowed: u8) -> &Rates {
        &self.0[direction as usize][usize::from(allowed)]
    }
}

impl Rates {
    /// MCS and bytes of a transport block of so many resource blocks.
    #[inline]
    pub fn scheme(&self, resource_blocks: u16) -> Scheme {
        let n = usize::from(resource_blocks);
        Scheme { mcs: self.mcs[n], bytes: self.bytes[n] }
    }

    fn new(direction: Direction, allowed: u8, cell: &CellConfig) -> Rates {
        let all = 0..=cell.resource_blocks;
        let mcs: Vec<u8> = all.map(|n| cell.adaptation.limited(direction, allowed, n)).collect();
        let size = |(n, &mcs): (usize, &u8)| {
            cell.tti.block_bytes(tables::block_bytes(direction, mcs, n as u16))
        };
        let bytes = mcs.iter().enumerate().map(size).collect();
        Rates { mcs, bytes }
    }
}
