//! Secondary cells of UEs that go from cell to cell.

use airpath_base::FlowId;
use airpath_net::SecondaryEnd;

use super::daps::dual;
use super::*;
use crate::config::{Activation, FullBuffer, Secondary, UeCarrier};

/// TS 36.133, 7.7.2.
pub(super) const DELAY: Duration = Duration::from_millis(24);

/// Activation by this many bytes, and the timer for deactivation.
pub(super) fn by_bytes(bytes: u32) -> Option<Activation> {
    Some(Activation { bytes, delay: DELAY, timer: Some(Duration::from_millis(320)) })
}

/// Each cell has a secondary cell, with the numbers behind those of the cells and the same signals. UEs may send there.
pub(super) fn aggregated(
    (mut config, channel): (RanConfig, Arc<Scripted>),
    activation: Option<Activation>,
    uplink: bool,
) -> (RanConfig, Arc<Scripted>) {
    let secondary = |(cell, n): (&crate::CellConfig, u16)| {
        let role = Secondary { of: CellId(n), activation, addition: Some(DELAY) };
        crate::CellConfig { secondary: Some(role), ..cell.clone() }
    };
    let all: Vec<_> = config.cells.iter().zip(0..).map(secondary).collect();
    config.cells.extend(all);
    for ue in &mut config.ues {
        let channel: Arc<dyn Channel> = channel.clone();
        ue.carriers = vec![UeCarrier { uplink, channel: Some(channel), ..UeCarrier::ALIKE }];
    }
    (config, channel)
}

/// Likewise with signals of their own, and event A6 with an offset of 2 dB and a hysteresis of 1 dB.
pub(super) fn apart(
    (ues, cells): (u32, u16),
    qci: u8,
    mobility: HandoverSetup,
    activation: Option<Activation>,
) -> Lab {
    let (mut config, channel) = aggregated(network((ues, cells), qci, mobility), activation, false);
    let beside = beside(&mut config);
    Lab { beside: Some(beside), ..Lab::of(config, channel) }
}

/// Gives the first UE a full buffer downlink.
fn fill(config: &mut RanConfig) {
    config.bearers[0].full_buffers =
        [Some(FullBuffer { flow: FlowId(0), start: Time::ZERO, stop: None }), None];
}

/// Gives secondary cells signals of their own, and event A6.
pub(super) fn beside(config: &mut RanConfig) -> Arc<Scripted> {
    let (ues, cells) = (config.ues.len(), config.cells.len() / 2);
    let (rsrp, serving) = (vec![vec![-80.0; cells]; ues], vec![CellId(0); ues]);
    let signals = Arc::new(Mutex::new(Signals { rsrp, serving, legs: Vec::new() }));
    let beside = Arc::new(Scripted { signals, cells: 0..cells });
    for ue in &mut config.ues {
        ue.carriers[0].channel = Some(beside.clone());
    }
    let a6 = serving_event(MeasurementEvent::A6 { offset: 2.0 });
    if let Some(own) = &mut config.handover {
        own.handover.secondary.change = a6.map(|own| EventConfig { hysteresis: 1.0, ..own });
    }
    beside
}

impl Lab {
    /// Signals of the cells and of secondary cells at the first UE.
    fn set_both(&self, own: &[f64], beside: &[f64]) {
        self.channel.set(0, own);
        self.beside.iter().for_each(|channel| channel.set(0, beside));
    }
}

/// A UE with a full buffer downlink that goes from cell 0 to cell 1 of two, each with a secondary cell. The second cell is
/// better from 400 ms on.
fn full(mobility: HandoverSetup, activation: Option<Activation>) -> Lab {
    let mut config = aggregated(network((1, 2), 9, mobility), activation, false);
    fill(&mut config.0);
    let mut lab = Lab::of(config.0, config.1);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.run(400);
    lab.channel.set(0, &[-80.0, -78.0]);
    lab.run(2_000);
    lab.end();
    lab
}

/// Times of blocks in a cell.
fn blocks(lab: &Lab, cell: u16) -> Vec<Time> {
    let own = lab.seen.decoded.iter().filter(|(_, own)| *own == CellId(cell));
    own.map(|(at, _)| *at).collect()
}

