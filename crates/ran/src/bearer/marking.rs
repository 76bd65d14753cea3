//! Marks of uplink packets at the cell.

use airpath_base::{Duration, Time};
use airpath_net::queue::Ramp;
use airpath_net::{ChangeError, Cx, Packet, QueueChange};
use airpath_wire::Ecn;

use super::Bearer;

impl Bearer {
    /// Marks uplink packets at the cell by the delay that it takes them to wait in the UE.
    pub(crate) fn set_uplink_marker(&mut self, marker: Ramp) {
        self.marker = Some(Box::new(marker));
    }

    /// Changes what marks uplink packets at the cell.
    pub(crate) fn change_marker(&mut self, change: QueueChange) -> Result<(), ChangeError> {
        let without = || ChangeError::new("does not mark the uplink of this bearer");
        self.marker.as_mut().ok_or_else(without)?.change(change)
    }

    /// True if the cell marks its uplink packets.
    pub(crate) fn marks_uplink(&self) -> bool {
        self.marker.is_some()
    }

    /// Marks an uplink packet that leaves for the core while so much waits in the UE, perhaps.
    pub(crate) fn mark_uplink(
        &mut self,
        now: Time,
        delay: Duration,
        packet: &mut Packet,
        cx: &mut Cx<'_>,
    ) {
        let Some(marker) = &mut self.marker else { return };
        marker.catch_up(now, Some(now.saturating_sub(delay)));
        let marks = marker.decide() && matches!(packet.visible_ecn(), Ecn::Ect0 | Ecn::Ect1);
        match &mut self.congestion {
            Some(congestion) => congestion.count_up(marks),
            None if marks => cx.mark(packet),
            None => {}
        }
    }
}
