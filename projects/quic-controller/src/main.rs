//! A congestion controller for QUIC beside CUBIC of quinn-proto, in the cells of the folder `cells` or in those that are
//! named.
//!
//!     cargo run --release
//!     cargo run --release -- cells/nr.toml

mod controller;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use airpath_report::report;
use airpath_results::{Digests, FlowSummary};
use airpath_scenario::Scenario;
use airpath_scenario::stacks::quic::MakeQuinnControl;
use airpath_scenario::world::OwnParts;
use airpath_sim::{RunOptions, run};

use controller::ShortWaitConfig;

/// Name of the controller in results.
const OWN: &str = "short-wait";

/// Flow of the cells that the controller drives.
const FLOW: &str = "quic";

/// Runs a cell with the controller, or with that of its file, and gives its flow.
fn measure(cell: &Path, own: bool, out: &Path) -> Result<FlowSummary, Box<dyn Error>> {
    let scenario = Scenario::read(cell, &[]).map_err(|errors| errors.plain())?;
    let make = |flow: &str, _: &str| {
        let factory: MakeQuinnControl = Arc::new(ShortWaitConfig);
        (own && flow == FLOW).then(|| (OWN.to_owned(), factory))
    };
    let own = OwnParts { quic_controller: Some(&make), ..OwnParts::default() };
    let made = run(&scenario, RunOptions { own, out: Some(out), ..RunOptions::default() })?;
    let flow = made.summary.flows.into_iter().find(|flow| flow.name == FLOW).ok_or("no flow")?;
    match flow.quic.as_ref().and_then(|quic| quic.failed.as_ref()) {
        Some(reason) => Err(format!("{}: {reason}", cell.display()).into()),
        None => Ok(flow),
    }
}

/// Goodput in Mbit/s, and mean and 95th percentile of the delay in ms.
fn figures(flow: &FlowSummary) -> [f64; 3] {
    let delay = flow.delay_ms.as_ref().map_or([f64::NAN; 2], |delay| [delay.mean, delay.p95]);
    [flow.goodput_bps.unwrap_or(0.0) / 1e6, delay[0], delay[1]]
}

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cells: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if cells.is_empty() {
        for entry in fs::read_dir(root.join("cells"))? {
            cells.push(entry?.path());
        }
        cells.sort();
    }
    println!("{:<12} {:^26} {:^26}", "", OWN, "cubic");
    let head = format!("{:>8} {:>8} {:>8}", "Mbit/s", "mean ms", "p95 ms");
    println!("{:<12} {head} {head}", "cell");
    let (mut rates, mut delays) = (Vec::new(), Vec::new());
    for cell in &cells {
        let name = cell.file_stem().unwrap_or_default().to_string_lossy();
        let folder = root.join("results").join(&*name);
        fs::create_dir_all(&folder)?;
        let (mine, theirs) = (folder.join(OWN), folder.join("cubic"));
        let both = [measure(cell, true, &mine)?, measure(cell, false, &theirs)?];
        let [one, other] = both.each_ref().map(figures);
        let row = |[rate, mean, p95]: [f64; 3]| format!("{rate:>8.2} {mean:>8.1} {p95:>8.1}");
        println!("{name:<12} {} {}", row(one), row(other));
        rates.push(one[0] / other[0]);
        delays.push(one[1] / other[1]);
        let pages = [mine, theirs].map(|path| path.display().to_string());
        fs::write(folder.join("report.html"), report(&pages, Digests::Unchecked)?.html())?;
    }
    let mean = |all: &[f64]| (all.iter().map(|one| one.ln()).sum::<f64>() / all.len() as f64).exp();
    println!(
        "\n{OWN} has {:.2} times the goodput of cubic and {:.2} times its mean delay (geometric means of {} cells).",
        mean(&rates),
        mean(&delays),
        cells.len()
    );
    println!("Reports: {}", root.join("results/CELL/report.html").display());
    Ok(())
}
