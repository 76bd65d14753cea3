//! `airpath reproduce`.

use std::path::Path;

use airpath_results::{FORMAT, FolderError, ResultsFolder};
use airpath_study::{Options, Report, Row, STUDIES, StudyError, Verdict, reproduce, study};

use crate::args::ReproduceArgs;
use crate::output::{fail, note, print};
use crate::watch::interrupt;
use crate::{BAD_INPUT, FAILED, INTERRUPTED};

/// Runs a study and prints how its claims fare.
pub fn run(args: &ReproduceArgs) -> u8 {
    let Some(study) = study(&args.study) else {
        let names: Vec<&str> = STUDIES.iter().map(|study| study.name).collect();
        let known = names.join(", ");
        return fail(format!("there is no study {:?}; there is: {known}", args.study), BAD_INPUT);
    };
    // Whoever asks for a folder that is not ours hears of it before hours of runs.
    let folder = match args.out.as_deref().map(ResultsFolder::create).transpose() {
        Ok(folder) => folder,
        Err(error) => return fail(&error, folder_code(&error)),
    };
    let told = |reading: &str, done: usize, all: usize| {
        if done == all {
            note(format!("{reading}: {all} runs done"));
        }
    };
    let options =
        Options { seeds: args.seeds, progress: Some(&told), interrupt: Some(interrupt()) };
    let report = match reproduce(study, options) {
        Ok(report) => report,
        Err(StudyError::Interrupted) => return fail("interrupted", INTERRUPTED),
        Err(error) => return fail(error, FAILED),
    };
    if let Some(folder) = folder
        && let Err(error) = write(folder, args, &report)
    {
        return fail(error, FAILED);
    }
    if args.json {
        return match serde_json::to_string_pretty(&report.rows) {
            Ok(text) => print(&(text + "\n")),
            Err(error) => fail(error, FAILED),
        };
    }
    let written = |out: &Path| format!("\nresults in {}\n", out.display());
    let folder = args.out.as_deref().map(written).unwrap_or_default();
    print(&format!("{}\n\n{}{folder}", study.title, table(&report)))
}

fn folder_code(error: &FolderError) -> u8 {
    match error {
        FolderError::NotOurs { .. } | FolderError::Name(_) => BAD_INPUT,
        _ => FAILED,
    }
}

fn write(folder: ResultsFolder, args: &ReproduceArgs, report: &Report) -> Result<(), FolderError> {
    folder.write_json("claims.json", &report.rows)?;
    folder.write_json("per-ue.json", &report.per_ue)?;
    let summary = serde_json::json!({
        "format": FORMAT, "study": args.study, "seeds": args.seeds, "complete": true,
    });
    folder.write_json("summary.json", &summary)?;
    folder.finish().map(|_| ())
}

/// Claims by reading, then real-time flows UE by UE; within 80 columns.
fn table(report: &Report) -> String {
    let mut text = String::new();
    let mut readings: Vec<&str> = Vec::new();
    for row in &report.rows {
        if !readings.contains(&row.reading.as_str()) {
            readings.push(&row.reading);
        }
    }
    for reading in readings {
        text += &format!("{reading}\n{}", titles());
        let of = report.rows.iter().filter(|row| row.reading == reading);
        text.extend(of.map(line));
        text += "\n";
    }
    text +=
        &format!("{:44}{:>12}{:>12}{:>12}\n", "real-time flow", "delay/ms", "jitter/ms", "lost/%");
    let mut last = None;
    for row in &report.per_ue {
        if last != Some((&row.reading, &row.run)) {
            text += &format!("{}: {}\n", row.reading, row.run);
        }
        last = Some((&row.reading, &row.run));
        let (delay, jitter) = (number(row.delay_ms), number(row.jitter_ms));
        let lost = number(row.lost_percent);
        text += &format!("  {:42}{delay:>12}{jitter:>12}{lost:>12}\n", cut(&row.flow, 41));
    }
    text
}

fn titles() -> String {
    format!(
        "{:7}{:23}{:>10}{:>9}{:>9} {:9}{}\n",
        "claim", "", "published", "here", "true", "holds in", "verdict"
    )
}

fn line(row: &Row) -> String {
    let share = row.holds_in.map(|share| format!("{}/{}", share.holds, share.runs));
    let published = match row.published.parse::<f64>() {
        Ok(value) => number(Some(value)),
        Err(_) => "statement".to_owned(),
    };
    let verdict = match row.verdict {
        Verdict::NotComparable => "-",
        verdict => verdict.word(),
    };
    let what = format!("{} {}", row.metric, row.unit);
    let head = format!(
        "{:7}{:23}{published:>10}{:>9}{:>9} {:9}{verdict}",
        row.id,
        cut(&what, 22),
        number(row.measured),
        number(row.true_value),
        share.unwrap_or_default(),
    );
    format!("{}\n       {}\n", head.trim_end(), cut(&row.condition, 72))
}

/// The first characters of a text.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// A number with about four digits; a dash if there is none.
fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value.abs() < 100.0 => format!("{value:.3}"),
        Some(value) => format!("{value:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_80_columns() {
        let row = Row {
            id: "RD-042".into(),
            reading: "as published".into(),
            condition: "a long condition ".repeat(9),
            metric: "a metric with a very long name".into(),
            published: "an order of magnitude".into(),
            measured: Some(-12_345.678),
            true_value: Some(99.999_9),
            low: None,
            high: None,
            unit: "Mbit/s".into(),
            tolerance: None,
            verdict: Verdict::NotResolved,
            holds_in: None,
            reason: None,
        };
        for line in line(&row).lines().chain(titles().lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
