use airpath_base::{BitRate, Duration, FlowId, Time};
use airpath_net::filter::Tft;
use airpath_net::testing::Bench;
use airpath_net::{Leg, Outer, TunnelKind};
use airpath_wire::tunnel::EcnMode;
use airpath_wire::{Ecn, Endpoint, Protocol, Tuple};

use super::*;
use crate::Tti;
use crate::config::{
    Access, Allocation, BearerConfig, SchedulerConfig, Sharing, Timing, UeConfig, UplinkConfig,
};
use crate::phy::LinkAdaptation;
use crate::qci::characteristics;

const TTI: Duration = Duration::from_millis(1);

fn end(host: u8) -> Endpoint {
    Endpoint::new([10, 0, 0, host], 2152)
}

fn cell(access: Access) -> CellConfig {
    CellConfig {
        resource_blocks: 6,
        tti: Tti::LTE,
        scheduler: SchedulerConfig::ProportionalFair { window: 99.0 },
        allocation: Allocation::ByNeed,
        sharing: Sharing::Priority,
        mac_header: true,
        adaptation: LinkAdaptation {
            min_mcs: 0,
            max_mcs: 28,
            bler_target: 0.1,
            code_rate_limit: None,
            control_symbols: 3,
        },
        timing: Timing {
            downlink_preparation: TTI * 2,
            downlink_processing: Duration::ZERO,
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
            harq_round_trip: TTI * 8,
        },
        max_transmissions: 4,
        first_error: None,
        uplink: UplinkConfig { access, min_resource_blocks: 1, first_sounding: Time::ZERO },
        endpoint: end(1),
        gateway: end(2),
    }
}

pub(super) fn asking() -> Access {
    Access::SchedulingRequest { period: 5, grant: 100, retry: TTI * 320 }
}

/// One UE with a bearer of this QCI.
fn ran(qci: u8, access: Access, snr: f64) -> Ran {
    Ran::new(config(qci, access, snr), Seed(1)).expect("a network")
}

pub(super) fn config(qci: u8, access: Access, snr: f64) -> RanConfig {
    let bearer = characteristics(qci).expect("a QCI").bearer(Some(BitRate::from_kbps(64)));
    RanConfig {
        cells: vec![cell(access)],
        ues: vec![UeConfig {
            cell: airpath_base::CellId(0),
            downlink_snr: snr,
            uplink_snr: snr,
            offset: 0,
            tft: Tft::new(Vec::new()).expect("no filters"),
            bearers: vec![BearerId(0)],
        }],
        bearers: vec![BearerConfig {
            ue: UeId(0),
            teid: 7,
            outer_dscp: None,
            pdcp: bearer.pdcp,
            rlc: bearer.rlc,
            channel: bearer.channel,
        }],
        ecn: EcnMode::Normal,
    }
}

pub(super) fn packet(now: Time, size: u32) -> Packet {
    let tuple = Tuple { src: end(3), dst: end(4), protocol: Protocol::UDP };
    Packet::new(FlowId(0), Leg::Data, size, tuple, now)
}

pub(super) fn in_tunnel(now: Time, size: u32, teid: u32) -> Packet {
    let mut packet = packet(now, size);
    let kind = TunnelKind::Gtpu { teid };
    let outer = Outer { kind, ends: (end(2), end(1)), dscp: 0, ecn: Ecn::NotEct, overhead: 36 };
    packet.push_outer(outer).expect("one tunnel");
    packet
}

/// Wakes the node as it asks until `end`; gives when packets left and where.
fn run(ran: &mut Ran, bench: &mut Bench, end: Time) -> Vec<(Time, Port, Packet)> {
    let mut left = Vec::new();
    while let Some(now) = ran.next_wake().filter(|&due| due <= end) {
        ran.wake(now, &mut bench.cx(now));
        left.extend(bench.sent().into_iter().map(|(port, packet)| (now, port, packet)));
    }
    left
}

