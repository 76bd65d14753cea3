//! The tables of a results folder.
//!
//! `flows`, `cells`, `bearers` and `links` have a row for each; `series` is
//! long (time, kind, name, metric, value); `packets` has a row for each packet
//! that ended, on request.

use std::path::Path;

use airpath_base::rrc::Span;
use airpath_base::{Time, UeId};
use airpath_net::{Direction, Exchange, Leg, Stage};

use crate::summarise::named;
use crate::summary::{BearerSummary, CellSummary, FlowSummary, RadioSummary, RunSummary};
use crate::{
    Collector, DelaySummary, FrameRow, PacketRow, QueueSummary, SeriesRow, Subject, Table,
    TableError, TableWriter,
};

/// Rows of packets that are laid out at a time.
const PART: usize = 1 << 16;

/// The table of flows.
pub fn flows(run: &RunSummary) -> Table {
    let of = &run.flows;
    let count = |f: fn(&FlowSummary) -> u64| of.iter().map(f);
    let delay = |f: fn(&DelaySummary) -> f64| of.iter().map(move |x| x.delay_ms.as_ref().map(f));
    let sample = of.iter().map(|f| f.delay_ms.and_then(|d| d.stddev_sample));
    let table = Table::new()
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
        .optional_f64("delay_min_ms", delay(|d| d.min))
        .optional_f64("delay_max_ms", delay(|d| d.max))
        .optional_f64("delay_stddev_ms", delay(|d| d.stddev))
        .optional_f64("delay_stddev_sample_ms", sample)
        .optional_f64("delay_p50_ms", delay(|d| d.p50))
        .optional_f64("delay_p95_ms", delay(|d| d.p95))
        .optional_f64("delay_p99_ms", delay(|d| d.p99))
        .optional_f64("jitter_ms", of.iter().map(|f| f.jitter_ms))
        .u64("marks", count(|f| f.marks))
        .u64("retransmissions", count(|f| f.retransmissions))
        .u64("timeouts", count(|f| f.timeouts))
        .optional_f64("rtt_ms", of.iter().map(|f| f.rtt_ms))
        .optional_f64("start_s", of.iter().map(|f| f.start_s))
        .optional_f64("finish_s", of.iter().map(|f| f.finish_s));
    Stage::ALL.into_iter().fold(table, |table, stage| {
        let means = of.iter().map(|f| f.stages_ms.get(stage.name()).copied());
        table.optional_f64(&format!("{}_ms", stage.name()), means)
    })
}

/// The table of cells: a row for each cell and direction.
pub fn cells(run: &RunSummary) -> Table {
    let both = |cell: &'_ CellSummary| {
        let down = (Direction::Downlink, cell.utilisation, cell.down.clone());
        let up = (Direction::Uplink, cell.utilisation_up, cell.up.clone());
        [down, up].map(|(d, utilisation, radio)| (cell.name.clone(), d, utilisation, radio))
    };
    let of: Vec<_> = run.cells.iter().flat_map(both).collect();
    let count = |f: fn(&RadioSummary) -> u64| of.iter().map(move |(.., radio)| f(radio));
    let mean = |f: fn(&RadioSummary) -> Option<f64>| of.iter().map(move |(.., radio)| f(radio));
    Table::new()
        .utf8("name", of.iter().map(|(name, ..)| name))
        .utf8("direction", of.iter().map(|(_, direction, ..)| direction.name()))
        .optional_f64("utilisation", of.iter().map(|(_, _, utilisation, _)| *utilisation))
        .u64("transmissions", count(|r| r.transmissions))
        .u64("resource_blocks", count(|r| r.resource_blocks))
        .u64("bytes", count(|r| r.bytes))
        .u64("padding_bytes", count(|r| r.padding_bytes))
        .optional_f64("bits_per_resource_block", mean(|r| r.bits_per_resource_block))
        .optional_f64("bler_first", mean(|r| r.bler_first))
        .optional_f64("mean_mcs", mean(|r| r.mean_mcs))
        .optional_f64("mean_sinr_db", mean(|r| r.mean_sinr_db))
}

/// The table of bearers.
pub fn bearers(run: &RunSummary) -> Table {
    let of = &run.bearers;
    let queue = |f: fn(&BearerSummary) -> &QueueSummary| of.iter().map(f);
    let table = Table::new()
        .utf8("name", of.iter().map(|b| &b.name))
        .optional_utf8("ue", of.iter().map(|b| b.ue.as_ref()))
        .i64("qci", of.iter().map(|b| i64::from(b.qci)))
        .utf8("rlc_mode", of.iter().map(|b| &b.rlc_mode))
        .u64("delivered_bits", of.iter().map(|b| b.delivered_bits))
        .u64("rlc_retransmissions", of.iter().map(|b| b.rlc_retransmissions))
        .u64("dropped", of.iter().map(|b| b.dropped.iter().map(|(_, n)| n).sum()))
        .f64("resource_blocks", of.iter().map(|b| b.resource_blocks))
        .f64("resource_blocks_up", of.iter().map(|b| b.resource_blocks_up))
        .optional_f64("resource_blocks_per_bit", of.iter().map(|b| b.resource_blocks_per_bit))
        .optional_f64(
            "resource_blocks_per_bit_up",
            of.iter().map(|b| b.resource_blocks_per_bit_up),
        );
    let down = queue(|b| &b.queue);
    let up = queue(|b| &b.queue_up);
    queue_columns(queue_columns(table, "queue", down), "queue_up", up)
}

