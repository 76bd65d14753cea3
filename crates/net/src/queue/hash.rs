//! Hash of the flow of a packet, by the header fields that an element on the way sees.

use core::net::IpAddr;

use airpath_base::random::Keyed;
use airpath_wire::{Endpoint, Protocol};

use crate::{Packet, TunnelKind};

/// A hash of the visible 5-tuple, salted: that of the outermost tunnel if the packet
/// is in one, as its inside may be encrypted.
#[inline]
pub(super) fn flow_hash(packet: &Packet, salt: Keyed) -> u64 {
    match packet.outermost() {
        None => {
            let tuple = &packet.tuple;
            hash(salt, &tuple.src, &tuple.dst, u64::from(tuple.protocol.0))
        }
        Some(outer) => {
            let (src, dst) = &outer.ends;
            let protocol = match outer.kind {
                TunnelKind::Gtpu { .. } => u64::from(Protocol::UDP.0),
                // The security parameters index stands for the ports (RFC 4303, 2.1).
                TunnelKind::Esp { spi } => u64::from(Protocol::ESP.0) | u64::from(spi) << 8,
            };
            hash(salt, src, dst, protocol)
        }
    }
}

#[inline]
fn hash(salt: Keyed, src: &Endpoint, dst: &Endpoint, rest: u64) -> u64 {
    let ports = u64::from(src.port) << 48 | u64::from(dst.port) << 32;
    // A tunnel's index reaches beyond 32 bits: added, not or-ed, nothing is lost.
    salt.bits([address(src.addr), address(dst.addr), ports.wrapping_add(rest)])
}

#[inline]
fn address(address: IpAddr) -> u64 {
    match address {
        IpAddr::V4(address) => u64::from(address.to_bits()),
        IpAddr::V6(address) => {
            let bits = address.to_bits();
            (bits >> 64) as u64 ^ (bits as u64).rotate_left(17)
        }
    }
}
