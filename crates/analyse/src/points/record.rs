//! Record of a comparison of two points.

use airpath_base::Time;
use airpath_wire::Endpoint;
use serde::Serialize;

use super::clocks::ClockRecord;
use crate::serial::{display, seconds};
use crate::sketch::Spread;

/// Two points, compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PairRecord {
    /// Names of the points, in the order of the command.
    pub points: [String; 2],
    /// Packets of TCP and UDP at each.
    pub packets: [u64; 2],
    /// Flows that pass both.
    pub common_flows: u64,
    /// Flows that pass only one of them, and their packets there.
    pub flows_at_one: [u64; 2],
    /// Packets of flows that pass only one of them.
    pub packets_at_one: [u64; 2],
    /// True if addresses or ports differ between the points.
    pub addresses_differ: bool,
    /// The clocks.
    pub clock: ClockRecord,
    /// Packets that arrive before they are sent, by the clocks; their delay counts as 0.
    pub impossible: u64,
    /// Flows of which it is not known which point they pass first, and their packets that passed
    /// both. They are in `flows`, without delays, and not in `ways`.
    pub unknown_direction_flows: u64,
    /// Packets of these flows that passed both points.
    pub unknown_direction_packets: u64,
    /// All flows together: what passes the first point first, and what passes the second first.
    pub ways: [WayRecord; 2],
    /// Flows that pass both, in the order of their first packets.
    pub flows: Vec<FlowPairRecord>,
    /// Warnings about the captures, and about shortage of memory.
    pub warnings: Vec<String>,
}

/// Packets between two points, one way: delivered, lost and delayed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WayRecord {
    /// Packets that passed the point in front.
    pub sent: u64,
    /// Of them, those that passed the point behind.
    pub arrived: u64,
    /// Of them, those that did not, though its capture ran when they should have.
    pub lost: u64,
    /// Packets of unknown fate among them: the capture had not begun, or had ended.
    pub unknown: u64,
    /// Copies made between the points.
    pub duplicates: u64,
    /// Packets that passed the point behind only, though the other's capture ran: it missed
    /// them, or they were made between.
    pub only_behind: u64,
    /// Packets that arrived behind one that was sent later (RFC 4737, 3.3).
    pub reordered: u64,
    /// One-way delay in ms.
    pub delay_ms: Option<Spread>,
    /// Changes of DSCP and ECN.
    pub marks: MarksRecord,
}

/// Changes of DSCP and ECN of packets that passed both points.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MarksRecord {
    /// Packets that were ECN-capable, and came out of it as not.
    pub ecn_bleached: u64,
    /// Packets that were ECN-capable and were marked CE.
    pub ce_marked: u64,
    /// Other changes of ECN.
    pub ecn_remarked: u64,
    /// Packets whose DSCP became 0.
    pub dscp_bleached: u64,
    /// Packets whose DSCP became another than 0.
    pub dscp_remarked: u64,
    /// Each change, with how many packets had it.
    pub changes: Vec<MarkChange>,
}

/// A change of DSCP and ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MarkChange {
    /// DSCP before and behind.
    pub dscp: [u8; 2],
    /// The two bits of ECN before and behind.
    pub ecn: [u8; 2],
    /// Packets.
    pub packets: u64,
}

/// A flow that passes both points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowPairRecord {
    /// Its number, in the order of first packets.
    pub number: u32,
    /// The client and the server, as the first point sees them.
    #[serde(serialize_with = "display")]
    pub client: Endpoint,
    /// The server.
    #[serde(serialize_with = "display")]
    pub server: Endpoint,
    /// `tcp` or `udp`.
    pub protocol: &'static str,
    /// First packet, by the first point's clock, in seconds since 1970.
    #[serde(serialize_with = "seconds")]
    pub start: Time,
    /// Index of the point nearer to the client, 0 or 1; none if unknown.
    pub client_point: Option<usize>,
    /// From the client to the server.
    pub up: WayRecord,
    /// From the server to the client.
    pub down: WayRecord,
    /// Parts of the flow's round trips; TCP only.
    pub waits: Option<WaitsRecord>,
}

/// Parts of a flow's mean round trip, in ms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WaitsRecord {
    /// Beyond the point that is nearer to the client: path, client and back.
    pub client_side_ms: f64,
    /// Between the points, up.
    pub up_ms: f64,
    /// Between the points, down.
    pub down_ms: f64,
    /// Beyond the point that is nearer to the server: path, server and back.
    pub server_side_ms: f64,
}

/// Fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It passed both points.
    Arrived,
    /// It passed the point in front only.
    Lost,
    /// A copy made between.
    Duplicate,
    /// It passed the point behind only.
    OnlyBehind,
}

/// A packet between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketRecord {
    /// Number of its flow.
    pub flow: u32,
    /// True if the client sent the packet.
    pub up: bool,
    /// Time at the first point that saw the packet, by the first point's clock, in nanoseconds
    /// since 1970.
    pub at: i64,
    /// Its delay in ms, if it arrived.
    pub delay_ms: Option<f64>,
    /// Bytes of payload.
    pub payload: u32,
    /// Fate of the packet.
    pub fate: Fate,
    /// The octet of DSCP and ECN at the point in front and behind; the same if only one saw it.
    pub tos: [u8; 2],
}

impl Fate {
    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Fate::Arrived => "arrived",
            Fate::Lost => "lost",
            Fate::Duplicate => "duplicate",
            Fate::OnlyBehind => "only_behind",
        }
    }
}

impl WaitsRecord {
    /// The whole round trip.
    pub fn sum(&self) -> f64 {
        self.client_side_ms + self.up_ms + self.down_ms + self.server_side_ms
    }
}