/// The table of wired links.
pub fn links(run: &RunSummary) -> Table {
    let of = &run.links;
    let rate = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let table = Table::new()
        .utf8("name", of.iter().map(|l| &l.name))
        .optional_i64("rate_bps", of.iter().map(|l| l.rate_bps.map(rate)))
        .u64("dropped", of.iter().map(|l| l.dropped.iter().map(|(_, n)| n).sum()))
        .u64("marks", of.iter().map(|l| l.marks));
    queue_columns(table, "queue", of.iter().map(|l| &l.queue))
}

/// The time series, in long form.
pub fn series(collector: &Collector) -> Table {
    let rows = collector.series();
    Table::new()
        .f64("time_s", rows.iter().map(|r| r.at.as_secs_f64()))
        .utf8("kind", rows.iter().map(kind))
        .utf8("name", rows.iter().map(|r| subject_name(collector, r.subject)))
        .optional_utf8("ue", rows.iter().map(|r| subject_ue(collector, r.subject)))
        .utf8("metric", rows.iter().map(|r| r.metric))
        .f64("value", rows.iter().map(|r| r.value))
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
        .utf8("flow", rows.clone().map(|(flow, _)| flow))
        .u64("number", rows.clone().map(|(_, r)| r.number))
        .u64("made_ns", rows.clone().map(|(_, r)| r.made.as_nanos()))
        .i64("bytes", rows.clone().map(|(_, r)| i64::from(r.bytes)))
        .i64("packets", rows.clone().map(|(_, r)| i64::from(r.packets)))
        .bool("key", rows.clone().map(|(_, r)| r.key))
        .optional_f64("delay_ms", rows.map(|(_, r)| r.delay.map(|delay| delay.as_millis_f64())))
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
        .utf8("flow", rows.clone().map(|(flow, _)| flow))
        .u64("number", rows.clone().map(|(_, r)| r.number))
        .i64("connection", rows.clone().map(|(_, r)| i64::from(r.connection)))
        .u64("asked_ns", rows.clone().map(|(_, r)| r.asked.as_nanos()))
        .u64("request_bytes", rows.clone().map(|(_, r)| r.request))
        .u64("response_bytes", rows.clone().map(|(_, r)| r.response))
        .optional_f64("first_byte_ms", rows.clone().map(|(_, r)| span(r, r.first)))
        .optional_f64("duration_ms", rows.map(|(_, r)| span(r, r.done)))
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
        .utf8("ue", rows.clone().map(|(ue, _)| ue))
        .u64("start_ns", rows.clone().map(|(_, span)| span.start.as_nanos()))
        .u64("end_ns", rows.clone().map(|(_, span)| span.end.as_nanos()))
        .utf8("state", rows.map(|(_, span)| span.state.name()))
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

fn packets(collector: &Collector, rows: &[PacketRow]) -> Table {
    let flows = &collector.inventory().flows;
    let flow = |r: &PacketRow| named(flows.get(r.flow.index()).map(|f| &*f.name), r.flow);
    let table = Table::new()
        .utf8("flow", rows.iter().map(flow))
        .utf8("leg", rows.iter().map(leg))
        .u64("number", rows.iter().map(|r| r.number))
        .u64("id", rows.iter().map(|r| r.id))
        .i64("size", rows.iter().map(|r| i64::from(r.size)))
        .u64("born_ns", rows.iter().map(|r| r.born.as_nanos()))
        .u64("ended_ns", rows.iter().map(|r| r.ended.as_nanos()))
        .bool("delivered", rows.iter().map(|r| r.dropped.is_none()))
        .optional_utf8("dropped", rows.iter().map(|r| r.dropped.map(|cause| cause.name())))
        .utf8("node", rows.iter().map(|r| collector.node_name(r.node)))
        .bool("ce", rows.iter().map(|r| r.ce));
    Stage::ALL.into_iter().fold(table, |table, stage| {
        let spent = rows.iter().map(|r| r.stages.spent(stage).as_nanos());
        table.u64(&format!("{}_ns", stage.name()), spent)
    })
}

fn queue_columns<'a>(
    table: Table,
    name: &str,
    queues: impl Iterator<Item = &'a QueueSummary> + Clone,
) -> Table {
    table
        .optional_f64(&format!("{name}_mean_packets"), queues.clone().map(|q| q.mean_packets))
        .i64(&format!("{name}_max_packets"), queues.clone().map(|q| i64::from(q.max_packets)))
        .optional_f64(&format!("{name}_mean_bytes"), queues.clone().map(|q| q.mean_bytes))
        .u64(&format!("{name}_max_bytes"), queues.clone().map(|q| q.max_bytes))
        .optional_f64(&format!("{name}_mean_delay_ms"), queues.clone().map(|q| q.mean_delay_ms))
        .optional_f64(&format!("{name}_max_delay_ms"), queues.map(|q| q.max_delay_ms))
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