#[test]
fn a_handover_releases_those_of_the_source_and_adds_those_of_the_target() {
    for activation in [by_bytes(20_000), None] {
        let lab = full(exact(), activation);
        let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
        let (left, arrived) = (record.command_received.unwrap(), record.completed.unwrap());
        let [first, second] = &lab.seen.stays[..] else { panic!("{:?}", lab.seen.stays) };
        assert_eq!((first.cell, first.added), (CellId(2), Time::ZERO));
        assert_eq!(first.ended, Some((left, SecondaryEnd::Handover)));
        assert_eq!((second.cell, second.added, second.ended), (CellId(3), arrived, None));
        // The decision to activate it is at once, as the buffer is full.
        assert_eq!((second.first_active, second.activations), (Some(arrived + DELAY), 1));
        // Two TTIs of preparation and one on the air.
        let from_decision = Duration::from_millis(3);
        let [source, target] = [2, 3].map(|cell| blocks(&lab, cell));
        let begin = if activation.is_some() { Time::ZERO + DELAY } else { Time::ZERO };
        assert_eq!(source.first(), Some(&(begin + from_decision)));
        assert!(source.last().is_some_and(|last| *last <= left), "{:?} {left}", source.last());
        assert_eq!(target.first(), Some(&(arrived + DELAY + from_decision)));
        // A block each TTI: nothing is missing before and behind.
        let whole = |from: Time, to: Time| (to.since(from).as_nanos() / 1_000_000) as usize;
        assert!(source.len() + 1 >= whole(begin + from_decision, left), "{}", source.len());
        assert!(target.len() >= whole(target[0], Time::from_millis(2_000)));
        // The primary cell of the target carries alone for 24 ms.
        let alone = blocks(&lab, 1).iter().filter(|at| **at < target[0]).count();
        assert_eq!(alone, 24);
    }
}

#[test]
fn a_re_establishment_releases_all() {
    let (config, channel) = aggregated(network((1, 2), 9, exact()), by_bytes(1), false);
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-80.0, -125.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-125.0, -125.0]);
    lab.feed(0, 400, 2_000);
    lab.channel.set(0, &[-125.0, -80.0]);
    lab.feed(0, 2_000, 3_000);
    lab.run(10_000);
    lab.end();
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!(record.cause, HandoverCause::Reestablishment);
    let (failed, arrived) = (record.failed.unwrap(), record.completed.unwrap());
    let [first, second] = &lab.seen.stays[..] else { panic!("{:?}", lab.seen.stays) };
    assert_eq!(first.ended, Some((failed, SecondaryEnd::Failure)));
    assert_eq!((second.cell, second.added), (CellId(3), arrived));
    assert_eq!(second.first_active, Some(arrived + DELAY));
    lab.check_books();
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
}

#[test]
fn in_the_same_cell_a_re_establishment_adds_them_again() {
    let (config, channel) = aggregated(network((1, 2), 9, exact()), by_bytes(1), false);
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-80.0, -140.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-135.0, -140.0]);
    lab.feed(0, 400, 2_000);
    lab.channel.set(0, &[-80.0, -140.0]);
    lab.feed(0, 2_000, 3_000);
    lab.run(10_000);
    lab.end();
    let [first, second] = &lab.seen.stays[..] else { panic!("{:?}", lab.seen.stays) };
    let (failed, why) = first.ended.unwrap();
    assert_eq!((first.cell, second.cell, why), (CellId(2), CellId(2), SecondaryEnd::Failure));
    // T310 is 1 s.
    assert!(failed >= Time::from_millis(1_400) && second.added >= Time::from_millis(2_000));
    lab.check_books();
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
}

#[test]
fn a_source_of_daps_goes_on_without_them() {
    let lab = full(dual(exact()), by_bytes(20_000));
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    let (left, arrived) = (record.command_received.unwrap(), record.completed.unwrap());
    let [first, second] = &lab.seen.stays[..] else { panic!("{:?}", lab.seen.stays) };
    assert_eq!(first.ended, Some((left, SecondaryEnd::Handover)));
    assert_eq!((second.cell, second.added), (CellId(3), arrived));
    assert!(blocks(&lab, 2).iter().all(|at| *at <= left));
    let beside = blocks(&lab, 0).iter().filter(|at| **at > left && **at <= arrived).count();
    let execution = arrived.since(left).as_nanos().div_ceil(1_000_000) as usize;
    assert!(beside + 1 >= execution, "{beside} {execution}");
}

#[test]
fn a_fallback_of_daps_adds_them_again() {
    let mut mobility = dual(exact());
    mobility.handover.access.max_power = Dbm(-120.0);
    mobility.handover.procedure.t304 = Duration::from_millis(100);
    let lab = full(mobility, None);
    let record = &lab.seen.handovers[0];
    assert!(record.daps.is_some_and(|own| own.fallback));
    let left = record.command_received.unwrap();
    let [first, second] = [&lab.seen.stays[0], &lab.seen.stays[1]];
    assert_eq!(first.ended, Some((left, SecondaryEnd::Handover)));
    let back = left + Duration::from_millis(100);
    assert_eq!((second.cell, second.added), (CellId(2), back));
    assert_eq!(second.first_active, Some(back + DELAY));
}

