use airpath_base::{Duration, Time};
use airpath_net::testing::Bench;
use proptest::prelude::*;

use super::*;
use crate::Tti;
use crate::config::{Access, BearerConfig, CellConfig, Timing};
use crate::index::UeIndex;
use crate::testing::cell;

pub(super) use crate::testing::{asking, in_tunnel, one_ue as config, packet};

const TTI: Duration = Duration::from_millis(1);

/// Watches a network to which `feed` brings packets each `gap` for a second, until 20 s.
pub(super) fn watched<P: airpath_net::Probe + Default>(
    config: RanConfig,
    gap: Duration,
    mut feed: impl FnMut(&mut Ran, Time, &mut Bench),
) -> P {
    let mut ran = Ran::new(config, Seed(5)).expect("a network");
    let (mut bench, mut probe, mut now) = (Bench::new(), P::default(), Time::ZERO);
    while now < Time::from_millis(20_000) {
        let busy = now < Time::from_millis(1_000);
        now += if busy { gap } else { Duration::from_secs(20) };
        while let Some(due) = ran.next_wake().filter(|&due| due <= now) {
            ran.wake(due, &mut bench.cx_watched(due, &mut probe));
        }
        bench.sent();
        if busy {
            feed(&mut ran, now, &mut bench);
        }
    }
    assert_eq!(ran.audit(), Ok(()));
    probe
}

/// One UE with a bearer of this QCI.
fn ran(qci: u8, access: Access, snr: f64) -> Ran {
    Ran::new(config(qci, access, snr), Seed(1)).expect("a network")
}

/// Wakes the node as it asks until `end`; gives when packets left and where.
pub(super) fn run(ran: &mut Ran, bench: &mut Bench, end: Time) -> Vec<(Time, Port, Packet)> {
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

/// Any TTI from a mini-slot of NR to 3 ms, and steps of the usual numbers of TTIs.
pub(super) fn any_cell(access: Access, tti: Tti) -> CellConfig {
    let usual = cell(access);
    let steps = |count| tti.times(count);
    let timing = Timing {
        downlink_preparation: steps(2),
        downlink_processing: Duration::ZERO,
        sr_transmission: steps(1),
        sr_detection: steps(1),
        report_preparation: steps(4),
        grant_preparation: steps(2),
        grant_transmission: steps(1),
        grant_decoding: steps(1),
        grant_to_transmission: steps(4),
        data_preparation: steps(1),
        uplink_transmission: tti.length(),
        uplink_processing: steps(1),
        data_to_feedback: steps(4),
        harq_round_trip: steps(8),
    };
    CellConfig { tti, timing, resource_blocks: 100, ..usual }
}

proptest! {
    #[test]
    fn all_kinds_of_access_carry_everything_at_any_tti(
        tti in prop_oneof![
            (0u8..4, prop_oneof![Just(2u8), Just(4), Just(7), Just(14)])
                .prop_filter_map("a TTI", |(mu, symbols)| Tti::nr(mu, symbols)),
            (50_000u64..3_000_000)
                .prop_filter_map("a TTI", |nanos| Tti::new(Duration::from_nanos(nanos))),
        ],
        kind in 0..4,
        period in 1u64..20,
        offset in 0u64..20,
        error in prop_oneof![Just(None), Just(Some(0.3))],
        arrivals in prop::collection::vec((0u64..2_000_000, 40u32..1_500), 1..40),
    ) {
        let access = match kind {
            0 => Access::SchedulingRequest { period, grant: 100, retry: tti.times(320) },
            1 => Access::Configured { period, resource_blocks: 3 },
            2 => Access::Instant,
            _ => Access::Reported { period: tti.times(period) },
        };
        let mut config = config(9, access, 1e10);
        config.cells[0] = CellConfig { first_error: error, ..any_cell(access, tti) };
        config.ues[0].offset = offset % period;
        let mut ran = Ran::new(config, Seed(1)).expect("a network");
        let (mut bench, mut now) = (Bench::new(), Time::ZERO);
        for &(gap, size) in &arrivals {
            now += Duration::from_nanos(gap);
            run(&mut ran, &mut bench, now);
            ran.receive(now, Ran::ue(UeId(0)), packet(now, size), &mut bench.cx(now));
            ran.receive(now, Ran::CORE, in_tunnel(now, size, 7), &mut bench.cx(now));
        }
        run(&mut ran, &mut bench, now + Duration::from_secs(20));
        prop_assert_eq!(ran.held(), Held::default());
        prop_assert_eq!(bench.ledger().sent.packets, 2 * arrivals.len() as u64);
        prop_assert_eq!(ran.audit(), Ok(()));
    }
}

#[test]
fn instant_access_takes_the_wait_for_the_tti_and_three_more() {
    let (mut ran, mut bench) = (ran(7, Access::Instant, 1e10), Bench::new());
    let start = Time::from_nanos(10_300_000);
    ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start));
    let left = run(&mut ran, &mut bench, Time::from_millis(100));
    // Filled at 11 ms, on the air from 12 to 13 ms.
    assert_eq!((left[0].0, left[0].1), (Time::from_millis(14), Ran::CORE));
    run(&mut ran, &mut bench, Time::from_millis(500));
    assert_eq!(ran.next_wake(), None);
}

