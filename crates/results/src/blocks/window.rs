//! The rows of a window of time.

use std::collections::{BTreeMap, HashSet};

use airpath_base::{CellId, Duration, FlowId, Time, UeId};
use airpath_net::{Content, Direction, Transmission};

use super::Process;
use super::row::{BlockRow, Carried, CarriedRow, ControlRow, Fate, QueueRow};
use crate::PacketRow;

/// Recorded rows of a window.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// Its beginning.
    pub from: Time,
    /// Its end.
    pub to: Time,
    /// Time at which it reached its most rows, if it did: later transmissions are left out.
    pub truncated: Option<Time>,
    /// Transmissions in the order in which they were decided.
    pub blocks: Vec<BlockRow>,
    /// Contents of blocks; with the first transmission of each block.
    pub carried: Vec<CarriedRow>,
    /// The control channel.
    pub control: Vec<ControlRow>,
    /// Waiting packets.
    pub queues: Vec<QueueRow>,
    /// Packets of its UEs that ended in it, and those that it carried, in the order in which they
    /// ended.
    pub packets: Vec<PacketRow>,
    /// The beginning of the span that goes on.
    pub(super) span_from: Time,
    /// Rows that may still be added.
    left: usize,
    /// Transmissions of which nobody knows yet what became of them.
    pending: BTreeMap<Process, usize>,
    /// The last row of `queues` of a UE and direction.
    last_queue: BTreeMap<(UeId, Direction), usize>,
    /// Packets that were carried in the window and have not ended in it.
    awaited: HashSet<u64>,
}

impl Window {
    pub(super) fn new(from: Time, rows: usize) -> Window {
        Window { from, span_from: from, to: from, left: rows, ..Window::default() }
    }

    /// Makes room for so many rows, or closes the tables.
    fn takes(&mut self, now: Time, rows: usize) -> bool {
        if self.truncated.is_some() || self.left < rows {
            self.truncated.get_or_insert(now);
            return false;
        }
        self.left -= rows;
        true
    }

    pub(super) fn sent(&mut self, now: Time, number: u64, sent: &Transmission<'_>) {
        let pieces = |content: &Content<'_>| match content {
            Content::Data { pieces, .. } => pieces.len(),
            Content::Status | Content::Full => 1,
        };
        let rows = sent.pdus.iter().map(|pdu| pieces(&pdu.content)).sum::<usize>();
        if !self.takes(now, 1 + rows) {
            return;
        }
        let fate = sent.missed.then_some(Fate::Missed);
        if fate.is_none() {
            let process = (sent.cell, sent.process, sent.transport_block);
            self.pending.insert((sent.ue, sent.direction, process), self.blocks.len());
        }
        self.blocks.push(BlockRow {
            number,
            cell: sent.cell,
            ue: sent.ue,
            direction: sent.direction,
            slot: sent.slot,
            sent: now,
            start: sent.start,
            received: sent.received,
            process: sent.process,
            attempt: sent.attempt,
            runs: sent.resource_blocks.to_vec(),
            first_symbol: sent.first_symbol,
            symbols: sent.symbols,
            layers: sent.layers,
            mcs: sent.mcs,
            bytes: sent.bytes,
            padding: sent.padding,
            sinr_db: None,
            fate,
        });
        for pdu in sent.pdus {
            let mut push = |what, bytes| {
                self.carried.push(CarriedRow { block: number, bearer: pdu.bearer, what, bytes });
            };
            match pdu.content {
                Content::Status => push(Carried::Status, pdu.bytes),
                Content::Full => push(Carried::Full, pdu.bytes),
                Content::Data { retransmission: again, pieces } => {
                    for piece in pieces {
                        let (id, start, size) = (piece.id, piece.start, piece.size);
                        let what = Carried::Packet { id, start, size, again };
                        push(what, piece.end - piece.start);
                    }
                }
            }
        }
    }

    /// A transmission was received; tells whether it is one of these.
    pub(super) fn received(&mut self, process: Process, sinr_db: Option<f32>, fate: Fate) -> bool {
        let Some(row) = self.pending.remove(&process) else { return false };
        let row = &mut self.blocks[row];
        (row.sinr_db, row.fate) = (sinr_db, Some(fate));
        true
    }

    pub(super) fn control(&mut self, row: ControlRow) {
        if self.takes(row.at, 1) {
            self.control.push(row);
        }
    }

    pub(super) fn queue(&mut self, row: QueueRow) {
        if self.takes(row.at, 1) {
            self.last_queue.insert((row.ue, row.direction), self.queues.len());
            self.queues.push(row);
        }
    }

    /// Of the changes within a slot the last counts.
    pub(super) fn queue_in_slot(&mut self, row: QueueRow, slot: Duration) {
        let number = |at: Time| at.as_nanos() / slot.as_nanos().max(1);
        let last = self.last_queue.get(&(row.ue, row.direction)).copied();
        match last.filter(|&n| number(self.queues[n].at) == number(row.at)) {
            Some(n) => self.queues[n] = QueueRow { at: self.queues[n].at, ..row },
            None => self.queue(row),
        }
    }

    pub(super) fn packet(&mut self, row: PacketRow) {
        if self.takes(row.ended, 1) {
            self.packets.push(row);
        }
    }

    /// One that was carried in the window and ended behind it.
    pub(super) fn packet_later(&mut self, row: PacketRow) {
        self.awaited.remove(&row.id);
        if self.left > 0 {
            self.left -= 1;
            self.packets.push(row);
        }
    }

    /// True if a packet was carried in the window, and had not ended at its end.
    pub(super) fn awaits(&self, id: u64) -> bool {
        !self.awaited.is_empty() && self.awaited.contains(&id)
    }

    /// The window ends.
    pub(super) fn end(&mut self, at: Time) {
        self.to = at;
        let ended: HashSet<u64> = self.packets.iter().map(|packet| packet.id).collect();
        let ids = self.carried.iter().filter_map(|row| match row.what {
            Carried::Packet { id, .. } => Some(id),
            _ => None,
        });
        self.awaited = ids.filter(|id| !ended.contains(id)).collect();
    }

    /// Keeps what is of one cell.
    pub(super) fn retain(
        &mut self,
        cell: CellId,
        is_in: impl Fn(UeId) -> bool,
        ue_of: impl Fn(FlowId) -> Option<UeId>,
    ) {
        let places = self.blocks.iter().scan(0, |next, row| {
            let place = *next;
            *next += usize::from(row.cell == cell);
            Some((row.cell == cell).then_some(place))
        });
        let places: Vec<Option<usize>> = places.collect();
        self.pending.retain(|_, n| places[*n].map(|place| *n = place).is_some());
        self.blocks.retain(|row| row.cell == cell);
        let numbers: HashSet<u64> = self.blocks.iter().map(|row| row.number).collect();
        self.carried.retain(|row| numbers.contains(&row.block));
        self.control.retain(|row| row.cell == cell);
        self.queues.retain(|row| is_in(row.ue));
        self.packets.retain(|row| ue_of(row.flow).is_some_and(&is_in));
        self.end(self.to);
    }
}
