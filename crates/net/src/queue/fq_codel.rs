//! FlowQueue-CoDel (RFC 8290): a CoDel for each flow, served by deficit round robin
//! with priority for flows that have just begun.
//!
//! A salted hash of the visible 5-tuple distinguishes flows; two flows in one bucket share it. Left
//! out: a limit of memory besides that of packets or bytes.

use std::collections::VecDeque;

use airpath_base::random::Keyed;
use airpath_base::{Bytes, Duration, Time};
use airpath_schema::{above, between, record};

use super::codel::Control;
use super::hash::flow_hash;
use super::{CodelConfig, Fifo, Limit, Queue, without};
use crate::{ChangeError, Cx, DropCause, Held, Packet, QueueChange};

/// Most packets dropped at once for lack of room (RFC 8290, 4.1).
const MOST_DROPPED: u32 = 64;

record! {
    /// A CoDel for each flow.
    #[derive(Copy)]
    pub struct FqCodelConfig: Default {
        /// CoDel's target. Default: 5 ms (RFC 8290, 5.2.2).
        target: Duration = Duration::from_millis(5) => above(Duration::ZERO);
        /// CoDel's interval. Default: 100 ms (RFC 8290, 5.2.1).
        interval: Duration = Duration::from_millis(100) => above(Duration::ZERO);
        /// Treatment of ECN-capable packets: true marks them, false drops them. Default: true (RFC
        /// 8290, 5.2.6).
        ecn: bool = true;
        /// Limit of all flows together, in packets or bytes. Default: 10240 packets (RFC 8290,
        /// 5.2.3).
        limit: Limit = Limit::packets(10_240);
        /// Bytes that a flow may send in a round. Default: 1514 B (RFC 8290, 5.2.4).
        quantum: Bytes = Bytes(1_514) => between(Bytes(1), Bytes(1_000_000));
        /// Number of queues among which flows are distributed. Default: 1024 (RFC 8290, 5.2.5).
        flows: u32 = 1_024 => between(1, 65_536);
    }
}

/// A queue under FQ-CoDel.
#[derive(Debug)]
pub struct FqCodel {
    codel: CodelConfig,
    limit: Limit,
    quantum: i64,
    salt: Keyed,
    flows: Vec<Flow>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    packets: u32,
    bytes: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum List {
    #[default]
    None,
    New,
    Old,
}

#[derive(Debug, Default)]
struct Flow {
    fifo: Fifo,
    control: Control,
    deficit: i64,
    list: List,
}

impl FqCodel {
    /// An empty queue; `salt` makes the hash of flows.
    pub fn new(config: FqCodelConfig, salt: Keyed) -> FqCodel {
        let FqCodelConfig { target, interval, ecn, limit, quantum, flows } = config;
        FqCodel {
            codel: CodelConfig { target, interval, ecn, limit },
            limit,
            quantum: i64::try_from(quantum.0.max(1)).unwrap_or(i64::MAX),
            salt,
            flows: (0..flows.max(1)).map(|_| Flow::default()).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            packets: 0,
            bytes: 0,
        }
    }

    fn is_over(&self) -> bool {
        self.limit.packets.is_some_and(|most| self.packets > most)
            || self.limit.bytes.is_some_and(|most| self.bytes > most)
    }

    /// Drops from the head of the flow with most bytes: half of them, but no more than 64 packets
    /// (RFC 8290, 4.1). The limit may demand more drops.
    fn make_room(&mut self, cx: &mut Cx<'_>) {
        let flows = self.flows.iter().enumerate();
        let Some((fattest, _)) = flows.max_by_key(|(n, flow)| (flow.fifo.bytes(), usize::MAX - n))
        else {
            return;
        };
        let half = self.flows[fattest].fifo.bytes() / 2;
        let mut dropped = 0;
        while dropped < MOST_DROPPED {
            let flow = &mut self.flows[fattest];
            if flow.fifo.bytes() <= half {
                break;
            }
            let Some(oldest) = flow.fifo.pop() else { break };
            self.packets -= 1;
            self.bytes -= u64::from(oldest.size);
            cx.drop(oldest.packet, DropCause::QueueFull);
            dropped += 1;
        }
        self.flows[fattest].control.overflowed(dropped);
    }

