//! Cells on several carriers: measurements in gaps, events and handovers there.

use airpath_base::FlowId;

use super::conditional::by_condition;
use super::*;
use crate::config::{Frequency, FullBuffer};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// The cells of a network on carriers with so many of them.
pub(super) fn on_carriers(
    (mut config, channel): (RanConfig, Arc<Scripted>),
    sizes: &[u16],
) -> (RanConfig, Arc<Scripted>) {
    let (mut channels, mut first): (Vec<Arc<dyn Channel>>, u16) = (Vec::new(), 0);
    for (carrier, size) in (0..).zip(sizes) {
        let cells = usize::from(first)..usize::from(first + size);
        for (cell, position) in config.cells[cells.clone()].iter_mut().zip((0..).map(CellId)) {
            cell.frequency = Some(Frequency { carrier, position });
        }
        channels.push(Arc::new(Scripted { signals: channel.signals.clone(), cells }));
        first += size;
    }
    config.ues.iter_mut().for_each(|ue| ue.frequencies = channels.clone());
    (config, channel)
}

/// A UE with full buffers on the first of two carriers.
fn full() -> Lab {
    let mut config = on_carriers(network((1, 2), 9, exact()), &[1, 1]);
    config.0.bearers[0].full_buffers =
        [0, 1].map(|flow| Some(FullBuffer { flow: FlowId(flow), start: Time::ZERO, stop: None }));
    config.0.cells.iter_mut().for_each(|cell| cell.first_error = Some(0.0));
    let lab = Lab::of(config.0, config.1);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab
}

#[test]
fn cells_without_a_carrier_beside_others_are_refused() {
    let made = |change: fn(&mut RanConfig)| {
        let (mut config, _) = on_carriers(network((1, 3), 9, exact()), &[2, 1]);
        change(&mut config);
        Ran::new(config, Seed(9)).err().map(|error| error.to_string())
    };
    assert_eq!(made(|_| {}), None);
    let of_cell = "cell 1 has no carrier or position beside cells on several carriers";
    assert_eq!(made(|config| config.cells[1].frequency = None).as_deref(), Some(of_cell));
    let twice = |config: &mut RanConfig| config.cells[1].frequency = config.cells[0].frequency;
    assert_eq!(made(twice).as_deref(), Some(of_cell));
    let of_ue = made(|config| drop(config.ues[0].frequencies.pop()));
    assert_eq!(of_ue.as_deref(), Some("UE 0 has no channel on each carrier"));
}

#[test]
fn nothing_is_on_the_air_in_a_gap() {
    let mut lab = full();
    lab.run(20_000);
    // A gap each 40 ms, of 6 ms. Those of the first 60 ms may be missing.
    let gaps = &lab.seen.gaps;
    assert!((498..=500).contains(&gaps.len()), "{}", gaps.len());
    assert!(gaps.iter().all(|(_, begin, end)| *end - *begin == Duration::from_millis(6)));
    assert!(gaps.windows(2).all(|two| two[1].1 - two[0].1 == Duration::from_millis(40)));
    // Whole gap periods: a TTI is a millisecond.
    let first = gaps[10].1.as_nanos() / 1_000_000;
    let counted = first..first + 40 * 400;
    let mut sent = BTreeMap::new();
    for (_, direction, slot) in lab.seen.slots.iter().filter(|(.., slot)| counted.contains(slot)) {
        *sent.entry((*direction, (slot - first) % 40)).or_insert(0) += 1;
    }
    let slots = |direction: Direction| -> Vec<u64> {
        (0..40).filter(|slot| sent.contains_key(&(direction, *slot))).collect()
    };
    // Downlink, feedback follows after 4 ms: of 40 ms, 6 are gap, and feedback for the 4 before falls into it.
    assert_eq!(slots(DOWN), (6..36).collect::<Vec<u64>>());
    // Uplink, a grant is 4 ms before its data: of 40 ms, 6 are gap, and the grants for the 4 behind fall into it.
    assert_eq!(slots(UP), (10..40).collect::<Vec<u64>>());
    // A full buffer uses each of the 30.
    assert!(sent.values().all(|count| *count == 400), "{sent:?}");
}

#[test]
fn a_ue_that_needs_no_gaps_has_none() {
    let mut setup = exact();
    setup.handover.other_carriers.needs_gaps = false;
    let (config, channel) = on_carriers(network((1, 2), 9, setup), &[1, 1]);
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.run(2_000);
    lab.channel.set(0, &[-80.0, -70.0]);
    lab.run(4_000);
    assert!(lab.seen.gaps.is_empty());
    assert_eq!(lab.seen.handovers.len(), 1);
}

