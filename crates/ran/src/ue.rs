//! A UE: what it sees of the radio, and where it stands in asking for grants.

use std::collections::VecDeque;

use airpath_base::{BearerId, Time};
use airpath_net::Direction;

use crate::config::{BearerConfig, CellConfig, UeConfig};
use crate::phy::{self, tables};

/// MCS and transport block size by number of resource blocks, from 0.
#[derive(Debug)]
pub(crate) struct Rates {
    pub mcs: Vec<u8>,
    pub bytes: Vec<u32>,
}

impl Rates {
    fn new(direction: Direction, snr: f64, cell: &CellConfig) -> Rates {
        let cqi = phy::cqi(snr, cell.adaptation.bler_target);
        let all = 0..=cell.resource_blocks;
        let mcs: Vec<u8> = all.map(|n| cell.adaptation.mcs(direction, cqi, n)).collect();
        let size = |(n, &mcs): (usize, &u8)| tables::block_bytes(direction, mcs, n as u16);
        let bytes = mcs.iter().enumerate().map(size).collect();
        Rates { mcs, bytes }
    }
}

/// A UE.
#[derive(Debug)]
pub(crate) struct Ue {
    pub config: UeConfig,
    /// Its bearers, the most important logical channel first.
    pub by_priority: Vec<BearerId>,
    pub down: Rates,
    pub up: Rates,
    /// Whether it may have downlink data.
    pub backlogged: bool,
    /// When its busy HARQ processes downlink become free.
    pub busy: VecDeque<Time>,
    pub uplink: Asking,
}

/// Where a UE and the cell stand in the matter of uplink grants.
#[derive(Debug, Default)]
pub(crate) struct Asking {
    /// There is something to report: data arrived since the last report.
    pub fresh: bool,
    /// The last report, where reports need no grant.
    pub reported: Option<Time>,
    /// A scheduling request waits for its opportunity.
    pub requesting: bool,
    /// When to ask again if no grant comes.
    pub retry: Option<Time>,
    /// Nothing has been granted since data found the buffers empty.
    pub waiting: bool,
    /// Bytes that the cell believes the UE has.
    pub known: u32,
    /// Bytes granted to blocks that the UE has not made yet.
    pub granted: u32,
}

impl Ue {
    pub fn new(config: UeConfig, cell: &CellConfig, bearers: &[BearerConfig]) -> Ue {
        let mut by_priority = config.bearers.clone();
        by_priority.sort_by_key(|id| bearers[id.index()].channel.priority);
        Ue {
            by_priority,
            down: Rates::new(Direction::Downlink, config.downlink_snr, cell),
            up: Rates::new(Direction::Uplink, config.uplink_snr, cell),
            backlogged: false,
            busy: VecDeque::new(),
            uplink: Asking::default(),
            config,
        }
    }
}
