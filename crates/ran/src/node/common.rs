//! State that all cells of a network read, and the call in which they act.

use airpath_base::Time;
use airpath_base::random::Keyed;
use airpath_net::Cx;
use airpath_wire::tunnel::EcnMode;

use crate::air::OnAir;

/// State of the network that cells read. None of them writes it.
pub(super) struct Common {
    /// Transmissions on the air of each carrier, if links of a network receive them. Transmissions of a
    /// call are added after it: they are received later.
    pub air: Vec<OnAir>,
    /// Rule that fills the ECN field of GTP-U uplink.
    pub ecn: EcnMode,
    /// Draws of block errors.
    pub errors: Keyed,
    /// Draws of missed grants.
    pub missed: Keyed,
}

impl Common {
    /// Transmissions on the air of the carrier with this number, in a network.
    pub fn air(&self, carrier: usize) -> Option<&OnAir> {
        self.air.get(carrier)
    }
}

/// A call of the node: its instant, the common state, and the way out.
pub(super) struct Moment<'a, 'c> {
    pub now: Time,
    pub common: &'a Common,
    pub cx: &'a mut Cx<'c>,
}
