//! Parameters from which a population is drawn.

use serde::Deserialize;

use crate::own::even::Curve;

/// Parameters of a population.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Sources of the figures, and a list of those that are made up; for readers of the file.
    #[serde(rename = "note")]
    pub(crate) _note: Vec<String>,
    /// RTT of the handshake in ms, where no proxy answers.
    pub(crate) handshake_ms: Curve,
    /// RTT between monitor and proxy in ms.
    pub(crate) proxy_ms: f64,
    /// Time that the radio takes to wake up, in ms.
    pub(crate) promotion_ms: Curve,
    /// Percent of flows by period of the client's timestamp clock in ms; 0 has none.
    pub(crate) clocks: Vec<(f64, f64)>,
    /// Largest error of such a clock, in parts in a million.
    pub(crate) clock_ppm: f64,
    /// Percent of clients that permit SACK.
    pub(crate) sack: f64,
    /// Percent of connected flows that end by RST.
    pub(crate) reset: f64,
    /// Percent of the bytes of HTTP by content type.
    pub(crate) content: Vec<(String, f64)>,
    /// Percent of groups of flows that begin together, by their size.
    pub(crate) together: Vec<(u32, f64)>,
    /// Receive window in bytes.
    pub(crate) window: u32,
    /// Receive window of a flow whose window grows, in bytes.
    pub(crate) grown_window: u32,
    /// The strata.
    pub(crate) strata: Vec<Stratum>,
}

/// Flows of a kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stratum {
    /// Name.
    pub(crate) name: String,
    /// Behaviour of the stratum's flows.
    pub(crate) kind: Kind,
    /// Percent of all TCP flows that it stands for; of UDP flows too, with the number of
    /// TCP flows as 100.
    pub(crate) percent: f64,
    /// Flows that are drawn.
    pub(crate) flows: u32,
    /// Percent of them over HTTP, and over HTTPS.
    #[serde(default)]
    pub(crate) http: f64,
    #[serde(default)]
    pub(crate) https: f64,
    /// Payload down and up, in bytes.
    #[serde(default)]
    pub(crate) down: Curve,
    #[serde(default)]
    pub(crate) up: Curve,
    /// From first to last packet, in seconds.
    #[serde(default)]
    pub(crate) duration_s: Curve,
    /// Bandwidth that is there in Mbit/s.
    #[serde(default)]
    pub(crate) available_mbps: Curve,
    /// Bandwidth that is used in Mbit/s; takes precedence over what is there.
    #[serde(default)]
    pub(crate) used_mbps: Curve,
    /// Used over available, in percent.
    #[serde(default)]
    pub(crate) used_percent: Curve,
    /// A period of timestamp clocks in ms that all its flows have.
    pub(crate) clock_ms: Option<f64>,
    /// Content type of all of them, instead of the population's.
    pub(crate) content: Option<String>,
    /// Losses and full windows of the stratum's flows.
    #[serde(default)]
    pub(crate) trouble: Trouble,
}

/// Losses and full windows of long flows.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trouble {
    /// Duplicate ACKs of a flow; below 1 nothing is lost.
    #[serde(default)]
    pub(crate) duplicates: Curve,
    /// Percent of flows with many duplicate ACKs for each loss, and the number of these ACKs.
    #[serde(default)]
    pub(crate) long_runs: f64,
    #[serde(default)]
    pub(crate) long_run: Curve,
    /// Number of duplicate ACKs for each loss in the other flows.
    #[serde(default)]
    pub(crate) short_run: Curve,
    /// Retransmissions over packets of flows that have some, in percent.
    #[serde(default)]
    pub(crate) retransmitted_percent: Curve,
    /// Percent of flows in which a loss ends in a slow start.
    #[serde(default)]
    pub(crate) slow_start: f64,
    /// Percent of flows that fill the receive window, and of those, that do it late.
    #[serde(default)]
    pub(crate) full_window: f64,
    #[serde(default)]
    pub(crate) late: f64,
    /// Percent of flows whose window grows, and is used.
    #[serde(default)]
    pub(crate) grown: f64,
}

/// Behaviour of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// Only SYNs.
    Unanswered,
    /// A request and an answer, alone or together with others.
    Small,
    /// A request and a longer answer.
    Medium,
    /// A long answer with pauses.
    Bulk,
    /// A long answer without.
    Steady,
    /// A long request.
    Upload,
    /// A DNS lookup.
    Lookup,
    /// Other UDP.
    Datagrams,
}
