//! Experiments of a published study on a network.
//!
//! Experiments are data: rows, scenarios and the variations of scenarios. The variations make each
//! [`Experiment`] a campaign. A row is a published statement or figure with the tests that judge it.
//! [`Evidence`] is runs of the experiments, or small tables of such runs. With tables, rows are
//! judged and pages drawn in seconds. [`judge()`] gives each row its verdict, and
//! [`judge_by_sentence()`] the verdict by the rule of its sentence.
//!
//! Published figures are only compared with; nothing is computed from them.

mod data;
mod evidence;
mod fill;
mod formula;
mod gather;
pub mod judge;
mod kpi;
mod make;
pub mod page;
mod plan;
mod reading;
mod store;
mod traces;

pub(crate) use airpath_stats::Verdict;
pub use data::{ArmRuns, Data, Run};
pub use evidence::{Evidence, MAIN, Request, Source, TRACES, tables};
pub use fill::{Batch, Fill, fill};
pub use judge::{Judged, Place, Row, Rules, Sentence, judge, judge_by_sentence};
pub use kpi::{Kpi, Measures, Of};
pub(crate) use make::{Making, batch_of, make};
pub use page::{Findings, Moved, moved, page, screen};
pub use plan::{Axes, Axis, Experiment};
pub use reading::{Choice, Reading, SHARES, Shares};
pub use store::Made;
pub use store::read;
pub(crate) use store::{kept, of_folder, read_made, write, write_made};
pub use traces::Trace;
pub(crate) use traces::{
    Spec as TraceSpec, kept_traces, make_traces, read_traces, trace_pictures, write_traces,
};
