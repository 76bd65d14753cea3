//! The whole file.

use airpath_base::Duration;

use super::{Bearer, Cell, Flow, Output, Path, Ue};
use crate::decode::{above_to, record};

record! {
    /// A scenario: a wired path, a cell, its UEs with their bearers, and the flows
    /// through them.
    pub struct Scenario {
        /// What it shows, in a line, for reports.
        title: Option<String>;
        /// How long the run lasts, in simulated time.
        duration: Duration => above_to(Duration::ZERO, Duration::from_secs(86_400));
        /// From which all randomness of the run derives: the same scenario and seed
        /// give the same bytes. Default: 1.
        seed: u64 = 1;
        /// The wired part between the servers and the cell.
        path: Path;
        /// The cell and its radio.
        cell: Cell;
        /// The user equipments, in groups that are alike; 10000 in all at most.
        ue: Vec<Ue>;
        /// The bearers. A UE without a default bearer gets one of QCI 9.
        bearer: Vec<Bearer>;
        /// The traffic.
        flow: Vec<Flow>;
        /// What to record beside the summary.
        output: Output;
    }
}
