//! Captures: packets at chosen points as bytes, in one pcapng file.
//!
//! Each watched point is an interface of the capture. A packet's headers are written with valid
//! checksums over the whole packet, its payload as zeros, and cut off behind the headers by
//! default. Fields that a simulation does not decide are derived from the packet's number, so that
//! one packet can be followed from point to point. The IPv4 identification is its low 16 bits, the
//! ESP sequence number its successor.

mod paths;

use std::io::{self, BufWriter, Write};

use airpath_base::{NodeId, Time};
use airpath_net::{Event, Outer, Packet, Payload, PointId, Probe, TunnelKind};
use airpath_wire::datagram::{self, Content, Inner, OuterKind, OuterRepr};
use airpath_wire::pcapng::{InterfaceId, Writer};
use airpath_wire::{
    EspRepr, GtpuRepr, IpRepr, PduSetInformation, Protocol, RtpRepr, TcpRepr, Tuple, UDP_HEADER,
};

pub use paths::CellPaths;

use crate::{Location, Output};
use paths::Paths;

/// Initialisation vector that is shown behind an ESP header.
const ESP_IV: u32 = 8;

/// Bytes of each packet that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Snap {
    /// All headers, tunnels included, and no payload.
    #[default]
    Headers,
    /// The first so many bytes.
    Bytes(u32),
    /// All of it.
    Whole,
}

/// Writes a capture. An output that fails does not disturb the run: the first
/// error is kept for [`finish`](PcapWriter::finish), and nothing more is written.
pub struct PcapWriter<W: Write> {
    writer: Writer<W>,
    interfaces: Vec<(PointId, InterfaceId)>,
    snap: Snap,
    error: Option<io::Error>,
    too_long: u64,
    outers: Vec<OuterRepr>,
    bytes: Vec<u8>,
    /// Ways to the cells, at a point between them or between core network and cells.
    paths: Option<Paths>,
}

impl PcapWriter<BufWriter<Output>> {
    /// Begins a capture in a file.
    ///
    /// # Errors
    ///
    /// If it cannot be created or written.
    pub fn create(to: &Location, points: &[(PointId, &str)], snap: Snap) -> io::Result<Self> {
        PcapWriter::new(BufWriter::new(to.create()?), points, snap)
    }
}

impl<W: Write> PcapWriter<W> {
    /// Begins a capture of the packets that pass these points, which are given
    /// with the names that their interfaces get.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn new(out: W, points: &[(PointId, &str)], snap: Snap) -> io::Result<PcapWriter<W>> {
        let mut writer = Writer::new(out, "airpath")?;
        let limit = match snap {
            Snap::Bytes(limit) => limit,
            Snap::Headers | Snap::Whole => 0,
        };
        let interfaces = points
            .iter()
            .map(|(point, name)| Ok((*point, writer.add_interface(name, limit)?)))
            .collect::<io::Result<_>>()?;
        let (outers, bytes, paths) = (Vec::new(), Vec::new(), None);
        Ok(PcapWriter { writer, interfaces, snap, error: None, too_long: 0, outers, bytes, paths })
    }

    /// Packets that were left out since IP cannot tell their length (above
    /// 65,535 bytes).
    pub fn too_long(&self) -> u64 {
        self.too_long
    }

    /// Completes the capture.
    ///
    /// # Errors
    ///
    /// The first that the output gave.
    pub fn finish(self) -> io::Result<W> {
        match self.error {
            Some(error) => Err(error),
            None => self.writer.finish(),
        }
    }

    fn write(&mut self, now: Time, interface: InterfaceId, packet: &Packet) {
        self.outers.clear();
        self.outers.extend(packet.outers().map(|outer| outer_repr(outer, packet)));
        if let Some(paths) = &self.paths {
            paths.direct(&mut self.outers);
        }
        self.write_in_tunnels(now, interface, packet);
    }

    /// Writes a packet in the tunnels that are in `outers`.
    fn write_in_tunnels(&mut self, now: Time, interface: InterfaceId, packet: &Packet) {
        let inner = inner(packet);
        let snap = match self.snap {
            Snap::Headers => headers(packet, &self.outers),
            Snap::Bytes(limit) => limit as usize,
            Snap::Whole => usize::MAX,
        };
        let Ok(len) = datagram::emit(inner, &self.outers, snap, &mut self.bytes) else {
            self.too_long += 1;
            return;
        };
        if let Err(error) = self.writer.packet(interface, now, &self.bytes, len, None) {
            self.error = Some(error);
        }
    }
}

