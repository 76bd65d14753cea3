//! The gateway between the Internet and the radio access network: PGW and SGW of
//! LTE, UPF of NR.
//!
//! The destination address of a downlink packet names its UE. The UE's traffic flow template
//! chooses the bearer (TS 23.401, 4.7.2.2), whose GTP-U tunnel takes the packet to the base
//! station. Packets of PDU sets may carry the information on their set there (TS 38.415, 6.5.2.1). An uplink packet
//! is taken out of its tunnel.
//!
//! A base station may report congestion of a QoS flow with uplink packets. The gateway then marks that share of the flow's
//! ECN-capable packets in both directions, evenly spread (ECN marking for L4S at the UPF: TS 23.501, 5.37.3.3).
//!
//! Left out: signalling, charging, rate
//! limits (AMBR), and the path switch of a handover.

use core::fmt;
use core::net::IpAddr;
use std::collections::BTreeMap;
use std::sync::Arc;

use airpath_base::{Duration, Port, Time};
use airpath_net::filter::Tft;
use airpath_net::{
    Cx, Direction, DropCause, Held, Node, Packet, Stage, Tunnel, TunnelKind, decapsulate,
};
use airpath_wire::tunnel::{self, EcnMode};
use airpath_wire::{CongestionInformation, Ecn, Endpoint, GtpuRepr};

use crate::delay::DelayLine;

/// Configuration of a gateway.
#[derive(Clone, Copy, Debug)]
pub struct GatewayConfig {
    /// Its address on S1-U or N3, with the port of GTP-U.
    pub endpoint: Endpoint,
    /// Rule that fills the outer ECN field.
    pub ecn: EcnMode,
    /// Time that each packet takes in the gateway.
    pub processing: Duration,
}

/// A UE as the gateway knows it.
#[derive(Clone, Debug)]
pub struct Subscriber {
    /// The UE's addresses.
    pub addresses: Vec<IpAddr>,
    /// The base station's end of its tunnels.
    pub base_station: Endpoint,
    /// Traffic flow template: packets of each bearer.
    pub tft: Tft,
    /// Its bearers; the first is the default bearer.
    pub bearers: Vec<BearerTunnel>,
}

/// The tunnel of a bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BearerTunnel {
    /// Tunnel endpoint identifier, used in both directions; unique in a gateway.
    pub teid: u32,
    /// Outer DSCP; `None` copies that of the packet.
    pub dscp: Option<u8>,
    /// Identifier of its QoS flow, 0 to 63, if the gateway marks packets of PDU sets (TS 23.501, 5.37.5).
    pub qfi: Option<u8>,
}

/// Tunnels of a bearer as its packets need them.
#[derive(Debug)]
struct Tunnels {
    /// Header for packets without a PDU set, and for all of a bearer that does not mark them.
    plain: Arc<Tunnel>,
    /// Header that carries the information on a PDU set.
    marked: Option<Arc<Tunnel>>,
}

/// Congestion of a QoS flow: shares of packets to be marked, downlink and uplink, in steps of 0.01%.
#[derive(Clone, Copy, Debug, Default)]
struct Congested {
    shares: [u16; 2],
    /// Steps since the last mark.
    steps: [u16; 2],
}

impl Congested {
    /// True if the next ECN-capable packet of a direction is to be marked: of those, the share that was reported, evenly.
    fn marks(&mut self, direction: Direction) -> bool {
        const WHOLE: u16 = 10_000;
        let (share, steps) = (self.shares[direction as usize], &mut self.steps[direction as usize]);
        *steps += share.min(WHOLE);
        let marks = *steps >= WHOLE;
        *steps -= if marks { WHOLE } else { 0 };
        marks
    }
}

/// Error in the subscribers of a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatewayError {
    /// A UE has no address.
    NoAddress,
    /// Two UEs have this address.
    DuplicateAddress(IpAddr),
    /// Two bearers have this TEID.
    DuplicateTeid(u32),
    /// The UE of this address has no bearer.
    NoBearer(IpAddr),
    /// A packet filter of the UE of this address names a bearer that it lacks.
    UnknownBearer(IpAddr, usize),
}

