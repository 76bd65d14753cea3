//! The tables of a results folder.
//!
//! `flows`, `bearers` and `links` have a row for each, `cells` and `ues` two. `series` is long
//! (time, kind, name, metric, value); `packets` has a row for each packet that ended, on request.

use airpath_base::rrc::Span;
use airpath_base::{UeId, fields};
use airpath_net::{Direction, Handover};

use crate::collect::packets::GROUP;
use crate::measures::balancing::CellOffset;
use crate::measures::carriers::carrier_columns;
use crate::measures::frame::Frame;
use crate::measures::handover::{Change, conditional_columns, daps_columns};
use crate::measures::handover_flow::{Cost, Mark};
use crate::measures::legs::LegRow;
use crate::measures::packet::{self, Packet};
use crate::measures::position::{self, Position};
use crate::measures::request::Request;
use crate::measures::secondary::SecondaryRow;
use crate::measures::series::{self, Sample};
use crate::measures::state::Stay;
use crate::measures::{bearer, cell, flow, link, queue, radio};
use crate::{
    CellSummary, Collector, FlowCounts, FlowSummary, Inventory, Location, PacketRow, RunSummary,
    Table, TableError, TableWriter, UeSummary,
};

type Make = fn(&Collector) -> Table;

/// Files of tables that not every run has, with their tables. Each is made when it is written.
pub(crate) const ON_REQUEST: [(&str, Make); 11] = [
    ("series.parquet", series),
    ("frames.parquet", frames),
    ("requests.parquet", requests),
    ("states.parquet", states),
    ("positions.parquet", positions),
    ("handovers.parquet", handovers),
    ("handover_flows.parquet", handover_flows),
    ("handover_packets.parquet", handover_packets),
    ("cell_offsets.parquet", cell_offsets),
    ("legs.parquet", legs),
    ("secondary_cells.parquet", secondary_cells),
];

/// The table of flows.
pub fn flows(run: &RunSummary) -> Table {
    let any = |has: fn(&FlowSummary) -> bool| run.flows.iter().any(has);
    flows_with(run, [any(|flow| flow.media.is_some()), any(|flow| flow.quic.is_some())])
}

/// The table of flows, with or without the columns of media and of QUIC.
pub(crate) fn flows_with(run: &RunSummary, [media, quic]: [bool; 2]) -> Table {
    let table = Table::new()
        .describe("A flow. Packets, losses and delays are those of its data, not of its feedback.")
        .add(&flow::columns(), run.flows.iter());
    let of_handovers = |flow: &FlowSummary| {
        let stages = [&flow.stages_ms, &flow.lost_stages_ms];
        stages.iter().any(|stages| stages.get("handover").is_some())
    };
    let table = match run.flows.iter().any(of_handovers) {
        true => table.add(&flow::handover_columns(), run.flows.iter()),
        false => table,
    };
    let columns = [
        (media || quic, vec![flow::declared_lost()]),
        (media, vec![flow::declared_lost_arrived()]),
        (media, flow::frame_columns()),
        (quic, flow::quic_columns()),
    ];
    let there = columns.into_iter().filter(|(there, _)| *there);
    there.fold(table, |table, (_, columns)| table.add(&columns, run.flows.iter()))
}

/// The table of cells: a row for each cell and direction.
pub fn cells(run: &RunSummary) -> Table {
    let of = || run.cells.iter().flat_map(|cell| [cell, cell]);
    let both = |cell: &CellSummary| [cell.utilisation, cell.utilisation_up];
    let utilisation: Vec<_> = run.cells.iter().flat_map(both).collect();
    let radio = run.cells.iter().flat_map(|cell| [&cell.down, &cell.up]);
    Table::new()
        .describe("A cell in one direction.")
        .add(&fields!(CellSummary: name), of())
        .add(&[cell::direction()], directions(run.cells.len()))
        .add(&[cell::utilisation()], utilisation.iter())
        .add(&radio::of_cells(), radio)
        .add(&fields!(CellSummary: control_utilisation), of())
}

/// The table of UEs: a row for each UE and direction.
pub fn ues(run: &RunSummary) -> Table {
    let of = run.ues.iter().flat_map(|ue| [ue, ue]);
    let radio = run.ues.iter().flat_map(|ue| [&ue.down, &ue.up]);
    Table::new()
        .describe("A UE in one direction.")
        .add(&fields!(UeSummary: name, cell), of)
        .add(&[cell::direction()], directions(run.ues.len()))
        .add(&radio::of_ues(), radio)
}

/// Downlink and uplink, for each of `count`.
fn directions(count: usize) -> impl Iterator<Item = &'static Direction> + Clone {
    std::iter::repeat_n(&Direction::ALL, count).flatten()
}

/// The table of bearers.
pub fn bearers(run: &RunSummary) -> Table {
    let of = run.bearers.iter();
    Table::new()
        .describe("A bearer.")
        .add(&bearer::columns(), of.clone())
        .add(&queue::columns("queue", ""), of.clone().map(|bearer| &bearer.queue))
        .add(&queue::columns("queue_up", "Uplink: "), of.map(|bearer| &bearer.queue_up))
}

