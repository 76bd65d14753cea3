//! A scheduler of the user's in place of the scenario's.

use airpath_base::UeId;
use airpath_ran::mac::{Grants, Scheduler, Slot};
use airpath_scenario::Scenario;
use airpath_sim::{Outcome, RunFailure, RunOptions, run};

const TWO: &str = r#"
duration = "1 s"
[cell]
resource_blocks = 6
[[ue]]
name = "phone"
count = 2
snr = "20 dB"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

/// Gives one UE all that is free, and the others what it leaves: nothing.
struct Favourite(UeId);

impl Scheduler for Favourite {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        let found = slot.candidates.iter().find(|candidate| candidate.ue == self.0);
        if let Some(candidate) = found {
            grants.give(candidate, grants.free());
        }
    }
}

/// Grants more than there is.
struct Generous;

impl Scheduler for Generous {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        grants.give(&slot.candidates[0], grants.free() + 1);
    }
}

fn run_with(text: &str, scheduler: Box<dyn Scheduler>) -> Result<Outcome, RunFailure> {
    let scenario = Scenario::parse("test.toml", text, &[]).expect("valid");
    run(&scenario, RunOptions { scheduler: Some(scheduler), ..RunOptions::default() })
}

fn received(outcome: &Outcome) -> Vec<u64> {
    outcome.summary.flows.iter().map(|flow| flow.received_packets).collect()
}

#[test]
fn it_decides_who_is_served() {
    for favourite in [0, 1] {
        let outcome = run_with(TWO, Box::new(Favourite(UeId(favourite)))).expect("a run");
        let received = received(&outcome);
        let other = 1 - favourite as usize;
        assert!(received[favourite as usize] > 100 && received[other] == 0, "{received:?}");
    }
}

#[test]
#[should_panic(expected = "more than 6 resource blocks")]
fn it_may_not_grant_more_than_there_is() {
    _ = run_with(TWO, Box::new(Generous));
}

#[test]
fn it_needs_a_cell() {
    let wires = r#"
        duration = "1 s"
        radio = "none"
        [path.sgi]
        rate = "5 Mbit/s"
        delay = "5 ms"
        [[ue]]
        name = "host"
        [[flow]]
        name = "voice"
        kind = "rtp"
        direction = "down"
    "#;
    let failure = run_with(wires, Box::new(Favourite(UeId(0)))).err().expect("a failure");
    assert!(failure.to_string().contains("no cell"), "{failure}");
}
