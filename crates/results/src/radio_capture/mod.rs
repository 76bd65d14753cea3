//! A capture of the radio: transport blocks as MAC has them, for Wireshark.
//!
//! Each transmission of a block that was received is a packet of the capture, at the time of its
//! decoding. System frame, subframe or slot say the time on the air. Each cell is an interface.
//!
//! - **LTE**: exported PDUs (link type 252) for the dissector `mac-lte-framed`, with HARQ
//!   process, retransmission, CRC and modulation; scheduling requests besides. Downlink the
//!   dissector shows an MCS without its table: a block with 256QAM has a comment, and so has one of several layers.
//! - **NR**: UDP for the heuristic dissector `mac_nr_udp`. That knows neither retransmissions nor
//!   CRC: transmissions that failed have no PDU in them, and comments say what they were.
//!
//! A UE that goes to another cell has another number and C-RNTI there ([`rnti`]), and its packets have the interface of
//! that cell. Its random access is in [`access`]. A comment of its next transmission has the change.
//!
//! Failures of radio links, and what came of them, are comments of the next transmission of the UE.
//!
//! The models name bytes of packets and carry none. The writer makes the bytes: it keeps SDUs as
//! long as RLC may send them, and blocks as long as HARQ may. Sequence numbers that a model does
//! not need are counted here. PDCP's are those of SDUs; those of NR's unacknowledged mode are of
//! segmented SDUs only.

mod access;
mod frame;
mod profile;
mod rlc;
mod rnti;
mod sdus;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use airpath_base::{BearerId, CellId, NodeId, Time, UeId};
use airpath_net::layers::{BufferReport, LayerEvent, ReportFormat, RlcPdu};
use airpath_net::{Direction, Event, LinkChange, Packet, Probe, RadioEvent};
use airpath_wire::pcapng::{InterfaceId, LinkType, Writer};
use airpath_wire::radio::bsr::Report;
use airpath_wire::radio::{MacSdu, RadioType, RlcMode, Way, mac_lte, mac_nr};

pub use profile::profile;

use frame::{Air, Transmission};
use rnti::{Identity, Rntis};
use sdus::Channel;

/// Facts of a radio access network for the writer.
#[derive(Clone, Debug)]
pub struct RadioLayers {
    /// True if its user plane is that of NR.
    pub is_nr: bool,
    /// Duplex mode of its carriers.
    pub radio: RadioType,
    /// Length of a TTI in nanoseconds, as a fraction.
    pub tti: (u64, u64),
    /// Length of a slot in nanoseconds.
    pub slot: u64,
    /// True if MAC headers take room in blocks.
    pub mac_header: bool,
    /// The least MCS downlink with 256QAM, of LTE.
    pub first_256qam: Option<u8>,
    /// Names, by [`CellId`].
    pub cells: Vec<String>,
    /// Resource blocks uplink, by [`CellId`].
    pub resource_blocks: Vec<u16>,
    /// True if UEs go from cell to cell.
    pub handover: bool,
    /// By [`UeId`]: the first cell of a UE.
    pub ue_cells: Vec<CellId>,
    /// By [`BearerId`].
    pub bearers: Vec<BearerLayers>,
    /// Logical channel of full buffers.
    pub full_buffer: u8,
}

/// The layers of a bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BearerLayers {
    /// Its UE.
    pub ue: UeId,
    /// Logical channel.
    pub lcid: u8,
    /// RLC.
    pub rlc: RlcMode,
    /// Bits of PDCP's sequence number.
    pub pdcp_sn: u8,
    /// True if there is SDAP.
    pub sdap: bool,
}

/// A UE, a direction and a HARQ process with its cell.
type Process = (UeId, Direction, (CellId, u16, u8));

