//! Quantities of a window of transport blocks: columns of `blocks.parquet`, `carried.parquet`,
//! `control.parquet` and `queues.parquet`.

use airpath_base::measure::{BYTES, DB, NS, PACKETS, RESOURCE_BLOCKS};
use airpath_base::{CellId, UeId, row};
use airpath_net::Direction;

use super::source::named;
use crate::Inventory;
use crate::blocks::{BlockRow, Carried, CarriedRow, ControlKind, ControlRow, Fate, QueueRow};

row! {
    from |(inventory, block): (&Inventory, &BlockRow)|
    /// A transmission of a transport block, in the order in which they were decided. One that was
    /// sent again has a row each time.
    pub(crate) struct Block {
        /// Number of the transport block within the run: the same for all of its transmissions.
        block: u64 = block.number,
        /// Name of the cell.
        cell: String = cell_name(inventory, block.cell),
        /// Name of the UE.
        ue: String = ue_name(inventory, block.ue),
        /// `down` or `up`.
        direction: &'static str = block.direction.name(),
        /// Number of the slot (LTE: subframe; with mini-slots, the mini-slot) in which it is on the
        /// air, from 0.
        slot: u64 = block.slot,
        /// Time at which the block was filled, or it was decided to send it again.
        sent_ns: u64 [NS] = block.sent.as_nanos(),
        /// Beginning of its slot on the air.
        start_ns: u64 [NS] = block.start.as_nanos(),
        /// Time at which it was received and decoding was tried.
        received_ns: u64 [NS] = block.received.as_nanos(),
        /// HARQ process of the UE in this direction.
        process: u32 = block.process.into(),
        /// 0 for the first transmission of the block.
        attempt: u8 = block.attempt,
        /// The lowest of its resource blocks, from 0.
        first_resource_block: u32 = block.runs.first().map_or(0, |run| run.0.into()),
        /// Number of its resource blocks.
        resource_blocks: u32 [RESOURCE_BLOCKS] = block.resource_blocks().into(),
        /// Its resource blocks, as `0-3 8-11`; null if they lie side by side.
        resource_block_runs: Option<String> = block.several_runs(),
        /// Its first symbol in the slot, from 0.
        first_symbol: u8 = block.first_symbol,
        /// Number of its symbols.
        symbols: u8 = block.symbols,
        /// Layers of the transmission. Two transport blocks of LTE on several layers are two rows with the same
        /// resource blocks.
        layers: u8 = block.layers,
        /// Modulation and coding scheme.
        mcs: u8 = block.mcs,
        /// Bytes of the transport block.
        block_bytes: u32 [BYTES] = block.bytes,
        /// Those that carry nothing.
        padding_bytes: u32 [BYTES] = block.padding,
        /// Effective SINR with which it was received; null if nobody listened.
        sinr_db: Option<f64> [DB.more()] = block.sinr_db.map(f64::from),
        /// `decoded`, `failed`, or `missed`, where the UE had missed the assignment or grant; null
        /// if the run ended before. `cancelled`: the cell took the grant back, and nothing was sent.
        fate: Option<&'static str> = block.fate.map(Fate::name),
    }
}

row! {
    from |(inventory, carried): (&Inventory, &CarriedRow)|
    /// Contents of a transport block, in order: a stretch of a packet, a status report of RLC, or
    /// bytes of a full buffer. Bytes of a block beyond these and its padding are headers and
    /// reports of MAC and RLC.
    pub(crate) struct Content {
        /// Number of the transport block.
        block: u64 = carried.block,
        /// Name of the bearer.
        bearer: String = named(
            inventory.bearers.get(carried.bearer.index()).map(|bearer| &*bearer.name),
            carried.bearer
        ),
        /// `new` bytes of a packet, bytes that RLC sends `again`, an RLC `status` report, or bytes
        /// of a `full` buffer.
        what: &'static str = carried.what.name(),
        /// Bytes of it. Those of a status report and of a full buffer have RLC's headers with them.
        bytes: u32 [BYTES] = carried.bytes,
        /// Number of the packet within the run: `id` in `journeys.parquet` and `packets.parquet`.
        packet: Option<u64> = stretch(carried).map(|(id, ..)| id),
        /// Index of the first of these bytes in the packet with its PDCP header, from 0.
        first_byte: Option<u64> = stretch(carried).map(|(_, start, _)| start.into()),
        /// Bytes of the whole packet with that header.
        packet_bytes: Option<u64> [BYTES] = stretch(carried).map(|(.., size)| size.into()),
    }
}

