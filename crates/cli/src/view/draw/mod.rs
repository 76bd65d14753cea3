//! A board as lines of a screen, whatever its size: a pure function.

mod rows;
mod sections;

use super::board::Board;
use super::line::{Line, Look, fit};
use crate::table::number;

/// Columns at least; a narrower terminal shows the left part.
const NARROWEST: usize = 80;

/// A part of the screen.
pub struct Section {
    /// Its title.
    pub head: Vec<Line>,
    /// Its rows.
    pub rows: Vec<Line>,
    /// Rows that it is given for each of another's, where there are too few.
    pub weight: usize,
    /// Flag of a section that shows its last rows, not its first.
    pub from_end: bool,
}

/// The screen, `lines` lines of `columns` columns at most.
pub fn draw(board: &Board, columns: usize, lines: usize) -> Vec<Line> {
    let width = columns.max(NARROWEST);
    let mut screen = vec![title(board, width), progress(board, width)];
    let mut sections = sections::of(board, width);
    sections.retain(|section| !section.rows.is_empty());
    let room = lines.saturating_sub(screen.len() + 1);
    // Lines between sections are the first to go.
    let gap = usize::from(rows::needed(&sections, 1) <= room);
    for (section, rows) in sections.iter().zip(rows::share(&sections, gap, room)) {
        if rows > 0 {
            screen.extend(std::iter::repeat_n(Line::default(), gap));
            screen.extend(section.head.iter().cloned());
            screen.extend(shown(section, rows));
        }
    }
    screen.truncate(lines.saturating_sub(1));
    screen.resize(lines.saturating_sub(1), Line::default());
    screen.push(keys(board));
    screen.truncate(lines);
    screen.into_iter().map(|line| line.cut(columns)).collect()
}

/// So many rows of a section; if these are not all, the last says how many more there are.
fn shown(section: &Section, rows: usize) -> Vec<Line> {
    let all = &section.rows;
    if rows >= all.len() {
        return all.clone();
    }
    if section.from_end {
        return all[all.len() - rows..].to_vec();
    }
    let more = Line::of(Look::Faint, format!("and {} more", all.len() - rows + 1));
    all[..rows - 1].iter().cloned().chain([more]).collect()
}

fn title(board: &Board, width: usize) -> Line {
    let session = &board.session;
    let seed = format!("seed {}", session.seed);
    let room = width.saturating_sub(seed.len());
    let line = Line::of(Look::Strong, &session.scenario);
    let left = room.saturating_sub(line.width() + 4);
    let title = session.title.iter().map(|title| format!("  {}", fit(title, left)));
    let line = title.fold(line, |line, title| line.with(Look::Plain, title));
    line.cut(room.saturating_sub(2)).up_to(room).with(Look::Faint, seed)
}

/// Line with the progress and the speed of the run.
fn progress(board: &Board, width: usize) -> Line {
    let mut line = match board.session.end_s {
        None => Line::of(Look::Plain, format!("{:.1} s", board.time_s)),
        Some(end) => {
            let share = if end > 0.0 { (board.time_s / end).clamp(0.0, 1.0) } else { 1.0 };
            Line::of(Look::Plain, format!("{:.1} of {end:.1} s  ", board.time_s))
                .with(Look::Good, rows::bar(share, (width / 4).min(40)))
                .with(Look::Plain, format!(" {:3.0}%", share * 100.0))
        }
    };
    if let Some(speed) = board.speed {
        line = line.with(Look::Plain, format!("  {}x real time", number(Some(speed))));
    }
    if let Some(limit) = board.limit {
        line = line.with(Look::Faint, format!(" (at most {}x)", number(Some(limit))));
    }
    if board.paused {
        line = line.with(Look::Plain, "  ").with(Look::Warn, "PAUSED");
    }
    line
}

fn keys(board: &Board) -> Line {
    let paced: &[(&str, &str)] = &[("p", "pause"), ("+", "faster"), ("-", "slower")];
    let keys = [("q", "end")].iter().chain(if board.paced { paced } else { &[] });
    keys.fold(Line::default(), |line, (key, what)| {
        line.with(Look::Strong, *key).with(Look::Faint, format!(" {what}   "))
    })
}