/// Writes the capture of a radio. An output that fails does not disturb the run: the first error
/// is kept for [`finish`](RadioCapture::finish), and nothing more is written.
pub struct RadioCapture<W: Write> {
    writer: Writer<W>,
    interfaces: Vec<InterfaceId>,
    snap: usize,
    error: Option<io::Error>,
    layers: RadioLayers,
    /// By bearer and direction.
    channels: Vec<[Channel; 2]>,
    /// MAC SDUs of the block that is being filled.
    filling: Vec<MacSdu>,
    /// PDUs of MAC that HARQ holds.
    blocks: BTreeMap<Process, Vec<u8>>,
    rntis: Rntis,
    /// UEs with transport blocks since their last change.
    carried: BTreeSet<UeId>,
    /// The last occasion of each cell that has had its random access response.
    answered: BTreeMap<CellId, Time>,
    /// Changes of radio links since the last packet of their UEs.
    notes: BTreeMap<UeId, String>,
    /// Empty between calls, to be used again.
    bytes: Vec<u8>,
}

impl<W: Write> RadioCapture<W> {
    /// Begins a capture with an interface for each cell; `snap` bytes are kept of each packet.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn new(out: W, layers: RadioLayers, snap: u32) -> io::Result<RadioCapture<W>> {
        let mut writer = Writer::new(out, "airpath")?;
        let link = if layers.is_nr { LinkType::Raw } else { LinkType::ExportedPdu };
        let cells = layers.cells.iter();
        let interfaces = cells.map(|name| writer.add_interface_of(link, name, snap));
        let interfaces = interfaces.collect::<io::Result<_>>()?;
        Ok(RadioCapture {
            writer,
            interfaces,
            snap: snap as usize,
            error: None,
            channels: layers.bearers.iter().map(|_| <[Channel; 2]>::default()).collect(),
            rntis: Rntis::new(layers.handover, layers.is_nr, layers.ue_cells.len()),
            carried: BTreeSet::new(),
            answered: BTreeMap::new(),
            layers,
            filling: Vec::new(),
            blocks: BTreeMap::new(),
            notes: BTreeMap::new(),
            bytes: Vec::new(),
        })
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

    fn hear(&mut self, now: Time, event: &LayerEvent<'_>) {
        match event {
            LayerEvent::Sdu { bearer, direction, number, flow, packet } => {
                self.keep((*bearer, *direction), *number, *flow, packet);
            }
            LayerEvent::Restarted { bearer } => {
                let both = self.channels.get_mut(bearer.index()).into_iter().flatten();
                both.for_each(Channel::restart);
                self.begin_anew(now, *bearer);
            }
            LayerEvent::Pdu { bearer, direction, size, pdu, keep } => {
                self.fill((*bearer, *direction), *size, pdu);
                if let Some(both) = self.channels.get_mut(bearer.index()) {
                    both[*direction as usize].forget(*keep);
                }
            }
            LayerEvent::Block { cell, ue, direction, process, transport_block, bytes, report } => {
                let process = (*cell, *process, *transport_block);
                if self.layers.handover {
                    self.carried.insert(*ue);
                }
                self.complete((*ue, *direction, process), *bytes, *report);
            }
            LayerEvent::Access { cell, ue, message } => self.access(now, (*cell, *ue), message),
            LayerEvent::Assigned { cell, ue } => self.assign(now, *cell, *ue),
        }
    }

    /// A UE has another C-RNTI, of this cell. HARQ holds nothing more of it (TS 36.321, 5.9; TS 38.321, 5.12).
    fn assign(&mut self, now: Time, cell: CellId, ue: UeId) {
        if let Some(own) = self.layers.ue_cells.get_mut(ue.index()) {
            *own = cell;
        }
        self.rntis.change(ue);
        self.carried.remove(&ue);
        self.blocks.retain(|(held, ..), _| *held != ue);
        let Identity { ue: number, rnti } = self.rntis.of(ue);
        let name = self.layers.cells.get(cell.index()).map_or("", String::as_str);
        let what = format!("UE {} in {name}: UEID {number}, C-RNTI {rnti}", ue.0 + 1);
        self.comment_later(now, ue, &what);
    }

