//! The tables of a results folder.
//!
//! `flows`, `bearers` and `links` have a row for each, `cells` and `ues` two; `series` is
//! long (time, kind, name, metric, value); `packets` has a row for each packet
//! that ended, on request.

use std::path::Path;

use airpath_base::measure::{BYTES, MS, NS, PACKETS, S};
use airpath_base::rrc::Span;
use airpath_base::{Time, UeId, fields};
use airpath_net::{Direction, Exchange, Leg, Stage};

use crate::measures::source::named;
use crate::measures::{bearer, cell, flow, link, queue, radio};
use crate::{
    CellSummary, Collector, FrameRow, Inventory, PacketRow, RunSummary, SeriesRow, Subject, Table,
    TableError, TableWriter, UeSummary,
};

/// Rows of packets that are laid out at a time.
const PART: usize = 1 << 16;

/// What the rows of the time series are.
const SERIES: &str = "A value of a metric at a time. Metrics of a flow: `in_order_goodput_bps`, what its application got in order in the interval (of datagrams, whatever arrived; of full buffers, the bytes in decoded blocks), in bit/s; `arrival_rate_bps`, the IP bytes of its data packets that arrived in the interval, in bit/s, not of full buffers; of TCP at the end of the interval `cwnd_bytes`, `in_flight_bytes`, `srtt_ms`; of a player `buffer_s`, the media that it could play without more arriving. Of a bearer or link: `queue_packets` and `queue_bytes`, what waited, mean over the interval; `queue_delay_ms`, mean wait of the packets that left the queue in the interval, with no row where none did. Of a cell: `resource_blocks`, those used in the interval; `mcs`, mean modulation and coding scheme of its transmissions; `sinr_db`, their mean effective SINR in dB. Rows of what has no value are left out.";

/// The table of flows.
pub fn flows(run: &RunSummary) -> Table {
    Table::new()
        .describe("A flow. Packets, losses and delays are those of its data, not of its feedback.")
        .add(&flow::columns(), run.flows.iter())
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
    let rows = collector.series();
    Table::new()
        .describe(SERIES)
        .f64("time_s", rows.iter().map(|r| r.at.as_secs_f64()))
        .quantity(S, "End of the interval.")
        .utf8("kind", rows.iter().map(kind))
        .doc("`flow`, `bearer_down`, `bearer_up`, `cell_down`, `cell_up` or `link`.")
        .utf8("name", rows.iter().map(|r| subject_name(collector, r.subject)))
        .doc("Name of the flow, bearer, cell or link.")
        .optional_utf8("ue", rows.iter().map(|r| subject_ue(collector, r.subject)))
        .doc("UE of the flow or bearer.")
        .utf8("metric", rows.iter().map(|r| r.metric))
        .doc("What was measured; its ending is its unit.")
        .f64("value", rows.iter().map(|r| r.value))
        .doc("The value.")
}

/// The table of frames of all flows of media, in the order in which they arrived.
pub fn frames(collector: &Collector) -> Table {
    let flows = collector.inventory().flows.iter();
    let rows: Vec<(&str, &FrameRow)> = flows
        .zip(&collector.flows.items)
        .flat_map(|(info, counts)| {
            let rows = counts.media.iter().flat_map(|media| &media.rows);
            rows.map(|row| (&*info.name, row))
        })
        .collect();
    let rows = rows.iter();
    Table::new()
        .describe("A frame of media, in the order in which they arrived.")
        .utf8("flow", rows.clone().map(|(flow, _)| flow))
        .doc("Name of the flow.")
        .u64("number", rows.clone().map(|(_, r)| r.number))
        .doc("Number of the frame within its flow, from 0.")
        .u64("made_ns", rows.clone().map(|(_, r)| r.made.as_nanos()))
        .quantity(NS, "When the encoder made it.")
        .i64("bytes", rows.clone().map(|(_, r)| i64::from(r.bytes)))
        .quantity(BYTES, "Bytes of media.")
        .i64("packets", rows.clone().map(|(_, r)| i64::from(r.packets)))
        .quantity(PACKETS, "RTP packets.")
        .bool("key", rows.clone().map(|(_, r)| r.key))
        .doc("Whether it can be decoded without the frames before.")
        .optional_f64("delay_ms", rows.map(|(_, r)| r.delay.map(|delay| delay.as_millis_f64())))
        .quantity(MS, "From encoder to picture; null if it did not arrive whole.")
}

