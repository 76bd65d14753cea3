//! Flows: their ends, and the way to them.
//!
//! What an end sends enters the network by itself; what arrives is handed out by the
//! addresses and ports of both ends.

use airpath_base::random::{Keyed, Seed, Stream};
use airpath_base::{Duration, FlowId, NodeId, Port, Time, UeId};
use airpath_media::{Answer, MediaConfig, Pattern, RtpConfig, RtpSink, RtpSource};
use airpath_net::{Class, Direction, Door, Engine, ExposedRate, Node, PointId};
use airpath_path::{Link, LinkConfig, Switch};
use airpath_traffic::{RequestConfig, WebDraws};
use airpath_transport::control::Controller;
use airpath_transport::{App, EndpointConfig, Open, TcpEndpoint};
use airpath_wire::{Endpoint, Protocol, Tuple};

use super::bearers::Bearers;
use super::hosts::Cast;
use super::proxy::Splits;
#[cfg(feature = "stacks")]
use super::stacks;
use super::{
    Builder, FlowFacts, WorldError, addresses, applications, full_buffer, inputs, media, xr,
};
use crate::file::{Flow, FlowKind, Opener, Start, Tcp};
use crate::resolve::UeRef;

/// Port of an end at the network.
const NETWORK: Port = Port(0);

/// A node's output, or an input.
type Socket = (NodeId, Port);

/// Sockets of an end: where its packets come in, and where they leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    enter: Socket,
    leave: Socket,
}

/// The ends of the flows at one side of the network.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    /// By what they receive.
    ends: Vec<(Tuple, End)>,
    /// Numbers of the real hosts there.
    hosts: Vec<usize>,
}

/// All ends.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    /// At the servers.
    pub servers: Ends,
    /// By [`UeId`].
    pub ues: Vec<Ends>,
}

/// One flow of one UE.
pub(super) struct OneFlow<'a> {
    pub flow: &'a Flow,
    pub id: FlowId,
    /// Flow that its end at the server is counted for: another one, beyond a proxy.
    pub far: FlowId,
    /// Server and UE.
    pub remote: Endpoint,
    pub local: Endpoint,
    pub start: Time,
    pub stop: Option<Time>,
    /// Rate of its bearer downlink that the cell exposes, if it does.
    pub exposed: Option<&'a ExposedRate>,
    /// Of what its endpoints draw.
    pub seed: u64,
}

/// Random draws of one flow of one UE.
pub(super) struct Draws {
    seed: Seed,
    /// The names of both.
    user: String,
}

impl Draws {
    /// Ordered draws for this purpose.
    pub fn stream(&self, what: &str) -> Stream {
        self.seed.stream(&format!("{} / {what}", self.user))
    }

    /// Draws by coordinates for this purpose.
    pub fn keyed(&self, what: &str) -> Keyed {
        self.seed.keyed(&format!("{} / {what}", self.user))
    }

    /// The draws of another flow of the same UE, or of what several of its flows share.
    fn of(&self, flow: &Flow, name: &str) -> Draws {
        let ue = self.user.strip_prefix(flow.name.as_str()).unwrap_or_default();
        Draws { seed: self.seed, user: format!("{name}{ue}") }
    }

    /// Those of a user of the web.
    pub fn web(&self) -> WebDraws {
        WebDraws::new(self.seed, &self.user)
    }
}

pub(super) type Nodes = [Box<dyn Node>; 2];

