//! Charts of results: from the folders that `airpath run` and `airpath sweep` write to
//! [`Chart`](airpath_plot::Chart)s, each with a sentence that says what it shows.
//!
//! [`Results::open`] reads what folders say of themselves; tables are read when a chart needs
//! them, and no more columns than it needs. [`chart`] makes one of the charts of [`What`], and
//! says, where it cannot, which key of the scenario would have recorded what is missing.
//! [`report`] makes a whole page of a run, a campaign, a study or an analysis.

mod arms;
mod captures;
mod cdf;
mod colours;
#[cfg(test)]
mod declared_tests;
mod error;
mod gaps;
mod load;
mod map;
mod page;
mod record;
mod routes;
mod series;
mod source;
mod stages;
mod timeline;
mod tradeoff;
mod what;
mod words;

pub use captures::{AnalysisFolder, Rows, each_flow, flow_chart, tunnels};
pub use error::ReportError;
pub use page::{comparison, explained, report, report_in_memory};
pub use record::record;
pub use series::Course;
pub use source::{Arms, Results, Run};
pub use what::{What, all, chart};
pub use words::distinct;
