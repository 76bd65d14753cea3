//! The path that a UE has through a cell, as recordings for tools that replay one.
//!
//! 1. [`record`] runs the scenario with probes in the stead of the UE's flows: one run saturates both directions, another
//!    sends trains of few packets.
//! 2. [`Format::files`] writes the recording for mahimahi, CellReplay, Rattan or netem.
//! 3. [`judge`] runs five applications in the cell and over the recording, as far as airpath replays its format.

mod cellreplay;
mod error;
mod format;
mod judge;
mod mahimahi;
mod netem;
mod rattan;
mod record;
mod scene;

pub use error::ExportError;
pub use format::{FORMATS, File, Format};
pub use judge::{Figure, Judged, judge};
pub use record::{Options, Recording, STEP_MS, Step, Train, Way, record};
