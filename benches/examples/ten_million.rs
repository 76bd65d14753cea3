//! Ten million packets through a sender, a link with DualPI2 and a receiver, to be timed
//! as a whole:
//!
//!     cargo build --release -p airpath-benches --example ten_million
//!     time target/release/examples/ten_million rtp
//!     time target/release/examples/ten_million prague
//!
//! `rtp` sends at a constant rate, 5 % more than the link carries, so that the queue stands and
//! marks. `prague` is a download with TCP Prague, acknowledgements besides.

use std::env;
use std::process::ExitCode;

use airpath_base::random::Seed;
use airpath_base::{BitRate, Duration, FlowId, NodeId, Port, Time};
use airpath_media::{RtpConfig, RtpSink, RtpSource};
use airpath_net::queue::{DualPi2, DualPi2Config, QueueKind};
use airpath_net::{Class, Engine, Node};
use airpath_path::{Link, LinkConfig};
use airpath_transport::control::ControllerName;
use airpath_transport::tcp::EcnMode;
use airpath_transport::{App, EndpointConfig, Open, TcpEndpoint};
use airpath_wire::{Ecn, Endpoint};

const PACKETS: u64 = 10_000_000;
/// Bytes of UDP payload that make an IP packet of 1500.
const PAYLOAD: u32 = 1_472;
/// Bytes of data in a full TCP segment.
const SEGMENT: u64 = 1_460;

fn link(engine: &mut Engine, name: &str) -> NodeId {
    let draws = ["l", "c"].map(|queue| Seed(1).stream(&format!("{name} / {queue}")));
    let queue = DualPi2::new(DualPi2Config::default(), draws, Seed(1).keyed(name));
    let config = LinkConfig {
        rate: Some(BitRate::from_mbps(100)),
        delay: Duration::from_millis(10),
        queue: QueueKind::DualPi2(Box::new(queue)),
        ..LinkConfig::default()
    };
    let link = Link::new(config, Seed(1), name);
    engine.add(name, Class::Packets, Box::new(link))
}

fn add(engine: &mut Engine, name: &str, node: impl Node + 'static) -> NodeId {
    engine.add(name, Class::Packets, Box::new(node))
}

fn connect(engine: &mut Engine, from: NodeId, to: NodeId) {
    engine.connect((from, Port(0)), (to, Port(0)), None);
}

fn ends() -> (Endpoint, Endpoint) {
    (Endpoint::new([192, 0, 2, 1], 5001), Endpoint::new([192, 0, 2, 2], 49_152))
}

fn rtp(engine: &mut Engine) -> Result<(), String> {
    let (server, client) = ends();
    let config = RtpConfig {
        payload: PAYLOAD,
        ecn: Ecn::Ect1,
        packets: Some(PACKETS),
        // 1500 bytes each 114.286 us are 105 Mbit/s.
        interval: Duration::from_nanos(114_286),
        ..RtpConfig::new(FlowId(0), server, client)
    };
    let source = RtpSource::new(config).map_err(|error| error.to_string())?;
    let sender = add(engine, "sender", source);
    let link = link(engine, "link");
    let receiver = add(engine, "receiver", RtpSink::new(FlowId(0), client, server));
    connect(engine, sender, link);
    connect(engine, link, receiver);
    Ok(())
}

fn prague(engine: &mut Engine) -> Result<(), String> {
    let (server, client) = ends();
    let bytes = PACKETS * SEGMENT;
    let mut end = |name: &str, local, remote, app, open| -> Result<NodeId, String> {
        let mut config = EndpointConfig::new(FlowId(0), local, remote, app, open);
        config.tcp.controller = ControllerName::Prague;
        config.tcp.ecn = Some(EcnMode::Accurate);
        let end = TcpEndpoint::new(config).map_err(|error| error.to_string())?;
        Ok(add(engine, name, end))
    };
    let sender = end("sender", server, client, App::Finite(bytes), Open::Passive)?;
    let sink = App::Sink { expected: Some(bytes) };
    let receiver = end("receiver", client, server, sink, Open::Active)?;
    let (down, up) = (link(engine, "down"), link(engine, "up"));
    for (from, to) in [(sender, down), (down, receiver), (receiver, up), (up, sender)] {
        connect(engine, from, to);
    }
    Ok(())
}

fn run(kind: Option<&str>) -> Result<(), String> {
    let mut engine = Engine::new();
    match kind {
        Some("rtp") => rtp(&mut engine)?,
        Some("prague") => prague(&mut engine)?,
        _ => return Err("say which: rtp or prague".to_owned()),
    }
    engine
        .run_until(Time::MAX.saturating_sub(Duration::from_nanos(1)), None)
        .map_err(|error| error.to_string())?;
    for (_, name, ledger, held) in engine.books() {
        println!("{name}: {ledger:?}, {held:?}");
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(env::args().nth(1).as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
