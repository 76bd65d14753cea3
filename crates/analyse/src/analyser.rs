//! Analyser of captures: packets of files go in, a record of each flow comes out.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::io::Read;

use airpath_base::Time;
use airpath_wire::link::{interface_index, interface_name};
use hashbrown::DefaultHashBuilder;

use crate::batch::{Batch, SHARDS, Seen};
use crate::decode::{Decoder, Packet};
use crate::host::{AllHosts, MemoryTier};
use crate::input::{Frame, OpenError, Reader, decompressed};
use crate::interfaces::Interfaces;
use crate::links::{Link, Links};
use crate::options::Options;
use crate::plain::Plain;
use crate::record::FlowRecord;
use crate::roles::{Roles, flags};
use crate::select::Span;
use crate::shard::{Found, Limits, Shard};
use crate::sink::Sink;
use crate::table::EndCause;
use crate::timeline::{Backwards, Place, Timeline};
use crate::warnings::{Warning, Warnings};
use crate::windows::Window;
use crate::workers::{Work, WorkerPool};

/// Bytes of a capture that are read at a time, and the share of the memory for them. A chunk adds
/// at most about 16 times its size to live flows, which must fit into a sixteenth of the memory.
const CHUNK: usize = 1 << 18;
const CHUNKS: usize = 256;
/// Flows whose records are made at a time at the end.
const AT_ONCE: usize = 8192;

/// Warning of packets that have no time.
const UNTIMED: &str = "a packet without a time (a Simple Packet Block): flows and hosts that have \
                       one are reported without times";

/// Totals of the reading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Packets, of all kinds.
    pub packets: u64,
    /// Bytes of the frames.
    pub bytes: u64,
    /// Flows.
    pub flows: u64,
    /// Packets that were not decoded, by what they are, or what is in them. Those of tunnels
    /// over UDP count as flows, too.
    pub undecoded: BTreeMap<String, u64>,
    /// All hosts together.
    pub hosts: AllHosts,
    /// Links that several flows shared.
    pub links: Vec<Link>,
    /// Warnings about the captures.
    pub warnings: Vec<Warning>,
}

/// Analyser of captures. Flows are handed to a sink when they are over, in an order that the number
/// of threads does not change. Several captures, one after the other, are taken for parts of one.
pub struct Analyser<'a> {
    decoder: Decoder,
    warnings: Warnings,
    totals: Totals,
    roles: Roles,
    /// Hasher of all tables of flows.
    hasher: DefaultHashBuilder,
    /// The first time seen, and the present.
    begun: Option<Time>,
    /// Span of time that counts, if it is not all.
    span: Option<Span>,
    /// Frames up to now.
    number: u32,
    timeline: Timeline,
    interfaces: Interfaces,
    workers: WorkerPool,
    memory: usize,
    evicted: u64,
    /// Packets that had just passed, and segments that had, or were sent again.
    copies: u64,
    open: u64,
    /// True if memory was short.
    memory_short: bool,
    /// Hosts for which it was, and flows of hosts for which there was none at all.
    short: (u64, u64),
    links: Links,
    spare: Batch,
    sink: Box<dyn Sink + 'a>,
}

