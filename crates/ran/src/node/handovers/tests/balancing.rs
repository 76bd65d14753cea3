//! Mobility load balancing.

use super::*;
use crate::handover::{BalancingConfig, CellLoad};

/// These settings with an exchange each second, in steps of 1 dB, 3 dB at most.
pub(super) fn balanced(mut mobility: HandoverSetup, load: CellLoad) -> HandoverSetup {
    let (threshold, period) = match load {
        CellLoad::ResourceBlocks => (0.2, Duration::from_secs(1)),
        CellLoad::Ues => (1.0, Duration::from_secs(1)),
    };
    mobility.handover.balancing =
        Some(BalancingConfig { load, threshold, back: 0.0, period, step: 1.0, limit: 3.0 });
    mobility
}

/// Moves of offsets: time in ms, cells and offset.
fn moves(lab: &Lab) -> Vec<(f64, [u16; 2], f64)> {
    let all = lab.seen.offsets.iter();
    all.map(|(at, cells, offset, _)| {
        (millis(Some(Time::ZERO), Some(*at)), cells.map(|cell| cell.0), *offset)
    })
    .collect()
}

/// Three UEs in the first of two cells, at these levels.
fn three(levels: [[f64; 2]; 3], mobility: HandoverSetup) -> Lab {
    let lab = Lab::new((3, 2), 9, mobility);
    (0..3).for_each(|ue| lab.channel.set(ue as u32, &levels[ue]));
    lab
}

#[test]
fn ues_at_the_edge_go_to_the_lighter_cell() {
    // A3 with 1 dB. UE 2 is 1.5 dB below it: it goes when the offset is 3 dB, 1 dB above what it needs.
    let levels = [[-80.0, -100.0], [-80.0, -100.0], [-80.0, -81.5]];
    let mut lab = three(levels, balanced(exact(), CellLoad::Ues));
    lab.run(8_000);
    // Loads of 3 and 0: a step a second. Then 2 and 1, no more than the threshold of 1.
    assert_eq!(moves(&lab), [1.0, 2.0, 3.0].map(|n| (n * 1e3, [0, 1], n)));
    assert!(lab.seen.offsets.iter().all(|one| one.3 == [3.0, 0.0]));
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!((record.ue, record.target), (UeId(2), CellId(1)));
    // Behind the third exchange, with a sample of 200 ms.
    let report = millis(Some(Time::from_millis(3_000)), record.report);
    assert!((0.0..=200.0).contains(&report), "{report}");
    // Another goes for its own reasons: 1 and 2, and the offset moves back, until the UE has gone back: 1.5 dB are more
    // than 1 dB. It goes back with an offset of 0.
    lab.channel.set(1, &[-100.0, -80.0]);
    lab.run(14_000);
    let way = moves(&lab)[3..].iter().map(|one| one.2).collect::<Vec<f64>>();
    assert_eq!(way, [2.0, 1.0, 0.0]);
    let back: Vec<_> = lab.seen.handovers[1..].iter().map(|one| (one.ue, one.reached)).collect();
    assert_eq!(back, [(UeId(1), Some(CellId(1))), (UeId(2), Some(CellId(0)))]);
    assert_eq!(lab.seen.handovers[2].report.map(|at| at > lab.seen.offsets[5].0), Some(true));
}

#[test]
fn a_ue_does_not_come_back_by_the_offset_that_moved_it() {
    // At equal levels any offset above 1 dB moves a UE; the way back needs 1 dB more than the same offset.
    let levels = [[-80.0, -100.0], [-80.0, -100.0], [-80.0, -80.0]];
    let mut lab = three(levels, balanced(exact(), CellLoad::Ues));
    lab.run(20_000);
    assert_eq!(lab.seen.handovers.len(), 1, "{:?}", lab.seen.handovers);
    assert_eq!(moves(&lab).len(), 2);
}

#[test]
fn cells_without_a_ue_between_them_have_no_relation() {
    let mut mobility = balanced(exact(), CellLoad::Ues);
    mobility.handover.balancing.iter_mut().for_each(|own| own.limit = 1.0);
    let mut lab = Lab::new((2, 3), 9, mobility);
    (0..2).for_each(|ue| lab.channel.set(ue, &[-80.0, -95.0, -90.0]));
    lab.run(3_000);
    assert_eq!(moves(&lab), [(1_000.0, [0, 2], 1.0)], "the best neighbour alone, up to the limit");
}

#[test]
fn the_load_is_the_share_of_resource_blocks() {
    // 25 resource blocks carry 18,336 bits a millisecond (TS 36.213, table 7.1.7.2.1-1). Whole resource blocks and headers
    // are a little more.
    let share = |interval: u64| {
        let mut mobility = balanced(exact(), CellLoad::ResourceBlocks);
        mobility.handover.balancing.iter_mut().for_each(|own| own.threshold = 0.0);
        let mut lab = Lab::new((1, 2), 9, mobility);
        lab.channel.set(0, &[-80.0, -110.0]);
        let mut at = 0;
        while at < 1_000 {
            lab.run(at);
            let now = Time::from_millis(at);
            let cx = &mut lab.bench.cx_watched(now, &mut lab.seen);
            lab.ran.receive(now, Ran::CORE, in_tunnel(now, 1_400, 7), cx);
            at += interval;
        }
        lab.run(1_000);
        let [(_, cells, offset, loads)] = lab.seen.offsets[..] else { panic!("one move") };
        assert_eq!((cells, offset, loads[1]), ([CellId(0), CellId(1)], 1.0, 0.0));
        loads[0]
    };
    // 1,400 bytes in 4 ms are 2.8 Mbit/s, of 18.3 Mbit/s.
    let least = 1_400.0 * 8.0 / 4.0 / 18_336.0;
    let quarter = share(4);
    assert!(quarter > least && quarter < 1.3 * least, "{quarter} {least}");
    let double = share(2);
    assert!((double / quarter - 2.0).abs() < 0.05, "{double} {quarter}");
}

#[test]
fn fixed_offsets_count_beside() {
    // Cells 0.9 dB apart and A3 of 1 dB need an offset above 1.9 dB. By load there is 1 dB.
    let first = |fixed: f64| {
        let mut mobility = balanced(exact(), CellLoad::Ues);
        mobility.handover.balancing.iter_mut().for_each(|own| own.limit = 1.0);
        let cell = vec![0.0, fixed];
        mobility.handover.offsets = vec![Offsets { cell, frequency: Vec::new() }];
        let levels = [[-80.0, -100.0], [-80.0, -100.0], [-80.0, -80.9]];
        let mut lab = three(levels, mobility);
        lab.run(3_000);
        lab.seen.handovers.len()
    };
    assert_eq!((first(0.0), first(0.95)), (0, 1));
}

#[test]
fn without_load_balancing_offsets_stay() {
    let mut lab = three([[-80.0, -81.5]; 3], exact());
    lab.run(5_000);
    assert!(lab.seen.offsets.is_empty() && lab.seen.handovers.is_empty());
}
