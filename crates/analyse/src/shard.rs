//! A shard: the flows of some of the clients, which are analysed together.

use core::num::NonZeroU16;

use airpath_base::Time;
use airpath_wire::{ParseError, TcpFlags};
use hashbrown::DefaultHashBuilder;

use crate::batch::{Batch, Entry};
use crate::decode::{Layer, Unit};
use crate::flow::Flow;
use crate::host::{HostRecord, Hosts, MemoryTier};
use crate::key::Key;
use crate::options::Options;
use crate::record::FlowRecord;
use crate::sights::Around;
use crate::table::{EndCause, GROUP, Table, is_fresh};
use crate::tcp::Study;
use crate::trace::{Before, Trace, Tracer};
use crate::windows::Placed;
use crate::workers::Work;

/// Flows that a packet may end whose time is over. Many may be over at once, after a
/// pause; their records should not all be there at once.
const MOST_ENDED: usize = 2;

/// The flows and hosts of some of the clients.
pub(crate) struct Shard {
    study: Study,
    table: Table,
    hosts: Hosts,
    /// Takes the packets of the flow that is to be traced, if there is one.
    tracer: Option<Box<Tracer>>,
    limits: Limits,
    /// Before then no flow and no host expires.
    next_expiry: Time,
    found: Found,
}

/// Limits of a shard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes that it may take.
    pub(crate) most: usize,
    /// True if there is memory for more than the flows themselves and their counts.
    pub(crate) detailed: bool,
    /// Memory for new hosts.
    pub(crate) host_tier: MemoryTier,
    /// Begin of the capture.
    pub(crate) begun: Time,
}

/// Results of a shard since they were last taken.
#[derive(Default)]
pub(crate) struct Found {
    /// Flows that have ended.
    pub(crate) flows: Vec<Ended>,
    /// Hosts that have ended, and when that was clear.
    pub(crate) hosts: Vec<(Time, Box<HostRecord>)>,
    /// Windows of bandwidth.
    pub(crate) windows: Vec<Placed>,
    /// Transport headers that cannot be read, and where.
    pub(crate) malformed: Vec<(u64, ParseError)>,
    /// True if memory was short.
    pub(crate) memory_short: bool,
    /// Hosts for which there was no memory but to count, and flows of hosts for which there
    /// was none at all.
    pub(crate) short: (u64, u64),
}

/// A flow that has ended.
pub(crate) struct Ended {
    /// Time of this result.
    pub(crate) at: Time,
    pub(crate) start: Time,
    pub(crate) key: Key,
    pub(crate) over: EndCause,
    /// The interfaces at which it passed up and down; the first ones, if it is `spread` over more.
    pub(crate) interfaces: [Option<NonZeroU16>; 2],
    pub(crate) spread: bool,
    pub(crate) record: Box<FlowRecord>,
    /// Packets of the flow, if it is traced.
    pub(crate) trace: Option<Box<Trace>>,
}

impl Shard {
    /// With the hasher that tells the hashes of keys.
    pub(crate) fn new(options: &Options, hasher: DefaultHashBuilder) -> Shard {
        Shard {
            study: Study {
                most: options.most_bandwidth,
                windows: options.windows.clone(),
                keep: options.kept(),
                notes: options.notes,
            },
            table: Table::new(options.idle, hasher),
            hosts: Hosts::new(options),
            tracer: options.trace.map(|of| Box::new(Tracer::new(of, options.packets))),
            limits: Limits {
                most: usize::MAX,
                detailed: true,
                host_tier: MemoryTier::Full,
                begun: Time::ZERO,
            },
            next_expiry: Time::ZERO,
            found: Found::default(),
        }
    }

    /// Bytes that it takes, and those of them that hosts take.
    pub(crate) fn size(&self) -> (usize, usize) {
        let hosts = self.hosts.size();
        (self.table.size() + hosts, hosts)
    }

    /// Sets the limits that hold from now on.
    pub(crate) fn limit(&mut self, limits: Limits) {
        self.limits = limits;
        self.next_expiry = Time::ZERO;
        self.table.limit(limits.most.saturating_sub(self.hosts.size()));
    }

    /// The flows that live: when they began, and their numbers.
    pub(crate) fn flows(&self) -> impl Iterator<Item = (Time, u32)> {
        self.table.live()
    }