/// Time of the report of a handover to the strongest cell, whose signal rises at 3 s, with as many carriers as cells.
fn report(cells: u16, setup: HandoverSetup) -> f64 {
    let sizes = vec![1; usize::from(cells)];
    let (config, channel) = on_carriers(network((1, cells), 9, setup), &sizes);
    let mut lab = Lab::of(config, channel);
    let mut rsrp = vec![-90.0; usize::from(cells)];
    rsrp[0] = -80.0;
    lab.channel.set(0, &rsrp);
    lab.feed(0, 0, 3_000);
    rsrp[1] = -60.0;
    lab.channel.set(0, &rsrp);
    lab.feed(0, 3_000, 8_000);
    let [record] = &lab.seen.handovers.clone()[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!((record.target, record.outcome), (CellId(1), HandoverOutcome::Success));
    // 15 ms of processing (TS 36.331, 11.2) and 20 ms of synchronisation.
    assert_eq!(millis(record.command_received, record.access), 35.0);
    assert_eq!(lab.ran.serving[0].cell, CellId(1));
    lab.run(10_000);
    assert_eq!(lab.ran.held(), Held::default());
    millis(Some(Time::from_millis(3_000)), record.report)
}

#[test]
fn a_measurement_of_n_other_carriers_takes_n_times_as_long() {
    // A mean of 12 samples: with m of them at -60 dBm and the rest at -90 dBm it is -90 + 2.5 m dBm, and above -79 dBm
    // from m = 5 on. Samples come 40 ms apart, of two other carriers 80 ms. Before the first of them up to one period
    // passes.
    let one = report(2, exact());
    assert!((160.0..=200.0).contains(&one), "{one}");
    let two = report(3, exact());
    assert!((320.0..=400.0).contains(&two), "{two}");
    // With gaps each 80 ms a measurement of 480 ms has six samples, 5 dB each: three suffice.
    let mut setup = exact();
    setup.handover.other_carriers.pattern.period = Duration::from_millis(80);
    let rare = report(2, setup);
    assert!((160.0..=240.0).contains(&rare), "{rare}");
}

#[test]
fn other_carriers_have_an_event_of_their_own() {
    let mut setup = exact();
    let event = MeasurementEvent::A5 { serving: -100.0, neighbour: -95.0 };
    let own = EventConfig { event, ..setup.handover.events[0] };
    setup.handover.other_carriers.events = vec![own; 2];
    let (config, channel) = on_carriers(network((1, 3), 9, setup), &[2, 1]);
    let mut lab = Lab::of(config, channel);
    // 10 dB above the serving cell, which is above its threshold.
    lab.channel.set(0, &[-80.0, -95.0, -70.0]);
    lab.feed(0, 0, 3_000);
    assert!(lab.seen.handovers.is_empty());
    // The serving cell falls below -101 dBm: A5 of the other carrier. A3 on its own carrier does not hold.
    lab.channel.set(0, &[-102.0, -112.0, -90.0]);
    lab.feed(0, 3_000, 5_000);
    let ends: Vec<_> = lab.seen.handovers.iter().map(|one| (one.target, one.cause)).collect();
    assert_eq!(ends, [(CellId(2), HandoverCause::A5)]);
    // Back on the first carrier by the same event, and not by A3.
    lab.channel.set(0, &[-70.0, -90.0, -90.0]);
    lab.feed(0, 5_000, 8_000);
    assert_eq!(lab.seen.handovers.len(), 1);
    lab.channel.set(0, &[-80.0, -70.0, -102.0]);
    lab.feed(0, 8_000, 10_000);
    assert_eq!(lab.seen.handovers.last().map(|one| one.target), Some(CellId(1)));
}

#[test]
fn gaps_begin_with_a2_and_end_with_a1() {
    let mut setup = exact();
    let begin = serving_event(MeasurementEvent::A2 { threshold: -95.0 });
    let end = serving_event(MeasurementEvent::A1 { threshold: -90.0 });
    setup.handover.other_carriers.begin = NeighbourConfig { begin, end, s_measure: None };
    let (config, channel) = on_carriers(network((1, 2), 9, setup), &[1, 1]);
    let mut lab = Lab::of(config, channel);
    let gaps = |lab: &Lab| lab.seen.gaps.len();
    lab.channel.set(0, &[-80.0, -60.0]);
    lab.run(2_000);
    assert_eq!((gaps(&lab), lab.seen.handovers.len()), (0, 0));
    // 20 dB below the other carrier, but A2 does not hold.
    lab.channel.set(0, &[-94.0, -110.0]);
    lab.run(4_000);
    assert_eq!(gaps(&lab), 0);
    lab.channel.set(0, &[-96.0, -110.0]);
    lab.run(6_000);
    // From A2 on, at most 200 ms and the configuration later.
    let begun = gaps(&lab);
    assert!((41..=49).contains(&begun), "{begun}");
    lab.channel.set(0, &[-89.0, -110.0]);
    lab.run(8_000);
    let ended = gaps(&lab) - begun;
    assert!((0..=7).contains(&ended), "{ended}");
    lab.run(9_000);
    assert_eq!(gaps(&lab), begun + ended);
}

#[test]
fn carriers_have_offsets() {
    // A3 enters where Mn + Ofn - 1 dB > Mp + Ofp.
    let targets = |offset: f64| -> Vec<CellId> {
        let mut setup = exact();
        let frequency = vec![0.0, offset];
        setup.handover.offsets = vec![Offsets { cell: Vec::new(), frequency }; 2];
        let (config, channel) = on_carriers(network((1, 2), 9, setup), &[1, 1]);
        let mut lab = Lab::of(config, channel);
        lab.run(4_000);
        lab.seen.handovers.iter().map(|record| record.target).collect()
    };
    assert_eq!(targets(0.0), []);
    assert_eq!(targets(0.9), []);
    assert_eq!(targets(1.1), [CellId(1)]);
}

#[test]
fn a_ue_whose_link_fails_selects_a_cell_on_another_carrier() {
    let mut setup = exact();
    setup.handover.events[0].event = MeasurementEvent::A5 { serving: -150.0, neighbour: -60.0 };
    let (config, channel) = on_carriers(network((1, 2), 9, setup), &[1, 1]);
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, 0, 2_000);
    lab.channel.set(0, &[-140.0, -90.0]);
    lab.feed(0, 2_000, 6_000);
    let ends: Vec<_> = lab.seen.handovers.iter().map(|one| (one.cause, one.reached)).collect();
    assert_eq!(ends, [(HandoverCause::Reestablishment, Some(CellId(1)))]);
    lab.check_books();
}

