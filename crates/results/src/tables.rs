//! The tables of a results folder.
//!
//! `flows`, `bearers` and `links` have a row for each, `cells` and `ues` two; `series` is
//! long (time, kind, name, metric, value); `packets` has a row for each packet
//! that ended, on request.

use std::path::Path;

use airpath_base::rrc::Span;
use airpath_base::{Time, UeId};
use airpath_net::{Direction, Exchange, Leg, Stage};

use crate::summarise::named;
use crate::summary::{
    BearerSummary, CellSummary, FlowSummary, LinkSummary, RadioSummary, RunSummary, UeSummary,
};
use crate::{
    Collector, DecibelSummary, DelaySummary, FrameRow, Inventory, PacketRow, QueueSummary,
    SeriesRow, Subject, Table, TableError, TableWriter,
};

/// Rows of packets that are laid out at a time.
const PART: usize = 1 << 16;

/// What the rows of the time series are.
const SERIES: &str = "A value of a metric at a time. Metrics of a flow: `in_order_goodput_bps`, what its application got in order in the interval (of datagrams, whatever arrived; of full buffers, the bytes in decoded blocks), in bit/s; `arrival_rate_bps`, the IP bytes of its data packets that arrived in the interval, in bit/s, not of full buffers; of TCP at the end of the interval `cwnd_bytes`, `in_flight_bytes`, `srtt_ms`; of a player `buffer_s`, the media that it could play without more arriving. Of a bearer or link: `queue_packets` and `queue_bytes`, what waited, mean over the interval; `queue_delay_ms`, mean wait of the packets that left the queue in the interval, with no row where none did. Of a cell: `resource_blocks`, those used in the interval; `mcs`, mean modulation and coding scheme of its transmissions; `sinr_db`, their mean effective SINR in dB. Rows of what has no value are left out.";

/// The table of flows.
pub fn flows(run: &RunSummary) -> Table {
    let of = &run.flows;
    let count = |f: fn(&FlowSummary) -> u64| of.iter().map(f);
    let delay = |f: fn(&DelaySummary) -> f64| of.iter().map(move |x| x.delay_ms.as_ref().map(f));
    let queue = |f: fn(&DelaySummary) -> f64| of.iter().map(move |x| x.queue_ms.as_ref().map(f));
    let sample = of.iter().map(|f| f.delay_ms.and_then(|d| d.stddev_sample));
    let table = Table::new()
        .describe("A flow. Packets, losses and delays are those of its data, not of its feedback.")
        .utf8("name", of.iter().map(|f| &f.name))
        .utf8("kind", of.iter().map(|f| &f.kind))
        .optional_utf8("ue", of.iter().map(|f| f.ue.as_ref()))
        .optional_utf8("direction", of.iter().map(|f| f.direction.as_ref()))
        .u64("sent_packets", count(|f| f.sent_packets))
        .u64("received_packets", count(|f| f.received_packets))
        .u64("lost_packets", count(|f| f.lost_packets))
        .u64("sent_bytes", count(|f| f.sent_bytes))
        .u64("received_bytes", count(|f| f.received_bytes))
        .u64("delivered_bytes", count(|f| f.delivered_bytes))
        .optional_f64("goodput_bps", of.iter().map(|f| f.goodput_bps))
        .optional_f64("delay_mean_ms", delay(|d| d.mean))
        .doc("Mean one-way delay from birth to arrival.")
        .optional_f64("delay_min_ms", delay(|d| d.min))
        .doc("Least of these delays.")
        .optional_f64("delay_max_ms", delay(|d| d.max))
        .doc("Largest of these delays.")
        .optional_f64("delay_stddev_ms", delay(|d| d.stddev))
        .doc("Their standard deviation (divisor n).")
        .optional_f64("delay_stddev_sample_ms", sample)
        .doc("The same with the divisor n - 1.")
        .optional_f64("delay_p50_ms", delay(|d| d.p50))
        .doc("Their median.")
        .optional_f64("delay_p95_ms", delay(|d| d.p95))
        .doc("Their 95th percentile.")
        .optional_f64("delay_p99_ms", delay(|d| d.p99))
        .doc("Their 99th percentile.")
        .optional_f64("queue_mean_ms", queue(|d| d.mean))
        .doc("Mean time of a packet in queues: those of links, and of PDCP and RLC at the cell and in the UE.")
        .optional_f64("queue_p50_ms", queue(|d| d.p50))
        .doc("Median of these times.")
        .optional_f64("queue_p95_ms", queue(|d| d.p95))
        .doc("Their 95th percentile.")
        .optional_f64("queue_p99_ms", queue(|d| d.p99))
        .doc("Their 99th percentile.")
        .optional_f64("jitter_ms", of.iter().map(|f| f.jitter_ms))
        .u64("marks", count(|f| f.marks))
        .u64("retransmissions", count(|f| f.retransmissions))
        .u64("timeouts", count(|f| f.timeouts))
        .optional_f64("rtt_ms", of.iter().map(|f| f.rtt_ms))
        .optional_f64("start_s", of.iter().map(|f| f.start_s))
        .optional_f64("finish_s", of.iter().map(|f| f.finish_s));
    let table = Stage::ALL.into_iter().fold(table.doc_from(FlowSummary::FIELDS), |table, stage| {
        let means = of.iter().map(|f| f.stages_ms.get(stage.name()).copied());
        let doc = format!("Mean time in the stage `{}`.", stage.name());
        table.optional_f64(&format!("{}_ms", stage.name()), means).doc(&doc)
    });
    Stage::ALL.into_iter().fold(table, |table, stage| {
        let means = of.iter().map(|f| f.lost_stages_ms.get(stage.name()).copied());
        let doc = format!("The same of the packets that were dropped, in `{}`.", stage.name());
        table.optional_f64(&format!("lost_{}_ms", stage.name()), means).doc(&doc)
    })
}