impl<W: Write> Probe for PcapWriter<W> {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        if self.error.is_some() {
            return;
        }
        match event {
            Event::Passed { point, packet } => {
                let known = self.interfaces.iter().find(|(watched, _)| watched == point);
                if let Some(&(_, interface)) = known {
                    self.write(now, interface, packet);
                }
            }
            Event::Path(event) => self.follow(now, event),
            _ => {}
        }
    }
}

/// The packet without a tunnel around it.
pub(crate) fn inner(packet: &Packet) -> Inner<'_> {
    let ip = IpRepr {
        ident: packet.id as u16,
        ..IpRepr::new(packet.tuple, packet.dscp, packet.ecn, packet.size)
    };
    match &packet.payload {
        Payload::None => Inner::Repr(ip, Content::Zeros),
        Payload::Tcp(tcp) => Inner::Repr(ip, Content::Tcp(tcp.into())),
        Payload::Rtp(rtp) => Inner::Repr(ip, Content::Rtp(rtp)),
        Payload::Rtcp(rtcp) => Inner::Repr(ip, Content::Rtcp(rtcp)),
        Payload::Bytes(bytes) => Inner::Bytes(bytes, packet.ecn),
    }
}

fn outer_repr(outer: Outer, packet: &Packet) -> OuterRepr {
    let (src, dst) = outer.ends;
    let kind = match outer.kind {
        TunnelKind::Gtpu { teid, qfi, congestion } => {
            let set = qfi.and_then(|qfi| set_information(packet, qfi));
            OuterKind::Gtpu { teid, set, congestion }
        }
        TunnelKind::Esp { spi } => {
            let ip = Tuple { src, dst, protocol: Protocol::ESP }.ip_header();
            let header = EspRepr { spi, seq: (packet.id as u32).wrapping_add(1) };
            OuterKind::Esp { header, overhead: outer.overhead.saturating_sub(ip) }
        }
    };
    OuterRepr { kind, src, dst, dscp: outer.dscp, ecn: outer.ecn }
}

/// Information on the PDU set of a packet in a QoS flow.
fn set_information(packet: &Packet, qfi: u8) -> Option<PduSetInformation> {
    let set = packet.set.as_ref()?;
    Some(PduSetInformation {
        qfi,
        ends_burst: set.ends_burst && set.ends_with(packet.number),
        ends_set: set.ends_with(packet.number),
        number: set.number as u16,
        importance: set.importance,
        position: set.position(packet.number) as u8,
        size: Some(set.bytes),
    })
}

/// Bytes of all headers in front of the payload.
fn headers(packet: &Packet, outers: &[OuterRepr]) -> usize {
    let outer = |outer: &OuterRepr| {
        let ip = Tuple { src: outer.src, dst: outer.dst, protocol: Protocol::UDP }.ip_header();
        ip + match outer.kind {
            OuterKind::Gtpu { set, congestion, .. } => {
                UDP_HEADER + GtpuRepr { set, congestion, ..GtpuRepr::default() }.header_len()
            }
            OuterKind::Esp { overhead, .. } => (EspRepr::HEADER + ESP_IV).min(overhead),
        }
    };
    let udp = if packet.tuple.protocol == Protocol::UDP { UDP_HEADER } else { 0 };
    let inner = match &packet.payload {
        Payload::None => packet.tuple.ip_header() + udp,
        Payload::Tcp(tcp) => packet.tuple.ip_header() + TcpRepr::from(tcp).header_len(),
        Payload::Rtp(_) => packet.tuple.ip_header() + UDP_HEADER + RtpRepr::HEADER,
        Payload::Rtcp(rtcp) => packet.tuple.ip_header() + UDP_HEADER + rtcp.len(),
        Payload::Bytes(bytes) => real_headers(bytes),
    };
    (outers.iter().map(outer).sum::<u32>() + inner) as usize
}

/// Bytes of the headers of a real packet; of one that cannot be read, all.
fn real_headers(bytes: &[u8]) -> u32 {
    let Ok((ip, payload)) = IpRepr::parse(bytes) else { return bytes.len() as u32 };
    let transport = match ip.tuple.protocol {
        // The data offset counts words (RFC 9293, 3.1).
        Protocol::TCP => payload.get(12).map_or(TcpRepr::HEADER, |b| u32::from(b >> 4) * 4),
        Protocol::UDP => UDP_HEADER,
        _ => 0,
    };
    (bytes.len() - payload.len()) as u32 + transport
}

#[cfg(test)]
#[path = "pcap_tests.rs"]
mod tests;
