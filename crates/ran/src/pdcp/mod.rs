//! PDCP (TS 36.323): the header and the discard timer.
//!
//! An LTE PDCP entity hands each SDU to RLC at once, so the bearer's queue is
//! RLC's, and what the discard timer drops is dropped there, as long as no part
//! of it has been sent (5.4). All SDUs of a bearer have the same timer, so they
//! expire in the order of their arrival and only the first has to be looked at.
//!
//! The receiving side does nothing: RLC in LTE delivers in order and without
//! duplicates, so PDCP has nothing to reorder. Left out: ciphering and header
//! compression, handover and its status report.

use airpath_base::{Duration, Time};
use airpath_net::{Cx, Direction, DropCause, Held, Ledger, Packet};

use crate::rlc;

/// Configuration of a bearer's PDCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Length of the sequence number.
    pub sn: SnLength,
    /// discardTimer (TS 36.331, 6.3.2: 50, 100, 150, 300, 500, 750 or 1500 ms);
    /// `None` for infinity.
    pub discard_timer: Option<Duration>,
}

/// Length of PDCP's sequence number (TS 36.323, 6.2.3, 6.2.4, 6.2.9 and 6.2.11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnLength {
    /// 7 bits, for bearers over RLC UM only: a header of one byte.
    Seven,
    /// 12 bits: two bytes.
    #[default]
    Twelve,
    /// 15 bits, for bearers over RLC AM only: two bytes.
    Fifteen,
    /// 18 bits, for bearers over RLC AM only: three bytes.
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

/// One bearer's PDCP, for both directions.
#[derive(Clone, Debug)]
pub struct Entity {
    config: Config,
    /// What entered and what was dropped here; the rest was handed to RLC.
    books: [Ledger; 2],
}

impl Entity {
    /// The PDCP of a bearer.
    pub fn new(config: Config) -> Entity {
        Entity { config, books: [Ledger::default(); 2] }
    }

    /// Hands a packet to RLC, or drops it if RLC's queue is full.
    pub fn send(
        &mut self,
        direction: Direction,
        now: Time,
        packet: Packet,
        rlc: &mut rlc::Channel,
        cx: &mut Cx<'_>,
    ) {
        // What has expired by now makes room first.
        self.wake(now, rlc, cx);
        let header = self.config.sn.header();
        let books = &mut self.books[direction as usize];
        books.received.book(&packet);
        if let Err(packet) = rlc.enqueue(direction, now, packet, header, cx) {
            books.dropped.book(&packet);
            cx.drop(packet, DropCause::QueueFull);
        }
    }

    /// Checks that what entered was dropped or is in RLC's books.
    ///
    /// # Errors
    ///
    /// What does not close.
    pub fn audit(&self, rlc: &rlc::Channel) -> Result<(), String> {
        for direction in DIRECTIONS {
            let books = self.books[direction as usize];
            let books = Ledger { sent: rlc.books(direction).received, ..books };
            if !books.closes(Held::default()) {
                return Err(format!("{} {}, PDCP: {books:?}", rlc.bearer(), direction.name()));
            }
        }
        Ok(())
    }

    /// When the discard timer of an SDU runs out next.
    #[inline]
    pub fn next_wake(&self, rlc: &rlc::Channel) -> Option<Time> {
        let timer = self.config.discard_timer?;
        let oldest = DIRECTIONS.map(|direction| rlc.oldest_untouched(direction));
        oldest.into_iter().flatten().min().map(|queued| queued + timer)
    }

    /// Discards the SDUs whose timer has run out (TS 36.323, 5.4).
    pub fn wake(&self, now: Time, rlc: &mut rlc::Channel, cx: &mut Cx<'_>) {
        let Some(timer) = self.config.discard_timer else { return };
        for direction in DIRECTIONS {
            rlc.discard(direction, now, timer, cx);
        }
    }
}

const DIRECTIONS: [Direction; 2] = [Direction::Downlink, Direction::Uplink];

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
