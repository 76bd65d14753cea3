//! Test bench of queues: packets, a wire of constant rate, and a log.

use airpath_base::random::{Seed, Stream};
use airpath_base::{BitRate, Bytes, Duration, FlowId, NodeId, Time};
use airpath_wire::{Ecn, Endpoint, Protocol, Tuple};

use super::Queue;
use crate::testing::Bench;
use crate::{DropCause, Event, Leg, Packet, Probe};

pub(super) fn stream(name: &str) -> Stream {
    Seed(7).stream(name)
}

/// A packet of a flow, which its port identifies.
pub(super) fn packet(flow: u16, number: u64, size: u32, ecn: Ecn) -> Packet {
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    let tuple = Tuple { src: end(flow), dst: end(2), protocol: Protocol::UDP };
    let mut packet = Packet::new(FlowId(u32::from(flow)), Leg::Data, size, tuple, Time::ZERO);
    (packet.number, packet.ecn) = (number, ecn);
    packet
}

/// Reports of a queue.
#[derive(Default)]
pub(super) struct Log {
    pub drops: Vec<(Time, DropCause, u64)>,
    pub marks: Vec<(Time, Ecn, u64)>,
}

impl Probe for Log {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match event {
            Event::Dropped { packet, cause, .. } => self.drops.push((now, *cause, packet.number)),
            Event::Marked { packet, from } => self.marks.push((now, *from, packet.number)),
            _ => {}
        }
    }
}

/// A queue in front of a wire.
pub(super) struct Wire<Q> {
    pub queue: Q,
    pub log: Log,
    /// Packets that were sent, when their transmission began.
    pub sent: Vec<(Time, Packet)>,
    bench: Bench,
    rate: BitRate,
    free: Time,
}

impl<Q: Queue> Wire<Q> {
    pub fn new(queue: Q, rate: BitRate) -> Wire<Q> {
        let (log, bench) = (Log::default(), Bench::new());
        Wire { queue, log, sent: Vec::new(), bench, rate, free: Time::ZERO }
    }

    /// Sends what can begin before `now`.
    pub fn run(&mut self, now: Time) {
        while self.free < now && self.queue.packets() > 0 {
            let mut cx = self.bench.cx_watched(self.free, &mut self.log);
            let Some(packet) = self.queue.dequeue(self.free, &mut cx) else { break };
            let began = self.free;
            self.free = began + self.rate.time_for(Bytes(u64::from(packet.wire_size())));
            self.sent.push((began, packet));
        }
        if self.queue.packets() == 0 {
            self.free = self.free.max(now);
        }
    }

    /// Lets nothing begin before `until`.
    pub fn stall(&mut self, until: Time) {
        self.free = self.free.max(until);
    }

    pub fn arrive(&mut self, now: Time, packet: Packet) {
        self.run(now);
        self.queue.enqueue(now, packet, &mut self.bench.cx_watched(now, &mut self.log));
    }

    /// Packets of 1000 bytes at a constant rate from `from` until `to`.
    pub fn load(&mut self, from: Time, to: Time, load: BitRate, ecn: Ecn) {
        let gap = load.time_for(Bytes(1000));
        let count = to.since(from).as_nanos() / gap.as_nanos();
        for n in 0..count {
            self.arrive(from + gap * n, packet(1, n, 1000, ecn));
        }
        self.run(to);
    }

    /// Drops by the AQM and marks from `from` on, as shares of what left the queue or
    /// was dropped since.
    pub fn signals(&self, from: Time) -> (f64, f64) {
        let drops =
            self.log.drops.iter().filter(|(at, cause, _)| *at >= from && *cause == DropCause::Aqm);
        let marks = self.log.marks.iter().filter(|(at, ..)| *at >= from);
        let sent = self.sent.iter().filter(|(at, _)| *at >= from).count();
        let (drops, marks) = (drops.count(), marks.count());
        let all = (sent + drops) as f64;
        (drops as f64 / all, marks as f64 / all)
    }
}

pub(super) fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

pub(super) fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}
