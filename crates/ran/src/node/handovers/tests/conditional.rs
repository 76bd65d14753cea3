//! Conditional handover.

use super::*;
use crate::handover::{ConditionalConfig, Event, EventConfig};

/// The event of these settings becomes the execution condition. Candidates are prepared 6 dB earlier.
pub(super) fn by_condition(mut mobility: HandoverSetup) -> HandoverSetup {
    let condition = mobility.handover.events[0];
    let event = Event::A3 { offset: -6.0 };
    mobility.handover.events[0] = EventConfig { event, report_on_leave: true, ..condition };
    mobility.handover.conditional = Some(ConditionalConfig::of(condition));
    mobility
}

/// A UE that has had a candidate in cell 1, 2 dB below its own, for some time; and the present time.
fn prepared(mobility: HandoverSetup) -> (Lab, u64) {
    let mut lab = Lab::new((1, 2), 9, mobility);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-80.0, -82.0]);
    lab.feed(0, 400, 1_000);
    assert_eq!(lab.seen.candidates, [(UeId(0), CellId(1), true)]);
    assert!(lab.seen.handovers.is_empty());
    (lab, 1_000)
}

#[test]
fn the_ue_leaves_when_the_condition_is_fulfilled() {
    let (mut lab, now) = prepared(by_condition(exact()));
    lab.channel.set(0, &[-83.0, -80.0]);
    lab.feed(0, now, now + 600);
    let [record] = &lab.seen.handovers.clone()[..] else { panic!("{:?}", lab.seen.handovers) };
    let end = (record.cause, record.outcome, record.target);
    assert_eq!(end, (HandoverCause::Conditional, HandoverOutcome::Success, CellId(1)));
    let own = record.conditional.expect("an execution");
    assert_eq!((own.candidates, own.recovery, own.copies), (1, false, 0));
    // 50 ms of preparation; two TTIs of preparation and one on the air.
    assert_eq!(millis(record.report, record.command_sent), 50.0);
    assert_eq!(millis(record.command_sent, Some(own.received)), 3.0);
    // The first sample of 200 ms behind the change at 1 s.
    assert!((0.0..=200.0).contains(&millis(Some(Time::from_millis(now)), Some(own.executed))));
    assert_eq!(record.command_received, Some(own.executed));
    // 10 ms until the UE leaves (TS 38.133, 6.1.4.2). It has processed the command before.
    assert_eq!(millis(Some(own.executed), record.access), 10.0);
    let access = millis(record.access, record.completed);
    assert!((10.0..20.0).contains(&access), "{access}");
    // The cell that it has left is a candidate of the next.
    let candidates = [(UeId(0), CellId(1), false), (UeId(0), CellId(0), true)];
    assert_eq!(lab.seen.candidates[1..], candidates);
    lab.run(5_000);
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
    let all: Vec<u32> = (100..500).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(Ran::CORE)), (all.clone(), all));
}

#[test]
fn a_lost_report_ends_a_handover_by_command_alone() {
    // The source fades to -30 dB in both directions, before anything could be reported.
    let end = |mobility: HandoverSetup| {
        let (mut lab, now) = match mobility.handover.conditional {
            Some(_) => prepared(mobility),
            None => {
                let mut lab = Lab::new((1, 2), 9, mobility);
                lab.channel.set(0, &[-80.0, -82.0]);
                lab.feed(0, 0, 1_000);
                (lab, 1_000)
            }
        };
        lab.channel.set(0, &[-110.0, -80.0]);
        lab.feed(0, now, now + 2_000);
        lab.run(8_000);
        lab.check_books();
        assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
        let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
        (record.cause, record.failed.is_some(), record.problem)
    };
    assert_eq!(end(by_condition(exact())), (HandoverCause::Conditional, false, None));
    let too_late = Some(MobilityProblem::TooLate);
    assert_eq!(end(exact()), (HandoverCause::Reestablishment, true, too_late));
}

#[test]
fn a_conditional_command_can_be_lost() {
    let lab = faded(by_condition(exact()), [-80.0, -82.0]);
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!(record.outcome, HandoverOutcome::CommandLost);
    assert_eq!((record.problem, record.conditional), (Some(MobilityProblem::TooLate), None));
    let all = [(UeId(0), CellId(1), true), (UeId(0), CellId(1), false)];
    assert_eq!(lab.seen.candidates, all);
    lab.check_books();
}

