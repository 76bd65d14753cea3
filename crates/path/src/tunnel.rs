//! Tunnel ends: the ECN field over a tunnel, and IPsec on the backhaul.

use airpath_base::{Duration, Port, Time};
use airpath_net::{Cx, DropCause, Held, Node, Outer, Packet, Stage, TunnelKind, decapsulate};
use airpath_wire::tunnel::{self, EcnMode};
use airpath_wire::{Endpoint, EspTransform, IPV4_HEADER, IPV6_HEADER};

use crate::delay::DelayLine;

/// Bytes that a tunnel adds to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overhead {
    /// An equal number of bytes for each packet, all headers and trailers together.
    Fixed(u32),
    /// The outer IP header and what this ESP transform adds, with its padding.
    Esp(EspTransform),
}

/// Configuration of a tunnel end.
#[derive(Clone, Copy, Debug)]
pub struct TunnelConfig {
    /// Kind and identifier of what this end sends.
    pub kind: TunnelKind,
    /// This end's outer address.
    pub local: Endpoint,
    /// The other end's.
    pub remote: Endpoint,
    /// Outer DSCP; `None` copies the inner one (RFC 2983, 3).
    pub dscp: Option<u8>,
    /// Rule that fills the outer ECN field.
    pub ecn: EcnMode,
    /// Bytes that the tunnel adds.
    pub overhead: Overhead,
    /// Time that each packet takes in this end.
    pub processing: Duration,
}

/// One end of a tunnel, for both directions: what enters at
/// [`CLEAR`](TunnelEnd::CLEAR) leaves encapsulated at [`TUNNEL`](TunnelEnd::TUNNEL),
/// and the other way round.
///
/// A packet that is in two tunnels already, and one from the tunnel without a
/// header of this kind, are dropped as unexpected.
#[derive(Debug)]
pub struct TunnelEnd {
    config: TunnelConfig,
    line: DelayLine,
}

impl Overhead {
    /// IPsec ESP in tunnel mode with AES-GCM (RFC 4303, RFC 4106).
    pub const AES_GCM: Overhead = Overhead::Esp(EspTransform::AES_GCM);

    /// Bytes added to a packet of `size` bytes on the wire, by a tunnel whose outer
    /// addresses are like `outer`.
    pub fn bytes(self, size: u32, outer: Endpoint) -> u32 {
        match self {
            Overhead::Fixed(bytes) => bytes,
            Overhead::Esp(transform) => {
                let ip = if outer.addr.is_ipv4() { IPV4_HEADER } else { IPV6_HEADER };
                ip + transform.overhead(size)
            }
        }
    }
}

impl TunnelConfig {
    /// IPsec with AES-GCM between these addresses, in normal mode, in no time.
    pub fn ipsec(spi: u32, local: Endpoint, remote: Endpoint) -> TunnelConfig {
        TunnelConfig {
            kind: TunnelKind::Esp { spi },
            local,
            remote,
            dscp: None,
            ecn: EcnMode::Normal,
            overhead: Overhead::AES_GCM,
            processing: Duration::ZERO,
        }
    }
}

impl TunnelEnd {
    /// Port of packets without this tunnel.
    pub const CLEAR: Port = Port(0);
    /// Port of packets within the tunnel.
    pub const TUNNEL: Port = Port(1);

    /// A tunnel end.
    pub fn new(config: TunnelConfig) -> TunnelEnd {
        TunnelEnd { config, line: DelayLine::new(config.processing, Stage::Processing) }
    }

    fn outer_of(&self, packet: &Packet) -> Outer {
        let TunnelConfig { kind, local, remote, dscp, ecn, overhead, .. } = self.config;
        Outer {
            kind,
            ends: (local, remote),
            dscp: dscp.unwrap_or(packet.visible_dscp()),
            ecn: tunnel::encapsulate(packet.visible_ecn(), ecn),
            overhead: overhead.bytes(packet.wire_size(), local),
        }
    }

    fn is_own_kind(&self, outer: Outer) -> bool {
        matches!(
            (self.config.kind, outer.kind),
            (TunnelKind::Gtpu { .. }, TunnelKind::Gtpu { .. })
                | (TunnelKind::Esp { .. }, TunnelKind::Esp { .. })
        )
    }
}

impl Node for TunnelEnd {
    fn receive(&mut self, now: Time, port: Port, mut packet: Packet, cx: &mut Cx<'_>) {
        if port == TunnelEnd::CLEAR {
            match packet.push_outer(self.outer_of(&packet)) {
                Ok(()) => self.line.send(now, TunnelEnd::TUNNEL, packet, cx),
                Err(_) => cx.drop(packet, DropCause::Unexpected),
            }
        } else if packet.outermost().is_some_and(|outer| self.is_own_kind(outer)) {
            if let Some((packet, _)) = decapsulate(packet, cx) {
                self.line.send(now, TunnelEnd::CLEAR, packet, cx);
            }
        } else {
            cx.drop(packet, DropCause::Unexpected);
        }
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.line.wake(now, cx);
    }

    fn next_wake(&self) -> Option<Time> {
        self.line.next_wake()
    }

    fn held(&self) -> Held {
        self.line.held()
    }
}

#[cfg(test)]
#[path = "tunnel_tests.rs"]
mod tests;
