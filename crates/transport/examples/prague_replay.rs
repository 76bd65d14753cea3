//! Replays acknowledgements through the rules of Prague and compares with another
//! implementation's states.
//!
//!     cargo run --release -p airpath-transport --example prague_replay -- FILE
//!
//! Each line of FILE is one acknowledgement, in columns that commas separate. The first are time in
//! us, RTT in us, and packets received, marked, lost and sent so far. The expected state follows:
//! alpha of 2^20 and window in millionths of a byte. More columns are not read. A line `# ... mtu=N
//! init_rate=N B/s` begins a new flow of such packets and initial rate; its clock stands at one RTT
//! before its first acknowledgement.

use std::error::Error;

use airpath_transport::control::{Counts, PragueCore, PragueCoreConfig};

/// The number behind `key=` in a comment.
fn option(line: &str, key: &str) -> Option<u64> {
    let rest = line.split(&format!("{key}=")).nth(1)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Largest deviations of a flow so far.
#[derive(Default)]
struct Worst {
    lines: u32,
    alpha: f64,
    window: f64,
}

impl Worst {
    fn print(&self, name: &str) {
        if self.lines > 0 {
            println!(
                "{name}: {} acknowledgements, alpha off by {:.2e} at most, window by {:.3} %",
                self.lines,
                self.alpha,
                self.window * 100.0
            );
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let text = std::fs::read_to_string(path)?;
    let (mut name, mut worst) = (String::new(), Worst::default());
    let mut options = PragueCoreConfig::reference(1_250_000, 1400);
    let mut core = None;
    for line in text.lines() {
        if line.starts_with('#') {
            worst.print(&name);
            (name, worst, core) = (line.to_owned(), Worst::default(), None);
            let rate = option(line, "init_rate").unwrap_or(1_250_000);
            options = PragueCoreConfig::reference(rate, option(line, "mtu").unwrap_or(1400));
            continue;
        }
        let cells: Result<Vec<i64>, _> = line.split(',').map(str::parse).collect();
        let Ok([at, rtt, received, ce, lost, sent, alpha, window, ..]) = cells.as_deref() else {
            continue; // the header
        };
        let core = core.get_or_insert_with(|| PragueCore::new(options.clone(), at - rtt));
        core.rtt(*rtt);
        core.ack(*at, Counts { received: *received, ce: *ce, lost: *lost, sent: *sent }, true);
        let off = (core.alpha() - alpha).abs() as f64 / (1u64 << 20) as f64;
        let share = core.window().abs_diff(*window as u64) as f64 / (*window as f64).max(1.0);
        worst.lines += 1;
        worst.alpha = worst.alpha.max(off);
        worst.window = worst.window.max(share);
    }
    worst.print(&name);
    Ok(())
}
