//! Cost of moving a packet: a source, three drop-tail links, a sink, and the engine that moves
//! packets between them.
#![allow(missing_docs, reason = "criterion's macros make functions without documentation")]

use airpath_base::random::Seed;
use airpath_base::{BitRate, Duration, FlowId, Port, Time};
use airpath_net::queue::{DropTail, Limit};
use airpath_net::{Class, Cx, Engine, Leg, Node, Packet};
use airpath_path::{Link, LinkConfig};
use airpath_wire::{Endpoint, Protocol, Tuple};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const PACKETS: u64 = 10_000;
const SIZE: u32 = 1_500;
/// 80 Mbit/s of such packets, less than the links carry.
const INTERVAL: Duration = Duration::from_micros(150);

/// Sends a packet each interval.
struct Source {
    next: Option<Time>,
    left: u64,
    tuple: Tuple,
}

/// Takes packets out of the world.
struct Sink;

impl Node for Source {
    fn receive(&mut self, _now: Time, _port: Port, packet: Packet, cx: &mut Cx<'_>) {
        cx.consume(&packet);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        let mut packet = Packet::new(FlowId(0), Leg::Data, SIZE, self.tuple, now);
        cx.originate(&mut packet);
        cx.send(Port(0), packet);
        self.left -= 1;
        self.next = (self.left > 0).then_some(now + INTERVAL);
    }

    fn next_wake(&self) -> Option<Time> {
        self.next
    }
}

impl Node for Sink {
    fn receive(&mut self, _now: Time, _port: Port, packet: Packet, cx: &mut Cx<'_>) {
        cx.consume(&packet);
    }
}

fn world() -> Engine {
    let end = |last| Endpoint::new([192, 0, 2, last], 5001);
    let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
    let mut engine = Engine::new();
    let source = Source { next: Some(Time::ZERO), left: PACKETS, tuple };
    let mut from = engine.add("source", Class::Packets, Box::new(source));
    for n in 0..3 {
        let name = format!("link {n}");
        let config = LinkConfig {
            rate: Some(BitRate::from_mbps(100)),
            delay: Duration::from_millis(5),
            queue: DropTail::new(Limit::packets(100)).into(),
            ..LinkConfig::default()
        };
        let link = Link::new(config, Seed(1), &name);
        let link = engine.add(name, Class::Packets, Box::new(link));
        engine.connect((from, Port(0)), (link, Port(0)), None);
        from = link;
    }
    let sink = engine.add("sink", Class::Packets, Box::new(Sink));
    engine.connect((from, Port(0)), (sink, Port(0)), None);
    engine
}

fn links(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("links");
    group.throughput(Throughput::Elements(PACKETS));
    group.bench_function("three drop-tail links", |bencher| {
        bencher.iter_with_large_drop(|| {
            let mut engine = world();
            engine.run_until(Time::from_millis(60_000), None).expect("a world that runs");
            engine
        });
    });
    group.finish();
}

criterion_group!(benches, links);
criterion_main!(benches);
