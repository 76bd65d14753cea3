//! The flows that live.
//!
//! Flows lie in chunks that never move, found through a hash table of their numbers. A flow ends
//! when its ends have closed it and nothing came for a minute, or when nothing came for an hour. It
//! ends, too, when another connection begins between its ends, or when the memory is needed. Two
//! queues, each ordered by the time of the next look at a flow, find the flows that are due without
//! a look at others.

use core::num::{NonZeroU16, NonZeroU32};
use std::collections::VecDeque;
use std::hash::BuildHasher;

use airpath_base::{Duration, Time};
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::batch::Entry;
use crate::decode::Unit;
use crate::flow::{Flow, interface};
use crate::key::Key;

/// Flows in a chunk (a power of two).
const CHUNK: usize = 1024;
/// Time for which a flow is kept that its ends have closed, or that never got an answer.
const LINGER: Duration = Duration::from_secs(60);
/// Greatest number of interfaces of one flow.
const MOST_SIBLINGS: usize = 16;
/// Flows that are passed over in search of one that is idle, before one is taken that is
/// not.
const MOST_PASSED: usize = 64;
/// Bytes of a flow beside its own size: hash table and queues.
const OVERHEAD: usize = 48;

/// Packets whose flows are fetched together: they fit into the first cache.
pub(crate) const GROUP: usize = 16;
/// Flows below which all of them are in a cache anyway.
const FEW: usize = 512;

/// Live flows.
pub(crate) struct Table {
    chunks: Vec<Vec<Flow>>,
    free: Vec<u32>,
    /// Number of uses of each slot. It is apart from the flows, which are not in the cache when
    /// their expiries are read.
    generations: Vec<u32>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    idle: VecDeque<Expiry>,
    short: VecDeque<Expiry>,
    idle_after: Duration,
    memory: usize,
    heap: usize,
    live: usize,
    /// Flows that have begun.
    begun: NonZeroU32,
}

/// Time of the next look at a flow.
#[derive(Clone, Copy)]
struct Expiry {
    at: Time,
    flow: u32,
    generation: u32,
}

/// Reason of a flow's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndCause {
    /// It expired.
    Time,
    /// The capture ended.
    Capture,
    /// The memory was needed.
    Memory,
}

impl Table {
    /// Flows are over when they were idle for so long; the hasher is that of packets' keys.
    pub(crate) fn new(idle_after: Duration, hasher: DefaultHashBuilder) -> Table {
        Table {
            chunks: Vec::new(),
            free: Vec::new(),
            generations: Vec::new(),
            index: HashTable::new(),
            hasher,
            idle: VecDeque::new(),
            short: VecDeque::new(),
            idle_after,
            memory: usize::MAX,
            heap: 0,
            live: 0,
            begun: NonZeroU32::MIN,
        }
    }

    /// Sets how many bytes flows may take from now on.
    pub(crate) fn limit(&mut self, most: usize) {
        self.memory = most;
    }

    /// Number of the flow of a packet, if it is the first with its key. The flow may have expired
    /// by now.
    #[inline]
    pub(crate) fn first(&self, entry: &Entry) -> Option<u32> {
        let chunks = &self.chunks;
        let first = *self.index.find(entry.hash, |&n| flow(chunks, n).key == entry.key)?;
        flow(chunks, first).passes(entry.side(), entry.seen.interface).then_some(first)
    }

    /// The number of the flow that a packet belongs to, if it is known.
    #[inline]
    pub(crate) fn find(&mut self, unit: &Unit<'_>) -> Option<u32> {
        let (key, side) = (&unit.key, unit.side);
        let chunks = &self.chunks;
        let first = *self.index.find(unit.hash, |&n| flow(chunks, n).key == *key)?;
        let interface = interface(unit.interface);
        if flow(chunks, first).interfaces[side] == interface {
            return Some(first);
        }
        self.at_interface(first, side, interface)
    }