#[test]
fn a_configured_grant_is_filled_once_a_period_and_its_rest_granted() {
    let access = Access::Configured { period: 10, resource_blocks: 1 };
    let (mut ran, mut bench) = (ran(7, access, 1e10), Bench::new());
    let start = Time::from_nanos(10_300_000);
    run(&mut ran, &mut bench, start);
    ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start));
    ran.receive(start, Ran::ue(UeId(0)), packet(start, 300), &mut bench.cx(start));
    let left = run(&mut ran, &mut bench, Time::from_millis(100));
    // Filled at 19 ms, on the air from 20 to 21 ms: 89 bytes (TS 36.213, table
    // 7.1.7.2.1-1, 712 bits) are enough for the first and tell of the second. Granted at
    // 22 ms, on the air from 28 to 29 ms.
    let times: Vec<Time> = left.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [22, 30].map(Time::from_millis));
}

/// Padding of all uplink blocks.
#[derive(Default)]
struct Padding(Vec<u32>);

impl airpath_net::Probe for Padding {
    fn on(&mut self, _: Time, _: airpath_base::NodeId, event: &airpath_net::Event<'_>) {
        use airpath_net::{Event, RadioEvent};
        if let Event::Radio(RadioEvent::Block { direction: Direction::Uplink, padding, .. }) = event
        {
            self.0.push(*padding);
        }
    }
}

#[test]
fn buffer_status_is_reported_by_group() {
    // A configured grant of six resource blocks takes a small packet of either bearer, and a
    // report. The report is short if both are of one group, long otherwise.
    let padding = |groups: [u8; 2]| {
        let access = Access::Configured { period: 10, resource_blocks: 6 };
        let mut config = config(9, access, 1e10);
        config.bearers.push(BearerConfig { teid: 8, ..config.bearers[0] });
        config.ues[0].bearers.push(BearerId(1));
        for (bearer, group) in config.bearers.iter_mut().zip(groups) {
            bearer.channel.group = group;
        }
        let (mut ran, mut bench) = (Ran::new(config, Seed(1)).expect("a network"), Bench::new());
        let (start, mut seen) = (Time::from_millis(12), Padding::default());
        run(&mut ran, &mut bench, start);
        for bearer in 0..2 {
            let flow = FlowIndex { bearer: BearerIndex::new(bearer), number: 0 };
            let cx = &mut bench.cx(start);
            let at = &mut Moment { now: start, common: &ran.common, cx };
            let (ue, packet) = (UeIndex::new(0), packet(start, 40));
            ran.cells[0].enqueue(ue, flow, Direction::Uplink, packet, at);
        }
        while let Some(due) = ran.next_wake().filter(|&due| due < Time::from_millis(25)) {
            ran.wake(due, &mut bench.cx_watched(due, &mut seen));
        }
        assert_eq!(seen.0.len(), 1);
        seen.0[0]
    };
    assert_eq!(padding([3, 3]), padding([1, 3]) + 2);
}

