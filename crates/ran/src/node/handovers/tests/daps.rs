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
    let (from, to) = (record.command_received.expect("a command"), record.completed.expect("an end"));
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
    let (execution, gaps, plain) = stream(9, exact());
    assert!((25.0..=35.0).contains(&execution), "{execution}");
    assert!(gaps.iter().all(|gap| *gap >= execution), "{gaps:?} {execution}");
    assert_eq!(plain.seen.handovers[0].daps, None);
    let (execution, gaps, lab) = stream(9, dual(exact()));
    eprintln!("{gaps:?}");
    assert!((25.0..=35.0).contains(&execution), "{execution}");
}
