//! Links, gateway and tunnels between the servers and the cell.
//!
//! With S5 the gateway node stands at the PGW and the SGW merely relays. The GTP-U packets cross S5
//! with the headers that they have on S1-U. Each link is named after its reference point and
//! direction.

use airpath_base::NodeId;
use airpath_base::random::Seed;
use airpath_net::{Class, Direction, PointId};
use airpath_path::{
    Gateway, GatewayConfig, Link, LinkConfig, Overhead, Processing, Subscriber, TunnelConfig,
    TunnelEnd,
};
use airpath_transport::Proxy;
use airpath_wire::{Endpoint, EspTransform};

use super::bearers::Bearers;
use super::proxy::Splits;
use super::{Builder, LinkFacts, WorldError, addresses};
use crate::file::{self, EcnTunnel, Ipsec, PcapPoint, Scenario};

/// A node that packets pass: where they enter and leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    node: NodeId,
    enter: airpath_base::Port,
    leave: airpath_base::Port,
    /// The wire behind it, if it is watched.
    point: Option<PointId>,
}

/// The two ways between servers and cell, nodes in the order of the packets.
#[derive(Debug)]
pub(super) struct Wired {
    down: Vec<Hop>,
    up: Vec<Hop>,
}

impl Hop {
    fn through(node: NodeId, enter: airpath_base::Port, leave: airpath_base::Port) -> Hop {
        Hop { node, enter, leave, point: None }
    }

    fn watched(self, point: Option<PointId>) -> Hop {
        Hop { point, ..self }
    }
}

impl Wired {
    /// Adds the nodes of the wired part and connects them with each other. Where there is no S1,
    /// that is SGi alone, with its proxy.
    pub fn new(
        scenario: &Scenario,
        bearers: &Bearers,
        splits: &Splits,
        seed: Seed,
        builder: &mut Builder,
    ) -> Result<Wired, WorldError> {
        let path = &scenario.path;
        // From the servers to the cell both; the way up is turned round at the end.
        let [mut down, mut up] = internet(scenario, splits, seed, builder)?;
        let Some(s1) = &path.s1 else {
            return Ok(Wired::joined(down, up, builder));
        };
        let gateway = gateway(scenario, bearers, builder)?;
        let sgi = builder.point(PcapPoint::Sgi);
        if let Some(last) = down.last_mut() {
            last.point = sgi;
        }
        down.push(Hop::through(gateway, Gateway::INTERNET, Gateway::RAN));
        up.push(Hop::through(gateway, Gateway::RAN, Gateway::INTERNET).watched(sgi));
        if let Some(s5) = &path.s5 {
            let [s5_down, s5_up] = links("s5", s5, seed, builder);
            down.push(s5_down);
            up.push(s5_up);
        }
        let ends = path.ipsec.as_ref().map(|ipsec| tunnel_ends(ipsec, path.ecn_tunnel, builder));
        let [s1_down, s1_up] = links("s1", s1, seed, builder);
        let s1 = builder.point(PcapPoint::S1);
        let into = |node| Hop::through(node, TunnelEnd::CLEAR, TunnelEnd::TUNNEL);
        let out = |node| Hop::through(node, TunnelEnd::TUNNEL, TunnelEnd::CLEAR);
        down.extend(ends.map(|[gateway, _]| into(gateway)));
        up.extend(ends.map(|[gateway, _]| out(gateway)));
        down.push(s1_down.watched(s1));
        up.push(s1_up);
        down.extend(ends.map(|[_, cell]| out(cell)));
        up.extend(ends.map(|[_, cell]| into(cell).watched(s1)));
        if let Some(cell) = processing(scenario, seed, builder) {
            down.push(Hop::through(cell, Processing::OUTER, Processing::INNER));
            let point = s1.filter(|_| ends.is_none());
            up.push(Hop::through(cell, Processing::INNER, Processing::OUTER).watched(point));
        }
        Ok(Wired::joined(down, up, builder))
    }

    /// Connects the hops, both ways in the order from the servers, with each other.
    fn joined(down: Vec<Hop>, mut up: Vec<Hop>, builder: &mut Builder) -> Wired {
        up.reverse();
        for pair in down.windows(2).chain(up.windows(2)) {
            let (from, to) = (pair[0], pair[1]);
            let end = (to.node, to.enter);
            builder.engine.connect((from.node, from.leave), end, from.point);
        }
        Wired { down, up }
    }

    /// Connects the ends with the cell.
    pub fn connect(&self, cell: (NodeId, airpath_base::Port), builder: &mut Builder) {
        if let (Some(last), Some(first)) = (self.down.last(), self.up.first()) {
            builder.engine.connect((last.node, last.leave), cell, last.point);
            // A tunnel end may follow: the wire behind that is the watched one.
            let plain = self.up.iter().all(|hop| hop.point != builder.point(PcapPoint::S1));
            let point = builder.point(PcapPoint::S1).filter(|_| plain);
            builder.engine.connect(cell, (first.node, first.enter), point);
        }
    }

    /// Input of the servers' downlink packets.
    pub fn entrance(&self) -> (NodeId, airpath_base::Port) {
        let first = self.down.first().expect("SGi is always there");
        (first.node, first.enter)
    }

    /// Output to hosts without a radio, and input from them.
    pub fn hosts(&self) -> [(NodeId, airpath_base::Port); 2] {
        let last = self.down.last().expect("SGi is always there");
        let first = self.up.first().expect("SGi is always there");
        [(last.node, last.leave), (first.node, first.enter)]
    }

