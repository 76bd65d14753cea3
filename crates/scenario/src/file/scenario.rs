//! The whole file.

use airpath_base::Duration;
use airpath_schema::{above_to, choice, record};

use super::{Bearer, Cell, Changes, Flow, Network, Output, Path, Ue};

record! {
    /// A scenario: a wired path, a cell, its UEs with their bearers, and the flows
    /// through them; or a path of wires only, with hosts at its end.
    pub struct Scenario {
        /// What it shows, in a line, for reports.
        title: Option<String>;
        /// How long the run lasts, in simulated time.
        duration: Duration => above_to(Duration::ZERO, Duration::from_secs(86_400));
        /// From which all randomness of the run derives: the same scenario and seed
        /// give the same bytes. Default: 1.
        seed: u64 = 1;
        /// What the path ends with. Default: "lte".
        radio: RadioKind = RadioKind::Lte;
        /// The wired part between the servers and the cell.
        path: Path;
        /// The cell and its radio; none where `radio` is "none".
        cell: Option<Cell>;
        /// A network of many cells that are all as `cell` says. Default: one cell alone.
        network: Option<Network>;
        /// The user equipments, in groups that are alike; 10000 in all at most. Where
        /// `radio` is "none", the hosts behind the link; one called "host" if not said.
        ue: Vec<Ue>;
        /// The bearers. A UE without a default bearer gets one of QCI 9; where `radio` is
        /// "none" there are none.
        bearer: Vec<Bearer>;
        /// The traffic.
        flow: Vec<Flow>;
        /// What changes while the world runs. Default: nothing.
        change: Changes;
        /// What to record beside the summary.
        output: Output;
    }
}

choice! {
    /// What the path ends with.
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
