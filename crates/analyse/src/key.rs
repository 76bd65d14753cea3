//! Key of a flow: two ends in a fixed order, and the protocol.

use core::net::{IpAddr, Ipv6Addr};

use airpath_wire::{Endpoint, Protocol, Tuple};

/// An IPv4 address as IPv6 begins so (RFC 4291, 2.5.5.2); the low half of it.
const MAPPED: u64 = 0xffff_0000_0000;

/// Both directions of a flow have the same key. Who is the client is part of it: a
/// connection that the other end begins is another flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    /// Addresses as IPv6, IPv4-mapped if need be; the lesser end first.
    addrs: [[u64; 2]; 2],
    ports: [u16; 2],
    protocol: u8,
    /// Index of the client's end, 0 or 1.
    client: u8,
    /// Number of the tunnel around it; zero is none.
    tunnel: u16,
}

impl Key {
    /// The key, and which of its ends sent the packet.
    #[inline]
    pub(crate) fn new(tuple: &Tuple) -> (Key, usize) {
        let (src, dst) = (bits(tuple.src.addr), bits(tuple.dst.addr));
        let (from, to) = (tuple.src.port, tuple.dst.port);
        let (protocol, client, tunnel) = (tuple.protocol.0, 0, 0);
        match (wide(src), from) <= (wide(dst), to) {
            true => (Key { addrs: [src, dst], ports: [from, to], protocol, client, tunnel }, 0),
            false => (Key { addrs: [dst, src], ports: [to, from], protocol, client, tunnel }, 1),
        }
    }

    /// The key of a TCP packet between these IPv4 addresses and ports, the sender's first, and
    /// which of its ends sent it.
    #[inline]
    pub(crate) fn v4([src, dst]: [u32; 2], [from, to]: [u16; 2]) -> (Key, usize) {
        let end = |addr: u32, port: u16| u64::from(addr) << 16 | u64::from(port);
        let (src, dst) = (end(src, from), end(dst, to));
        let (low, high) = (src.min(dst), src.max(dst));
        let addrs = [[0, MAPPED | low >> 16], [0, MAPPED | high >> 16]];
        let ports = [low as u16, high as u16];
        (
            Key { addrs, ports, protocol: Protocol::TCP.0, client: 0, tunnel: 0 },
            usize::from(src > dst),
        )
    }

    /// Key of this flow with this end as the client.
    pub(crate) fn with_client(self, side: usize) -> Key {
        Key { client: side as u8, ..self }
    }

    /// Key of this flow in a tunnel.
    pub(crate) fn in_tunnel(self, tunnel: u16) -> Key {
        Key { tunnel, ..self }
    }

    /// Number of the tunnel around it; zero is none.
    pub(crate) fn tunnel(&self) -> u16 {
        self.tunnel
    }

    /// Both ends, the protocol and the tunnel, in numbers.
    pub(crate) fn words(&self) -> [u64; 5] {
        let [[a, b], [c, d]] = self.addrs;
        let [low, high] = self.ports.map(u64::from);
        let tunnel = u64::from(self.tunnel) << 48;
        [a, b, c, d, tunnel | low << 32 | high << 16 | u64::from(self.protocol)]
    }

    /// Index of the client's end.
    #[inline]
    pub(crate) fn client(&self) -> usize {
        usize::from(self.client)
    }

    /// The client's address, as IPv6.
    #[inline]
    pub(crate) fn host(&self) -> [u64; 2] {
        // Chosen, not indexed, so that the key need not lie in memory.
        let [[a, b], [c, d]] = self.addrs;
        if self.client == 0 { [a, b] } else { [c, d] }
    }

    /// The server.
    pub(crate) fn server(&self) -> Endpoint {
        self.end(1 - self.client())
    }

    /// One of the ends, 0 or 1.
    pub(crate) fn end(&self, side: usize) -> Endpoint {
        Endpoint::new(address(self.addrs[side]), self.ports[side])
    }

    /// Transport protocol.
    pub(crate) fn protocol(&self) -> Protocol {
        Protocol(self.protocol)
    }

    /// Port of an end.
    pub(crate) fn port(&self, side: usize) -> u16 {
        self.ports[side]
    }
}

/// The address that has these bits as IPv6.
pub(crate) fn address(bits: [u64; 2]) -> IpAddr {
    let addr = Ipv6Addr::from(wide(bits));
    addr.to_ipv4_mapped().map_or(IpAddr::V6(addr), IpAddr::V4)
}

/// In one word, in the same order.
#[inline]
fn wide([high, low]: [u64; 2]) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

#[inline]
fn bits(addr: IpAddr) -> [u64; 2] {
    match addr {
        IpAddr::V4(addr) => [0, MAPPED | u64::from(u32::from(addr))],
        IpAddr::V6(addr) => {
            let bits = u128::from(addr);
            [(bits >> 64) as u64, bits as u64]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_have_one_key_and_tell_the_sender() {
        let tuple = Tuple {
            src: Endpoint::new([10, 0, 0, 2], 80),
            dst: Endpoint::new([10, 0, 0, 1], 4000),
            protocol: Protocol::TCP,
        };
        let ((key, sender), (back, other)) = (Key::new(&tuple), Key::new(&tuple.reversed()));
        assert_eq!((key, sender, other), (back, 1, 0));
        assert_eq!((key.end(1), key.end(0)), (tuple.src, tuple.dst));
        assert_eq!(Key::v4([0x0a00_0002, 0x0a00_0001], [80, 4000]), (key, 1));
        assert_eq!(Key::v4([0x0a00_0001, 0x0a00_0002], [4000, 80]), (key, 0));
    }

    #[test]
    fn ends_with_the_same_address_differ_by_port() {
        let end = |port| Endpoint::new(Ipv6Addr::LOCALHOST, port);
        let tuple = Tuple { src: end(2), dst: end(1), protocol: Protocol::UDP };
        assert_eq!(Key::new(&tuple).1, 1);
        assert_eq!(Key::new(&tuple).0.end(1), end(2));
    }
}
