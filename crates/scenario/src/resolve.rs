//! Defaults that follow from other keys.

use airpath_base::{Bytes, Duration};
use airpath_ran::RadioLinkConfig;
use airpath_ran::mac::TrafficClass;
use airpath_ran::pdcp::QueueLimit;
use airpath_ran::rlc::Mode;
use airpath_ran::{five_qi, qci};
use airpath_schema::Field;
use airpath_schema::units::{Limit, Phase, Rate, Size, Timer};

use crate::file::USUAL_SPECIAL_SUBFRAME;
use crate::file::{
    Amount, Bearer, Cell, DropTailConfig, Dscp, Duplex, Flow, FlowKind, Gcc, HarqUplink, Indices,
    Link, MediaControl, Nada, Names, Path, Pdcch, Player, Promotion, Proxy, ProxyPlace,
    QuartilePromotion, QueueConfig, RadioKind, Receiver, RlcMode, Rrc, Rtp, Scenario, Scream,
    Throttle, Ue, Video, VoiceCodec, Web,
};
use crate::service::{ServiceClass, USUAL_QCI};
use crate::{resolve_cell, resolve_network, resolve_split, transmission};

/// A UE of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct UeRef<'a> {
    /// Its group.
    pub group: &'a Ue,
    /// Number of its group.
    pub group_index: usize,
    /// Its number within the group.
    pub index: u32,
}

impl UeRef<'_> {
    /// Its name: the group's, with its number if there are several.
    pub fn name(&self) -> String {
        match self.group.is_numbered() {
            false => self.group.name.clone(),
            true => format!("{}-{}", self.group.name, self.index),
        }
    }
}

impl Scenario {
    /// Names of the flows whose latest start is not before the end of the run.
    pub fn late_flows(&self) -> impl Iterator<Item = &str> {
        let late = self.flow.iter().filter(|flow| flow.start.max >= self.duration);
        late.map(|flow| flow.name.as_str())
    }

    /// All UEs, in the order of the file.
    pub fn ues(&self) -> impl Iterator<Item = UeRef<'_>> {
        self.ue.iter().enumerate().flat_map(|(group_index, group)| {
            (0..group.size()).map(move |index| UeRef { group, group_index, index })
        })
    }

    /// Numbers in [`Scenario::ues`] of those in these groups (all if none is named)
    /// with these numbers, in ascending order.
    pub fn members(&self, names: &Names, only: Option<&Indices>) -> Vec<usize> {
        let chosen: Vec<bool> = self
            .ue
            .iter()
            .map(|group| names.0.is_empty() || names.0.contains(&group.name))
            .collect();
        let ues = self.ues().enumerate();
        let members = ues.filter(|(_, ue)| {
            chosen[ue.group_index] && only.is_none_or(|only| only.contains(ue.index))
        });
        members.map(|(number, _)| number).collect()
    }

    /// Classes of traffic that bearers name, in the order of the file.
    pub fn traffic_classes(&self) -> Vec<&str> {
        let mut classes: Vec<&str> = Vec::new();
        for class in self.bearer.iter().filter_map(|bearer| bearer.traffic_class.as_deref()) {
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        classes
    }

    /// The class of this name as schedulers have it: numbered from 1 in the order above.
    pub fn traffic_class(&self, name: &str) -> Option<TrafficClass> {
        let n = self.traffic_classes().iter().position(|class| *class == name)?;
        TrafficClass::new(u8::try_from(n + 1).ok()?)
    }

    /// The class of a bearer as schedulers have it.
    pub(crate) fn traffic_class_of(&self, bearer: &Bearer) -> TrafficClass {
        let named = bearer.traffic_class.as_deref().and_then(|name| self.traffic_class(name));
        named.unwrap_or(TrafficClass::DEFAULT)
    }
}

