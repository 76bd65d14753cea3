//! `airpath analyse --flow N -o FILE`: a flow as a picture.
//!
//! The captures are read a second time for it, once it is known which flow has that number. So
//! no other flow's packets are kept.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use airpath_analyse::{FlowRecord, Options};
use airpath_plot::Chart;
use airpath_report::flow_chart;

use super::AnalyseArgs;
use super::captures::{in_order, is_stdin};
use crate::BAD_INPUT;
use crate::output::{fail, note};
use crate::plot::Target;

/// A picture that is to be made.
pub struct Picture {
    /// Number of the flow.
    number: u64,
    path: PathBuf,
    target: Target,
    /// The flow, once it was seen.
    flow: Option<Box<FlowRecord>>,
}

impl Picture {
    /// Picture that `--flow` and `-o` name, if they are given.
    ///
    /// # Errors
    ///
    /// Why it cannot be made, before anything is read.
    pub fn wanted(args: &AnalyseArgs) -> Result<Option<Picture>, String> {
        let (Some(number), Some(path)) = (args.flow, &args.picture) else { return Ok(None) };
        // A missing capture is reported when it is read.
        let once = |path: &&PathBuf| is_stdin(path) || path.exists() && !path.is_file();
        if let Some(path) = args.captures.iter().find(once) {
            let name =
                if is_stdin(path) { "standard input".into() } else { path.display().to_string() };
            return Err(format!(
                "--flow reads captures twice, and {name} is no file that can be: save it to one"
            ));
        }
        let target = Target::check(path, false)?;
        Ok(Some(Picture { number, path: path.clone(), target, flow: None }))
    }

    /// A flow has ended.
    pub fn flow(&mut self, flow: &FlowRecord) {
        if flow.number == self.number {
            self.flow = Some(Box::new(flow.clone()));
        }
    }

    /// Reads the captures again, which have so many flows, and writes the picture. Gives the exit
    /// code; faults have been printed.
    pub fn write(self, args: &AnalyseArgs, options: Options, flows: u64) -> u8 {
        let drawn = self
            .drawn(args, options, flows)
            .and_then(|chart| self.target.write(&format!("Flow {}", self.number), &[chart]));
        match drawn {
            Ok(()) => {
                note(format!("flow {} in {}", self.number, self.path.display()));
                0
            }
            Err(reason) => fail(reason, BAD_INPUT),
        }
    }

    fn drawn(&self, args: &AnalyseArgs, options: Options, flows: u64) -> Result<Chart, String> {
        let number = self.number;
        let Some(flow) = &self.flow else { return Err(no_such(number, flows)) };
        flow_chart(flow, &|| Box::new(again(args)), options)
    }
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

fn no_such(number: u64, flows: u64) -> String {
    match flows {
        0 => format!("--flow {number}: there are no flows"),
        1 => format!("--flow {number}: there is one flow, number 1"),
        _ => format!("--flow {number}: there are {flows} flows, with the numbers 1 to {flows}"),
    }
}
