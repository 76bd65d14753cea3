//! Two ends over a link of the engine.

use airpath_base::random::Seed;
use airpath_base::{BitRate, Duration, FlowId, NodeId, Port};
use airpath_net::queue::DropTail;
use airpath_net::{AppEvent, Class, Engine, Event as NetEvent, Leg, Pattern, Probe};
use airpath_path::{Link, LinkConfig};
use airpath_schema::units::Limit;
use airpath_wire::Endpoint as Address;

use super::*;
use crate::end::{EndConfig, StackEnd};
use crate::quic::Congestion;

/// Packets that end, as texts, and what comes to the application.
#[derive(Default)]
struct Seen {
    packets: Vec<String>,
    delivered: u64,
    finished: Option<Time>,
    marked: u64,
    dropped: u64,
    /// Ports of the client to which packets have come, in this order.
    ports: Vec<u16>,
}

impl Probe for Seen {
    fn on(&mut self, now: Time, _: NodeId, event: &NetEvent<'_>) {
        match event {
            NetEvent::Consumed(packet) => {
                self.packets.push(format!("{now} {packet:?}"));
                let port = packet.tuple.dst.port;
                if port != 443 && self.ports.last() != Some(&port) {
                    self.ports.push(port);
                }
            }
            NetEvent::App(_, AppEvent::Delivered { bytes }) => self.delivered += bytes,
            NetEvent::App(_, AppEvent::Finished) => self.finished = self.finished.or(Some(now)),
            NetEvent::Marked { .. } => self.marked += 1,
            NetEvent::Dropped { .. } => self.dropped += 1,
            _ => {}
        }
    }
}

fn ends() -> [Address; 2] {
    let at = |octet: u8, port| Address::new(std::net::Ipv4Addr::new(10, 0, 0, octet), port);
    [at(1, 443), at(2, 40_000)]
}

/// Options of a link in both directions, and of both ends.
#[derive(Clone)]
struct Setup {
    mbps: u64,
    delay_ms: u64,
    /// Limit of the queue in bytes.
    queue: u64,
    bytes: Option<u64>,
    connections: u32,
    streams: u32,
    congestion: Congestion,
    loss: Option<u64>,
    /// Time from which the client has its next port.
    next_port: Option<Time>,
}

const USUAL: Setup = Setup {
    mbps: 20,
    delay_ms: 10,
    queue: 100_000,
    bytes: Some(2_000_000),
    connections: 1,
    streams: 1,
    congestion: Congestion::Cubic,
    loss: None,
    next_port: None,
};

/// The server sends to the client over links until this time.
fn run(setup: Setup, until: Time) -> (Seen, Engine) {
    let [server, client] = ends();
    let source = Application::Source { bytes: setup.bytes, streams: setup.streams };
    let sink = Application::Sink { expected: setup.bytes };
    let mut engine = Engine::new();
    let mut nodes = Vec::new();
    let both = [
        (Side::Server, server, client, source, Leg::Data),
        (Side::Client, client, server, sink, Leg::Feedback),
    ];
    for (side, local, remote, application, leg) in both {
        let base = QuicConfig::new(side, (local, remote), application);
        let config = QuicConfig {
            connections: setup.connections,
            congestion: setup.congestion.clone(),
            ..base
        };
        let mut draws = Seed(7).stream(&format!("{side:?}"));
        let quic = Quic::new(config, &mut draws, Logs::default()).expect("an end");
        let end = EndConfig {
            flow: FlowId(0),
            received: FlowId(0),
            starts: leg == Leg::Data,
            leg,
            local,
            next_port: setup.next_port.filter(|_| side == Side::Client),
            dscp: 0,
            ecn: true,
            start: Time::ZERO,
            stop: None,
        };
        let node = Box::new(StackEnd::new(end, quic, draws));
        nodes.push(engine.add(format!("{side:?}"), Class::Packets, node));
    }
    for (n, name) in ["down", "up"].into_iter().enumerate() {
        let config = LinkConfig {
            rate: Some(BitRate::from_bps(setup.mbps * 1_000_000)),
            delay: Duration::from_millis(setup.delay_ms),
            queue: DropTail::new(Limit::bytes(setup.queue)).into(),
            loss: setup.loss.map_or(Pattern::Never, Pattern::Every),
            ..LinkConfig::default()
        };
        let link = engine.add(name, Class::Packets, Box::new(Link::new(config, Seed(1), name)));
        engine.connect((nodes[n], Port(0)), (link, Port(0)), None);
        engine.connect((link, Link::OUT), (nodes[1 - n], Port(0)), None);
    }
    let mut seen = Seen::default();
    engine.run_until(until, Some(&mut seen)).expect("a run without errors");
    assert!(engine.books().all(|(_, _, ledger, held)| ledger.closes(held)));
    (seen, engine)
}

#[test]
fn a_download_comes_whole() {
    for (connections, streams) in [(1, 1), (1, 3), (3, 2)] {
        let setup = Setup { connections, streams, ..USUAL };
        let (seen, _) = run(setup, Time::from_millis(5_000));
        assert_eq!(seen.delivered, 2_000_000);
        // 2 MB take 0.8 s at 20 Mbit/s; the handshake takes a round trip of 20 ms.
        let finished = seen.finished.expect("an end").as_secs_f64();
        assert!((0.82..1.2).contains(&finished), "{finished}");
    }
}

#[test]
fn a_download_goes_on_at_the_next_port() {
    let setup = Setup { next_port: Some(Time::from_millis(300)), ..USUAL };
    let (seen, _) = run(setup, Time::from_millis(5_000));
    assert_eq!(seen.delivered, 2_000_000);
    assert_eq!(seen.ports, [40_000, 40_001]);
    // The address is the same, so the window stays (RFC 9000, 9.4), and the download takes no longer.
    let finished = seen.finished.expect("an end").as_secs_f64();
    assert!((0.82..1.2).contains(&finished), "{finished}");
}

#[test]
fn two_runs_have_the_same_bytes() {
    let packets = || run(USUAL, Time::from_millis(2_000)).0.packets;
    let (one, other) = (packets(), packets());
    assert!(one.len() > 1_000);
    assert!(one == other);
}

#[test]
fn each_congestion_control_fills_a_link() {
    for congestion in [Congestion::Cubic, Congestion::NewReno, Congestion::Bbr] {
        let name = congestion.name().to_owned();
        let setup = Setup { bytes: None, congestion, ..USUAL };
        let (seen, _) = run(setup, Time::from_millis(10_000));
        // 1452 bytes of UDP in 1480 of IP, less some 30 of QUIC.
        let rate = 8.0 * seen.delivered as f64 / 10.0;
        assert!((0.80 * 20e6..0.97 * 20e6).contains(&rate), "{name} {rate}");
    }
}