/// Fills in the consequences of a radio: a cell and the link to it. Without a radio there is a host
/// instead.
pub(crate) fn fill_radio(scenario: &mut Scenario) {
    match scenario.radio {
        RadioKind::Lte => {
            scenario.cell = scenario.cell.take().or_else(Cell::absent);
            scenario.path.s1 = scenario.path.s1.take().or_else(Link::absent);
        }
        RadioKind::None if scenario.ue.is_empty() => {
            let name = "host".to_owned();
            scenario.ue.push(Ue {
                name,
                count: 1,
                arrivals: None,
                snr: None,
                distance: None,
                place: None,
                route: None,
                inside: None,
                receivers: 1,
                receiver: Receiver::Mmse,
                ports: 1,
                speed: None,
                category: None,
                uplink_carriers: None,
                implementation: None,
                processing: None,
                rrc: None,
                radio_link: None,
            });
        }
        RadioKind::None => {}
    }
    transmission::fill(scenario);
    scenario.network.iter_mut().for_each(resolve_network::fill);
    let carrier = scenario.network.as_ref().map(|network| network.carrier);
    scenario.cell.iter_mut().for_each(|cell| resolve_cell::fill(cell, carrier));
    let usual = usual_pdcch(scenario);
    let ports = scenario.network.as_ref().and_then(|network| network.precoding.ports);
    if let Some(cell) = &mut scenario.cell {
        cell.pdcch.get_or_insert(usual);
        cell.receivers.get_or_insert(ports.unwrap_or(1) as u8);
        fill_harq(cell);
    }
    if let Some(cell) = &scenario.cell {
        scenario.carrier.iter_mut().for_each(|carrier| carrier.fill(cell));
    }
}

/// Fills in what follows for a further carrier, as for the cell.
pub(crate) fn fill_carrier(cell: &mut Cell) {
    resolve_cell::fill(cell, None);
    fill_harq(cell);
}

/// The default control channel of cells. A cell alone is as simple as can be. In a network the
/// channel limits how many UEs are served.
fn usual_pdcch(scenario: &Scenario) -> Pdcch {
    match scenario.network {
        Some(_) => Pdcch::Modelled,
        None => Pdcch::Ideal,
    }
}

/// HARQ processes of NR (TS 38.214, 5.1 and 6.1).
const PROCESSES: u16 = 16;

/// HARQ as LTE has it with frequency division duplex and its own configurations, and as NR has it.
fn fill_harq(cell: &mut Cell) {
    let usual = match cell.duplex {
        Duplex::Fdd if !cell.is_nr() => HarqUplink::Synchronous,
        Duplex::Tdd if cell.tdd_configuration.is_some() => HarqUplink::Synchronous,
        Duplex::Fdd | Duplex::Tdd => HarqUplink::Asynchronous,
    };
    if *cell.harq.uplink.get_or_insert(usual) == HarqUplink::Asynchronous {
        cell.harq.processes.get_or_insert(PROCESSES);
    }
}

/// The letters of a pattern that the file has in another form.
fn fill_pattern(cell: &mut Cell) {
    if cell.tdd_configuration.is_some() {
        cell.special_subframe.get_or_insert(USUAL_SPECIAL_SUBFRAME);
    }
    if let Some(letters) = cell.pattern_letters() {
        cell.tdd_pattern = Some(letters);
    }
}

/// Fills in what follows from other keys.
pub(crate) fn fill(scenario: &mut Scenario) {
    scenario.cell.iter_mut().for_each(fill_pattern);
    if let Some(proxy) = &mut scenario.path.proxy {
        fill_proxy(proxy, scenario.radio);
    }
    fill_links(&mut scenario.path);
    if scenario.radio == RadioKind::Lte {
        add_default_bearers(scenario);
    }
    let groups: Vec<String> = scenario.ue.iter().map(|group| group.name.clone()).collect();
    let selections = scenario.bearer.iter_mut().map(|bearer| &mut bearer.ue);
    let selections = selections.chain(scenario.flow.iter_mut().map(|flow| &mut flow.ue));
    for names in selections.filter(|names| names.0.is_empty()) {
        names.0.clone_from(&groups);
    }
    let is_nr = scenario.has_user_plane_of_nr();
    scenario.bearer.iter_mut().for_each(|bearer| fill_bearer(bearer, is_nr));
    resolve_split::fill(scenario);
    fill_precedences(&mut scenario.bearer);
    scenario.flow.iter_mut().for_each(fill_flow);
    fill_phases(scenario);
    fill_ports(&mut scenario.flow);
    let cells = scenario.cell.iter_mut().filter_map(|cell| cell.rrc.as_mut());
    let ues = scenario.ue.iter_mut().filter_map(|ue| ue.rrc.as_mut());
    cells.chain(ues).for_each(fill_rrc);
    let cells = scenario.cell.iter_mut().map(|cell| &mut cell.radio_link);
    let ues = scenario.ue.iter_mut().filter_map(|ue| ue.radio_link.as_mut());
    let t311 = if is_nr { RadioLinkConfig::NR.t311 } else { RadioLinkConfig::LTE.t311 };
    cells.chain(ues).for_each(|link| _ = link.t311.get_or_insert(t311));
}

