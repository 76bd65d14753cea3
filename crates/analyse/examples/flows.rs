//! Prints each flow of captures as it ends, for a look at what the analysis says.
//!
//!     cargo run --release -p airpath-analyse --example flows -- CAPTURE...

use std::fs::File;

use airpath_analyse::{Analyser, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let quiet = std::env::var_os("QUIET").is_some();
    let mut analyser = Analyser::new(Options::default(), |flow| {
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
