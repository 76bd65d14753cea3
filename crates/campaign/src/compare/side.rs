//! Runs and facts of an arm.

use std::collections::{BTreeMap, BTreeSet};

use airpath_results::users::UserRow;
use serde_json::Value;

/// An arm: its scenario and its runs.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// Name for people.
    pub name: String,
    /// The version of airpath that made its runs.
    pub version: String,
    /// The build of it, where that is known.
    pub build: Option<String>,
    /// The resolved scenario, as `summary.json` has it.
    pub scenario: Value,
    /// Names of the metrics, in the order of a run.
    pub metrics: Vec<String>,
    /// Set of the metrics' names, to look up.
    pub(super) known: BTreeSet<String>,
    /// Its runs by seed.
    pub runs: BTreeMap<u64, Run>,
}

/// Results of a run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Metrics that have a value.
    pub metrics: BTreeMap<String, f64>,
    /// Its users.
    pub users: Vec<UserRow>,
}

impl Side {
    /// True if its flows are of several kinds: by transport, application, rate adaptation by a
    /// controller, or direction.
    pub(super) fn kinds_differ(&self) -> bool {
        let flows = self.scenario["flow"].as_array().into_iter().flatten();
        let kinds: BTreeSet<[String; 4]> = flows.map(kind).collect();
        kinds.len() > 1
    }

    /// Its seeds, for a message.
    pub(super) fn seeds(&self) -> String {
        let seeds: Vec<u64> = self.runs.keys().copied().collect();
        match seeds.as_slice() {
            [] => "none".to_owned(),
            [one] => one.to_string(),
            [first, .., last] if last - first == seeds.len() as u64 - 1 => {
                format!("{first} to {last}")
            }
            [first, .., last] => format!("between {first} and {last}"),
        }
    }
}

fn kind(flow: &Value) -> [String; 4] {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let asks = ["player", "requests", "web"].into_iter().find(|key| flow.get(key).is_some());
    let video = ["rtp", "webrtc"].into_iter().find(|kind| flow[kind].get("video").is_some());
    let video = video.map(|_| "video");
    let control = &flow["rtp"]["congestion_control"];
    let application = asks.or(video).unwrap_or_default().to_owned();
    [word(&flow["kind"]), application, word(control), word(&flow["direction"])]
}
