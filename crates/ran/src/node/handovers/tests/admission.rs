//! Admission of UEs to cells: refused preparations, re-establishments and set-ups of connections.

use airpath_base::BitRate;

use super::conditional::by_condition;
use super::*;
use crate::handover::AdmissionConfig;
use crate::index::UeIndex;

const fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// These settings with cells for so many UEs.
pub(super) fn limited(mut mobility: HandoverSetup, ues: u32) -> HandoverSetup {
    let wait_time = Duration::from_secs(1);
    mobility.handover.admission =
        Some(AdmissionConfig { ues: Some(ues), guaranteed: None, wait_time });
    mobility
}

/// So many cells; the UEs begin in cells of these numbers, where their signals are strong.
fn dropped(cells: u16, serving: &[u16], mobility: HandoverSetup) -> (RanConfig, Arc<Scripted>) {
    let (mut config, channel) = network((serving.len() as u32, cells), 9, mobility);
    for (n, cell) in serving.iter().enumerate() {
        config.ues[n].cell = CellId(*cell);
        channel.signals.lock().expect("one thread").serving[n] = CellId(*cell);
        channel.set(n as u32, &only(cells, *cell));
    }
    (config, channel)
}

/// Levels of a UE that has a single strong cell.
fn only(cells: u16, cell: u16) -> Vec<f64> {
    (0..cells).map(|n| if n == cell { -80.0 } else { -100.0 }).collect()
}

fn lab(cells: u16, serving: &[u16], mobility: HandoverSetup) -> Lab {
    let (config, channel) = dropped(cells, serving, mobility);
    Lab::of(config, channel)
}

/// Target, outcome, and time from the report in ms, of the records of a UE.
fn ends(lab: &Lab, ue: u32) -> Vec<(u16, HandoverOutcome, f64)> {
    let own = lab.seen.handovers.iter().filter(|record| record.ue == UeId(ue));
    let end = |record: &Handover| record.refused.or(record.command_sent);
    own.map(|one| (one.target.0, one.outcome, millis(one.report, end(one)))).collect()
}

#[test]
fn a_full_cell_refuses_and_the_ue_stays() {
    let mut lab = lab(2, &[0, 1], limited(exact(), 1));
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-83.0, -80.0]);
    lab.feed(0, 400, 1_600);
    let own: Vec<Handover> = lab.seen.handovers.clone();
    // Reports at most 200 ms behind the change, and each 240 ms from then on.
    assert!(own.len() >= 4, "{own:?}");
    for record in &own {
        let facts = (record.ue, record.target, record.reached, record.outcome);
        assert_eq!(facts, (UeId(0), CellId(1), Some(CellId(0)), HandoverOutcome::Refused));
        assert_eq!(millis(record.report, record.refused), 50.0, "the preparation");
        assert_eq!((record.command_sent, record.completed, record.failed), (None, None, None));
    }
    let apart = own.windows(2).map(|two| millis(two[0].report, two[1].report));
    assert!(apart.clone().all(|apart| apart == 240.0), "{:?}", apart.collect::<Vec<f64>>());
    lab.run(3_000);
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
    assert!(lab.seen.blocks.keys().all(|cell| *cell == CellId(0)));
    let all: Vec<u32> = (100..500).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(Ran::CORE)), (all.clone(), all));
    assert!(lab.seen.forwarded.is_empty() && lab.seen.switched.is_empty());
}

#[test]
fn the_next_best_cell_of_the_report_is_tried() {
    let mut lab = lab(3, &[0, 1], limited(exact(), 1));
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-83.0, -79.0, -80.0]);
    lab.feed(0, 400, 1_200);
    // A preparation of 50 ms each.
    let expected = [(1, HandoverOutcome::Refused, 50.0), (2, HandoverOutcome::Success, 100.0)];
    assert_eq!(ends(&lab, 0), expected);
    let [first, second] = &lab.seen.handovers[..] else { panic!("two records") };
    assert_eq!(first.report, second.report, "the same report");
    lab.run(3_000);
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
}

