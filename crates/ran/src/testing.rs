//! A network of plain values, for tests and benchmarks of the node.

use airpath_base::{BearerId, BitRate, CellId, Duration, FlowId, Time, UeId};
use airpath_net::filter::Tft;
use airpath_net::{Leg, Outer, Packet, TunnelKind};
use airpath_wire::tunnel::EcnMode;
use airpath_wire::{Ecn, Endpoint, Protocol, Tuple};

use crate::phy::{LinkAdaptation, McsTable, Technology, TransmissionMode};
use crate::qci::characteristics;
use crate::{
    Access, Allocation, BearerConfig, CellConfig, Combining, Control, DownlinkPlacement, Duplex,
    HarqConfig, Link, Precedence, RanConfig, Reports, SchedulerConfig, Sharing, Timing, Tti,
    UeConfig, UplinkConfig,
};

const TTI: Duration = Duration::from_millis(1);

/// An end of a tunnel or of a flow.
fn end(host: u8) -> Endpoint {
    Endpoint::new([10, 0, 0, host], 2152)
}

/// A cell of LTE with six resource blocks.
pub fn cell(access: Access) -> CellConfig {
    CellConfig {
        resource_blocks: 6,
        technology: [Technology::Lte(McsTable::Qam64); 2],
        layers: [1, 1],
        least_layers: [1, 1],
        transmission: TransmissionMode::ONE_PORT,
        tti: Tti::LTE,
        duplex: Duplex::Fdd,
        scheduler: SchedulerConfig::ProportionalFair { window: 99.0 },
        multi_user: None,
        precedence: Precedence::default(),
        allocation: Allocation::ByNeed,
        downlink_placement: DownlinkPlacement::Blocks,
        sharing: Sharing::Priority,
        mac_header: true,
        adaptation: LinkAdaptation {
            min_mcs: 0,
            max_mcs: 28,
            bler_target: 0.1,
            code_rate_limit: None,
            control_symbols: 3,
            by_grant: false,
        },
        reports: Reports::USUAL,
        control: Control::Ideal,
        timing: Timing {
            downlink_preparation: TTI * 2,
            downlink_processing: Duration::ZERO,
            sr_transmission: TTI,
            sr_detection: TTI,
            report_preparation: TTI * 4,
            grant_preparation: TTI * 2,
            grant_transmission: TTI,
            grant_decoding: TTI,
            grant_to_transmission: TTI * 4,
            data_preparation: TTI,
            uplink_transmission: TTI,
            uplink_processing: TTI,
            data_to_feedback: TTI * 4,
            harq_round_trip: TTI * 8,
        },
        harq: HarqConfig::Synchronous,
        max_transmissions: 4,
        combining: Combining::Incremental,
        first_error: None,
        uplink: UplinkConfig {
            access,
            proactive: None,
            min_resource_blocks: 1,
            first_sounding: Time::ZERO,
            occasions: crate::config::Occasions::default(),
            cancellation: None,
        },
        load: None,
        secondary: None,
        frequency: None,
        endpoint: end(1),
        gateway: end(2),
    }
}

/// Scheduling requests every five TTIs.
pub fn asking() -> Access {
    Access::SchedulingRequest { period: 5, grant: 100, retry: TTI * 320 }
}

/// One UE with a bearer of this QCI and a linear SNR in both directions, in one cell. The bearer
/// has TEID 7.
///
/// # Panics
///
/// If there is no such QCI.
pub fn one_ue(qci: u8, access: Access, snr: f64) -> RanConfig {
    let bearer = characteristics(qci).expect("a QCI").bearer(Some(BitRate::from_kbps(64)));
    RanConfig {
        cells: vec![cell(access)],
        ues: vec![UeConfig {
            cell: CellId(0),
            link: Link::fixed(snr, snr),
            served: true,
            number: 0,
            most_bytes: u32::MAX,
            most_tti_bytes: u32::MAX,
            most_bytes_of_carriers: None,
            layers: [1, 1],
            carriers: Vec::new(),
            frequencies: Vec::new(),
            offset: 0,
            pre_empts: false,
            tft: Tft::new(Vec::new()).expect("no filters"),
            bearers: vec![BearerId(0)],
            flows: Vec::new(),
            rrc: None,
            radio_link: crate::RadioLinkConfig::LTE,
        }],
        bearers: vec![BearerConfig {
            ue: UeId(0),
            teid: 7,
            outer_dscp: None,
            pdcp: bearer.pdcp,
            rlc: bearer.rlc,
            channel: bearer.channel,
            full_buffers: [None; 2],
        }],
        ecn: EcnMode::Normal,
        handover: None,
        dual: None,
    }
}

/// A packet that is made now.
pub fn packet(now: Time, size: u32) -> Packet {
    let tuple = Tuple { src: end(3), dst: end(4), protocol: Protocol::UDP };
    Packet::new(FlowId(0), Leg::Data, size, tuple, now)
}

/// A packet that is made now in the tunnel of a bearer, as it comes from the core.
pub fn in_tunnel(now: Time, size: u32, teid: u32) -> Packet {
    let mut packet = packet(now, size);
    let kind = TunnelKind::Gtpu { teid, qfi: None, congestion: None };
    let outer = Outer { kind, ends: (end(2), end(1)), dscp: 0, ecn: Ecn::NotEct, overhead: 36 };
    packet.push_outer(outer).expect("one tunnel");
    packet
}
