//! Prints each flow of captures as it ends, for a look at what the analysis says; nothing
//! but the totals if QUIET is set. THREADS is how many work.
//!
//!     cargo run --release -p airpath-analyse --example flows -- CAPTURE...

use std::fs::File;

use airpath_analyse::{Analyser, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let quiet = std::env::var_os("QUIET").is_some();
    let threads = std::env::var("THREADS").map_or(Ok(1), |n| n.parse())?;
    let options = Options { threads, ..Options::default() };
    let mut analyser = Analyser::new(options, |flow| {
        if !quiet {
            println!("{flow:#?}");
        }
    });
    for path in std::env::args().skip(1) {
        analyser.read(&path, File::open(&path)?)?;
    }
    println!("{:#?}", analyser.finish());
    Ok(())
}
