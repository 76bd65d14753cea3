//! Congestion control of an end of QUIC.

use std::fmt;
use std::sync::Arc;

use airpath_transport::control::{CongestionControl, EcnFeedback};
use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};

use super::adapted::AdaptedFactory;
use crate::clock::Clock;

/// Makes the controller of the connection with this number, from 0; none if there is no controller for it.
pub type MakeControl = Arc<dyn Fn(u32) -> Option<Box<dyn CongestionControl>> + Send + Sync>;

/// Makes the controllers of quinn-proto's interface.
pub type MakeQuinnControl = Arc<dyn ControllerFactory + Send + Sync>;

/// Congestion control of the connections of an end.
#[derive(Clone, Default)]
pub enum Congestion {
    /// CUBIC (RFC 9438), the default of quinn-proto.
    #[default]
    Cubic,
    /// NewReno of quinn-proto (RFC 9002, 7).
    NewReno,
    /// BBR as quinn-proto has it, an experiment there.
    Bbr,
    /// A controller by airpath's interface.
    Airpath {
        /// Name in messages.
        name: String,
        /// Makes the controller of a connection.
        make: MakeControl,
    },
    /// A controller by quinn-proto's interface.
    Quinn {
        /// Name in messages.
        name: String,
        /// Makes the controllers of all connections.
        factory: MakeQuinnControl,
    },
}

impl Congestion {
    /// Name in messages.
    pub fn name(&self) -> &str {
        match self {
            Congestion::Cubic => "cubic",
            Congestion::NewReno => "newreno",
            Congestion::Bbr => "bbr",
            Congestion::Airpath { name, .. } | Congestion::Quinn { name, .. } => name,
        }
    }

    /// Makes the controller of a connection.
    pub(super) fn factory(&self, connection: Facts) -> MakeQuinnControl {
        let Facts { clock, number, segment, feedback } = connection;
        match self {
            Congestion::Cubic => Arc::new(CubicConfig::default()),
            Congestion::NewReno => Arc::new(NewRenoConfig::default()),
            Congestion::Bbr => Arc::new(BbrConfig::default()),
            Congestion::Airpath { make, .. } => {
                let make = Arc::clone(make);
                Arc::new(AdaptedFactory { clock, make, number, segment, feedback })
            }
            Congestion::Quinn { factory, .. } => Arc::clone(factory),
        }
    }
}

impl fmt::Debug for Congestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Facts of a connection for its controller.
pub(super) struct Facts {
    pub clock: Clock,
    /// Number of the connection, from 0.
    pub number: u32,
    /// Bytes of a full packet, as far as they are known.
    pub segment: u16,
    pub feedback: EcnFeedback,
}
