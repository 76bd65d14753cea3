//! The report of results: one page, or one of several arms.

use airpath_report::report_in_memory;
use airpath_results::Folder;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Results;

/// Scripts of all reports by their hashes, as sources of a content security policy.
#[wasm_bindgen]
pub fn report_scripts() -> String {
    airpath_plot::sources()
}

/// Results that a report shows.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Report(Vec<Folder>);

#[wasm_bindgen]
impl Report {
    /// A report of nothing.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Report {
        Report::default()
    }

    /// Adds results, which keep their name in charts.
    pub fn add(&mut self, results: &Results) {
        self.0.push(results.folder.clone());
    }

    /// The page in HTML, under a title.
    ///
    /// # Errors
    ///
    /// The first results with nothing to show.
    pub fn page(&self, title: &str) -> Result<Vec<u8>, String> {
        let page = report_in_memory(&self.0, title).map_err(|error| error.to_string())?;
        Ok(page.html().into_bytes())
    }
}