/// The table of cells: a row for each cell and direction.
pub fn cells(run: &RunSummary) -> Table {
    fn both(cell: &CellSummary) -> [(&CellSummary, Direction, Option<f64>, &RadioSummary); 2] {
        [
            (cell, Direction::Downlink, cell.utilisation, &cell.down),
            (cell, Direction::Uplink, cell.utilisation_up, &cell.up),
        ]
    }
    let of: Vec<_> = run.cells.iter().flat_map(both).collect();
    let count = |f: fn(&RadioSummary) -> u64| of.iter().map(move |(.., radio)| f(radio));
    let mean = |f: fn(&RadioSummary) -> Option<f64>| of.iter().map(move |(.., radio)| f(radio));
    let table = Table::new()
        .describe("A cell in one direction.")
        .utf8("name", of.iter().map(|(cell, ..)| &cell.name))
        .utf8("direction", of.iter().map(|(_, direction, ..)| direction.name()))
        .doc("`down` or `up`.")
        .optional_f64("utilisation", of.iter().map(|(_, _, utilisation, _)| *utilisation))
        .doc("Share of the resource blocks that were used, 0 to 1.")
        .u64("transmissions", count(|r| r.transmissions))
        .u64("resource_blocks", count(|r| r.resource_blocks))
        .u64("bytes", count(|r| r.bytes))
        .u64("padding_bytes", count(|r| r.padding_bytes))
        .optional_f64("bits_per_resource_block", mean(|r| r.bits_per_resource_block))
        .optional_f64("bler_first", mean(|r| r.bler_first))
        .optional_f64("mean_mcs", mean(|r| r.mean_mcs))
        .optional_f64("mean_sinr_db", mean(|r| r.mean_sinr_db));
    let control = of.iter().map(|(cell, ..)| cell.control_utilisation);
    more_radio(table, of.iter().map(|(.., radio)| *radio))
        .optional_f64("control_utilisation", control)
        .doc_from(RadioSummary::FIELDS)
        .doc_from(CellSummary::FIELDS)
}