row! {
    from |(inventory, control): (&Inventory, &ControlRow)|
    /// Something on the control channel, or that only the control channel explains.
    pub(crate) struct Control {
        /// Time of the event: of elements and of blocked UEs, the decision; of a report, its
        /// reception at the cell.
        time_ns: u64 [NS] = control.at.as_nanos(),
        /// Name of the cell.
        cell: String = cell_name(inventory, control.cell),
        /// Name of the UE, if it is of one.
        ue: Option<String> = control.ue.map(|ue| ue_name(inventory, ue)),
        /// `elements`: elements that the grants of a slot take. `blocked`: a UE lacked elements.
        /// `missed`: a UE missed a grant uplink. `request`: a UE sent a scheduling request.
        /// `report`: a buffer status report came. `unused`: a configured grant was unused.
        kind: &'static str = control.kind.name(),
        /// `down` or `up`, of who was blocked, of what was missed or unused.
        direction: Option<&'static str> = direction(control.kind),
        /// Elements that are used; bytes that a report says to wait; resource blocks that are unused.
        value: Option<u64> = value(control.kind),
        /// Elements that there are.
        elements: Option<u64> = elements(control.kind).map(|(elements, _)| elements.into()),
        /// UEs that lacked elements, each counted once a direction.
        blocked: Option<u64> = elements(control.kind).map(|(_, blocked)| blocked.into()),
    }
}

row! {
    from |(inventory, queue): (&Inventory, &QueueRow)|
    /// Queue of a UE at PDCP and RLC from a time on. Of the changes within a slot the last has a
    /// row, at the time of the first.
    pub(crate) struct Waiting {
        /// From when on.
        time_ns: u64 [NS] = queue.at.as_nanos(),
        /// Name of the UE.
        ue: String = ue_name(inventory, queue.ue),
        /// `down`, at the cell, or `up`, in the UE.
        direction: &'static str = queue.direction.name(),
        /// Packets, whole or in part.
        packets: u32 [PACKETS] = queue.packets,
        /// Their bytes.
        bytes: u64 [BYTES] = queue.bytes,
    }
}

pub(crate) fn cell_name(inventory: &Inventory, id: CellId) -> String {
    named(inventory.cells.get(id.index()).map(|cell| &*cell.name), id)
}

fn ue_name(inventory: &Inventory, id: UeId) -> String {
    named(inventory.ues.get(id.index()).map(|ue| &*ue.name), id)
}

/// Number of a packet, its first byte that is carried, and its size.
fn stretch(row: &CarriedRow) -> Option<(u64, u32, u32)> {
    match row.what {
        Carried::Packet { id, start, size, .. } => Some((id, start, size)),
        Carried::Status | Carried::Full => None,
    }
}

fn direction(kind: ControlKind) -> Option<&'static str> {
    match kind {
        ControlKind::Blocked(direction) => Some(direction.name()),
        ControlKind::Missed | ControlKind::Unused { .. } => Some(Direction::Uplink.name()),
        _ => None,
    }
}

fn value(kind: ControlKind) -> Option<u64> {
    match kind {
        ControlKind::Elements { used, .. } => Some(used.into()),
        ControlKind::Report { bytes } => Some(bytes),
        ControlKind::Unused { resource_blocks } => Some(resource_blocks.into()),
        _ => None,
    }
}

/// Elements that there are, and UEs that lacked some.
fn elements(kind: ControlKind) -> Option<(u16, u16)> {
    match kind {
        ControlKind::Elements { elements, blocked, .. } => Some((elements, blocked)),
        _ => None,
    }
}