#[test]
fn a_cell_refuses_once_in_a_report() {
    let mut lab = lab(3, &[0, 1, 2], limited(exact(), 1));
    lab.run(400);
    lab.channel.set(0, &[-83.0, -79.0, -80.0]);
    lab.run(1_100);
    let own = ends(&lab, 0);
    let expected = [(1, HandoverOutcome::Refused, 50.0), (2, HandoverOutcome::Refused, 100.0)];
    assert!(own.len() >= 4, "{own:?}");
    assert!(own.chunks_exact(2).all(|pair| pair == expected), "{own:?}");
}

#[test]
fn a_ue_on_its_way_has_room_in_the_target() {
    // 400 ms to its access, so that reports of both, 200 ms apart at most, come before.
    let mut mobility = limited(exact(), 1);
    mobility.handover.procedure.rrc_processing = Duration::from_millis(400);
    let mut lab = lab(2, &[0, 0], mobility);
    lab.run(400);
    (0..2).for_each(|ue| lab.channel.set(ue, &[-83.0, -80.0]));
    lab.run(3_000);
    let succeeded = |lab: &Lab| -> usize {
        let all = lab.seen.handovers.iter();
        all.filter(|one| one.outcome == HandoverOutcome::Success).count()
    };
    assert_eq!(succeeded(&lab), 1, "{:?}", lab.seen.handovers);
    assert!(lab.seen.handovers.len() > 5);
    assert_eq!([0, 1].map(|cell: usize| lab.ran.cells[cell].connected_ues()), [1, 1]);
}

#[test]
fn a_failed_handover_leaves_its_room() {
    let mut mobility = limited(exact(), 1);
    // No preamble reaches the target.
    mobility.handover.access.max_power = Dbm(-100.0);
    mobility.handover.procedure.t304 = Duration::from_millis(200);
    let mut lab = lab(2, &[0, 0], mobility);
    lab.run(400);
    lab.channel.set(0, &[-83.0, -80.0]);
    let has_room: Vec<bool> = (400..900)
        .map(|millis| {
            lab.run(millis);
            lab.ran.cells[1].has_room_for(UeIndex::new(1))
        })
        .collect();
    let prepared = has_room.iter().position(|room| !room).expect("a preparation");
    // 50 ms behind a report, which comes within 200 ms.
    assert!((50..=250).contains(&prepared), "{prepared}");
    // The command takes 3 ms, and T304 200 ms.
    let left = has_room[prepared..].iter().position(|room| *room).expect("an end");
    assert_eq!(left, 203);
    lab.run(5_000);
    assert_eq!(lab.seen.handovers[0].outcome, HandoverOutcome::T304Expired);
}

#[test]
fn guaranteed_rates_need_a_share_of_the_resource_blocks() {
    // TS 36.213, table 7.1.7.2.1-1: 18,336 bits in 25 resource blocks with I_TBS 26, a block each millisecond. So
    // 4.584 Mbit/s need a quarter of them.
    let has_room = |most: f64, rates: [u64; 3], level: f64| {
        let mut mobility = limited(exact(), 9);
        let own = mobility.handover.admission.as_mut().expect("admission");
        own.guaranteed = Some(most);
        let (mut config, channel) = dropped(2, &[0, 1, 1], mobility);
        for (bearer, rate) in config.bearers.iter_mut().zip(rates) {
            let rate = Some(BitRate::from_bps(rate)).filter(|rate| !rate.is_zero());
            bearer.channel.guaranteed_bit_rate = rate;
        }
        (0..3).for_each(|ue| channel.set(ue, &[-140.0, -80.0]));
        channel.set(0, &[-140.0, level]);
        Lab::of(config, channel).ran.cells[1].has_room_for(UeIndex::new(0))
    };
    let quarter = 4_584_000;
    assert!(has_room(0.5, [quarter, quarter, 0], -80.0));
    assert!(!has_room(0.499, [quarter, quarter, 0], -80.0));
    assert!(has_room(0.75, [quarter; 3], -80.0) && !has_room(0.749, [quarter; 3], -80.0));
    // Without a guaranteed rate a UE needs nothing, whatever others have.
    assert!(has_room(0.1, [0, quarter, quarter], -80.0));
    // 0 dB over noise needs more than twice as much: CQI 15 has 5.55 bits a symbol, and no CQI of 0 dB above 2.4
    // (TS 36.213, table 7.2.3-1).
    assert!(!has_room(0.5, [quarter, 0, 0], -120.0) && has_room(0.5, [quarter / 10, 0, 0], -120.0));
    assert!(!has_room(1.0, [1, 0, 0], -140.0), "out of range");
}

