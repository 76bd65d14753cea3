//! `airpath reproduce`.

use std::fs;
use std::path::Path;

use airpath_results::{FORMAT, FolderError, ResultsFolder, Table, VERSION};
use airpath_study::{
    Agreement, Beside, Count, Failure, Group, Options, RampRow, Report, Row, STUDIES, Study,
    StudyError, UeRow, Verdict, beside, groups, page, reproduce, study,
};

use crate::args::ReproduceArgs;
use crate::out::Out;
use crate::output::{fail, leftovers, note, print};
use crate::watch::interrupt;
use crate::{BAD_INPUT, FAILED, INTERRUPTED};

/// What verdicts on repeated runs mean.
const REPEATED: &str = concat!(
    "       agrees, differs: the finding holds in most, or in fewer than half, of all\n",
    "       starts (95% interval of \"holds in\"); where the finding is a direction,\n",
    "       that says nothing of its size\n",
);

/// Runs a study and prints how its claims fare.
pub fn run(args: &ReproduceArgs) -> u8 {
    let Some(study) = study(&args.study) else {
        let names: Vec<&str> = STUDIES.iter().map(|study| study.name).collect();
        let known = names.join(", ");
        return fail(format!("there is no study {:?}; there is: {known}", args.study), BAD_INPUT);
    };
    let interrupt = interrupt();
    let out = match args.out.as_deref().map(Out::open).transpose() {
        Ok(out) => out,
        Err(code) => return code,
    };
    let told = |reading: &str, done: usize, all: usize| match &out {
        Some(out) if done == all => out.done(reading, all),
        None if done == all => note(format!("{reading}: {all} runs done")),
        _ => {}
    };
    let trace = match args.trace.as_deref().map(fs::read_to_string).transpose() {
        Ok(trace) => trace,
        Err(error) => return fail(format!("the trace cannot be read: {error}"), BAD_INPUT),
    };
    let options = Options {
        trace: trace.as_deref(),
        part: args.part.as_deref(),
        seeds: args.seeds,
        progress: Some(&told),
        interrupt: Some(interrupt),
        cache: out.as_ref().map(|out| &out.cache),
    };
    let report = match reproduce(study, options) {
        Ok(report) => report,
        Err(error) => return stop(&error, out.as_ref()),
    };
    if let Some(out) = out {
        if let Err(error) = write(&out.target, args, &report) {
            out.stopped();
            return fail(error, FAILED);
        }
        match report.failures.is_empty() {
            true => out.finished(),
            false => out.stopped(),
        }
    }
    for Failure { reading, run, seed, why } in &report.failures {
        note(format!("error: {reading}: run {run} with seed {seed} failed: {why}"));
    }
    if let Some(docs) = &args.page
        && let Err(error) = write_page(docs, study, &report)
    {
        return fail(error, FAILED);
    }
    let code = show(args, study, &report);
    if report.failures.is_empty() { code } else { FAILED }
}

fn show(args: &ReproduceArgs, study: &Study, report: &Report) -> u8 {
    if args.json {
        return match serde_json::to_string_pretty(&report.rows) {
            Ok(text) => print(&(text + "\n")),
            Err(error) => fail(error, FAILED),
        };
    }
    let written = |out: &Path| format!("\nresults in {}\n", out.display());
    let folder = args.out.as_deref().map(written).unwrap_or_default();
    print(&format!("{}\n\n{}{folder}", study.title, table(report)))
}

/// Says why there is no report, and what is kept of it.
fn stop(error: &StudyError, out: Option<&Out>) -> u8 {
    if let Some(out) = out {
        out.stopped();
    }
    match error {
        StudyError::Interrupted => fail("interrupted", INTERRUPTED),
        StudyError::Part { .. } | StudyError::Trace => fail(error, BAD_INPUT),
        error => fail(error, FAILED),
    }
}

fn write(target: &Path, args: &ReproduceArgs, report: &Report) -> Result<(), FolderError> {
    let folder = ResultsFolder::create(target)?;
    leftovers(folder.leftovers());
    folder.write_json("claims.json", &report.rows)?;
    folder.write_json("per-ue.json", &report.per_ue)?;
    folder.write_table("per-ue.parquet", &per_ue(&report.per_ue))?;
    folder.write_json("stages.json", &report.stages)?;
    folder.write_json("causes.json", &report.figures)?;
    folder.write_json("ramp-ups.json", &report.ramps)?;
    folder.write_json("counts.json", &report.counts)?;
    let summary = serde_json::json!({
        "format": FORMAT, "version": VERSION, "study": args.study, "seeds": args.seeds,
        "complete": report.failures.is_empty(), "failures": report.failures,
    });
    folder.write_json("summary.json", &summary)?;
    folder.finish().map(|_| ())
}

