//! Captures: an analysis in the page, with the results folder that `airpath analyse --out` writes.

use airpath_analyse::{Analyser, FlowRecord, HostRecord, Options, Sink, Summary, Window};
use airpath_base::Duration;
use airpath_report::AnalysisFolder;
use airpath_results::{FolderError, ResultsFolder};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Results;

/// Outputs of an analysis; the first failure is kept for the end.
struct Output {
    folder: AnalysisFolder,
    summary: Summary,
    failure: Result<(), FolderError>,
}

impl Output {
    fn keep(&mut self, write: impl FnOnce(&mut AnalysisFolder) -> Result<(), FolderError>) {
        if self.failure.is_ok() {
            self.failure = write(&mut self.folder);
        }
    }
}

impl Sink for &mut Output {
    fn flow(&mut self, flow: &FlowRecord) {
        self.summary.add(flow);
        self.keep(|folder| folder.flow(flow));
    }

    fn host(&mut self, host: &HostRecord) {
        self.keep(|folder| folder.host(host));
    }

    fn window(&mut self, window: &Window) {
        self.keep(|folder| folder.window(window));
    }
}

/// Analyses the bytes of a capture, which is called `name`.
///
/// # Errors
///
/// If it is no capture.
#[wasm_bindgen]
pub fn analyse(name: &str, bytes: &[u8]) -> Result<Results, String> {
    let text = |error: FolderError| error.to_string();
    let folder = AnalysisFolder::begin(ResultsFolder::in_memory(name)).map_err(text)?;
    let mut output = Output { folder, summary: Summary::default(), failure: Ok(()) };
    let windows = vec![Duration::from_secs(1), Duration::from_millis(100)];
    let options = Options { windows, threads: 1, ..Options::default() };
    let mut analyser = Analyser::with_sink(options, &mut output);
    analyser.read(name, bytes).map_err(|error| error.to_string())?;
    let totals = analyser.finish();
    output.failure.map_err(text)?;
    let folder = output.folder.finish(&totals, &output.summary.report()).map_err(text)?;
    Ok(Results { folder })
}
