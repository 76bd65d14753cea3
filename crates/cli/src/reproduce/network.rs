//! The part of a study that is experiments on a network: made, or taken from tables, and judged.

use std::fs;
use std::path::Path;

use airpath_plot::plural;
use airpath_study::network::{
    Evidence, Findings, Judged, MAIN, Made, Reading, Request, Source, TRACES, page,
    screen as found_on, tables,
};
use airpath_study::{Plan, Report, Study, StudyError, Verdict, experiments_report};
use serde_json::Value;
use tempfile::TempDir;

use super::{fill, put, scope, screen, wires};
use crate::args::{ReadingChoice, ReproduceArgs};
use crate::embedded;
use crate::output::{fail, note, print, say};
use crate::watch::{Steps, interrupt, interrupted};
use crate::wrap::{WIDTH, wrap};
use crate::{BAD_INPUT, FAILED};

/// The first flag that only experiments on a network have.
pub fn flag(args: &ReproduceArgs) -> Option<&'static str> {
    let given = [
        (args.quick, "--quick"),
        (args.runs.is_some(), "--runs"),
        (args.reading.is_some(), "--reading"),
        (args.fill.is_some(), "--fill"),
        (args.since.is_some(), "--since"),
    ];
    given.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
}

/// Checks that the arguments call for experiments: by a part of these, or without a part.
///
/// # Errors
///
/// If the study has no such part.
pub fn is_wanted(args: &ReproduceArgs, study: &Study, experiments: &Study) -> Result<bool, String> {
    let plan = experiments.plan().map_err(|error| error.to_string())?;
    let Some(part) = args.part.as_deref() else { return kept_somewhere(args) };
    if part == TRACES || plan.parts().contains(&part) {
        return kept_somewhere(args);
    }
    let readings = study.plan().map_err(|error| error.to_string())?;
    let mut parts = readings.parts();
    if parts.contains(&part) {
        return match flag(args) {
            Some(flag) => Err(format!("the part {part} is no experiment on a network: no {flag}")),
            None => Ok(false),
        };
    }
    parts.extend(plan.parts());
    parts.push(TRACES);
    Err(format!("the study has no part {part:?}; it has: {}", parts.join(", ")))
}

/// True, unless runs of hours have no folder to be kept in.
fn kept_somewhere(args: &ReproduceArgs) -> Result<bool, String> {
    match args.runs.is_some() && !args.quick && args.out.is_none() {
        true => Err("--runs makes runs that take hours: name a folder with --out DIR".into()),
        false => Ok(true),
    }
}

/// Judges the rows of the experiments. Without `--part`, the rest of the study is judged too.
pub fn run(args: &ReproduceArgs, study: &Study, experiments: &Study) -> u8 {
    let code = match (&args.fill, &args.since) {
        (Some(tables), _) => fill::fill(args, experiments, tables),
        (_, Some(old)) => fill::since(args, experiments, old),
        (None, None) => whole(args, study, experiments),
    };
    match code {
        Ok(code) | Err(code) => code,
    }
}

fn whole(args: &ReproduceArgs, study: &Study, experiments: &Study) -> Result<u8, u8> {
    let fault = |error: StudyError| stop(&error);
    let plan = experiments.plan().map_err(fault)?;
    let out = args.out.as_deref();
    let wanted = args.report.or_with(out).wanted(out)?;
    if let Some(out) = &args.out {
        if out.join("rows.json").exists() && !out.join("tables").is_dir() {
            let why = "holds rows.json and no tables of airpath's: name another folder";
            return Err(fail(format!("{}: {why}", out.display()), BAD_INPUT));
        }
        fs::create_dir_all(out)
            .map_err(|error| fail(format!("{}: {error}", out.display()), BAD_INPUT))?;
    }
    let runs = Runs::new(args)?;
    let source = runs.source(args);
    let readings = readings(args, &plan, runs.are_made(args))?;
    let gather = || {
        let all = readings.iter().map(|reading| gather(args, experiments, &plan, *reading, source));
        all.collect::<Result<Vec<Evidence>, u8>>()
    };
    // Tables are read before anything is made: a file may be no table.
    let found = if runs.are_made(args) { None } else { Some(gather()?) };
    let on_wires = match args.part {
        None => {
            let folder = args.out.as_deref().map(|out| out.join("fixed-network"));
            Some(wires(args, study, folder.as_deref())?)
        }
        Some(_) => None,
    };
    let evidence = found.map_or_else(gather, Ok)?;
    if let (Source::Tables(_), Some(out)) = (source, &args.out) {
        write_tables(&plan, out, readings.iter().zip(&evidence)).map_err(fault)?;
    }
    let mut found = findings(args, experiments, &readings, &evidence)?;
    if let Some(docs) = &args.page {
        write_page(docs, study, &found)?;
    }
    if let Some(part) = &args.part {
        found.retain(part);
    }
    if let Some(out) = &args.out {
        let text = format!("{:#}\n", Value::Array(rows(&found)));
        let path = out.join("rows.json");
        fs::write(&path, text)
            .map_err(|error| fail(format!("{}: {error}", path.display()), FAILED))?;
    }
    let shown = Shown { args, study, source: runs.source(args), wires: on_wires.as_ref() };
    let code = shown.show(&found).map_err(fault)?;
    let Some(wanted) = wanted else { return Ok(code) };
    let page = experiments_report(study, &found, scope(args)).map_err(fault)?;
    Ok(Some(wanted.write(Ok(page))).filter(|page| *page != 0).unwrap_or(code))
}