    /// Of the flows with one key, the one that is seen at this interface. A direction
    /// that was not seen yet may pass at another interface than the first direction: then
    /// the capture has one interface for each direction. If instead each interface sees
    /// both, the other direction has passed here.
    fn at_interface(&mut self, first: u32, side: usize, here: Option<NonZeroU16>) -> Option<u32> {
        let chunks = &self.chunks;
        let next = |n: &u32| sibling(flow(chunks, *n));
        let all = || std::iter::successors(Some(first), next).take(MOST_SIBLINGS);
        let other = |n: &u32| flow(chunks, *n).interfaces[1 - side] == here;
        let seen = |n: &u32| flow(chunks, *n).interfaces[side];
        let known = all().find(|n| seen(n) == here);
        let half = || all().find(|n| seen(n).is_none() && other(n));
        let open = || all().find(|n| seen(n).is_none());
        let found = known.or_else(half).or_else(open);
        let found = found.or_else(|| all().nth(MOST_SIBLINGS - 1))?;
        self.flow(found).interfaces[side] = here;
        Some(found)
    }

    /// Reads something of the flows of a group of packets. Among very many flows each lies
    /// outside the caches. Here the processor waits for all of the group at once, not for one
    /// after the other (docs/performance.md, "The analyser").
    #[inline]
    pub(crate) fn prefetch(&self, group: &[Entry]) {
        if self.live < FEW {
            return;
        }
        let mut flows = [None; GROUP];
        for (place, entry) in flows.iter_mut().zip(group) {
            *place = self.index.iter_hash(entry.hash).next().copied();
        }
        let flows = || flows.iter().flatten().map(|&n| flow(&self.chunks, n));
        let halves = || flows().flat_map(|flow| &flow.halves);
        let near = flows().fold(0, |sum, flow| sum ^ flow.last.as_nanos());
        let near = halves().fold(near, |sum, half| sum ^ half.bytes ^ u64::from(half.marks));
        let sent = halves().filter_map(|half| half.sent.as_ref());
        let all =
            sent.fold(near, |sum, sent| sum ^ u64::from(sent.una) ^ u64::from(sent.most_in_flight));
        // Nothing is done with it, but it must have been read.
        core::hint::black_box(all);
    }

    /// The flow of this number, to look at.
    #[inline]
    pub(crate) fn peek(&self, n: u32) -> &Flow {
        flow(&self.chunks, n)
    }

    /// The first flow with the key of a packet, at any interface.
    pub(crate) fn same_key(&self, unit: &Unit<'_>) -> Option<u32> {
        self.index.find(unit.hash, |&n| flow(&self.chunks, n).key == unit.key).copied()
    }

    /// Begins a flow with this packet.
    pub(crate) fn begin(&mut self, unit: &Unit<'_>) -> u32 {
        let (key, side, hash) = (unit.key, unit.side, unit.hash);
        let n = self.place(key, unit.at);
        let id = self.begun;
        self.begun = id.checked_add(1).unwrap_or(NonZeroU32::MIN);
        let begun = self.flow(n);
        (begun.id, begun.interfaces[side]) = (id, interface(unit.interface));
        let chunks = &self.chunks;
        let first = self.index.find(hash, |&n| flow(chunks, n).key == key).copied();
        match first {
            Some(first) => {
                let rest = std::mem::replace(&mut self.flow(first).sibling, NonZeroU32::new(n + 1));
                self.flow(n).sibling = rest;
            }
            None => {
                let (chunks, hasher) = (&self.chunks, &self.hasher);
                self.index.insert_unique(hash, n, |&n| hasher.hash_one(flow(chunks, n).key));
            }
        }
        let generation = self.generation(n);
        let expiry = |after: Duration| Expiry { at: later(unit.at, after), flow: n, generation };
        self.idle.push_back(expiry(self.idle_after));
        self.short.push_back(expiry(LINGER));
        self.live += 1;
        n
    }

