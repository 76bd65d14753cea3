//! Layers to several UEs in the same resource blocks.

use airpath_base::Duration;
use airpath_schema::{between, kinds, record};

kinds! {
    /// Layers to several UEs downlink in the same resource blocks, by the cell's knowledge of their channels.
    pub enum MuMimo or "a table with one of these as its kind", as word {
        /// The cell knows the gains of its ports from sounding uplink by all antennas of a UE. Channels of both
        /// directions are one with duplex = "tdd" alone.
        Srs(MuMimoSrs) = "srs",
        /// The cell takes the precoder of one layer that a UE reports as the direction of its channel.
        Reports(MuMimoReports) = "reports",
    }
}

record! {
    /// Layers to several UEs by sounding.
    pub struct MuMimoSrs {
        /// Most UEs in a resource block, each with one layer. Default: 4, but no more than
        /// `network.precoding.ports`. 12 are as many as there are ports of demodulation reference signals (TS 38.211,
        /// 7.4.1.1).
        layers: Option<u8> => between(2, 12);
        /// Time from one sounding of a UE to the next. Default: `cell.link_adaptation.cqi_period`. TS 38.331, 6.3.2,
        /// has 1 to 2560 slots.
        period: Option<Duration> => between(Duration::from_micros(100), Duration::from_secs(10));
        /// Time from a sounding to the first decision that heeds it. Default: `cell.link_adaptation.cqi_delay`.
        delay: Option<Duration> => between(Duration::from_micros(100), Duration::from_secs(10));
    }
}

record! {
    /// Layers to several UEs by reported precoders, whose period and delay are those of `network.precoding`.
    pub struct MuMimoReports {
        /// Most UEs in a resource block, each with one layer. Default: 4, but no more than
        /// `network.precoding.ports`.
        layers: Option<u8> => between(2, 12);
    }
}

impl MuMimo {
    /// UEs in a resource block at most by default; a set has no more than there are ports.
    pub(crate) const USUAL: u8 = 4;

    /// Most UEs in a resource block, if the file has it.
    pub fn layers(&self) -> Option<u8> {
        match self {
            MuMimo::Srs(own) => own.layers,
            MuMimo::Reports(own) => own.layers,
        }
    }
}
