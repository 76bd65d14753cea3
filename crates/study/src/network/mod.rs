//! Experiments of a published study on a network.
//!
//! [`Experiments`] are data: scenarios and what is varied in them, which makes each [`Experiment`] a
//! campaign; and rows, each a published statement or figure with the test that judges it. [`make`]
//! runs an experiment; what the study needs of its runs becomes a small [`Table`](Data), which is
//! kept, so that rows are judged and pages drawn in seconds. [`judge()`] says of each row that it
//! holds, fails, or is not resolved.
//!
//! Published figures are only compared with; nothing is computed from them.

mod data;
mod evidence;
mod gather;
pub mod judge;
mod kpi;
mod make;
pub mod page;
mod plan;
mod sources;
mod store;
mod traces;

pub use airpath_stats::Verdict;
pub use data::{ArmRuns, Data, Run};
pub use evidence::{Evidence, MAIN, Request, Source, TRACES, tables};
pub use judge::{Judged, Place, Row, judge};
pub use kpi::{Kpi, Of};
pub use make::{Making, make};
pub use page::{Difference, Failing, Findings, Screen, Standing, page, screen};
pub use plan::{Experiment, Experiments, Plan};
pub(crate) use sources::L4S_5G;
pub use store::{Made, kept, read, write};
pub use traces::{Trace, kept_traces, make_traces, read_traces, trace_pictures, write_traces};
