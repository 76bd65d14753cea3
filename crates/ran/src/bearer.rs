//! A bearer: its PDCP, its RLC, and its place in the MAC.

use airpath_base::{BearerId, Time};
use airpath_net::Direction;

use crate::config::BearerConfig;
use crate::mac::Bucket;
use crate::{pdcp, rlc};

/// Bytes of header that the scheduler expects (ns-3).
const PDU_HEADER: u32 = 2;

/// One bearer at both ends.
pub struct Bearer {
    pub(crate) config: BearerConfig,
    pub(crate) pdcp: pdcp::Entity,
    pub(crate) rlc: rlc::Channel,
    buckets: [Bucket; 2],
    /// Bytes that a scheduler which shares equally believes to wait downlink.
    believed: u32,
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
            believed: 0,
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

    /// Bytes that wait as a scheduler which shares equally takes them: never less than
    /// there are, but perhaps more.
    pub(crate) fn believed(&self, direction: Direction, now: Time) -> u32 {
        let queued = self.rlc.queued(direction, now);
        match direction {
            Direction::Uplink => queued,
            Direction::Downlink => queued.max(self.believed),
        }
    }

    /// A packet has arrived downlink, or been dropped: the scheduler learns of it.
    pub(crate) fn report_arrival(&mut self, now: Time) {
        let waiting = self.rlc.buffer_status(Direction::Downlink, now);
        let bytes = u32::try_from(waiting.sdu_bytes).unwrap_or(u32::MAX);
        self.believed = bytes.saturating_add(waiting.sdus.saturating_mul(PDU_HEADER));
    }

    /// The scheduler has given it `share` bytes downlink.
    pub(crate) fn report_share(&mut self, share: u32) {
        self.believed = self.believed.saturating_sub(share.saturating_sub(PDU_HEADER));
    }

    /// When one of its timers runs out next.
    #[inline]
    pub(crate) fn next_wake(&self) -> Option<Time> {
        rlc::earlier(self.rlc.next_wake(), self.pdcp.next_wake(&self.rlc))
    }
}
