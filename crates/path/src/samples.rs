//! Packets and small worlds for tests.

use airpath_base::random::{Seed, Stream};
use airpath_base::{FlowId, NodeId, Port, Time};
use airpath_net::{Class, DropCause, Engine, Event, Leg, Node, Packet, Probe};
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

/// What a node reported.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Causes of drops.
    pub drops: Vec<(Time, DropCause)>,
    /// Occupancy of queues: packets and bytes.
    pub queue: Vec<(u32, u64)>,
    /// Reports of suspicious ECN fields.
    pub suspicious: usize,
}

impl Probe for Log {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match event {
            Event::Dropped { cause, .. } => self.drops.push((now, *cause)),
            Event::Queue { packets, bytes } => self.queue.push((*packets, *bytes)),
            Event::SuspiciousEcn { .. } => self.suspicious += 1,
            _ => {}
        }
    }
}

/// A single node in an engine.
pub struct World {
    engine: Engine,
    node: NodeId,
    /// What it reported.
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

    /// When something happens next.
    pub fn next_wake(&self) -> Option<Time> {
        self.engine.next_wake()
    }

    fn check_books(&self) {
        for (_, name, ledger, held) in self.engine.books() {
            assert!(ledger.closes(held), "{name}: {ledger:?} {held:?}");
        }
    }
}