/// The table of requests of all flows, in the order in which they ended.
pub fn requests(collector: &Collector) -> Table {
    let flows = collector.inventory().flows.iter();
    let rows: Vec<(&str, &Exchange)> = flows
        .zip(&collector.flows.items)
        .flat_map(|(info, counts)| {
            let rows = counts.requests.iter().flat_map(|requests| &requests.rows);
            rows.map(|row| (&*info.name, row))
        })
        .collect();
    let rows = rows.iter();
    let span = |row: &Exchange, until: Option<Time>| {
        until.map(|until| until.saturating_since(row.asked).as_millis_f64())
    };
    Table::new()
        .describe("A request and its response, in the order in which they ended.")
        .utf8("flow", rows.clone().map(|(flow, _)| flow))
        .doc("Name of the flow.")
        .u64("number", rows.clone().map(|(_, r)| r.number))
        .doc("Number of the request within its flow, from 0.")
        .i64("connection", rows.clone().map(|(_, r)| i64::from(r.connection)))
        .doc("Number of its connection within the flow, from 0.")
        .u64("asked_ns", rows.clone().map(|(_, r)| r.asked.as_nanos()))
        .quantity(NS, "When the application asked.")
        .u64("request_bytes", rows.clone().map(|(_, r)| r.request))
        .quantity(BYTES, "Bytes of the request.")
        .u64("response_bytes", rows.clone().map(|(_, r)| r.response))
        .quantity(BYTES, "Bytes of the response.")
        .optional_f64("first_byte_ms", rows.clone().map(|(_, r)| span(r, r.first)))
        .quantity(MS, "From asking to the first byte of the response; null if none came.")
        .optional_f64("duration_ms", rows.map(|(_, r)| span(r, r.done)))
        .quantity(MS, "From asking to the last byte; null if it did not come.")
}

/// The table of radio states: a row for each stay of a UE with RRC in one.
pub fn states(collector: &Collector) -> Table {
    let ues = collector.ues.items.iter().enumerate();
    let rows: Vec<(String, &Span)> = ues
        .flat_map(|(n, counts)| {
            let spans = counts.rrc.iter().flat_map(|rrc| &rrc.spans);
            spans.map(move |span| (collector.ue_name(UeId(n as u32)), span))
        })
        .collect();
    let rows = rows.iter();
    Table::new()
        .describe("A stay of a UE with RRC in a radio state.")
        .utf8("ue", rows.clone().map(|(ue, _)| ue))
        .doc("Name of the UE.")
        .u64("start_ns", rows.clone().map(|(_, span)| span.start.as_nanos()))
        .quantity(NS, "When it began.")
        .u64("end_ns", rows.clone().map(|(_, span)| span.end.as_nanos()))
        .quantity(NS, "When it ended.")
        .utf8("state", rows.map(|(_, span)| span.state.name()))
        .doc("`idle`, `promotion`, `active`, `short_drx` or `long_drx`.")
}

/// Writes the table of packets, a part at a time.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_packets(collector: &Collector, path: &Path) -> Result<(), TableError> {
    let mut writer = TableWriter::create(path, &packets(collector, &[]))?;
    for part in collector.packets().chunks(PART) {
        writer.write(&packets(collector, part))?;
    }
    writer.finish()
}

/// The table of these packets, which are a part of a run's.
pub fn packets(collector: &Collector, rows: &[PacketRow]) -> Table {
    packet_rows(collector.inventory(), rows)
        .describe("A packet that was received or dropped, in the order in which they ended.")
}