/// The findings of the first reading, with those of the second where it was made.
fn findings<'e>(
    args: &ReproduceArgs,
    experiments: &'e Study,
    readings: &[Reading],
    evidence: &'e [Evidence],
) -> Result<Findings<'e>, u8> {
    let mut all = Vec::new();
    for (reading, Evidence { data, made, traces }) in readings.iter().zip(evidence) {
        if *reading == Reading::Second && data.arms.is_empty() {
            if args.reading.is_none() {
                continue;
            }
            return Err(stop(&StudyError::NotMade(reading.word())));
        }
        let found = Findings::new(experiments, data, made, args.quick);
        let found = found.map_err(|error| stop(&error))?;
        let traces = traces.clone().unwrap_or(found.traces);
        all.push(Findings { reading: *reading, traces, ..found });
    }
    let mut all = all.into_iter();
    let first = all.next().ok_or_else(|| stop(&StudyError::NotMade(Reading::First.word())))?;
    Ok(Findings { second: all.next().map(Box::new), ..first })
}

/// The readings that are made or judged, the first before the second.
fn readings(args: &ReproduceArgs, plan: &Plan, made: bool) -> Result<Vec<Reading>, u8> {
    let (first, second) = (Reading::First, Reading::Second);
    let wanted = match args.reading {
        None if made => vec![first],
        None | Some(ReadingChoice::Both) => vec![first, second],
        Some(ReadingChoice::First) => vec![first],
        Some(ReadingChoice::Second) => vec![second],
    };
    if args.page.is_some() && !wanted.contains(&first) {
        let why = "the page shows the second reading beside the first: --reading both";
        return Err(fail(why, BAD_INPUT));
    }
    let traces = args.part.as_deref() == Some(TRACES);
    let part = args.part.as_deref().filter(|_| !traces);
    let mut all = Vec::new();
    for reading in wanted {
        let own = plan.of_reading(reading, part);
        let own = own.and_then(|_| match traces && reading == second {
            true => Err(StudyError::NoTraces(reading.word())),
            false => Ok(()),
        });
        match own {
            Ok(()) => all.push(reading),
            Err(_) if args.reading.is_none() && reading == second => {}
            Err(error) => return Err(stop(&error)),
        }
    }
    Ok(all)
}

/// Writes the tables of each reading below a folder of results.
fn write_tables<'e>(
    plan: &Plan,
    out: &Path,
    evidence: impl Iterator<Item = (&'e Reading, &'e Evidence)>,
) -> Result<(), StudyError> {
    let folder = tables(out)?;
    for (reading, evidence) in evidence.filter(|(_, evidence)| !evidence.data.arms.is_empty()) {
        evidence.write(plan, &reading.folder(&folder))?;
    }
    Ok(())
}

/// Writes the page of a study's experiments and its pictures into a folder of documentation.
fn write_page(docs: &Path, study: &Study, found: &Findings<'_>) -> Result<(), u8> {
    let page = page(found).map_err(|error| stop(&error))?;
    let name = format!("{}.md", page_name(study));
    let texts = page.pictures.iter().map(|(name, text)| put(docs, "img", name, text));
    let texts = [put(docs, "studies", &name, &page.text)].into_iter().chain(texts);
    texts.collect::<Result<(), String>>().map_err(|error| fail(error, FAILED))
}

/// The rows of a reading and of the second one beside it, as JSON.
fn rows(found: &Findings<'_>) -> Vec<Value> {
    let both = [Some(found), found.second.as_deref()];
    let rows = both.into_iter().flatten().map(|found| found.json());
    rows.flat_map(|rows| rows.as_array().cloned().unwrap_or_default()).collect()
}

/// The name of the page of a study's experiments.
fn page_name(study: &Study) -> String {
    format!("{}-network", study.name)
}

