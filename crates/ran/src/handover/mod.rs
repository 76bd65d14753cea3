//! Handover of connected UEs: measurements, events, random access, and the record of its steps.
//!
//! State machines without I/O: they take times and values, and give decisions. The caller holds the
//! timers by their `next_due`, and moves messages and packets.
//!
//! - **Measurements** ([`Measuring`]): samples of layer 1, their error, and the filter of layer 3
//!   (TS 36.331, 5.5.3.2; TS 38.331, 5.5.3.2).
//! - **Events** ([`Trigger`]): A1 to A6 with time to trigger and repeated reports (TS 36.331 and TS
//!   38.331, 5.5.4).
//! - **Neighbours** ([`Neighbours`]): begin and end of their measurement by events A2 and A1, and s-Measure (5.5.3.1).
//! - **Random access** ([`Access`]): from the wait for an occasion to the message that completes the
//!   handover (TS 36.321, 5.1; TS 38.321, 5.1). A cell has its [`Occasions`].
//! - **Record** ([`Steps`]): times of one handover, its outcome, and its classification by
//!   [`classify`] (TS 36.300, 22.4.2; TS 38.300, 15.5.2).
//! - **Candidates** ([`Candidates`]): cells that are prepared for a conditional handover (TS 38.300,
//!   9.2.3.4; TS 36.300, 10.1.2.1a).
//! - **Load balancing** ([`Balancing`]): offsets of pairs of cells by their loads (TS 36.300, 22.4.1).
//! - **Carriers** ([`Measurements`], [`Gaps`]): other carriers than that of the serving cell, measured in gaps.
//!
//! Left out: identification of unknown cells, DRX, beams of NR, and errors of
//! messages 2, 3 and 4.

mod access;
mod balancing;
mod candidates;
mod config;
mod draws;
mod events;
mod filter;
mod gaps;
mod measurements;
mod measuring;
mod neighbours;
mod occasions;
#[cfg(test)]
mod properties;
mod steps;

pub use access::{Access, AccessStep, Reception};
pub use balancing::{Balancing, OffsetMove};
pub use candidates::{Candidate, Candidates, Change};
pub use config::{
    AccessConfig, AdmissionConfig, BalancingConfig, CellLoad, ConditionalConfig, Delay, Event,
    EventConfig, HandoverConfig, MeasurementConfig, Offsets, OtherCarriers, ProcedureConfig,
    Quantity, RangeError, SecondaryEvents, deviation_of_bound,
};
pub use draws::Draws;
pub use events::{Measured, Report, Trigger, View};
pub use filter::Filter;
pub use gaps::{GapPattern, Gaps};
pub use measurements::{Due, Measurements};
pub use measuring::{Measuring, Sample};
pub use neighbours::{NeighbourConfig, Neighbours};
pub use occasions::Occasions;
pub use steps::{Failure, FailureKind, Outcome, Problem, Steps, classify};