fn fill_rrc(rrc: &mut Rrc) {
    fill_promotion(&mut rrc.promotion);
    if let Some(inactive) = &mut rrc.inactive {
        fill_promotion(&mut inactive.resume);
        inactive.paging_cycle.get_or_insert(rrc.paging_cycle);
    }
}

/// The ends of a distribution by quartiles, as far beyond them as the median within.
fn fill_promotion(promotion: &mut Promotion) {
    if let Promotion::Quartiles(QuartilePromotion { min, p25, p50, p75, max }) = promotion {
        min.get_or_insert(p25.saturating_sub(p50.saturating_sub(*p25)));
        max.get_or_insert(*p75 + p75.saturating_sub(*p50));
    }
}

fn fill_proxy(proxy: &mut Proxy, radio: RadioKind) {
    let place = proxy.place(radio);
    proxy.at = Some(place);
    if place == ProxyPlace::Servers {
        proxy.link = proxy.link.take().or_else(Link::absent);
    }
    for tcp in [&mut proxy.ue, &mut proxy.server] {
        tcp.get_or_insert_default().fill();
    }
}

fn fill_links(path: &mut Path) {
    let proxy = path.proxy.as_mut().and_then(|proxy| proxy.link.as_mut());
    let links = [proxy, Some(&mut path.sgi), path.s5.as_mut(), path.s1.as_mut()];
    for link in links.into_iter().flatten() {
        for queue in [Some(&mut link.queue), link.up.queue.as_mut()].into_iter().flatten() {
            queue.fill();
        }
    }
}

/// Gives a default bearer of QCI 9 to each UE that has none.
fn add_default_bearers(scenario: &mut Scenario) {
    let mut lacking = vec![true; scenario.ues().count()];
    for bearer in scenario.bearer.iter().filter(|bearer| bearer.default) {
        for ue in scenario.members(&bearer.ue, bearer.only.as_ref()) {
            lacking[ue] = false;
        }
    }
    if lacking.iter().all(|lacks| *lacks) {
        add_bearer(scenario, "default".to_owned(), Names::default(), None);
        return;
    }
    let mut first = 0;
    for group in scenario.ue.clone() {
        let count = group.size() as usize;
        let missing = Indices::from_flags(&lacking[first..first + count]);
        first += count;
        if let Some(only) = missing {
            let name = format!("default-{}", group.name);
            let only = Some(only).filter(|_| group.arrivals.is_none());
            add_bearer(scenario, name, Names(vec![group.name]), only);
        }
    }
}

fn add_bearer(scenario: &mut Scenario, mut name: String, ue: Names, only: Option<Indices>) {
    while scenario.bearer.iter().any(|bearer| bearer.name == name) {
        name.push('\'');
    }
    let usual = Bearer::absent();
    scenario.bearer.extend(usual.map(|usual| Bearer { name, default: true, ue, only, ..usual }));
}

