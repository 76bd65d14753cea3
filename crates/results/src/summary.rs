//! Contents of `summary.json`.
//!
//! Every number is finite; what has no value (a mean of no packets) is null.
//! There is no wall time in it, so the same run gives the same bytes.

use airpath_base::measure::S;
use airpath_base::{Time, documented, measured};
use serde::{Deserialize, Serialize};

use crate::{
    BearerSummary, CellSummary, Collector, FlowSummary, HandoverSummary, LinkSummary, Named,
    ResourcesSummary, UeSummary, UsersSummary,
};

/// The mark by which a folder is known as airpath's own.
pub const FORMAT: &str = "airpath-results-1";

/// The version of airpath.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

documented! {
    /// A run and what it came to.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RunSummary {
        /// The mark by which a folder is known as airpath's own: `airpath-results-1`.
        pub format: String,
        /// Version of the program that ran it.
        #[serde(default)]
        pub version: String,
        /// True if the run came to its end.
        pub complete: bool,
        /// The scenario as it was run.
        pub scenario: serde_json::Value,
        /// Seed of all randomness.
        pub seed: u64,
        /// Simulated seconds.
        pub duration_s: f64 [S],
        /// Seconds at the beginning that no statistic counts.
        #[serde(default)]
        pub warm_up_s: f64 [S],
        /// Changes while it ran, in the order of time; not there if there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub changes: Vec<ChangeSummary>,
        /// Flows in the order of the scenario.
        pub flows: Vec<FlowSummary>,
        /// UEs in the order of the scenario.
        pub ues: Vec<UeSummary>,
        /// Cells in the order of the scenario.
        pub cells: Vec<CellSummary>,
        /// Bearers, UE by UE.
        pub bearers: Vec<BearerSummary>,
        /// Wired links, each direction by itself.
        pub links: Vec<LinkSummary>,
        /// Resources that all cells together used, of those that there are.
        #[serde(default)]
        pub resources: ResourcesSummary,
        /// Users by kind of application and direction: their distributions.
        #[serde(default)]
        pub users: Vec<UsersSummary>,
        /// Numbers of events.
        pub events: EventCounts,
    }
}

documented! {
    /// A change while the run went on.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct ChangeSummary {
        /// Time in seconds, before whatever else happened at that instant.
        pub at_s: f64 [S],
        /// Keys and values, as `path.sgi.rate = 5 Mbit/s`.
        pub set: Vec<String>,
    }
}

measured! {
    from |run: &Collector|
    /// Numbers of events in the whole run, its warm-up too: the same for the same scenario and
    /// seed.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct EventCounts {
        /// Events reported by models, without watched points.
        pub events: u64 = run.totals().events,
        /// Packets handed to the network.
        pub originated: u64 = run.totals().originated,
        /// Packets received.
        pub consumed: u64 = run.totals().consumed,
        /// Packets dropped.
        pub dropped: u64 = run.totals().dropped,
        /// Packets marked.
        pub marked: u64 = run.totals().marked,
        /// Transmissions of transport blocks, decoded or not.
        pub blocks: u64 = run.totals().blocks,
        /// Suspicious combinations of ECN fields at tunnel ends (RFC 6040, 4.2).
        pub suspicious_ecn: u64 = run.totals().suspicious_ecn,
        /// Packets, received or dropped, whose stages do not add up to their age: always zero, or
        /// a model has a mistake.
        pub stage_mismatches: u64 = run.totals().stage_mismatches,
        /// Drops by node, at the radio by cell and UE, and by cause.
        pub dropped_at: Named<Named<u64>> = run.dropped_at(),
        /// Packets that are not in `packets.parquet`, which has reached its limit.
        pub packets_omitted: u64 = run.packets_omitted(),
        /// Time at which the time series reached its limit of rows, in seconds.
        pub series_truncated_s: Option<f64> [S] = run.series_truncated().map(Time::as_secs_f64),
        /// Changes of cells behind the warm-up; there only with `network.handover`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub handovers: Option<HandoverSummary> = HandoverSummary::of(run),
        /// Time at which the table of positions reached its limit of rows, in seconds; there only if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub positions_truncated_s: Option<f64> [S] = run.positions_truncated().map(Time::as_secs_f64),
    }
}

impl RunSummary {
    /// The JSON text, indented, with a newline at its end.
    ///
    /// # Errors
    ///
    /// None that these types can cause; `serde_json` may not know that.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}
