//! The congestion signal: a mark for those that understand it, a drop for others.

use airpath_wire::Ecn;

use crate::{Cx, DropCause, Packet};

/// Sets congestion experienced, if the packet is ECN-capable; a packet that bears
/// the mark already keeps it.
#[inline]
pub(super) fn mark(packet: &mut Packet, cx: &mut Cx<'_>) {
    if matches!(packet.visible_ecn(), Ecn::Ect0 | Ecn::Ect1) {
        cx.mark(packet);
    }
}

/// Signals congestion: marks the packet and gives it back if it is ECN-capable and
/// `ecn` is in use, drops it otherwise (RFC 3168, 5).
#[inline]
pub(super) fn signal(mut packet: Packet, ecn: bool, cx: &mut Cx<'_>) -> Option<Packet> {
    if ecn && packet.visible_ecn().is_capable() {
        mark(&mut packet, cx);
        Some(packet)
    } else {
        cx.drop(packet, DropCause::Aqm);
        None
    }
}