fn fill_bearer(bearer: &mut Bearer, is_nr: bool) {
    if bearer.five_qi.is_none() {
        bearer.qci.get_or_insert(USUAL_QCI);
    }
    let Some(class) = ServiceClass::of(bearer) else { return };
    let usual = class.bearer(bearer.guaranteed_bit_rate);
    let mode = match usual.rlc.mode {
        Mode::Um(_) | Mode::NrUm(_) => RlcMode::Um,
        Mode::Am(_) | Mode::NrAm(..) => RlcMode::Am,
    };
    bearer.rlc.get_or_insert(class.mode_of_sets(bearer.pdu_sets.as_ref()).unwrap_or(mode));
    let queue = bearer.queue.get_or_insert_with(|| usual_queue(&usual));
    let uplink = match queue {
        QueueConfig::DropTail(same) => QueueConfig::DropTail(*same),
        _ => usual_queue(&usual),
    };
    bearer.uplink_queue.get_or_insert(uplink);
    for flow in &mut bearer.qos_flow {
        flow.queue = flow.queue.take().or_else(|| bearer.queue.clone());
        flow.uplink_queue = flow.uplink_queue.take().or_else(|| bearer.uplink_queue.clone());
    }
    let flows =
        bearer.qos_flow.iter_mut().flat_map(|flow| [&mut flow.queue, &mut flow.uplink_queue]);
    let own = [&mut bearer.queue, &mut bearer.uplink_queue].into_iter();
    own.chain(flows).flatten().for_each(QueueConfig::fill);
    let (sn, reordering) = match (is_nr, bearer.rlc) {
        (false, _) => (10, 35),
        (true, Some(RlcMode::Um)) => (12, 100),
        (true, _) => (12, 3_000),
    };
    bearer.rlc_sn.get_or_insert(sn);
    bearer.reordering.get_or_insert(Duration::from_millis(reordering));
    let of_sets = bearer.pdu_sets.as_ref().filter(|sets| sets.discard);
    let of_sets = of_sets.map(|sets| five_qi::discard_timer(sets.delay_budget));
    let timer = of_sets.or(usual.pdcp.discard_timer).map_or(Timer::Infinity, Timer::After);
    bearer.discard_timer.get_or_insert(timer);
    bearer.priority.get_or_insert(usual.channel.priority);
    let rate = usual.channel.prioritised_bit_rate.map_or(Rate::Unlimited, Rate::Limited);
    bearer.prioritised_bit_rate.get_or_insert(rate);
    bearer.group.get_or_insert(usual.channel.group);
}

fn usual_queue(usual: &qci::Bearer) -> QueueConfig {
    let limit = match usual.pdcp.downlink_queue {
        QueueLimit::Unlimited => Limit::NONE,
        QueueLimit::Bytes(bytes) => Limit::bytes(bytes),
        QueueLimit::Packets(packets) => Limit::packets(packets),
    };
    QueueConfig::DropTail(DropTailConfig { limit })
}

/// Numbers filters without a precedence in the order of the file, with values that no
/// filter was given.
fn fill_precedences(bearers: &mut [Bearer]) {
    let filters = || bearers.iter().flat_map(|bearer| bearer.filters().map(|(_, filter)| filter));
    let taken: Vec<u8> = filters().filter_map(|filter| filter.precedence).collect();
    let mut free = (0..=u8::MAX).filter(|value| !taken.contains(value));
    let filters = bearers.iter_mut().flat_map(|bearer| {
        let flows = bearer.qos_flow.iter_mut().flat_map(|flow| &mut flow.filter);
        bearer.filter.iter_mut().chain(flows)
    });
    for filter in filters.filter(|filter| filter.precedence.is_none()) {
        filter.precedence = free.next();
    }
}

fn fill_flow(flow: &mut Flow) {
    if flow.is_full_buffer() {
        return;
    }
    flow.dscp = Some(Dscp(flow.code_point()));
    flow.tos = None;
    match flow.kind {
        FlowKind::Rtp => {
            flow.rtp = flow.rtp.take().or_else(Rtp::absent);
            if let Some(rtp) = &mut flow.rtp {
                fill_media(rtp);
            }
        }
        FlowKind::Tcp => {
            if !flow.asks() {
                flow.size.get_or_insert(Size::Greedy);
            }
            flow.player.iter_mut().for_each(fill_player);
            flow.web.iter_mut().for_each(Web::fill);
            flow.tcp.get_or_insert_default().fill();
        }
        FlowKind::Quic => {
            let asks = flow.asks();
            let quic = flow.quic.get_or_insert_default();
            quic.streams.get_or_insert(if asks { 100 } else { 1 });
            quic.ecn = Some(quic.ecn());
            if !asks && quic.datagrams.is_none() {
                flow.size.get_or_insert(Size::Greedy);
            }
            flow.web.iter_mut().for_each(Web::fill);
        }
        FlowKind::Webrtc => {
            // A table without values has the defaults of a call.
            let webrtc = flow.webrtc.get_or_insert_default();
            webrtc.video = webrtc.video.take().or_else(Video::absent);
        }
        FlowKind::Xr => flow.xr.iter_mut().for_each(|xr| xr.fill(&flow.name)),
        FlowKind::FullBuffer => {}
    }
}

