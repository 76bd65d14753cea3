//! PDU sets at the end that sends (TS 23.501, 5.37.5 and 5.7.7; TS 38.300, 16.15; TS 38.323, 5.3).
//!
//! A set is known from its first packet until all of its packets have come and left, or until too many others are
//! known. It is named by the addresses of its packets and its number. In the standard the number counts within a QoS
//! flow, of which a flow of packets is one here.
//!
//! A set is **lost** when its timer runs out or, if all of it is needed, when one of its packets is dropped or lost.
//! What waits of it is dropped then, and what still comes of it. Time counts from the arrival of its first packet, as
//! the PDU set delay budget does.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};
use airpath_net::{DropCause, Packet};
use airpath_wire::Tuple;

use crate::tti::earlier;

/// Handling of the PDU sets of a bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetConfig {
    /// Time from the arrival of a set's first packet until the set is late: the radio's part of the PDU set delay budget
    /// (PSDB; TS 23.501, 5.7.7.2).
    pub delay_budget: Duration,
    /// True if the application needs all packets of a set (PSIHI; TS 23.501, 5.7.7.4).
    pub integrated: bool,
    /// True if a set is discarded as a whole when the discard timer of its first packet runs out (pdu-SetDiscard;
    /// TS 38.323, 5.3). It needs a discard timer.
    pub discard: bool,
    /// Discard of less important sets under congestion; none without. It needs `discard`.
    pub low_importance: Option<LowImportance>,
    /// Deadlines by which the cell serves the UE; none if it looks at none.
    pub deadlines: Option<Deadlines>,
    /// Remaining time below which the UE reports it (remainingTimeThreshold; TS 38.321, 5.4.9); none without reports.
    pub delay_status: Option<Duration>,
}

/// Discard of less important sets under congestion (TS 38.321, 5.18.34; TS 38.323, 5.2.1 and 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowImportance {
    /// Least value of importance, 1 to 15, that counts as low.
    pub from: u8,
    /// Discard timer of a set of low importance that begins under congestion (discardTimerForLowImportance). With zero
    /// the set is dropped as it comes.
    pub timer: Duration,
}

/// Unit whose remaining time decides who is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadlines {
    /// Each packet has the delay budget from its own arrival on.
    OfPackets,
    /// All packets of a set have it from the arrival of the first on.
    OfSets,
}

/// Most sets without a waiting packet that are known in a direction.
const MOST: usize = 64;

/// Name of a set: addresses of its packets, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SetKey(pub Tuple, pub u64);

impl SetKey {
    /// The set of a packet, if it is of one.
    pub fn of(packet: &Packet) -> Option<SetKey> {
        packet.set.as_ref().map(|set| SetKey(packet.tuple, set.number))
    }
}

/// Facts of a set that is known.
#[derive(Clone, Debug)]
struct Known {
    key: SetKey,
    /// Arrival of its first packet.
    since: Time,
    /// Its discard timer; none for infinity.
    timer: Option<Duration>,
    /// Packets that have not come yet.
    missing: u32,
    /// Packets that wait.
    waiting: u32,
    is_lost: bool,
    /// True if it ends a data burst.
    ends_burst: bool,
}

/// The sets of one direction.
#[derive(Debug)]
pub(super) struct Sets {
    config: SetConfig,
    /// The bearer's discard timer.
    timer: Option<Duration>,
    /// By the arrival of their first packets.
    known: VecDeque<Known>,
    /// Packets that wait, those of no set among them.
    pub counted: u32,
    /// Arrival of the first packet of the set whose packet RLC took last.
    pulled: Option<Time>,
    /// True if the data burst of the newest set goes on.
    newest_goes_on: bool,
}

impl Known {
    fn expiry(&self) -> Option<Time> {
        self.timer.map(|timer| self.since.saturating_add(timer))
    }
}

impl Sets {
    /// No set is known.
    pub fn new(config: SetConfig, timer: Option<Duration>) -> Sets {
        Sets {
            config,
            timer,
            known: VecDeque::new(),
            counted: 0,
            pulled: None,
            newest_goes_on: false,
        }
    }

    fn find(&mut self, key: SetKey) -> Option<&mut Known> {
        self.known.iter_mut().rev().find(|known| known.key == key)
    }

