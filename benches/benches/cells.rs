//! What a radio network of many cells costs: 21 cells with 550 UEs and 50 resource blocks, for
//! 100 ms, with and without load.
#![allow(missing_docs, reason = "criterion's macros make functions without documentation")]

use airpath_base::random::Seed;
use airpath_base::{BearerId, CellId, Duration, FlowId, Time, UeId};
use airpath_net::filter::Tft;
use airpath_net::testing::Bench;
use airpath_net::{Leg, Node, Outer, Packet, TunnelKind};
use airpath_ran::phy::{LinkAdaptation, Technology};
use airpath_ran::{
    Access, Allocation, BearerConfig, CellConfig, Control, DownlinkPlacement, Duplex, HarqConfig,
    Link, Ran, RanConfig, Reports, SchedulerConfig, Sharing, Timing, Tti, UeConfig, UplinkConfig,
    qci,
};
use airpath_wire::tunnel::EcnMode;
use airpath_wire::{Ecn, Endpoint, Protocol, Tuple};
use criterion::{Criterion, criterion_group, criterion_main};

const CELLS: u16 = 21;
const UES: u32 = 550;
const TTI: Duration = Duration::from_millis(1);
const SPAN: u64 = 100;

fn end(host: u8) -> Endpoint {
    Endpoint::new([10, 0, 0, host], 2152)
}

fn cell() -> CellConfig {
    CellConfig {
        resource_blocks: 50,
        technology: Technology::Lte,
        tti: Tti::LTE,
        duplex: Duplex::Fdd,
        scheduler: SchedulerConfig::ProportionalFair { window: 99.0 },
        allocation: Allocation::ByNeed,
        downlink_placement: DownlinkPlacement::Blocks,
        sharing: Sharing::Priority,
        mac_header: true,
        adaptation: LinkAdaptation {
            min_mcs: 0,
            max_mcs: 28,
            bler_target: 0.1,
            code_rate_limit: Some(0.93),
            control_symbols: 3,
        },
        reports: Reports::USUAL,
        control: Control::Ideal,
        timing: Timing {
            downlink_preparation: TTI,
            downlink_processing: TTI,
            sr_transmission: TTI,
            sr_detection: TTI,
            report_preparation: TTI * 4,
            grant_preparation: TTI * 2,
            grant_transmission: TTI,
            grant_decoding: TTI,
            grant_to_transmission: TTI * 4,
            data_preparation: TTI,
            uplink_transmission: TTI,
            uplink_processing: TTI,
            data_to_feedback: TTI * 4,
            harq_round_trip: TTI * 8,
        },
        harq: HarqConfig::Synchronous,
        max_transmissions: 4,
        first_error: Some(0.1),
        uplink: UplinkConfig {
            access: Access::SchedulingRequest { period: 5, grant: 100, retry: TTI * 320 },
            min_resource_blocks: 1,
            first_sounding: Time::ZERO,
        },
        endpoint: end(1),
        gateway: end(2),
    }
}

fn network() -> Ran {
    let bearer = qci::characteristics(9).expect("a QCI").bearer(None);
    let ue = |n: u32| UeConfig {
        cell: CellId((n % u32::from(CELLS)) as u16),
        link: Link::Fixed { downlink: f64::from(1 + n % 97), uplink: f64::from(1 + n % 53) },
        number: u64::from(n),
        offset: u64::from(n % 5),
        tft: Tft::new(Vec::new()).expect("no filters"),
        bearers: vec![BearerId(n)],
        rrc: None,
    };
    let bearer = |n: u32| BearerConfig {
        ue: UeId(n),
        teid: n,
        outer_dscp: None,
        pdcp: bearer.pdcp,
        rlc: bearer.rlc,
        channel: bearer.channel,
        full_buffers: [None; 2],
    };
    let config = RanConfig {
        cells: vec![cell(); usize::from(CELLS)],
        ues: (0..UES).map(ue).collect(),
        bearers: (0..UES).map(bearer).collect(),
        ecn: EcnMode::Normal,
    };
    Ran::new(config, Seed(1)).expect("a network")
}

/// A packet for each `every`th UE in each TTI, and one from it in each tenth.
fn carry(every: Option<u32>) -> u64 {
    let (mut ran, mut bench, mut arrived) = (network(), Bench::new(), 0);
    let tuple = Tuple { src: end(3), dst: end(4), protocol: Protocol::UDP };
    for n in 0..SPAN {
        let now = Time::ZERO + TTI * n;
        while let Some(due) = ran.next_wake().filter(|due| *due <= now) {
            ran.wake(due, &mut bench.cx(due));
        }
        arrived += bench.sent().len() as u64;
        let loaded = every.map_or(0, |every| UES / every);
        for ue in (0..loaded).map(|n| n * every.unwrap_or(1)) {
            let mut packet = Packet::new(FlowId(0), Leg::Data, 300, tuple, now);
            if n % 10 == 0 {
                let up = Packet::new(FlowId(0), Leg::Data, 100, tuple, now);
                ran.receive(now, Ran::ue(UeId(ue)), up, &mut bench.cx(now));
            }
            let kind = TunnelKind::Gtpu { teid: ue };
            let ends = (end(2), end(1));
            let outer = Outer { kind, ends, dscp: 0, ecn: Ecn::NotEct, overhead: 36 };
            packet.push_outer(outer).expect("one tunnel");
            ran.receive(now, Ran::CORE, packet, &mut bench.cx(now));
        }
    }
    arrived
}

fn cells(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cells");
    for (name, every) in [("idle", None), ("tenth", Some(10)), ("all", Some(1))] {
        group.bench_function(name, |bencher| bencher.iter(|| carry(every)));
    }
    group.finish();
}

criterion_group!(benches, cells);
criterion_main!(benches);
