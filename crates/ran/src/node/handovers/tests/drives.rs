//! Random drives: all packets stay in the books, in order, and no bearer dies.

use airpath_base::BitRate;
use proptest::prelude::*;

use super::conditional::by_condition;
use super::frequencies::on_carriers;
use super::*;
use crate::handover::CellLoad;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

    /// Signals of three UEs and cells that change each 100 ms, with failures at each step.
    #[test]
    fn random_drives_keep_all_packets_in_the_books(
        levels in prop::collection::vec(prop::collection::vec(-122.0f64..-75.0, 9), 5..40),
        (qci, forwarding, dedicated) in (prop::sample::select(vec![7u8, 9]), any::<bool>(), any::<bool>()),
        (power, t304) in (-120.0f64..23.0, 30u64..400),
        (kind, early, recovery) in (0u8..3, any::<bool>(), any::<bool>()),
        (sizes, needs_gaps, period, begins) in (
            prop::sample::select(vec![vec![], vec![], vec![], vec![1u16, 1, 1], vec![2, 1], vec![1, 2]]),
            any::<bool>(), prop::sample::select(vec![20u64, 40, 80]), any::<bool>(),
        ),
        (inactive, idle) in (prop::collection::vec(any::<bool>(), 3), prop::option::of(100u64..900)),
        (most, share) in (prop::option::of(1u32..4), prop::option::of(0.2f64..1.0)),
        load in prop::option::of(prop::sample::select(vec![CellLoad::Ues, CellLoad::ResourceBlocks])),
        (beside, always) in (0u8..4, any::<bool>()),
    ) {
        let mut mobility = HandoverSetup { forwarding: forwarding.then_some(Duration::from_millis(7)), ..exact() };
        mobility.handover.access.dedicated = dedicated;
        mobility.handover.access.preambles = 2;
        mobility.handover.access.max_power = Dbm(power);
        mobility.handover.procedure.t304 = Duration::from_millis(t304);
        mobility.reselection_time = Duration::from_millis(200);
        if kind == 1 {
            mobility.handover.daps = true;
        }
        if kind == 2 {
            mobility = by_condition(mobility);
            let own = mobility.handover.conditional.as_mut().expect("conditional handover");
            (own.early_forwarding, own.recovery) = (early, recovery);
        }
        if let Some(most) = most {
            mobility = admission::limited(mobility, most);
            mobility.handover.admission.iter_mut().for_each(|own| own.guaranteed = share);
        }
        if let Some(load) = load {
            mobility = balancing::balanced(mobility, load);
            mobility.handover.balancing.iter_mut().for_each(|own| {
                (own.period, own.threshold) = (Duration::from_millis(90), 0.0);
            });
        }
        let others = &mut mobility.handover.other_carriers;
        (others.needs_gaps, others.pattern.period) = (needs_gaps, Duration::from_millis(period));
        others.begin.begin = serving_event(MeasurementEvent::A2 { threshold: -90.0 }).filter(|_| begins);
        others.begin.end = serving_event(MeasurementEvent::A1 { threshold: -90.0 }).filter(|_| begins);
        let (mut config, channel) = match &sizes[..] {
            [] if beside > 0 => {
                let activation = secondaries::by_bytes(300).filter(|_| !always);
                secondaries::aggregated(network((3, 3), qci, mobility), activation, beside == 1)
            }
            [] => network((3, 3), qci, mobility),
            sizes => on_carriers(network((3, 3), qci, mobility), sizes),
        };
        for bearer in &mut config.bearers {
            bearer.channel.guaranteed_bit_rate = Some(BitRate::from_bps(1_500_000));
        }
        for (ue, _) in config.ues.iter_mut().zip(&inactive).filter(|(_, inactive)| **inactive) {
            ue.rrc = Some(resume::suspending(idle.map(Duration::from_millis)));
        }
        // With event A6, the carrier of secondary cells has signals of its own.
        let others = (sizes.is_empty() && beside == 3).then(|| secondaries::beside(&mut config));
        let mut lab = Lab { beside: others.clone(), ..Lab::of(config, channel) };
        for (n, levels) in levels.iter().enumerate() {
            for ue in 0..3 {
                lab.channel.set(ue, &levels[3 * ue as usize..][..3]);
                others.iter().for_each(|own| own.set(ue, &levels[6 - 3 * ue as usize..][..3]));
            }
            let at = 100 * n as u64;
            lab.feed(n as u32 % 3, at, at + 100);
            lab.check_books();
            // Cells in which no UE begins.
            let full = |cell: &usize| lab.ran.cells[*cell].connected_ues() > most.unwrap_or(3) as usize;
            prop_assert_eq!([1, 2].iter().find(|cell| full(cell)), None);
        }
        // With good signals all bearers carry again, in order.
        let end = 100 * levels.len() as u64;
        for ue in 0..3 {
            // A cell for each where a cell may be full: 18 Mbit/s for 1.5 Mbit/s.
            let own = if most.is_some() { ue as usize } else { 0 };
            // The others are out of reach on each carrier: no UE stays where it keeps another one out.
            let signals = [0, 1, 2].map(|cell| if cell == own { -80.0 } else { -140.0 });
            lab.channel.set(ue, &signals);
            others.iter().for_each(|channel| channel.set(ue, &signals));
        }
        lab.run(end + 60_000);
        prop_assert_eq!(lab.ran.held(), Held::default());
        // UEs that are inactive elsewhere come to their cells first, where they lose packets without forwarding.
        let wakes = |n: u64| end + 61_000 + 1_000 * n;
        for ue in 0..3u32 {
            lab.feed(ue, wakes(u64::from(ue)), wakes(u64::from(ue)) + 4);
        }
        let end = wakes(3);
        lab.run(end);
        let before: Vec<usize> = (0..3).map(|ue| lab.sizes(Ran::ue(UeId(ue))).len()).collect();
        for ue in 0..3u32 {
            let at = end + 2_000 * u64::from(ue);
            let first = 100 + (lab.sent / 2) as u32;
            lab.feed(ue, at, at + 200);
            lab.run(at + 1_900);
            let sizes = lab.sizes(Ran::ue(UeId(ue)));
            prop_assert_eq!(&sizes[before[ue as usize]..], &(first..first + 50).collect::<Vec<u32>>()[..]);
        }
        lab.check_books();
        for ue in 0..3 {
            let sizes = lab.sizes(Ran::ue(UeId(ue)));
            prop_assert!(sizes.is_sorted(), "downlink of UE {} in order", ue);
        }
        let lost = lab.seen.drops.iter().filter(|cause| **cause == DropCause::Handover).count();
        prop_assert!(!(forwarding && qci == 9) || lost == 0, "{} lost with forwarding", lost);
        let counted: u64 = lab.seen.handovers.iter().map(|record| record.forwarded).sum();
        let forwarded = &lab.seen.forwarded;
        prop_assert_eq!(forwarded.len() as u64, counted + lab.seen.behind);
        prop_assert!(forwarded.iter().all(|(_, source, target, _)| source != target));
        prop_assert!(forwarding || lab.seen.forwarded.is_empty());
        prop_assert!(lab.seen.offsets.iter().all(|one| one.2.abs() <= 3.0));
        prop_assert!(load.is_some() || lab.seen.offsets.is_empty());
        // Gaps have their length and period, and blocks of their UEs are outside.
        for (ue, begin, end) in &lab.seen.gaps {
            prop_assert!(needs_gaps && sizes.len() > 1 && *end - *begin == Duration::from_millis(6));
            let within = begin.as_nanos() / 1_000_000..end.as_nanos() / 1_000_000;
            let inside = |(own, _, slot): &&(UeId, Direction, u64)| own == ue && within.contains(slot);
            prop_assert_eq!(lab.seen.slots.iter().find(inside), None, "{} {}", begin, end);
        }
        // Each tunnel goes from cell to cell without a gap.
        for teid in 7..10 {
            let own = lab.seen.switched.iter().filter(|one| one.1 == teid);
            let ways: Vec<(CellId, CellId)> = own.map(|one| (one.2, one.3)).collect();
            let starts = std::iter::once(CellId(0)).chain(ways.iter().map(|way| way.1));
            prop_assert!(ways.iter().zip(starts).all(|(way, start)| way.0 == start && way.1 != start));
        }
        // No cell keeps a candidate of a UE that has gone to another.
        for record in &lab.seen.handovers {
            let of_ue = |(ue, ..): &&(UeId, CellId, bool)| *ue == record.ue;
            let own: Vec<_> = lab.seen.candidates.iter().filter(of_ue).collect();
            let kept = own.iter().filter(|(.., kept)| *kept).count();
            prop_assert!(2 * kept >= own.len() && 2 * kept <= own.len() + 4, "{:?}", own);
        }
    }
}
