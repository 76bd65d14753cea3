//! The hosts that are there: found by address when a flow begins, known by number after.
//!
//! A host is over when nothing came for an hour (the study's limit of a user's session) and its
//! flows have ended. It is over earlier if the memory is needed.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use airpath_base::{Duration, Time};
use hashbrown::{DefaultHashBuilder, HashTable};

use super::{BOARD, Detail, Event, Host, HostRecord};
use crate::causes::Beside;
use crate::finish::Client;
use crate::flow::Flow;
use crate::options::{Options, Radio};

/// Bytes of a host beside its own size: hash table and queue.
const OVERHEAD: usize = 32;
/// Hosts that are looked at for one whose flows have all ended.
const MOST_PASSED: usize = 64;
/// Time until the next look at a host whose flows have not ended yet.
const AGAIN: Duration = Duration::from_secs(60);

/// The number of a host for which there was no memory at all.
pub(crate) const NO_HOST: u32 = u32::MAX;

/// Memory for a new host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryTier {
    /// All values.
    Full,
    /// The counts of its flows, packets and bytes.
    Counts,
    /// Nothing.
    Nothing,
}

/// Silence of a host before a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Silence {
    /// Milliseconds, or to the first packet of the capture.
    millis: u32,
    /// True if the host was seen before.
    seen: bool,
}

/// The hosts of a shard.
#[derive(Debug)]
pub(crate) struct Hosts {
    hosts: Vec<Host>,
    free: Vec<u32>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Times of the next look at hosts: time, number, generation.
    expiries: VecDeque<(Time, u32, u32)>,
    idle_after: Duration,
    radio: Option<Box<Radio>>,
    /// For so long a host must have been silent for its radio to be idle, if it has one.
    radio_idle: Option<Duration>,
    heap: usize,
    /// Hosts for which there was no memory but to count, and flows of hosts for which there
    /// was none at all.
    short: (u64, u64),
}

/// A host that counts packets.
pub(crate) struct Counting<'a> {
    host: &'a mut Host,
    /// Bytes that all hosts take.
    heap: &'a mut usize,
}

impl Counting<'_> {
    /// Bytes that all flows of the host have carried, and queues that flows beside `flow` have measured, up and down.
    #[inline]
    pub(crate) fn beside(&self, flow: &Flow, now: Time) -> [Beside; 2] {
        [0, 1].map(|way| {
            let board = self.host.board.as_ref();
            let [along, against] = board.map_or([0; 2], |board| board.of_others(way, flow.id, now));
            Beside { bytes: self.host.bytes[way], along, against }
        })
    }

    /// Notes queues that a flow has measured.
    #[inline]
    pub(crate) fn note(&mut self, flow: &mut Flow, now: Time) {
        for (way, found) in flow.take_standing().into_iter().enumerate() {
            if let Some(found) = found {
                match (&self.host.board, found.stands()) {
                    (None, false) => continue,
                    (None, true) => *self.heap += BOARD,
                    _ => {}
                }
                let board = self.host.board.get_or_insert_default();
                board.note(way, flow.id, found, now);
            }
        }
    }

    /// A packet of `flow`'s.
    #[inline(always)]
    pub(crate) fn packet(&mut self, event: &Event, flow: &Flow) {
        if self.host.packet(event) {
            self.look(event, flow);
        }
    }

    /// The rest of a packet that may make its host grow; most cannot.
    #[inline(never)]
    fn look(&mut self, event: &Event, flow: &Flow) {
        let request = event.request || event.clock.is_some();
        let heap = if request { Host::heap } else { Host::concurrency_heap };
        let before = heap(self.host);
        self.host.look(event, flow);
        *self.heap = (*self.heap + heap(self.host)).saturating_sub(before);
    }
}

impl Silence {
    /// True if the radio was idle for certain.
    pub(crate) fn is_idle(&self, after: Duration) -> bool {
        u64::from(self.millis) * 1_000_000 >= after.as_nanos()
    }

    /// True if the radio may have been idle.
    pub(crate) fn may_be_idle(&self, after: Duration) -> bool {
        !self.seen || self.is_idle(after)
    }

    /// Seconds, if the host was seen before.
    pub(crate) fn seconds(&self) -> Option<f64> {
        self.seen.then(|| f64::from(self.millis) / 1e3)
    }
}

impl Hosts {
    pub(crate) fn new(options: &Options) -> Hosts {
        Hosts {
            hosts: Vec::new(),
            free: Vec::new(),
            index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            expiries: VecDeque::new(),
            idle_after: options.idle,
            radio: options.radio.map(Box::new),
            radio_idle: options.radio.map(|_| options.radio_idle),
            heap: 0,
            short: (0, 0),
        }
    }

    /// A flow of the host begins: gives the host's number, and how long it was silent. The
    /// capture has `begun` then; a new host has the memory of this `tier`.
    pub(crate) fn enter(
        &mut self,
        addr: [u64; 2],
        at: Time,
        begun: Time,
        tier: MemoryTier,
    ) -> (u32, Silence) {
        let hash = self.hasher.hash_one(addr);
        let known = self.index.find(hash, |n| self.hosts[*n as usize].addr == addr).copied();
        let (n, since) = match known {
            Some(n) => (n, self.hosts[n as usize].last),
            None if tier == MemoryTier::Nothing => {
                self.short.1 += 1;
                return (NO_HOST, Silence { millis: 0, seen: true });
            }
            None => (self.begin(addr, at, hash, tier == MemoryTier::Full), begun),
        };
        let host = &mut self.hosts[n as usize];
        host.flows = host.flows.saturating_add(1);
        host.live += 1;
        let millis = at.saturating_since(since).as_nanos() / 1_000_000;
        let millis = u32::try_from(millis).unwrap_or(u32::MAX);
        (n, Silence { millis, seen: known.is_some() })
    }

