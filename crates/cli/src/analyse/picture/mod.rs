//! `airpath analyse --flow N -o FILE`: a flow as a picture.
//!
//! The captures are read a second time for it, once it is known which flow has that name. So
//! no other flow's packets are kept.

mod chart;
mod each;
mod name;

use std::path::PathBuf;

use airpath_analyse::{Analyser, FlowProtocol, FlowRecord, Options, Sink, Trace, Traced};
use airpath_plot::Chart;

pub use each::Largest;
pub use name::FlowName;
use name::Matches;

use super::AnalyseArgs;
use super::captures::{in_order, is_stdin};
use super::tables::notes;
use crate::BAD_INPUT;
use crate::output::{fail, note};
use crate::plot::Target;

/// Packets of each kind of note that a page names.
const NOTED: usize = 8;

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
            let chart = drawn(&flow, args, options)?;
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

/// A flow as a picture, for which the captures are read again.
fn drawn(flow: &FlowRecord, args: &AnalyseArgs, options: Options) -> Result<Chart, String> {
    let (flow, trace) = traced(flow, args, options)?;
    let chart = match flow.protocol {
        FlowProtocol::Tcp => chart::of_segments(&flow, &trace),
        _ => chart::of_datagrams(&flow, &trace),
    };
    let noted = [("Up", &flow.up), ("Down", &flow.down)].map(|(way, direction)| {
        notes(&direction.notes).map_or(String::new(), |notes| format!(" {way}: {notes}."))
    });
    Ok(Chart { sentence: chart.sentence + &noted.concat(), ..chart })
}

/// The packets of a flow, for which the captures are read again.
///
/// # Errors
///
/// If it has no payload or no times, or is not there any more.
pub fn traced(
    flow: &FlowRecord,
    args: &AnalyseArgs,
    options: Options,
) -> Result<(Box<FlowRecord>, Trace), String> {
    let number = flow.number;
    if flow.up.payload_bytes + flow.down.payload_bytes == 0 {
        let protocol = flow.protocol.name();
        let advice = "there is nothing to draw over time";
        return Err(format!("flow {number} ({protocol}) carried no payload: {advice}"));
    }
    let trace = Traced::of(flow);
    if trace.is_none() {
        return Err(format!(
            "flow {number} has packets without a time (Simple Packet Blocks): there is nothing to \
             draw over time"
        ));
    }
    let mut found = Found::default();
    let options = Options { trace, notes: options.notes.max(NOTED), ..options };
    let mut analyser = Analyser::with_sink(options, &mut found);
    for capture in in_order(&args.captures) {
        // The first reading reported faults of the capture.
        if let Ok(input) = capture.open() {
            let _ = analyser.read("again", input);
        }
    }
    analyser.finish();
    let changed = || format!("flow {number} was not found again: did the capture change?");
    found.both.ok_or_else(changed)
}

/// The flow that is traced; its packets come right behind it.
#[derive(Default)]
struct Found {
    last: Option<Box<FlowRecord>>,
    both: Option<(Box<FlowRecord>, Trace)>,
}

impl Sink for &mut Found {
    fn flow(&mut self, flow: &FlowRecord) {
        if self.both.is_none() {
            self.last = Some(Box::new(flow.clone()));
        }
    }

    fn trace(&mut self, trace: &Trace) {
        if let Some(flow) = self.last.take() {
            self.both = Some((flow, trace.clone()));
        }
    }
}
