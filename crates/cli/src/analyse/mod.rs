//! `airpath analyse`: captures in, tables of flows and hosts, JSON or
//! Parquet out.
//!
//! Flows are written as they end, so that captures may be longer than the memory.

mod args;
mod captures;
mod datagrams;
mod json;
mod picture;
mod points;
mod qlog;
mod sink;
mod summary;
mod text;

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use airpath_analyse::{Analyser, Captures, LargestFlows, Options, Radio, Totals};
use airpath_base::Duration;
use airpath_base::rrc::Seen;
use airpath_plot::{Section, plural};
use airpath_report::each_flow;
use airpath_scenario::RadioFile;
use airpath_scenario::world::RadioModel;

pub use args::AnalyseArgs;
use captures::{in_order, is_stdin};
use picture::{Picture, again, read_twice, size};
use sink::{Failure, Sink};

use crate::output::{self, fail, note, print, say};
use crate::plot::Wanted;
use crate::{BAD_INPUT, FAILED};

/// Silence beyond the radio's tail after which the radio is idle for certain. The study of 2012
/// that `lte` stands for takes 13 s, with a tail of 10 s.
const MARGIN: Duration = Duration::from_secs(3);

/// Analyses captures.
pub fn run(args: &AnalyseArgs) -> u8 {
    let (radio, radio_idle) = match radio(args) {
        Ok(radio) => radio,
        Err(code) => return code,
    };
    if args.captures.iter().filter(|path| is_stdin(path)).count() > 1 {
        return fail("standard input can be only one capture: name - once", BAD_INPUT);
    }
    let options = options(args, radio, radio_idle);
    if args.points {
        return points::run(args, &options);
    }
    let (out, wanted) = match args.report.with_folder(args.out.as_deref(), "analysis") {
        Ok(asked) => asked,
        Err(code) => return code,
    };
    let qlog = args.qlog.as_ref().map_or(Ok(()), |_| read_twice(args, "--qlog"));
    let picture = match qlog.and_then(|()| Picture::wanted(args)) {
        Ok(picture) => picture,
        Err(reason) => return fail(reason, BAD_INPUT),
    };
    let mut sink = match Sink::open(args.json, out.as_deref(), picture) {
        Ok(sink) => sink,
        Err(failure) => return refuse(failure),
    };
    sink.logged = args.qlog.as_ref().map(|_| LargestFlows::default());
    sink.drawn = wanted.as_ref().map(|_| LargestFlows::default());
    let (totals, unread) = read(args, options.clone(), &mut sink);
    if unread == args.captures.len() {
        return BAD_INPUT; // each fault has been printed
    }
    if !args.json {
        totals.warnings.iter().for_each(|warning| note(format!("warning: {warning}")));
    }
    let (picture, flows) = (sink.picture.take(), sink.drawn.take());
    let logged = sink.logged.take();
    let printed = match sink.finish(&totals, args.out.is_some()) {
        Ok(text) if args.json => print(&text),
        Ok(text) => say(&text),
        Err(failure) => return refuse(failure),
    };
    let again: &Captures<'_> = &|| Box::new(again(args));
    let each = flows.map(|flows| each_flow(&flows, again, size(args), &options, totals.flows));
    let page = wanted.map(|wanted| explain(wanted, out.as_slice(), args, each));
    let logged = logged.map(|largest| log(&largest, args, &options));
    let drawn = picture.map(|picture| picture.write(args, options, totals.flows));
    let printed =
        [page, logged, drawn].into_iter().flatten().find(|code| *code != 0).unwrap_or(printed);
    if unread > 0 { BAD_INPUT } else { printed }
}

/// Options of the analysis that the command line names, with the radio model and its silence until idle.
fn options(args: &AnalyseArgs, radio: Option<Radio>, radio_idle: Duration) -> Options {
    let threads = args.threads.or_else(|| thread::available_parallelism().ok());
    Options {
        clients: args.client.clone(),
        port: args.port,
        select: args.select.clone(),
        span: [args.from, args.to],
        decapsulate: args.decapsulate,
        notes: args.notes.unwrap_or(0).into(),
        windows: windows(args),
        radio,
        radio_idle,
        threads: threads.map_or(1, NonZeroUsize::get),
        ..Options::default()
    }
}