#[test]
fn reports_are_read_in_levels_and_less_what_was_granted_since() {
    let mut ran = ran(9, asking(), 1e10);
    let mut state = crate::ue::UplinkGrantState { granted: 200, ..Default::default() };
    let cell = &mut ran.cells[0];
    std::mem::swap(&mut cell.ues[0].uplink, &mut state);
    let long = crate::bsr::Standard::Lte.reserve(2, 100).expect("room");
    let report = crate::bsr::BufferStatusReport::new(long, [0, 100, 0, 1_000, 0, 0, 0, 0], 1);
    cell.take_report_with_data(Time::ZERO, UeIndex::new(0), (report, None));
    // 107 and 1132 B of levels, less 200.
    assert_eq!(cell.ues[0].uplink.reported.by_group()[..4], [0, 0, 0, 1_039]);
    cell.take_report(Time::ZERO, UeIndex::new(0), [0; 8]);
    assert!(cell.reported.is_empty());
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
    ran.cells[0].config.max_transmissions = 2;
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
fn what_cannot_be_built_is_refused() {
    let usual = config(9, asking(), 1e10);
    let refused = |config| Ran::new(config, Seed(1)).err();
    let nowhere = RanConfig { cells: Vec::new(), ..usual.clone() };
    assert_eq!(refused(nowhere), Some(RanError::Cell(None)));
    let mut elsewhere = usual.clone();
    elsewhere.ues[0].cell = CellId(1);
    assert_eq!(refused(elsewhere), Some(RanError::Cell(Some(UeId(0)))));
    for (resource_blocks, expected) in [
        (0, Some(RanError::ResourceBlocks(0))),
        (273, None),
        (274, Some(RanError::ResourceBlocks(274))),
    ] {
        let mut wide = usual.clone();
        wide.cells[0].resource_blocks = resource_blocks;
        assert_eq!(refused(wide), expected);
    }
}

/// Time at which the last of 20 packets of UE 1 has come, which have 60 ms, while UE 0 sends without end.
fn last_of_the_hurried(delay_status: Option<Duration>) -> Time {
    let mut two = config(9, asking(), 30.0);
    two.ues.push(crate::UeConfig { bearers: vec![BearerId(1)], ..two.ues[0].clone() });
    two.bearers.push(BearerConfig { ue: UeId(1), teid: 8, ..two.bearers[0] });
    for bearer in &mut two.bearers {
        bearer.rlc.mode = crate::rlc::Mode::NrUm(crate::rlc::nr::um::Config::default());
    }
    two.bearers[1].pdcp.sets = Some(crate::pdcp::SetConfig {
        delay_budget: Duration::from_millis(60),
        integrated: false,
        discard: false,
        low_importance: None,
        deadlines: None,
        delay_status,
    });
    let (mut ran, mut bench) = (Ran::new(two, Seed(1)).expect("a network"), Bench::new());
    let start = Time::from_millis(10);
    for (ue, packets) in [(UeId(0), 400), (UeId(1), 20)] {
        for _ in 0..packets {
            ran.receive(start, Ran::ue(ue), packet(start, 500), &mut bench.cx(start));
        }
    }
    let left = run(&mut ran, &mut bench, Time::from_millis(2_000));
    assert_eq!((left.len(), ran.audit()), (420, Ok(())));
    let of_tunnel = |packet: &Packet, own: u32| {
        let kind = packet.outermost().map(|outer| outer.kind);
        matches!(kind, Some(TunnelKind::Gtpu { teid, .. }) if teid == own)
    };
    let hurried = left.iter().filter(|(.., packet)| of_tunnel(packet, 8));
    hurried.map(|(at, ..)| *at).max().expect("packets")
}

#[test]
fn uplink_data_whose_time_runs_out_go_first_once_they_are_reported() {
    let [without, with] = [None, Some(Duration::from_millis(60))].map(last_of_the_hurried);
    // In turns UE 1 has each second TTI; with a report it has all of them from then on.
    let spent = |end: Time| end.since(Time::from_millis(10));
    assert!(spent(with) * 4 < spent(without) * 3, "{with:?}, {without:?}");
    // A threshold that is never reached changes nothing.
    assert_eq!(last_of_the_hurried(Some(Duration::ZERO)), without);
}
