//! A scheduler of one's own in a scenario, beside the scenario's: it serves those first
//! whose oldest packet has waited longest, whatever their channel.
//!
//!     cargo run --release -p airpath-sim --example own_scheduler -- scenarios/lte-20-ues.toml

use std::cmp::Reverse;
use std::error::Error;
use std::path::Path;

use airpath_base::CellId;
use airpath_ran::CellConfig;
use airpath_ran::mac::{Candidate, Grants, Scheduler, Slot, group_size};
use airpath_results::FlowSummary;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// Serves who has waited longest.
struct LongestWait {
    /// Resource blocks come in groups of so many.
    group: u16,
}

impl Scheduler for LongestWait {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        let mut order: Vec<&Candidate<'_>> = slot.candidates.iter().collect();
        order.sort_by_key(|candidate| Reverse(candidate.head_of_line)); // equals stay in order
        for candidate in order {
            match grants.free() {
                0 => break,
                free => _ = grants.give(candidate, candidate.needed(self.group, free)),
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which scenario?")?;
    let scenario = Scenario::read(Path::new(&path), &[]).map_err(|errors| format!("{errors:?}"))?;
    // One for each cell.
    let own = |_: CellId, cell: &CellConfig| -> Box<dyn Scheduler> {
        Box::new(LongestWait { group: group_size(cell.resource_blocks) })
    };
    let usual = run(&scenario, RunOptions::default())?.summary.flows;
    let options = RunOptions { scheduler: Some(&own), ..RunOptions::default() };
    let longest_wait = run(&scenario, options)?.summary.flows;

    let delay = |flow: &FlowSummary| flow.delay_ms.as_ref().map_or(f64::NAN, |delay| delay.p95);
    let rate = |flow: &FlowSummary| flow.goodput_bps.unwrap_or(0.0) / 1e6;
    println!("                      scenario's scheduler        longest wait");
    println!("flow                  Mbit/s      p95, ms    Mbit/s    p95, ms");
    for (one, other) in usual.iter().zip(&longest_wait) {
        let name = &one.name;
        let (before, after) = ((rate(one), delay(one)), (rate(other), delay(other)));
        print!("{name:<20} {:>7.2} {:>12.1}", before.0, before.1);
        println!("   {:>7.2} {:>10.1}", after.0, after.1);
    }
    Ok(())
}
