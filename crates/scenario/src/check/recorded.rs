//! Checks of recorded loads of a cell; their files are read here.

use airpath_net::Direction;
use airpath_ran::{Duplex, RecordedLoad};
use airpath_schema::{Draft, Node};

use super::Checker;
use crate::file::{Cell, Scenario, UplinkAccess};
use crate::load::Files;
use crate::world;

/// Largest share of recorded slots that the cell uses otherwise. NR-Scope decodes some DCIs wrongly.
const MOST_ELSEWHERE: f64 = 0.05;

/// Reads the log of a recorded load.
pub(crate) fn read_recorded_load(
    scenario: &mut Scenario,
    root: &Node,
    files: Files<'_>,
) -> Vec<Draft> {
    let mut checker = Checker { root, drafts: Vec::new(), renamed: None };
    let load = scenario.cell.as_mut().and_then(|cell| cell.recorded_load.as_mut());
    if let Some(load) = load
        && let Err(why) = files(load.file.file()).and_then(|text| load.file.read(&text))
    {
        let is_wrong = format!("cannot be read: {}: {why}", load.file.file());
        let allowed = "NR-Scope's log of DCIs, a table of columns with commas";
        checker.fail("cell.recorded_load", &is_wrong, allowed);
    }
    checker.drafts
}

pub(super) fn check(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    let Some(own) = &cell.recorded_load else { return };
    let mut fail = |is_wrong: &str, allowed: &str| {
        checker.fail("cell.recorded_load", is_wrong, allowed);
    };
    if !cell.is_nr() || cell.symbols() != 14 {
        return fail("is beside another technology", "technology = \"nr\" with a tti of a slot");
    }
    if scenario.network.is_some() || !scenario.carrier.is_empty() {
        let allowed = "a cell alone, without `network` and `carrier`: a log is that of one cell";
        return fail("is beside other cells", allowed);
    }
    if cell.uplink.access == UplinkAccess::Configured {
        let allowed =
            "another `cell.uplink.access`: configured grants need resource blocks of their own";
        return fail("is beside configured grants", allowed);
    }
    let file = own.file.file();
    match own.load(cell) {
        None => {}
        Some(Err(why)) => fail(&format!("does not fit: {file}: {why}"), "a log of such a cell"),
        Some(Ok(load)) => {
            let duplex = world::duplex(cell);
            for direction in [Direction::Downlink, Direction::Uplink] {
                let share = elsewhere(&load, &duplex, direction);
                if share > MOST_ELSEWHERE {
                    let (share, direction) = ((share * 100.0).round(), direction.name());
                    let is_wrong = format!(
                        "does not fit: {file}: {share}% of the slots with data {direction} carry none in this cell"
                    );
                    fail(&is_wrong, "duplex and `tdd_pattern` of the recorded cell");
                }
            }
        }
    }
}

/// Share of the recorded slots of a direction that carry no data in it.
fn elsewhere(load: &RecordedLoad, duplex: &Duplex, direction: Direction) -> f64 {
    let slots = load.slots(direction);
    let other = slots.iter().filter(|(slot, _)| !duplex.carries_data(direction, *slot));
    other.count() as f64 / slots.len().max(1) as f64
}
