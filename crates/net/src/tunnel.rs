//! Leaving a tunnel: the gateway, an IPsec end and a cell all do it.

use airpath_wire::tunnel::{self, Decapsulated};

use crate::{Cx, DropCause, Event, Outer, Packet};

/// Takes the outermost header off and joins the ECN fields (RFC 6040, 4.2).
///
/// Gives the packet and the header; `None` if there was no header (the packet is
/// dropped as unexpected) or the fields demand a drop. Combinations that should be
/// logged are reported as [`Event::SuspiciousEcn`].
pub fn decapsulate(mut packet: Packet, cx: &mut Cx<'_>) -> Option<(Packet, Outer)> {
    let Some(header) = packet.pop_outer() else {
        cx.drop(packet, DropCause::Unexpected);
        return None;
    };
    let (inner, outer) = (packet.visible_ecn(), header.ecn);
    match tunnel::decapsulate(inner, outer) {
        Decapsulated::Forward { ecn, suspicious } => {
            if suspicious {
                cx.emit(|| Event::SuspiciousEcn { inner, outer });
            }
            packet.set_visible_ecn(ecn);
            Some((packet, header))
        }
        Decapsulated::Drop => {
            cx.emit(|| Event::SuspiciousEcn { inner, outer });
            cx.drop(packet, DropCause::TunnelEcn);
            None
        }
    }
}
