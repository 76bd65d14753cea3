//! Times that base station, core network, modem and host take for a packet, and the implementations that have
//! them.

use airpath_base::Duration;
use airpath_path::ProcessingTime;
use airpath_schema::{between, choice, kinds, record};

use super::{ExponentialDelay, LognormalDelay, UniformDelay};

/// Longest time of a key.
const LONGEST: Duration = Duration::from_secs(60);

choice! {
    /// An implementation, whose values are the defaults of keys of the cell and of its UEs.
    pub enum Implementation {
        /// The gNB of OpenAirInterface, with its public defaults.
        Oai = "oai",
        /// The gNB of srsRAN Project, with its public defaults.
        Srsran = "srsran",
        /// A commercial standalone network of NR.
        CommercialSa = "commercial-sa",
        /// A commercial network of LTE.
        CommercialLte = "commercial-lte",
        /// Processing that takes no time, and a grant in each uplink slot.
        Ideal = "ideal",
    }
}

kinds! {
    /// Distribution of the time that a packet takes.
    pub enum ProcessingDelay or "a time, as \"0.3 ms\"" {
        /// Always the same.
        Fixed(FixedProcessing) = "fixed",
        /// Evenly distributed.
        Uniform(UniformDelay) = "uniform",
        /// Exponentially distributed.
        Exponential(ExponentialDelay) = "exponential",
        /// Lognormally distributed.
        Lognormal(LognormalDelay) = "lognormal",
    }
}

record! {
    /// A time that is always the same.
    pub struct FixedProcessing(delay) {
        /// The time.
        delay: Duration => between(Duration::ZERO, LONGEST);
    }
}

/// No time at all.
const NONE: ProcessingDelay = ProcessingDelay::Fixed(FixedProcessing { delay: Duration::ZERO });

record! {
    /// Times that packets take beside the slots of the radio. Packets of a direction stay in order.
    pub struct CellProcessing {
        /// In the base station, from a decoded packet to its transmission to the core. Default: 0 ms.
        up: ProcessingDelay = NONE;
        /// In the base station, from a packet of the core to its arrival at PDCP. Default: 0 ms.
        down: ProcessingDelay = NONE;
        /// In the core network, in each direction. Default: 0 ms.
        core: ProcessingDelay = NONE;
    }
}

record! {
    /// Times that packets take in a UE beside the slots of the radio. Packets of a direction stay in order.
    pub struct UeProcessing {
        /// In the host, from the application to the modem. Default: 0 ms.
        up: ProcessingDelay = NONE;
        /// In the host, from the modem to the application. Default: 0 ms.
        down: ProcessingDelay = NONE;
        /// In the modem, in each direction. Default: 0 ms.
        modem: ProcessingDelay = NONE;
    }
}

impl ProcessingDelay {
    /// The times of a node.
    pub(crate) fn time(&self) -> ProcessingTime {
        match self {
            ProcessingDelay::Fixed(own) => ProcessingTime::Fixed(own.delay),
            ProcessingDelay::Uniform(own) => {
                ProcessingTime::Uniform(own.min.min(own.max), own.max.max(own.min))
            }
            ProcessingDelay::Exponential(own) => ProcessingTime::Exponential(own.mean),
            ProcessingDelay::Lognormal(own) => ProcessingTime::Lognormal(own.median, own.sigma),
        }
    }
}
