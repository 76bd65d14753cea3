//! airpath in a browser: scenarios, runs and reports, called from JavaScript.
//!
//! A page holds no file system. Files that a scenario names are handed in as [`Files`], and results
//! are handed out as bytes. Seeds are part of the scenario's text, so no number of 64 bits passes
//! through JavaScript. A panic is thrown as an error, after which the module has to be loaded anew.

mod capture;
mod files;
mod report;
mod run;
mod scenario;

pub use capture::Analysis;
pub use files::Files;
pub use report::{Report, report_scripts};
pub use run::{Results, Run};
pub use scenario::{check, schema, templates};

use wasm_bindgen::prelude::wasm_bindgen;

/// Lets a panic be thrown as an error with its message. It is called once, before all else.
#[wasm_bindgen]
pub fn begin() {
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}
