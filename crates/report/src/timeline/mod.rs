//! The timeline of a run's cell: from its tables of transport blocks to what a page shows.

mod columns;
mod link;
mod names;
mod rows;

use airpath_plot::{Block, Timeline, figure};
use airpath_results::blocks::{BlockWindow, ScoreSummary, WindowCell};
use serde_json::{Value, json};

use crate::words::{first_256qam, with_unit};
use crate::{ReportError, Run};
use names::Names;
use rows::Rows;

/// Shown part of the records.
struct Shown<'a> {
    cell: &'a WindowCell,
    from_ns: i64,
    to_ns: i64,
    score: Option<&'a ScoreSummary>,
}

/// The timeline of a run and its links; nothing if it recorded no transport blocks, or none were
/// sent.
///
/// # Errors
///
/// If a table cannot be read.
pub fn timeline(run: &Run) -> Result<Vec<Block>, ReportError> {
    let text = run.folder.text("window.json").ok();
    let window = text.and_then(|text| serde_json::from_str::<BlockWindow>(&text).ok());
    let Some(window) = window else { return Ok(Vec::new()) };
    let Some(shown) = shown(&window) else { return Ok(Vec::new()) };
    let Some(rows) = Rows::read(run, &shown.cell.name, (shown.from_ns, shown.to_ns))? else {
        return Ok(Vec::new());
    };
    let names = Names::of(run, &rows);
    let mut timeline = Timeline::default();
    columns::fill(&mut timeline, &rows, &names, shown.from_ns);
    let about = json!({
        "from_ns": shown.from_ns,
        "to_ns": shown.to_ns,
        "slot_ns": rows.slot_ns(shown.cell),
        "symbols": rows.symbols(),
        "carrier": [shown.cell.resource_blocks_down, shown.cell.resource_blocks_up],
        "shares": [shown.cell.share_down, shown.cell.share_up],
        "tdd": pattern(&run.summary.scenario["cell"]),
        "ues": names.ues,
        "flows": names.flows,
        "drops": names.drops,
    });
    let first = first_256qam(&run.summary.scenario);
    let said = sentence(&window, &shown, &rows) + &modulation(&rows, first);
    let mut blocks = vec![Block::Component(timeline.component("timeline", said, about))];
    blocks.extend(link::chart(&rows, first).map(Block::from));
    Ok(blocks)
}

/// Letters of the slots: those that are flexible by their use, - if they are unused, F if they are
/// used by need.
fn pattern(cell: &Value) -> Option<String> {
    let used = match cell["flexible"].as_str() {
        Some("downlink") => "D",
        Some("uplink") => "U",
        Some("by-need") => "F",
        _ => "-",
    };
    cell["tdd_pattern"].as_str().map(|letters| letters.replace('F', used))
}

/// Cell and span to show. All records are shown if they are of one cell and no longer than a span,
/// else the worst span.
fn shown(window: &BlockWindow) -> Option<Shown<'_>> {
    let nanos = |seconds: f64| (seconds * 1e9).round() as i64;
    let worse = |a: &&ScoreSummary, b: &&ScoreSummary| {
        let wait = |score: &ScoreSummary| score.wait_p95_ms.unwrap_or(-1.0);
        // Of equal ones the first is the worst.
        wait(a)
            .total_cmp(&wait(b))
            .then(a.used.total_cmp(&b.used))
            .then(b.from_s.total_cmp(&a.from_s))
    };
    let own = |score: &&ScoreSummary| window.cell.as_ref().is_none_or(|cell| score.cell == *cell);
    let score = window.scores.iter().filter(own).max_by(worse);
    let name = window.cell.as_ref().or(score.map(|score| &score.cell));
    let cell =
        window.cells.iter().find(|cell| Some(&cell.name) == name).or(window.cells.first())?;
    let (from, to) = match score.filter(|_| !window.worst) {
        Some(score) => (score.from_s, score.to_s),
        None => (window.from_s, window.to_s),
    };
    Some(Shown { cell, from_ns: nanos(from), to_ns: nanos(to), score })
}

/// Number of blocks with 256QAM, of cells that have it.
fn modulation(rows: &Rows, first_256qam: Option<u8>) -> String {
    let Some(first) = first_256qam else { return String::new() };
    let is_256qam = |block: &&rows::Block| !block.up && block.mcs() >= i64::from(first);
    format!(
        " Blocks downlink with 256QAM: {}. They have MCS {first} and above.",
        rows.blocks.iter().filter(is_256qam).count()
    )
}

fn sentence(window: &BlockWindow, shown: &Shown<'_>, rows: &Rows) -> String {
    let seconds = |nanos: i64| figure(nanos as f64 / 1e9);
    let why = match (&shown.score, window.scores.len()) {
        (Some(score), 2..) => {
            let wait = score.wait_p95_ms.map_or_else(String::new, |ms| {
                format!(
                    ", where 95% of packets waited up to {} at PDCP and RLC",
                    with_unit(ms, "ms")
                )
            });
            format!(" It is the worst of {} spans of cells{wait}.", window.scores.len())
        }
        _ => String::new(),
    };
    let again = match rows.repeated() {
        0 => "none of them again".to_owned(),
        repeated => format!("{repeated} of them again"),
    };
    let picked = if rows.packets.is_empty() {
        ""
    } else {
        " At first, of the packets that came and arrived in this time, that which waited longest is \
         picked, with the blocks that carried it."
    };
    format!(
        "Shown is {} from {} s to {} s: {} transport blocks were sent, {again}.{why} Across, time; \
         upwards, resource blocks; each colour is a UE.{picked}",
        shown.cell.name,
        seconds(shown.from_ns),
        seconds(shown.to_ns),
        rows.blocks.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flexible_slots_are_those_of_their_use() {
        let of = |flexible: Value| pattern(&json!({"tdd_pattern": "DFSU", "flexible": flexible}));
        assert_eq!(of(json!("downlink")).as_deref(), Some("DDSU"));
        assert_eq!(of(json!("uplink")).as_deref(), Some("DUSU"));
        assert_eq!(of(json!("by-need")).as_deref(), Some("DFSU"));
        assert_eq!(
            [of(json!("unused")), of(Value::Null)].map(|own| own == Some("D-SU".into())),
            [true; 2]
        );
        assert_eq!(pattern(&json!({"duplex": "fdd"})), None);
    }
}