impl<'a> Analyser<'a> {
    /// Begins an analysis of flows only.
    pub fn new(options: Options, sink: impl FnMut(&FlowRecord) + 'a) -> Analyser<'a> {
        Analyser::with_sink(options, sink)
    }

    /// Begins an analysis.
    pub fn with_sink(options: Options, sink: impl Sink + 'a) -> Analyser<'a> {
        let hasher = DefaultHashBuilder::default();
        let shards = (0..SHARDS).map(|_| Shard::new(&options, hasher.clone()));
        let mut analyser = Analyser {
            decoder: match options.decapsulate {
                true => Decoder::decapsulating(),
                false => Decoder::default(),
            },
            warnings: Warnings::default(),
            totals: Totals::default(),
            roles: Roles::new(&options),
            hasher: hasher.clone(),
            begun: None,
            span: Span::of(options.span),
            number: 0,
            timeline: Timeline::default(),
            interfaces: Interfaces::default(),
            workers: WorkerPool::new(shards, options.threads),
            memory: options.memory,
            evicted: 0,
            copies: 0,
            open: 0,
            memory_short: false,
            short: (0, 0),
            links: Links::default(),
            spare: Batch::default(),
            sink: Box::new(sink),
        };
        analyser.limit();
        analyser
    }

    /// Reads a capture, compressed or not, to its end or as far as possible. Trouble on the way
    /// becomes warnings, under the name `file`.
    ///
    /// # Errors
    ///
    /// If it is no capture.
    pub fn read(&mut self, file: &str, mut input: impl Read) -> Result<(), OpenError> {
        self.read_all(file, &mut input)
    }

    /// Not generic, so that each packet runs through code of this crate, compiled as this crate is.
    fn read_all(&mut self, file: &str, input: &mut dyn Read) -> Result<(), OpenError> {
        self.warnings.begin(file);
        let chunk = (self.memory / CHUNKS).clamp(512, CHUNK);
        let mut reader = Reader::open(decompressed(input)?, chunk, &mut self.interfaces)?;
        let mut batch = std::mem::take(&mut self.spare);
        loop {
            reader.run(|frame, chunk| self.frame(frame, chunk, &mut batch));
            let step = reader.step(&mut self.warnings, &mut self.interfaces);
            let Some(found) = step else { break };
            if let Some(spent) = reader.take_spent() {
                self.release(Some(found.at()), &spent, &mut batch);
                batch.close(spent);
                let (renewed, chunk) = self.submit(batch);
                batch = renewed;
                reader.recycle(chunk);
            }
            let mut frame = reader.frame(&found);
            if !frame.timed {
                frame.at = self.timeline.now();
                self.warnings.add(frame.offset, UNTIMED);
            }
            self.frame(&frame, reader.chunk(), &mut batch);
        }
        let last = reader.into_chunk();
        self.release(None, &last, &mut batch);
        self.warn_of_time();
        batch.close(last);
        self.spare = self.submit(batch).0;
        self.settle();
        Ok(())
    }

    /// Takes a frame, as soon as its time is sure to be right.
    #[inline(always)]
    fn frame(&mut self, frame: &Frame<'_>, chunk: &[u8], to: &mut Batch) {
        // A copy, so that most frames need not lie in memory.
        if self.timeline.goes_on(frame.at) || self.leaps(&{ *frame }, chunk, to) {
            self.packet(frame, chunk, to);
        }
    }

    /// A frame that is not a little later than the one before. Whether it counts now.
    #[inline(never)]
    fn leaps(&mut self, frame: &Frame<'_>, chunk: &[u8], to: &mut Batch) -> bool {
        self.release(Some(frame.at), chunk, to);
        self.timeline.goes_on(frame.at) || self.timeline.place(frame, chunk) == Place::Now
    }

    /// Takes the frame that was held, if there is one, now that the time of the next is known,
    /// or that there is none.
    fn release(&mut self, next: Option<Time>, chunk: &[u8], to: &mut Batch) {
        let Some((frame, wrong)) = self.timeline.release(next, chunk) else { return };
        if wrong.is_some() {
            let what = "a packet is stamped more than a minute later than those before and \
                        behind it; it counts at the time of the one before";
            self.warnings.add(frame.offset, what);
        }
        self.packet(&frame, chunk, to);
    }

    /// Warns if time ran backwards in the file.
    fn warn_of_time(&mut self) {
        let Backwards { count, offset, most } = self.timeline.take_backwards();
        if count > 0 {
            let what = format!("time runs backwards, by up to {:.6} s", most.as_secs_f64());
            self.warnings.add_many(offset, &what, count);
        }
    }

    /// Puts what a frame carries where its client's packets are.
    #[inline(always)]
    fn packet(&mut self, frame: &Frame<'_>, chunk: &[u8], to: &mut Batch) {
        let Frame { at, interface, len, offset, .. } = *frame;
        self.number = self.number.wrapping_add(1);
        if self.span.as_mut().is_some_and(|span| !span.holds(at)) {
            return;
        }
        if frame.timed {
            self.begun.get_or_insert(at);
        }
        self.totals.packets += 1;
        self.totals.bytes += u64::from(len);
        let plain = if frame.timed { Plain::read(frame.link, frame.bytes, len) } else { None };
        let Some(plain) = plain else {
            // A copy, so that most frames need not lie in memory.
            return self.other(&{ *frame }, chunk, to);
        };
        let (key, side) = plain.key();
        if !self.roles.counts(&key, side) {
            return;
        }
        let key = key.with_client(self.roles.client(&key, side, at, Some(plain.flags())));
        let (now, number) = (self.timeline.now(), self.number);
        let seen = Seen { at, now, interface, len, offset, number };
        to.add_plain(&plain, (key, side, self.hasher.hash_one(key)), seen, chunk);
    }

    /// Adds a frame other than a plain one to the packets of its shard.
    #[inline(never)]
    fn other(&mut self, frame: &Frame<'_>, chunk: &[u8], to: &mut Batch) {
        let (roles, hasher, now) =
            (&mut self.roles, &self.hasher, (self.timeline.now(), self.number));
        let index = interface_index(frame.link, frame.bytes);
        let within = |index| self.interfaces.of_kernel(frame.interface, index);
        let interface = index.map_or(frame.interface, within);
        let name = interface_name(frame.link, frame.bytes);
        let interface = name.map_or(interface, |name| self.interfaces.of_name(interface, name));
        let frame = &Frame { interface, ..*frame };
        let mut add = |packet: &Packet<'_>| assign(packet, (roles, hasher), now, chunk, to);
        if let Some(packet) = self.decoder.decode(frame, &mut self.warnings, &mut add) {
            add(&packet);
        }
    }

    /// Ends the analysis: hands out the flows that are left, and what was read in all.
    pub fn finish(mut self) -> Totals {
        self.drain();
        self.complain();
        let hosts = self.totals.hosts.finished();
        let undecoded = self.decoder.undecoded();
        let links = self.links.found();
        Totals { warnings: self.warnings.into_list(), hosts, links, undecoded, ..self.totals }
    }

    /// Warns of what was not for want of memory, or of packets.
    fn complain(&mut self) {
        // A few packets may be made twice on the way.
        let twice = if 100 * self.copies >= self.totals.packets { self.copies } else { 0 };
        let mut warn = |count: u64, what: &str| {
            if count > 0 {
                self.warnings.add(0, &what.replace("{}", &count.to_string()));
            }
        };
        warn(
            self.evicted,
            "{} flows were ended early, since more lived at once than the memory is for",
        );
        warn(
            u64::from(self.memory_short),
            "more flows lived at once than the memory is for: of some only packets, bytes and \
             retransmissions were counted",
        );
        warn(
            self.short.0,
            "of {} hosts only flows, packets and bytes were counted, since more lived at once \
             than the memory is for",
        );
        warn(
            self.short.1,
            "{} flows belong to hosts that are not told, since more lived at once than the \
             memory is for",
        );
        warn(
            twice,
            "{} packets came twice within 3 ms: captured twice, it seems; the second ones count as \
             packets, not as sent again",
        );
        warn(
            self.open,
            "{} segments came twice within 3 ms, copies or retransmissions: without identification, \
             timestamps and payload the capture does not tell, and they count as neither",
        );
        warn(self.decoder.orphans(), "{} fragments of incomplete packets");
    }

    /// Hands a batch to the worker pool as soon as the batch before is finished. During the work on
    /// this batch, the results of the one before go to the sink. Returns buffers for reuse.
    fn submit(&mut self, batch: Batch) -> (Batch, Vec<u8>) {
        let (done, found) = self.collect();
        self.limit();
        self.workers.begin(Work::Packets(batch));
        self.emit(found);
        done.unwrap_or_default().renew()
    }

    /// Waits for the worker pool.
    fn settle(&mut self) {
        let (_, found) = self.collect();
        self.emit(found);
    }

    fn collect(&mut self) -> (Option<Batch>, Found) {
        let done = self.workers.finish();
        let mut found = Found::default();
        (0..SHARDS).for_each(|n| found.join(self.workers.shard(n).take()));
        found.sort();
        (done, found)
    }

    fn emit(&mut self, found: Found) {
        self.decoder.unreadable_transport(found.malformed.len() as u64);
        let label = |place: Option<_>| place.map(|place| self.interfaces.label(place));
        for (offset, error) in found.malformed {
            self.warnings.add_unreadable(offset, &format!("transport header: {error}"));
        }
        self.memory_short |= found.memory_short;
        self.short.0 += found.short.0;
        self.short.1 += found.short.1;
        let mut flows = found.flows;
        for ended in &mut flows {
            let [up, down] = match ended.spread {
                true => ended.interfaces.map(|place| place.map(|_| "several".into())),
                false => ended.interfaces.map(label),
            };
            (ended.record.up.interface, ended.record.down.interface) = (up, down);
            ended.record.tunnels = self.decoder.tunnels(ended.key.tunnel());
            self.totals.flows += 1;
            ended.record.number = self.totals.flows;
            self.evicted += u64::from(ended.over == EndCause::Memory);
            for way in [&ended.record.up, &ended.record.down] {
                self.copies += way.copies;
                self.open += way.copies_or_retransmissions;
            }
            self.links.meet(&mut ended.record);
        }
        for mut ended in flows {
            self.links.name(&mut ended.record);
            self.sink.flow(&ended.record);
            if let Some(trace) = &ended.trace {
                self.sink.trace(trace);
            }
        }
        for (interface, window) in found.windows {
            self.sink.window(&Window { interface: label(interface), ..window });
        }
        for (_, host) in found.hosts {
            self.totals.hosts.add(&host);
            self.sink.host(&host);
        }
    }

    /// Divides the memory. A sixteenth is for what the next batch may add. When less than
    /// another sixteenth is left, flows are counted only; when nothing is, the largest shards
    /// must give up flows. An eighth is for hosts; once they take half of that, new ones are
    /// only counted.
    fn limit(&mut self) {
        let sizes = (0..SHARDS).map(|n| self.workers.shard(n).size());
        let (sizes, hosts): (Vec<usize>, Vec<usize>) = sizes.unzip();
        let sixteenth = self.memory / 16;
        let host_tier = match hosts.iter().sum::<usize>() / sixteenth {
            0 => MemoryTier::Full,
            1 => MemoryTier::Counts,
            _ => MemoryTier::Nothing,
        };
        let limits = Limits {
            detailed: sizes.iter().sum::<usize>() < self.memory - 2 * sixteenth,
            host_tier,
            most: level(sizes, self.memory - sixteenth),
            begun: self.begun.unwrap_or_default(),
        };
        (0..SHARDS).for_each(|n| self.workers.shard(n).limit(limits));
    }

    /// Ends the flows that live, in the order in which they began, then the hosts.
    fn drain(&mut self) {
        self.settle();
        self.end_all(|shard| shard.flows().collect(), Work::Flows);
        self.end_all(|shard| shard.hosts().collect(), Work::Hosts);
    }

    /// Ends all flows, or all hosts, some at a time.
    fn end_all(
        &mut self,
        list: impl Fn(&Shard) -> Vec<(Time, u32)>,
        work: impl Fn(Vec<Vec<u32>>) -> Work,
    ) {
        let mut live = Vec::new();
        for n in 0..SHARDS {
            let listed = list(&self.workers.shard(n)).into_iter();
            live.extend(listed.map(|(start, number)| (start, n as u32, number)));
        }
        live.sort_unstable();
        for some in live.chunks(AT_ONCE) {
            let mut numbers = vec![Vec::new(); SHARDS];
            some.iter().for_each(|(_, n, number)| numbers[*n as usize].push(*number));
            self.workers.begin(work(numbers));
            self.workers.finish();
            let mut found = Found::default();
            (0..SHARDS).for_each(|n| found.join(self.workers.shard(n).take()));
            found.flows.sort_by_key(|ended| (ended.start, ended.key));
            found.hosts.sort_by_key(|(start, host)| (*start, host.address));
            found.sort_windows();
            self.emit(found);
        }
    }
}

/// Puts a packet where its client's are.
fn assign(
    packet: &Packet<'_>,
    (roles, hasher): (&mut Roles, &DefaultHashBuilder),
    now: (Time, u32),
    chunk: &[u8],
    to: &mut Batch,
) {
    if !roles.counts(&packet.key, packet.side) {
        return;
    }
    let flags = flags(packet.key.protocol(), packet.below);
    let client = roles.client(&packet.key, packet.side, packet.at, flags);
    let key = packet.key.with_client(client);
    to.add(packet, (key, hasher.hash_one(key)), now, chunk);
}

/// The most that any part may take, so that all take no more than `most`; parts that
/// take less are left as they are.
fn level(mut sizes: Vec<usize>, most: usize) -> usize {
    if sizes.iter().sum::<usize>() <= most {
        return usize::MAX;
    }
    sizes.sort_unstable();
    let (mut left, mut level) = (most, 0);
    for (n, size) in sizes.iter().enumerate() {
        level = left / (sizes.len() - n);
        if *size > level {
            break;
        }
        left -= size;
    }
    level
}

#[cfg(test)]
#[path = "analyser_tests.rs"]
pub(crate) mod tests;
