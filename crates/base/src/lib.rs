//! Units, identifiers, random streams and mathematics of airpath.
//!
//! Vocabulary of all crates: [`Time`] and [`Duration`] in integer nanoseconds, [`Bytes`],
//! [`BitRate`], [`Db`], [`Dbm`], [`Direction`], and identifiers. Named [random streams](random) and
//! fingerprints of data ([`Digest`]) serve reproducible runs. The [radio states](rrc) of a UE have
//! their durations and their energy. [`visible()`] is text without control sequences for a
//! terminal. Transcendental functions are called through [`math`] alone, so that results are equal
//! to the last bit on any machine.

mod digest;
mod direction;
mod id;
pub mod math;
pub mod random;
mod rate;
mod ratio;
pub mod rrc;
mod time;
mod visible;

pub use digest::Digest;
pub use direction::Direction;
pub use id::{BearerId, CellId, FlowId, NodeId, Port, UeId};
pub use rate::{BitRate, Bytes};
pub use ratio::{Db, Dbm};
pub use time::{Duration, Time};
pub use visible::{visible, visible_line};