    /// The flow of this number.
    #[inline]
    pub(crate) fn flow(&mut self, n: u32) -> &mut Flow {
        &mut self.chunks[n as usize / CHUNK][n as usize % CHUNK]
    }

    /// Number of earlier uses of the slot with this number.
    #[inline]
    fn generation(&self, n: u32) -> u32 {
        self.generations[n as usize]
    }

    /// True if the flow of this expiry still lives.
    #[inline]
    fn is_current(&self, expiry: &Expiry) -> bool {
        self.generation(expiry.flow) == expiry.generation
    }

    /// Looks at a flow again a while after `at`: its ends have closed it.
    pub(crate) fn closing(&mut self, n: u32, at: Time) {
        let generation = self.generation(n);
        self.short.push_back(Expiry { at: later(at, LINGER), flow: n, generation });
    }

    /// A flow took `before` bytes of the heap and takes `now`.
    #[inline]
    pub(crate) fn grown(&mut self, before: usize, now: usize) {
        if now != before {
            self.heap = (self.heap + now).saturating_sub(before);
        }
    }

    /// Time of the next look at a flow.
    pub(crate) fn next_expiry(&self) -> Time {
        let queues = [&self.short, &self.idle];
        queues
            .into_iter()
            .filter_map(VecDeque::front)
            .map(|expiry| expiry.at)
            .min()
            .unwrap_or(Time::MAX)
    }

    /// Removes and returns a flow that has expired, or, if the memory is short, one that was
    /// idle for long. To be called until there is none.
    #[inline]
    pub(crate) fn expired(&mut self, now: Time) -> Option<(Flow, EndCause)> {
        let due = |queue: &VecDeque<Expiry>| queue.front().is_some_and(|expiry| expiry.at <= now);
        let short = self.size() > self.memory;
        if !short && !due(&self.short) && !due(&self.idle) {
            return None;
        }
        self.next_expired(now, short)
    }

    fn next_expired(&mut self, now: Time, short: bool) -> Option<(Flow, EndCause)> {
        while let Some(expiry) = self.short.pop_front_if(|expiry| expiry.at <= now) {
            match self.review(expiry, now, linger) {
                Review::Expired => return self.end(expiry.flow).map(|flow| (flow, EndCause::Time)),
                Review::Later(at) => self.short.push_back(Expiry { at, ..expiry }),
                Review::Gone => {}
            }
        }
        let idle_after = self.idle_after;
        while let Some(expiry) = self.idle.pop_front_if(|expiry| expiry.at <= now) {
            match self.review(expiry, now, |_| Some(idle_after)) {
                Review::Expired => return self.end(expiry.flow).map(|flow| (flow, EndCause::Time)),
                Review::Later(at) => self.idle.push_back(Expiry { at, ..expiry }),
                Review::Gone => {}
            }
        }
        if short { self.evict() } else { None }
    }

    /// All flows, with when they began and their numbers.
    pub(crate) fn live(&self) -> impl Iterator<Item = (Time, u32)> {
        let live = self.idle.iter().filter(|expiry| self.is_current(expiry));
        live.map(|expiry| (self.peek(expiry.flow).start, expiry.flow))
    }

    /// True if a flow has expired. Its expiry may not have been read yet.
    #[inline]
    pub(crate) fn is_expired(&self, flow: &Flow, now: Time) -> bool {
        let idle_after = self.idle_after;
        let still = now.saturating_since(flow.last);
        still >= LINGER && (still >= idle_after || linger(flow).is_some())
    }