/// From the failure of a link that the condition does not notice, to the connection in the candidate, ms.
fn after_failure(recovery: bool) -> (f64, Handover) {
    let mut mobility = by_condition(exact());
    let own = mobility.handover.conditional.as_mut().expect("conditional handover");
    (own.recovery, own.condition.event) = (recovery, Event::A3 { offset: 15.0 });
    mobility.handover.measurement.sample_period = Duration::from_millis(10);
    let (mut lab, now) = prepared(mobility);
    // 14 dB between the cells, 24 dB to noise.
    lab.channel.set(0, &[-110.0, -96.0]);
    lab.feed(0, now, now + 3_000);
    lab.run(8_000);
    lab.check_books();
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!((record.reached, record.problem), (Some(CellId(1)), Some(MobilityProblem::TooLate)));
    (millis(record.failed, record.completed), record.clone())
}

#[test]
fn after_a_failure_a_candidate_needs_no_reestablishment() {
    // At most 10 ms to the sample; then 50 + 100 + 15 ms (TS 36.133, 6.1.2.1).
    let (took, record) = after_failure(false);
    assert!((165.0..=175.0).contains(&took) && record.conditional.is_none(), "{took}");
    // At most 10 ms to the sample, 100 ms of search and 10 ms to the access, which takes 10 to 20 ms.
    let (took, record) = after_failure(true);
    assert!((120.0..=140.0).contains(&took), "{took}");
    let own = record.conditional.expect("an execution");
    assert!(own.recovery && record.outcome == HandoverOutcome::Success);
    assert_eq!(millis(Some(own.executed), record.access), 110.0);
}

#[test]
fn early_forwarding_has_packets_at_the_target_before_the_ue() {
    let first = |early: bool| {
        let mut mobility = by_condition(exact());
        let own = mobility.handover.conditional.as_mut().expect("conditional handover");
        own.early_forwarding = early;
        let (mut lab, now) = prepared(mobility);
        lab.channel.set(0, &[-83.0, -80.0]);
        lab.feed(0, now, now + 600);
        lab.run(5_000);
        assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
        assert_eq!(lab.sizes(Ran::ue(UeId(0))), (100..500).collect::<Vec<u32>>());
        let record = lab.seen.handovers[0].clone();
        let times = &lab.times[&Ran::ue(UeId(0))];
        let first = times.iter().find(|at| Some(**at) > record.completed).copied();
        let copies = record.conditional.expect("an execution").copies;
        (millis(record.completed, first), copies, record)
    };
    // Two TTIs of preparation and one on the air, perhaps 8 ms more. Late: 5 ms to the source and 5 ms back before.
    let (early, copies, record) = first(true);
    assert!((3.0..10.0).contains(&early), "{early}");
    // One packet each 4 ms from the preparation to the completion, in one candidate.
    let expected = (millis(record.report, record.completed) - 50.0) / 4.0;
    assert!((copies as f64 - expected).abs() < 8.0, "{copies} {expected}");
    let (late, copies, _) = first(false);
    assert!((13.0..22.0).contains(&late) && copies == 0, "{late}");
}

#[test]
fn candidates_keep_preambles() {
    // One preamble of 64 is for single UEs: the second UE has contention.
    let mut mobility = by_condition(exact());
    mobility.handover.access.preambles = 63;
    let mut lab = Lab::new((2, 2), 9, mobility);
    (0..2).for_each(|ue| lab.channel.set(ue, &[-80.0, -82.0]));
    lab.run(1_000);
    (0..2).for_each(|ue| lab.channel.set(ue, &[-83.0, -80.0]));
    lab.run(2_000);
    let access = |ue: usize| {
        let record = &lab.seen.handovers[ue];
        millis(record.access, record.completed)
    };
    assert_eq!(lab.seen.handovers.len(), 2);
    // 5 ms for the resolution (TR 36.912, B.1.1).
    let mut both = [access(0), access(1)];
    both.sort_by(f64::total_cmp);
    assert!(both[1] - both[0] >= 4.9 || both[1] > 15.0, "{both:?}");
}

#[test]
fn a_report_that_comes_during_a_change_counts_behind_it() {
    let mut lab = Lab::new((1, 3), 9, by_condition(exact()));
    lab.channel.set(0, &[-80.0, -82.0, -95.0]);
    lab.feed(0, 0, 1_000);
    assert_eq!(lab.seen.candidates, [(UeId(0), CellId(1), true)]);
    // Cell 2 enters the event, and is prepared for 50 ms. In the meantime cell 1 leaves it.
    lab.channel.set(0, &[-80.0, -82.0, -82.0]);
    lab.feed(0, 1_000, 1_040);
    lab.channel.set(0, &[-80.0, -95.0, -82.0]);
    lab.feed(0, 1_040, 2_000);
    let expected = [(1, true), (2, true), (1, false)].map(|(n, kept)| (UeId(0), CellId(n), kept));
    assert_eq!(lab.seen.candidates, expected);
}
