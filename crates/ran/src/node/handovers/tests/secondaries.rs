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

/// A UE with a full buffer downlink that goes from cell 0 to cell 1 of two, each with a secondary cell. The second cell is
/// better from 400 ms on.
fn full(mobility: HandoverSetup, activation: Option<Activation>) -> Lab {
    let mut config = aggregated(network((1, 2), 9, mobility), activation, false);
    config.0.bearers[0].full_buffers =
        [Some(FullBuffer { flow: FlowId(0), start: Time::ZERO, stop: None }), None];
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