#[test]
fn acknowledged_data_of_released_carriers_are_sent_again() {
    for mobility in [exact(), dual(exact())] {
        let (config, channel) = aggregated(network((1, 2), 9, mobility), None, false);
        let mut lab = Lab::of(config, channel);
        lab.channel.set(0, &[-80.0, -90.0]);
        lab.feed(0, 0, 400);
        lab.channel.set(0, &[-80.0, -78.0]);
        lab.feed(0, 400, 1_000);
        lab.run(5_000);
        assert_eq!((lab.seen.handovers.len(), lab.seen.drops.len()), (1, 0));
        let all: Vec<u32> = (100..350).collect();
        assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(Ran::CORE)), (all.clone(), all));
        assert!([2, 3].iter().all(|cell| lab.seen.blocks[&CellId(*cell)] > 10));
    }
}

/// A lab of two cells whose UE has packets downlink, and which has run until the time behind the first measurements.
fn lab_of_a6(change: impl FnOnce(&mut HandoverSetup)) -> Lab {
    let mut mobility = exact();
    change(&mut mobility);
    let mut lab = apart((1, 2), 9, mobility, by_bytes(1));
    lab.set_both(&[-80.0, -90.0], &[-80.0, -90.0]);
    lab.feed(0, 0, 400);
    lab
}

#[test]
fn a6_compares_with_the_secondary_cell() {
    // TS 36.331, 5.5.4.6a: Mn + Ocn - Hys > Ms + Ocs + Off, with 1 and 2 dB.
    for (level, sites, changes) in [
        (-77.1, vec![], false),
        (-76.9, vec![], true),
        (-76.9, vec![4, 4], true),
        (-76.9, vec![4, 5], false),
    ] {
        let mut lab = lab_of_a6(|own| own.handover.secondary.sites = sites);
        lab.set_both(&[-80.0, -90.0], &[-80.0, level]);
        lab.feed(0, 400, 2_000);
        let ends: Vec<SecondaryEnd> =
            lab.seen.stays.iter().filter_map(|stay| Some(stay.ended?.1)).collect();
        assert_eq!(ends, vec![SecondaryEnd::Change; usize::from(changes)]);
        assert_eq!(lab.seen.handovers, []);
    }
}

#[test]
fn a_changed_secondary_cell_carries_after_processing_and_activation() {
    let (mut config, channel) = aggregated(network((1, 2), 9, exact()), by_bytes(1), false);
    fill(&mut config);
    let beside = beside(&mut config);
    let mut lab = Lab { beside: Some(beside), ..Lab::of(config, channel) };
    lab.set_both(&[-80.0, -90.0], &[-80.0, -90.0]);
    lab.run(400);
    lab.set_both(&[-80.0, -90.0], &[-80.0, -75.0]);
    let sample = lab.ran.handovers.as_ref().expect("handovers").next_due();
    lab.run(2_000);
    lab.end();
    let [first, second] = &lab.seen.stays[..] else { panic!("{:?}", lab.seen.stays) };
    // Two TTIs of preparation and one on the air.
    let left = sample + Duration::from_millis(3);
    assert_eq!((first.cell, first.ended), (CellId(2), Some((left, SecondaryEnd::Change))));
    // 20 ms of processing (TS 36.331, 11.2), and the activation.
    let added = left + Duration::from_millis(20);
    assert_eq!((second.cell, second.added), (CellId(3), added));
    assert_eq!((second.first_active, second.ended), (Some(added + DELAY), None));
    assert_eq!(lab.seen.handovers, []);
    // A decision in the next TTI, two TTIs of preparation, one on the air; then a block in each.
    let [before, after, own] = [2, 3, 0].map(|cell| blocks(&lab, cell));
    assert!(before.iter().all(|at| *at <= left) && before.len() > 300);
    let begin = (added + DELAY).as_nanos().div_ceil(1_000_000) + 3;
    assert_eq!(after.first(), Some(&Time::from_millis(begin)));
    assert_eq!(after.len() as u64, 2_000 - begin + 1);
    // The primary cell goes on in each TTI.
    assert_eq!(own.len(), 1_998);
}