    /// Output of uplink packets to the servers, and the point on that wire.
    pub fn exit(&self) -> ((NodeId, airpath_base::Port), Option<PointId>) {
        let last = self.up.last().expect("SGi is always there");
        ((last.node, last.leave), last.point)
    }
}

/// SGi's link in both directions, and the proxy with its own link, if there is one, in the
/// order from the servers.
fn internet(
    scenario: &Scenario,
    splits: &Splits,
    seed: Seed,
    builder: &mut Builder,
) -> Result<[Vec<Hop>; 2], WorldError> {
    let server = builder.point(PcapPoint::Server);
    let [down, up] = links("sgi", &scenario.path.sgi, seed, builder);
    let Some(proxy) = &scenario.path.proxy else {
        return Ok([vec![down], vec![up.watched(server)]]);
    };
    let point = builder.point(PcapPoint::Proxy);
    let node = splits.node(proxy, builder)?;
    let [to_ues, to_servers] = [Proxy::DOWN, Proxy::UP].map(|port| Hop::through(node, port, port));
    let to_servers = to_servers.watched(point);
    let Some(link) = &proxy.link else {
        return Ok([vec![down.watched(point), to_ues], vec![up.watched(server), to_servers]]);
    };
    let [own_down, own_up] = links("proxy", link, seed, builder);
    Ok([vec![own_down.watched(point), to_ues, down], vec![own_up.watched(server), to_servers, up]])
}

fn gateway(
    scenario: &Scenario,
    bearers: &Bearers,
    builder: &mut Builder,
) -> Result<NodeId, WorldError> {
    let config = GatewayConfig {
        endpoint: addresses::GATEWAY_S1,
        ecn: scenario.path.ecn_tunnel,
        processing: scenario.path.gateway_delay,
    };
    let subscribers = bearers.ues.iter().enumerate().map(|(n, ue)| Subscriber {
        addresses: vec![addresses::ue(n).into(), addresses::ue_v6(n).into()],
        base_station: addresses::CELL_S1,
        tft: ue.tft.clone(),
        bearers: bearers.tunnels(ue),
    });
    let gateway = Gateway::new(config, subscribers.collect())
        .map_err(|error| WorldError::new("gateway", error))?;
    Ok(builder.engine.add("gateway", Class::Packets, Box::new(gateway)))
}

/// The node in which packets take the times of base station and core network, if they take some.
fn processing(scenario: &Scenario, seed: Seed, builder: &mut Builder) -> Option<NodeId> {
    let own = scenario.cell.as_ref()?.processing.as_ref()?;
    let times = |first: &file::ProcessingDelay, second: &file::ProcessingDelay| {
        [first.time(), second.time()]
    };
    let [down, up] = [times(&own.core, &own.down), times(&own.up, &own.core)];
    if down.iter().chain(&up).all(|time| time.is_none()) {
        return None;
    }
    let name = "cell processing";
    let node = Processing::new(&down, &up, seed, name);
    Some(builder.engine.add(name, Class::Packets, Box::new(node)))
}

fn tunnel_ends(ipsec: &Ipsec, usual: EcnTunnel, builder: &mut Builder) -> [NodeId; 2] {
    let transform = match ipsec.transform {
        file::EspTransform::AesGcm => EspTransform::AES_GCM,
        file::EspTransform::AesCbcSha256 => EspTransform::AES_CBC_SHA256,
    };
    let overhead = match ipsec.overhead {
        Some(bytes) => Overhead::Fixed(u32::try_from(bytes.0).unwrap_or(u32::MAX)),
        None => Overhead::Esp(transform),
    };
    let ecn = ipsec.ecn_tunnel.unwrap_or(usual);
    let mut end = |name: &str, spi, local: Endpoint, remote: Endpoint| {
        let config = TunnelConfig { ecn, overhead, ..TunnelConfig::ipsec(spi, local, remote) };
        builder.engine.add(name, Class::Packets, Box::new(TunnelEnd::new(config)))
    };
    let (gateway, cell) = (addresses::GATEWAY_IPSEC, addresses::CELL_IPSEC);
    [end("ipsec gateway", 1, gateway, cell), end("ipsec cell", 2, cell, gateway)]
}

/// Both directions of a link, that to the UEs first.
fn links(name: &str, link: &file::Link, seed: Seed, builder: &mut Builder) -> [Hop; 2] {
    [(Direction::Downlink, link.down()), (Direction::Uplink, link.up())].map(|(direction, wire)| {
        one_way(format!("{name} {}", direction.name()), wire, seed, builder)
    })
}

fn one_way(name: String, wire: file::Wire, seed: Seed, builder: &mut Builder) -> Hop {
    let rate = wire.rate.quantity();
    let own = builder.own.queue(&name);
    let queue = own.unwrap_or_else(|| wire.queue.queue(&name, seed));
    let recording = wire.capacity.as_ref().and_then(|capacity| capacity.recording().cloned());
    let light = wire.capacity.as_ref().and_then(|capacity| capacity.light().cloned());
    // A recording has no rate to be compared with.
    let shown = if recording.is_some() { None } else { rate };
    let layer2 = u32::try_from(wire.layer2.0).unwrap_or(u32::MAX);
    let (delay, loss, mark) = (wire.delay, wire.loss, wire.mark);
    let (ecn, ecn_option) = (wire.ecn, wire.ecn_option);
    let config =
        LinkConfig { rate, recording, light, delay, queue, layer2, loss, mark, ecn, ecn_option };
    let link = Link::new(config, seed, &name);
    let node = builder.engine.add(name.clone(), Class::Packets, Box::new(link));
    builder.facts.links.push(LinkFacts { name, node, rate: shown });
    Hop::through(node, Link::OUT, Link::OUT)
}