fn per_ue(rows: &[UeRow]) -> Table {
    Table::new()
        .utf8("reading", rows.iter().map(|row| &row.reading))
        .utf8("run", rows.iter().map(|row| &row.run))
        .utf8("ue", rows.iter().map(|row| &row.ue))
        .bool("marked", rows.iter().map(|row| row.marked))
        .optional_f64("delay_ms", rows.iter().map(|row| row.delay_ms))
        .optional_f64("jitter_ms", rows.iter().map(|row| row.jitter_ms))
        .optional_f64("lost_percent", rows.iter().map(|row| row.lost_percent))
}

/// Writes the study's page and its pictures into a folder of documentation.
fn write_page(docs: &Path, study: &Study, report: &Report) -> Result<(), String> {
    let page = page(study, report).map_err(|error| error.to_string())?;
    let write = |folder: &str, name: &str, text: &str| {
        let folder = docs.join(folder);
        let path = folder.join(name);
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))
    };
    write("studies", &format!("{}.md", study.name), &page.text)?;
    page.pictures.iter().try_for_each(|(name, text)| write("img", name, text))
}

/// Claims by reading, then what else there is: counts of readings that vary something,
/// downloads, real-time flows of many UEs; within 80 columns.
fn table(report: &Report) -> String {
    let mut text = String::new();
    let mut readings: Vec<&str> = Vec::new();
    let varies = |reading: &str| {
        report.counts.iter().any(|count| count.reading == reading && count.sweep.is_some())
    };
    let apart = |reading: &String| varies(reading) || report.beside.contains(reading);
    for row in report.rows.iter().filter(|row| !apart(&row.reading)) {
        if !readings.contains(&row.reading.as_str()) {
            readings.push(&row.reading);
        }
    }
    for reading in readings {
        text += &format!("{reading}\n{}", titles());
        let of = report.rows.iter().filter(|row| row.reading == reading);
        text.extend(of.clone().map(line));
        if of.clone().any(|row| row.holds_in.is_some()) {
            text += REPEATED;
        }
        text += &agreement(&of.collect::<Vec<_>>());
        text += "\n";
    }
    text += &beside(report).map(|beside| beside_table(&beside)).unwrap_or_default();
    text += &sweeps(&report.counts);
    text += &downloads(report);
    text + &users(&groups(&report.per_ue))
}

/// In how many rows ours agrees with whom, if there is a reference implementation.
fn agreement(rows: &[&Row]) -> String {
    let Agreement { published: [own, all], reference: [reference, _] } = Agreement::of(rows);
    if all == 0 {
        return String::new();
    }
    format!(
        "of {all} rows {own} agree with what was published, {reference} with the reference \
         implementation\n"
    )
}

/// Columns of readings, eight readings at most.
const COLUMN: usize = 7;

/// How results depend on settings: a column for each reading.
fn beside_table(beside: &Beside<'_>) -> String {
    let letters = || ('A'..='H').zip(&beside.readings);
    let mut text = "how it depends on settings\n".to_owned();
    text.extend(letters().map(|(letter, reading)| format!("  {letter}: {reading}\n")));
    let titles: String = letters().map(|(letter, _)| format!("{letter:>COLUMN$}")).collect();
    text += &format!("{:24}{titles}\n", "");
    for (row, values) in &beside.claims {
        let cells = values.iter().take(letters().count());
        let cells: String = cells
            .map(|value| format!("{:>COLUMN$}", value.map_or("-".to_owned(), short)))
            .collect();
        text += &format!("{:9}{:15}{cells}\n", row.id, cut(&row.metric, 14));
    }
    for (name, of) in [("published", 0), ("reference", 1)] {
        let cells: String = (beside.agreement.iter().take(letters().count()))
            .map(|agreement| [agreement.published, agreement.reference][of])
            .map(|[agree, all]| format!("{:>COLUMN$}", format!("{agree}/{all}")))
            .collect();
        text += &format!("{:24}{cells}\n", format!("agree with {name}"));
    }
    text + "\n"
}

