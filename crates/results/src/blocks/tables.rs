//! The tables of a window, and what says how it was chosen.

use airpath_base::Duration;
use airpath_net::Direction;
use serde::{Deserialize, Serialize};

use super::{
    BlockOptions, BlockRecorder, BlockRow, Carried, CarriedRow, ControlKind, ControlRow, Fate,
    QueueRow, Score,
};
use crate::measures::source::named;
use crate::{CellInfo, Inventory, PacketRow, Table, tables};
use airpath_base::documented;
use airpath_base::measure::{BYTES, DB, MS, NS, PACKETS, RESOURCE_BLOCKS, S};

documented! {
    /// `window.json`: what the tables of transport blocks are of.
    #[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
    pub struct BlockWindow {
        /// Beginning of the window: what was sent before is not in it.
        pub from_s: f64 [S],
        /// Its end.
        pub to_s: f64 [S],
        /// The cell, if it is of one only.
        pub cell: Option<String>,
        /// Whether it is the worst span of the worst cell, `scores[]` says by what; otherwise the
        /// scenario names it.
        pub worst: bool,
        /// When the tables reached their limit of rows, if they did: what was sent from then on
        /// is left out.
        pub truncated_s: Option<f64> [S],
        /// The cells that there are, each with its grid.
        pub cells: Vec<WindowCell>,
        /// The spans that were compared, by cell, in order of time.
        pub scores: Vec<ScoreSummary>,
    }
}

documented! {
    /// A cell and its grid of slots and resource blocks.
    #[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
    pub struct WindowCell {
        /// The cell.
        pub name: String,
        /// Length of a slot (LTE: subframe; with mini-slots, mini-slot).
        pub slot_ms: f64 [MS],
        /// Resource blocks of a slot downlink.
        pub resource_blocks_down: u64,
        /// The same uplink.
        pub resource_blocks_up: u64 [RESOURCE_BLOCKS],
        /// Share of slots that carry data downlink, from 0 to 1.
        pub share_down: f64,
        /// The same uplink.
        pub share_up: f64,
    }
}

documented! {
    /// How a cell did in a span. The worst is where `wait_p95_ms` is highest; of equal ones that
    /// with the highest `used`, then the first.
    #[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
    pub struct ScoreSummary {
        /// The cell.
        pub cell: String,
        /// Beginning of the span.
        pub from_s: f64 [S],
        /// Its end.
        pub to_s: f64 [S],
        /// 95th percentile of the time that packets waited at PDCP and RLC, both directions
        /// together, of those whose last byte left in the span for the air.
        pub wait_p95_ms: Option<f64> [MS],
        /// Share of the resource blocks of both directions that was used, from 0 to 1.
        pub used: f64,
    }
}

impl BlockRecorder {
    /// What the window is of; none if there is none.
    pub fn summary(&self) -> Option<BlockWindow> {
        let window = self.window()?;
        let cell = self.chosen().map(|score| score.cell);
        let seconds = |time: airpath_base::Time| time.as_secs_f64();
        Some(BlockWindow {
            from_s: seconds(window.from),
            to_s: seconds(window.to),
            cell: cell.map(|cell| cell_name(&self.inventory, cell)),
            worst: self.options.worst,
            truncated_s: window.truncated.map(seconds),
            cells: self.inventory.cells.iter().map(grid).collect(),
            scores: self.scores.iter().map(|score| self.score_summary(score)).collect(),
        })
    }

    fn score_summary(&self, score: &Score) -> ScoreSummary {
        ScoreSummary {
            cell: cell_name(&self.inventory, score.cell),
            from_s: score.from.as_secs_f64(),
            to_s: score.to.as_secs_f64(),
            wait_p95_ms: score.wait_p95.map(Duration::as_millis_f64),
            used: score.used,
        }
    }