#[test]
fn a_reestablishment_in_a_full_cell_is_rejected() {
    let mut lab = lab(2, &[0, 1], limited(exact(), 1));
    lab.feed(0, 0, 400);
    // The source fades before anything is reported.
    lab.channel.set(0, &[-130.0, -80.0]);
    lab.feed(0, 400, 5_000);
    lab.check_books();
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    let end = (record.cause, record.outcome, record.target, record.reached);
    let refused = HandoverOutcome::Refused;
    assert_eq!(end, (HandoverCause::Reestablishment, refused, CellId(1), None));
    // 50 ms + 100 ms + 15 ms (TS 36.133, 6.1.2.1), at most 200 ms behind the failure.
    let took = millis(record.failed, record.refused);
    assert!((165.0..=365.0).contains(&took), "{took}");
    // The UE is idle, and requests a connection at the next radio frame. T302 is 1 s.
    let first = lab.seen.rejected[0].0;
    assert!(millis(record.refused, Some(first)) <= 10.0);
    let apart = lab.seen.rejected.windows(2).map(|two| two[1].0 - two[0].0);
    assert!(apart.clone().count() >= 1 && apart.clone().all(|apart| apart.as_millis_f64() == 1e3));
    assert!(lab.seen.rejected.iter().all(|(_, ue, cell)| (*ue, *cell) == (UeId(0), CellId(1))));
    // With room the UE has a connection, 260.1 ms behind the end of T302 (MobiSys 2012, table 3).
    let rejected = lab.seen.rejected.len();
    lab.channel.set(1, &[-80.0, -100.0]);
    lab.run(9_000);
    assert!(lab.seen.rejected.len() <= rejected + 1);
    assert_eq!([0, 1].map(|cell: usize| lab.ran.cells[cell].connected_ues()), [1, 1]);
    assert_eq!(lab.ran.held(), Held::default());
    lab.check_books();
}

/// A UE with RRC that is idle in cell 1, and another that may be connected there.
fn idle(others: u16) -> Lab {
    let (mut config, channel) = dropped(3, &[1, others], limited(exact(), 1));
    config.ues[0].rrc = Some(RrcConfig {
        states: rrc::Config { drx: None, ..rrc::Config::MOBISYS_2012 },
        connected: false,
        promotion: Promotion::Fixed(Duration::from_millis(100)),
        draws: Seed(1).stream("promotion"),
        resume: None,
    });
    Lab::of(config, channel)
}

#[test]
fn a_full_cell_rejects_connections_until_it_has_room() {
    for way in Direction::ALL {
        let mut lab = idle(1);
        lab.run(100);
        let cx = &mut lab.bench.cx_watched(at(100), &mut lab.seen);
        match way {
            Direction::Downlink => {
                lab.ran.receive(at(100), Ran::CORE, in_tunnel(at(100), 60, 7), cx)
            }
            Direction::Uplink => {
                lab.ran.receive(at(100), Ran::ue(UeId(0)), packet(at(100), 60), cx)
            }
        }
        lab.sent += 1;
        lab.run(3_400);
        assert_eq!(lab.ran.held().packets, 1);
        let times: Vec<Time> = lab.seen.rejected.iter().map(|one| one.0).collect();
        match way {
            // At 100 ms, and at the end of each T302.
            Direction::Uplink => assert_eq!(times, [100, 1_100, 2_100, 3_100].map(at)),
            // Pages each 1.28 s, received a millisecond later; T302 of one has ended before the next.
            Direction::Downlink => assert_eq!(times, [1_281, 2_561].map(at)),
        }
        // The other UE leaves the cell, and T302 ends: 100 ms of promotion behind it, or behind the next page.
        lab.channel.set(1, &[-80.0, -83.0, -100.0]);
        lab.run(6_000);
        let port = if way == Direction::Uplink { Ran::CORE } else { Ran::ue(UeId(0)) };
        let first = lab.times[&port][0];
        let connected = at(if way == Direction::Uplink { 4_200 } else { 3_941 });
        assert!(first > connected && first < connected + Duration::from_millis(30), "{first}");
        assert_eq!(lab.seen.rejected.len(), times.len());
        lab.check_books();
    }
}

