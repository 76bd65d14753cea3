//! Configuration of a radio access network: LTE and NR differ here and nowhere else.

mod control;
mod dual;
mod frequency;
mod load;
mod multi_user;
mod occasions;
mod secondary;
mod uplink;

use std::sync::Arc;

use airpath_base::{BearerId, CellId, Duration, FlowId, Time, UeId};
use airpath_net::Direction;
use airpath_net::filter::Tft;
use airpath_schema::choice;
use airpath_wire::Endpoint;
use airpath_wire::tunnel::EcnMode;

pub use self::control::{Control, ProactiveGrants};
pub use self::dual::{DualConnectivity, PrimaryPath, SplitBearer};
pub use self::multi_user::{Knowledge, MultiUser};
pub use self::occasions::Occasions;
pub use self::secondary::{Activation, Secondary, UeCarrier};
pub use self::uplink::{Access, Cancellation, UplinkConfig};
pub use self::{frequency::Frequency, load::RecordedLoad};
use crate::air::{Channel, Link};
use crate::duplex::{Duplex, Purpose};
use crate::handover::HandoverConfig;
use crate::mac::{Raise, TrafficClass, TrafficClasses};
use crate::phy::{Format, LinkAdaptation, Technology, TransmissionMode};
use crate::qci::LogicalChannel;
use crate::{RadioLinkConfig, RrcConfig, Tti, pdcp, rlc};

/// All cells, UEs and bearers. Positions in the lists are the identifiers.
#[derive(Clone, Debug)]
pub struct RanConfig {
    /// Cells.
    pub cells: Vec<CellConfig>,
    /// UEs.
    pub ues: Vec<UeConfig>,
    /// Bearers.
    pub bearers: Vec<BearerConfig>,
    /// Rule that fills the ECN field of GTP-U uplink (RFC 6040, 4.1).
    pub ecn: EcnMode,
    /// Handover; none if UEs stay in their cells. With handover each cell has room for each UE.
    pub handover: Option<HandoverSetup>,
    /// Dual connectivity; none without. It needs handover.
    pub dual: Option<DualConnectivity>,
}

/// Change of the serving cells of UEs.
#[derive(Clone, Debug, PartialEq)]
pub struct HandoverSetup {
    /// Measurements, events and the procedure.
    pub handover: HandoverConfig,
    /// True with a random access to the target cell; without one the handover ends when it would begin.
    pub random_access: bool,
    /// Transport delay of forwarded downlink packets from the source to the target; none without forwarding
    /// (TS 36.300, 10.1.2.3; TS 38.300, 9.2.3.2).
    pub forwarding: Option<Duration>,
    /// Hysteresis of cell reselection in dB, Qhyst (TS 36.304, 5.2.4.6; TS 38.304, 5.2.4.6).
    pub reselection_hysteresis: f64,
    /// Time for which another cell must rank higher, Treselection (TS 36.304 and TS 38.304, 5.2.4.6).
    pub reselection_time: Duration,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellConfig {
    /// Resource blocks in each direction, 1 to 273.
    pub resource_blocks: u16,
    /// Radio technology, downlink and uplink: its tables. MCS tables may differ.
    pub technology: [Technology; 2],
    /// Most layers of a UE, downlink and uplink: 1 to 4; uplink more than one with NR alone.
    pub layers: [u8; 2],
    /// Fewest layers of a UE that can have as many, likewise.
    pub least_layers: [u8; 2],
    /// Antenna ports of LTE downlink, and their use.
    pub transmission: TransmissionMode,
    /// Transmission time interval: a subframe of LTE, a slot of NR or a part of one. With
    /// [`Technology::Lte`] transport block sizes are in proportion to it.
    pub tti: Tti,
    /// Duplex mode of the carrier. With time division duplex a TTI is a slot.
    pub duplex: Duplex,
    /// Downlink scheduler.
    pub scheduler: SchedulerConfig,
    /// Layers to several UEs downlink in the same resource blocks, in a network.
    pub multi_user: Option<MultiUser>,
    /// Precedence among UEs downlink.
    pub precedence: Precedence,
    /// Number of resource blocks for a UE that is chosen.
    pub allocation: Allocation,
    /// Resource blocks that a UE may have downlink.
    pub downlink_placement: DownlinkPlacement,
    /// Rule that shares a downlink transport block among logical channels.
    pub sharing: Sharing,
    /// True if MAC headers (TS 36.321, 6.1.2) take room.
    pub mac_header: bool,
    /// Link adaptation: modulation and coding scheme by channel.
    pub adaptation: LinkAdaptation,
    /// Reports on the links of a network.
    pub reports: Reports,
    /// Control channel of assignments and grants.
    pub control: Control,
    /// Durations of the steps of a transmission.
    pub timing: Timing,
    /// HARQ processes and when blocks are sent again.
    pub harq: HarqConfig,
    /// Transmissions of a transport block, the first included; 1 is no HARQ.
    pub max_transmissions: u8,
    /// Combining of the transmissions of a transport block.
    pub combining: Combining,
    /// Share of first transmissions that fail whatever the channel, in both directions;
    /// what is sent again then arrives. `None`: errors follow from SINR and size.
    pub first_error: Option<f64>,
    /// The uplink.
    pub uplink: UplinkConfig,
    /// Resource blocks that recorded UEs take, slot by slot; none without a recording.
    pub load: Option<Arc<RecordedLoad>>,
    /// For a secondary cell, its role beside its primary cell.
    pub secondary: Option<Secondary>,
    /// Its carrier, if its network has cells on several. Then no cell is a secondary cell.
    pub frequency: Option<Frequency>,
    /// The cell's end of its GTP-U tunnels.
    pub endpoint: Endpoint,
    /// The gateway's end of its GTP-U tunnels.
    pub gateway: Endpoint,
}

impl CellConfig {
    /// Shares of TTIs that carry data downlink, data uplink and grants, 0 to 1: all with frequency
    /// division duplex.
    pub fn shares(&self) -> [f64; 3] {
        let duplex = self.duplex.clone().with_control(self.adaptation.control_symbols);
        [Purpose::DownlinkData, Purpose::UplinkData, Purpose::Grant].map(|what| duplex.share(what))
    }

