//! Cost of a transfer: two ends of a TCP connection over a link that drops.
#![allow(missing_docs, reason = "criterion's macros make functions without documentation")]

use airpath_base::random::Seed;
use airpath_base::{BitRate, Duration, FlowId, Port, Time};
use airpath_net::queue::{DropTail, Limit};
use airpath_net::{Class, Engine};
use airpath_path::{Link, LinkConfig};
use airpath_transport::control::ControllerName;
use airpath_transport::{App, EndpointConfig, Open, TcpEndpoint};
use airpath_wire::Endpoint;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const TRANSFER: u64 = 10_000_000;

fn end(config: EndpointConfig) -> Box<TcpEndpoint> {
    Box::new(TcpEndpoint::new(config).expect("options that work"))
}

fn link(name: &str) -> Box<Link> {
    let config = LinkConfig {
        rate: Some(BitRate::from_mbps(20)),
        delay: Duration::from_millis(10),
        queue: DropTail::new(Limit::packets(50)).into(),
        ..LinkConfig::default()
    };
    Box::new(Link::new(config, Seed(1), name))
}

fn world(controller: ControllerName) -> Engine {
    let server = Endpoint::new([192, 0, 2, 1], 5001);
    let client = Endpoint::new([192, 0, 2, 2], 49_152);
    let (source, sink) = (App::Finite(TRANSFER), App::Sink { expected: Some(TRANSFER) });
    let mut sender = EndpointConfig::new(FlowId(0), server, client, source, Open::Passive);
    let mut receiver = EndpointConfig::new(FlowId(0), client, server, sink, Open::Active);
    sender.tcp.controller = controller;
    receiver.tcp.controller = controller;

    let mut engine = Engine::new();
    let sender = engine.add("sender", Class::Packets, end(sender));
    let receiver = engine.add("receiver", Class::Packets, end(receiver));
    let down = engine.add("down", Class::Packets, link("down"));
    let up = engine.add("up", Class::Packets, link("up"));
    for (from, to) in [(sender, down), (down, receiver), (receiver, up), (up, sender)] {
        engine.connect((from, Port(0)), (to, Port(0)), None);
    }
    engine
}

fn transfers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tcp transfer");
    group.throughput(Throughput::Bytes(TRANSFER));
    group.sample_size(20);
    let controllers = [("newreno", ControllerName::NewReno), ("cubic", ControllerName::Cubic)];
    for (name, controller) in controllers {
        group.bench_function(name, |bencher| {
            bencher.iter_with_large_drop(|| {
                let mut engine = world(controller);
                engine.run_until(Time::from_millis(60_000), None).expect("a world that runs");
                engine
            });
        });
    }
    group.finish();
}

criterion_group!(benches, transfers);
criterion_main!(benches);