impl Traffic {
    /// Adds the ends of all flows.
    pub fn new(
        cast: &Cast<'_>,
        bearers: &Bearers,
        splits: &Splits,
        seed: Seed,
        builder: &mut Builder,
    ) -> Result<Traffic, WorldError> {
        let scenario = cast.scenario;
        let ues: Vec<UeRef<'_>> = scenario.ues().collect();
        let mut traffic = Traffic::default();
        let mut beyond = Vec::new();
        traffic.servers.hosts.extend(builder.host_of(None));
        let ends =
            |n| Ends { hosts: builder.host_of(Some(n)).into_iter().collect(), ends: Vec::new() };
        traffic.ues.extend((0..ues.len()).map(ends));
        for (entry, flow) in scenario.flow.iter().enumerate() {
            let single = scenario.is_of_one(flow);
            for ue in cast.users(flow) {
                let ue_name = ues[ue].name();
                let named = |own: &str| match single {
                    true => own.to_owned(),
                    false => format!("{own} {ue_name}"),
                };
                let name = named(&flow.name);
                let times = (start(flow, &ues[ue], seed), stop(flow, &ues[ue]));
                let id = FlowId(builder.facts.flows.len() as u32);
                let own = seed.keyed("congestion control").bits([u64::from(id.0), 0, 0]);
                let far = splits.far(id);
                if flow.is_full_buffer() {
                    let facts = full_buffer::facts(flow, (name, entry), ue, times, bearers);
                    builder.facts.flows.push(facts);
                    continue;
                }
                let mut one =
                    OneFlow { far: far.unwrap_or(id), ..OneFlow::new(flow, id, ue, times, own) };
                let draws = Draws { seed, user: format!("{} / {ue_name}", flow.name) };
                let back = || named(&format!("{} back", flow.name));
                let returns = flow.flows_of_ue() > 1;
                let mut facts = one.facts(name, entry, UeId(ue as u32), bearers);
                if cast.carries(entry) {
                    let facts = facts.between_hosts();
                    let other = returns.then(|| facts.returned(back(), None));
                    builder.facts.flows.extend([facts].into_iter().chain(other));
                    continue;
                }
                one.exposed = bearers.exposed(facts.bearers[0], flow.direction);
                let nodes = one
                    .nodes(&facts.name, &draws, builder)
                    .map_err(|error| WorldError::new(&facts.name, error))?;
                let [source, sink] = traffic.add(&one, nodes, ue, &facts, builder);
                facts.source = Some(source);
                beyond.extend(far.map(|_| facts.beyond_proxy()));
                let other = returns.then(|| facts.returned(back(), Some(sink)));
                builder.facts.flows.extend([facts].into_iter().chain(other));
            }
        }
        builder.facts.flows.append(&mut beyond);
        inputs::name(scenario, &mut builder.facts.flows);
        Ok(traffic)
    }

    /// Adds both nodes: at the server first. Gives that which makes the data or asks for them, and the other.
    fn add(
        &mut self,
        one: &OneFlow,
        nodes: Nodes,
        ue: usize,
        facts: &FlowFacts,
        to: &mut Builder,
    ) -> [NodeId; 2] {
        let [server, local] = nodes;
        let server = to.engine.add(format!("{} server", facts.name), Class::Packets, server);
        let local = to.engine.add(format!("{} ue", facts.name), Class::Packets, local);
        let far = match one.flow.server_delay {
            Duration::ZERO => End::of(server),
            delay => End::behind(server, delay, &facts.name, &mut to.engine),
        };
        for more in 0..one.flow.ports() {
            let mut tuple = one.uplink();
            tuple.src.port += more;
            self.servers.ends.push((tuple, far));
            self.ues[ue].ends.push((tuple.reversed(), End::of(local)));
        }
        let at_server = one.flow.direction == Direction::Downlink && !one.flow.asks();
        if at_server { [server, local] } else { [local, server] }
    }
}

impl End {
    fn of(node: NodeId) -> End {
        End { enter: (node, NETWORK), leave: (node, NETWORK) }
    }

