//! `airpath reproduce`.

mod all;
mod fill;
mod network;
mod screen;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use airpath_results::{FolderError, ResultsFolder};
use airpath_scenario::read_text;
use airpath_study::{
    Failure, Options, Report, STUDIES, Scope, Study, StudyError, Values, page, readings_report,
    reproduce, study,
};

use crate::args::ReproduceArgs;
use crate::embedded;
use crate::out::Out;
use crate::output::{STDIN, fail, is_standard, leftovers, note, print, refuse, say};
use crate::plot::Wanted;
use crate::watch::{Steps, interrupt, interrupted};
use crate::{BAD_INPUT, FAILED};

/// Runs a study and prints how its claims fare.
pub fn run(args: &ReproduceArgs) -> u8 {
    let Some(name) = args.study.as_deref() else { return say(&list()) };
    let opened = study(name).map_or_else(|| Study::open(Path::new(name)), Ok);
    let study = match opened.and_then(|study| study.check().map(|()| study)) {
        Ok(study) => study,
        Err(error) => return fail(error, BAD_INPUT),
    };
    let study = &study;
    if study.folder.is_none() && Path::new(name).join("plan.json").is_file() {
        note(format!("note: {name} is the study that airpath comes with; ./{name} is the folder"));
    }
    if let Err(why) = out_is_apart(args, study) {
        return fail(why, BAD_INPUT);
    }
    if let Some(experiments) = study.network() {
        match network::is_wanted(args, study, &experiments) {
            Ok(true) => return network::run(args, study, &experiments),
            Ok(false) => {}
            Err(error) => return fail(error, BAD_INPUT),
        }
    } else if let Some(flag) = network::flag(args) {
        return fail(
            format!("{}: the study has no experiments on a network, so no {flag}", study.name),
            BAD_INPUT,
        );
    }
    let out = args.out.as_deref();
    // In the folder of results there is one anyway.
    let wanted = args.report.wanted_beside(out);
    match wanted.and_then(|wanted| Ok((wanted, wires(args, study, out)?))) {
        Ok((wanted, report)) => {
            let code = show(args, study, &report);
            let page = wanted.map(|wanted| explain(wanted, args, study, &report));
            let code = page.filter(|page| *page != 0).unwrap_or(code);
            if report.failures.is_empty() { code } else { FAILED }
        }
        Err(code) => code,
    }
}

fn explain(wanted: Wanted, args: &ReproduceArgs, study: &Study, report: &Report) -> u8 {
    match readings_report(study, report, scope(args)) {
        Ok(page) => wanted.write(Ok(page)),
        Err(error) => fail(error, FAILED),
    }
}

/// Makes what of a study is no experiment on a network: its table into `out`, its page.
fn wires(args: &ReproduceArgs, study: &Study, out: Option<&Path>) -> Result<Report, u8> {
    let interrupt = interrupt();
    let out = out.map(Out::open).transpose()?;
    let steps = Steps::new("reading the study", "runs");
    let told = |reading: &str, done: usize, all: usize| {
        steps.show(reading, done, all);
        if let Some(out) = out.as_ref().filter(|_| done == all) {
            steps.aside(|| out.done(reading, all));
        }
    };
    let trace = args.trace.as_deref().map(read_trace).transpose()?;
    let values = values(args, study)?;
    let options = Options {
        trace: trace.as_deref(),
        values: values.as_ref(),
        part: args.part.as_deref(),
        seeds: args.seeds,
        progress: Some(&told),
        interrupt: Some(interrupt),
        cache: out.as_ref().map(|out| &out.cache),
        own: None,
    };
    let report = reproduce(study, options);
    steps.clear();
    let report = match report {
        Ok(report) => report,
        Err(error) => return Err(stop(&error, out.as_ref())),
    };
    if let Some(out) = out {
        let page = match readings_report(study, &report, scope(args)) {
            Ok(page) => page.html(),
            Err(error) => return Err(stop(&error, Some(&out))),
        };
        if let Err(error) = write(&out.target, args, study, &report, &page) {
            out.stopped();
            return Err(fail(error, FAILED));
        }
        match report.failures.is_empty() {
            true => out.finished(),
            false => out.stopped(),
        }
    }
    for Failure { reading, run, seed, why } in &report.failures {
        fail(format!("{reading}: run {run} with seed {seed} failed: {why}"), FAILED);
    }
    if let Some(docs) = &args.page
        && let Err(error) = write_page(docs, study, &report)
    {
        return Err(fail(error, FAILED));
    }
    Ok(report)
}

