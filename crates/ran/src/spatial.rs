//! Channels by port, which layers to several UEs need.

use std::fmt::Debug;

use airpath_base::{Time, UeId};
use num_complex::Complex64;

/// Links of a network by port: a pure function of its arguments, as the [`Channel`](crate::Channel) is.
///
/// A group of resource blocks has one channel. The mean power from a port to an antenna is 1.
pub trait Spatial: Debug + Send + Sync {
    /// Resource blocks of a group.
    fn group(&self) -> u16;

    /// Ports of a cell.
    fn ports(&self) -> usize;

    /// Mean gain of a port of its cell to an antenna of a UE, as a factor.
    fn mean_gain(&self, ue: UeId) -> f32;

    /// Appends the gains from a UE's cell in a group of resource blocks, by antenna, then port.
    fn gains(&self, ue: UeId, at: Time, group: usize, gains: &mut Vec<Complex64>);

    /// Appends the weights of ports of one layer in a group, by the UE's report that holds.
    fn reported(&self, ue: UeId, at: Time, group: usize, weights: &mut Vec<Complex64>);

    /// Mean share of a channel's power outside the direction that a UE reports, for independent ports.
    fn unreported(&self) -> f64;

    /// Gain of power of one layer that a UE has alone, on average over the carrier.
    fn alone(&self, ue: UeId, at: Time) -> f32;
}
