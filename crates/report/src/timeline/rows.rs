//! Rows of the tables of transport blocks, of one cell and a span of time.

use std::collections::{BTreeMap, BTreeSet};

use airpath_results::Table;
use airpath_results::blocks::WindowCell;

use crate::{ReportError, Run};

/// Stages of a packet, in the order in which the page has them.
pub const STAGES: [&str; 13] = [
    "sender",
    "wired_queue",
    "wired",
    "rrc",
    "pdcp",
    "uplink_access",
    "rlc",
    "radio",
    "harq",
    "arq",
    "reestablishment",
    "reordering",
    "processing",
];
const BLOCK: [&str; 12] = [
    "block",
    "start_ns",
    "sent_ns",
    "process",
    "attempt",
    "first_resource_block",
    "resource_blocks",
    "first_symbol",
    "symbols",
    "layers",
    "mcs",
    "block_bytes",
];

/// A transmission.
pub struct Block {
    /// Its numbers, as [`BLOCK`] names them.
    pub numbers: [i64; 12],
    pub padding: i64,
    pub ue: String,
    pub up: bool,
    pub runs: Option<String>,
    pub sinr_db: Option<f64>,
    pub fate: Option<String>,
}

/// Content of a block.
pub struct Piece {
    pub what: String,
    pub bytes: i64,
    pub packet: Option<i64>,
}

/// A packet.
pub struct Packet {
    pub id: i64,
    pub flow: String,
    pub feedback: bool,
    pub number: i64,
    pub size: i64,
    pub born: i64,
    pub ended: i64,
    pub dropped: Option<String>,
    pub marked: bool,
    pub stages: Vec<i64>,
}

/// A row of the control channel.
pub struct Control {
    pub at: i64,
    pub kind: String,
    pub ue: Option<String>,
    pub value: i64,
    pub elements: i64,
    pub blocked: i64,
}

/// A row of what waits.
pub struct Queue {
    pub at: i64,
    pub ue: String,
    pub up: bool,
    pub packets: i64,
    pub bytes: i64,
}

/// All of them, in order of time.
pub struct Rows {
    pub blocks: Vec<Block>,
    /// By number of the block.
    pub pieces: BTreeMap<i64, Vec<Piece>>,
    pub packets: Vec<Packet>,
    pub control: Vec<Control>,
    pub queues: Vec<Queue>,
}

impl Block {
    pub fn number(&self) -> i64 {
        self.numbers[0]
    }

    pub fn start(&self) -> i64 {
        self.numbers[1]
    }

    pub fn mcs(&self) -> i64 {
        self.numbers[10]
    }

    pub fn layers(&self) -> i64 {
        self.numbers[9]
    }

    pub fn attempt(&self) -> i64 {
        self.numbers[4]
    }
}

fn numbers(table: &Table, name: &str) -> Vec<i64> {
    let values = table.integers(name).unwrap_or_default().into_iter();
    values.map(|value| value.unwrap_or(0)).collect()
}

fn texts(table: &Table, name: &str) -> Vec<Option<String>> {
    let values = table.texts(name).unwrap_or_default().into_iter();
    values.map(|text| text.map(str::to_owned)).collect()
}

impl Rows {
    /// Reads what is of a cell between two times; none if there are no such blocks.
    pub fn read(run: &Run, cell: &str, span: (i64, i64)) -> Result<Option<Rows>, ReportError> {
        let blocks = blocks(run, cell, span)?;
        let ues: BTreeSet<&str> = run
            .summary
            .ues
            .iter()
            .filter(|ue| ue.cell.as_deref().is_none_or(|own| own == cell))
            .map(|ue| ue.name.as_str())
            .collect();
        let flows = run.summary.flows.iter();
        let flows: BTreeSet<&str> = flows
            .filter(|flow| flow.ue.as_deref().is_some_and(|ue| ues.contains(ue)))
            .map(|flow| flow.name.as_str())
            .collect();
        if blocks.is_empty() {
            return Ok(None);
        }
        let pieces = pieces(run, &blocks)?;
        let carried = pieces.values().flatten().filter_map(|piece| piece.packet).collect();
        let packets = packets(run, &flows, &carried, span)?;
        let control = control(run, cell, span)?;
        let queues = queues(run, &ues, span)?;
        Ok(Some(Rows { blocks, pieces, packets, control, queues }))
    }

    /// Length of a slot: that of the cell, or of its mini-slots.
    pub fn slot_ns(&self, cell: &WindowCell) -> i64 {
        (cell.slot_ms * 1e6).round() as i64
    }

    /// Symbols of a slot that may carry data.
    pub fn symbols(&self) -> i64 {
        let ends = self.blocks.iter().map(|block| block.numbers[7] + block.numbers[8]);
        ends.max().unwrap_or(1).max(1)
    }

    /// Transmissions that were not the first.
    pub fn repeated(&self) -> usize {
        self.blocks.iter().filter(|block| block.attempt() > 0).count()
    }
}

fn blocks(run: &Run, cell: &str, (from, to): (i64, i64)) -> Result<Vec<Block>, ReportError> {
    let more =
        ["cell", "ue", "direction", "resource_block_runs", "sinr_db", "fate", "padding_bytes"];
    let columns: Vec<&str> = BLOCK.into_iter().chain(more).collect();
    let Some(table) = run.table("blocks.parquet", &columns)? else { return Ok(Vec::new()) };
    let all = BLOCK.map(|name| numbers(&table, name));
    let [cells, ues, directions, runs, fates] =
        ["cell", "ue", "direction", "resource_block_runs", "fate"].map(|name| texts(&table, name));
    let padding = numbers(&table, "padding_bytes");
    let sinr = table.numbers("sinr_db").unwrap_or_default();
    let own = |row: &usize| {
        let start = all[1][*row];
        cells[*row].as_deref() == Some(cell) && start >= from && start < to
    };
    let block = |row: usize| Block {
        numbers: std::array::from_fn(|n| all[n][row]),
        padding: padding[row],
        ue: ues[row].clone().unwrap_or_default(),
        up: directions[row].as_deref() == Some("up"),
        runs: runs[row].clone(),
        sinr_db: sinr[row],
        fate: fates[row].clone(),
    };
    let mut blocks: Vec<Block> = (0..table.rows()).filter(own).map(block).collect();
    blocks.sort_by_key(Block::start);
    Ok(blocks)
}