    /// RLC of a bearer begins anew. With handover its UE then has another C-RNTI, too: its connection has been
    /// re-established in the same cell, or released.
    fn begin_anew(&mut self, now: Time, bearer: BearerId) {
        let ue = self.layers.bearers.get(bearer.index()).map(|own| own.ue);
        let Some(ue) = ue.filter(|ue| self.layers.handover && self.carried.contains(ue)) else {
            return;
        };
        if let Some(&cell) = self.layers.ue_cells.get(ue.index()) {
            self.assign(now, cell, ue);
        }
    }

    fn keep(
        &mut self,
        (bearer, direction): (BearerId, Direction),
        number: u64,
        flow: u16,
        packet: &Packet,
    ) {
        let both = self.channels.get_mut(bearer.index());
        let Some((both, layers)) = both.zip(self.layers.bearers.get(bearer.index())) else {
            return;
        };
        both[direction as usize]
            .push(number, sdus::sdu((number, flow), layers, way(direction), packet));
    }

    /// Makes MAC SDUs of what RLC has made.
    fn fill(&mut self, (bearer, direction): (BearerId, Direction), size: u32, pdu: &RlcPdu) {
        let both = self.channels.get_mut(bearer.index());
        let Some((both, layers)) = both.zip(self.layers.bearers.get(bearer.index())) else {
            return;
        };
        let [down, up] = both;
        let [own, other] = match direction {
            Direction::Downlink => [down, up],
            Direction::Uplink => [up, down],
        };
        let (lcid, sdus) = (layers.lcid, &mut self.filling);
        match (layers.rlc, pdu) {
            (_, RlcPdu::Full) => {
                let with_header = self.layers.is_nr && self.layers.mac_header;
                let bytes = if with_header { rlc::inner(size) } else { size };
                let lcid = self.layers.full_buffer;
                sdus.push(MacSdu { lcid, bytes: vec![0; bytes as usize] });
            }
            (RlcMode::Lte(mode), pdu) => {
                sdus.push(MacSdu { lcid, bytes: rlc::lte(mode, pdu, [own, other]) });
            }
            (RlcMode::Nr(mode), RlcPdu::Status { ack, nacks }) => {
                sdus.push(MacSdu { lcid, bytes: rlc::nr_status(mode, *ack, nacks, other) });
            }
            (RlcMode::Nr(mode), pdu) => rlc::nr(mode, pdu, own, |bytes| {
                sdus.push(MacSdu { lcid, bytes });
            }),
        }
    }

    /// Makes a PDU of MAC of what has been filled.
    fn complete(&mut self, process: Process, bytes: u32, report: Option<BufferReport>) {
        let report = report.map(|BufferReport { format, group, bytes }| match format {
            ReportFormat::Short => {
                let own = bytes.get(usize::from(group)).copied().unwrap_or(0);
                Report::Short { group, bytes: own }
            }
            ReportFormat::Truncated => Report::Truncated { group, bytes },
            ReportFormat::Long => Report::Long(bytes),
        });
        let pdu = self.blocks.entry(process).or_default();
        pdu.clear();
        let emit = if self.layers.is_nr { mac_nr::emit } else { mac_lte::emit };
        emit(report, &self.filling, bytes as usize, pdu);
        self.filling.clear();
    }

    fn transmit(&mut self, now: Time, cell: CellId, transmission: &Transmission) {
        let Transmission { ue, direction, process, transport_block, decoded, .. } = *transmission;
        let process = (cell, process, transport_block);
        let Some(pdu) = self.blocks.get(&(ue, direction, process)) else { return };
        let air = Air::of(transmission.tti, &self.layers);
        let radio = self.layers.radio;
        self.bytes.clear();
        let comment = match self.layers.is_nr {
            true => frame::nr(transmission, (radio, air), pdu, &mut self.bytes),
            false => frame::lte(transmission, (radio, air), pdu, &mut self.bytes),
        };
        let note = self.notes.remove(&ue);
        let is_256qam = |first| direction == Direction::Downlink && transmission.mcs >= first;
        let modulation = self.layers.first_256qam.filter(|first| is_256qam(*first));
        let modulation = modulation.map(|_| "256QAM".to_owned());
        let layers = (transmission.layers > 1).then(|| self.layers_of(transmission));
        let carrier = self.carrier(ue, cell);
        let comments = note.into_iter().chain(comment).chain(modulation).chain(layers);
        let shared = (transmission.ues > 1)
            .then(|| format!("resource blocks with up to {} UEs, a layer each", transmission.ues));
        let comments = comments.chain(shared).chain(carrier);
        let comments: Vec<String> = comments.collect();
        let comment = (!comments.is_empty()).then(|| comments.join("; "));
        self.write(now, cell, comment.as_deref());
        if decoded {
            self.blocks.remove(&(ue, direction, process));
        }
    }

