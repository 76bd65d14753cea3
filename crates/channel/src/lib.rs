//! The radio channel between base stations and UEs: geometry, path loss, antennas and
//! fading, as pure functions of link and slot.
//!
//! It sees nothing but `base`, so no scheduler can reach into it, and calibration uses the
//! code that the simulation uses.
//!
//! - A [`Network`] is a [`Layout`] of sites in an [`Environment`], and how its [`Users`] are
//!   dropped. It says where UE n is, and what gain each cell has to it, once and for all.
//!   The gain is made of [path loss](path_loss) with or without
//!   [line of sight](line_of_sight), [shadowing], [penetration] of walls, and the
//!   [antenna]'s gain over the link's [clusters].
//! - [`moving`]: gains of UEs on a [`route`].
//! - [`Association`] says which cell serves a UE, and what disturbs it.
//! - [`calibration`] has the set-ups of published calibrations.
//! - [`fading`]: frequency-selective fading from a shared library, and the ratio of signal to
//!   interference that comes of it.
//! - [`route`]: positions of UEs that move, over [`streets`] or freely.
//! - [`precoding`]: what several ports of a base station bring.

pub mod angles;
pub mod antenna;
mod association;
pub mod calibration;
pub mod clusters;
mod draws;
mod environment;
mod error;
pub mod fading;
mod geometry;
pub mod layout;
pub mod line_of_sight;
mod made;
pub mod moving;
mod network;
pub mod path_loss;
pub mod penetration;
pub mod precoding;
pub mod route;
pub mod shadowing;
pub mod streets;
#[cfg(test)]
mod testing;
mod users;

pub use association::Association;
pub use environment::{Condition, Environment, Limits, ShadowingStatistics, Sight};
pub use error::ChannelError;
pub use geometry::{Point, Span, wrapped_deg};
pub use layout::Layout;
pub use network::{Averaging, Cell, Network, NetworkConfig, SiteLink};
pub use users::{Heights, STREET_M, Surroundings, Ue, Users};
