//! Packets between core network and cells, and between cells, of UEs that go from cell to cell.
//!
//! Each cell has addresses of its own. The model has one gateway and one way to all cells. So the address of the cell is
//! entered here in packets from the core network. End markers and headers between cells are made here, too: they take no
//! time and no bytes of any link.
//!
//! TEIDs of X2-U and Xn-U are those of the bearers on S1-U with the highest bit set. Left out: the extension header with
//! PDCP's sequence number (TS 29.281, 5.2.2.2).

use std::collections::BTreeMap;
use std::io::Write;

use airpath_base::{CellId, Time};
use airpath_net::{Packet, PathEvent};
use airpath_wire::datagram::{OuterKind, OuterRepr};
use airpath_wire::{Endpoint, GtpuRepr, Protocol, Tuple, udp};

use super::{PcapWriter, Snap};

/// Bit of TEIDs between cells.
const FORWARDING: u32 = 1 << 31;

/// Tunnels of a network whose UEs go from cell to cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellPaths {
    /// The gateway on S1-U or N3.
    pub gateway: Endpoint,
    /// Addresses of the cells on S1-U or N3, by [`CellId`].
    pub s1: Vec<Endpoint>,
    /// Addresses of the cells on X2-U or Xn-U, by [`CellId`].
    pub x2: Vec<Endpoint>,
    /// TEIDs on S1-U or N3, each with the first cell of its UE.
    pub first: Vec<(u32, CellId)>,
    /// True if S1-U is encrypted, so that its capture shows no end markers.
    pub encrypted: bool,
}

/// Ways of packets at a point.
pub(super) struct Paths {
    ends: CellPaths,
    /// True between cells, false between core network and cells.
    between: bool,
    /// Cell of each TEID.
    cells: BTreeMap<u32, CellId>,
}

impl Paths {
    /// Enters the cell to which the core network sends a packet.
    pub fn direct(&self, outers: &mut [OuterRepr]) {
        let [outer] = outers else { return };
        let OuterKind::Gtpu { teid, .. } = outer.kind else { return };
        if outer.src != self.ends.gateway {
            return;
        }
        let cell = self.cells.get(&teid).and_then(|cell| self.ends.s1.get(cell.index()));
        outer.dst = cell.copied().unwrap_or(outer.dst);
    }

    /// Source and target on X2-U or Xn-U.
    fn between(&self, source: CellId, target: CellId) -> Option<(Endpoint, Endpoint)> {
        let end = |cell: CellId| self.ends.x2.get(cell.index()).copied();
        end(source).zip(end(target))
    }
}

impl<W: Write> PcapWriter<W> {
    /// The one point of the capture is between the core network and cells with these paths.
    #[must_use]
    pub fn to_cells(self, ends: CellPaths) -> PcapWriter<W> {
        self.with_paths(ends, false)
    }

    /// The one point of the capture is between cells with these paths.
    #[must_use]
    pub fn between_cells(self, ends: CellPaths) -> PcapWriter<W> {
        self.with_paths(ends, true)
    }

    fn with_paths(self, ends: CellPaths, between: bool) -> PcapWriter<W> {
        let cells = ends.first.iter().copied().collect();
        PcapWriter { paths: Some(Paths { ends, between, cells }), ..self }
    }

    /// Follows the paths of UEs, and writes what is made of them.
    pub(super) fn follow(&mut self, now: Time, event: &PathEvent<'_>) {
        let Some(paths) = &mut self.paths else { return };
        match *event {
            PathEvent::Switched { teid, source, target, marked } if !paths.between => {
                paths.cells.insert(teid, target);
                let to = paths.ends.s1.get(source.index()).copied();
                let to = to.filter(|_| marked && !paths.ends.encrypted);
                let ends = to.map(|to| (paths.ends.gateway, to));
                self.write_end_marker(now, teid, ends);
            }
            PathEvent::ForwardingEnds { teid, source, target } if paths.between => {
                let ends = paths.between(source, target);
                self.write_end_marker(now, teid | FORWARDING, ends);
            }
            PathEvent::Forwarded { teid, source, target, packet } if paths.between => {
                let ends = paths.between(source, target);
                self.write_forwarded(now, teid | FORWARDING, ends, packet);
            }
            _ => {}
        }
    }

    fn write_forwarded(
        &mut self,
        now: Time,
        teid: u32,
        ends: Option<(Endpoint, Endpoint)>,
        packet: &Packet,
    ) {
        let (Some((src, dst)), Some(&(_, interface))) = (ends, self.interfaces.first()) else {
            return;
        };
        let (kind, dscp, ecn) =
            (OuterKind::Gtpu { teid, set: None, congestion: None }, packet.dscp, packet.ecn);
        self.outers.clear();
        self.outers.push(OuterRepr { kind, src, dst, dscp, ecn });
        self.write_in_tunnels(now, interface, packet);
    }

    fn write_end_marker(&mut self, now: Time, teid: u32, ends: Option<(Endpoint, Endpoint)>) {
        let (Some((src, dst)), Some(&(_, interface))) = (ends, self.interfaces.first()) else {
            return;
        };
        self.bytes.clear();
        let tuple = Tuple { src, dst, protocol: Protocol::UDP };
        // A message of eight bytes is never too long.
        let _fits = udp::emit_packet(tuple, &GtpuRepr::end_marker(teid), &mut self.bytes);
        let len = self.bytes.len() as u32;
        if let Snap::Bytes(limit) = self.snap {
            self.bytes.truncate(limit as usize);
        }
        if let Err(error) = self.writer.packet(interface, now, &self.bytes, len, None) {
            self.error = Some(error);
        }
    }
}
