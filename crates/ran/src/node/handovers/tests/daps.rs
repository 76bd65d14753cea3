//! Handover with a dual active protocol stack.

use super::*;

/// These settings with DAPS.
pub(super) fn dual(mut mobility: HandoverSetup) -> HandoverSetup {
    mobility.handover.daps = true;
    mobility
}

/// Execution and the longest time without a delivered packet downlink and uplink around it, ms, and the lab.
fn stream(qci: u8, mobility: HandoverSetup) -> (f64, [f64; 2], Lab) {
    let mut lab = Lab::new((1, 2), qci, mobility);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-80.0, -78.0]);
    lab.feed(0, 400, 1_000);
    lab.run(5_000);
    lab.check_books();
    assert_eq!(lab.ran.held(), Held::default());
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!((record.outcome, record.target), (HandoverOutcome::Success, CellId(1)));
    let around = Duration::from_millis(100);
    let (from, to) =
        (record.command_received.expect("a command"), record.completed.expect("an end"));
    let gap = |port: Port| {
        let near = |at: &&Time| **at + around > from && **at < to + around;
        let times: Vec<Time> = lab.times[&port].iter().filter(near).copied().collect();
        let gaps = times.windows(2).map(|two| two[1].since(two[0]).as_millis_f64());
        gaps.fold(0.0, f64::max)
    };
    let gaps = [gap(Ran::ue(UeId(0))), gap(Ran::CORE)];
    (to.since(from).as_millis_f64(), gaps, lab)
}

#[test]
fn a_stream_has_no_interruption() {
    // 15 ms of processing (TS 36.331, 11.2), and 10 to 20 ms of random access.
    let (execution, [down, _], plain) = stream(9, exact());
    assert!((25.0..=35.0).contains(&execution), "{execution}");
    assert!(down >= execution && plain.seen.handovers[0].daps.is_none(), "{down} {execution}");
    let (execution, [down, _], lab) = stream(9, dual(exact()));
    assert!((25.0..=35.0).contains(&execution), "{execution}");
    // 4 ms between packets, 5 ms of forwarding, 3 ms of preparation and air, 1 ms to a TTI, 8 ms of HARQ.
    assert!(down <= 21.0, "{down}");
    assert_eq!((lab.seen.drops.len(), lab.sent), (0, 500));
    let all: Vec<u32> = (100..350).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(Ran::CORE)), (all.clone(), all));
    let record = &lab.seen.handovers[0];
    let own = record.daps.expect("DAPS");
    assert!(!own.fallback && own.source_failed.is_none());
    // A copy of each packet of the execution, and of at most three that the source had on the air.
    let expected = execution / 4.0;
    assert!((own.copies as f64 - expected - 1.5).abs() <= 3.0, "{own:?} {expected}");
    // The UE has most of them from the source: at its release at most three are on their way.
    assert!(record.forwarded <= 3, "{record:?}");
    let forwarded = lab.seen.forwarded.iter();
    assert_eq!(forwarded.len() as u64, record.forwarded + lab.seen.behind);
    let at = record.path_switched.expect("a switched path");
    assert_eq!(lab.seen.switched, [(at, 7, CellId(0), CellId(1), true)]);
    assert_eq!(lab.seen.ended, [(at, 7, CellId(0), CellId(1))]);
}

#[test]
fn an_uplink_stream_waits_for_a_grant_of_the_target_alone() {
    // Unacknowledged, as acknowledged mode sends again what is not confirmed.
    let (_, [_, plain], _) = stream(7, exact());
    let (execution, [down, up], lab) = stream(7, dual(exact()));
    assert!(down <= 21.0, "{down}");
    // The interruption is gone, but for two packets that the release of the source lost on the air.
    assert!(up <= plain - execution + 8.0, "{up} {plain} {execution}");
    // UM loses what is on the air with the release of the source.
    let lost = lab.seen.drops.iter().filter(|cause| **cause == DropCause::Handover).count();
    assert!(lost <= 6, "{lost}");
}

/// A UE with a command to cell 1 in its hands for 5 ms, 2 dB above its own, and the present time.
fn commanded(mut mobility: HandoverSetup) -> (Lab, u64) {
    mobility.handover.procedure.t304 = Duration::from_millis(200);
    let mut lab = Lab::new((1, 2), 9, dual(mobility));
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-80.0, -78.0]);
    let report = lab.reported(400);
    // 50 ms of preparation, and 3 ms to the UE.
    lab.feed(0, report, report + 60);
    (lab, report + 60)
}

