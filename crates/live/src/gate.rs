//! The world between real hosts: packets come in as bytes and go out as bytes.
//!
//! Nothing here looks at a clock or does I/O: whoever drives it says what time it is.

use core::net::IpAddr;
use std::sync::Arc;

use airpath_base::{FlowId, NodeId, Port, Time};
use airpath_net::{Arrival, Leg, Packet, Payload};
use airpath_scenario::world::Host;
use airpath_sim::{Course, RunFailure};
use airpath_wire::{Endpoint, IpRepr, Tuple, set_ecn};

/// A run, and the real hosts at its doors.
pub struct Gate {
    course: Course,
    hosts: Vec<Host>,
    /// Index of the host with an address, by address.
    addresses: Vec<(IpAddr, usize)>,
    /// Index of the host behind a door, by door.
    doors: Vec<((NodeId, Port), usize)>,
    /// Flows of the scenario that hosts carry, by their tuples each way.
    known: Vec<(Tuple, (FlowId, Leg))>,
    /// Packets so far that a host sent, by host.
    sent: Vec<u64>,
    strangers: Strangers,
    left: Vec<Arrival>,
}

/// Packets of hosts for which the world has no destination; they are left out and counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strangers {
    /// Neither IPv4 nor IPv6, or damaged.
    pub not_ip: u64,
    /// To groups (multicast, broadcast): a bearer of unicast carries none.
    pub to_groups: u64,
    /// From the server to an address that no UE has.
    pub to_nobody: u64,
}

impl Strangers {
    /// All of them.
    pub fn total(self) -> u64 {
        self.not_ip + self.to_groups + self.to_nobody
    }
}

impl Gate {
    /// The gate of a run at its beginning.
    pub fn new(course: Course) -> Gate {
        let hosts = course.world().hosts.clone();
        let numbered = || hosts.iter().enumerate();
        let addresses = numbered().flat_map(|(n, host)| host.addresses().map(|a| (a, n)));
        let mut addresses: Vec<(IpAddr, usize)> = addresses.collect();
        addresses.sort_unstable();
        let mut doors: Vec<_> = numbered().map(|(n, host)| (host.leave, n)).collect();
        doors.sort_unstable();
        let (known, sent) = (known(&course, &addresses), vec![0; hosts.len()]);
        let (strangers, left) = (Strangers::default(), Vec::new());
        Gate { course, hosts, addresses, doors, known, sent, strangers, left }
    }

    /// The real hosts, the server first.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The run.
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// The run, to change it.
    pub fn course_mut(&mut self) -> &mut Course {
        &mut self.course
    }

    /// The present of the world.
    pub fn now(&self) -> Time {
        self.course.world().engine.now()
    }

    /// Time of the world's next event, if there is one.
    pub fn next_wake(&self) -> Option<Time> {
        let wake = self.course.world().engine.next_wake();
        [wake, self.course.next_change()].into_iter().flatten().min()
    }

    /// Packets left out so far.
    pub fn strangers(&self) -> Strangers {
        self.strangers
    }

    /// Lets the world go on to `now` with `most` wake-ups at most; tells whether it came so far.
    ///
    /// # Errors
    ///
    /// If a model makes a mistake.
    pub fn go_on(&mut self, now: Time, most: u32) -> Result<bool, RunFailure> {
        self.course.run_some(now, most, None)
    }

    /// A host sends an IP packet, header included, at `at` (no earlier than the world's present).
    ///
    /// # Errors
    ///
    /// If a model makes a mistake. What is no packet for this world is counted, not an error.
    pub fn bring(&mut self, at: Time, host: usize, bytes: &[u8]) -> Result<(), RunFailure> {
        let Some(packet) = self.packet(at, host, bytes) else { return Ok(()) };
        self.sent[host] += 1;
        self.course.inject(at, self.hosts[host].enter, packet, None)
    }

    /// Hands out packets that have left the world since the last call. `out` gets the host, the
    /// time of leaving, and the bytes with the present ECN field, written to `bytes`.
    pub fn take(&mut self, bytes: &mut Vec<u8>, mut out: impl FnMut(usize, Time, &[u8])) {
        self.left.extend(self.course.engine().drain());
        for arrival in self.left.drain(..) {
            let door = (arrival.node, arrival.port);
            let Ok(found) = self.doors.binary_search_by_key(&door, |(door, _)| *door) else {
                continue;
            };
            if let Payload::Bytes(content) = &arrival.packet.payload {
                bytes.clear();
                bytes.extend_from_slice(content);
                set_ecn(bytes, arrival.packet.ecn);
                out(self.doors[found].1, arrival.at, bytes);
            }
        }
    }

    /// The run, at its end.
    pub fn into_course(mut self) -> Course {
        self.course.engine().drain().for_each(drop);
        self.course
    }

    fn packet(&mut self, at: Time, host: usize, bytes: &[u8]) -> Option<Packet> {
        let Ok((ip, _)) = IpRepr::parse(bytes) else {
            self.strangers.not_ip += 1;
            return None;
        };
        let to = ip.tuple.dst.addr;
        if is_group(to) {
            self.strangers.to_groups += 1;
            return None;
        }
        let Some((flow, leg)) = self.flow(host, &ip.tuple) else {
            self.strangers.to_nobody += 1;
            return None;
        };
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let mut packet = Packet::new(flow, leg, size, ip.tuple, at);
        (packet.dscp, packet.ecn) = (ip.dscp, ip.ecn);
        packet.number = self.sent[host];
        packet.payload = Payload::Bytes(Arc::from(bytes));
        Some(packet)
    }

    /// Flow for which a packet is counted: its own, or else the way up from a UE, the way down to
    /// one.
    fn flow(&self, host: usize, tuple: &Tuple) -> Option<(FlowId, Leg)> {
        if let Ok(found) = self.known.binary_search_by_key(tuple, |(tuple, _)| *tuple) {
            return Some(self.known[found].1);
        }
        if let Some([_, up]) = self.hosts[host].flows {
            return Some((up, Leg::Data));
        }
        let to = tuple.dst.addr;
        let found = self.addresses.binary_search_by_key(&to, |(address, _)| *address).ok()?;
        self.hosts[self.addresses[found].1].flows.map(|[down, _]| (down, Leg::Data))
    }
}

/// The tuples of flows between hosts, each way.
fn known(course: &Course, hosts: &[(IpAddr, usize)]) -> Vec<(Tuple, (FlowId, Leg))> {
    let is_host = |end: Endpoint| hosts.binary_search_by_key(&end.addr, |(a, _)| *a).is_ok();
    let mut known = Vec::new();
    for (flow, n) in course.world().facts.flows.iter().zip(0..) {
        if let Some(tuple) = flow.tuple.filter(|t| is_host(t.src) && is_host(t.dst)) {
            known.push((tuple, (FlowId(n), Leg::Data)));
            known.push((tuple.reversed(), (FlowId(n), Leg::Feedback)));
        }
    }
    known.sort_unstable_by_key(|(tuple, _)| *tuple);
    known
}

/// True if packets to it are for several hosts.
fn is_group(to: IpAddr) -> bool {
    match to {
        IpAddr::V4(to) => to.is_multicast() || to.is_broadcast(),
        IpAddr::V6(to) => to.is_multicast(),
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