/// Writes flows as qlogs, and gives the exit code.
fn log(largest: &LargestFlows, args: &AnalyseArgs, options: &Options) -> u8 {
    let Some(folder) = &args.qlog else { return 0 };
    match qlog::write(folder, largest, args, options) {
        Ok(written) => {
            note(format!("{} in {}", plural(written, "qlog"), folder.display()));
            0
        }
        Err(reason) => fail(reason, FAILED),
    }
}

/// Writes the report. Its facts name the captures, and `each` has the pictures of the flows.
fn explain(wanted: Wanted, folders: &[PathBuf], args: &AnalyseArgs, each: Option<Section>) -> u8 {
    let names: Vec<String> = args.captures.iter().map(|path| path.display().to_string()).collect();
    let title = match args.captures.as_slice() {
        [one] => {
            let file = one.file_name().map(|name| name.to_string_lossy().into_owned());
            format!("Analysis of {}", file.unwrap_or_else(|| names[0].clone()))
        }
        all => format!("Analysis of {} captures", all.len()),
    };
    let captures = ("captures".to_owned(), names.join(", "));
    wanted.report_of(folders, &title, Some(captures), each)
}

/// Radio of the hosts, if `--radio` names one, and the silence after which a radio is idle.
fn radio(args: &AnalyseArgs) -> Result<(Option<Radio>, Duration), u8> {
    let standard = Options::default().radio_idle;
    let Some(path) = &args.radio else { return Ok((None, standard)) };
    if path == Path::new("lte") {
        return Ok((Some(Radio::MOBISYS_2012), standard));
    }
    let file = match is_stdin(path) {
        true => RadioFile::parse("standard input", &standard_input(args)?),
        false => RadioFile::read(path),
    };
    let file = file.map_err(output::refuse)?;
    output::warn(&file.warnings);
    let RadioModel { states, promotion, power } = file.rrc.model();
    let tail = states.release_after.unwrap_or(Duration::MAX);
    let idle = Duration::from_nanos(tail.as_nanos().saturating_add(MARGIN.as_nanos()));
    Ok((Some(Radio { config: states, promotion, power, seen: Seen::InNetwork }), idle))
}

/// The text on standard input, which no capture may be then.
fn standard_input(args: &AnalyseArgs) -> Result<String, u8> {
    if args.captures.iter().any(|path| is_stdin(path)) {
        let what = "standard input cannot be both a capture and the radio: name a file for one";
        return Err(fail(what, BAD_INPUT));
    }
    io::read_to_string(io::stdin())
        .map_err(|error| fail(format!("cannot read standard input: {error}"), BAD_INPUT))
}

/// Widths of windows of bandwidth; the study's, if none are given.
fn windows(args: &AnalyseArgs) -> Vec<Duration> {
    match (args.out.is_some() || args.report.is_asked(), args.window.is_empty()) {
        (false, _) => Vec::new(),
        (_, false) => args.window.clone(),
        (_, true) => vec![Duration::from_secs(1), Duration::from_millis(100)],
    }
}

/// Reads all captures; says which cannot be read, and gives how many those are.
fn read(args: &AnalyseArgs, options: Options, sink: &mut Sink) -> (Totals, usize) {
    let mut analyser = Analyser::with_sink(options, sink);
    let mut unread = 0;
    for capture in in_order(&args.captures) {
        let name = capture.name.clone();
        let opened = capture.open().map_err(Into::into);
        let read = opened.and_then(|input| analyser.read(&name, input));
        if let Err(error) = read {
            fail(format!("{name}: {error}"), BAD_INPUT);
            unread += 1;
        }
    }
    (analyser.finish(), unread)
}

fn refuse(failure: Failure) -> u8 {
    match failure {
        Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Failure::Output(error) => fail(format!("cannot write the output: {error}"), FAILED),
        Failure::Folder(error @ airpath_results::FolderError::NotOurs { .. }) => {
            fail(error, BAD_INPUT)
        }
        Failure::Folder(error) => fail(error, FAILED),
    }
}
