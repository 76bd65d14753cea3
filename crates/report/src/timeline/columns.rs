//! Rows as columns of whole numbers, which `crates/plot/src/timeline/data.js` reads.

use std::collections::BTreeMap;

use airpath_plot::Timeline;

use super::names::Names;
use super::rows::{Block, Piece, Rows, STAGES};

/// A SINR that nobody measured, in tenths of a decibel.
const UNKNOWN_SINR: i64 = -1_000_000;
/// Nanoseconds of a microsecond.
const MICRO: i64 = 1_000;

/// Adds all columns; times are counted from the beginning of the window.
pub fn fill(timeline: &mut Timeline, rows: &Rows, names: &Names, from: i64) {
    blocks(timeline, rows, names, from);
    pieces(timeline, rows);
    packets(timeline, rows, names, from);
    queues(timeline, rows, names, from);
    control(timeline, rows, names, from);
}

fn blocks(timeline: &mut Timeline, rows: &Rows, names: &Names, from: i64) {
    let all = || rows.blocks.iter();
    timeline.rising("blocks.start", all().map(|block| block.start() - from));
    timeline.rising("blocks.sent", all().map(|block| block.numbers[2] - from));
    timeline.rising("blocks.number", all().map(Block::number));
    timeline.column("blocks.ue", all().map(|block| names.ue(&block.ue)));
    timeline.column("blocks.direction", all().map(|block| i64::from(block.up)));
    let places = [
        ("process", 3),
        ("attempt", 4),
        ("first_symbol", 7),
        ("symbols", 8),
        ("layers", 9),
        ("mcs", 10),
        ("bytes", 11),
    ];
    for (name, place) in places {
        timeline.column(&format!("blocks.{name}"), all().map(|block| block.numbers[place]));
    }
    timeline.column("blocks.padding", all().map(|block| block.padding));
    let tenths = |db: f64| (10.0 * db).round() as i64;
    timeline.column("blocks.sinr", all().map(|block| block.sinr_db.map_or(UNKNOWN_SINR, tenths)));
    timeline.column("blocks.fate", all().map(|block| fate(block.fate.as_deref())));
    let runs: Vec<Vec<(i64, i64)>> = all().map(runs).collect();
    timeline.column("blocks.runs", runs.iter().map(|runs| runs.len() as i64));
    timeline.column("runs.first", runs.iter().flatten().map(|run| run.0));
    timeline.column("runs.length", runs.iter().flatten().map(|run| run.1));
}

fn fate(name: Option<&str>) -> i64 {
    match name {
        Some("decoded") => 1,
        Some("failed") => 2,
        Some("missed") => 3,
        _ => 0,
    }
}

/// Runs of resource blocks: the first of each, and how many.
fn runs(block: &Block) -> Vec<(i64, i64)> {
    let Some(text) = &block.runs else {
        return vec![(block.numbers[5], block.numbers[6])];
    };
    let run = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<i64>().ok()?, last.parse::<i64>().ok()?);
        Some((first, last - first + 1))
    };
    text.split(' ').filter_map(run).collect()
}

/// Contents of blocks, with the first transmission that is shown of each.
fn pieces(timeline: &mut Timeline, rows: &Rows) {
    let places: BTreeMap<i64, i64> = rows.packets.iter().map(|packet| packet.id).zip(1..).collect();
    let mut left: BTreeMap<i64, &Vec<Piece>> =
        rows.pieces.iter().map(|(number, pieces)| (*number, pieces)).collect();
    let own: Vec<&[Piece]> = rows
        .blocks
        .iter()
        .map(|block| left.remove(&block.number()).map_or(&[][..], Vec::as_slice))
        .collect();
    timeline.column("blocks.pieces", own.iter().map(|pieces| pieces.len() as i64));
    let all = || own.iter().copied().flatten();
    let what = |piece: &Piece| match piece.what.as_str() {
        "new" => 0,
        "again" => 1,
        "status" => 2,
        _ => 3,
    };
    timeline.column("pieces.what", all().map(what));
    timeline.column("pieces.bytes", all().map(|piece| piece.bytes));
    let place = |piece: &Piece| piece.packet.and_then(|id| places.get(&id)).copied().unwrap_or(0);
    timeline.rising("pieces.packet", all().map(place));
}

fn packets(timeline: &mut Timeline, rows: &Rows, names: &Names, from: i64) {
    let all = || rows.packets.iter();
    timeline.rising("packets.id", all().map(|packet| packet.id));
    timeline.column("packets.flow", all().map(|packet| names.flow(&packet.flow)));
    timeline.column("packets.leg", all().map(|packet| i64::from(packet.feedback)));
    timeline.rising("packets.number", all().map(|packet| packet.number));
    timeline.column("packets.size", all().map(|packet| packet.size));
    let micros = |nanos: i64| nanos.div_euclid(MICRO);
    timeline.rising("packets.born", all().map(|packet| micros(packet.born - from)));
    timeline.rising("packets.ended", all().map(|packet| micros(packet.ended - from)));
    timeline.column("packets.fate", all().map(|packet| names.fate(packet.dropped.as_deref())));
    timeline.column("packets.marked", all().map(|packet| i64::from(packet.marked)));
    for (n, stage) in STAGES.iter().enumerate() {
        timeline.column(&format!("packets.{stage}"), all().map(|packet| micros(packet.stages[n])));
    }
}

fn queues(timeline: &mut Timeline, rows: &Rows, names: &Names, from: i64) {
    let all = || rows.queues.iter();
    timeline.rising("queues.at", all().map(|queue| queue.at - from));
    timeline.column("queues.ue", all().map(|queue| names.ue(&queue.ue)));
    timeline.column("queues.direction", all().map(|queue| i64::from(queue.up)));
    timeline.column("queues.packets", all().map(|queue| queue.packets));
    timeline.column("queues.bytes", all().map(|queue| queue.bytes));
}

fn control(timeline: &mut Timeline, rows: &Rows, names: &Names, from: i64) {
    let all = || rows.control.iter();
    let kind = |name: &str| match name {
        "elements" => 0,
        "blocked" => 1,
        "missed" => 2,
        "request" => 3,
        "report" => 4,
        _ => 5,
    };
    timeline.rising("control.at", all().map(|row| row.at - from));
    timeline.column("control.kind", all().map(|row| kind(&row.kind)));
    let ue = |name: &Option<String>| name.as_deref().map_or(0, |name| names.ue(name) + 1);
    timeline.column("control.ue", all().map(|row| ue(&row.ue)));
    timeline.column("control.value", all().map(|row| row.value));
    timeline.column("control.of", all().map(|row| row.elements));
    timeline.column("control.blocked", all().map(|row| row.blocked));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_blocks_are_runs_of_a_first_and_a_length() {
        let block = |runs: Option<&str>| Block {
            numbers: [0, 0, 0, 0, 0, 3, 5, 0, 0, 0, 0, 0],
            padding: 0,
            ue: String::new(),
            up: false,
            runs: runs.map(str::to_owned),
            sinr_db: None,
            fate: None,
        };
        assert_eq!(runs(&block(None)), [(3, 5)]);
        assert_eq!(runs(&block(Some("0-3 8 10-11"))), [(0, 4), (8, 1), (10, 2)]);
    }
}