    /// A flow of the host with this number is seen at another interface.
    pub(crate) fn enter_again(&mut self, n: u32) -> u32 {
        if let Some(host) = self.hosts.get_mut(n as usize) {
            host.live += 1;
        }
        n
    }

    fn begin(&mut self, addr: [u64; 2], at: Time, hash: u64, detailed: bool) -> u32 {
        let radio = self.radio.as_deref();
        let detail = detailed.then(|| Box::new(Detail::new(radio, at)));
        self.short.0 += u64::from(!detailed);
        let (n, generation) = match self.free.pop() {
            Some(n) => (n, self.hosts[n as usize].generation.wrapping_add(1)),
            None => (self.hosts.len() as u32, 0),
        };
        let host = Host::new(addr, at, generation, detail);
        self.heap += host.heap();
        match self.hosts.get_mut(n as usize) {
            Some(place) => *place = host,
            None => self.hosts.push(host),
        }
        self.expiries.push_back((at.saturating_add(self.idle_after), n, generation));
        let (hosts, hasher) = (&self.hosts, &self.hasher);
        self.index.insert_unique(hash, n, |n| hasher.hash_one(hosts[*n as usize].addr));
        n
    }

    /// The host that counts a flow's packets, if there is one.
    #[inline]
    pub(crate) fn of(&mut self, flow: &Flow) -> Option<Counting<'_>> {
        let host = self.hosts.get_mut(flow.host as usize).filter(|_| !flow.repeated)?;
        Some(Counting { host, heap: &mut self.heap })
    }

    /// A flow has ended.
    pub(crate) fn ended(&mut self, flow: &Flow) {
        let Some(host) = self.hosts.get_mut(flow.host as usize) else { return };
        let before = host.heap();
        host.ended(flow, self.radio_idle);
        self.heap = (self.heap + host.heap()).saturating_sub(before);
    }

    /// Properties of a flow's client.
    pub(crate) fn beside(&self, flow: &Flow) -> Client {
        let host = self.hosts.get(flow.host as usize);
        let detail = host.and_then(|host| host.detail.as_ref());
        let clock = detail.and_then(|detail| detail.clock.period());
        Client { clock, radio_idle: self.radio_idle }
    }

    /// Hosts with memory for counts only, and flows of hosts without any memory, since the last
    /// call.
    pub(crate) fn short(&mut self) -> (u64, u64) {
        std::mem::take(&mut self.short)
    }

    /// Time of the next look at a host.
    pub(crate) fn next_expiry(&self) -> Time {
        self.expiries.front().map_or(Time::MAX, |expiry| expiry.0)
    }

    /// Hands out a host whose time is over.
    #[inline]
    pub(crate) fn expired(&mut self, now: Time) -> Option<HostRecord> {
        if self.expiries.front().is_none_or(|expiry| expiry.0 > now) {
            return None;
        }
        for _ in 0..MOST_PASSED {
            let (_, n, generation) = self.expiries.pop_front_if(|expiry| expiry.0 <= now)?;
            let host = &self.hosts[n as usize];
            if host.generation != generation {
                continue;
            }
            let due = host.last.saturating_add(self.idle_after);
            if due <= now && host.live == 0 {
                return self.end(n);
            }
            let again = if due > now { due } else { now.saturating_add(AGAIN) };
            self.expiries.push_back((again, n, generation));
        }
        None
    }

    /// Hands out a host all of whose flows have ended, one that began long ago.
    pub(crate) fn evict(&mut self) -> Option<HostRecord> {
        for _ in 0..MOST_PASSED {
            let expiry = self.expiries.pop_front()?;
            let host = &self.hosts[expiry.1 as usize];
            match host.generation == expiry.2 {
                true if host.live == 0 => return self.end(expiry.1),
                true => self.expiries.push_back(expiry),
                false => {}
            }
        }
        None
    }

    /// Hands out a host.
    pub(crate) fn end(&mut self, n: u32) -> Option<HostRecord> {
        let place = self.hosts.get_mut(n as usize)?;
        let hash = self.hasher.hash_one(place.addr);
        if let Ok(entry) = self.index.find_entry(hash, |known| *known == n) {
            entry.remove();
        }
        let generation = place.generation.wrapping_add(1);
        let gone = Host::new([0; 2], Time::ZERO, generation, None);
        let host = std::mem::replace(place, gone);
        self.heap = self.heap.saturating_sub(host.heap());
        self.free.push(n);
        Some(host.record(self.radio.as_deref()))
    }

    /// All hosts, with when they were first seen and their numbers.
    pub(crate) fn live(&self) -> impl Iterator<Item = (Time, u32)> {
        let place = |expiry: &(Time, u32, u32)| &self.hosts[expiry.1 as usize];
        let live = self.expiries.iter().filter(move |expiry| place(expiry).generation == expiry.2);
        live.map(move |expiry| (place(expiry).first, expiry.1))
    }

    /// Bytes that all hosts take.
    pub(crate) fn size(&self) -> usize {
        (self.hosts.len() - self.free.len()) * (size_of::<Host>() + OVERHEAD) + self.heap
    }
}
