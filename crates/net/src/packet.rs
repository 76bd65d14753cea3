//! The packet: what a network element may see, and a payload that only
//! endpoints open.

use core::ops::{Deref, DerefMut};
use std::sync::Arc;

use airpath_base::{FlowId, Time};
use airpath_wire::{CongestionInformation, Ecn, Endpoint, RtcpRepr, RtpRepr, Tuple};

use crate::{PduSet, Stage, Stages, TcpHeader};

/// A packet on its way; 8 bytes to move.
#[derive(Debug)]
pub struct Packet(Box<PacketFields>);

/// Fields of a packet.
#[derive(Clone, Debug)]
pub struct PacketFields {
    /// Unique within a run, in order of origin; given by [`Cx::originate`](crate::Cx::originate).
    pub id: u64,
    /// The flow that it is counted for. For measuring only: no element may
    /// decide by it.
    pub flow: FlowId,
    /// Leg of the flow: data, or feedback to them. For measuring only.
    pub leg: Leg,
    /// Number of the packet within its leg of the flow, as the sender counts.
    pub number: u64,
    /// Bytes of the IP packet, header included, without tunnels.
    pub size: u32,
    /// Addresses, ports and protocol of the IP packet.
    pub tuple: Tuple,
    /// Differentiated services code point (6 bits).
    pub dscp: u8,
    /// ECN field.
    pub ecn: Ecn,
    /// Stages in which the packet spent its time since the application made it.
    pub stages: Stages,
    /// Begin of the packet's wait in its present queue; set by elements whose queue hands out
    /// packets alone.
    pub queued: Time,
    /// Payload of the packet.
    pub payload: Payload,
    /// PDU set that the packet is of (TS 23.501, 5.37.5), if its sender tells the network. The packet's `number` gives its
    /// position within the set.
    pub set: Option<Arc<PduSet>>,
    /// Time at the gateway's side of the Internet; [`Time::MAX`] if the packet has not been there.
    at_gateway: Time,
    tunnel: Option<Arc<Tunnel>>,
    /// DSCP and ECN field of the outermost header.
    outer: (u8, Ecn),
}

/// Direction of a packet with respect to its flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leg {
    /// From the sender of the flow's data to its receiver.
    #[default]
    Data,
    /// Acknowledgements and reports.
    Feedback,
}

/// Payload that only endpoints open.
#[derive(Clone, Debug, Default)]
pub enum Payload {
    /// Nothing but length.
    #[default]
    None,
    /// A TCP segment.
    Tcp(TcpHeader),
    /// An RTP packet over UDP.
    Rtp(RtpRepr),
    /// An RTCP feedback packet over UDP.
    Rtcp(Box<RtcpRepr>),
    /// A real IP packet, header included.
    Bytes(Arc<[u8]>),
}

/// The header that a tunnel put around a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outer {
    /// Kind of tunnel.
    pub kind: TunnelKind,
    /// Outer source and destination.
    pub ends: (Endpoint, Endpoint),
    /// Outer DSCP.
    pub dscp: u8,
    /// Outer ECN field.
    pub ecn: Ecn,
    /// Bytes that the tunnel adds, all its headers and trailers together.
    pub overhead: u32,
}

/// Fields that the headers of a tunnel share: one for all packets of a tunnel, if its end keeps it.
#[derive(Debug)]
pub struct Tunnel {
    kind: TunnelKind,
    ends: (Endpoint, Endpoint),
    overhead: u32,
    /// The header inside that of this tunnel.
    within: Option<Outer>,
}

/// A kind of tunnel and what tells one of its kind from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunnelKind {
    /// GTP-U (TS 29.281) with its tunnel endpoint identifier.
    Gtpu {
        /// TEID.
        teid: u32,
        /// QoS flow identifier, 0 to 63, if the header has it and the information on the packet's PDU set
        /// (TS 38.415, 5.5.2.1 and 6.5.2.1).
        qfi: Option<u8>,
        /// Congestion of the QoS flow that the base station reports with an uplink packet.
        congestion: Option<CongestionInformation>,
    },
    /// IPsec ESP in tunnel mode (RFC 4303) with its security parameters index.
    Esp {
        /// SPI.
        spi: u32,
    },
}

/// Reason for which a packet could not be encapsulated once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encapsulation;

impl Packet {
    /// A packet of `size` bytes at the IP layer that its application makes now.
    #[inline]
    pub fn new(flow: FlowId, leg: Leg, size: u32, tuple: Tuple, born: Time) -> Packet {
        Packet(Box::new(PacketFields {
            id: 0,
            flow,
            leg,
            number: 0,
            size,
            tuple,
            dscp: 0,
            ecn: Ecn::NotEct,
            stages: Stages::starting(born),
            queued: born,
            payload: Payload::None,
            set: None,
            at_gateway: Time::MAX,
            tunnel: None,
            outer: (0, Ecn::NotEct),
        }))
    }

    /// Time at which the application made the packet.
    #[inline]
    pub fn born(&self) -> Time {
        self.stages.start()
    }

    /// Time at the gateway's side of the Internet (SGi, N6); `None` if the packet has not been
    /// there. For measuring only.
    #[inline]
    pub fn at_gateway(&self) -> Option<Time> {
        Some(self.at_gateway).filter(|at| *at != Time::MAX)
    }