#[test]
fn cell_reselection_ends_t302() {
    let mut lab = idle(1);
    lab.run(100);
    let cx = &mut lab.bench.cx_watched(at(100), &mut lab.seen);
    lab.ran.receive(at(100), Ran::ue(UeId(0)), packet(at(100), 60), cx);
    lab.run(2_200);
    // Cell 2 ranks higher for a second: at a sample within the T302 that began at 3.1 s.
    lab.channel.set(0, &[-100.0, -90.0, -80.0]);
    lab.run(4_000);
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!((record.cause, record.target), (HandoverCause::Reselection, CellId(2)));
    let (moved, sent) = (record.completed.expect("a time"), lab.times[&Ran::CORE][0]);
    assert!(moved > at(3_200) && moved < at(3_500), "{moved}");
    let took = millis(Some(moved), Some(sent));
    assert!((100.0..130.0).contains(&took), "{took}");
}

#[test]
fn a_full_cell_is_no_candidate() {
    let mut lab = lab(3, &[0, 1], limited(by_condition(exact()), 1));
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-80.0, -81.0, -82.0]);
    lab.feed(0, 400, 1_000);
    assert_eq!(lab.seen.candidates, [(UeId(0), CellId(2), true)]);
    let refused: Vec<&Handover> = lab.seen.handovers.iter().collect();
    assert!(!refused.is_empty());
    for record in refused {
        let end = (record.cause, record.outcome, record.target);
        assert_eq!(end, (HandoverCause::Conditional, HandoverOutcome::Refused, CellId(1)));
        assert_eq!(millis(record.report, record.refused), 50.0);
    }
    // A candidate keeps its room: another UE has none there.
    assert!(!lab.ran.cells[2].has_room_for(UeIndex::new(1)));
    lab.channel.set(0, &[-83.0, -79.0, -80.0]);
    lab.feed(0, 1_000, 1_600);
    let done = lab.seen.handovers.iter().find(|one| one.outcome == HandoverOutcome::Success);
    assert_eq!(done.map(|one| one.target), Some(CellId(2)), "not the better one");
    lab.run(4_000);
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
}

#[test]
fn a_refused_candidate_is_left_out_of_the_next_report() {
    // Room for one candidate. Cell 1 is better and full: the source prepares cell 2 with the report after the next.
    let mut mobility = limited(by_condition(exact()), 1);
    mobility.handover.conditional.as_mut().expect("conditional handover").max_candidates = 1;
    let mut lab = lab(3, &[0, 1], mobility);
    lab.run(400);
    lab.channel.set(0, &[-80.0, -81.0, -82.0]);
    lab.run(1_500);
    assert_eq!(lab.seen.candidates, [(UeId(0), CellId(2), true)]);
}

#[test]
fn without_limits_nothing_is_refused() {
    let mut lab = lab(2, &[0, 1], exact());
    lab.run(400);
    lab.channel.set(0, &[-83.0, -80.0]);
    lab.run(1_000);
    assert_eq!(lab.seen.handovers.len(), 1);
    assert!(lab.ran.cells[1].has_room_for(UeIndex::new(0)) && lab.seen.rejected.is_empty());
}