/// The gateway: the Internet at [`INTERNET`](Gateway::INTERNET), the radio access
/// network at [`RAN`](Gateway::RAN).
///
/// Packets to unknown addresses and from unknown tunnels are dropped as without a
/// route, uplink packets without GTP-U as unexpected.
#[derive(Debug)]
pub struct Gateway {
    config: GatewayConfig,
    subscribers: Vec<Subscriber>,
    /// Tunnels of each subscriber's bearers.
    tunnels: Vec<Vec<Tunnels>>,
    /// Subscribers by address, in the order of addresses.
    addresses: Vec<(IpAddr, usize)>,
    /// Sorted.
    teids: Vec<u32>,
    /// Congestion of those tunnels whose base station has reported it.
    congested: BTreeMap<u32, Congested>,
    line: DelayLine,
}

impl Gateway {
    /// The side of the Internet: downlink packets enter, uplink ones leave.
    pub const INTERNET: Port = Port(0);
    /// The side of the radio access network, where packets are in GTP-U.
    pub const RAN: Port = Port(1);

    /// A gateway for these UEs.
    ///
    /// # Errors
    ///
    /// If addresses or TEIDs are not unique, a UE has no bearer, or a filter names
    /// a bearer that does not exist.
    pub fn new(
        config: GatewayConfig,
        subscribers: Vec<Subscriber>,
    ) -> Result<Gateway, GatewayError> {
        subscribers.iter().try_for_each(check)?;
        let addresses = subscribers.iter().enumerate();
        let addresses =
            addresses.flat_map(|(n, subscriber)| subscriber.addresses.iter().map(move |a| (*a, n)));
        let mut addresses: Vec<(IpAddr, usize)> = addresses.collect();
        addresses.sort_unstable();
        if let Some(pair) = addresses.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(GatewayError::DuplicateAddress(pair[0].0));
        }
        let bearers = subscribers.iter().flat_map(|subscriber| &subscriber.bearers);
        let mut teids: Vec<u32> = bearers.map(|bearer| bearer.teid).collect();
        teids.sort_unstable();
        if let Some(pair) = teids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(GatewayError::DuplicateTeid(pair[0]));
        }
        let line = DelayLine::new(config.processing, Stage::Processing);
        let tunnels = subscribers.iter().map(|to| tunnels(config.endpoint, to)).collect();
        let congested = BTreeMap::new();
        Ok(Gateway { config, subscribers, tunnels, addresses, teids, congested, line })
    }

    fn downlink(&mut self, now: Time, mut packet: Packet, cx: &mut Cx<'_>) {
        if !self.congested.is_empty() {
            self.mark_downlink(&mut packet, cx);
        }
        let Some((tunnel, dscp)) = self.tunnel_of(&packet) else {
            return cx.drop(packet, DropCause::NoRoute);
        };
        packet.pass_gateway(now);
        let ecn = tunnel::encapsulate(packet.visible_ecn(), self.config.ecn);
        match packet.enter(tunnel, dscp.unwrap_or(packet.visible_dscp()), ecn) {
            Ok(()) => self.line.send(now, Gateway::RAN, packet, cx),
            Err(_) => cx.drop(packet, DropCause::Unexpected),
        }
    }

    /// The tunnel for a downlink packet and its DSCP, if the UE is known.
    fn tunnel_of(&self, packet: &Packet) -> Option<(&Arc<Tunnel>, Option<u8>)> {
        let address = packet.tuple.dst.addr;
        let found = self.addresses.binary_search_by_key(&address, |(known, _)| *known).ok()?;
        let n = self.addresses[found].1;
        let tos = packet.dscp << 2 | packet.ecn.bits();
        let subscriber = &self.subscribers[n];
        let bearer = subscriber.tft.classify(&packet.tuple, tos, Direction::Downlink).unwrap_or(0);
        let Tunnels { plain, marked } = self.tunnels[n].get(bearer)?;
        let marked = marked.as_ref().filter(|_| packet.set.is_some());
        Some((marked.unwrap_or(plain), subscriber.bearers[bearer].dscp))
    }

    /// Marks a packet of a tunnel, if its base station has reported congestion and it is the packet's turn.
    fn mark(&mut self, teid: u32, direction: Direction, packet: &mut Packet, cx: &mut Cx<'_>) {
        let Some(own) = self.congested.get_mut(&teid) else { return };
        if matches!(packet.visible_ecn(), Ecn::Ect0 | Ecn::Ect1) && own.marks(direction) {
            cx.mark(packet);
        }
    }

    fn mark_downlink(&mut self, packet: &mut Packet, cx: &mut Cx<'_>) {
        let kind = self.tunnel_of(packet).map(|(tunnel, _)| tunnel.kind());
        if let Some(TunnelKind::Gtpu { teid, .. }) = kind {
            self.mark(teid, Direction::Downlink, packet, cx);
        }
    }

    /// The base station has reported congestion of a tunnel.
    fn take_report(&mut self, teid: u32, report: CongestionInformation) {
        self.congested.entry(teid).or_default().shares = [report.down, report.up];
    }

    fn uplink(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        let kind = packet.outermost().map(|outer| outer.kind);
        let cause = match kind {
            Some(TunnelKind::Gtpu { teid, .. }) if self.teids.binary_search(&teid).is_ok() => None,
            Some(TunnelKind::Gtpu { .. }) => Some(DropCause::NoRoute),
            _ => Some(DropCause::Unexpected),
        };
        if let Some(cause) = cause {
            cx.drop(packet, cause);
        } else if let Some((mut packet, _)) = decapsulate(packet, cx) {
            packet.pass_gateway(now + self.config.processing);
            if let Some(TunnelKind::Gtpu { teid, congestion, .. }) = kind {
                if let Some(report) = congestion {
                    self.take_report(teid, report);
                }
                if !self.congested.is_empty() {
                    self.mark(teid, Direction::Uplink, &mut packet, cx);
                }
            }
            self.line.send(now, Gateway::INTERNET, packet, cx);
        }
    }
}

