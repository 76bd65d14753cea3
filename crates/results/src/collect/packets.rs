//! A row for each packet that ended: kept for a reader, or written to a file in groups of rows.

use airpath_base::{FlowId, NodeId, Time};
use airpath_net::{DropCause, Leg, Packet, RadioEnd, Stages};

use super::{Collector, Spot};
use crate::{Inventory, Location, TableError, TableWriter, tables};

/// Rows of a row group of the file. No more rows wait to be written.
pub(crate) const GROUP: usize = 1 << 16;

/// A packet that was received or dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketRow {
    /// Its flow.
    pub flow: FlowId,
    /// Its leg.
    pub leg: Leg,
    /// Its number within the leg.
    pub number: u64,
    /// Its number within the run.
    pub id: u64,
    /// Bytes of IP.
    pub size: u32,
    /// Time at which its application made it.
    pub born: Time,
    /// Time at which it was received or dropped.
    pub ended: Time,
    /// Node at which it ended.
    pub node: NodeId,
    /// The end of the radio that dropped it, if one did.
    pub end: Option<RadioEnd>,
    /// Cause of the drop; none if it was received.
    pub dropped: Option<DropCause>,
    /// True if its ECN field was congestion experienced at the end.
    pub ce: bool,
    /// Time in each stage.
    pub stages: Stages,
}

impl PacketRow {
    /// A packet that ends now.
    pub(crate) fn of(
        now: Time,
        (node, end): Spot,
        packet: &Packet,
        dropped: Option<DropCause>,
    ) -> PacketRow {
        PacketRow {
            flow: packet.flow,
            leg: packet.leg,
            number: packet.number,
            id: packet.id,
            size: packet.size,
            born: packet.born(),
            ended: now,
            node,
            end,
            dropped,
            ce: packet.ecn == airpath_wire::Ecn::Ce,
            stages: packet.stages.clone(),
        }
    }
}

/// Rows of packets in the order in which they ended.
pub(super) struct Packets {
    limit: usize,
    /// Rows that are in no file.
    pub(super) rows: Vec<PacketRow>,
    file: Option<PacketFile>,
    pub(super) omitted: u64,
}

/// A file that takes rows in groups. It is created with the first.
struct PacketFile {
    location: Location,
    writer: Option<TableWriter>,
    rows: usize,
    /// The first failure; later rows are lost.
    failure: Option<TableError>,
}

impl Collector {
    /// Writes rows of packets to this Parquet file from now on, instead of keeping them. Groups of
    /// 65,536 rows are written as they are full. The file is made with the first group.
    pub fn write_packets(&mut self, location: Location) {
        self.packets.write_to(location);
    }

    /// Completes the file of packets, if there is one.
    ///
    /// # Errors
    ///
    /// The first failure of writing to it.
    pub fn close_packets(&mut self) -> Result<(), TableError> {
        self.packets.close(&self.inventory)
    }

    /// Rows of packets that are in no file, in the order in which they ended.
    pub fn packets(&self) -> &[PacketRow] {
        &self.packets.rows
    }

    /// Packets beyond the table's limit.
    pub fn packets_omitted(&self) -> u64 {
        self.packets.omitted
    }
}

impl Packets {
    pub(super) fn new(limit: usize) -> Packets {
        Packets { limit, rows: Vec::new(), file: None, omitted: 0 }
    }

    /// Rows go to a file at this location from now on.
    pub(super) fn write_to(&mut self, location: Location) {
        self.file = Some(PacketFile { location, writer: None, rows: 0, failure: None });
    }

    #[inline]
    pub(super) fn ended(
        &mut self,
        now: Time,
        at: Spot,
        packet: &Packet,
        dropped: Option<DropCause>,
        inventory: &Inventory,
    ) {
        if self.limit > 0 {
            self.push(PacketRow::of(now, at, packet, dropped), inventory);
        }
    }

    fn push(&mut self, row: PacketRow, inventory: &Inventory) {
        let written = self.file.as_ref().map_or(0, |file| file.rows);
        if written + self.rows.len() >= self.limit {
            self.omitted += 1;
            return;
        }
        self.rows.push(row);
        if self.rows.len() >= GROUP {
            self.flush(inventory);
        }
    }

    /// Writes the waiting rows, if there is a file for them.
    fn flush(&mut self, inventory: &Inventory) {
        let Some(file) = self.file.as_mut().filter(|_| !self.rows.is_empty()) else { return };
        if file.failure.is_none() {
            file.failure = file.write(&self.rows, inventory).err();
        }
        file.rows += self.rows.len();
        self.rows.clear();
    }

    /// Writes the last group and completes the file.
    pub(super) fn close(&mut self, inventory: &Inventory) -> Result<(), TableError> {
        self.flush(inventory);
        let Some(PacketFile { writer, failure, .. }) = self.file.take() else { return Ok(()) };
        failure.map_or(Ok(()), Err)?;
        writer.map_or(Ok(()), TableWriter::finish)
    }
}

impl PacketFile {
    fn write(&mut self, rows: &[PacketRow], inventory: &Inventory) -> Result<(), TableError> {
        let part = tables::packet_rows(inventory, rows);
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(TableWriter::create(self.location.clone(), &part)?),
        };
        writer.write(&part)
    }
}

#[cfg(test)]
#[path = "packets_tests.rs"]
mod tests;
