//! A scheduler of the user's instead of the scenario's.

use std::sync::{Arc, Mutex};

use airpath_base::{CellId, UeId};
use airpath_ran::CellConfig;
use airpath_ran::mac::{Grants, Levels, Placement, Priority, Scheduler, Slot};
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

/// Serves the first whole slots.
struct First;

impl Scheduler for First {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        grants.give(&slot.candidates[0], grants.free());
    }
}

/// Grants more than there is.
struct Generous;

impl Scheduler for Generous {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        grants.give(&slot.candidates[0], grants.free() + 1);
    }
}

/// Says where a UE may be placed, and serves the first.
struct Placed(Arc<Mutex<Option<Placement>>>);

impl Scheduler for Placed {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        *self.0.lock().expect("one run") = Some(grants.placement());
        grants.give(&slot.candidates[0], 1);
    }
}

fn run_with<S: Scheduler + 'static>(
    text: &str,
    scheduler: impl Fn() -> S,
) -> Result<Outcome, RunFailure> {
    let scenario = Scenario::parse("test.toml", text, &[]).expect("valid");
    let make = |_: CellId, cell: &CellConfig| -> Box<dyn Scheduler> {
        assert_eq!(u32::from(cell.resource_blocks), 6);
        Box::new(scheduler())
    };
    run(&scenario, RunOptions { scheduler: Some(&make), ..RunOptions::default() })
}

fn received(outcome: &Outcome) -> Vec<u64> {
    outcome.summary.flows.iter().map(|flow| flow.received_packets).collect()
}

#[test]
fn it_decides_who_is_served() {
    for favourite in [0, 1] {
        let outcome = run_with(TWO, || Favourite(UeId(favourite))).expect("a run");
        let received = received(&outcome);
        let other = 1 - favourite as usize;
        assert!(received[favourite as usize] > 100 && received[other] == 0, "{received:?}");
    }
}

#[test]
fn it_goes_into_levels_of_classes_of_traffic() {
    let text = format!(
        "{TWO}[[bearer]]\nname = \"other\"\nonly = 1\ndefault = true\ntraffic_class = \"video\"\n"
    );
    let video = Scenario::parse("test.toml", &text, &[]).expect("valid").traffic_class("video");
    let video = video.expect("a class");
    let alone = received(&run_with(&text, || First).expect("a run"));
    let levels = || Levels::new(Priority(vec![video]), || First);
    let with_levels = received(&run_with(&text, levels).expect("a run"));
    assert!(alone[0] > 10 * alone[1], "{alone:?}");
    assert!(with_levels[1] > 10 * with_levels[0], "{with_levels:?}");
}

#[test]
#[should_panic(expected = "more than 6 resource blocks")]
fn it_may_not_grant_more_than_there_is() {
    _ = run_with(TWO, || Generous);
}

#[test]
fn it_sees_where_resource_blocks_may_be() {
    let seen = |text: &str| {
        let placement = Arc::new(Mutex::new(None));
        run_with(text, || Placed(Arc::clone(&placement))).expect("a run");
        placement.lock().expect("one run").expect("a slot")
    };
    assert_eq!(seen(TWO), Placement::Blocks);
    // TS 36.213, table 7.1.6.1-1: up to 10 resource blocks in groups of one.
    let groups = TWO.replace("resource_blocks = 6", "resource_blocks = 6\nplacement = \"groups\"");
    assert_eq!(seen(&groups), Placement::Groups(1));
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
    let failure = run_with(wires, || Favourite(UeId(0))).err().expect("a failure");
    assert!(failure.to_string().contains("no cell"), "{failure}");
}
