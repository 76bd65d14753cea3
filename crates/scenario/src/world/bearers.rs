//! Bearers and packet filters of each UE.

use core::ops::RangeInclusive;

use airpath_base::random::Seed;
use airpath_base::{BearerId, Duration, UeId};
use airpath_net::filter::{PacketFilter, Tft, TosMatch};
use airpath_net::queue::Ramp;
use airpath_net::{Direction, ExposedRate};
use airpath_path::BearerTunnel;
use airpath_ran::mac::TrafficClass;
use airpath_ran::pdcp::{self, QueueLimit, Reordering};
use airpath_ran::qci::{self, LogicalChannel};
use airpath_ran::rlc::{self, Mode, am, nr, um};
use airpath_ran::{BearerConfig, QosFlow, Ran};
use airpath_schema::units::{Rate, Timer};

use super::{BearerFacts, WorldError};
use crate::file::{
    Bearer, DropTailConfig, Filter, PduSets, Ports, QueueConfig, RateExposure, RlcMode, Scenario,
    SetSchedule, UplinkMarking,
};
use crate::service::{ServiceClass, USUAL_QCI};

/// The bearers of all UEs, UE by UE, and who has which.
#[derive(Debug, Default)]
pub(super) struct Bearers {
    /// By [`BearerId`].
    pub configs: Vec<BearerConfig>,
    /// By [`BearerId`].
    pub facts: Vec<BearerFacts>,
    /// By [`UeId`].
    pub ues: Vec<UeBearers>,
    /// Queues that are not drop-tail, and those of QoS flows.
    queues: Vec<ManagedQueue>,
    /// True if user planes are those of NR.
    is_nr: bool,
    /// QoS flows so far.
    flows: u32,
    /// Uplink marking at the cell, with the name of its stream.
    markers: Vec<(BearerId, String, UplinkMarking)>,
    /// Bearers whose congestion is reported, with the interval and the identifier of the QoS flow.
    reports: Vec<(BearerId, Duration, u8)>,
    /// Bearers whose rate is exposed, with the period, in the order of their identifiers.
    exposed: Vec<(BearerId, Duration, ExposedRate)>,
}

/// The first tunnel endpoint identifier of QoS flows; those of bearers come before.
const FIRST_FLOW_TEID: u32 = 1 << 24;

/// A queue of a bearer that is not drop-tail, or of a QoS flow.
#[derive(Clone, Debug)]
struct ManagedQueue {
    flow: QosFlow,
    direction: Direction,
    /// Its streams are named so.
    name: String,
    queue: QueueConfig,
}

/// The bearers of one UE.
#[derive(Clone, Debug, Default)]
pub(super) struct UeBearers {
    /// The default bearer first.
    pub ids: Vec<BearerId>,
    /// Its QoS flows that have filters of their own, with their tunnel endpoint identifiers.
    pub flows: Vec<(u32, QosFlow)>,
    /// Its filters, by position in `ids` and, behind them, in `flows`.
    pub tft: Tft,
    /// True if its grants cancel those of others.
    pub pre_empts: bool,
}

impl UeBearers {
    /// The bearer at a position that `tft` chooses.
    pub fn at(&self, position: usize) -> Option<BearerId> {
        let flow = || self.flows.get(position - self.ids.len()).map(|(_, flow)| flow.bearer);
        self.ids.get(position).copied().or_else(flow)
    }
}

impl Bearers {
    /// The bearers of a scenario.
    pub fn new(scenario: &Scenario) -> Result<Bearers, WorldError> {
        let mut entries: Vec<Vec<(usize, &Bearer)>> = vec![Vec::new(); scenario.ues().count()];
        for (entry, bearer) in scenario.bearer.iter().enumerate() {
            for ue in scenario.members(&bearer.ue, bearer.only.as_ref()) {
                entries[ue].push((entry, bearer));
            }
        }
        let is_nr = scenario.has_user_plane_of_nr();
        let mut bearers = Bearers { is_nr, ..Bearers::default() };
        let names: Vec<String> = scenario.ues().map(|ue| ue.name()).collect();
        for (n, mut own) in entries.into_iter().enumerate() {
            own.sort_by_key(|(_, bearer)| !bearer.default);
            let (numbers, own): (Vec<usize>, Vec<&Bearer>) = own.into_iter().unzip();
            let filters = own.iter().enumerate().flat_map(|(position, bearer)| {
                bearer.filter.iter().map(move |filter| packet_filter(filter, position))
            });
            // QoS flows have the positions behind those of all bearers.
            let flows = own.iter().flat_map(|bearer| &bearer.qos_flow).zip(own.len()..);
            let flows = flows.flat_map(|(flow, position)| {
                flow.filter.iter().map(move |filter| packet_filter(filter, position))
            });
            let filters = filters.chain(flows);
            let name = |error| WorldError::new(format!("UE {n}"), error);
            let tft = Tft::new(filters.collect()).map_err(name)?;
            let ids = numbers.into_iter().zip(&own).map(|(entry, bearer)| {
                let class = scenario.traffic_class_of(bearer);
                bearers.add((UeId(n as u32), &names[n]), (entry, bearer), class)
            });
            let ids: Vec<BearerId> = ids.collect();
            let flows = bearers.add_flows((&ids, &own), &names[n]);
            let pre_empts = own.iter().any(|bearer| bearer.pre_empts);
            bearers.ues.push(UeBearers { ids, flows, tft, pre_empts });
        }
        Ok(bearers)
    }

