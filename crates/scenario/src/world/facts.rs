//! Parts of a world, by name.

use airpath_base::rrc;
use airpath_base::{BearerId, BitRate, CellId, Duration, FlowId, NodeId, Time, UeId};
use airpath_net::{Direction, PointId};
use airpath_ran::Reach;
use airpath_wire::{Endpoint, Tuple};

use super::{LayerFacts, addresses};
use crate::file::PcapPoint;

/// Names and facts; the position in each list is the number that events carry.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// By [`FlowId`](airpath_base::FlowId): for each flow of the file those of its UEs.
    pub flows: Vec<FlowFacts>,
    /// By [`UeId`], in the order of the file.
    pub ues: Vec<UeFacts>,
    /// By [`CellId`](airpath_base::CellId).
    pub cells: Vec<CellFacts>,
    /// By [`BearerId`]: UE by UE, the default bearer of each first.
    pub bearers: Vec<BearerFacts>,
    /// Wired links, each direction by itself, from the servers to the cell.
    pub links: Vec<LinkFacts>,
    /// The radio access network, if there is one.
    pub radio: Option<NodeId>,
    /// Points that are watched, but for the radio itself.
    pub points: Vec<PointFacts>,
    /// Its layers, where the radio itself is captured.
    pub layers: Option<LayerFacts>,
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
    pub inter_frequency: bool,
    /// True if they may have a leg of NR beside their cell.
    pub dual_connectivity: bool,
    /// True if they have secondary cells, which are released and added on their way.
    pub secondary_cells: bool,
    /// Ends of tunnels, if UEs may go from cell to cell.
    pub tunnels: Option<TunnelFacts>,
}

/// Tunnels of a network whose UEs go from cell to cell. Each cell is a base station with addresses of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunnelFacts {
    /// The gateway on S1-U or N3.
    pub gateway: Endpoint,
    /// Addresses of the cells on S1-U or N3, by [`CellId`].
    pub s1: Vec<Endpoint>,
    /// Addresses of the cells on X2-U or Xn-U, by [`CellId`].
    pub x2: Vec<Endpoint>,
    /// TEIDs on S1-U or N3 in their order, each with the first cell of its UE.
    pub first: Vec<(u32, CellId)>,
}

/// A flow of one UE.
#[derive(Clone, Debug)]
pub struct FlowFacts {
    /// The flow's name, with the UE's if several UEs have the flow: `voice near-3`.
    pub name: String,
    /// Its number in the file.
    pub entry: usize,
    /// `tcp`, `rtp`, `quic`, `webrtc` or `full-buffer`.
    pub kind: &'static str,
    /// Kind of application that the user has with it; none beyond a proxy.
    pub application: Option<&'static str>,
    /// Its UE.
    pub ue: UeId,
    /// Direction of its data.
    pub direction: Direction,
    /// Addresses and ports of its data packets; none for a full buffer.
    pub tuple: Option<Tuple>,
    /// Bearers of its data and of what answers to them; none without a radio.
    pub bearers: [Option<BearerId>; 2],
    /// Time of its start.
    pub start: Time,
    /// Time of its stop by plan, if before the run ends.
    pub stop: Option<Time>,
    /// The node that makes its data or asks for them; none for a full buffer, beyond a proxy and
    /// for what comes from outside.
    pub source: Option<NodeId>,
    /// Flow of the same UE whose packets are the input that its frames show.
    pub input: Option<FlowId>,
    /// Equipment impairment and packet-loss robustness of its codec of voice (ITU-T G.113); none of other flows.
    pub codec: Option<[f64; 2]>,
    /// True if its frames are no pictures but files, poses or sound.
    pub no_pictures: bool,
}

impl FlowFacts {
    /// The flow between the real hosts, whose server has another address.
    pub(super) fn between_hosts(mut self) -> FlowFacts {
        let server = addresses::SERVER_V4.into();
        if let Some(tuple) = &mut self.tuple {
            match self.direction {
                Direction::Downlink => tuple.src.addr = server,
                Direction::Uplink => tuple.dst.addr = server,
            }
        }
        self
    }

