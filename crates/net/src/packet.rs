//! The packet: what a network element may see, and a payload that only
//! endpoints open.

use core::ops::{Deref, DerefMut};
use std::sync::Arc;

use airpath_base::{FlowId, Time};
use airpath_wire::{Ecn, Endpoint, RtcpRepr, RtpRepr, TcpRepr, Tuple};

use crate::{Stage, Stages};

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
    /// Time at which the application made the packet.
    pub born: Time,
    /// Stages in which the packet spent its time since.
    pub stages: Stages,
    /// Begin of the packet's wait in its present queue; set by elements whose queue hands out
    /// packets alone.
    pub queued: Time,
    /// Time at the gateway's side of the Internet (SGi, N6); `None` if the packet has not been
    /// there. For measuring only.
    pub at_gateway: Option<Time>,
    /// Payload of the packet.
    pub payload: Payload,
    outer: [Option<Outer>; 2],
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
    Tcp(TcpRepr),
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

/// A kind of tunnel and what tells one of its kind from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunnelKind {
    /// GTP-U (TS 29.281) with its tunnel endpoint identifier.
    Gtpu {
        /// TEID.
        teid: u32,
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
            born,
            stages: Stages::starting(born),
            queued: born,
            at_gateway: None,
            payload: Payload::None,
            outer: [None; 2],
        }))
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
        self.size + self.outers().map(|outer| outer.overhead).sum::<u32>()
    }

    /// The tunnels around the packet, the innermost first.
    #[inline]
    pub fn outers(&self) -> impl Iterator<Item = &Outer> {
        self.outer.iter().flatten()
    }

    /// The outermost header, if the packet is in a tunnel.
    #[inline]
    pub fn outermost(&self) -> Option<&Outer> {
        self.outers().last()
    }

    /// The ECN field that an element on the way sees: the outermost.
    #[inline]
    pub fn visible_ecn(&self) -> Ecn {
        self.outermost().map_or(self.ecn, |outer| outer.ecn)
    }

    /// The DSCP that an element on the way sees: the outermost.
    #[inline]
    pub fn visible_dscp(&self) -> u8 {
        self.outermost().map_or(self.dscp, |outer| outer.dscp)
    }

    /// Sets the ECN field that an element on the way sees: the outermost.
    #[inline]
    pub fn set_visible_ecn(&mut self, ecn: Ecn) {
        match self.outer.iter_mut().flatten().last() {
            Some(outer) => outer.ecn = ecn,
            None => self.ecn = ecn,
        }
    }

    /// Puts one more header around the packet.
    ///
    /// # Errors
    ///
    /// If it is in two tunnels already, the most that a backhaul nests (GTP-U
    /// within ESP).
    #[inline]
    pub fn push_outer(&mut self, outer: Outer) -> Result<(), Encapsulation> {
        let free = self.outer.iter_mut().find(|o| o.is_none()).ok_or(Encapsulation)?;
        *free = Some(outer);
        Ok(())
    }

    /// Takes the outermost header off.
    #[inline]
    pub fn pop_outer(&mut self) -> Option<Outer> {
        self.outer.iter_mut().rev().find_map(Option::take)
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
