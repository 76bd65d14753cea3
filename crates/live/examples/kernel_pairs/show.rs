//! Tables of judged pairs.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use crate::judge::{Judged, JudgedPair};

/// Lines for people: one for each pair, and one for each criterion that differs.
pub fn text(all: &[JudgedPair]) -> String {
    let mut text = String::new();
    for pair in all {
        let word = if pair.is_same(0) { "same" } else { "differs" };
        let late = if pair.late > 0 { format!(", {} runs late", pair.late) } else { String::new() };
        let _ = writeln!(text, "{}: {word}, {} criteria{late}", pair.name, pair.criteria.len());
        for own in pair.criteria.iter().filter(|own| !own.is_same(0) || !own.is_same(1)) {
            let _ = writeln!(text, "  {}", line(own));
        }
        if !pair.is_same(0) {
            let why = if pair.why.is_empty() { "no explanation" } else { &pair.why };
            let _ = writeln!(text, "  {why}");
        }
    }
    let count = |way| all.iter().filter(|pair| pair.is_same(way)).count();
    let (written, adopted) = (count(0), count(1));
    let _ = writeln!(
        text,
        "{written} of {} pairs have the same verdicts; {adopted} if simulated senders have the kernel's options",
        all.len()
    );
    text
}

fn line(own: &Judged) -> String {
    let [written, adopted, kernel] =
        own.found.map(|(mean, verdict)| format!("{} {}", figure(mean), verdict.word()));
    format!(
        "{}, {}: {written}; with the kernel's settings {adopted}; kernel {kernel}",
        own.criterion, own.unit
    )
}

fn figure(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value.abs() >= 100.0 => format!("{value:.0}"),
        Some(value) if value.abs() >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

/// Distance of a figure to its bound, as a share of the bound.
fn room(own: &Judged, way: usize) -> f64 {
    let Some(value) = own.found[way].0 else { return f64::INFINITY };
    let bounds = [own.at_least, own.at_most].into_iter().flatten();
    let room = bounds.map(|bound| (value - bound).abs() / bound.abs().max(1e-9));
    room.fold(f64::INFINITY, f64::min)
}

/// Writes `pairs.md` and `criteria.csv`.
pub fn write(folder: &Path, all: &[JudgedPair]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("pairs.md"), markdown(all))?;
    fs::write(folder.join("criteria.csv"), csv(all))
}

/// A row for each pair, with its criterion that differs or else comes nearest to its bound.
fn markdown(all: &[JudgedPair]) -> String {
    let mut text = String::from(
        "| pair | criteria | nearest to its bound | simulated | kernel | verdicts |\n|---|---|---|---|---|---|\n",
    );
    for pair in all {
        let differs = pair.criteria.iter().filter(|own| !own.is_same(0));
        let near = |own: &&Judged| room(own, 0).min(room(own, 2));
        let nearest = pair.criteria.iter().min_by(|a, b| near(a).total_cmp(&near(b)));
        let rows: Vec<&Judged> =
            if pair.is_same(0) { nearest.into_iter().collect() } else { differs.collect() };
        for own in rows {
            let [(simulated, ours), _, (kernel, theirs)] = own.found;
            let verdicts = match own.is_same(0) {
                true => format!("both: {}", ours.word()),
                false => format!("**{}, {}**", ours.word(), theirs.word()),
            };
            let bound = bound(own);
            let _ = writeln!(
                text,
                "| `{}` | {} | {}, {}{bound} | {} | {} | {verdicts} |",
                pair.name,
                pair.criteria.len(),
                own.criterion,
                own.unit,
                figure(simulated),
                figure(kernel),
            );
        }
    }
    text
}

fn bound(own: &Judged) -> String {
    let low = own.at_least.map(|bound| format!(" at least {bound}"));
    let high = own.at_most.map(|bound| format!(" at most {bound}"));
    let both: Vec<String> = [low, high].into_iter().flatten().collect();
    both.join(",")
}

fn csv(all: &[JudgedPair]) -> String {
    let mut text = String::from(
        "pair,criterion,unit,at_least,at_most,simulated,simulated_verdict,adopted,adopted_verdict,kernel,kernel_verdict\n",
    );
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
    for pair in all {
        for own in &pair.criteria {
            let found =
                own.found.map(|(mean, verdict)| format!("{},{}", number(mean), verdict.word()));
            let name = own.criterion.replace(", ", " at ");
            let bounds = format!("{},{}", number(own.at_least), number(own.at_most));
            let _ =
                writeln!(text, "{},{name},{},{bounds},{}", pair.name, own.unit, found.join(","));
        }
    }
    text
}