/// The table of wired links.
pub fn links(run: &RunSummary) -> Table {
    let of = run.links.iter();
    Table::new()
        .describe("A wired link in one direction.")
        .add(&link::columns(), of.clone())
        .add(&queue::columns("queue", ""), of.map(|link| &link.queue))
}

/// The time series, in long form.
pub fn series(collector: &Collector) -> Table {
    Table::of(collector.series().iter().map(|row| Sample::of((collector, row))))
        .describe(&series::description())
}

/// The table of frames of all flows of media, in the order in which they arrived.
pub fn frames(collector: &Collector) -> Table {
    let rows = of_flows(collector, |flow| flow.media.as_ref().map_or(&[], |media| &media.rows));
    Table::of(rows.map(Frame::of))
}

/// The table of requests of all flows, in the order in which they ended.
pub fn requests(collector: &Collector) -> Table {
    let rows = of_flows(collector, |flow| flow.requests.as_ref().map_or(&[], |all| &all.rows));
    Table::of(rows.map(Request::of))
}

/// Rows of each flow, with its name.
fn of_flows<'a, T: 'a>(
    collector: &'a Collector,
    rows: fn(&FlowCounts) -> &[T],
) -> impl Iterator<Item = (&'a str, &'a T)> {
    let flows = collector.inventory().flows.iter().zip(&collector.flows.items);
    flows.flat_map(move |(info, counts)| rows(counts).iter().map(|row| (&*info.name, row)))
}

/// The table of radio states: a row for each stay of a UE with RRC in one.
pub fn states(collector: &Collector) -> Table {
    let ues = collector.ues.items.iter().enumerate();
    let stays: Vec<(String, &Span)> = ues
        .flat_map(|(n, counts)| {
            let spans = counts.rrc.iter().flat_map(|rrc| &rrc.spans);
            spans.map(move |span| (collector.ue_name(UeId(n as u32)), span))
        })
        .collect();
    Table::of(stays.iter().map(|(ue, span)| Stay::of((ue, span))))
}

/// The table of positions: a row for each sample of a UE that moves.
pub fn positions(collector: &Collector) -> Table {
    positions_with(collector, collector.inventory().handover)
}

/// The table of positions, with or without the columns of what flows carried.
pub(crate) fn positions_with(collector: &Collector, carried: bool) -> Table {
    let table = Table::of(collector.positions().map(|row| Position::of((collector, row))));
    let before: Vec<&[f32; 2]> = collector.carried_before().collect();
    if carried { table.add(&position::carried(), before.into_iter()) } else { table }
}

/// The table of handovers: a row for each change of a UE's cell, or attempt at it.
pub fn handovers(collector: &Collector) -> Table {
    let own = collector.inventory();
    handovers_with(collector, [own.carriers, own.conditional, own.daps])
}

/// The table of handovers, with or without the columns of several carriers, of conditional handover and of DAPS.
pub(crate) fn handovers_with(collector: &Collector, with: [bool; 3]) -> Table {
    let table = Table::of(collector.handovers().map(|row| Change::of((collector, row))));
    let columns = [carrier_columns(), conditional_columns(), daps_columns()];
    with.into_iter().zip(columns).filter(|(there, _)| *there).fold(table, |table, (_, columns)| {
        let rows: Vec<&Handover> = collector.handovers().collect();
        table.add(&columns, rows.into_iter())
    })
}

/// The table of what each change of a UE's cell cost each of its flows.
pub fn handover_flows(collector: &Collector) -> Table {
    Table::of(collector.handover_flows().iter().map(|row| Cost::of((collector, row))))
}

/// The table of packets around the change of a cell with the longest gap.
pub fn handover_packets(collector: &Collector) -> Table {
    let found = collector.longest_gap().into_iter();
    let rows = found.flat_map(|(record, marks)| marks.iter().map(move |mark| (record, mark)));
    Table::of(rows.map(|(record, mark)| Mark::of((collector, record, mark))))
}

/// The table of moves of the offsets of cells by load.
pub fn cell_offsets(collector: &Collector) -> Table {
    Table::of(collector.offset_moves().iter().map(|row| CellOffset::of((collector, row))))
}

/// The table of stays in secondary cells.
pub fn secondary_cells(collector: &Collector) -> Table {
    Table::of(collector.secondary_stays().map(|row| SecondaryRow::of((collector, row))))
}

/// The table of changes of legs.
pub fn legs(collector: &Collector) -> Table {
    Table::of(collector.leg_changes().map(|row| LegRow::of((collector, row))))
}

/// Writes the table of the packets that a collector has kept, as it would have written it.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_packets(collector: &Collector, to: impl Into<Location>) -> Result<(), TableError> {
    let mut writer = TableWriter::create(to, &packets(collector, &[]))?;
    for part in collector.packets().chunks(GROUP) {
        writer.write(&packets(collector, part))?;
    }
    writer.finish()
}

/// The table of these packets, which are a part of a run's.
pub fn packets(collector: &Collector, rows: &[PacketRow]) -> Table {
    packet_rows(collector.inventory(), rows)
}

/// The table of these packets of a run with this inventory.
pub(crate) fn packet_rows(inventory: &Inventory, rows: &[PacketRow]) -> Table {
    Table::of(rows.iter().map(|row| Packet::of((inventory, row))))
        .add(&packet::stages(inventory.handover), rows.iter())
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