/// The table of UEs: a row for each UE and direction.
pub fn ues(run: &RunSummary) -> Table {
    fn both(ue: &UeSummary) -> [(&UeSummary, Direction, &RadioSummary); 2] {
        [(ue, Direction::Downlink, &ue.down), (ue, Direction::Uplink, &ue.up)]
    }
    let of: Vec<_> = run.ues.iter().flat_map(both).collect();
    let count = |f: fn(&RadioSummary) -> u64| of.iter().map(move |(.., radio)| f(radio));
    let mean = |f: fn(&RadioSummary) -> Option<f64>| of.iter().map(move |(.., radio)| f(radio));
    let table = Table::new()
        .describe("A UE in one direction.")
        .utf8("name", of.iter().map(|(ue, ..)| &ue.name))
        .optional_utf8("cell", of.iter().map(|(ue, ..)| ue.cell.as_ref()))
        .utf8("direction", of.iter().map(|(_, direction, _)| direction.name()))
        .doc("`down` or `up`.")
        .u64("transmissions", count(|r| r.transmissions))
        .u64("resource_blocks", count(|r| r.resource_blocks))
        .u64("bytes", count(|r| r.bytes))
        .u64("padding_bytes", count(|r| r.padding_bytes))
        .optional_f64("bler_first", mean(|r| r.bler_first))
        .optional_f64("mean_mcs", mean(|r| r.mean_mcs));
    more_radio(table, of.iter().map(|(.., radio)| *radio))
        .doc_from(RadioSummary::FIELDS)
        .doc_from(UeSummary::FIELDS)
}

/// Columns that tables of cells and of UEs have in common behind their own.
fn more_radio<'a>(table: Table, of: impl Iterator<Item = &'a RadioSummary> + Clone) -> Table {
    let names = ["bler_second", "bler_third", "bler_fourth"];
    let table = names.into_iter().zip(1..).fold(table, |table, (name, attempt)| {
        let failed = of.clone().map(|r| r.bler_by_attempt.get(attempt).copied().flatten());
        let doc =
            format!("Share of transmissions that failed, of those with number {}.", attempt + 1);
        table.optional_f64(name, failed).doc(&doc)
    });
    let sinr =
        |f: fn(&DecibelSummary) -> f64| of.clone().map(move |radio| radio.sinr.as_ref().map(f));
    table
        .optional_f64("sinr_mean_db", sinr(|s| s.mean_db))
        .doc("Mean effective SINR of its transmissions.")
        .optional_f64("sinr_p5_db", sinr(|s| s.p5_db))
        .doc("Its 5th percentile.")
        .optional_f64("sinr_p50_db", sinr(|s| s.p50_db))
        .doc("Its median.")
        .optional_f64("sinr_p95_db", sinr(|s| s.p95_db))
        .doc("Its 95th percentile.")
        .u64("granted_bytes", of.clone().map(|r| r.granted_bytes))
        .optional_f64("throughput_bps", of.clone().map(|r| r.throughput_bps))
        .u64("blocked", of.clone().map(|r| r.blocked))
        .u64("missed", of.map(|r| r.missed))
}

/// The table of bearers.
pub fn bearers(run: &RunSummary) -> Table {
    let of = &run.bearers;
    let queue = |f: fn(&BearerSummary) -> &QueueSummary| of.iter().map(f);
    let table = Table::new()
        .describe("A bearer.")
        .utf8("name", of.iter().map(|b| &b.name))
        .optional_utf8("ue", of.iter().map(|b| b.ue.as_ref()))
        .i64("qci", of.iter().map(|b| i64::from(b.qci)))
        .optional_i64("five_qi", of.iter().map(|b| b.five_qi.map(i64::from)))
        .utf8("rlc_mode", of.iter().map(|b| &b.rlc_mode))
        .u64("delivered_bits", of.iter().map(|b| b.delivered_bits))
        .u64("rlc_retransmissions", of.iter().map(|b| b.rlc_retransmissions))
        .u64("dropped", of.iter().map(|b| b.dropped.iter().map(|(_, n)| n).sum()))
        .doc("Packets dropped at the radio, of flows that are mapped to this bearer.")
        .f64("resource_blocks", of.iter().map(|b| b.resource_blocks))
        .f64("resource_blocks_up", of.iter().map(|b| b.resource_blocks_up))
        .optional_f64("resource_blocks_per_bit", of.iter().map(|b| b.resource_blocks_per_bit))
        .optional_f64("resource_blocks_per_bit_up", of.iter().map(|b| b.resource_blocks_per_bit_up))
        .optional_f64("delay_budget_ms", of.iter().map(|b| b.delay_budget_ms))
        .optional_f64("within_delay_budget", of.iter().map(|b| b.within_delay_budget))
        .optional_f64("within_delay_budget_up", of.iter().map(|b| b.within_delay_budget_up));
    let down = queue(|b| &b.queue);
    let up = queue(|b| &b.queue_up);
    let table = table.doc_from(BearerSummary::FIELDS);
    queue_columns(queue_columns(table, "queue", down), "queue_up", up)
}