    /// Removes and returns a flow.
    pub(crate) fn end(&mut self, n: u32) -> Option<Flow> {
        let (key, sibling) = (self.flow(n).key, sibling(self.flow(n)));
        let hash = self.hasher.hash_one(key);
        let chunks = &mut self.chunks;
        let entry = self.index.find_entry(hash, |&n| flow(chunks, n).key == key);
        if let Ok(mut entry) = entry {
            let first = *entry.get();
            match (first == n, sibling) {
                (true, Some(next)) => *entry.get_mut() = next,
                (true, None) => drop(entry.remove()),
                (false, _) => unlink(chunks, first, n),
            }
        }
        self.generations[n as usize] = self.generation(n).wrapping_add(1);
        let flow = std::mem::replace(self.flow(n), Flow::new(Key::default(), Time::ZERO));
        self.heap = self.heap.saturating_sub(flow.weight as usize);
        self.free.push(n);
        self.live -= 1;
        let (generations, most) = (&self.generations, 2 * self.live + CHUNK);
        for queue in [&mut self.idle, &mut self.short] {
            if queue.len() > most {
                queue.retain(|expiry| generations[expiry.flow as usize] == expiry.generation);
            }
        }
        Some(flow)
    }

    fn review(
        &mut self,
        expiry: Expiry,
        now: Time,
        patience: impl Fn(&Flow) -> Option<Duration>,
    ) -> Review {
        if !self.is_current(&expiry) {
            return Review::Gone;
        }
        let flow = self.flow(expiry.flow);
        let Some(patience) = patience(flow) else { return Review::Gone };
        match later(flow.last, patience) {
            at if at <= now => Review::Expired,
            at => Review::Later(at),
        }
    }

    /// The flow that was looked at longest ago and was idle since. After [`MOST_PASSED`] others,
    /// any.
    fn evict(&mut self) -> Option<(Flow, EndCause)> {
        for passed in 0..=MOST_PASSED {
            let expiry = self.idle.pop_front()?;
            let idle_after = self.idle_after;
            if !self.is_current(&expiry) {
                continue;
            }
            let at = later(self.flow(expiry.flow).last, idle_after);
            if at <= expiry.at || passed == MOST_PASSED {
                return self.end(expiry.flow).map(|flow| (flow, EndCause::Memory));
            }
            self.idle.push_back(Expiry { at, ..expiry });
        }
        None
    }

    /// Bytes that all flows take.
    pub(crate) fn size(&self) -> usize {
        self.live * (size_of::<Flow>() + OVERHEAD) + self.heap
    }

    fn place(&mut self, key: Key, at: Time) -> u32 {
        if let Some(n) = self.free.pop() {
            *self.flow(n) = Flow::new(key, at);
            return n;
        }
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        let full = (self.chunks.len() - 1) * CHUNK;
        let Some(chunk) = self.chunks.last_mut() else { return 0 };
        chunk.push(Flow::new(key, at));
        self.generations.push(0);
        (full + chunk.len() - 1) as u32
    }
}

/// True if the silence of a flow was too short for an expiry.
#[inline]
pub(crate) fn is_fresh(flow: &Flow, now: Time) -> bool {
    now.saturating_since(flow.last) < LINGER
}

/// Time for which a flow is kept after its last expected packet.
fn linger(flow: &Flow) -> Option<Duration> {
    (flow.is_closed() || flow.never_connected()).then_some(LINGER)
}

/// Result of looking at a flow again.
enum Review {
    Expired,
    Later(Time),
    Gone,
}

#[inline]
fn flow(chunks: &[Vec<Flow>], n: u32) -> &Flow {
    &chunks[n as usize / CHUNK][n as usize % CHUNK]
}

/// The next flow with the same key.
fn sibling(flow: &Flow) -> Option<u32> {
    flow.sibling.map(|n| n.get() - 1)
}

/// Takes `n` out of the list of flows with one key that begins with `first`.
fn unlink(chunks: &mut [Vec<Flow>], first: u32, n: u32) {
    let mut at = first;
    while let Some(next) = sibling(flow(chunks, at)) {
        if next == n {
            let behind = flow(chunks, n).sibling;
            chunks[at as usize / CHUNK][at as usize % CHUNK].sibling = behind;
            return;
        }
        at = next;
    }
}

fn later(at: Time, span: Duration) -> Time {
    Time::from_nanos(at.as_nanos().saturating_add(span.as_nanos()))
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
