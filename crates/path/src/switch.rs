//! The way to an endpoint: by both ends of the connection, else by its own address
//! and port, else by its address.

use core::hash::{BuildHasherDefault, Hasher};
use core::net::IpAddr;
use std::collections::HashMap;

use airpath_base::{Port, Time};
use airpath_net::{Cx, DropCause, Node, Packet};
use airpath_wire::{Endpoint, Tuple};

/// Up to so many routes are looked through one by one.
const FEW: usize = 4;

/// Hands each packet, from any port, to the port to which its destination leads, in
/// the same instant. Without a route packets are dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switch {
    /// Connections, if there are few.
    few: Vec<(Tuple, Port)>,
    /// Connections, if there are many: a look at one entry finds the port.
    many: HashMap<Tuple, Port, BuildHasherDefault<TupleHasher>>,
    /// Sorted by endpoint.
    endpoints: Vec<(Endpoint, Port)>,
    /// Sorted by address.
    addresses: Vec<(IpAddr, Port)>,
    otherwise: Option<Port>,
}

impl Switch {
    /// A switch that knows nobody.
    pub fn new() -> Switch {
        Switch::default()
    }

    /// Leads packets of exactly this tuple out of `port`; replaces an earlier route
    /// for the same.
    pub fn add_connection(&mut self, tuple: Tuple, port: Port) {
        if self.many.is_empty() {
            insert(&mut self.few, tuple, port);
            if self.few.len() <= FEW {
                return;
            }
        }
        self.many.extend(self.few.drain(..));
        self.many.insert(tuple, port);
    }

    /// Port of packets of exactly this tuple.
    fn connection(&self, tuple: &Tuple) -> Option<Port> {
        match self.many.is_empty() {
            true => lookup(&self.few, tuple),
            false => self.many.get(tuple).copied(),
        }
    }

    /// Leads packets to this address and port out of `port`; replaces an earlier
    /// route to the same.
    pub fn add_endpoint(&mut self, to: Endpoint, port: Port) {
        insert(&mut self.endpoints, to, port);
    }

    /// Leads packets to this address out of `port`, if no endpoint does.
    pub fn add_address(&mut self, to: IpAddr, port: Port) {
        insert(&mut self.addresses, to, port);
    }

    /// Leads all other packets out of `port`, instead of dropping them.
    pub fn set_otherwise(&mut self, port: Port) {
        self.otherwise = Some(port);
    }

    /// Port of packets to `to` if no connection is theirs.
    pub fn route(&self, to: Endpoint) -> Option<Port> {
        let by_endpoint = lookup(&self.endpoints, &to);
        by_endpoint.or_else(|| lookup(&self.addresses, &to.addr)).or(self.otherwise)
    }
}

fn insert<K: Ord>(routes: &mut Vec<(K, Port)>, to: K, port: Port) {
    match routes.binary_search_by(|(key, _)| key.cmp(&to)) {
        Ok(found) => routes[found].1 = port,
        Err(gap) => routes.insert(gap, (to, port)),
    }
}

fn lookup<K: Ord>(routes: &[(K, Port)], to: &K) -> Option<Port> {
    if routes.len() <= FEW {
        // To tell whether two are equal is cheaper than which comes first.
        return routes.iter().find(|(key, _)| key == to).map(|(_, port)| *port);
    }
    let found = routes.binary_search_by(|(key, _)| key.cmp(to)).ok()?;
    Some(routes[found].1)
}

/// Hashes tuples: what is mixed are addresses and ports, which nobody chooses against it.
#[derive(Clone, Copy, Debug, Default)]
struct TupleHasher(u64);

impl Hasher for TupleHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u64(&mut self, word: u64) {
        // 2^64 over the golden ratio spreads what differs in few bits.
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

impl Node for Switch {
    fn receive(&mut self, _now: Time, _port: Port, packet: Packet, cx: &mut Cx<'_>) {
        match self.connection(&packet.tuple).or_else(|| self.route(packet.tuple.dst)) {
            Some(port) => cx.send(port, packet),
            None => cx.drop(packet, DropCause::NoRoute),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::{World, end, to};

    #[test]
    fn the_endpoint_comes_before_the_address() {
        let mut switch = Switch::new();
        switch.add_address(end(1, 0).addr, Port(7));
        switch.add_endpoint(end(1, 80), Port(8));
        assert_eq!(switch.route(end(1, 80)), Some(Port(8)));
        assert_eq!(switch.route(end(1, 81)), Some(Port(7)));
        assert_eq!(switch.route(end(2, 80)), None);
        switch.set_otherwise(Port(9));
        assert_eq!(switch.route(end(2, 80)), Some(Port(9)));
    }

    #[test]
    fn packets_leave_at_once_or_are_dropped() {
        let mut switch = Switch::new();
        switch.add_endpoint(end(1, 80), Port(3));
        let mut world = World::new(switch);
        world.inject(Time::ZERO, Port(0), to(end(1, 80), 100));
        world.inject(Time::ZERO, Port(1), to(end(1, 81), 100));
        let out = world.run(Time::ZERO);
        assert_eq!(out.iter().map(|(_, port, _)| *port).collect::<Vec<_>>(), [Port(3)]);
        assert_eq!(world.log.drops, [(Time::ZERO, DropCause::NoRoute)]);
    }

    #[test]
    fn the_connection_comes_before_the_endpoint() {
        let mut switch = Switch::new();
        let connected = to(end(1, 80), 100);
        switch.add_endpoint(end(1, 80), Port(3));
        switch.add_connection(connected.tuple, Port(4));
        let mut other = to(end(1, 80), 100);
        other.tuple.src.port += 1;
        let mut world = World::new(switch);
        world.inject(Time::ZERO, Port(0), connected);
        world.inject(Time::ZERO, Port(0), other);
        let out = world.run(Time::ZERO);
        assert_eq!(out.iter().map(|(_, port, _)| *port).collect::<Vec<_>>(), [Port(4), Port(3)]);
    }

    #[test]
    fn many_connections_are_found_like_few() {
        let mut switch = Switch::new();
        let tuple = |n: u16| Tuple { src: end(2, n), ..to(end(1, 80), 100).tuple };
        for n in 0..20 {
            switch.add_connection(tuple(n), Port(n.into()));
            switch.add_connection(tuple(n / 2), Port(100 + u32::from(n / 2)));
            let found = (0..=n + 1).map(|n| switch.connection(&tuple(n)));
            let port = |of: u16| if of <= n / 2 { 100 + of } else { of };
            let expected = (0..=n).map(|of| Some(Port(port(of).into()))).chain([None]);
            assert!(found.eq(expected), "{n}");
        }
    }

    proptest! {
        #[test]
        fn finds_what_was_added_last(
            routes in prop::collection::vec((0u8..6, 0u16..6, 0u32..9), 0..30),
            wanted in (0u8..6, 0u16..6),
        ) {
            let mut switch = Switch::new();
            for &(host, port, out) in &routes {
                switch.add_endpoint(end(host, port), Port(out));
            }
            let last = routes.iter().rfind(|route| (route.0, route.1) == wanted);
            let expected = last.map(|route| Port(route.2));
            prop_assert_eq!(switch.route(end(wanted.0, wanted.1)), expected);
        }
    }
}
