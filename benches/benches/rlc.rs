//! Cost of RLC: packets in, one PDU a TTI, packets out.
#![allow(missing_docs, reason = "criterion's macros make functions without documentation")]

use airpath_base::{BearerId, Duration, FlowId, Time};
use airpath_net::testing::Bench;
use airpath_net::{Direction, Leg, Packet};
use airpath_ran::rlc::{Config, HeaderModel, Mode, am, um};
use airpath_ran::testing::{asking, one_ue};
use airpath_ran::{Bearer, BearerConfig, pdcp};
use airpath_wire::{Endpoint, Protocol, Tuple};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const PACKETS: u64 = 1_000;
const SIZE: u32 = 1_500;
/// A transport block of 50 resource blocks at MCS 28 (TS 36.213, table 7.1.7.2.1-1).
const ROOM: u32 = 36_696 / 8;
const TTI: Duration = Duration::from_millis(1);

/// Sends all packets, TTI by TTI, status reports back included; how many arrived.
fn send_all(mode: Mode) -> u64 {
    let end = Endpoint::new([192, 0, 2, 1], 5001);
    let tuple = Tuple { src: end, dst: end, protocol: Protocol::UDP };
    let rlc = Config { mode, header: HeaderModel::Standard };
    let usual = one_ue(9, asking(), 1.0).bearers[0];
    let config = BearerConfig { rlc, pdcp: pdcp::Config::default(), ..usual };
    let (mut bench, mut bearer) = (Bench::new(), Bearer::new(BearerId(0), config, true));
    let mut now = Time::ZERO;
    for _ in 0..PACKETS {
        let packet = Packet::new(FlowId(0), Leg::Data, SIZE, tuple, now);
        bearer.enqueue(Direction::Downlink, now, packet, 0, &mut bench.cx(now));
    }
    let mut arrived = 0;
    while arrived < PACKETS {
        for direction in [Direction::Downlink, Direction::Uplink] {
            let pdu = bearer.build(direction, now, ROOM, &mut bench.cx(now));
            let Some(pdu) = pdu else { continue };
            let mut out = |_, _| arrived += 1;
            bearer.receive(direction, now + TTI, pdu, now + TTI, &mut bench.cx(now), &mut out);
        }
        now += TTI;
    }
    arrived
}

fn channels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rlc");
    group.throughput(Throughput::Elements(PACKETS));
    let modes = [("um", Mode::Um(um::Config::default())), ("am", Mode::Am(am::Config::default()))];
    for (name, mode) in modes {
        group.bench_function(name, |bencher| bencher.iter(|| send_all(mode)));
    }
    group.finish();
}

criterion_group!(benches, channels);
criterion_main!(benches);
