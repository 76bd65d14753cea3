//! Bearers and packet filters of each UE.

use core::ops::RangeInclusive;

use airpath_base::random::Seed;
use airpath_base::{BearerId, UeId};
use airpath_net::Direction;
use airpath_net::filter::{self, PacketFilter, Tft, TosMatch};
use airpath_path::BearerTunnel;
use airpath_ran::mac::TrafficClass;
use airpath_ran::pdcp::{self, QueueLimit};
use airpath_ran::qci::{self, LogicalChannel};
use airpath_ran::rlc::{self, HeaderModel, Mode, am, um};
use airpath_ran::{BearerConfig, Ran};
use airpath_wire::Protocol;

use super::{BearerFacts, WorldError, queues};
use crate::file::{
    AcknowledgedMode, Bearer, DropTailQueue, Filter, FilterDirection, LinkQueue, PduFilling, Ports,
    RlcMode, Scenario,
};
use crate::service::{ServiceClass, USUAL_QCI};
use crate::units::{Limit, Rate, Timer};

/// The bearers of all UEs, UE by UE, and who has which.
#[derive(Debug, Default)]
pub(super) struct Bearers {
    /// By [`BearerId`].
    pub configs: Vec<BearerConfig>,
    /// By [`BearerId`].
    pub facts: Vec<BearerFacts>,
    /// By [`UeId`].
    pub ues: Vec<UeBearers>,
    /// Queues that are not drop-tail.
    queues: Vec<ManagedQueue>,
}

/// A queue of a bearer that is not drop-tail.
#[derive(Clone, Debug)]
struct ManagedQueue {
    flow: QosFlow,
    direction: Direction,
    /// Its streams are named so.
    name: String,
    queue: LinkQueue,
}

/// The bearers of one UE.
#[derive(Clone, Debug, Default)]
pub(super) struct UeBearers {
    /// The default bearer first.
    pub ids: Vec<BearerId>,
    /// Its filters, by position in `ids`.
    pub tft: Tft,
}

impl Bearers {
    /// The bearers of a scenario.
    pub fn new(scenario: &Scenario) -> Result<Bearers, WorldError> {
        let mut entries: Vec<Vec<&Bearer>> = vec![Vec::new(); scenario.ues().count()];
        for bearer in &scenario.bearer {
            for ue in scenario.members(&bearer.ue, bearer.only.as_ref()) {
                entries[ue].push(bearer);
            }
        }
        let mut bearers = Bearers::default();
        let names: Vec<String> = scenario.ues().map(|ue| ue.name()).collect();
        for (n, mut own) in entries.into_iter().enumerate() {
            own.sort_by_key(|bearer| !bearer.default);
            let filters = own.iter().enumerate().flat_map(|(position, bearer)| {
                bearer.filter.iter().map(move |filter| packet_filter(filter, position))
            });
            let name = |error| WorldError::new(format!("UE {n}"), error);
            let tft = Tft::new(filters.collect()).map_err(name)?;
            let ids = own.iter().map(|bearer| {
                let class = scenario.traffic_class_of(bearer);
                bearers.add((UeId(n as u32), &names[n]), bearer, class)
            });
            let ids = ids.collect();
            bearers.ues.push(UeBearers { ids, tft });
        }
        Ok(bearers)
    }

    /// A UE's tunnels, in the order of its bearers.
    pub fn tunnels(&self, ue: &UeBearers) -> Vec<BearerTunnel> {
        let configs = ue.ids.iter().map(|id| &self.configs[id.index()]);
        configs.map(|bearer| BearerTunnel { teid: bearer.teid, dscp: bearer.outer_dscp }).collect()
    }

    /// Gives their queues to those bearers that have others than drop-tail.
    pub fn set_queues(&self, ran: &mut Ran, seed: Seed) {
        for ManagedQueue { flow, direction, name, queue } in &self.queues {
            ran.set_queue(*flow, *direction, queues::queue(name, queue, seed));
        }
    }

    fn add(
        &mut self,
        (ue, ue_name): (UeId, &str),
        bearer: &Bearer,
        class: TrafficClass,
    ) -> BearerId {
        let id = BearerId(self.configs.len() as u32);
        let teid = id.0 + 1; // 0 is for signalling (TS 29.281, 5.1)
        self.configs.push(BearerConfig {
            ue,
            teid,
            outer_dscp: bearer.outer_dscp.map(|dscp| dscp.0),
            pdcp: pdcp_config(bearer),
            rlc: rlc_config(bearer),
            channel: channel(bearer, class),
            full_buffers: [None; 2],
        });
        let own = [&bearer.queue, &bearer.uplink_queue];
        for (queue, direction) in own.into_iter().zip(Direction::ALL) {
            let managed = |queue: &&LinkQueue| !matches!(queue, LinkQueue::DropTail(_));
            let Some(queue) = queue.as_ref().filter(managed) else { continue };
            let name = format!("{} / {ue_name} / {}", bearer.name, direction.name());
            self.queues.push(ManagedQueue { bearer: id, direction, name, queue: queue.clone() });
        }
        let rlc_mode = bearer.rlc.unwrap_or(RlcMode::Am).word();
        self.facts.push(BearerFacts {
            name: bearer.name.clone(),
            ue,
            qci: bearer.five_qi.or(bearer.qci).unwrap_or(USUAL_QCI),
            five_qi: bearer.five_qi,
            traffic_class: bearer.traffic_class.clone(),
            delay_budget: ServiceClass::of(bearer).map(ServiceClass::delay_budget),
            rlc_mode,
            teid,
        });
        id
    }
}