    /// A UE's tunnels, in the order of its bearers.
    pub fn tunnels(&self, ue: &UeBearers) -> Vec<BearerTunnel> {
        let own = ue.ids.iter().map(|id| (self.configs[id.index()].teid, *id));
        let flows = ue.flows.iter().map(|(teid, flow)| (*teid, flow.bearer));
        let tunnel = |(qfi, (teid, id)): (u8, (u32, BearerId))| BearerTunnel {
            teid,
            dscp: self.configs[id.index()].outer_dscp,
            qfi: self.configs[id.index()].pdcp.sets.map(|_| qfi.min(63)),
        };
        (1..=u8::MAX).zip(own.chain(flows)).map(tunnel).collect()
    }

    /// Rate of a bearer that the cell exposes, for a flow in this direction.
    pub fn exposed(&self, bearer: Option<BearerId>, direction: Direction) -> Option<&ExposedRate> {
        let bearer = bearer.filter(|_| direction == Direction::Downlink)?;
        self.exposed.iter().find(|(own, ..)| *own == bearer).map(|(.., rate)| rate)
    }

    /// Gives their queues to those bearers that have others than drop-tail, and their markers.
    pub fn set_queues(&self, ran: &mut Ran, seed: Seed) {
        for (bearer, name, marking) in &self.markers {
            let draws = seed.stream(&format!("{name} / uplink marking"));
            ran.set_uplink_marker(*bearer, Ramp::new(*marking, draws));
        }
        for (bearer, interval, qfi) in &self.reports {
            ran.report_congestion(*bearer, *interval, *qfi);
        }
        for (bearer, period, rate) in &self.exposed {
            ran.expose_rate(*bearer, *period, rate.clone());
        }
        for ManagedQueue { flow, direction, name, queue } in &self.queues {
            ran.set_queue(*flow, *direction, queue.queue(name, seed));
        }
    }

    /// Adds the QoS flows of a UE's bearers, which are numbered from 1 in each.
    fn add_flows(
        &mut self,
        (ids, own): (&[BearerId], &[&Bearer]),
        ue_name: &str,
    ) -> Vec<(u32, QosFlow)> {
        let mut flows = Vec::new();
        for (&id, bearer) in ids.iter().zip(own) {
            for (number, entry) in (1..).zip(&bearer.qos_flow) {
                let flow = QosFlow { bearer: id, number };
                flows.push((FIRST_FLOW_TEID + self.flows, flow));
                self.flows += 1;
                let queues = [&entry.queue, &entry.uplink_queue];
                for (queue, direction) in queues.into_iter().zip(Direction::ALL) {
                    let Some(queue) = queue.clone() else { continue };
                    let way = direction.name();
                    let name = format!("{} {} / {ue_name} / {way}", bearer.name, entry.name);
                    self.queues.push(ManagedQueue { flow, direction, name, queue });
                }
            }
        }
        flows
    }

