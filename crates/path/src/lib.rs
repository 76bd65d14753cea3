//! Wired elements of the path.
//!
//! A [`Link`] is one direction of a wire: rate or [`Recording`], delay, queue, loss and marks. The
//! [`Gateway`] chooses a bearer for each downlink packet and puts the packet into GTP-U. A
//! [`TunnelEnd`] wraps the backhaul in IPsec, a [`Switch`] finds the way to an endpoint. [`Processing`]
//! takes time, and [`Impair`] loses and reorders packets on purpose. No node of this crate knows flows or
//! controllers: sizes, addresses and header fields are all that these nodes see.

mod delay;
mod fifo;
mod gateway;
mod impair;
mod light;
mod link;
mod managed;
mod pattern;
mod processing;
mod recorded;
mod recording;
mod replayed;
mod switch;
mod tunnel;
mod waiting;

pub use airpath_net::Pattern;
pub use gateway::{BearerTunnel, Gateway, GatewayConfig, GatewayError, Subscriber};
pub use impair::{Impair, ImpairConfig};
pub use light::{Light, LightError};
pub use link::{EcnField, EcnOption, Link, LinkConfig};
pub use processing::{Processing, ProcessingTime};
pub use recording::{Recording, RecordingError};
pub use switch::Switch;
pub use tunnel::{Overhead, TunnelConfig, TunnelEnd};

#[cfg(test)]
mod samples;