#[test]
fn a_guest_goes_with_its_home() {
    let mut lab = lab_of_a6(|_| {});
    lab.set_both(&[-80.0, -90.0], &[-80.0, -75.0]);
    lab.feed(0, 400, 2_000);
    let [first] = &lab.seen.stays[..] else { panic!("{:?}", lab.seen.stays) };
    let (left, _) = first.ended.unwrap();
    // Lent to its host, the UE takes no room there.
    let guests = lab.ran.guests.clone();
    let connected = |lab: &Lab| [0, 1].map(|n| lab.ran.cells[n].connected_ues());
    assert_eq!((guests.len(), connected(&lab)), (1, [1, 0]));
    lab.ran.exchange(&guests);
    assert_eq!(connected(&lab), [0, 0]);
    lab.ran.exchange(&guests);
    // A handover brings the secondary cell of the target.
    for (n, level) in (0..).zip([-84.0, -82.0, -80.5, -78.5]) {
        // In steps, so that link adaptation follows.
        lab.set_both(&[-80.0, level], &[-80.0, -75.0]);
        lab.feed(0, 2_000 + 300 * n, 2_300 + 300 * n);
    }
    let [record] = &lab.seen.handovers.clone()[..] else { panic!("{:?}", lab.seen.handovers) };
    let (command, arrived) = (record.command_received.unwrap(), record.completed.unwrap());
    let second = lab.seen.stays[1];
    assert_eq!((second.cell, second.added), (CellId(3), left + Duration::from_millis(20)));
    assert_eq!(second.ended, Some((command, SecondaryEnd::Handover)));
    // Then back to that of the first cell, as a guest there.
    lab.set_both(&[-90.0, -78.5], &[-70.0, -75.0]);
    lab.feed(0, 3_200, 4_000);
    lab.run(5_000);
    lab.end();
    let ways: Vec<_> = lab.seen.stays[2..].iter().map(|stay| (stay.cell, stay.added)).collect();
    assert_eq!((ways[0], ways[1].0), ((CellId(3), arrived), CellId(2)));
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
    let all: Vec<u32> = (100..1_100).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(Ran::CORE)), (all.clone(), all));
}

#[test]
fn a_failure_ends_the_stay_at_another_cell() {
    let mut lab = lab_of_a6(|_| {});
    lab.set_both(&[-80.0, -140.0], &[-80.0, -75.0]);
    lab.feed(0, 400, 1_000);
    lab.set_both(&[-135.0, -140.0], &[-80.0, -75.0]);
    lab.feed(0, 1_000, 3_000);
    lab.set_both(&[-80.0, -140.0], &[-80.0, -140.0]);
    lab.feed(0, 3_000, 4_000);
    lab.run(20_000);
    let ways: Vec<_> =
        lab.seen.stays.iter().map(|stay| (stay.cell, stay.ended.unwrap().1)).collect();
    assert_eq!(ways[..2], [(CellId(2), SecondaryEnd::Change), (CellId(3), SecondaryEnd::Failure)]);
    lab.check_books();
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
}

#[test]
fn a2_deactivates_the_secondary_cell_until_a1() {
    let mut mobility = exact();
    mobility.handover.secondary.begin = serving_event(MeasurementEvent::A2 { threshold: -95.0 });
    mobility.handover.secondary.end = serving_event(MeasurementEvent::A1 { threshold: -90.0 });
    for activation in [by_bytes(1), None] {
        let (mut config, channel) =
            aggregated(network((1, 2), 9, mobility.clone()), activation, false);
        fill(&mut config);
        let beside = beside(&mut config);
        let mut lab = Lab { beside: Some(beside), ..Lab::of(config, channel) };
        for (n, level) in (1..).zip([-94.9, -95.1, -90.1, -89.9]) {
            lab.set_both(&[-80.0, -140.0], &[level, -140.0]);
            lab.run(1_000 * n);
        }
        lab.end();
        let carries = |from: u64, to: u64| {
            let within = Time::from_millis(from)..Time::from_millis(to);
            blocks(&lab, 2).iter().filter(|at| within.contains(at)).count()
        };
        // Samples are each 200 ms; blocks that were decided before are received within 4 ms. A1 takes an activation.
        assert_eq!((carries(100, 1_000), carries(1_204, 3_000)), (900, 0));
        assert!(carries(1_000, 1_200) < 200 && carries(3_300, 4_000) == 700);
        let [stay] = &lab.seen.stays[..] else { panic!("{:?}", lab.seen.stays) };
        assert_eq!((stay.cell, stay.activations, stay.ended), (CellId(2), 2, None));
    }
}

#[test]
fn a_guest_has_no_uplink_in_its_host() {
    let mut mobility = exact();
    mobility.handover.secondary.change = serving_event(MeasurementEvent::A6 { offset: 0.0 });
    let (config, _) = aggregated(network((2, 2), 9, mobility), None, true);
    let error = Ran::new(config, Seed(9)).err().expect("a refusal");
    assert_eq!(error.to_string(), "event A6, and UE 0 sends in secondary cells");
}