/// Users of one flow are not in step with each other, unless the file says so.
fn fill_phases(scenario: &mut Scenario) {
    let usual = |flow: &Flow| match scenario.is_of_one(flow) {
        true => Phase::At(Duration::ZERO),
        false => Phase::Random,
    };
    let usual: Vec<Phase> = scenario.flow.iter().map(usual).collect();
    for (flow, usual) in scenario.flow.iter_mut().zip(usual) {
        flow.video_mut()
            .into_iter()
            .for_each(|(video, _)| video.phase = video.phase.or(Some(usual)));
        let xr = flow.xr.iter_mut().filter(|xr| xr.is_periodic());
        xr.for_each(|xr| xr.phase = xr.phase.or(Some(usual)));
    }
}

fn fill_player(player: &mut Player) {
    player.resume.get_or_insert(player.start);
    player.burst.get_or_insert(player.high);
    if player.throttle == Throttle::Requests {
        let usual = Bytes(1_000_000);
        player.chunk.get_or_insert(Amount { min: usual, max: usual });
    }
}

fn fill_media(rtp: &mut Rtp) {
    let usual = rtp.payload == Bytes(172) && rtp.interval == Duration::from_millis(20);
    if rtp.video.is_none() && rtp.answer.is_none() && usual {
        rtp.codec.get_or_insert(VoiceCodec::G711Plc);
    }
    match rtp.congestion_control {
        MediaControl::None => {}
        MediaControl::Scream => rtp.scream = rtp.scream.take().or_else(Scream::absent),
        MediaControl::Gcc => rtp.gcc = rtp.gcc.take().or_else(Gcc::absent),
        MediaControl::Nada => rtp.nada = rtp.nada.take().or_else(Nada::absent),
    }
    let Some(video) = &rtp.video else { return };
    let scream = rtp.scream.as_mut().map(|options| &mut options.start_rate);
    let gcc = rtp.gcc.as_mut().map(|options| &mut options.start_rate);
    let nada = rtp.nada.as_mut().map(|options| &mut options.start_rate);
    for start in [scream, gcc, nada].into_iter().flatten() {
        start.get_or_insert(video.min_rate);
    }
}

/// First dynamic port (RFC 6335, 6).
const FIRST_LOCAL: u16 = 49_152;

/// Gives ports to flows that name none: the first that no other flow has.
fn fill_ports(flows: &mut [Flow]) {
    let remote: Vec<u16> = flows.iter().filter_map(|flow| flow.remote_port).collect();
    let local = flows.iter().filter_map(|flow| Some((flow.local_port?, flow.ports())));
    let local: Vec<(u16, u16)> = local.collect();
    let taken = |port: u16| {
        local.iter().any(|(first, n)| (*first..=first.saturating_add(n - 1)).contains(&port))
    };
    let mut remote = (5_001..=u16::MAX).filter(|port| !remote.contains(port));
    let mut next = FIRST_LOCAL;
    for flow in flows.iter_mut().filter(|flow| !flow.is_full_buffer()) {
        flow.remote_port = flow.remote_port.or_else(|| remote.next());
        if flow.local_port.is_none() {
            let more = flow.ports() - 1;
            let free = |first: &u16| {
                let last = first.checked_add(more);
                last.is_some_and(|last| !(*first..=last).any(taken))
            };
            flow.local_port = (next..=u16::MAX).find(free);
            next = flow.local_port.map_or(u16::MAX, |first| (first + more).saturating_add(1));
        }
    }
}