    /// Its tables in a direction.
    #[inline]
    pub fn technology_in(&self, direction: Direction) -> &Technology {
        &self.technology[direction as usize]
    }

    /// Format of its transport blocks of one layer in a direction, which decides their size.
    pub fn format(&self, direction: Direction) -> Format {
        Format {
            technology: *self.technology_in(direction),
            tti: self.tti,
            control_symbols: self.adaptation.control_symbols,
            layers: 1,
            reference: self.transmission.reference(1),
        }
    }
}

/// Reports to a cell on the links of a network, in both directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reports {
    /// From one measurement to the next; rounded up to whole TTIs, at least one.
    pub period: Duration,
    /// From a measurement to the first decision that heeds it; likewise.
    pub delay: Duration,
    /// Resource blocks of a subband that has a CQI of its own; `None`: as the bandwidth has
    /// it (TS 36.213, table 7.2.1-3; TS 38.214, table 5.2.1.4-2, the smaller size).
    pub subband: Option<u16>,
    /// Measurements, a period apart, whose interference a report averages, its own among them; at
    /// least 1.
    pub interference: u32,
    /// By how much a failure lowers the outer loop in dB; 0 is without.
    pub outer_loop_db: f64,
}

impl Reports {
    /// CQIs by subband each 5 ms, known 6 ms later, and an outer loop of half a decibel.
    pub const USUAL: Reports = Reports {
        period: Duration::from_millis(5),
        delay: Duration::from_millis(6),
        subband: None,
        interference: 1,
        outer_loop_db: 0.5,
    };

    /// Resource blocks of a subband on a carrier of so many.
    pub fn subband_of(&self, resource_blocks: u16) -> u16 {
        let usual = match resource_blocks {
            0..=26 => 4,
            27..=63 => 6,
            64..=110 => 8,
            _ => 16,
        };
        self.subband.unwrap_or(usual).clamp(1, resource_blocks.max(1))
    }
}

/// HARQ processes of a UE and when blocks are sent again. Downlink, that is in any TTI after
/// feedback has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HarqConfig {
    /// In each direction as many processes as TTIs in a round trip. Uplink, the TTI decides the
    /// process, and blocks are sent again whole round trips later without a grant (TS 36.321,
    /// 5.4.2.2). With time division duplex of LTE's configurations alone, whose tables have the
    /// processes.
    #[default]
    Synchronous,
    /// Uplink as downlink: any process, and blocks are sent again when they are granted
    /// (TS 38.321, 5.4.2.2).
    Asynchronous {
        /// Processes in each direction, 1 to 32.
        processes: u16,
    },
}

impl HarqConfig {
    /// Processes of NR: those of the uplink, and of the downlink at most (TS 38.214, 5.1 and
    /// 6.1).
    pub const NR: HarqConfig = HarqConfig::Asynchronous { processes: 16 };
}