    /// The name of a cell that is a further carrier of a UE.
    fn carrier(&self, ue: UeId, cell: CellId) -> Option<String> {
        let own = self.layers.ue_cells.get(ue.index())?;
        let name = self.layers.cells.get(cell.index()).filter(|_| *own != cell)?;
        Some(format!("carrier {name}"))
    }

    /// Layers of a transmission, and with LTE the codeword on some of them.
    fn layers_of(&self, transmission: &Transmission) -> String {
        let Transmission { layers, first_layer, .. } = *transmission;
        match self.layers.is_nr && first_layer == 0 {
            true => format!("{layers} layers"),
            false => format!("{layers} layers, codeword {}", u8::from(first_layer > 0)),
        }
    }

    /// A change of a radio link is a comment of the next packet of its UE.
    fn note(&mut self, now: Time, ue: UeId, change: LinkChange) {
        self.comment_later(now, ue, &format!("radio link {}", change.name()));
    }

    /// The next packet of a UE has this comment, with the time.
    fn comment_later(&mut self, now: Time, ue: UeId, what: &str) {
        let note = self.notes.entry(ue).or_default();
        let before = if note.is_empty() { "" } else { "; " };
        *note += &format!("{before}{what} at {:.6} s", now.as_secs_f64());
    }

    /// A scheduling request; NR's framing has none.
    fn request(&mut self, now: Time, ue: UeId) {
        let Some(&cell) = self.layers.ue_cells.get(ue.index()).filter(|_| !self.layers.is_nr)
        else {
            return;
        };
        self.bytes.clear();
        frame::request(self.rntis.of(ue), self.layers.radio, &mut self.bytes);
        self.write(now, cell, None);
    }

    fn write(&mut self, now: Time, cell: CellId, comment: Option<&str>) {
        let Some(&interface) = self.interfaces.get(cell.index()) else { return };
        let kept = &self.bytes[..self.bytes.len().min(self.snap)];
        let len = self.bytes.len() as u32;
        if let Err(error) = self.writer.packet(interface, now, kept, len, comment) {
            self.error = Some(error);
        }
    }
}

impl<W: Write> Probe for RadioCapture<W> {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        if self.error.is_some() {
            return;
        }
        match event {
            Event::Layer(event) => self.hear(now, event),
            Event::Radio(RadioEvent::SchedulingRequest { ue }) => self.request(now, *ue),
            Event::Radio(RadioEvent::Link { ue, change }) => self.note(now, *ue, *change),
            Event::Radio(RadioEvent::Block {
                cell,
                ue,
                direction,
                slot,
                process,
                transport_block,
                first_layer,
                new_data,
                resource_blocks,
                mcs,
                layers,
                ues,
                attempt,
                decoded,
                ..
            }) => {
                let transmission = Transmission {
                    ue: *ue,
                    identity: self.rntis.of(*ue),
                    direction: *direction,
                    tti: *slot,
                    process: *process,
                    transport_block: *transport_block,
                    first_layer: *first_layer,
                    new_data: *new_data,
                    resource_blocks: *resource_blocks,
                    mcs: *mcs,
                    layers: *layers,
                    ues: *ues,
                    attempt: *attempt,
                    decoded: *decoded,
                };
                self.transmit(now, *cell, &transmission);
            }
            _ => {}
        }
    }
}

fn way(direction: Direction) -> Way {
    match direction {
        Direction::Downlink => Way::Down,
        Direction::Uplink => Way::Up,
    }
}
