//! `airpath analyse`: captures in, a table of flows, JSON or Parquet out.
//!
//! Flows are written as they end, so that captures may be longer than the memory.

mod args;
mod json;
mod sink;
mod tables;
mod text;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use airpath_analyse::{Analyser, FlowRecord, Options, Totals};

pub use args::AnalyseArgs;
use sink::{Failure, Sink};

use crate::output::{fail, note, print};
use crate::{BAD_INPUT, FAILED};

/// Analyses captures.
pub fn run(args: &AnalyseArgs) -> u8 {
    let mut sink = match Sink::open(args.json, args.out.as_deref()) {
        Ok(sink) => sink,
        Err(failure) => return refuse(failure),
    };
    let options = Options { clients: args.client.clone(), port: args.port, ..Options::default() };
    let (totals, unread) = read(args, options, |flow| sink.flow(flow));
    if unread == args.captures.len() {
        return BAD_INPUT; // what was wrong has been said
    }
    if !args.json {
        totals.warnings.iter().for_each(|warning| note(format!("warning: {warning}")));
    }
    let printed = match sink.finish(&totals) {
        Ok(text) => print(&text),
        Err(failure) => return refuse(failure),
    };
    if unread > 0 { BAD_INPUT } else { printed }
}

/// Reads all captures; says which cannot be read, and gives how many those are.
fn read(args: &AnalyseArgs, options: Options, sink: impl FnMut(&FlowRecord)) -> (Totals, usize) {
    let mut analyser = Analyser::new(options, sink);
    let mut unread = 0;
    for path in &args.captures {
        let name =
            if is_stdin(path) { "standard input".into() } else { path.display().to_string() };
        let read = open(path).map_err(Into::into).and_then(|input| analyser.read(&name, input));
        if let Err(error) = read {
            fail(format!("{name}: {error}"), BAD_INPUT);
            unread += 1;
        }
    }
    (analyser.finish(), unread)
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    match is_stdin(path) {
        true => Ok(Box::new(io::stdin().lock())),
        false => Ok(Box::new(File::open(path)?)),
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
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