/// Order in which UEs are served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SchedulerConfig {
    /// The one whose rate now is largest in proportion to its past rate.
    ProportionalFair {
        /// TTIs over which the past rate is averaged; at least 1.
        window: f64,
    },
    /// Each in turn.
    RoundRobin {
        /// Most UEs that are served in a slot, at least 1; the rest of the slot stays unused.
        ues_per_slot: Option<u16>,
    },
    /// Round robin, but a turn of a UE that is served by age goes to the one whose packet is
    /// oldest.
    DelayBased {
        /// Classes of traffic that are served by age.
        by_age: TrafficClasses,
        /// Most UEs that are served in a slot, as with round robin.
        ues_per_slot: Option<u16>,
    },
}

impl SchedulerConfig {
    /// Most UEs that are served in a slot, if that is limited.
    pub const fn ues_per_slot(self) -> Option<u16> {
        match self {
            SchedulerConfig::ProportionalFair { .. } => None,
            SchedulerConfig::RoundRobin { ues_per_slot }
            | SchedulerConfig::DelayBased { ues_per_slot, .. } => ues_per_slot,
        }
    }
}

/// Precedence among UEs downlink, with any scheduler. The first rule counts first: the scheduler
/// serves each level by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Precedence {
    /// UEs that have data and have had no grant for longer than this go first.
    pub starvation: Option<Duration>,
    /// Then UEs whose mean rate is below the guaranteed rates of their bearers.
    pub minimum_rate: bool,
    /// Then UEs with data of these classes of traffic, each class before the next.
    pub priority: Vec<TrafficClass>,
    /// Then UEs whose packets or PDU sets have deadlines, by the time that is left.
    pub deadlines: bool,
    /// Then UEs with old packets.
    pub raise: Option<Raise>,
}

choice! {
    /// Number of resource blocks of a UE that is chosen.
    pub enum Allocation {
        /// Number that its data need; the rest goes to others.
        ByNeed = "by-need",
        /// Number that the scheduler's metric gives it, needed or not: with "proportional-fair" all
        /// of the interval (ns-3).
        Whole = "whole",
    }
}

// Uplink they lie side by side (TS 36.213, 8.1.1; TS 38.214, 6.1.2.2.2). Groups are those of TS
// 38.214, 5.1.2.2.1, too.
choice! {
    /// Resource blocks that a UE may have downlink.
    pub enum DownlinkPlacement: Blocks {
        /// Any resource blocks, one by one.
        Blocks = "blocks",
        /// Whole groups of 1 to 4 by bandwidth, the last of which may be smaller (resource
        /// allocation type 0: TS 36.213, 7.1.6.1).
        Groups = "groups",
    }
}

choice! {
    /// Combining of the transmissions of a transport block at its receiver.
    pub enum Combining: Incremental {
        /// Incremental redundancy: the mutual information of transmissions adds up (Cheng, "Coding
        /// performance of hybrid ARQ schemes", 2006).
        Incremental = "incremental",
        /// Chase combining: the same bits each time, whose SINR adds up (Chase, 1985).
        Chase = "chase",
    }
}

// In equal parts, the scheduler takes 2 bytes of header downlink for each packet at the last
// arrival, and 2 bytes of each part that it gives.
choice! {
    /// Sharing of a transport block among logical channels.
    pub enum Sharing {
        /// By priority, after the prioritised bit rates (TS 36.321, 5.4.3.1).
        Priority = "priority",
        /// Equal parts for those that have data, downlink also those that the scheduler still
        /// believes to have. The rest of a part that a channel cannot fill is lost (ns-3).
        Equal = "equal",
    }
}

/// Times of the steps of a transmission. The steps between TTIs are whole
/// numbers of TTIs; processing times may be anything. With time division duplex a step that
/// ends in a TTI which cannot serve it ends in the next that can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From the decision which UE is served downlink to the start of the transmission; whole TTIs.
    pub downlink_preparation: Duration,
    /// In the UE, from the end of the transmission to delivery.
    pub downlink_processing: Duration,
    /// A scheduling request on the air.
    pub sr_transmission: Duration,
    /// From its end to its effect on the scheduler.
    pub sr_detection: Duration,
    /// From a buffer status report's making to its transmission, where it
    /// reaches the cell by itself; whole TTIs.
    pub report_preparation: Duration,
    /// From the decision which UE is served uplink to the start of its grant; whole TTIs.
    pub grant_preparation: Duration,
    /// A grant on the air.
    pub grant_transmission: Duration,
    /// From its end until the UE fills the transport block.
    pub grant_decoding: Duration,
    /// From the start of a grant's TTI to the start of the transmission; whole
    /// TTIs, no shorter than the two before.
    pub grant_to_transmission: Duration,
    /// From the UE's filling of a transport block to its transmission, where no grant has
    /// to be decoded. With [`Access::Configured`] no longer than the two preparations of a
    /// grant, `grant_preparation` and `grant_to_transmission`.
    pub data_preparation: Duration,
    /// A transmission uplink on the air; at most a TTI.
    pub uplink_transmission: Duration,
    /// In the cell, from its end to delivery.
    pub uplink_processing: Duration,
    /// With time division duplex, from the slot of a transmission downlink to that of its
    /// feedback at least; whole TTIs, less than `harq_round_trip`.
    pub data_to_feedback: Duration,
    /// From a transmission to the next of the same HARQ process; whole TTIs. With time division
    /// duplex, downlink the least; uplink with [`HarqConfig::Asynchronous`], what the other
    /// steps take.
    pub harq_round_trip: Duration,
}