    /// Notes the time at the gateway's side of the Internet.
    #[inline]
    pub fn pass_gateway(&mut self, at: Time) {
        self.at_gateway = at;
    }

    /// A copy of the packet for a second path (PDCP duplication, TS 38.323, 5.11), with its number and its times. The node
    /// that makes the copy lets only one of both out, and counts them as one packet.
    pub fn duplicate(&self) -> Packet {
        self.snapshot()
    }

    /// A snapshot of the packet, for a report that comes later.
    pub(crate) fn snapshot(&self) -> Packet {
        Packet(self.0.clone())
    }

    /// Books the time since the last booking to `stage`.
    #[inline]
    pub fn charge(&mut self, stage: Stage, until: Time) {
        self.stages.charge(stage, until);
    }

    /// Bytes on the wire: the IP packet and all tunnels around it.
    #[inline]
    pub fn wire_size(&self) -> u32 {
        let Some(tunnel) = self.tunnel.as_deref() else { return self.size };
        self.size + tunnel.overhead + tunnel.within.map_or(0, |outer| outer.overhead)
    }

    /// The headers of tunnels around the packet, the innermost first.
    pub fn outers(&self) -> impl Iterator<Item = Outer> {
        let within = self.tunnel.as_deref().and_then(|tunnel| tunnel.within);
        within.into_iter().chain(self.outermost())
    }

    /// The outermost header, if the packet is in a tunnel.
    #[inline]
    pub fn outermost(&self) -> Option<Outer> {
        let Tunnel { kind, ends, overhead, .. } = *self.tunnel.as_deref()?;
        let (dscp, ecn) = self.outer;
        Some(Outer { kind, ends, dscp, ecn, overhead })
    }

    /// The ECN field that an element on the way sees: the outermost.
    #[inline]
    pub fn visible_ecn(&self) -> Ecn {
        if self.tunnel.is_some() { self.outer.1 } else { self.ecn }
    }

    /// The DSCP that an element on the way sees: the outermost.
    #[inline]
    pub fn visible_dscp(&self) -> u8 {
        if self.tunnel.is_some() { self.outer.0 } else { self.dscp }
    }

    /// Sets the ECN field that an element on the way sees: the outermost.
    #[inline]
    pub fn set_visible_ecn(&mut self, ecn: Ecn) {
        match self.tunnel {
            Some(_) => self.outer.1 = ecn,
            None => self.ecn = ecn,
        }
    }

    /// Puts one more header around the packet.
    ///
    /// # Errors
    ///
    /// If it is in two tunnels already, the most that a backhaul nests (GTP-U
    /// within ESP).
    pub fn push_outer(&mut self, outer: Outer) -> Result<(), Encapsulation> {
        let within = self.outermost();
        if self.outers().count() == 2 {
            return Err(Encapsulation);
        }
        let Outer { kind, ends, overhead, dscp, ecn } = outer;
        self.tunnel = Some(Arc::new(Tunnel { kind, ends, overhead, within }));
        self.outer = (dscp, ecn);
        Ok(())
    }

    /// Puts the header of a tunnel around the packet, with these DSCP and ECN fields.
    ///
    /// # Errors
    ///
    /// Those of [`push_outer`](Packet::push_outer).
    #[inline]
    pub fn enter(&mut self, tunnel: &Arc<Tunnel>, dscp: u8, ecn: Ecn) -> Result<(), Encapsulation> {
        if self.tunnel.is_some() {
            let Tunnel { kind, ends, overhead, .. } = **tunnel;
            return self.push_outer(Outer { kind, ends, dscp, ecn, overhead });
        }
        (self.tunnel, self.outer) = (Some(Arc::clone(tunnel)), (dscp, ecn));
        Ok(())
    }

    /// Takes the outermost header off.
    #[inline]
    pub fn pop_outer(&mut self) -> Option<Outer> {
        let header = self.outermost()?;
        if let Some(inner) = self.tunnel.take()?.within {
            let Outer { kind, ends, overhead, dscp, ecn } = inner;
            self.tunnel = Some(Arc::new(Tunnel { kind, ends, overhead, within: None }));
            self.outer = (dscp, ecn);
        }
        Some(header)
    }
}

impl Tunnel {
    /// A tunnel between these ends, whose headers and trailers take `overhead` bytes.
    pub fn new(kind: TunnelKind, ends: (Endpoint, Endpoint), overhead: u32) -> Arc<Tunnel> {
        Arc::new(Tunnel { kind, ends, overhead, within: None })
    }

    /// Kind of the tunnel.
    pub fn kind(&self) -> TunnelKind {
        self.kind
    }
}

impl Deref for Packet {
    type Target = PacketFields;
    #[inline]
    fn deref(&self) -> &PacketFields {
        &self.0
    }
}

impl DerefMut for Packet {
    #[inline]
    fn deref_mut(&mut self) -> &mut PacketFields {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_fits_an_allocation_of_224_bytes_with_its_header() {
        assert!(size_of::<PacketFields>() <= 216, "{} bytes", size_of::<PacketFields>());
    }
}
