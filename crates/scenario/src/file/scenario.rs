//! The scenario file as a whole: its tables and the keys above them.

use airpath_base::Duration;
use airpath_schema::{above_to, choice, record};

use super::{Bearer, Carrier, Cell, Changes, Flow, Network, Output, Path, Ue};

record! {
    /// A scenario: a wired path, a cell, its UEs with their bearers, and the flows through them. Or
    /// a path of wires only, with hosts at its end.
    pub struct Scenario {
        /// Title for reports, in a line.
        title: Option<String>;
        /// Length of the run, in simulated time.
        duration: Duration => above_to(Duration::ZERO, Duration::from_secs(86_400));
        /// Seed of all randomness of the run: the same scenario and seed give the same bytes.
        /// Default: 1.
        seed: u64 = 1;
        /// Network at the end of the path. Default: "lte".
        radio: RadioKind = RadioKind::Lte;
        /// The wired part between the servers and the cell.
        path: Path;
        /// The cell and its radio; none where `radio` is "none".
        cell: Option<Cell>;
        /// Further carriers of the cell. Default: none.
        carrier: Vec<Carrier>;
        /// A network of many cells that are all as `cell` says. Default: one cell alone.
        network: Option<Network>;
        /// The user equipments, in groups that are alike; 10000 in all at most. Where `radio` is
        /// "none", the hosts behind the link; by default one called "host".
        ue: Vec<Ue>;
        /// The bearers. A UE without a default bearer gets one of QCI 9; where `radio` is
        /// "none" there are none.
        bearer: Vec<Bearer>;
        /// The flows of traffic.
        flow: Vec<Flow>;
        /// Changes while the world runs. Default: none.
        change: Changes;
        /// Recorded tables and captures beside the summary.
        output: Output;
    }
    beside {
        /// Warnings about the text that it was read from: keys with old names.
        warnings: Vec<String> = Vec::new();
    }
}

choice! {
    /// Network at the end of the path.
    pub enum RadioKind {
        /// A cell of LTE.
        Lte = "lte",
        /// No radio: hosts behind `path.sgi`, without gateway and tunnels.
        None = "none",
    }
}

impl Scenario {
    /// True if bearers have RLC, PDCP and SDAP of NR.
    pub fn has_user_plane_of_nr(&self) -> bool {
        self.cell.as_ref().is_some_and(Cell::has_user_plane_of_nr)
    }
}