/// How many figures and findings agree where something is varied; nothing if nothing is.
fn sweeps(counts: &[Count]) -> String {
    let varied: Vec<&Count> = counts.iter().filter(|count| count.sweep.is_some()).collect();
    let mut text = String::new();
    for of in varied.chunk_by(|a, b| a.reading == b.reading) {
        if text.is_empty() {
            text += "agree, with one thing varied\n";
        }
        let cells = of.iter().map(|count| {
            format!("{:>14}", format!("{}/{} {}", count.agree, count.of, short_kind(&count.kind)))
        });
        let (what, name) = (of[0].sweep.as_deref().unwrap_or_default(), &of[0].reading);
        text +=
            &format!("  {:17}{:30}{}\n", cut(what, 16), cut(name, 29), cells.collect::<String>());
    }
    if text.is_empty() { text } else { text + "\n" }
}

fn short_kind(kind: &str) -> &str {
    match kind {
        "simulated" => "figures",
        "statement" => "findings",
        other => other,
    }
}

/// Ramp-ups of downloads in readings of which no claim is; nothing if there are none.
fn downloads(report: &Report) -> String {
    let judged = |row: &&RampRow| report.counts.iter().any(|count| count.reading == row.reading);
    let rows: Vec<&RampRow> = report.ramps.iter().filter(|row| !judged(row)).collect();
    let mut text = String::new();
    for of in rows.chunk_by(|a, b| a.reading == b.reading) {
        text += &format!(
            "{}\n  {:22}{:>11}{:>8}{:>9}{:>10}{:>9}\n",
            cut(&of[0].reading, 78),
            "download",
            "ramp-up/ms",
            "KB",
            "UPT/ms",
            "KB",
            "Mbit/s"
        );
        text.extend(of.iter().map(|row| download_line(row)));
        text += "\n";
    }
    text
}

fn download_line(row: &RampRow) -> String {
    let whole = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
    let seen = row.figures.seen;
    format!(
        "  {:22}{:>11}{:>8}{:>9}{:>10}{:>9.2}\n",
        cut(&row.run, 21),
        whole(seen.ramp_ms),
        whole(seen.ramp_kb),
        whole(seen.upt_ms),
        whole(seen.upt_kb),
        row.figures.saturation_mbps
    )
}

/// UEs marked and not: least, median and most of their mean delays and jitters; nothing
/// without UEs.
fn users(groups: &[Group]) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "{:25}{:>22}  {:>20}{:>9}\n",
        "UEs with real-time flows", "delay/ms", "jitter/ms", "lost/%"
    );
    for of in groups.chunk_by(|a, b| a.reading == b.reading) {
        text.extend(of.first().map(|group| format!("{}\n", group.reading)));
        text.extend(of.iter().map(user_line));
    }
    text
}

fn user_line(group: &Group) -> String {
    let marked = if group.marked { "marked" } else { "not marked" };
    let who = format!("{}/{} {marked}", group.ues, group.of);
    let spread = |values: Option<[f64; 3]>, width: usize| match values {
        None => "-".to_owned(),
        Some(values) => values.map(|value| format!("{:>width$}", short(value))).join(""),
    };
    let lost = number(group.lost_percent);
    let (delay, jitter) = (spread(group.delay_ms, 8), spread(group.jitter_ms, 7));
    format!("  {:7}{who:17}{delay:>24}{jitter:>21}{lost:>8}\n", kind(&group.run))
}

/// What is between the first and the last hyphen of a run's name: the kind of stream.
fn kind(run: &str) -> &str {
    let tail = run.split_once('-').map_or(run, |(_, tail)| tail);
    tail.rsplit_once('-').map_or(tail, |(kind, _)| kind)
}

fn short(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn titles() -> String {
    format!(
        "{:10}{:21}{:>9}{:>9}{:>9} {:9}{}\n",
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
        "{:10}{:21}{published:>9}{:>9}{:>9} {:9}{verdict}",
        row.id,
        cut(&what, 20),
        number(row.measured),
        number(row.true_value),
        share.unwrap_or_default(),
    );
    let part = row.part.as_ref().map(|part| format!("{part}: ")).unwrap_or_default();
    let condition = format!("{part}{}", row.condition);
    let reference = row.reference.zip(row.reference_verdict).map(|(value, verdict)| {
        let what = "reference implementation";
        format!("          {what:26}{:>4}{:>25}\n", short(value), verdict.word())
    });
    let reference = reference.unwrap_or_default();
    format!("{}\n{reference}          {}\n", head.trim_end(), cut(&condition, 69))
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
            part: Some("a part".into()),
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
            reference: None,
            reference_verdict: None,
        };
        let group = Group {
            reading: "as published".into(),
            run: "many-video-5".into(),
            marked: false,
            ues: 20,
            of: 20,
            delay_ms: Some([99.999; 3]),
            jitter_ms: Some([99.999; 3]),
            lost_percent: Some(99.999),
        };
        let text = line(&row) + &titles() + REPEATED + &users(&[group]);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
