//! The parts of a screen.

use airpath_results::live::{CellReading, FlowReading, Health, QueueReading, Spread};

use super::Section;
use super::rows::bar;
use crate::table::{count, number};
use crate::view::board::Board;
use crate::view::line::{Line, Look, fit};

/// Columns of names at least, and at most for each 80 of the screen.
const NAMES: (usize, usize) = (CELLS.len(), 18);
/// Heading over the names of cells.
const CELLS: &str = "resource blocks";
/// Columns of a flow's figures, with what is between them.
const FIGURES: usize = 46;
/// Columns of a cell's figures in one direction, without its bar.
const CELL_FIGURES: usize = 16;
/// A cell that uses more of its resource blocks is full; one that uses more than the second is
/// busy.
const FULL: [f64; 2] = [0.95, 0.8];

/// All sections, in the order in which they are seen; some may have no rows.
pub fn of(board: &Board, width: usize) -> Vec<Section> {
    let mut sections = Vec::new();
    match &board.reading {
        None => sections.push(Section {
            head: Vec::new(),
            rows: vec![Line::of(Look::Faint, "the first interval has not ended yet")],
            weight: 1,
            from_end: false,
        }),
        Some(reading) => {
            let lists = [
                reading.flows.iter().map(|flow| flow.name.clone()).collect::<Vec<_>>(),
                reading.cells.iter().map(|cell| cell.name.clone()).collect(),
                reading.queues.iter().map(whose).collect(),
            ];
            let longest = lists.iter().flatten().map(|name| name.chars().count()).max();
            let names = longest.unwrap_or(0).clamp(NAMES.0, NAMES.1 * width / 80);
            sections.push(flows(board, &reading.flows, names, width));
            sections.push(cells(&reading.cells, names, width));
            sections.push(queues(&reading.queues, names));
            sections.push(health(reading.health.as_ref()));
        }
    }
    let said = board.said().map(|text| Line::of(Look::Plain, fit(text, width)));
    let head = vec![Line::of(Look::Faint, "changes, and what programs print")];
    sections.push(Section { head, rows: said.collect(), weight: 1, from_end: true });
    sections
}

fn flows(board: &Board, flows: &[FlowReading], names: usize, width: usize) -> Section {
    let course = width.saturating_sub(names + FIGURES);
    let shown = flows.iter().map(|flow| board.rates(&flow.name, course).len()).max().unwrap_or(0);
    let seconds = shown as f64 * board.session.interval_s;
    let last = format!("last {} s", number(Some(seconds)));
    let head = [
        format!("{:names$}{:>8}  {:course$}{:>22}", "", "", "", "one-way delay, ms"),
        format!(
            "{:names$}{:>8}  {last:course$}{:>8}{:>7}{:>7}{:>7}{:>7}",
            "flow", "Mbit/s", "p50", "p95", "queue", "marks", "lost"
        ),
    ];
    let row = |flow: &FlowReading| {
        let figure = |value: Option<f64>, width| format!("{:>width$}", number(value));
        let [p50, p95] = spread(flow.delay_ms);
        let rates = board.rates(&flow.name, course);
        Line::of(Look::Strong, fit(&named(&flow.name, flow.flows), names))
            .with(Look::Plain, figure(Some(flow.rate_bps / 1e6), 8))
            .with(Look::Good, format!("  {:course$}", airpath_plot::sparkline(&rates)))
            .with(Look::Plain, figure(p50, 8) + &figure(p95, 7))
            .with(Look::Plain, figure(spread(flow.queue_ms)[0], 7))
            .with(some(flow.marks, Look::Warn), format!("{:>7}", count(flow.marks)))
            .with(some(flow.lost_packets, Look::Bad), format!("{:>7}", count(flow.lost_packets)))
    };
    let head = head.map(|text| Line::of(Look::Faint, text)).into();
    Section { head, rows: flows.iter().map(row).collect(), weight: 3, from_end: false }
}

