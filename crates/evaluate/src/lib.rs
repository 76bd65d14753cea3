//! Report cards of congestion controllers.
//!
//! A [`Case`] is data: a scenario, the flows whose controller is evaluated, and criteria. A criterion has
//! a statement of its source, and a quantity with a bound. The bound is airpath's own where the source has no number, and the case
//! gives its reason.
//!
//! A [`Suite`] has cases. [`evaluate`] runs the cases of suites with each [`Controller`], and judges the criteria as claims
//! of a study are judged. The [`Card`] has a verdict for each criterion with its figure, interval and reason.
//! [`Card::against`] compares it with an earlier card, seed by seed.
//!
//! Runs do not depend on each other or on threads. The same call gives the same bytes.

mod against;
mod applies;
mod card;
mod case;
mod controller;
mod error;
mod evaluate;
mod grid;
mod kept;
mod kept_page;
mod margin;
mod page;
mod reports;
mod study;
mod suite;

pub use against::{Change, Changed};
pub use airpath_study::MakeOwn;
pub use card::{Card, CaseCard, Judged};
pub use case::{Axis, Case, CaseFile, CaseRun, Criterion, Extent, Family, schema};
pub use controller::{CONTROLLERS, Controller, MakeControl, controllers};
pub use error::EvaluateError;
pub use evaluate::{Options, Progress, evaluate};
pub use kept::{Kept, KeptRow};
pub use reports::{Reports, WritePage};
pub use suite::{SUITES, Suite, suites};
