//! Packets and small worlds for tests.

use std::collections::BTreeMap;

use airpath_base::random::{Seed, Stream};
use airpath_base::{Duration, FlowId, NodeId, Port, Time};
use airpath_net::{
    Change, ChangeFailed, Class, DropCause, Engine, Event, Leg, Node, Packet, Probe, QueueEvent,
    Stage,
};
use airpath_wire::{Endpoint, Protocol, Tuple};

/// An address of a host on the Internet or of a UE.
pub fn end(host: u8, port: u16) -> Endpoint {
    Endpoint::new([10, 0, 0, host], port)
}

/// A UDP packet of `size` bytes from host 1 to host 2, born at `at`.
pub fn packet(size: u32, at: Time) -> Packet {
    let tuple = Tuple { src: end(1, 80), dst: end(2, 4000), protocol: Protocol::UDP };
    Packet::new(FlowId(0), Leg::Data, size, tuple, at)
}

/// A packet that goes to `dst`.
pub fn to(dst: Endpoint, size: u32) -> Packet {
    let mut packet = packet(size, Time::ZERO);
    packet.tuple.dst = dst;
    packet
}

/// A stream of draws.
pub fn draws(name: &str) -> Stream {
    Seed(1).stream(name)
}

/// Reports of a node.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Causes of drops.
    pub drops: Vec<(Time, DropCause)>,
    /// Occupancy of the queue from when on, as it follows from what was reported:
    /// packets and bytes.
    queue: BTreeMap<Time, (u32, u64)>,
    /// True if departures were reported on arrival.
    is_certain: bool,
    /// Waits of what has left the queue or is certain to, in order.
    pub waits: Vec<Duration>,
    /// Reports of suspicious ECN fields.
    pub suspicious: usize,
    /// Times that it set congestion experienced.
    pub marks: usize,
    /// Bytes on the wire of what was dropped, since when it had been there, and when it
    /// left the queue.
    pub lost: Vec<(u32, Time, Time)>,
}

impl Probe for Log {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match event {
            Event::Dropped { packet, cause, .. } => {
                let age = now.saturating_since(packet.born());
                assert_eq!(packet.stages.total(), age, "{cause:?}: {:?}", packet.stages);
                self.drops.push((now, *cause));
                let left = packet.born() + packet.stages.spent(Stage::WiredQueue);
                self.lost.push((packet.wire_size(), packet.born(), left));
            }
            Event::Queue(event) => self.queue_event(now, *event),
            Event::Marked { .. } => self.marks += 1,
            Event::SuspiciousEcn { .. } => self.suspicious += 1,
            _ => {}
        }
    }
}

impl Log {
    fn queue_event(&mut self, now: Time, event: QueueEvent) {
        match event {
            QueueEvent::Occupancy { packets, bytes } => {
                if std::mem::take(&mut self.is_certain) {
                    // The last so many will leave at other times.
                    self.queue.retain(|at, _| *at <= now);
                    self.waits.truncate(self.waits.len() - packets as usize);
                }
                self.queue.insert(now, (packets, bytes));
            }
            QueueEvent::Left { waited } => self.waits.push(waited),
            QueueEvent::Scheduled { bytes, leaves } => {
                self.is_certain = true;
                self.waits.push(leaves.since(now));
                let (at, after) = (self.occupancy(now), self.occupancy(leaves));
                self.queue.insert(now, at);
                self.queue.insert(leaves, after);
                for (_, (packets, all)) in self.queue.range_mut(now..leaves) {
                    (*packets, *all) = (*packets + 1, *all + u64::from(bytes));
                }
            }
        }
    }

    /// Waiting packets and bytes from `at` on.
    pub fn occupancy(&self, at: Time) -> (u32, u64) {
        self.queue.range(..=at).next_back().map_or((0, 0), |(_, occupancy)| *occupancy)
    }

    /// Changes of the occupancy, with their times.
    pub fn changes(&self) -> Vec<(Time, (u32, u64))> {
        let mut before = (0, 0);
        let changed = |(_, now): &(Time, (u32, u64))| std::mem::replace(&mut before, *now) != *now;
        self.queue.iter().map(|(at, now)| (*at, *now)).filter(changed).collect()
    }

    /// Byte-nanoseconds in the queue until `end`.
    pub fn byte_nanos(&self, end: Time) -> u128 {
        let ends = self.queue.keys().skip(1).copied().chain([end]);
        let spans = self.queue.iter().zip(ends).map(|((from, (_, bytes)), to)| {
            let to = to.min(end);
            u128::from(to.saturating_since(*from).as_nanos()) * u128::from(*bytes)
        });
        spans.sum()
    }
}

/// A single node in an engine.
pub struct World {
    engine: Engine,
    node: NodeId,
    /// Reports of the node.
    pub log: Log,
}

impl World {
    /// A world of this node only; what it sends leaves the world.
    pub fn new(node: impl Node + 'static) -> World {
        let mut engine = Engine::new();
        let node = engine.add("node", Class::Packets, Box::new(node));
        World { engine, node, log: Log::default() }
    }

    /// Brings a packet in.
    pub fn inject(&mut self, at: Time, port: Port, packet: Packet) {
        let to = (self.node, port);
        self.engine.inject(at, to, packet, Some(&mut self.log)).expect("a run without error");
        self.check_books();
    }

    /// Alters something about the node.
    pub fn change(&mut self, at: Time, change: &Change) -> Result<(), ChangeFailed> {
        let done = self.engine.change(at, self.node, change, Some(&mut self.log));
        self.check_books();
        done
    }

    /// Runs up to and at `end`, and gives what left the world: when, where, what.
    pub fn run(&mut self, end: Time) -> Vec<(Time, Port, Packet)> {
        self.engine.run_until(end, Some(&mut self.log)).expect("a run without error");
        self.check_books();
        self.engine.drain().map(|out| (out.at, out.port, out.packet)).collect()
    }

    /// Packets in the node.
    pub fn held(&self) -> u64 {
        self.engine.books().map(|(.., held)| held.packets).sum()
    }

    /// Time of the next event.
    pub fn next_wake(&self) -> Option<Time> {
        self.engine.next_wake()
    }

    fn check_books(&self) {
        for (_, name, ledger, held) in self.engine.books() {
            assert!(ledger.closes(held), "{name}: {ledger:?} {held:?}");
        }
    }
}