/// The folder that runs are made in.
enum Runs<'a> {
    /// No runs are made.
    None,
    /// The runs are kept.
    Kept(&'a Path),
    /// Nobody named a folder: the runs are gone at the end.
    Temporary(TempDir),
}

impl Runs<'_> {
    fn new(args: &ReproduceArgs) -> Result<Runs<'_>, u8> {
        Ok(match (&args.from_tables, &args.out) {
            (Some(_), _) => Runs::None,
            (None, Some(out)) => Runs::Kept(out),
            (None, None) if args.quick => {
                Runs::Temporary(tempfile::tempdir().map_err(|error| fail(error, FAILED))?)
            }
            (None, None) => Runs::None,
        })
    }

    /// The origin of the evidence.
    fn source<'a>(&'a self, args: &'a ReproduceArgs) -> Source<'a> {
        match (self, &args.from_tables) {
            (Runs::Kept(folder), _) => Source::Made(folder),
            (Runs::Temporary(folder), _) => Source::Made(folder.path()),
            (Runs::None, Some(Some(folder))) => Source::Tables(folder),
            (Runs::None, _) => Source::Kept,
        }
    }

    fn are_made(&self, args: &ReproduceArgs) -> bool {
        matches!(self.source(args), Source::Made(_))
    }
}

/// Makes or reads the evidence, with progress and notes.
pub fn gather(
    args: &ReproduceArgs,
    experiments: &Study,
    plan: &Plan,
    reading: Reading,
    source: Source<'_>,
) -> Result<Evidence, u8> {
    let part = args.part.as_deref();
    if let Source::Made(folder) = source {
        note_before(args, experiments, plan, folder)?;
    }
    let steps = Steps::new("reading the study", "runs");
    let progress = |name: &str, done: usize, all: usize| steps.show(name, done, all);
    let request = Request {
        reading,
        source,
        part,
        quick: args.quick,
        runs: args.runs,
        progress: Some(&progress),
        interrupt: Some(interrupt()),
        digests: args.read.digests(),
    };
    let evidence = Evidence::gather(experiments, request);
    steps.clear();
    evidence.map_err(|error| match source {
        // A table in a folder that was named is input.
        Source::Tables(_) => fail(error, BAD_INPUT),
        Source::Kept | Source::Made(_) => stop(&error),
    })
}

/// Notes on the time that runs take, and on rows that stay open.
fn note_before(args: &ReproduceArgs, study: &Study, plan: &Plan, folder: &Path) -> Result<(), u8> {
    if !args.quick && study.folder.is_none() {
        note(
            "The whole study takes hours. What is finished is kept: the same command goes on. \
             --quick takes minutes, --from-tables seconds.",
        );
    }
    let Some(part) = args.part.as_deref().filter(|part| *part != TRACES) else { return Ok(()) };
    let wanted = plan.of_part(Some(part)).map_err(|error| fail(error, BAD_INPUT))?;
    let made = folder.join("tables").join(format!("{MAIN}.runs.parquet")).exists();
    if !made && wanted.iter().all(|experiment| experiment.name != MAIN) {
        note(format!(
            "Rows that compare with the part {MAIN} stay \"not made\" until it is made in the same folder."
        ));
    }
    Ok(())
}

pub fn stop(error: &StudyError) -> u8 {
    if error.is_interrupt() {
        return fail("interrupted; the same command goes on", interrupted());
    }
    fail(error, if error.is_bad_input() { BAD_INPUT } else { FAILED })
}

/// A screen on the experiments of a study.
struct Shown<'a> {
    args: &'a ReproduceArgs,
    study: &'a Study,
    source: Source<'a>,
    /// Report of the rest of the study, which is judged without `--part`.
    wires: Option<&'a Report>,
}

impl Shown<'_> {
    fn show(&self, found: &Findings<'_>) -> Result<u8, StudyError> {
        let text = self.words(found)?;
        if self.args.json {
            embedded::take(&text, |called| &mut called.words);
            let mut rows = match serde_json::to_value(self.wires.map(|report| &report.rows)) {
                Ok(Value::Array(rows)) => rows,
                _ => Vec::new(),
            };
            rows.extend(self::rows(found));
            return Ok(print(&format!("{:#}\n", Value::Array(rows))));
        }
        Ok(say(&text))
    }

    /// Sentence on a second reading that was not made; empty otherwise.
    fn not_made(&self, found: &Findings<'_>) -> String {
        let plan = found.study.plan().unwrap_or_default();
        let kept = matches!(self.source, Source::Kept) && !plan.choices.is_empty();
        match (found.reading, &found.second) {
            (Reading::Second, _) => "These are rows of the second reading.\n".to_owned(),
            (_, None) if kept && self.args.reading.is_none() => {
                "The second reading was not made yet: these are rows of the first.\n".to_owned()
            }
            _ => String::new(),
        }
    }

    /// The text for people.
    fn words(&self, found: &Findings<'_>) -> Result<String, StudyError> {
        let mut text = format!("{}\n\n", self.study.title);
        if self.args.all {
            for found in [Some(found), found.second.as_deref()].into_iter().flatten() {
                let both = found.reading == Reading::Second;
                text += if both { "Second reading\n" } else { "" };
                text.extend(found.judged.iter().map(|judged| line(found, judged)));
                text += "\n";
            }
        }
        text += &screen::screen(&found_on(found)?);
        text += &self.not_made(found);
        text += &self.wires.map(|report| on_wires(self.study, report)).unwrap_or_default();
        text += &whence(self.study, self.source, self.args.quick, found.made);
        Ok(text + &rest(self.args, self.study))
    }
}

