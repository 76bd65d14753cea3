//! `airpath analyse --flow N -o FILE`: a flow as a picture.
//!
//! The captures are read a second time for it, once it is known which flow has that name. So
//! no other flow's packets are kept.

mod name;

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use airpath_analyse::{FlowRecord, Options};
use airpath_report::flow_chart;

pub use name::FlowName;
use name::Matches;

use super::AnalyseArgs;
use super::captures::{in_order, is_stdin};
use crate::BAD_INPUT;
use crate::output::{fail, note};
use crate::plot::Target;

/// A picture that is to be made.
pub struct Picture {
    path: PathBuf,
    target: Target,
    /// Flows that have the name.
    matches: Matches,
}

impl Picture {
    /// Picture that `--flow` and `-o` name, if they are given.
    ///
    /// # Errors
    ///
    /// Why it cannot be made, before anything is read.
    pub fn wanted(args: &AnalyseArgs) -> Result<Option<Picture>, String> {
        let (Some(name), Some(path)) = (args.flow, &args.picture) else { return Ok(None) };
        read_twice(args, "--flow")?;
        let target = Target::check(path, false)?;
        Ok(Some(Picture { path: path.clone(), target, matches: Matches::new(name) }))
    }

    /// A flow has ended.
    pub fn flow(&mut self, flow: &FlowRecord) {
        self.matches.flow(flow);
    }

    /// Reads the captures again, which have so many flows, and writes the picture. Gives the exit
    /// code; faults have been printed.
    pub fn write(self, args: &AnalyseArgs, options: Options, flows: u64) -> u8 {
        let Picture { path, target, matches } = self;
        let drawn = matches.only(flows).and_then(|flow| {
            let chart = flow_chart(&flow, &|| Box::new(again(args)), options)?;
            target.write(&format!("Flow {}", flow.number), &[chart])?;
            Ok(flow.number)
        });
        match drawn {
            Ok(number) => {
                note(format!("flow {number} in {}", path.display()));
                0
            }
            Err(reason) => fail(reason, BAD_INPUT),
        }
    }
}

/// Checks that captures can be read twice, as an option requires.
///
/// # Errors
///
/// If one cannot.
pub fn read_twice(args: &AnalyseArgs, option: &str) -> Result<(), String> {
    // A missing capture is reported when it is read.
    let once = |path: &&PathBuf| is_stdin(path) || path.exists() && !path.is_file();
    let Some(path) = args.captures.iter().find(once) else { return Ok(()) };
    let name = if is_stdin(path) { "standard input".into() } else { path.display().to_string() };
    Err(format!("{option} reads captures twice, and {name} is no file that can be: save it to one"))
}

/// Captures to be read again. The first reading reported their faults.
pub fn again(args: &AnalyseArgs) -> impl Iterator<Item = Box<dyn Read + '_>> {
    in_order(&args.captures)
        .into_iter()
        .filter_map(|capture| Some(capture.open().ok()? as Box<dyn Read>))
}

/// Size of the captures in bytes; none if one of them cannot be read twice.
pub fn size(args: &AnalyseArgs) -> Option<u64> {
    let size = |path: &PathBuf| {
        let file = fs::metadata(path).ok().filter(|found| found.is_file() && !is_stdin(path));
        file.map(|file| file.len())
    };
    args.captures.iter().map(size).sum()
}
