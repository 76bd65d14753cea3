//! Traces: values of single users over time, in several arms with the same users at the same
//! positions.
//!
//! Runs, users and pictures are data, the study's `traces.json`. A scene has one scenario and
//! several arms; each arm is a run with the scenario's seed. Its users are those at percentiles of
//! the mean transmitted rate in its first arm.
//!
//! Values are taken on arrival at the receiver, in steps of 200 ms from the end of the warm-up on.
//! A step has four of them:
//!
//! - bits of media, without RTP's header;
//! - mean wait of the packets in the RTP queue;
//! - mean of the controller's estimates of the network's queue;
//! - mean delay of the frames.

mod listen;
mod make;
mod picture;
mod store;
#[cfg(test)]
mod tests;

use serde::Deserialize;

use crate::{Study, StudyError};

pub use make::make_traces;
pub use picture::trace_pictures;
pub use store::{kept_traces, read_traces, write_traces};

/// File that the study's traces are kept in.
pub(crate) const FILE: &str = "traces.parquet";

/// A metric of a user over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The run.
    pub arm: String,
    /// Description of the user, as "good position".
    pub position: String,
    /// Its name in the scenario.
    pub ue: String,
    /// `transmitted_bps`, `rtp_queue_ms`, `network_queue_ms`, `frame_delay_ms`.
    pub metric: String,
    /// Ends of steps in seconds, and values; a step without one is left out.
    pub points: Vec<(f64, f64)>,
}

/// The scenes and pictures of a study.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    scenes: Vec<Scene>,
    pub(crate) pictures: Vec<Picture>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scene {
    /// Piece that is its scenario.
    file: String,
    arms: Vec<Arm>,
    users: Vec<User>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arm {
    name: String,
    /// Overrides that make it.
    set: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct User {
    /// Description of the user, as "good position".
    position: String,
    /// Percentile of the mean transmitted rate in the first arm.
    percentile: u32,
}

/// Lines, one for each arm and user, in a panel for each metric.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Picture {
    pub(crate) id: String,
    /// The published figure.
    pub(crate) figures: String,
    title: String,
    arms: Vec<String>,
    users: Vec<String>,
    metrics: Vec<String>,
}

impl Spec {
    pub(crate) fn of(study: &Study) -> Result<Spec, StudyError> {
        let spec = study.text("traces.json").map(|_| study.json("traces.json"));
        Ok(spec.transpose()?.unwrap_or_default())
    }
}
