//! Files that a scenario names, handed in by the page.

use std::collections::BTreeMap;

use wasm_bindgen::prelude::wasm_bindgen;

/// Texts by the name that a scenario has for them.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Files(BTreeMap<String, String>);

#[wasm_bindgen]
impl Files {
    /// No files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Files {
        Files::default()
    }

    /// Adds a file, or replaces the one of this name.
    ///
    /// # Errors
    ///
    /// If it is not UTF-8.
    pub fn add(&mut self, name: String, bytes: Vec<u8>) -> Result<(), String> {
        let text = String::from_utf8(bytes).map_err(|_| format!("{name} is no text in UTF-8"))?;
        self.0.insert(name, text);
        Ok(())
    }
}

impl Files {
    /// The text of a file, or the reason why there is none. A path counts by its last part, too, since
    /// a page sees no folders.
    pub(crate) fn text(&self, path: &str) -> Result<String, String> {
        let last = path.rsplit('/').next().unwrap_or(path);
        let found = self.0.get(path).or_else(|| self.0.get(last));
        found.cloned().ok_or_else(|| format!("add the file {last} to the page, under Files"))
    }
}