    /// The flow of the other direction of a call, whose data another node makes.
    pub(super) fn returned(&self, name: String, source: Option<NodeId>) -> FlowFacts {
        let [there, back] = self.bearers;
        FlowFacts {
            name,
            direction: self.direction.opposite(),
            tuple: self.tuple.map(|tuple| tuple.reversed()),
            bearers: [back, there],
            source,
            ..self.clone()
        }
    }

    /// The flow between a proxy that splits it and its server.
    pub(super) fn beyond_proxy(&self) -> FlowFacts {
        let name = format!("{} beyond proxy", self.name);
        let (application, bearers, source) = (None, [None; 2], None);
        FlowFacts { name, application, bearers, source, ..self.clone() }
    }
}

/// A UE.
#[derive(Clone, Debug)]
pub struct UeFacts {
    /// Name.
    pub name: String,
    /// The number of its group in the file.
    pub group: usize,
    /// Its cell; none without a radio.
    pub cell: Option<CellId>,
    /// Distance from the cell in metres, unless its SNR is given.
    pub distance_m: Option<f64>,
    /// SNR downlink and uplink in dB, of all receive antennas together; none without a radio, and in a
    /// network. Uplink it is that in one resource block with the most power: in many, a UE may have
    /// less in each.
    pub snr_db: Option<[f64; 2]>,
    /// Power of its cell in a resource element in dBm (TS 36.214, 5.1.1); none where its SNR is
    /// given.
    pub rsrp_dbm: Option<f64>,
    /// True if it has service: its RSRP is above `cell.q_rx_lev_min`, or not known.
    pub served: bool,
    /// Rates that it would get alone in its cell, downlink and uplink; none without a radio.
    pub reach: Option<[Reach; 2]>,
    /// Levels and rates by carrier: the cell's own, then those of the file in their order; empty with one carrier.
    pub carriers: Vec<CarrierFacts>,
    /// Its RRC; none if it is always connected and listening.
    pub rrc: Option<RrcFacts>,
    /// Time of its arrival; none if it is there from the beginning.
    pub arrival: Option<Time>,
}

/// A carrier of a UE.
#[derive(Clone, Copy, Debug)]
pub struct CarrierFacts {
    /// RSRP in dBm, as [`UeFacts::rsrp_dbm`].
    pub rsrp_dbm: Option<f64>,
    /// SINR, MCS and rate in this carrier alone, downlink and uplink. None uplink where the UE does not
    /// send, or where the carriers before it leave too little power for the smallest grant.
    pub reach: [Option<Reach>; 2],
}

/// RRC of a UE.
#[derive(Clone, Copy, Debug)]
pub struct RrcFacts {
    /// Timers and cycles.
    pub states: rrc::Config,
    /// True if it is connected at the beginning.
    pub connected: bool,
    /// Power of its states.
    pub power: rrc::Power,
}

/// A cell.
#[derive(Clone, Debug)]
pub struct CellFacts {
    /// Name.
    pub name: String,
    /// Resource blocks in each direction.
    pub resource_blocks: u16,
    /// Transmission time interval.
    pub slot: Duration,
    /// Shares of intervals that carry data downlink, data uplink and grants.
    pub shares: [f64; 3],
}

/// A bearer of one UE.
#[derive(Clone, Debug)]
pub struct BearerFacts {
    /// Name in the file.
    pub name: String,
    /// Its number in the file.
    pub entry: usize,
    /// Its UE.
    pub ue: UeId,
    /// QoS class identifier; with a 5QI that.
    pub qci: u8,
    /// 5QI, if it has one instead of a QCI.
    pub five_qi: Option<u8>,
    /// Its class of traffic; none for the default class.
    pub traffic_class: Option<String>,
    /// Packet delay budget of its QCI or 5QI.
    pub delay_budget: Option<Duration>,
    /// `um` or `am`.
    pub rlc_mode: &'static str,
    /// Tunnel endpoint identifier.
    pub teid: u32,
}

/// One direction of a wired link.
#[derive(Clone, Debug)]
pub struct LinkFacts {
    /// Name: `sgi down`, `s1 up`.
    pub name: String,
    /// Its node.
    pub node: NodeId,
    /// Its rate, if limited.
    pub rate: Option<BitRate>,
}

/// A watched point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointFacts {
    /// Its number.
    pub id: PointId,
    /// Point of the path.
    pub point: PcapPoint,
}