    fn add(
        &mut self,
        (ue, ue_name): (UeId, &str),
        (entry, bearer): (usize, &Bearer),
        class: TrafficClass,
    ) -> BearerId {
        let id = BearerId(self.configs.len() as u32);
        let teid = id.0 + 1; // 0 is for signalling (TS 29.281, 5.1)
        self.configs.push(BearerConfig {
            ue,
            teid,
            outer_dscp: bearer.outer_dscp.map(|dscp| dscp.0),
            pdcp: pdcp_config(bearer),
            rlc: rlc_config(bearer, self.is_nr),
            channel: channel(bearer, class),
            full_buffers: [None; 2],
        });
        let own = [&bearer.queue, &bearer.uplink_queue];
        for (queue, direction) in own.into_iter().zip(Direction::ALL) {
            let managed = |queue: &&QueueConfig| !matches!(queue, QueueConfig::DropTail(_));
            let Some(queue) = queue.as_ref().filter(managed) else { continue };
            let name = format!("{} / {ue_name} / {}", bearer.name, direction.name());
            let (flow, queue) = (QosFlow::first(id), queue.clone());
            self.queues.push(ManagedQueue { flow, direction, name, queue });
        }
        let name = format!("{} / {ue_name}", bearer.name);
        self.markers.extend(bearer.uplink_marking.map(|marking| (id, name, marking)));
        // One QoS flow a bearer, numbered as in the tunnels of its UE.
        let qfi = self.configs.iter().filter(|config| config.ue == ue).count().min(63) as u8;
        self.reports.extend(bearer.congestion_reports.map(|interval| (id, interval, qfi)));
        let rate = |own: &RateExposure| (id, own.period, ExposedRate::new(own.delay, own.share));
        self.exposed.extend(bearer.rate_exposure.as_ref().map(rate));
        let rlc_mode = bearer.rlc.unwrap_or(RlcMode::Am).word();
        self.facts.push(BearerFacts {
            name: bearer.name.clone(),
            entry,
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
        sdap_header: !bearer.qos_flow.is_empty(),
        reordering: match bearer.out_of_order {
            true => Reordering::AsTheyCome,
            false if bearer.is_split() => Reordering::InOrder(bearer.split_reordering),
            false => Reordering::InOrder(bearer.reordering),
        },
        discard_timer: bearer.discard_timer.and_then(Timer::quantity),
        downlink_queue: limit(bearer.queue.as_ref()),
        uplink_queue: limit(bearer.uplink_queue.as_ref()),
        sets: bearer.pdu_sets.as_ref().map(set_config),
    }
}

fn set_config(sets: &PduSets) -> pdcp::SetConfig {
    pdcp::SetConfig {
        delay_budget: sets.delay_budget,
        integrated: sets.integrated,
        discard: sets.discard,
        low_importance: sets.by_importance.then_some(pdcp::LowImportance {
            from: sets.low_importance,
            timer: sets.low_importance_timer,
        }),
        deadlines: match sets.schedule {
            SetSchedule::Usual => None,
            SetSchedule::RemainingTime => Some(pdcp::Deadlines::OfSets),
            SetSchedule::PacketRemainingTime => Some(pdcp::Deadlines::OfPackets),
        },
        delay_status: sets.delay_status,
    }
}

fn rlc_config(bearer: &Bearer, is_nr: bool) -> rlc::Config {
    let t_reordering = bearer.reordering.unwrap_or(Duration::ZERO);
    let sn = match bearer.rlc_sn {
        Some(6) => nr::SnLength::Six,
        Some(18) => nr::SnLength::Eighteen,
        _ => nr::SnLength::Twelve,
    };
    let mode = match (bearer.rlc, is_nr) {
        (Some(RlcMode::Um), false) => Mode::Um(um::Config {
            sn: if bearer.rlc_sn == Some(5) { um::SnLength::Five } else { um::SnLength::Ten },
            t_reordering,
        }),
        (_, false) => Mode::Am(am::Config { t_reordering, ..bearer.am }),
        (Some(RlcMode::Um), true) => {
            Mode::NrUm(nr::um::Config { sn, t_reassembly: bearer.reassembly })
        }
        (_, true) => Mode::NrAm(am::Config { t_reordering: bearer.reassembly, ..bearer.am }, sn),
    };
    rlc::Config { mode, header: bearer.pdu_filling }
}

/// Limit of drop-tail, a packet that is partly sent included; other queues have limits of their
/// own.
fn limit(queue: Option<&QueueConfig>) -> QueueLimit {
    match queue {
        Some(QueueConfig::DropTail(DropTailConfig { limit })) => match (limit.packets, limit.bytes)
        {
            (Some(packets), _) => QueueLimit::Packets(packets),
            (None, Some(bytes)) => QueueLimit::Bytes(bytes),
            (None, None) => QueueLimit::Unlimited,
        },
        _ => QueueLimit::Unlimited,
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
        direction: filter.direction,
        remote: filter.remote_address,
        local: None,
        protocol: filter.protocol,
        local_ports: filter.local_port.map(ports),
        remote_ports: filter.remote_port.map(ports),
        tos: filter.tos_match().map(|(value, mask)| TosMatch { value, mask }),
    }
}

fn ports(ports: Ports) -> RangeInclusive<u16> {
    ports.first..=ports.last
}