    /// The hosts that are there, in the same way.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = (Time, u32)> {
        self.hosts.live()
    }

    /// Takes the results.
    pub(crate) fn take(&mut self) -> Found {
        let short = self.hosts.short();
        Found { short, ..std::mem::take(&mut self.found) }
    }

    /// Does its part, the `n`-th, of a job.
    pub(crate) fn work(&mut self, work: &Work, n: usize) {
        match work {
            Work::Packets(batch) => self.packets(batch, batch.shard(n)),
            Work::Flows(flows) => self.finish(&flows[n]),
            Work::Hosts(hosts) => {
                let ended = hosts[n].iter().filter_map(|n| self.hosts.end(*n));
                self.found.hosts.extend(
                    ended.map(|record| (record.start.unwrap_or_default(), Box::new(record))),
                );
            }
        }
    }

    /// Ends flows with the capture.
    fn finish(&mut self, flows: &[u32]) {
        for n in flows {
            if let Some(mut flow) = self.table.end(*n) {
                let last = flow.last;
                self.end(&mut flow, EndCause::Capture, last);
            }
        }
    }

    fn packets(&mut self, batch: &Batch, entries: &[Entry]) {
        for (n, group) in entries.chunks(GROUP).enumerate() {
            self.table.prefetch(group);
            self.group(batch, entries, (n * GROUP, group.len()));
        }
    }

    /// So many of the entries, from `first` on.
    fn group(&mut self, batch: &Batch, entries: &[Entry], (first, len): (usize, usize)) {
        let (mut at, end) = (first, first + len);
        while at < end {
            let entry = &entries[at];
            let run = if entry.is_plain() { self.run(batch, &entries[at..end]) } else { 0 };
            if run > 0 {
                at += run;
                continue;
            }
            let around = Around { batch, entries, at };
            at += 1;
            let read = batch.read(entry, |unit| self.unit(unit, entry.seen.now, around));
            if let Err(error) = read {
                self.found.malformed.push((entry.seen.offset, error));
            }
        }
    }

    /// Plain packets of one flow, one after the other, as long as the fast path takes them;
    /// gives how many there were. With the next, nothing is done.
    fn run(&mut self, batch: &Batch, entries: &[Entry]) -> usize {
        let Some(first) = entries.first() else { return 0 };
        let Some(n) = self.table.first(first) else { return 0 };
        // A series with windows to hand out does so after each packet.
        let windows = !self.study.windows.is_empty();
        let entries = if windows { &entries[..1] } else { entries };
        let detailed = self.limits.detailed;
        let flow = self.table.flow(n);
        let traced = self.tracer.as_ref().is_some_and(|tracer| tracer.wants(flow));
        if traced || self.study.notes > 0 {
            return 0;
        }
        let passes = [0, 1].map(|side| flow.passes(side, first.seen.interface));
        let mut host = self.hosts.of(flow);
        if let Some(host) = &host {
            flow.beside(host.beside(flow, first.seen.now));
        }
        let mut taken = 0;
        for entry in entries {
            if taken > 0 && !(entry.follows(first) && passes[entry.side()]) {
                break;
            }
            if entry.seen.now >= self.next_expiry || !is_fresh(flow, entry.seen.now) {
                break;
            }
            let Some(event) = flow.fast_path(entry, batch, detailed) else { break };
            if let Some(host) = &mut host {
                host.packet(&event, flow);
            }
            taken += 1;
        }
        if let Some(host) = &mut host {
            host.note(flow, first.seen.now);
        }
        if taken > 0 {
            self.found.memory_short |= !detailed;
            if windows {
                self.hand_windows(n);
            }
            self.weigh(n);
        }
        taken
    }

    /// Hands out windows of bandwidth of a flow, if it has many.
    fn hand_windows(&mut self, n: u32) {
        let flow = self.table.flow(n);
        if flow.has_many_windows() {
            let beside = self.hosts.beside(flow);
            flow.take_windows(false, &beside, &mut self.found.windows);
        }
    }

    /// Counts the memory that a flow takes.
    fn weigh(&mut self, n: u32) {
        let (before, after) = self.table.flow(n).weighed();
        self.table.grown(before, after);
    }

    fn unit(&mut self, unit: &Unit<'_>, now: Time, around: Around<'_>) {
        if now >= self.next_expiry {
            self.pass(now);
        }
        let n = self.place(unit, now, around);
        let detailed = self.limits.detailed;
        self.found.memory_short |= !detailed;
        let flow = self.table.flow(n);
        let closed = flow.is_closed();
        let event = flow.event(unit);
        let tracer = self.tracer.as_mut().filter(|tracer| tracer.wants(flow));
        let before = tracer.map(|tracer| (tracer, Before::of(flow, unit.side)));
        if let Some(host) = self.hosts.of(flow) {
            flow.beside(host.beside(flow, now));
        }
        flow.packet(unit, &self.study, detailed);
        if let Some((tracer, before)) = before {
            tracer.packet(unit, before, flow);
        }
        if let Some(mut host) = self.hosts.of(flow) {
            host.packet(&event, flow);
            host.note(flow, now);
        }
        let closing = !closed && flow.is_closed();
        if !self.study.windows.is_empty() {
            self.hand_windows(n);
        }
        self.weigh(n);
        if closing {
            self.table.closing(n, unit.at);
            self.next_expiry = Time::ZERO;
        }
    }

    /// Ends some of the flows and hosts that have expired.
    fn pass(&mut self, now: Time) {
        for _ in 0..MOST_ENDED {
            let Some((mut flow, over)) = self.table.expired(now) else { break };
            self.end(&mut flow, over, now);
        }
        for _ in 0..MOST_ENDED {
            let crowded = self.limits.most < usize::MAX && self.size().0 > self.limits.most;
            let over = self.hosts.expired(now);
            let over = if crowded { over.or_else(|| self.hosts.evict()) } else { over };
            let Some(record) = over else { break };
            self.found.hosts.push((now, Box::new(record)));
        }
        let crowded = self.limits.most < usize::MAX;
        let next = self.table.next_expiry().min(self.hosts.next_expiry());
        self.next_expiry = if crowded { Time::ZERO } else { next };
    }

    /// The flow of a packet: one that is known, or a new one.
    fn place(&mut self, unit: &Unit<'_>, now: Time, around: Around<'_>) -> u32 {
        if let Some(n) = self.table.find(unit).or_else(|| self.spread(unit, now, around)) {
            let flow = self.table.peek(n);
            let reused = match unit.transport {
                Layer::Tcp(seg) if seg.flags.contains(TcpFlags::SYN) => {
                    flow.is_reused_by(unit.side, seg)
                }
                _ => false,
            };
            // A flow may have expired without its expiry having been looked at.
            if !reused && !self.table.is_expired(flow, now) {
                return n;
            }
            if let Some(mut flow) = self.table.end(n) {
                self.end(&mut flow, EndCause::Time, now);
            }
        }
        let sibling = self.table.same_key(unit);
        let n = self.table.begin(unit);
        self.next_expiry = Time::ZERO;
        let (host, silence) = match sibling.map(|n| self.table.flow(n)) {
            // A packet at a second point of the path is nothing new to the host.
            Some(sibling) => (self.hosts.enter_again(sibling.host), sibling.silence),
            None => {
                let Limits { begun, host_tier, .. } = self.limits;
                self.hosts.enter(unit.key.host(), unit.at, begun, host_tier)
            }
        };
        let flow = self.table.flow(n);
        (flow.host, flow.silence, flow.repeated) = (host, silence, sibling.is_some());
        n
    }

    /// The flow of a packet that passes at another interface than those before it, if it is not
    /// the same packets that pass at both.
    #[cold]
    fn spread(&mut self, unit: &Unit<'_>, now: Time, around: Around<'_>) -> Option<u32> {
        let n = self.table.same_key(unit)?;
        let over = self.table.is_expired(self.table.peek(n), now);
        let flow = self.table.flow(n);
        let reused = match unit.transport {
            Layer::Tcp(seg) => flow.is_reused_by(unit.side, seg),
            Layer::Udp { .. } => false,
        };
        if flow.sibling.is_none() && (over || reused) {
            return Some(n);
        }
        let alone = flow.sibling.is_none();
        if !flow.spread && (!alone || flow.has_seen(unit) || around.is_second_point()) {
            return None;
        }
        flow.spread = true;
        Some(n)
    }

    fn end(&mut self, flow: &mut Flow, over: EndCause, at: Time) {
        self.hosts.ended(flow);
        let beside = self.hosts.beside(flow);
        flow.take_windows(true, &beside, &mut self.found.windows);
        let record = Box::new(flow.record(over, &beside));
        let (start, key) = (flow.start, flow.key);
        let interfaces = flow.places();
        let traced = self.tracer.as_mut().filter(|tracer| tracer.wants(flow));
        let trace = traced.map(|tracer| Box::new(tracer.take()));
        let spread = flow.spread;
        self.found.flows.push(Ended { at, start, key, over, interfaces, spread, record, trace });
    }
}

impl Found {
    /// Adds what another shard has found.
    pub(crate) fn join(&mut self, other: Found) {
        self.flows.extend(other.flows);
        self.hosts.extend(other.hosts);
        self.windows.extend(other.windows);
        self.short.0 += other.short.0;
        self.short.1 += other.short.1;
        self.malformed.extend(other.malformed);
        self.memory_short |= other.memory_short;
    }

    /// Puts windows in the order of flows, those of a flow in the order in which they came.
    pub(crate) fn sort_windows(&mut self) {
        self.windows.sort_by_key(|(_, window)| (window.flow_start, window.client, window.server));
    }

    /// Puts what shards have found in the order of the capture.
    pub(crate) fn sort(&mut self) {
        self.flows.sort_by_key(|ended| (ended.at, ended.start, ended.key));
        self.hosts.sort_by_key(|(at, host)| (*at, host.start, host.address));
        self.sort_windows();
        self.malformed.sort_by_key(|(offset, _)| *offset);
    }
}
