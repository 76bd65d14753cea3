//! PDCP (TS 36.323, TS 38.323): the queue, the header, the discard timer.
//!
//! **PDCP owns the packets that wait**, at the cell and at the UE. A bearer has a queue for each of
//! its QoS flows, of any kind of [`airpath_net::queue`]. Markers and AQMs of wires therefore work
//! here. RLC takes a packet when it sends its first byte and not before. A packet can be marked or
//! dropped until then, and a drop by the discard timer leaves no gap in the count. All packets of a
//! bearer have the same timer.
//!
//! PDU sets may be discarded as a whole, and have deadlines of their own ([`SetConfig`]).
//!
//! Time in the queue is [`Stage::Pdcp`](airpath_net::Stage::Pdcp).
//!
//! The receiving side in LTE does nothing: RLC there delivers in order and without duplicates. In NR
//! it puts packets into order ([`Reordering`]); the count is given when RLC takes a packet.
//! A split bearer of dual connectivity has one PDCP above two RLC entities, with counts of its own, and perhaps with
//! duplication (`copies`). Left out: ciphering and header compression, handover and its status report.

mod copies;
mod counts;
mod receiver;
mod sets;
mod transmitter;

use airpath_base::{Duration, Time};
use airpath_net::{Direction, Held};

pub(crate) use copies::CopyNews;
pub(crate) use receiver::Receiver;
pub(crate) use sets::SetKey;
pub use sets::{Deadlines, LowImportance, SetConfig};
pub use transmitter::{Sdu, Transmitter, Waiting};

use crate::tti::earlier;

/// Configuration of a bearer's PDCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Length of the sequence number.
    pub sn: SnLength,
    /// discardTimer (TS 36.331, 6.3.2: 50, 100, 150, 300, 500, 750 or 1500 ms; TS 38.331, 6.3.2: 10
    /// to 1500 ms); `None` for infinity.
    pub discard_timer: Option<Duration>,
    /// True if SDAP has a header of one byte (TS 37.324, 6.2.2), which names the QoS flow.
    pub sdap_header: bool,
    /// Reordering of packets by the receiver, over RLC of NR.
    pub reordering: Reordering,
    /// Limit of what waits at the cell.
    pub downlink_queue: QueueLimit,
    /// Limit of what waits at the UE.
    pub uplink_queue: QueueLimit,
    /// Handling of PDU sets, over RLC of NR; none without.
    pub sets: Option<SetConfig>,
}

/// Reordering of packets by PDCP of NR (TS 38.323, 5.2.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reordering {
    /// A packet that others have overtaken is waited for so long (t-Reordering, TS 38.331, 6.3.2: 0
    /// to 3 s); `None` for infinity.
    InOrder(Option<Duration>),
    /// Packets are delivered as they come (outOfOrderDelivery).
    AsTheyCome,
}

impl Default for Reordering {
    /// 100 ms, of the values of TS 38.331: more than RLC takes to send again what HARQ has lost.
    fn default() -> Reordering {
        Reordering::InOrder(Some(Duration::from_millis(100)))
    }
}

/// Limit of the transmitter, in whole SDUs at PDCP and partly sent ones at RLC. An arriving SDU
/// that would exceed it is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueLimit {
    /// No limit but the queue's own.
    #[default]
    Unlimited,
    /// Bytes, PDCP headers included and RLC headers not.
    Bytes(u64),
    /// SDUs.
    Packets(u32),
}

impl QueueLimit {
    /// True if one more SDU of `size` bytes may join those waiting.
    const fn admits(self, sdus: u32, bytes: u64, size: u32) -> bool {
        match self {
            QueueLimit::Unlimited => true,
            QueueLimit::Bytes(limit) => bytes + size as u64 <= limit,
            QueueLimit::Packets(limit) => sdus < limit,
        }
    }
}

/// Length of PDCP's sequence number (TS 36.323, 6.2.3, 6.2.4, 6.2.9 and 6.2.11; TS 38.323, 6.2.2.2
/// and 6.2.2.3: 12 or 18).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnLength {
    /// 7 bits, for bearers over RLC UM only: a header of one byte.
    Seven,
    /// 12 bits: two bytes.
    #[default]
    Twelve,
    /// 15 bits, for bearers over RLC AM only: two bytes.
    Fifteen,
    /// 18 bits, in LTE for bearers over RLC AM only: three bytes.
    Eighteen,
}

impl SnLength {
    /// Bytes of the header.
    pub const fn header(self) -> u32 {
        match self {
            SnLength::Seven => 1,
            SnLength::Twelve | SnLength::Fifteen => 2,
            SnLength::Eighteen => 3,
        }
    }
}

impl Config {
    /// Bytes that each packet gets in front, of PDCP and SDAP.
    pub const fn header(&self) -> u32 {
        self.sn.header() + if self.sdap_header { 1 } else { 0 }
    }
}

/// One bearer's PDCP, for both directions.
#[derive(Debug)]
pub struct Entity {
    down: Transmitter,
    up: Transmitter,
}

impl Entity {
    /// The PDCP of a bearer.
    pub fn new(config: &Config) -> Entity {
        Entity {
            down: Transmitter::new(config, config.downlink_queue),
            up: Transmitter::new(config, config.uplink_queue),
        }
    }

    /// The end that sends in a direction.
    #[inline]
    pub fn sender(&self, direction: Direction) -> &Transmitter {
        match direction {
            Direction::Downlink => &self.down,
            Direction::Uplink => &self.up,
        }
    }

    /// The transmitter of a direction, to be changed.
    #[inline]
    pub fn sender_mut(&mut self, direction: Direction) -> &mut Transmitter {
        match direction {
            Direction::Downlink => &mut self.down,
            Direction::Uplink => &mut self.up,
        }
    }

    /// All packets inside.
    pub fn held(&self) -> Held {
        let (down, up) = (self.down.held(), self.up.held());
        Held { packets: down.packets + up.packets, bytes: down.bytes + up.bytes }
    }

    /// Time of the next expiry of one of its timers.
    #[inline]
    pub fn next_wake(&self) -> Option<Time> {
        earlier(self.down.next_wake(), self.up.next_wake())
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
