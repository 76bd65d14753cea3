//! Cost of each queue: packets in and out at the pace of a link that they overload.
#![allow(missing_docs, reason = "criterion's macros make functions without documentation")]

use airpath_base::random::Seed;
use airpath_base::{Duration, FlowId, Time};
use airpath_net::queue::{
    Codel, CodelConfig, DelayConfig, DelayQueue, DropTail, DualPi2, DualPi2Config, FqCodel,
    FqCodelConfig, Limit, Pie, PieConfig, ProtectionConfig, Queue, QueueKind, Red, RedConfig, Step,
    StepConfig,
};
use airpath_net::testing::Bench;
use airpath_net::{Leg, Packet};
use airpath_wire::{Ecn, Endpoint, Protocol, Tuple};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const PACKETS: u64 = 10_000;
/// 1500 bytes at 100 Mbit/s take 120 us; they come each 114 us.
const ARRIVAL: Duration = Duration::from_micros(114);
const DEPARTURE: Duration = Duration::from_micros(120);

fn packet(flow: u16, now: Time) -> Packet {
    let end = |port| Endpoint::new([192, 0, 2, 1], port);
    let tuple = Tuple { src: end(flow), dst: end(443), protocol: Protocol::UDP };
    let mut packet = Packet::new(FlowId(0), Leg::Data, 1500, tuple, now);
    packet.ecn = if flow.is_multiple_of(2) { Ecn::Ect1 } else { Ecn::Ect0 };
    packet
}

fn queues() -> Vec<(&'static str, QueueKind)> {
    let stream = |name| Seed(1).stream(name);
    let salt = Seed(1).keyed("flows");
    let dual = |config| {
        QueueKind::DualPi2(Box::new(DualPi2::new(config, [stream("l"), stream("c")], salt)))
    };
    let protection = Some(ProtectionConfig::default());
    let protected = DualPi2Config { protection, ..DualPi2Config::default() };
    let delay = DelayQueue::new(DelayConfig::default(), stream("ramp"));
    vec![
        ("drop-tail", DropTail::new(Limit::packets(1000)).into()),
        ("red", QueueKind::Red(Box::new(Red::new(RedConfig::default(), stream("red"))))),
        ("codel", QueueKind::Codel(Box::new(Codel::new(CodelConfig::default())))),
        ("pie", QueueKind::Pie(Box::new(Pie::new(PieConfig::default(), stream("pie"))))),
        ("fq-codel", QueueKind::FqCodel(Box::new(FqCodel::new(FqCodelConfig::default(), salt)))),
        ("dualpi2", dual(DualPi2Config::default())),
        ("dualpi2, protected", dual(protected)),
        ("step", QueueKind::Step(Step::new(StepConfig::default()))),
        ("ramp", QueueKind::Delay(Box::new(delay))),
    ]
}

/// Ten thousand packets more; gives the time at which the last one came.
fn pump(queue: &mut QueueKind, bench: &mut Bench, start: Time) -> Time {
    let mut free = start;
    let mut now = start;
    for n in 0..PACKETS {
        now += ARRIVAL;
        while free <= now {
            drop(queue.dequeue(free, &mut bench.cx(free)));
            free += DEPARTURE;
        }
        queue.enqueue(now, packet((n % 20) as u16, now), &mut bench.cx(now));
    }
    bench.drops.0.clear();
    now.max(free)
}

fn each(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("queues");
    group.throughput(Throughput::Elements(PACKETS));
    for (name, mut queue) in queues() {
        let (mut bench, mut now) = (Bench::new(), Time::ZERO);
        group.bench_function(name, |bencher| {
            bencher.iter(|| now = pump(&mut queue, &mut bench, now));
        });
    }
    group.finish();
}

criterion_group!(benches, each);
criterion_main!(benches);
