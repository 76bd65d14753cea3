//! Published studies: claims, readings, verdicts.
//!
//! A [`Study`] is data: scenarios, a [`Plan`] and a table of [`Claim`]s. The plan lists the runs
//! that each reading of the study needs, with their overrides, and the experiments. A claim has the
//! published figure or statement, and the tolerance within which it counts as met. The claim's
//! [`Quantity`] names the value to compare, and the runs.
//!
//! [`reproduce`] makes the runs in parallel and judges each claim. The order of the results does
//! not depend on threads. Published figures are only compared with results; nothing is computed
//! from them. No model knows of studies.
//!
//! With a [`RunCache`](airpath_sim::RunCache), an interrupted study goes on, and several processes
//! share its runs. [`page`] fills a study's page with measured values, and draws its figures.
//!
//! Left out: fitting.

mod beside;
mod check;
mod claim;
mod error;
mod folder;
mod growth;
mod judge;
mod measure;
pub mod network;
mod observe;
mod own;
mod page;
mod pictures;
mod plan;
mod quantity;
mod ramp;
mod ramps;
mod reports;
mod reproduce;
mod row;
mod screen;
mod span;
mod study;
mod task;
mod tasks;
mod text;
mod users;
mod values;
mod wired;

pub use airpath_campaign::BUILD;
pub use airpath_stats::Verdict;
pub use beside::{Agreement, Beside, beside};
pub use claim::Claim;
pub use error::StudyError;
pub use page::page;
pub use pictures::pictures;
pub use plan::{AirInterface, Plan, Reading, RunDef};
pub use quantity::{Form, Quantity};
pub use ramp::{Origin, Ramp, RampFigures, Risen};
pub use reports::{Scope, experiments_report, readings_report};
pub use reproduce::{Failure, Options, Progress, Report, reproduce};
pub use row::{Count, Figure, RampRow, Row, Share, StageRow, UeRow};
pub use screen::{Difference, Differing, Screen, Standing, screen};
pub use span::Packets;
pub use study::{Kept, STUDIES, Study, study};
pub use task::MakeOwn;
pub use text::{Page, Text};
pub use users::{Group, groups};
pub use values::{VALUES, Values};