fn pieces(run: &Run, blocks: &[Block]) -> Result<BTreeMap<i64, Vec<Piece>>, ReportError> {
    let mut all: BTreeMap<i64, Vec<Piece>> = BTreeMap::new();
    let shown: BTreeSet<i64> = blocks.iter().map(Block::number).collect();
    let Some(table) = run.table("carried.parquet", &["block", "what", "bytes", "packet"])? else {
        return Ok(all);
    };
    let (of, bytes) = (numbers(&table, "block"), numbers(&table, "bytes"));
    let (what, packets) = (texts(&table, "what"), table.integers("packet").unwrap_or_default());
    for row in (0..table.rows()).filter(|row| shown.contains(&of[*row])) {
        let what = what[row].clone().unwrap_or_default();
        let piece = Piece { what, bytes: bytes[row], packet: packets[row] };
        all.entry(of[row]).or_default().push(piece);
    }
    Ok(all)
}

/// Packets of flows that ended in the span, or were carried by a block of it.
fn packets(
    run: &Run,
    flows: &BTreeSet<&str>,
    carried: &BTreeSet<i64>,
    (from, to): (i64, i64),
) -> Result<Vec<Packet>, ReportError> {
    let stages: Vec<String> = STAGES.iter().map(|stage| format!("{stage}_ns")).collect();
    let more = ["id", "flow", "leg", "number", "size", "born_ns", "ended_ns", "dropped", "ce"];
    let columns: Vec<&str> = more.into_iter().chain(stages.iter().map(String::as_str)).collect();
    let Some(table) = run.table("journeys.parquet", &columns)? else { return Ok(Vec::new()) };
    let [ids, sequence, sizes, born, ended] =
        ["id", "number", "size", "born_ns", "ended_ns"].map(|name| numbers(&table, name));
    let [names, legs, dropped] = ["flow", "leg", "dropped"].map(|name| texts(&table, name));
    let marked = table.truths("ce").unwrap_or_default();
    let spent: Vec<Vec<i64>> = stages.iter().map(|name| numbers(&table, name)).collect();
    let own = |row: &usize| {
        let known = names[*row].as_deref().is_some_and(|name| flows.contains(name));
        known && (carried.contains(&ids[*row]) || (ended[*row] >= from && ended[*row] < to))
    };
    let packet = |row: usize| Packet {
        id: ids[row],
        flow: names[row].clone().unwrap_or_default(),
        feedback: legs[row].as_deref() != Some("data"),
        number: sequence[row],
        size: sizes[row],
        born: born[row],
        ended: ended[row],
        dropped: dropped[row].clone(),
        marked: marked[row] == Some(true),
        stages: spent.iter().map(|column| column[row]).collect(),
    };
    Ok((0..table.rows()).filter(own).map(packet).collect())
}

fn control(run: &Run, cell: &str, (from, to): (i64, i64)) -> Result<Vec<Control>, ReportError> {
    let columns = ["time_ns", "cell", "ue", "kind", "value", "elements", "blocked"];
    let Some(table) = run.table("control.parquet", &columns)? else { return Ok(Vec::new()) };
    let [at, value, elements, blocked] =
        ["time_ns", "value", "elements", "blocked"].map(|name| numbers(&table, name));
    let [cells, ues, kinds] = ["cell", "ue", "kind"].map(|name| texts(&table, name));
    let own =
        |row: &usize| cells[*row].as_deref() == Some(cell) && at[*row] >= from && at[*row] < to;
    let one = |row: usize| Control {
        at: at[row],
        kind: kinds[row].clone().unwrap_or_default(),
        ue: ues[row].clone(),
        value: value[row],
        elements: elements[row],
        blocked: blocked[row],
    };
    let mut rows: Vec<Control> = (0..table.rows()).filter(own).map(one).collect();
    rows.sort_by_key(|row| row.at);
    Ok(rows)
}

fn queues(
    run: &Run,
    ues: &BTreeSet<&str>,
    (from, to): (i64, i64),
) -> Result<Vec<Queue>, ReportError> {
    let columns = ["time_ns", "ue", "direction", "packets", "bytes"];
    let Some(table) = run.table("queues.parquet", &columns)? else { return Ok(Vec::new()) };
    let [at, packets, bytes] = ["time_ns", "packets", "bytes"].map(|name| numbers(&table, name));
    let [names, ways] = ["ue", "direction"].map(|name| texts(&table, name));
    let own = |row: &usize| {
        let known = names[*row].as_deref().is_some_and(|name| ues.contains(name));
        known && at[*row] >= from && at[*row] < to
    };
    let one = |row: usize| Queue {
        at: at[row],
        ue: names[row].clone().unwrap_or_default(),
        up: ways[row].as_deref() == Some("up"),
        packets: packets[row],
        bytes: bytes[row],
    };
    let mut rows: Vec<Queue> = (0..table.rows()).filter(own).map(one).collect();
    rows.sort_by_key(|row| row.at);
    Ok(rows)
}