#[test]
fn conditional_and_daps_handovers_go_to_other_carriers() {
    let mut daps = exact();
    daps.handover.daps = true;
    for setup in [by_condition(exact()), daps] {
        let (config, channel) = on_carriers(network((1, 2), 9, setup), &[1, 1]);
        let mut lab = Lab::of(config, channel);
        lab.channel.set(0, &[-80.0, -83.0]);
        lab.feed(0, 0, 1_500);
        assert!(lab.seen.handovers.is_empty() && lab.seen.gaps.len() > 30);
        lab.channel.set(0, &[-84.0, -80.0]);
        lab.feed(0, 1_500, 3_000);
        let [record] = &lab.seen.handovers.clone()[..] else { panic!("{:?}", lab.seen.handovers) };
        assert!(record.inter_frequency && record.outcome == HandoverOutcome::Success);
        assert_eq!((record.source, record.target), (CellId(0), CellId(1)));
        lab.run(8_000);
        assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
        let all: Vec<u32> = (100..850).collect();
        assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(Ran::CORE)), (all.clone(), all));
    }
}

#[test]
fn candidates_on_other_carriers_end_with_their_measurement() {
    let mut setup = by_condition(exact());
    let others = &mut setup.handover.other_carriers;
    others.begin.begin = serving_event(MeasurementEvent::A2 { threshold: -95.0 });
    others.begin.end = serving_event(MeasurementEvent::A1 { threshold: -93.0 });
    let (config, channel) = on_carriers(network((1, 2), 9, setup), &[1, 1]);
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-96.5, -97.0]);
    lab.feed(0, 0, 2_000);
    assert_eq!(lab.seen.candidates, [(UeId(0), CellId(1), true)]);
    // A1 ends the measurement of the other carrier, on which the cell still fulfils the prepare event: within 6 dB.
    lab.channel.set(0, &[-91.5, -97.0]);
    lab.feed(0, 2_000, 4_000);
    let both = [true, false].map(|kept| (UeId(0), CellId(1), kept));
    assert_eq!(lab.seen.candidates, both);
    assert!(lab.seen.handovers.is_empty());
}