    /// A node behind a link in each direction that has this delay and nothing else.
    fn behind(node: NodeId, delay: Duration, name: &str, engine: &mut Engine) -> End {
        let mut link = |way: &str| {
            let config = LinkConfig { delay, ..LinkConfig::default() };
            let name = format!("{name} server {way}");
            let link = Box::new(Link::new(config, Seed(0), &name));
            engine.add(name, Class::Packets, link)
        };
        let (down, up) = (link("down"), link("up"));
        engine.connect((node, NETWORK), (down, NETWORK), None);
        engine.connect((up, Link::OUT), (node, NETWORK), None);
        End { enter: (up, NETWORK), leave: (down, Link::OUT) }
    }
}

impl Ends {
    /// The ends at several UEs as one list.
    pub fn joined(all: Vec<Ends>) -> Ends {
        let mut joined = Ends::default();
        for one in all {
            joined.ends.extend(one.ends);
            joined.hosts.extend(one.hosts);
        }
        joined
    }

    /// Connects what the ends send with `into`, and what comes out of `from` with them.
    pub fn connect(
        self,
        name: impl FnOnce() -> String,
        into: (Socket, Option<PointId>),
        from: (Socket, Option<PointId>),
        builder: &mut Builder,
    ) {
        let engine = &mut builder.engine;
        for (_, end) in &self.ends {
            engine.connect(end.leave, into.0, into.1);
        }
        let ((node, port), point) = into;
        for &host in &self.hosts {
            builder.hosts[host].enter = Door { node, port, point };
        }
        match (&self.ends[..], &self.hosts[..]) {
            ([(_, only)], []) => return engine.connect(from.0, only.enter, from.1),
            ([], [host]) => {
                let ((node, port), point) = from;
                engine.open(Door { node, port, point });
                builder.hosts[*host].leave = from.0;
                return;
            }
            _ => {}
        }
        let mut nodes: Vec<End> = self.ends.iter().map(|(_, end)| *end).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let (mut switch, ports) = (Switch::new(), nodes.len());
        for (tuple, node) in self.ends {
            let port = nodes.partition_point(|known| *known < node);
            switch.add_connection(tuple, Port(port as u32));
        }
        for (n, &host) in self.hosts.iter().enumerate() {
            let port = Port((ports + n) as u32);
            if self.hosts.len() == 1 {
                switch.set_otherwise(port);
            }
            for to in builder.hosts[host].addresses() {
                switch.add_address(to, port);
            }
        }
        let switch = engine.add(name(), Class::Packets, Box::new(switch));
        engine.connect(from.0, (switch, NETWORK), from.1);
        for (n, node) in nodes.into_iter().enumerate() {
            engine.connect((switch, Port(n as u32)), node.enter, None);
        }
        for (n, &host) in self.hosts.iter().enumerate() {
            let leave = (switch, Port((ports + n) as u32));
            engine.open(leave.into());
            builder.hosts[host].leave = leave;
        }
    }
}

