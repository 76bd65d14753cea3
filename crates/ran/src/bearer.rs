//! A bearer: its PDCP, its RLC, and its place in the MAC.

use airpath_base::{BearerId, Time};
use airpath_net::Direction;

use crate::config::BearerConfig;
use crate::mac::Bucket;
use crate::{pdcp, rlc};

/// One bearer at both ends.
pub struct Bearer {
    pub(crate) config: BearerConfig,
    pub(crate) pdcp: pdcp::Entity,
    pub(crate) rlc: rlc::Channel,
    buckets: [Bucket; 2],
    /// Bytes set aside for it in the block that is being filled.
    pub(crate) planned: u32,
    /// When its timers will be looked at next.
    pub(crate) armed: Option<Time>,
}

impl Bearer {
    pub(crate) fn new(id: BearerId, config: BearerConfig) -> Bearer {
        Bearer {
            pdcp: pdcp::Entity::new(config.pdcp),
            rlc: rlc::Channel::new(id, &config.rlc),
            buckets: [Bucket::new(&config.channel); 2],
            planned: 0,
            armed: None,
            config,
        }
    }

    pub(crate) fn bucket_mut(&mut self, direction: Direction) -> &mut Bucket {
        match direction {
            Direction::Downlink => &mut self.buckets[0],
            Direction::Uplink => &mut self.buckets[1],
        }
    }

    /// When one of its timers runs out next.
    pub(crate) fn next_wake(&self) -> Option<Time> {
        rlc::earlier(self.rlc.next_wake(), self.pdcp.next_wake(&self.rlc))
    }
}
