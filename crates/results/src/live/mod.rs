//! Readings of a run while it goes on.
//!
//! A [`Meter`] listens beside the collector and gives a [`Reading`] for each interval of the run's
//! time. A view needs readings alone. So a simulation, an emulation and a view in another process,
//! which gets readings as JSON, look the same. Memory is bounded whatever happens in an interval.
//! The meter looks at no clock, and the same run gives the same readings.
//!
//! Readings count all packets by when something happens to them, those of a warm-up too: a
//! summary counts them by their birth. An interval has its end in it, but not its beginning. So
//! readings without a warm-up add up to the summary exactly.
//!
//! Left out: percentiles over several intervals, which do not follow from those of each.

mod counts;
mod meter;
mod reading;
mod rows;
mod spread;

pub use meter::{LEAST_INTERVAL, Meter};
pub use reading::{
    CellReading, FlowReading, Health, QueueReading, RadioLinkReading, Reading, Session, Spread,
    TotalsReading,
};