impl<'a> OneFlow<'a> {
    fn new(flow: &'a Flow, id: FlowId, ue: usize, (start, stop): Times, seed: u64) -> OneFlow<'a> {
        // Ports have been filled in; zero is what no flow has.
        let remote = Endpoint::new(flow.remote_address, flow.remote_port.unwrap_or(0));
        let local = Endpoint::new(addresses::ue(ue), flow.local_port.unwrap_or(0));
        OneFlow { flow, id, far: id, remote, local, start, stop, exposed: None, seed }
    }

    /// The tuple of what the UE sends.
    fn uplink(&self) -> Tuple {
        let protocol = match self.flow.kind {
            FlowKind::Tcp => Protocol::TCP,
            FlowKind::Rtp
            | FlowKind::Quic
            | FlowKind::Webrtc
            | FlowKind::Xr
            | FlowKind::FullBuffer => Protocol::UDP,
        };
        Tuple { src: self.local, dst: self.remote, protocol }
    }

    fn facts(&self, name: String, entry: usize, ue: UeId, bearers: &Bearers) -> FlowFacts {
        let direction = self.flow.direction;
        let tuple = match direction {
            Direction::Downlink => self.uplink().reversed(),
            Direction::Uplink => self.uplink(),
        };
        let own = &bearers.ues[ue.index()];
        let bearer = |tuple: &Tuple, dscp: u8, direction| {
            own.at(own.tft.classify(tuple, dscp << 2, direction).unwrap_or(0))
        };
        let back = direction.opposite();
        let bearers = [
            bearer(&tuple, self.flow.code_point(), direction),
            bearer(&tuple.reversed(), self.flow.feedback_code_point(), back),
        ];
        let kind = self.flow.kind.word();
        let (start, stop, tuple) = (self.start, self.stop, Some(tuple));
        let application = Some(self.flow.application());
        FlowFacts {
            name,
            entry,
            kind,
            application,
            ue,
            direction,
            tuple,
            bearers,
            start,
            stop,
            source: None,
            input: None,
            codec: self.flow.voice(),
            no_pictures: self.flow.xr.as_ref().is_some_and(|xr| !xr.has_pictures()),
        }
    }

    /// Both ends, that of the server first.
    fn nodes(&self, name: &str, draws: &Draws, of: &Builder<'_>) -> Result<Nodes, String> {
        let own = &of.own;
        let down = self.flow.direction == Direction::Downlink;
        let (source, sink) = match down {
            true => (self.remote, self.local),
            false => (self.local, self.remote),
        };
        let [source, sink] = match self.flow.kind {
            FlowKind::Tcp if self.flow.asks() => self.asking(draws)?,
            FlowKind::Tcp => self.tcp(source, sink, own.controller(&self.flow.name, name))?,
            FlowKind::Rtp => {
                let own = || own.pattern(&self.flow.name, name);
                self.rtp((source, sink), draws, own)?
            }
            #[cfg(feature = "stacks")]
            FlowKind::Quic => stacks::ends((self, name), (source, sink), draws, of)?,
            #[cfg(feature = "stacks")]
            FlowKind::Webrtc => stacks::webrtc(self, (source, sink), draws)?,
            #[cfg(not(feature = "stacks"))]
            FlowKind::Quic | FlowKind::Webrtc => {
                return Err("this program has no stacks".to_owned());
            }
            FlowKind::Xr => {
                let encoder = self.flow.xr.as_ref().and_then(|xr| xr.encoder.as_deref());
                let encoder = draws.of(self.flow, encoder.unwrap_or(&self.flow.name));
                xr::nodes(self, self.media(source, sink), draws, &encoder)?
            }
            FlowKind::FullBuffer => return Err("a full buffer has no ends".to_owned()),
        };
        Ok(if down { [source, sink] } else { [sink, source] })
    }

    /// Ends and times of media.
    fn media(&self, source: Endpoint, sink: Endpoint) -> MediaConfig {
        MediaConfig {
            dscp: (self.flow.code_point(), self.flow.feedback_code_point()),
            ssrc: self.id.0,
            start: self.start,
            stop: self.stop,
            ..MediaConfig::new(self.id, source, sink)
        }
    }

    fn rtp(
        &self,
        (source, sink): (Endpoint, Endpoint),
        draws: &Draws,
        own: impl FnOnce() -> Option<Box<dyn Pattern>>,
    ) -> Result<Nodes, String> {
        let options = self.flow.rtp.as_ref().ok_or("a flow of kind rtp lacks its options")?;
        if let Some(video) = &options.video {
            let exposed = self.exposed.map(ExposedRate::follow);
            let base = MediaConfig { exposed, ..self.media(source, sink) };
            return media::nodes(options, video, base, draws);
        }
        let config = RtpConfig {
            dscp: self.flow.code_point(),
            payload: u32::try_from(options.payload.0).unwrap_or(u32::MAX),
            interval: options.interval,
            start: self.start,
            packets: options.count,
            stop: self.stop,
            ssrc: self.id.0,
            answer: options.answer.as_ref().map(|answer| Answer {
                payload: u32::try_from(answer.payload.0).unwrap_or(u32::MAX),
                delay: answer.delay,
                dscp: self.flow.feedback_code_point(),
            }),
            ..RtpConfig::new(self.id, source, sink)
        };
        let sink = RtpSink::of(&config);
        let node = match own() {
            None => RtpSource::new(config),
            Some(pattern) => RtpSource::with_pattern(config, pattern),
        };
        let node = node.map_err(|error| error.to_string())?;
        Ok([Box::new(node), Box::new(sink)])
    }

    /// Both ends of an application that asks, that of the server first.
    fn asking(&self, draws: &Draws) -> Result<Nodes, String> {
        let options = self.flow.tcp.as_ref().ok_or("a flow of kind tcp lacks its options")?;
        let base = RequestConfig {
            dscp: (self.flow.code_point(), self.flow.feedback_code_point()),
            tcp: Tcp { seed: self.seed, ..options.clone() },
            server_flow: self.far,
            start: self.start,
            stop: self.stop,
            ..RequestConfig::new(self.id, self.local, self.remote)
        };
        applications::nodes(self.flow, base, draws)
    }

    fn tcp(
        &self,
        source: Endpoint,
        sink: Endpoint,
        mut own: Option<Controller>,
    ) -> Result<Nodes, String> {
        let options = self.flow.tcp.as_ref().ok_or("a flow of kind tcp lacks its options")?;
        let bytes =
            self.flow.size.and_then(airpath_schema::units::Size::quantity).map(|bytes| bytes.0);
        let app = bytes.map_or(App::Greedy, App::Finite);
        let mut end = |local: Endpoint, remote: Endpoint, app: App| {
            let opens = match options.opened_by {
                Opener::Ue => local == self.local,
                Opener::Server => local == self.remote,
            };
            let sends = !matches!(app, App::Sink { .. });
            let config = EndpointConfig {
                dscp: if sends { self.flow.code_point() } else { self.flow.feedback_code_point() },
                tcp: Tcp { seed: self.seed, ..options.clone() },
                open_at: if opens { self.start } else { Time::ZERO },
                start: self.start,
                stop: self.stop.filter(|_| sends),
                ..EndpointConfig::new(
                    if local == self.remote { self.far } else { self.id },
                    local,
                    remote,
                    app,
                    if opens { Open::Active } else { Open::Passive },
                )
            };
            let node = match own.take_if(|_| sends) {
                None => TcpEndpoint::new(config),
                Some(own) => TcpEndpoint::with_controller(config, own),
            };
            Ok::<Box<dyn Node>, String>(Box::new(node.map_err(|error| error.to_string())?))
        };
        let sink_app = App::Sink { expected: bytes };
        Ok([end(source, sink, app)?, end(sink, source, sink_app)?])
    }
}

/// Time of a flow's start, and of its stop by plan.
pub(super) type Times = (Time, Option<Time>);

/// Time of the start of a UE's flow, counted from its arrival.
pub(super) fn start(flow: &Flow, ue: &UeRef<'_>, seed: Seed) -> Time {
    let start = draw(&flow.start, seed, &format!("{} / {} / start", flow.name, ue.name()));
    ue.arrival().unwrap_or(Time::ZERO).saturating_add(start)
}

/// Time of a flow's stop by plan, counted in the same way.
pub(super) fn stop(flow: &Flow, ue: &UeRef<'_>) -> Option<Time> {
    flow.stop.map(|stop| ue.arrival().unwrap_or(Time::ZERO).saturating_add(stop))
}

/// A start within the interval, evenly.
fn draw(start: &Start, seed: Seed, name: &str) -> Duration {
    let span = start.max.saturating_sub(start.min);
    let drawn = match span.is_zero() {
        true => Duration::ZERO,
        false => Duration::from_nanos(seed.stream(name).below(span.as_nanos() + 1)),
    };
    start.min + drawn
}
