//! Rows of a report on readings: claims, UEs, stages, figures, ramp-ups.

use airpath_stats::Verdict;
use serde::Serialize;

use crate::RampFigures;

/// Number of runs in which a finding holds, with the 95% interval of Wilson.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Runs in which it holds.
    pub holds: u64,
    /// Runs made.
    pub runs: u64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A claim under a reading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The claim.
    pub id: String,
    /// Part of the claim, for a claim with several statements.
    pub part: Option<String>,
    /// The reading.
    pub reading: String,
    /// Condition of the measurement.
    pub condition: String,
    /// Measured quantity, in words.
    pub metric: String,
    /// Published figure or statement.
    pub published: String,
    /// Ours, computed as the published one was; the median of repeated runs.
    pub measured: Option<f64>,
    /// Ours without rounding down, and by the formula that is printed.
    pub true_value: Option<f64>,
    /// First quartile of `measured` over repeated runs.
    pub low: Option<f64>,
    /// Third quartile.
    pub high: Option<f64>,
    /// Unit.
    pub unit: String,
    /// Largest difference that agrees, in the unit.
    pub tolerance: Option<f64>,
    /// The verdict on the claim.
    #[serde(serialize_with = "Verdict::as_figure")]
    pub verdict: Verdict,
    /// The published figure from a reference implementation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<f64>,
    /// Verdict on our figure against the reference figure, within the same tolerance.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "Verdict::as_optional_figure"
    )]
    pub reference_verdict: Option<Verdict>,
    /// Share of repeated runs in which the finding holds.
    pub holds_in: Option<Share>,
    /// Explanation of the verdict, for a row that needs one.
    pub reason: Option<String>,
}

/// The real-time flow of one UE.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UeRow {
    /// The reading.
    pub reading: String,
    /// The run.
    pub run: String,
    /// The UE.
    pub ue: String,
    /// True if the flow is marked.
    pub marked: bool,
    /// Mean delay in ms, not cut down.
    pub delay_ms: Option<f64>,
    /// Jitter in ms by the printed formula.
    pub jitter_ms: Option<f64>,
    /// Share of its packets that did not arrive by the end of the run, in percent.
    pub lost_percent: Option<f64>,
}

/// Mean time of a flow's packets by stage of the path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageRow {
    /// The reading.
    pub reading: String,
    /// The run.
    pub run: String,
    /// The flow.
    pub flow: String,
    /// True if the flow is marked.
    pub marked: bool,
    /// Stages in the order of the path with the mean time in each, in ms; those in which
    /// no time is spent are left out.
    pub stages_ms: Vec<(&'static str, f64)>,
}

/// Number of claims of a kind that agree in a reading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Count {
    /// The reading.
    pub reading: String,
    /// Parameter that the reading varies, to show the effect of that parameter.
    pub sweep: Option<String>,
    /// Kind of the claims.
    pub kind: String,
    /// Claims that agree.
    pub agree: usize,
    /// Claims that there are, those that cannot be compared included.
    pub of: usize,
}

/// A figure that shows why a claim fares as it does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Name.
    pub name: String,
    /// The reading.
    pub reading: String,
    /// Its true value; the median of repeated runs.
    pub value: f64,
}

/// The ramp-up of a download in a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RampRow {
    /// The reading.
    pub reading: String,
    /// The run.
    pub run: String,
    /// The flow.
    pub flow: String,
    /// Seed of the run.
    pub seed: u64,
    /// Figures of the ramp-up.
    #[serde(flatten)]
    pub figures: RampFigures,
}

#[cfg(test)]
impl Row {
    /// A row for tests to change: a delay of which nothing is known.
    pub(crate) fn sample() -> Row {
        Row {
            id: "X-1".into(),
            part: None,
            reading: String::new(),
            condition: String::new(),
            metric: "delay".into(),
            published: "3".into(),
            measured: None,
            true_value: None,
            low: None,
            high: None,
            unit: "ms".into(),
            tolerance: None,
            verdict: Verdict::NotResolved,
            reference: None,
            reference_verdict: None,
            holds_in: None,
            reason: None,
        }
    }
}
