//! Content of tunnels.

use airpath_wire::link::{Carried, LinkType, carried};
use airpath_wire::{IpRepr, ParseError};

use super::{Decoder, Packet, Within};
use crate::tunnels::{self, Header, Inside, Tunnel, Tunnels};
use crate::undecoded::Kind;
use crate::warnings::Warnings;

impl Decoder {
    /// Looks through all tunnels that are read.
    pub(crate) fn decapsulating() -> Decoder {
        Decoder { tunnels: Some(Tunnels::default()), ..Decoder::default() }
    }

    /// The tunnels of this number, the outermost first.
    pub(crate) fn tunnels(&self, number: u16) -> Vec<Tunnel> {
        self.tunnels.as_ref().map_or(Vec::new(), |tunnels| tunnels.named(number))
    }

    /// A frame with something else than IP behind MPLS labels.
    pub(super) fn mpls(
        &mut self,
        link: LinkType,
        bytes: &[u8],
        within: Within,
        warnings: &mut Warnings,
        found: &mut dyn FnMut(&Packet<'_>),
    ) {
        let header = self.tunnels.as_ref().and_then(|_| tunnels::pseudowire(link, bytes));
        if !header.is_some_and(|header| self.inner(&header, bytes, within, warnings, found)) {
            self.undecoded.add(Kind::Frame(Carried::Mpls));
        }
    }

    /// Hands on what a tunnel carries. False if it lies too deep.
    fn inner(
        &mut self,
        header: &Header,
        bytes: &[u8],
        within: Within,
        warnings: &mut Warnings,
        found: &mut dyn FnMut(&Packet<'_>),
    ) -> bool {
        let Header { tunnel, inside, len } = *header;
        let tunnels = self.tunnels.as_mut();
        let Some(tunnel) = tunnels.and_then(|tunnels| tunnels.number(within.tunnel, tunnel)) else {
            return false;
        };
        let room = within.room.saturating_sub(len as u32);
        let within = Within { room, tunnel, depth: within.depth + 1, ..within };
        let bytes = bytes.get(len..).unwrap_or_default();
        let link = match inside {
            Inside::Ethernet => LinkType::ETHERNET,
            Inside::Mpls => LinkType::MPLS,
            Inside::Ip => LinkType::RAW,
        };
        match carried(link, bytes) {
            Ok(Carried::Ip(start)) => {
                let room = room.saturating_sub(start as u32);
                let inner = bytes.get(start..).unwrap_or_default();
                let packet = self.ip(inner, Within { room, ..within }, warnings, found);
                packet.iter().for_each(found);
            }
            Ok(Carried::Mpls) => self.mpls(link, bytes, within, warnings, found),
            Ok(other) => self.undecoded.add(Kind::Frame(other)),
            Err(error) => self.unreadable(warnings, within.offset, "frame in a tunnel", error),
        }
        true
    }

    /// Looks through a tunnel, if the packet is of one that is read. False if it is not.
    pub(super) fn tunnel(
        &mut self,
        ip: &IpRepr,
        payload: &[u8],
        within: Within,
        warnings: &mut Warnings,
        found: &mut dyn FnMut(&Packet<'_>),
    ) -> bool {
        let header = self.tunnels.as_ref().and_then(|_| tunnels::read(ip, payload));
        let within = Within { room: ip.payload_len, ..within };
        match header {
            None => false,
            Some(Ok(header)) => self.inner(&header, payload, within, warnings, found),
            Some(Err(layer)) => {
                self.unreadable(warnings, within.offset, layer, ParseError::Truncated);
                true
            }
        }
    }
}