fn pdcp_config(bearer: &Bearer) -> pdcp::Config {
    let sn = match bearer.pdcp_sn {
        7 => pdcp::SnLength::Seven,
        15 => pdcp::SnLength::Fifteen,
        18 => pdcp::SnLength::Eighteen,
        _ => pdcp::SnLength::Twelve,
    };
    pdcp::Config {
        sn,
        discard_timer: bearer.discard_timer.and_then(Timer::quantity),
        downlink_queue: limit(bearer.queue.as_ref()),
        uplink_queue: limit(bearer.uplink_queue.as_ref()),
    }
}

fn rlc_config(bearer: &Bearer) -> rlc::Config {
    let mode = match bearer.rlc {
        Some(RlcMode::Um) => Mode::Um(um::Config {
            sn: if bearer.rlc_sn == 5 { um::SnLength::Five } else { um::SnLength::Ten },
            t_reordering: bearer.reordering,
        }),
        _ => Mode::Am(acknowledged(bearer, &bearer.am)),
    };
    let header = match bearer.pdu_filling {
        PduFilling::Standard => HeaderModel::Standard,
        PduFilling::Ns3 => HeaderModel::Ns3,
    };
    rlc::Config { mode, header }
}

/// What drop-tail lets wait, a packet that is partly sent included; other queues have limits of
/// their own.
fn limit(queue: Option<&LinkQueue>) -> QueueLimit {
    match queue {
        Some(LinkQueue::DropTail(DropTailQueue { limit: Limit::Packets(packets) })) => {
            QueueLimit::Packets(*packets)
        }
        Some(LinkQueue::DropTail(DropTailQueue { limit: Limit::Bytes(bytes) })) => {
            QueueLimit::Bytes(bytes.0)
        }
        _ => QueueLimit::Unlimited,
    }
}

fn acknowledged(bearer: &Bearer, options: &AcknowledgedMode) -> am::Config {
    let poll_byte = options.poll_byte.quantity();
    am::Config {
        t_poll_retransmit: options.poll_retransmit,
        poll_pdu: Some(options.poll_pdu).filter(|count| *count > 0),
        poll_byte: poll_byte.map(|bytes| u32::try_from(bytes.0).unwrap_or(u32::MAX)),
        max_retx_threshold: options.max_retransmissions,
        t_reordering: bearer.reordering,
        t_status_prohibit: options.status_prohibit,
    }
}

fn channel(bearer: &Bearer, traffic_class: TrafficClass) -> LogicalChannel {
    let class = ServiceClass::of(bearer).unwrap_or(ServiceClass::Qci(&qci::TABLE[8]));
    let usual = class.bearer(bearer.guaranteed_bit_rate).channel;
    LogicalChannel {
        priority: bearer.priority.unwrap_or(usual.priority),
        prioritised_bit_rate: bearer
            .prioritised_bit_rate
            .map_or(usual.prioritised_bit_rate, Rate::quantity),
        bucket_size_duration: bearer.bucket,
        group: bearer.group.unwrap_or(usual.group),
        traffic_class,
        guaranteed_bit_rate: bearer.guaranteed_bit_rate,
    }
}

fn packet_filter(filter: &Filter, bearer: usize) -> PacketFilter {
    PacketFilter {
        precedence: filter.precedence.unwrap_or(u8::MAX),
        bearer,
        direction: match filter.direction {
            FilterDirection::Down => filter::FilterDirection::Down,
            FilterDirection::Up => filter::FilterDirection::Up,
            FilterDirection::Both => filter::FilterDirection::Both,
        },
        remote: filter
            .remote_address
            .and_then(|prefix| filter::Prefix::new(prefix.address, prefix.bits)),
        local: None,
        protocol: filter.protocol.map(|protocol| Protocol(protocol.0)),
        local_ports: filter.local_port.map(ports),
        remote_ports: filter.remote_port.map(ports),
        tos: filter.tos_match().map(|(value, mask)| TosMatch { value, mask }),
    }
}

fn ports(ports: Ports) -> RangeInclusive<u16> {
    ports.first..=ports.last
}
