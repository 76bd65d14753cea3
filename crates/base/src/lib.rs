//! Units, identifiers, random streams and mathematics of airpath.
//!
//! Everything that every other crate speaks in: [`Time`] and [`Duration`] in
//! integer nanoseconds, [`Bytes`], [`BitRate`], [`Db`] and [`Dbm`], [`Direction`], identifiers,
//! named [random streams](random), fingerprints of data ([`Digest`]), the
//! [radio states](rrc) of a UE and what they cost, text that a terminal does not obey
//! ([`visible()`]), and [`math`], the only place where
//! transcendental functions may be called, so that results are the same to the
//! last bit on any machine.

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
