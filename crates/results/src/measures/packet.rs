//! Quantities of a packet: columns of `packets.parquet` and `journeys.parquet`.

use airpath_base::measure::{BYTES, Column, NS};
use airpath_base::row;
use airpath_net::{DropCause, Leg, Stage};

use super::source::named;
use crate::{Inventory, PacketRow};

row! {
    from |(inventory, packet): (&Inventory, &PacketRow)|
    /// A packet that was received or dropped, in the order in which they ended.
    pub(crate) struct Packet {
        /// Name of the flow.
        flow: String =
            named(inventory.flows.get(packet.flow.index()).map(|flow| &*flow.name), packet.flow),
        /// `data`, or `feedback`: acknowledgements and reports.
        leg: &'static str = leg(packet.leg),
        /// Number of the packet within its leg, as the sender counts.
        number: u64 = packet.number,
        /// Number of the packet within the run, in order of origin.
        id: u64 = packet.id,
        /// Bytes of the IP packet, without tunnels.
        size: u32 [BYTES] = packet.size,
        /// Time at which its application made it.
        born_ns: u64 [NS] = packet.born.as_nanos(),
        /// Time at which it was received or dropped.
        ended_ns: u64 [NS] = packet.ended.as_nanos(),
        /// True if it was received.
        delivered: bool = packet.dropped.is_none(),
        /// Cause of the drop.
        dropped: Option<&'static str> = packet.dropped.map(DropCause::name),
        /// Node at which it ended. At the radio: the cell or the UE that dropped it.
        node: String = inventory.spot(packet.node, packet.end),
        /// True if its ECN field was congestion experienced at the end.
        ce: bool = packet.ce,
    }
}

/// Columns of the time in each stage, which stand behind these; that of handovers where UEs have them.
pub(crate) fn stages(handover: bool) -> Vec<Column<PacketRow>> {
    let all = Stage::ALL.into_iter().filter(|stage| handover || *stage != Stage::Handover);
    let column = |stage: Stage| {
        let name = stage.name();
        let meaning = format!("Time in the stage `{name}`.");
        Column::count(format!("{name}_ns"), NS, meaning, move |packet: &PacketRow| {
            packet.stages.spent(stage).as_nanos()
        })
    };
    all.map(column).collect()
}

fn leg(leg: Leg) -> &'static str {
    match leg {
        Leg::Data => "data",
        Leg::Feedback => "feedback",
    }
}