#[test]
fn an_unloaded_downlink_takes_the_wait_for_the_tti_and_three_more() {
    let (mut ran, mut bench) = (ran(7, asking(), 1e10), Bench::new());
    let start = Time::from_nanos(10_300_000);
    ran.receive(start, Ran::CORE, in_tunnel(start, 200, 7), &mut bench.cx(start));
    let left = run(&mut ran, &mut bench, Time::from_millis(100));
    let (at, port, packet) = &left[0];
    // Decided at 11 ms, on the air from 13 to 14 ms.
    assert_eq!((*at, *port), (Time::from_millis(14), Ran::ue(UeId(0))));
    assert_eq!(packet.stages.total(), *at - start);
    assert_eq!(ran.held(), Held::default());
}

#[test]
fn an_idle_network_never_wakes() {
    let (mut ran, mut bench) = (ran(7, asking(), 1e10), Bench::new());
    assert_eq!(ran.next_wake(), None);
    let start = Time::from_millis(3);
    ran.receive(start, Ran::CORE, in_tunnel(start, 200, 7), &mut bench.cx(start));
    run(&mut ran, &mut bench, Time::from_millis(500));
    assert_eq!(ran.next_wake(), None);
}

#[test]
fn uplink_waits_for_the_request_and_the_grant() {
    let (mut ran, mut bench) = (ran(7, asking(), 1e10), Bench::new());
    let start = Time::from_nanos(11_000_001);
    ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start));
    let left = run(&mut ran, &mut bench, Time::from_millis(100));
    let (at, port, packet) = &left[0];
    // Opportunity at 15 ms, request until 16, detected at 17, grant on the air at
    // 19, transmission from 23 to 24, processed at 25 ms.
    assert_eq!((*at, *port), (Time::from_millis(25), Ran::CORE));
    assert_eq!(packet.stages.total(), *at - start);
    assert!(packet.stages.spent(airpath_net::Stage::UplinkAccess) > Duration::from_millis(9));
}

#[test]
fn reports_without_grants_take_the_time_of_their_steps() {
    let (mut ran, mut bench) = (ran(7, Access::Reported { period: TTI }, 1e10), Bench::new());
    let start = Time::from_millis(10);
    ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start));
    let left = run(&mut ran, &mut bench, Time::from_millis(100));
    // Report made at 10 ms, on the air from 14 to 15, grant decided at 15, on the
    // air at 17, transmission from 21 to 22, processed at 23 ms.
    assert_eq!(left[0].0, Time::from_millis(23));
}

#[test]
fn a_foreign_tunnel_and_a_bare_packet_are_dropped() {
    let (mut ran, mut bench) = (ran(7, asking(), 1e10), Bench::new());
    let now = Time::ZERO;
    ran.receive(now, Ran::CORE, in_tunnel(now, 200, 8), &mut bench.cx(now));
    ran.receive(now, Ran::CORE, packet(now, 200), &mut bench.cx(now));
    ran.receive(now, Ran::ue(UeId(5)), packet(now, 200), &mut bench.cx(now));
    use airpath_net::DropCause::{NoRoute, Unexpected};
    assert_eq!(bench.drops.0, [NoRoute, Unexpected, NoRoute]);
}

#[test]
fn acknowledged_mode_delivers_all_over_a_bad_channel() {
    // -3 dB: block errors are common, and HARQ has one retransmission only.
    let (mut ran, mut bench) = (ran(9, asking(), 0.5), Bench::new());
    ran.cell.config.max_transmissions = 2;
    for n in 0..50 {
        let now = Time::from_millis(20 * n);
        run(&mut ran, &mut bench, now);
        ran.receive(now, Ran::CORE, in_tunnel(now, 300, 7), &mut bench.cx(now));
        ran.receive(now, Ran::ue(UeId(0)), packet(now, 60), &mut bench.cx(now));
    }
    run(&mut ran, &mut bench, Time::from_millis(60_000));
    assert_eq!(ran.held(), Held::default());
    assert_eq!(bench.ledger().sent.packets, 100);
}

#[test]
fn two_cells_are_refused() {
    let config = RanConfig {
        cells: vec![cell(asking()), cell(asking())],
        ues: Vec::new(),
        bearers: Vec::new(),
        ecn: EcnMode::Normal,
    };
    assert_eq!(Ran::new(config, Seed(1)).err(), Some(RanError::Cells(2)));
}