/// The name of a row, with how many it stands for.
fn named(name: &str, members: u32) -> String {
    match members {
        0 | 1 => name.to_owned(),
        _ if name.ends_with(" others") => name.to_owned(),
        members => format!("{name} ({members})"),
    }
}

fn spread(spread: Option<Spread>) -> [Option<f64>; 2] {
    [spread.map(|spread| spread.p50), spread.map(|spread| spread.p95)]
}

/// Look of a count whose best value is 0.
fn some(count: u64, look: Look) -> Look {
    if count > 0 { look } else { Look::Plain }
}

fn cells(cells: &[CellReading], names: usize, width: usize) -> Section {
    let columns = (width.saturating_sub(names) / 2).saturating_sub(CELL_FIGURES).clamp(4, 40);
    let title = |way: &str| format!("{way:<0$}", columns + 5);
    let head = format!(
        "{:names$}  {}{:>9}  {}{:>7}",
        CELLS,
        title("down"),
        "Mbit/s",
        title("up"),
        "Mbit/s"
    );
    let way = |line: Line, share: Option<f64>, bps: f64, room: usize| {
        let look = match share {
            Some(share) if share > FULL[0] => Look::Bad,
            Some(share) if share > FULL[1] => Look::Warn,
            _ => Look::Good,
        };
        let percent = share.map_or("-".to_owned(), |share| format!("{:.0}%", share * 100.0));
        let rate = number(Some(bps / 1e6));
        line.with(look, format!("  {}", bar(share.unwrap_or(0.0), columns)))
            .with(Look::Plain, format!("{percent:>5}{rate:>room$}"))
    };
    let row = |cell: &CellReading| {
        let name = Line::of(Look::Strong, fit(&named(&cell.name, cell.cells), names));
        let down = way(name, cell.utilisation, cell.throughput_bps, 9);
        way(down, cell.utilisation_up, cell.throughput_up_bps, 7)
    };
    let head = vec![Line::of(Look::Faint, head)];
    Section { head, rows: cells.iter().map(row).collect(), weight: 2, from_end: false }
}

fn queues(queues: &[QueueReading], names: usize) -> Section {
    let head = format!("{:names$}{:>8}{:>10}{:>10}", "queue", "", "packets", "bytes");
    let row = |queue: &QueueReading| {
        let way = queue.direction.as_deref().unwrap_or("");
        let look = if queue.packets > 0 { Look::Plain } else { Look::Faint };
        Line::of(Look::Strong, fit(&whose(queue), names))
            .with(look, format!("{way:>8}{:>10}{:>10}", count(queue.packets), count(queue.bytes)))
    };
    let head = vec![Line::of(Look::Faint, head)];
    Section { head, rows: queues.iter().map(row).collect(), weight: 1, from_end: false }
}

/// Name of a queue behind that of its owner: a link, or a bearer of a UE. The owner stands first
/// and stays when there is no room for both.
fn whose(queue: &QueueReading) -> String {
    match &queue.ue {
        Some(ue) => format!("{ue}: {}", queue.name),
        None if queue.queues == 1 => format!("link {}", queue.name),
        None => queue.name.clone(),
    }
}

/// Lateness of an emulation against the clock, in ms.
fn health(health: Option<&Health>) -> Section {
    let row = |health: &Health| {
        let late = [health.wake_p50_ms, health.wake_p99_ms, health.wake_max_ms];
        let late = late.map(|ms| number(Some(ms))).join("/");
        let missed = if health.missed > 0 { Look::Bad } else { Look::Good };
        Line::of(Look::Faint, "clock  ")
            .with(Look::Plain, format!("late p50/p99/most {late} ms  "))
            .with(missed, format!("missed {}", count(health.missed)))
            .with(Look::Plain, format!("  CPU {:.0}%", health.cpu * 100.0))
            .with(Look::Plain, format!("  behind {} ms", number(Some(health.lag_ms))))
    };
    let rows = health.map(row).into_iter().collect();
    Section { head: Vec::new(), rows, weight: 1, from_end: false }
}
