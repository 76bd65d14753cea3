//! Duplication by PDCP (TS 38.323, 5.11; TS 38.300, 16.1.3): each packet takes both paths of a split bearer.
//!
//! The host makes a copy when one of both RLC entities takes a packet first. What the other has not taken waits here.
//!
//! - **Register.** It knows of each duplicated packet how many of the two are on their way, and whether one has come.
//! - **Receiver.** It discards what comes second (TS 38.323, 5.2.2.2.1).
//! - **Loss.** A packet is lost when neither is on its way and none has come.
//! - **Withdrawal.** When RLC of a path confirms a packet, the other path forgets it, if nothing of it has been sent (5.11.2;
//!   TS 38.322, 5.4). So does the discard timer (5.3).
//!
//! Only one of both counts as a packet: [`Copies::surplus`] are the others.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::{Held, Packet};

use super::QueueLimit;

/// Duplicated packets of one direction, at the host.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// True while there is a leg that copies go to.
    pub active: bool,
    /// Packets that the leg has and RLC of the anchor has not taken.
    pub own: VecDeque<(u64, Packet)>,
    /// Copies of packets that RLC of the anchor has taken, for the leg.
    pub other: VecDeque<(u64, Packet)>,
    /// In the order of counts. The first one is on its way.
    register: VecDeque<Entry>,
    news: CopyNews,
}

/// A packet and its copy.
#[derive(Debug)]
struct Entry {
    count: u64,
    /// Number of the two that are on their way.
    alive: u8,
    /// True if one of them has come.
    has_come: bool,
    /// Bytes of IP.
    size: u32,
}

/// Copies since the last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CopyNews {
    /// Packets that were duplicated.
    pub made: u64,
    /// Copies that were withdrawn before anything of them was sent.
    pub withdrawn: u64,
    /// Copies that came second.
    pub needless: u64,
}

impl Copies {
    /// A packet of this count is duplicated: gives the copy.
    pub fn double(&mut self, count: u64, packet: &Packet) -> Packet {
        self.news.made += 1;
        self.register.push_back(Entry { count, alive: 2, has_come: false, size: packet.size });
        packet.duplicate()
    }

    /// Copies that wait for the leg.
    pub fn for_leg(&self) -> impl Iterator<Item = &Packet> {
        self.other.iter().map(|(_, packet)| packet)
    }

    /// One of this count has come. True if it is the first, or was never duplicated.
    pub fn come(&mut self, count: u64) -> bool {
        let Some(entry) = self.entry(count) else { return true };
        let first = !entry.has_come;
        (entry.alive, entry.has_come) = (entry.alive - 1, true);
        self.news.needless += u64::from(!first);
        self.forget();
        first
    }

    /// One of this count will not come. True if its packet is lost with it.
    pub fn end(&mut self, count: u64) -> bool {
        let Some(entry) = self.entry(count) else { return true };
        entry.alive -= 1;
        let lost = entry.alive == 0 && !entry.has_come;
        self.forget();
        lost
    }

    /// One of this count that waited is withdrawn. True if its packet is lost with it.
    pub fn withdraw(&mut self, count: u64) -> bool {
        let lost = self.end(count);
        self.news.withdrawn += u64::from(!lost);
        lost
    }

    /// One of this count comes back from a leg that ends. True if it has to be sent again: the other is lost.
    pub fn come_back(&mut self, count: u64) -> bool {
        let Some(entry) = self.entry(count) else { return true };
        let last = entry.alive == 1 && !entry.has_come;
        entry.alive -= u8::from(!last);
        self.forget();
        last
    }

    /// The oldest copy for the leg, if all together are beyond this limit.
    pub fn pop_beyond(&mut self, limit: QueueLimit, header: u32) -> Option<(u64, Packet)> {
        let bytes = self.for_leg().map(|packet| u64::from(packet.wire_size() + header)).sum();
        let sdus = (self.other.len() as u32).checked_sub(1)?;
        if limit.admits(sdus, bytes, 0) { None } else { self.other.pop_front() }
    }

    /// The oldest packet of a list whose wait began at this time or before.
    pub fn pop_older(&mut self, begin: Time) -> Option<(u64, Packet)> {
        let is_old = |one: &mut (u64, Packet)| one.1.queued <= begin;
        self.own.pop_front_if(is_old).or_else(|| self.other.pop_front_if(is_old))
    }

    /// Begin of the wait of the oldest packet.
    pub fn oldest(&self) -> Option<Time> {
        let fronts = [&self.own, &self.other].into_iter().filter_map(VecDeque::front);
        fronts.map(|(_, packet)| packet.queued).min()
    }

    /// Takes out what waits of a count.
    pub fn take(&mut self, count: u64) -> Option<Packet> {
        [&mut self.own, &mut self.other].into_iter().find_map(|list| take(list, count))
    }

    /// Packets and bytes that are there twice.
    pub fn surplus(&self) -> Held {
        self.register.iter().fold(Held::default(), |sum, entry| {
            let more = u64::from(entry.alive).saturating_sub(u64::from(!entry.has_come));
            sum.plus(Held { packets: more, bytes: more * u64::from(entry.size) })
        })
    }

    /// Takes out the counts of copies since the last call.
    pub fn take_news(&mut self) -> CopyNews {
        std::mem::take(&mut self.news)
    }

    fn entry(&mut self, count: u64) -> Option<&mut Entry> {
        let n = self.register.binary_search_by_key(&count, |entry| entry.count).ok()?;
        self.register.get_mut(n).filter(|entry| entry.alive > 0)
    }

    fn forget(&mut self) {
        while self.register.pop_front_if(|entry| entry.alive == 0).is_some() {}
    }
}

/// Takes a count's packet out of a list in the order of counts.
pub(super) fn take(list: &mut VecDeque<(u64, Packet)>, count: u64) -> Option<Packet> {
    let n = list.binary_search_by_key(&count, |(own, _)| *own).ok()?;
    list.remove(n).map(|(_, packet)| packet)
}