/// The values that are judged instead of runs, if tables are to be judged. Tables of a study with a
/// network are those of its experiments, unless a part without one is named.
fn values(args: &ReproduceArgs, study: &Study) -> Result<Option<Values>, u8> {
    let Some(from) = &args.from_tables else { return Ok(None) };
    if study.network().is_some() && args.part.is_none() {
        return Ok(None);
    }
    let found = match from {
        Some(folder) => Values::read(folder, args.read.digests()),
        None => Values::kept(study),
    };
    let found = found.and_then(|values| Ok((values.fits(study)?, values)));
    let (fits, values) = found.map_err(|error| fail(error, BAD_INPUT))?;
    if !fits {
        note("note: files of the study have changed since the runs of this table were made");
    }
    Ok(Some(values))
}

/// A path without links, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match there {
        Some((above, real)) => {
            path.strip_prefix(above).map_or(real.clone(), |rest| real.join(rest))
        }
        None => path,
    }
}

/// Checks that results are not written over the files of the study.
///
/// # Errors
///
/// A folder of results that lies in the study, or above it.
fn out_is_apart(args: &ReproduceArgs, study: &Study) -> Result<(), String> {
    let Some((out, folder)) = args.out.as_deref().zip(study.folder.as_deref()) else {
        return Ok(());
    };
    let (out, folder) = (real(out), real(folder));
    match out.starts_with(&folder) || folder.starts_with(&out) {
        true => Err(format!(
            "{}: the study itself is there; name another folder for the results",
            out.display()
        )),
        false => Ok(()),
    }
}

fn show(args: &ReproduceArgs, study: &Study, report: &Report) -> u8 {
    let text = match text(study, report, args) {
        Ok(text) => text,
        Err(error) => return fail(error, FAILED),
    };
    if !args.json {
        return say(&text);
    }
    embedded::take(&text, |called| &mut called.words);
    match serde_json::to_string_pretty(&report.rows) {
        Ok(text) => print(&(text + "\n")),
        Err(error) => fail(error, FAILED),
    }
}

/// Text of a reproduction for people, with the commands that give more.
fn text(study: &Study, report: &Report, args: &ReproduceArgs) -> Result<String, StudyError> {
    let found = airpath_study::screen(study, report)?;
    let mut text = format!("{}\n\n", study.title);
    if args.all {
        text += &all::tables(report, &found.exact);
    }
    text += &screen::screen(&found);
    if let Some(out) = &args.out {
        text += &format!("Results are in {}.\n", out.display());
    }
    if let Some(docs) = &args.page {
        text += &format!("Its page is {}.\n", page_of(docs, study).display());
    }
    Ok(text + &screen::rest(study, args))
}

fn list() -> String {
    let width = STUDIES.iter().map(|study| study.name.len()).max().unwrap_or(0);
    let lines = STUDIES.iter().map(|study| format!("  {:<width$}  {}\n", study.name, study.title));
    format!("{}\nairpath reproduce NAME repeats one.\n", lines.collect::<String>())
}

fn read_trace(path: &Path) -> Result<String, u8> {
    if !is_standard(path) {
        let help =
            "--trace takes a recording of capacity in mahimahi's format, or - for standard input";
        return read_text(path, help).map_err(refuse);
    }
    io::read_to_string(io::stdin().lock())
        .map_err(|error| fail(format!("{STDIN} cannot be read: {error}"), BAD_INPUT))
}

fn page_of(docs: &Path, study: &Study) -> PathBuf {
    docs.join("studies").join(format!("{}.md", study.name))
}

/// Says why there is no report, and what is kept of it.
fn stop(error: &StudyError, out: Option<&Out>) -> u8 {
    if let Some(out) = out {
        out.stopped();
    }
    if error.is_interrupt() {
        return fail("interrupted", interrupted());
    }
    fail(error, if error.is_bad_input() { BAD_INPUT } else { FAILED })
}

/// Writes the results of readings into a folder of results.
fn write(
    target: &Path,
    args: &ReproduceArgs,
    study: &Study,
    report: &Report,
    page: &str,
) -> Result<(), FolderError> {
    let folder = ResultsFolder::create(target)?;
    leftovers(folder.leftovers());
    folder.write_text("report.html", page)?;
    let seeds = if args.from_tables.is_some() { report.values.seeds() } else { args.seeds };
    report.write(&folder, study, seeds)?;
    folder.finish().map(|_| ())
}

/// The scope of a report.
fn scope(args: &ReproduceArgs) -> Scope<'_> {
    Scope { part: args.part.as_deref(), seeds: args.seeds }
}

/// Writes the study's page and its pictures into a folder of documentation.
fn write_page(docs: &Path, study: &Study, report: &Report) -> Result<(), String> {
    let page = page(study, report).map_err(|error| error.to_string())?;
    put(docs, "studies", &format!("{}.md", study.name), &page.text)?;
    page.pictures.iter().try_for_each(|(name, text)| put(docs, "img", name, text))
}

/// Writes a file of a folder of documentation.
fn put(docs: &Path, folder: &str, name: &str, text: &str) -> Result<(), String> {
    let folder = docs.join(folder);
    let path = folder.join(name);
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}