/// A UE.
#[derive(Clone, Debug)]
pub struct UeConfig {
    /// The cell that serves it.
    pub cell: CellId,
    /// Its link with that cell. With `frequencies` it follows from them.
    pub link: Link,
    /// Its channel on each carrier, where cells have a [`Frequency`]; else empty.
    pub frequencies: Vec<Arc<dyn Channel>>,
    /// True if that cell is suitable (TS 36.304, 5.2.3.2; TS 38.304, 5.2.3.2). If not, the UE has
    /// no service: it sends nothing, gets nothing, and packets to and from it are dropped.
    pub served: bool,
    /// By which its block errors are drawn: another UE has another.
    pub number: u64,
    /// Most bytes of a transport block downlink, by its category (TS 36.306, tables 4.1-1 and
    /// 4.1A-1); `u32::MAX` is no limit.
    pub most_bytes: u32,
    /// Most bytes of its transport blocks downlink in a TTI of a carrier, likewise.
    pub most_tti_bytes: u32,
    /// Most bytes of its transport blocks downlink in a TTI of all carriers together, likewise; `None`
    /// is no limit.
    pub most_bytes_of_carriers: Option<u32>,
    /// Most layers downlink and uplink that its antennas and those of its cell allow, 1 to 4.
    pub layers: [u8; 2],
    /// Its link in each secondary cell of its cell. In those behind the last it has the SNR downlink of
    /// its cell, and sends nothing.
    pub carriers: Vec<UeCarrier>,
    /// TTIs from the start of each period to its opportunity to ask or to send; below
    /// the period.
    pub offset: u64,
    /// True if its grants cancel those of others ([`Cancellation`]).
    pub pre_empts: bool,
    /// Chooses the bearer of uplink packets, as a position in `bearers` and, behind them, in
    /// `flows`.
    pub tft: Tft,
    /// Its bearers; the first is the default bearer.
    pub bearers: Vec<BearerId>,
    /// QoS flows with packets, queues and tunnel endpoint identifiers of their own, beside those
    /// that are all of a bearer.
    pub flows: Vec<(u32, QosFlow)>,
    /// RRC states and DRX; `None`: it is always connected and awake.
    pub rrc: Option<RrcConfig>,
    /// Conditions of a radio link failure, and the UE's reaction.
    pub radio_link: RadioLinkConfig,
}

/// A QoS flow, and the bearer that SDAP maps it to (TS 37.324, 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QosFlow {
    /// The bearer.
    pub bearer: BearerId,
    /// Number within the bearer; 0 for what is of no other.
    pub number: u16,
}

impl QosFlow {
    /// The QoS flow of packets that are of no other flow of a bearer.
    pub const fn first(bearer: BearerId) -> QosFlow {
        QosFlow { bearer, number: 0 }
    }
}

/// A bearer.
#[derive(Clone, Copy, Debug)]
pub struct BearerConfig {
    /// UE of the bearer.
    pub ue: UeId,
    /// Tunnel endpoint identifier on S1-U, in both directions.
    pub teid: u32,
    /// DSCP of the tunnel uplink; `None` copies the packet's.
    pub outer_dscp: Option<u8>,
    /// PDCP.
    pub pdcp: pdcp::Config,
    /// RLC.
    pub rlc: rlc::Config,
    /// Logical channel.
    pub channel: LogicalChannel,
    /// Full buffers beside its packets, downlink and uplink.
    pub full_buffers: [Option<FullBuffer>; 2],
}

/// Data without packets, of which there is always more than fits: the bearer fills its part of each
/// block. The result is the bytes in decoded blocks, RLC and MAC headers left out. A block that
/// HARQ gives up is lost with its bytes. Packets of the bearer go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FullBuffer {
    /// The flow that its bytes are reported for.
    pub flow: FlowId,
    /// From when on there is something to send.
    pub start: Time,
    /// End of the full buffer; `None` for ever.
    pub stop: Option<Time>,
}