/// The table of wired links.
pub fn links(run: &RunSummary) -> Table {
    let of = &run.links;
    let rate = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let table = Table::new()
        .describe("A wired link in one direction.")
        .utf8("name", of.iter().map(|l| &l.name))
        .optional_i64("rate_bps", of.iter().map(|l| l.rate_bps.map(rate)))
        .u64("dropped", of.iter().map(|l| l.dropped.iter().map(|(_, n)| n).sum()))
        .doc("Packets dropped at the link, by its queue or on the wire.")
        .u64("marks", of.iter().map(|l| l.marks));
    queue_columns(table.doc_from(LinkSummary::FIELDS), "queue", of.iter().map(|l| &l.queue))
}

/// The time series, in long form.
pub fn series(collector: &Collector) -> Table {
    let rows = collector.series();
    Table::new()
        .describe(SERIES)
        .f64("time_s", rows.iter().map(|r| r.at.as_secs_f64()))
        .doc("End of the interval.")
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
        .doc("When the encoder made it.")
        .i64("bytes", rows.clone().map(|(_, r)| i64::from(r.bytes)))
        .doc("Bytes of media.")
        .i64("packets", rows.clone().map(|(_, r)| i64::from(r.packets)))
        .doc("RTP packets.")
        .bool("key", rows.clone().map(|(_, r)| r.key))
        .doc("Whether it can be decoded without the frames before.")
        .optional_f64("delay_ms", rows.map(|(_, r)| r.delay.map(|delay| delay.as_millis_f64())))
        .doc("From encoder to picture; null if it did not arrive whole.")
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
        .doc("When the application asked.")
        .u64("request_bytes", rows.clone().map(|(_, r)| r.request))
        .doc("Bytes of the request.")
        .u64("response_bytes", rows.clone().map(|(_, r)| r.response))
        .doc("Bytes of the response.")
        .optional_f64("first_byte_ms", rows.clone().map(|(_, r)| span(r, r.first)))
        .doc("From asking to the first byte of the response; null if none came.")
        .optional_f64("duration_ms", rows.map(|(_, r)| span(r, r.done)))
        .doc("From asking to the last byte; null if it did not come.")
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
        .doc("When it began.")
        .u64("end_ns", rows.clone().map(|(_, span)| span.end.as_nanos()))
        .doc("When it ended.")
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
        .doc("Bytes of the IP packet, without tunnels.")
        .u64("born_ns", rows.iter().map(|r| r.born.as_nanos()))
        .doc("When its application made it.")
        .u64("ended_ns", rows.iter().map(|r| r.ended.as_nanos()))
        .doc("When it was received or dropped.")
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
        table.u64(&format!("{}_ns", stage.name()), spent).doc(&doc)
    })
}

/// Columns of a queue, `queue` or `queue_up`.
fn queue_columns<'a>(
    table: Table,
    name: &str,
    queues: impl Iterator<Item = &'a QueueSummary> + Clone,
) -> Table {
    let table = table
        .optional_f64(&format!("{name}_mean_packets"), queues.clone().map(|q| q.mean_packets))
        .i64(&format!("{name}_max_packets"), queues.clone().map(|q| i64::from(q.max_packets)))
        .optional_f64(&format!("{name}_mean_bytes"), queues.clone().map(|q| q.mean_bytes))
        .u64(&format!("{name}_max_bytes"), queues.clone().map(|q| q.max_bytes))
        .optional_f64(&format!("{name}_mean_delay_ms"), queues.clone().map(|q| q.mean_delay_ms))
        .optional_f64(&format!("{name}_max_delay_ms"), queues.map(|q| q.max_delay_ms));
    let whose = if name == "queue_up" { "Uplink: " } else { "" };
    table.doc_from_with(&format!("{name}_"), whose, QueueSummary::FIELDS)
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