    /// A packet has come, while the oldest packet waits since `oldest`. Gives the cause for which it has to be dropped.
    pub fn arrive(
        &mut self,
        now: Time,
        packet: &Packet,
        oldest: Option<Time>,
    ) -> Option<DropCause> {
        let (key, set) = (SetKey::of(packet)?, packet.set.as_ref()?);
        if self.find(key).is_none() {
            let timer = self.timer_of(now, set.importance, oldest);
            let missing = set.packets;
            let since = now;
            let ends_burst = set.ends_burst;
            let new = Known { key, since, timer, missing, waiting: 0, is_lost: false, ends_burst };
            self.known.push_back(new);
            self.forget();
        }
        let known = self.find(key)?;
        known.missing = known.missing.saturating_sub(1);
        let goes_on = known.missing > 0 || !known.ends_burst;
        let late = known.expiry().is_some_and(|expiry| expiry <= now);
        let first = late && !known.is_lost && known.since == now;
        known.is_lost |= late;
        let is_lost = known.is_lost;
        self.newest_goes_on = goes_on;
        match is_lost {
            false => None,
            true if first => Some(DropCause::DiscardTimer),
            true => Some(DropCause::PduSet),
        }
    }

    /// Discard timer of a set of this importance that begins now. Congestion is that the oldest packet has waited for
    /// half of the discard timer or longer.
    fn timer_of(&self, now: Time, importance: u8, oldest: Option<Time>) -> Option<Duration> {
        let usual = self.timer.filter(|_| self.config.discard)?;
        let low = self.config.low_importance.filter(|low| importance >= low.from);
        let waited = oldest.map_or(Duration::ZERO, |oldest| now.saturating_since(oldest));
        match low {
            Some(low) if waited * 2 >= usual => Some(low.timer.min(usual)),
            _ => Some(usual),
        }
    }

    /// Forgets sets that are complete and gone, and the oldest without waiting packets if there are too many.
    fn forget(&mut self) {
        self.known.retain(|known| known.waiting > 0 || known.missing > 0);
        let idle = self.known.iter().filter(|known| known.waiting == 0).count();
        let mut left = idle.saturating_sub(MOST);
        self.known.retain(|known| {
            let goes = left > 0 && known.waiting == 0;
            left -= usize::from(goes);
            !goes
        });
    }

    /// A packet of this set, or of none, waits from now on.
    pub fn enter(&mut self, key: Option<SetKey>) {
        self.counted += 1;
        if let Some(known) = key.and_then(|key| self.find(key)) {
            known.waiting += 1;
        }
    }

    /// RLC has taken a packet.
    pub fn leave(&mut self, packet: &Packet) {
        self.counted = self.counted.saturating_sub(1);
        self.pulled = None;
        if let Some(known) = SetKey::of(packet).and_then(|key| self.find(key)) {
            known.waiting = known.waiting.saturating_sub(1);
            self.pulled = Some(known.since);
        }
    }

    /// Begins to count anew what waits.
    pub fn recount(&mut self) {
        self.counted = 0;
        self.known.iter_mut().for_each(|known| known.waiting = 0);
    }

    /// Arrival of the first packet of the oldest set that waits.
    pub fn since(&self) -> Option<Time> {
        self.known.iter().find(|known| known.waiting > 0).map(|known| known.since)
    }

    /// True if the data burst of the newest set goes on: packets have not come yet, or another set follows.
    pub fn expects_more(&self) -> bool {
        self.newest_goes_on
    }

    /// Arrival of the first packet of the set whose packet RLC took last.
    pub fn pulled(&self) -> Option<Time> {
        self.pulled
    }

    /// Time of the next expiry of a set of which something waits.
    pub fn expiry(&self) -> Option<Time> {
        let waiting = self.known.iter().filter(|known| known.waiting > 0 && !known.is_lost);
        waiting.fold(None, |first, known| earlier(first, known.expiry()))
    }

    /// Sets whose timers have run out are lost; true if something of them waits.
    pub fn expire(&mut self, now: Time) -> bool {
        let mut any = false;
        for known in self.known.iter_mut().filter(|known| !known.is_lost) {
            known.is_lost = known.expiry().is_some_and(|expiry| expiry <= now);
            any |= known.is_lost && known.waiting > 0;
        }
        any
    }

    /// A packet of a set has been lost or dropped; true if what waits of it is to be dropped, too.
    pub fn lose(&mut self, key: SetKey) -> bool {
        let all_needed = self.config.integrated;
        let Some(known) = self.find(key).filter(|known| all_needed && !known.is_lost) else {
            return false;
        };
        known.is_lost = true;
        known.waiting > 0
    }

    /// Cause for which a waiting packet is to be dropped, if its set is lost.
    pub fn cause(&self, now: Time, packet: &Packet) -> Option<DropCause> {
        let key = SetKey::of(packet)?;
        let known = self.known.iter().rev().find(|known| known.key == key)?;
        let expired = known.timer.is_some_and(|timer| packet.queued.saturating_add(timer) <= now);
        let cause = if expired { DropCause::DiscardTimer } else { DropCause::PduSet };
        known.is_lost.then_some(cause)
    }
}

#[cfg(test)]
#[path = "sets_tests.rs"]
mod tests;
