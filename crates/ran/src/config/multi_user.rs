//! Layers to several UEs downlink in the same resource blocks.

use airpath_base::Duration;

/// Layers to several UEs of a cell downlink at once, in a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiUser {
    /// Knowledge of the channels by port.
    pub knowledge: Knowledge,
    /// Most UEs in a resource block, each with one layer: 2 to 12, as many as demodulation reference signals have
    /// ports (TS 38.211, 7.4.1.1).
    pub layers: u8,
    /// From one sounding of a UE to the next; rounded up to whole TTIs, at least one.
    pub period: Duration,
    /// From a sounding to the first decision that heeds it; likewise.
    pub delay: Duration,
}

/// Source of a cell's knowledge of channels by port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Sounding uplink from all antennas of a UE: the channels of both directions are one with time division
    /// duplex (TS 38.214, 6.2.1).
    Sounding,
    /// The precoders of one layer that UEs report, as directions of their channels.
    Reports,
}