    /// The flow whose turn it is, and its list.
    fn head(&self) -> Option<(u32, List)> {
        let new = self.new.front().map(|flow| (*flow, List::New));
        new.or_else(|| self.old.front().map(|flow| (*flow, List::Old)))
    }

    fn take_off(&mut self, list: List) {
        match list {
            List::New => self.new.pop_front(),
            List::Old => self.old.pop_front(),
            List::None => None,
        };
    }

    fn make_old(&mut self, flow: u32, from: List) {
        self.take_off(from);
        self.flows[flow as usize].list = List::Old;
        self.old.push_back(flow);
    }
}

impl Queue for FqCodel {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        // Multiply-shift: the high bits of the hash choose the bucket.
        let hash = u128::from(flow_hash(&packet, self.salt));
        let number = ((hash * self.flows.len() as u128) >> 64) as u32;
        self.packets += 1;
        self.bytes += u64::from(packet.wire_size());
        let flow = &mut self.flows[number as usize];
        flow.fifo.push(now, packet);
        if flow.list == List::None {
            (flow.list, flow.deficit) = (List::New, self.quantum);
            self.new.push_back(number);
        }
        while self.is_over() {
            self.make_room(cx);
        }
    }

    fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet> {
        // RFC 8290, 4.2.
        loop {
            let (number, list) = self.head()?;
            let flow = &mut self.flows[number as usize];
            if flow.deficit <= 0 {
                flow.deficit += self.quantum;
                self.make_old(number, list);
                continue;
            }
            let (packets, bytes) = (flow.fifo.packets(), flow.fifo.bytes());
            let taken = flow.control.take(now, &self.codel, &mut flow.fifo, cx);
            self.packets -= packets - flow.fifo.packets();
            self.bytes -= bytes - flow.fifo.bytes();
            if let Some(packet) = taken {
                flow.deficit -= i64::from(packet.wire_size());
                return Some(packet);
            }
            match list {
                // A flow must pass the old ones before it counts as new again.
                List::New if !self.old.is_empty() => self.make_old(number, list),
                _ => {
                    flow.list = List::None;
                    self.take_off(list);
                }
            }
        }
    }

    fn packets(&self) -> u32 {
        self.packets
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn held(&self) -> Held {
        let mut held = Held::default();
        for flow in self.flows.iter().map(|flow| flow.fifo.held()) {
            held.packets += flow.packets;
            held.bytes += flow.bytes;
        }
        held
    }

    fn oldest(&self) -> Option<Time> {
        let listed = self.new.iter().chain(&self.old);
        listed.filter_map(|flow| self.flows[*flow as usize].fifo.oldest()).min()
    }

    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        for flow in self.new.iter().chain(&self.old) {
            let fifo = &mut self.flows[*flow as usize].fifo;
            let (packets, bytes) = (fifo.packets(), fifo.bytes());
            fifo.discard(now, limit, cx);
            self.packets -= packets - fifo.packets();
            self.bytes -= bytes - fifo.bytes();
        }
    }

    fn drop_where(&mut self, _now: Time, which: super::Which<'_>, cx: &mut Cx<'_>) {
        for flow in self.new.iter().chain(&self.old) {
            let fifo = &mut self.flows[*flow as usize].fifo;
            let (packets, bytes) = (fifo.packets(), fifo.bytes());
            fifo.drop_where(which, cx);
            self.packets -= packets - fifo.packets();
            self.bytes -= bytes - fifo.bytes();
        }
    }

    fn for_each_waiting(&mut self, visit: &mut dyn FnMut(&mut Packet)) {
        for flow in self.new.iter().chain(&self.old) {
            self.flows[*flow as usize].fifo.for_each(visit);
        }
    }

    fn change(&mut self, _now: Time, change: QueueChange) -> Result<(), ChangeError> {
        match change {
            QueueChange::Target(target) => self.codel.target = target,
            _ => return Err(without(change)),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "fq_codel_tests.rs"]
mod tests;
