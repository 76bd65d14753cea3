//! Precoding at the base station: the spread of layers over antenna ports, and what a UE receives.
//!
//! - One port: the power of the channel.
//! - Transmit diversity over two or four ports: the mean power of the ports. It is also what
//!   open-loop spatial multiplexing with one layer is (TS 36.213, 7.1.3).
//! - Closed loop with one layer: the UE measures the channel, and asks for the precoder of a
//!   codebook that brings it the most power, over all resource blocks or by subband. The
//!   base station uses it until the next report, which is late by `delay`.
//! - Maximum ratio: the sum of the ports' powers, which no precoder exceeds. So an uplink
//!   signal is received on all ports and combined, or a downlink one sent with perfect
//!   knowledge of the channel.
//! - Several receive antennas combine with maximum ratio: the sum of their powers after the precoder.
//!   For one layer in white noise that is the MMSE receiver. With perfect knowledge of the channel the
//!   sum is the largest eigenvalue of the channel's covariance.
//!
//! - Several layers with closed loop: for each rank the UE asks for the matrix of the codebook with the
//!   largest capacity at a reference of 10 dB. An MMSE receiver separates the layers.
//!
//! - Several layers with open loop: the cell takes precoders in turn. By cyclic delay diversity each layer has
//!   each column of precoder times spreading matrix alike. A receiver separates these columns. With four
//!   ports each resource block has one of four precoders; in the standard that changes every few
//!   subcarriers.
//!
//! - Uplink with two ports: the cell chooses precoder and layers of the uplink's codebook likewise.
//!
//! A signal for another UE is not precoded for this one. Its mean gain is 0 dB, whatever the
//! precoding ([`Library::unmatched`](crate::fading::Library::unmatched)). Several receive antennas do
//! not change that, as they combine with weights of power 1 that do not know this signal. A library can
//! also hold the gains of this signal by port and antenna, and the precoders of each link.
//!
//! - A [`Panel`] of 4 to 32 cross-polarised ports has NR's type I codebook ([`Codebook::Panel`]). The [`Array`] of
//!   a library says where its ports are, and [`Scattering`] where their power goes.
//!
//! Left out: codebooks of type II and of several panels, errors of estimation, quantisation of the report beyond
//! the codebook, and loss of reports.
//! Transmit diversity over four ports sends each symbol on two ports only. The model takes the mean
//! over four ports, which is the mean over a resource block.
//!
//! Sources: TS 36.211, 6.3.4; TS 36.213, 7.1 and 7.2; TS 38.214, 5.2.2.2.1.

mod array;
pub(crate) mod codebook;
mod correlation;
mod dominant;
pub(crate) mod layers;
pub mod multi_user;
pub(crate) mod panel;
pub(crate) mod search;
mod select;

use airpath_base::Duration;

pub(crate) use array::Position;
pub use array::{Array, Scattering};
pub use codebook::Codebook;
pub use correlation::Correlation;
pub(crate) use dominant::dominant;
pub use panel::Panel;
pub(crate) use select::{Choice, Selector};

/// Method by which a base station sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precoding {
    /// On one port.
    SinglePort,
    /// Space-frequency block code over ports (TS 36.211, 6.3.4.3).
    TransmitDiversity(Ports),
    /// Without the UE's precoders: one layer with transmit diversity, several with large-delay cyclic delay
    /// diversity (TS 36.211, 6.3.4.2.2).
    OpenLoop(Ports),
    /// With the precoder that the UE asks for (TS 36.213, 7.1.4; TS 38.214, 5.2.2.2.1).
    ClosedLoop {
        /// Codebook of the UE's reports.
        codebook: Codebook,
        /// Period, delay and subbands of the UE's reports.
        feedback: Feedback,
    },
    /// In proportion to the channel at each instant: maximum ratio combining uplink, or
    /// transmission with a perfectly known channel downlink.
    MaximumRatio {
        /// Antenna ports, 1 to 32.
        ports: u8,
    },
    /// Uplink, from the two ports of a UE, which the library counts as its antennas, with the precoder that
    /// the cell gives it (TS 38.214, 6.1.1.1). The cell combines its antennas.
    Granted {
        /// Antennas of the cell, 1 to 32.
        antennas: u8,
        /// Period and delay of sounding.
        feedback: Feedback,
    },
}

/// Several ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ports {
    /// Two.
    Two,
    /// Four.
    Four,
}

/// Reports of precoding matrix indicators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// From the measurement to the first transmission that heeds it.
    pub delay: Duration,
    /// From one measurement to the next; above zero.
    pub period: Duration,
    /// Resource blocks of a subband that has a precoder of its own, at least 1 (tables 7.2.1-3 and
    /// -5 of TS 36.213 have sizes). `None`: one precoder for all (TS 36.213, 7.2.2, mode 1-1).
    pub subband: Option<u16>,
}

impl Feedback {
    /// At once, with a precoder for the carrier.
    pub(crate) const AT_ONCE: Feedback =
        Feedback { delay: Duration::ZERO, period: Duration::from_millis(1), subband: None };
}

impl Ports {
    /// Number of ports.
    pub const fn count(self) -> usize {
        match self {
            Ports::Two => 2,
            Ports::Four => 4,
        }
    }
}

impl Precoding {
    /// Number of antenna ports.
    pub fn ports(self) -> usize {
        match self {
            Precoding::SinglePort => 1,
            Precoding::TransmitDiversity(ports) | Precoding::OpenLoop(ports) => ports.count(),
            Precoding::MaximumRatio { ports } | Precoding::Granted { antennas: ports, .. } => {
                usize::from(ports)
            }
            Precoding::ClosedLoop { codebook, .. } => codebook.ports(),
        }
    }
}