/// The columns of a table of packets.
pub(crate) fn packet_rows(inventory: &Inventory, rows: &[PacketRow]) -> Table {
    let flows = &inventory.flows;
    let node = |r: &PacketRow| inventory.spot(r.node, r.end);
    let flow = |r: &PacketRow| named(flows.get(r.flow.index()).map(|f| &*f.name), r.flow);
    let table = Table::new()
        .utf8("flow", rows.iter().map(flow))
        .doc("Name of the flow.")
        .utf8("leg", rows.iter().map(leg))
        .doc("`data`, or `feedback`: acknowledgements and reports.")
        .u64("number", rows.iter().map(|r| r.number))
        .doc("Number of the packet within its leg, as the sender counts.")
        .u64("id", rows.iter().map(|r| r.id))
        .doc("Number of the packet within the run, in order of origin.")
        .i64("size", rows.iter().map(|r| i64::from(r.size)))
        .quantity(BYTES, "Bytes of the IP packet, without tunnels.")
        .u64("born_ns", rows.iter().map(|r| r.born.as_nanos()))
        .quantity(NS, "When its application made it.")
        .u64("ended_ns", rows.iter().map(|r| r.ended.as_nanos()))
        .quantity(NS, "When it was received or dropped.")
        .bool("delivered", rows.iter().map(|r| r.dropped.is_none()))
        .doc("Whether it was received.")
        .optional_utf8("dropped", rows.iter().map(|r| r.dropped.map(|cause| cause.name())))
        .doc("Why it was dropped.")
        .utf8("node", rows.iter().map(node))
        .doc("Node at which it ended. At the radio: the cell or the UE that dropped it.")
        .bool("ce", rows.iter().map(|r| r.ce))
        .doc("Whether its ECN field said congestion experienced at the end.");
    Stage::ALL.into_iter().fold(table, |table, stage| {
        let spent = rows.iter().map(|r| r.stages.spent(stage).as_nanos());
        let doc = format!("Time in the stage `{}`.", stage.name());
        table.u64(&format!("{}_ns", stage.name()), spent).quantity(NS, &doc)
    })
}

fn leg(row: &PacketRow) -> &'static str {
    match row.leg {
        Leg::Data => "data",
        Leg::Feedback => "feedback",
    }
}

fn kind(row: &SeriesRow) -> &'static str {
    match row.subject {
        Subject::Flow(_) => "flow",
        Subject::Downlink(_) => "bearer_down",
        Subject::Uplink(_) => "bearer_up",
        Subject::CellDownlink(_) => "cell_down",
        Subject::CellUplink(_) => "cell_up",
        Subject::Link(_) => "link",
    }
}

fn subject_name(collector: &Collector, subject: Subject) -> String {
    let inventory = collector.inventory();
    match subject {
        Subject::Flow(id) => named(inventory.flows.get(id.index()).map(|f| &*f.name), id),
        Subject::Downlink(id) | Subject::Uplink(id) => {
            named(inventory.bearers.get(id.index()).map(|b| &*b.name), id)
        }
        Subject::CellDownlink(id) | Subject::CellUplink(id) => collector.cell_name(id),
        Subject::Link(id) => {
            let link = inventory.links.iter().find(|link| link.node == id);
            link.map_or_else(|| collector.node_name(id), |link| link.name.clone())
        }
    }
}

/// The UE that a flow or a bearer belongs to.
fn subject_ue(collector: &Collector, subject: Subject) -> Option<String> {
    let inventory = collector.inventory();
    let ue = match subject {
        Subject::Flow(id) => inventory.flows.get(id.index())?.ue?,
        Subject::Downlink(id) | Subject::Uplink(id) => inventory.bearers.get(id.index())?.ue,
        Subject::CellDownlink(_) | Subject::CellUplink(_) | Subject::Link(_) => return None,
    };
    Some(collector.ue_name(ue))
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
