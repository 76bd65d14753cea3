//! noq-proto, a QUIC with BBRv3, beside quinn-proto in a cell.
//!
//!     cargo run --release

mod noq;

use std::error::Error;
use std::path::Path;

use airpath_scenario::Scenario;
use airpath_scenario::stacks::Stack;
use airpath_scenario::world::{OwnParts, StackFlow};
use airpath_sim::{RunOptions, run};

use noq::{Noq, Work};

/// Ends of the flow `noq`, that of the source first. The UE opens the connection.
fn ends(flow: &StackFlow<'_>) -> Result<Option<[Box<dyn Stack>; 2]>, String> {
    if flow.flow != "noq" {
        return Ok(None);
    }
    let source = Noq::new(flow.is_upload, flow.sink, Work::Source(flow.size));
    let sink = Noq::new(!flow.is_upload, flow.source, Work::Sink(flow.size));
    let [source, sink] = [source, sink].map(|end| end.map_err(|error| error.to_string()));
    Ok(Some([Box::new(source?), Box::new(sink?)]))
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cell.toml");
    let scenario = Scenario::read(&file, &[]).map_err(|errors| errors.plain())?;
    let own = OwnParts { stacks: Some(&ends), ..OwnParts::default() };
    let flows = run(&scenario, RunOptions { own, ..RunOptions::default() })?.summary.flows;
    println!("{:<8} {:>8} {:>8} {:>8}", "flow", "Mbit/s", "mean ms", "p95 ms");
    for flow in &flows {
        let delay = flow.delay_ms.as_ref().map_or([f64::NAN; 2], |delay| [delay.mean, delay.p95]);
        let rate = flow.goodput_bps.unwrap_or(0.0) / 1e6;
        println!("{:<8} {rate:>8.2} {:>8.1} {:>8.1}", flow.name, delay[0], delay[1]);
        if let Some(reason) = flow.quic.as_ref().and_then(|quic| quic.failed.as_ref()) {
            return Err(format!("{}: {reason}", flow.name).into());
        }
    }
    Ok(())
}
