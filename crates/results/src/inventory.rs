//! Inventory of a run: names and facts of flows, UEs, cells, bearers and links.
//!
//! Events carry small numbers only. The caller, who built the world, says here
//! what they stand for; the position in each list is the number.

use airpath_base::rrc;
use airpath_base::{BearerId, BitRate, CellId, Duration, FlowId, NodeId, Time, UeId};
use airpath_net::{Direction, RadioEnd};

use crate::VoiceCodec;
use crate::measures::source::named;

/// All that results need to know of the world.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// By [`FlowId`](airpath_base::FlowId).
    pub flows: Vec<FlowInfo>,
    /// By [`UeId`].
    pub ues: Vec<UeInfo>,
    /// By [`CellId`].
    pub cells: Vec<CellInfo>,
    /// By [`BearerId`].
    pub bearers: Vec<BearerInfo>,
    /// Wired links, in the order in which they are to be listed.
    pub links: Vec<LinkInfo>,
    /// Names by [`NodeId`], for drops.
    pub nodes: Vec<String>,
    /// The nodes at which a drop counts for a flow's bearer.
    pub radio_nodes: Vec<NodeId>,
    /// True if UEs may go from cell to cell.
    pub handover: bool,
    /// True if they do so by conditional handover.
    pub conditional: bool,
    /// True if they do so by DAPS handover.
    pub daps: bool,
    /// True if cells may refuse them.
    pub admission: bool,
    /// True if cells move their offsets by load.
    pub load_balancing: bool,
    /// True if they go between carriers, too.
    pub carriers: bool,
    /// True if they may have a leg of NR beside their cell.
    pub dual_connectivity: bool,
    /// True if they have secondary cells, which are released and added on their way.
    pub secondary_cells: bool,
}

impl Inventory {
    /// The cell that serves a UE.
    pub fn cell_of(&self, ue: UeId) -> Option<CellId> {
        self.ues.get(ue.index())?.cell
    }

    /// The name of a cell or UE at which a packet was dropped, or else of the node.
    pub fn spot(&self, node: NodeId, end: Option<RadioEnd>) -> String {
        let text = |name: Option<&String>, number: &dyn std::fmt::Display| {
            named(name.map(String::as_str), number)
        };
        match end {
            None => text(self.nodes.get(node.index()), &node),
            Some(RadioEnd::Cell(id)) => text(self.cells.get(id.index()).map(|c| &c.name), &id),
            Some(RadioEnd::Ue(id)) => text(self.ues.get(id.index()).map(|ue| &ue.name), &id),
        }
    }
}

/// A flow.
#[derive(Clone, Debug, Default)]
pub struct FlowInfo {
    /// Name in the scenario.
    pub name: String,
    /// Transport: [`FlowInfo::TCP`], [`FlowInfo::RTP`], `xr`, `quic`, `webrtc`, or [`FlowInfo::FULL_BUFFER`].
    pub kind: String,
    /// Kind of application that its UE's user has with it. None if it is no user's own, like the
    /// part of a flow beyond a proxy.
    pub application: Option<String>,
    /// The UE at its end.
    pub ue: Option<UeId>,
    /// Direction of its data; none if not through a cell.
    pub direction: Option<Direction>,
    /// The bearers of its data and of its feedback, in this order.
    pub bearers: [Option<BearerId>; 2],
    /// Planned stop, if before the run ends.
    pub stop: Option<Time>,
    /// Flow whose newest packet at its source each of its frames shows.
    pub input: Option<FlowId>,
    /// Codec of voice; none of other flows.
    pub codec: Option<VoiceCodec>,
    /// True if its frames are no pictures but files, poses or sound.
    pub no_pictures: bool,
}

impl FlowInfo {
    /// The kind that is carried by TCP.
    pub const TCP: &str = "tcp";
    /// The kind of equal packets and video over RTP.
    pub const RTP: &str = "rtp";
    /// The kind that has no packets: its data fill what the radio grants.
    pub const FULL_BUFFER: &str = "full-buffer";

    /// True if its data are packets.
    pub fn has_packets(&self) -> bool {
        self.kind != FlowInfo::FULL_BUFFER
    }
}

/// A user equipment.
#[derive(Clone, Debug, Default)]
pub struct UeInfo {
    /// Name in the scenario.
    pub name: String,
    /// The cell that serves it at the start.
    pub cell: Option<CellId>,
    /// Its RRC; none if it is always connected and listening.
    pub rrc: Option<RrcInfo>,
    /// Time of arrival; none if it is there from the beginning.
    pub arrival: Option<Time>,
    /// RSRP in dBm of a UE without service, that of its strongest cell; none if it has service.
    pub no_service_dbm: Option<f64>,
    /// SINR in dB downlink and uplink of a UE that is out of range at the beginning; none if it is
    /// in range.
    pub out_of_range_db: [Option<f32>; 2],
}

/// RRC of a UE.
#[derive(Clone, Copy, Debug)]
pub struct RrcInfo {
    /// Timers and cycles.
    pub states: rrc::Config,
    /// True if it is connected at the beginning.
    pub connected: bool,
    /// Power of its states.
    pub power: rrc::Power,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct CellInfo {
    /// Name in the scenario.
    pub name: String,
    /// Resource blocks in a slot, downlink and uplink.
    pub resource_blocks: [u16; 2],
    /// Length of a slot (LTE: of a subframe).
    pub slot: Duration,
    /// Shares of slots that carry data downlink, data uplink and grants.
    pub shares: [f64; 3],
}

/// A bearer.
#[derive(Clone, Debug, Default)]
pub struct BearerInfo {
    /// Name in the scenario.
    pub name: String,
    /// Its UE.
    pub ue: UeId,
    /// QoS class identifier (TS 23.203, table 6.1.7-A); with a 5QI that.
    pub qci: u8,
    /// 5QI (TS 23.501, table 5.7.4-1), if it has one instead of a QCI.
    pub five_qi: Option<u8>,
    /// Class of traffic that the scenario puts it into; none if it says nothing.
    pub traffic_class: Option<String>,
    /// Its packet delay budget; none if its class has none.
    pub delay_budget: Option<Duration>,
    /// `um` or `am`.
    pub rlc_mode: String,
}

/// A wired link in one direction.
#[derive(Clone, Debug, Default)]
pub struct LinkInfo {
    /// Name in the scenario.
    pub name: String,
    /// The node whose queue it is.
    pub node: NodeId,
    /// Its rate; none if it changes or is unlimited.
    pub rate: Option<BitRate>,
}
