//! Captures: an analysis in the page, with the results and the report that `airpath analyse` writes.

use std::io::Read;
use std::iter;
use std::slice::from_ref;

use airpath_analyse::{
    Analyser, Captures, FlowRecord, HostRecord, LargestFlows, Options, Sink, Summary, Totals,
    Window,
};
use airpath_base::Duration;
use airpath_plot::Section;
use airpath_report::{AnalysisFolder, each_flow, explained, report_in_memory};
use airpath_results::{FolderError, ResultsFolder};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Results;

/// Outputs of an analysis; the first failure is kept for the end.
struct Output {
    folder: AnalysisFolder,
    summary: Summary,
    largest: LargestFlows,
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
        self.largest.flow(flow);
        self.keep(|folder| folder.flow(flow));
    }

    fn host(&mut self, host: &HostRecord) {
        self.keep(|folder| folder.host(host));
    }

    fn window(&mut self, window: &Window) {
        self.keep(|folder| folder.window(window));
    }
}

/// Results and report of a capture.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Analysis {
    results: Results,
    page: Vec<u8>,
}

#[wasm_bindgen]
impl Analysis {
    /// Analyses the bytes of a capture, which is called `name`.
    ///
    /// # Errors
    ///
    /// If it is no capture.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, bytes: &[u8]) -> Result<Analysis, String> {
        let windows = vec![Duration::from_secs(1), Duration::from_millis(100)];
        let options = Options { windows, threads: 1, ..Options::default() };
        let (output, totals) = read(name, bytes, options.clone())?;
        let again: &Captures<'_> = &|| Box::new(iter::once(Box::new(bytes) as Box<dyn Read>));
        let size = Some(bytes.len() as u64);
        let each = each_flow(&output.largest, again, size, &options, totals.flows);
        let summary = output.summary.report();
        let folder = output.folder.finish(&totals, &summary).map_err(|error| error.to_string())?;
        let results = Results { folder };
        let page = page(name, &results, each)?;
        Ok(Analysis { results, page })
    }

    /// The report in HTML, which is handed out once.
    pub fn page(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.page)
    }

    /// The results folder.
    pub fn results(self) -> Results {
        self.results
    }
}

fn read(name: &str, bytes: &[u8], options: Options) -> Result<(Output, Totals), String> {
    let folder = AnalysisFolder::begin(ResultsFolder::in_memory(name));
    let folder = folder.map_err(|error| error.to_string())?;
    let (summary, largest) = (Summary::default(), LargestFlows::default());
    let mut output = Output { folder, summary, largest, failure: Ok(()) };
    let mut analyser = Analyser::with_sink(options, &mut output);
    analyser.read(name, bytes).map_err(|error| error.to_string())?;
    let totals = analyser.finish();
    output.failure.as_ref().map_err(|error| error.to_string())?;
    Ok((output, totals))
}

fn page(name: &str, results: &Results, each: Section) -> Result<Vec<u8>, String> {
    let page = report_in_memory(from_ref(&results.folder), &format!("Analysis of {name}"));
    let page = page.map_err(|error| error.to_string())?;
    let asked = ("captures".to_owned(), name.to_owned());
    Ok(explained(page, Some(asked), Some(each)).html().into_bytes())
}