/// Sentence on the verdicts of rows that need no network.
fn on_wires(study: &Study, report: &Report) -> String {
    let Some(first) = report.rows.first().map(|row| row.reading.as_str()) else {
        return String::new();
    };
    let rows = report.rows.iter().filter(|row| row.reading == first);
    let agree = rows.clone().filter(|row| row.verdict == Verdict::Holds).count();
    let readings = study.plan().map(|plan| plan.readings).unwrap_or_default();
    let part = readings.into_iter().find(|reading| reading.name == first).and_then(|r| r.part);
    let text = format!(
        "Without a network, {agree} of {} agree{}",
        plural(rows.count(), "row"),
        part.map(|part| format!(": --part {part}")).unwrap_or_default()
    );
    wrap(&text, "", "  ", WIDTH)
}

/// The origin of the runs, as a sentence.
fn whence(study: &Study, source: Source<'_>, quick: bool, made: &[Made]) -> String {
    let whose = if study.folder.is_none() { "airpath comes with" } else { "the study keeps" };
    let text = match source {
        Source::Kept => {
            let days: Vec<&str> = made.iter().map(|made| made.date.as_str()).collect();
            match (days.iter().min(), days.iter().max()) {
                (Some(first), Some(last)) if first != last => {
                    format!("From tables that {whose}, made from {first} to {last}")
                }
                (Some(day), _) => format!("From tables that {whose}, made on {day}"),
                _ => format!("From tables that {whose}"),
            }
        }
        Source::Tables(folder) => format!("From the tables in {}", folder.display()),
        Source::Made(_) if quick => {
            "From short runs, fewer of them and at some loads; a row holds at those".to_owned()
        }
        Source::Made(folder) => format!("From the runs in {}", folder.display()),
    };
    wrap(&(text + "."), "", "  ", WIDTH)
}

/// Commands that give more, and the study's page.
fn rest(args: &ReproduceArgs, study: &Study) -> String {
    let name = args.study.as_ref().unwrap_or(&study.name);
    let ways = [
        (args.all, format!("every row: airpath reproduce {name} --all")),
        (args.quick, "runs of some minutes: --quick".to_owned()),
        (args.out.is_some(), "of hours, with tables: --out DIR".to_owned()),
        (args.page.is_some(), "page and pictures: --page DIR".to_owned()),
    ];
    let ways = ways.into_iter().filter(|(given, _)| !given).map(|(_, way)| way);
    let story = format!("the whole story: docs/studies/{}.md", page_name(study));
    let more = ways.chain(study.folder.is_none().then_some(story));
    wrap(&format!("More: {}", more.collect::<Vec<_>>().join("; ")), "", "  ", WIDTH)
}

/// Row with its verdict, and the measurement that decides it; the same by the rule of its sentence
/// if that is another.
fn line(found: &Findings<'_>, judged: &Judged) -> String {
    let place = |judged: &Judged| match judged.deciding() {
        Some(place) => {
            let unit = if place.ratio { "times" } else { "" };
            format!(
                " ({}: {:.3} {unit} [{:.3}, {:.3}], {} runs)",
                place.name, place.value, place.low, place.high, place.runs
            )
        }
        None => String::new(),
    };
    let changed = found.sentence(&judged.row.id).filter(|(sentence, _)| !sentence.tests.is_empty());
    let by_sentence = changed.map_or_else(String::new, |(_, by)| {
        format!("; by its sentence {}{}", by.outcome.word(), place(by))
    });
    let missing = match (judged.outcome, judged.missing) {
        (Verdict::NotResolved, 1..) => {
            format!(", {} not made", plural(judged.missing, "place"))
        }
        _ => String::new(),
    };
    let (word, says) = (judged.outcome.word(), &judged.row.says);
    let text = format!("{word}{missing}: {says}{}{by_sentence}", place(judged));
    wrap(&text, &format!("{:10}", judged.row.id), "          ", WIDTH)
}