    /// The tables by their names: `blocks`, `carried`, `control`, `queues` and `journeys`.
    pub fn tables(&self) -> [(&'static str, Table); 5] {
        let empty = super::Window::default();
        let window = self.window().unwrap_or(&empty);
        let inventory = &self.inventory;
        [
            ("blocks.parquet", blocks(inventory, &window.blocks)),
            ("carried.parquet", carried(inventory, &window.carried)),
            ("control.parquet", control(inventory, &window.control)),
            ("queues.parquet", queues(inventory, &window.queues)),
            ("journeys.parquet", journeys(inventory, &window.packets)),
        ]
    }
}

/// The tables without rows.
pub(crate) fn all_tables() -> [(&'static str, Table); 5] {
    BlockRecorder::new(Inventory::default(), BlockOptions::default()).tables()
}

fn grid(cell: &CellInfo) -> WindowCell {
    let ([down, up], [share_down, share_up, _]) = (cell.resource_blocks, cell.shares);
    WindowCell {
        name: cell.name.clone(),
        slot_ms: cell.slot.as_millis_f64(),
        resource_blocks_down: down.into(),
        resource_blocks_up: up.into(),
        share_down,
        share_up,
    }
}

fn cell_name(inventory: &Inventory, id: airpath_base::CellId) -> String {
    named(inventory.cells.get(id.index()).map(|cell| &*cell.name), id)
}

fn ue_name(inventory: &Inventory, id: airpath_base::UeId) -> String {
    named(inventory.ues.get(id.index()).map(|ue| &*ue.name), id)
}

fn blocks(inventory: &Inventory, rows: &[BlockRow]) -> Table {
    let count = |f: fn(&BlockRow) -> u64| rows.iter().map(f);
    Table::new()
        .describe("A transmission of a transport block, in the order in which they were decided. One that was sent again has a row each time.")
        .u64("block", count(|r| r.number))
        .doc("Number of the transport block within the run: the same for all of its transmissions.")
        .utf8("cell", rows.iter().map(|r| cell_name(inventory, r.cell)))
        .doc("Name of the cell.")
        .utf8("ue", rows.iter().map(|r| ue_name(inventory, r.ue)))
        .doc("Name of the UE.")
        .utf8("direction", rows.iter().map(|r| r.direction.name()))
        .doc("`down` or `up`.")
        .u64("slot", count(|r| r.slot))
        .doc("Number of the slot (LTE: subframe; with mini-slots, the mini-slot) in which it is on the air, from 0.")
        .u64("sent_ns", count(|r| r.sent.as_nanos()))
        .quantity(NS, "When the block was filled, or it was decided to send it again.")
        .u64("start_ns", count(|r| r.start.as_nanos()))
        .quantity(NS, "When its slot begins on the air.")
        .u64("received_ns", count(|r| r.received.as_nanos()))
        .quantity(NS, "When it was received and decoding was tried.")
        .u64("process", count(|r| r.process.into()))
        .doc("HARQ process of the UE in this direction.")
        .u64("attempt", count(|r| r.attempt.into()))
        .doc("0 for the first transmission of the block.")
        .u64("first_resource_block", count(|r| r.runs.first().map_or(0, |run| run.0.into())))
        .doc("The lowest of its resource blocks, from 0.")
        .u64("resource_blocks", count(|r| r.resource_blocks().into()))
        .quantity(RESOURCE_BLOCKS, "How many it has.")
        .optional_utf8("resource_block_runs", rows.iter().map(BlockRow::several_runs))
        .doc("Which they are, as `0-3 8-11`; null if they lie side by side.")
        .u64("first_symbol", count(|r| r.first_symbol.into()))
        .doc("Its first symbol in the slot, from 0.")
        .u64("symbols", count(|r| r.symbols.into()))
        .doc("How many symbols it has.")
        .u64("layers", count(|r| r.layers.into()))
        .doc("Layers of spatial multiplexing.")
        .u64("mcs", count(|r| r.mcs.into()))
        .doc("Modulation and coding scheme.")
        .u64("block_bytes", count(|r| r.bytes.into()))
        .quantity(BYTES, "Bytes of the transport block.")
        .u64("padding_bytes", count(|r| r.padding.into()))
        .quantity(BYTES, "Those that carry nothing.")
        .optional_f64("sinr_db", rows.iter().map(|r| r.sinr_db.map(f64::from)))
        .quantity(DB, "Effective SINR with which it was received; null if nobody listened.")
        .optional_utf8("fate", rows.iter().map(|r| r.fate.map(Fate::name)))
        .doc("`decoded`, `failed`, or `missed`, where the UE had missed the assignment or grant; null if the run ended before.")
}

fn carried(inventory: &Inventory, rows: &[CarriedRow]) -> Table {
    let bearer = |r: &CarriedRow| {
        named(inventory.bearers.get(r.bearer.index()).map(|bearer| &*bearer.name), r.bearer)
    };
    let piece = |r: &CarriedRow| match r.what {
        Carried::Packet { id, start, size, .. } => {
            Some([i64::try_from(id).unwrap_or(i64::MAX), i64::from(start), i64::from(size)])
        }
        Carried::Status | Carried::Full => None,
    };
    let part = |n: usize| rows.iter().map(move |r| piece(r).map(|piece| piece[n]));
    Table::new()
        .describe("What a transport block carries, in order: a stretch of a packet, a status report of RLC, or bytes of a full buffer. Bytes of a block beyond these and its padding are headers and reports of MAC and RLC.")
        .u64("block", rows.iter().map(|r| r.block))
        .doc("Number of the transport block.")
        .utf8("bearer", rows.iter().map(bearer))
        .doc("Name of the bearer.")
        .utf8("what", rows.iter().map(|r| r.what.name()))
        .doc("`new` bytes of a packet, bytes that RLC sends `again`, an RLC `status` report, or bytes of a `full` buffer.")
        .u64("bytes", rows.iter().map(|r| r.bytes.into()))
        .quantity(BYTES, "Bytes of it. Those of a status report and of a full buffer have RLC's headers with them.")
        .optional_i64("packet", part(0))
        .doc("Number of the packet within the run: `id` in `journeys.parquet` and `packets.parquet`.")
        .optional_i64("first_byte", part(1))
        .doc("Place of the first of these bytes in the packet with its PDCP header, from 0.")
        .optional_i64("packet_bytes", part(2))
        .quantity(BYTES, "Bytes of the whole packet with that header.")
}

fn control(inventory: &Inventory, rows: &[ControlRow]) -> Table {
    let direction = |r: &ControlRow| match r.kind {
        ControlKind::Blocked(direction) => Some(direction.name()),
        ControlKind::Missed | ControlKind::Unused { .. } => Some(Direction::Uplink.name()),
        _ => None,
    };
    let value = |r: &ControlRow| match r.kind {
        ControlKind::Elements { used, .. } => Some(i64::from(used)),
        ControlKind::Report { bytes } => Some(i64::try_from(bytes).unwrap_or(i64::MAX)),
        ControlKind::Unused { resource_blocks } => Some(i64::from(resource_blocks)),
        _ => None,
    };
    let elements = |r: &ControlRow, f: fn(u16, u16) -> u16| match r.kind {
        ControlKind::Elements { elements, blocked, .. } => Some(i64::from(f(elements, blocked))),
        _ => None,
    };
    Table::new()
        .describe("Something on the control channel, or that only the control channel explains.")
        .u64("time_ns", rows.iter().map(|r| r.at.as_nanos()))
        .quantity(NS, "When: of elements and of who was blocked, the decision; of a report, when the cell reads it.")
        .utf8("cell", rows.iter().map(|r| cell_name(inventory, r.cell)))
        .doc("Name of the cell.")
        .optional_utf8("ue", rows.iter().map(|r| r.ue.map(|ue| ue_name(inventory, ue))))
        .doc("Name of the UE, if it is of one.")
        .utf8("kind", rows.iter().map(|r| r.kind.name()))
        .doc("`elements` that grants of a slot take; a UE was `blocked` for want of them; it `missed` a grant uplink; it sent a scheduling `request`; a buffer status `report` came; a configured grant was `unused`.")
        .optional_utf8("direction", rows.iter().map(direction))
        .doc("`down` or `up`, of who was blocked, of what was missed or unused.")
        .optional_i64("value", rows.iter().map(value))
        .doc("Elements that are used; bytes that a report says to wait; resource blocks that are unused.")
        .optional_i64("elements", rows.iter().map(|r| elements(r, |elements, _| elements)))
        .doc("Elements that there are.")
        .optional_i64("blocked", rows.iter().map(|r| elements(r, |_, blocked| blocked)))
        .doc("UEs that lacked elements, each counted once a direction.")
}

fn queues(inventory: &Inventory, rows: &[QueueRow]) -> Table {
    Table::new()
        .describe("What waits of a UE at PDCP and RLC from a time on. Of the changes within a slot the last is told, at the time of the first.")
        .u64("time_ns", rows.iter().map(|r| r.at.as_nanos()))
        .quantity(NS, "From when on.")
        .utf8("ue", rows.iter().map(|r| ue_name(inventory, r.ue)))
        .doc("Name of the UE.")
        .utf8("direction", rows.iter().map(|r| r.direction.name()))
        .doc("`down`, at the cell, or `up`, in the UE.")
        .u64("packets", rows.iter().map(|r| r.packets.into()))
        .quantity(PACKETS, "Packets, whole or in part.")
        .u64("bytes", rows.iter().map(|r| r.bytes))
        .quantity(BYTES, "Their bytes.")
}

fn journeys(inventory: &Inventory, rows: &[PacketRow]) -> Table {
    tables::packet_rows(inventory, rows).describe(
        "A packet that ended in the window, or was carried in it, in the order in which they ended.",
    )
}
