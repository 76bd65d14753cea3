//! Property: packets are conserved and finite transfers complete in any scenario.
//!
//! The scenarios are drawn from fixed seeds, the same in each run of the tests.

use crate::lab::{Lab, draw};
use airpath_base::{Duration, FlowId, NodeId, Time};
use airpath_net::{DropCause, Event, Held, Probe};
use airpath_path::ImpairConfig;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const STEP: Duration = Duration::from_millis(10);

/// So many cases, or as many times more as PROPTEST_CASES is of proptest's own 256.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let (rng_seed, failure_persistence) = (RngSeed::Fixed(1), None);
    let all = ProptestConfig::default();
    ProptestConfig { cases: all.cases * cases / 256, rng_seed, failure_persistence, ..all }
}

proptest! {
    #![proptest_config(cases(256))]

    // `run` checks the books of all nodes after each slice (in builds with debug assertions) and at
    // the end. It checks, too, that the stages of each packet add up to its delay.
    #[test]
    fn a_run_accounts_for_the_packets_of_each_flow(text in draw::scenario(), seed: u64) {
        let scenario = match Scenario::parse("random.toml", &text, &[]) {
            Ok(scenario) => scenario,
            Err(errors) => panic!("{}\n{text}", errors.plain()),
        };
        let options = RunOptions { seed: Some(seed), ..RunOptions::default() };
        let outcome = match run(&scenario, options) {
            Ok(outcome) => outcome,
            Err(failure) => panic!("{failure}\n{text}"),
        };
        let summary = outcome.summary;
        prop_assert!(summary.complete);
        for flow in &summary.flows {
            let ended = flow.received_packets + flow.lost_packets + flow.in_flight_packets;
            prop_assert_eq!(flow.sent_packets, ended, "{}", &flow.name);
        }
    }

    #[test]
    fn no_element_makes_or_loses_a_packet_unseen(
        text in draw::scenario(), impair in draw::impair(), seed: u64,
    ) {
        let mut lab = Lab::new(&text, seed, impair);
        if let Err(flaw) = lab.run(STEP, Time::from_millis(700)) {
            panic!("{flaw}\n{text}");
        }
    }
}

/// Simulated time within which a transfer of so many bytes is complete, for certain.
///
/// A segment and its acknowledgement survive with a chance of 0.7^2 on the wires. In UM, with two
/// HARQ attempts of which up to 30 % fail, the chance is more than 0.6^2 of these. 60 attempts,
/// with up to the highest retransmission timeout of 60 s between two, are therefore all in vain
/// once in 10^5 segments. No transfer needs all of them to be.
fn bound(bytes: &[u64]) -> Time {
    let segments: u64 = bytes.iter().map(|bytes| bytes.div_ceil(536) + 4).sum();
    Time::ZERO + Duration::from_secs(segments * 60 * 60)
}

/// Runs until nothing will ever happen again; gives what is wrong then.
fn complete(lab: &mut Lab, bytes: &[u64]) -> Result<(), String> {
    let end = bound(bytes);
    lab.run(STEP, end)?;
    for (n, &bytes) in (1..).zip(bytes) {
        let flow = FlowId(n);
        let delivered = lab.auditor.delivered.get(&flow).copied().unwrap_or(0);
        if delivered != bytes || !lab.auditor.finished.contains_key(&flow) {
            let now = lab.engine.now();
            return Err(format!("flow {n}: {delivered} of {bytes} B when all was over at {now}"));
        }
    }
    match (lab.held(), lab.engine.next_wake()) {
        (held, None) if held == Held::default() => Ok(()),
        (held, wake) => Err(format!("{held:?} is left, and {wake:?} to come")),
    }
}

/// All events in their order.
#[derive(Default, PartialEq)]
struct Events(Vec<String>);

impl Probe for Events {
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        self.0.push(format!("{now} {node} {event:?}"));
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn the_number_of_threads_decides_nothing(text in draw::network(), seed: u64) {
        let scenario = match Scenario::parse("random.toml", &text, &[]) {
            Ok(scenario) => scenario,
            Err(errors) => panic!("{}\n{text}", errors.plain()),
        };
        let events = |threads| {
            let mut events = Events::default();
            let listener: Option<&mut dyn Probe> = Some(&mut events);
            let options = RunOptions { seed: Some(seed), listener, threads, ..Default::default() };
            run(&scenario, options).expect("a run without failure");
            events
        };
        let expected = events(1);
        for threads in [2, 3, 8] {
            prop_assert!(events(threads) == expected, "{threads} threads\n{text}");
        }
    }
}

proptest! {
    #![proptest_config(cases(384))]

    #[test]
    fn finite_transfers_complete_and_leave_nothing_behind(
        (text, bytes) in draw::transfers(), impair in draw::impair(), seed: u64,
    ) {
        let mut lab = Lab::new(&text, seed, impair);
        if let Err(flaw) = complete(&mut lab, &bytes) {
            panic!("{flaw}\n{impair:?}, seed {seed}\n{text}");
        }
    }

    #[test]
    fn acknowledged_mode_delivers_whatever_the_radio_loses(
        (text, bytes) in draw::transfers(), seed: u64,
    ) {
        let text = text.replace("rlc = \"um\"", "rlc = \"am\"");
        let mut lab = Lab::new(&text, seed, ImpairConfig::default());
        if let Err(flaw) = complete(&mut lab, &bytes) {
            panic!("{flaw}\nseed {seed}\n{text}");
        }
        let drops = &lab.auditor.drops;
        prop_assert!(!drops.contains_key(&DropCause::RlcLoss), "{drops:?}\n{text}");
        prop_assert!(!drops.contains_key(&DropCause::LinkFailure), "{drops:?}\n{text}");
    }
}
