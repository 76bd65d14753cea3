//! Points as Parquet tables, and a summary. The table `pairs` has a row for each pair, `flows` for
//! each flow and direction, `packets` for each packet with its delay.

use std::path::Path;

use airpath_analyse::points::{FlowPairRecord, PacketRecord, PairRecord, WayRecord};
use airpath_report::Rows;
use airpath_results::{FORMAT, FolderError, ResultsFolder, Table, VERSION};
use serde_json::json;

use crate::output::leftovers;

/// A folder in the making.
pub struct Folder {
    folder: ResultsFolder,
    packets: Rows<(usize, PacketRecord)>,
    flows: Rows<Row>,
    pairs: Rows<Row>,
}

/// A flow, or all of them, one way between two points.
struct Row {
    pair: usize,
    /// The point in front and the one behind.
    points: [String; 2],
    flow: Option<FlowPairRecord>,
    up: bool,
    way: WayRecord,
}

impl Folder {
    /// Begins it; an earlier one of airpath's is replaced.
    pub fn create(target: &Path) -> Result<Folder, FolderError> {
        let folder = ResultsFolder::create(target)?;
        leftovers(folder.leftovers());
        let packets = Rows::create(&folder, "packets.parquet", packets)?;
        let flows = Rows::create(&folder, "flows.parquet", flows)?;
        let pairs = Rows::create(&folder, "pairs.parquet", pairs)?;
        Ok(Folder { folder, packets, flows, pairs })
    }

    /// A packet between the points of a pair.
    pub fn packet(&mut self, pair: usize, packet: &PacketRecord) -> Result<(), FolderError> {
        self.packets.add((pair, *packet))
    }

    /// A pair is done.
    pub fn pair(&mut self, pair: usize, record: &PairRecord) -> Result<(), FolderError> {
        let [first, second] = record.points.clone();
        let both = [[first.clone(), second.clone()], [second, first]];
        for (points, way) in both.iter().zip(&record.ways) {
            let row = Row { pair, points: points.clone(), flow: None, up: false, way: way.clone() };
            self.pairs.add(row)?;
        }
        for flow in &record.flows {
            for (up, way) in [(true, &flow.up), (false, &flow.down)] {
                let points = match flow.client_point {
                    Some(point) => both[usize::from(up != (point == 0))].clone(),
                    None => ["unknown", "unknown"].map(str::to_owned),
                };
                let (flow, way) = (Some(flow.clone()), way.clone());
                self.flows.add(Row { pair, points, flow, up, way })?;
            }
        }
        Ok(())
    }

    /// Ends it; gives where it is.
    pub fn finish(self, records: &[PairRecord]) -> Result<String, FolderError> {
        self.packets.finish()?;
        self.flows.finish()?;
        self.pairs.finish()?;
        let summary = json!({
            "format": FORMAT, "version": VERSION, "complete": true, "pairs": records,
        });
        self.folder.write_json("summary.json", &summary)?;
        self.folder.finish().map(|folder| folder.path().display().to_string())
    }
}

fn packets(rows: &[(usize, PacketRecord)]) -> Table {
    let each = || rows.iter().map(|(_, packet)| packet);
    Table::new()
        .u64("pair", rows.iter().map(|(pair, _)| *pair as u64))
        .u64("flow", each().map(|packet| packet.flow.into()))
        .utf8("direction", each().map(|packet| if packet.up { "up" } else { "down" }))
        .i64("at_ns", each().map(|packet| packet.at))
        .optional_f64("delay_ms", each().map(|packet| packet.delay_ms))
        .u64("payload_bytes", each().map(|packet| packet.payload.into()))
        .utf8("fate", each().map(|packet| packet.fate.name()))
        .u64("dscp_before", each().map(|packet| (packet.tos[0] >> 2).into()))
        .u64("dscp_behind", each().map(|packet| (packet.tos[1] >> 2).into()))
        .u64("ecn_before", each().map(|packet| (packet.tos[0] & 3).into()))
        .u64("ecn_behind", each().map(|packet| (packet.tos[1] & 3).into()))
}

fn pairs(rows: &[Row]) -> Table {
    ways(placed(rows), rows)
}

fn flows(rows: &[Row]) -> Table {
    let each = || rows.iter().filter_map(|row| row.flow.as_ref());
    let waits = || each().map(|flow| flow.waits.as_ref());
    let nanos = |flow: &FlowPairRecord| i64::try_from(flow.start.as_nanos()).unwrap_or(i64::MAX);
    let table = placed(rows)
        .u64("flow", each().map(|flow| flow.number.into()))
        .utf8("direction", rows.iter().map(|row| if row.up { "up" } else { "down" }))
        .utf8("client", each().map(|flow| flow.client.addr.to_string()))
        .u64("client_port", each().map(|flow| flow.client.port.into()))
        .utf8("server", each().map(|flow| flow.server.addr.to_string()))
        .u64("server_port", each().map(|flow| flow.server.port.into()))
        .utf8("protocol", each().map(|flow| flow.protocol))
        .i64("start_ns", each().map(nanos))
        .optional_f64("client_side_ms", waits().map(|waits| Some(waits?.client_side_ms)))
        .optional_f64("server_side_ms", waits().map(|waits| Some(waits?.server_side_ms)));
    ways(table, rows)
}

fn placed(rows: &[Row]) -> Table {
    Table::new()
        .u64("pair", rows.iter().map(|row| row.pair as u64))
        .utf8("from", rows.iter().map(|row| row.points[0].as_str()))
        .utf8("to", rows.iter().map(|row| row.points[1].as_str()))
}

/// A column, and where its values come from.
type Count = (&'static str, fn(&WayRecord) -> u64);

const COUNTS: [Count; 12] = [
    ("sent", |way| way.sent),
    ("arrived", |way| way.arrived),
    ("lost", |way| way.lost),
    ("unknown", |way| way.unknown),
    ("duplicates", |way| way.duplicates),
    ("only_behind", |way| way.only_behind),
    ("reordered", |way| way.reordered),
    ("ecn_bleached", |way| way.marks.ecn_bleached),
    ("ce_marked", |way| way.marks.ce_marked),
    ("ecn_remarked", |way| way.marks.ecn_remarked),
    ("dscp_bleached", |way| way.marks.dscp_bleached),
    ("dscp_remarked", |way| way.marks.dscp_remarked),
];

fn ways(table: Table, rows: &[Row]) -> Table {
    let each = || rows.iter().map(|row| &row.way);
    let table = COUNTS.iter().fold(table, |table, (name, get)| table.u64(name, each().map(get)));
    table
        .optional_f64("delay_min_ms", each().map(|way| Some(way.delay_ms?.min)))
        .optional_f64("delay_p50_ms", each().map(|way| Some(way.delay_ms?.p50)))
        .optional_f64("delay_mean_ms", each().map(|way| Some(way.delay_ms?.mean)))
        .optional_f64("delay_p99_ms", each().map(|way| Some(way.delay_ms?.p99)))
        .optional_f64("delay_max_ms", each().map(|way| Some(way.delay_ms?.max)))
}