/// The tunnels from a gateway's end to a subscriber's base station.
fn tunnels(local: Endpoint, subscriber: &Subscriber) -> Vec<Tunnels> {
    let remote = subscriber.base_station;
    let overhead = match (local.addr, remote.addr) {
        (IpAddr::V4(_), IpAddr::V4(_)) => GtpuRepr::OVERHEAD_V4,
        _ => GtpuRepr::OVERHEAD_V6,
    };
    let tunnel = |teid, qfi: Option<u8>| {
        let extensions = qfi.map_or(0, |_| GtpuRepr::SET_EXTENSIONS);
        let kind = TunnelKind::Gtpu { teid, qfi, congestion: None };
        Tunnel::new(kind, (local, remote), overhead + extensions)
    };
    let bearers = subscriber.bearers.iter().map(|&BearerTunnel { teid, qfi, .. }| Tunnels {
        plain: tunnel(teid, None),
        marked: qfi.map(|_| tunnel(teid, qfi)),
    });
    bearers.collect()
}

fn check(subscriber: &Subscriber) -> Result<(), GatewayError> {
    let Subscriber { addresses, bearers, tft, .. } = subscriber;
    let address = *addresses.first().ok_or(GatewayError::NoAddress)?;
    if bearers.is_empty() {
        return Err(GatewayError::NoBearer(address));
    }
    let unknown = tft.filters().iter().find(|filter| filter.bearer >= bearers.len());
    unknown.map_or(Ok(()), |filter| Err(GatewayError::UnknownBearer(address, filter.bearer)))
}

impl Node for Gateway {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        if port == Gateway::INTERNET {
            self.downlink(now, packet, cx);
        } else {
            self.uplink(now, packet, cx);
        }
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.line.wake(now, cx);
    }

    fn next_wake(&self) -> Option<Time> {
        self.line.next_wake()
    }

    fn held(&self) -> Held {
        self.line.held()
    }
}

impl fmt::Display for GatewayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GatewayError::NoAddress => write!(f, "a UE has no address"),
            GatewayError::DuplicateAddress(address) => write!(f, "two UEs have address {address}"),
            GatewayError::DuplicateTeid(teid) => write!(f, "two bearers have TEID {teid}"),
            GatewayError::NoBearer(address) => write!(f, "UE {address} has no bearer"),
            GatewayError::UnknownBearer(address, bearer) => {
                write!(f, "a packet filter of UE {address} names bearer {bearer}, which it lacks")
            }
        }
    }
}

impl std::error::Error for GatewayError {}

#[cfg(test)]
#[path = "gateway_tests.rs"]
mod tests;