#[test]
fn behind_t304_the_ue_goes_on_in_the_source() {
    let mut mobility = exact();
    // No preamble reaches the target.
    mobility.handover.access.max_power = Dbm(-100.0);
    let (mut lab, now) = commanded(mobility);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, now, now + 400);
    lab.run(5_000);
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!((record.outcome, record.problem), (HandoverOutcome::T304Expired, None));
    assert_eq!((record.target, record.reached), (CellId(1), Some(CellId(0))));
    assert_eq!(millis(record.command_received, record.failed), 200.0);
    assert_eq!((record.completed, record.path_switched), (None, None));
    let own = record.daps.expect("DAPS");
    assert!(own.fallback && own.source_failed.is_none());
    // One packet each 4 ms for 200 ms, and some that were on the air with the command.
    assert!((50..=60).contains(&own.copies), "{own:?}");
    // No re-establishment, which takes 165 ms: a packet comes each 4 ms, or 8 ms later with a block sent again.
    let failed = record.failed.expect("a failure");
    let near = |at: &&Time| **at + Duration::from_millis(100) > failed;
    let times: Vec<Time> = lab.times[&Ran::ue(UeId(0))].iter().filter(near).copied().collect();
    let gaps = times.windows(2).map(|two| two[1].since(two[0]).as_millis_f64());
    let longest = gaps.fold(0.0, f64::max);
    assert!(times.len() > 50 && longest <= 20.0, "{longest}");
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
    let all: Vec<u32> = (100..100 + (lab.sent / 2) as u32).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(Ran::CORE)), (all.clone(), all));
    assert!(lab.seen.forwarded.is_empty() && lab.seen.switched.is_empty());
    assert!(lab.seen.blocks.keys().all(|cell| *cell == CellId(0)));
}

#[test]
fn behind_a_fallback_the_event_reports_again() {
    let mut mobility = exact();
    mobility.handover.access.max_power = Dbm(-100.0);
    let (mut lab, now) = commanded(mobility);
    lab.feed(0, now, now + 1_400);
    lab.run(now + 1_500);
    // At most 240 ms to a report (reportInterval), 53 ms to the command, 200 ms of T304.
    let ends = &lab.seen.handovers;
    assert!(ends.len() >= 3, "{ends:?}");
    assert!(ends.iter().all(|one| one.daps.is_some_and(|own| own.fallback)));
    let apart = ends.windows(2).map(|two| millis(two[0].failed, two[1].failed));
    assert!(apart.into_iter().all(|apart| (253.0..=493.0).contains(&apart)));
}

#[test]
fn a_ue_whose_source_fails_goes_on_to_the_target() {
    let mut mobility = exact();
    // 150 ms of synchronisation are longer than T310.
    mobility.handover.procedure.synchronisation = Duration::from_millis(150);
    let (mut config, channel) = network((1, 2), 9, dual(mobility));
    config.ues[0].radio_link.t310 = Duration::from_millis(50);
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-80.0, -78.0]);
    let report = lab.reported(400);
    lab.feed(0, report, report + 60);
    // The source fades to -50 dB.
    lab.channel.set(0, &[-130.0, -80.0]);
    lab.feed(0, report + 60, report + 600);
    lab.run(5_000);
    lab.check_books();
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!((record.outcome, record.reached), (HandoverOutcome::Success, Some(CellId(1))));
    let own = record.daps.expect("DAPS");
    assert!(!own.fallback && own.source_failed > record.command_received, "{own:?}");
    // 15 ms and 150 ms, and 10 to 20 ms of random access, as if the source had not failed.
    let execution = millis(record.command_received, record.completed);
    assert!((175.0..=185.0).contains(&execution), "{execution}");
    // Out of sync within 200 ms (TS 36.133, 7.6.2.1), and 50 ms of T310.
    assert!(millis(record.command_received, own.source_failed) >= 50.0);
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
    let all: Vec<u32> = (100..100 + (lab.sent / 2) as u32).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(Ran::CORE)), (all.clone(), all));
}

#[test]
fn without_source_and_target_the_ue_reestablishes_its_connection() {
    let mut mobility = exact();
    mobility.handover.access.max_power = Dbm(-100.0);
    mobility.handover.procedure.t304 = Duration::from_millis(600);
    let (mut config, channel) = network((1, 3), 9, dual(mobility));
    config.ues[0].radio_link.t310 = Duration::from_millis(50);
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-80.0, -90.0, -95.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-80.0, -78.0, -95.0]);
    let report = lab.reported(400);
    lab.feed(0, report, report + 60);
    lab.channel.set(0, &[-130.0, -110.0, -80.0]);
    lab.feed(0, report + 60, report + 1_500);
    lab.run(5_000);
    lab.check_books();
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!((record.outcome, record.reached), (HandoverOutcome::T304Expired, Some(CellId(2))));
    assert_eq!(record.problem, Some(MobilityProblem::WrongCell));
    let own = record.daps.expect("DAPS");
    assert!(!own.fallback && own.source_failed.is_some());
    assert_eq!(millis(record.command_received, record.failed), 600.0);
    // 50 ms + 100 ms + 15 ms (TS 36.133, 6.1.2.1).
    assert_eq!(millis(record.failed, record.completed), 165.0);
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
    let all: Vec<u32> = (100..100 + (lab.sent / 2) as u32).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(Ran::CORE)), (all.clone(), all));
}
