//! Checks of the handling of PDU sets.

use airpath_base::Direction;
use airpath_schema::units::Timer;

use crate::file::{Bearer, Flow, Scenario, SetSchedule};

use super::{Checker, filters};

/// Checks a resolved bearer.
pub(super) fn check(scenario: &Scenario, bearer: &Bearer, path: &str, checker: &mut Checker<'_>) {
    let Some(sets) = &bearer.pdu_sets else { return };
    let at = format!("{path}.pdu_sets");
    if !scenario.has_user_plane_of_nr() {
        let allowed = "cell.user_plane = \"nr\", or leave it out: LTE knows no PDU sets";
        checker.fail(&at, "is for a user plane of NR", allowed);
    }
    let idle = [
        ("schedule", sets.schedule != SetSchedule::Usual, Direction::Downlink),
        ("delay_status", sets.delay_status.is_some(), Direction::Uplink),
    ];
    for (key, given, direction) in idle {
        let goes = |flow: &Flow| filters::goes(flow, direction);
        if given && !filters::carried(scenario, bearer).any(goes) {
            let is_wrong =
                format!("acts {0}link, and no flow of the bearer is {0}link", direction.name());
            let allowed =
                format!("leave it out, or add a flow of direction \"{}\"", direction.name());
            checker.fail(&format!("{at}.{key}"), &is_wrong, allowed);
        }
    }
    let slot = scenario.cell.iter().map(|cell| cell.tti.tti().length()).max();
    if let Some(slot) = slot.filter(|slot| sets.delay_budget < *slot) {
        let is_wrong = "is less than a slot, so that each set would be late";
        checker.fail(&format!("{at}.delay_budget"), is_wrong, format!("{slot} or more"));
    }
    if sets.discard && bearer.discard_timer == Some(Timer::Infinity) {
        let allowed =
            "a discard_timer of the bearer that runs out, or none, which follows from delay_budget";
        checker.fail(&format!("{at}.discard"), "has no timer that runs out", allowed);
    }
    if sets.by_importance && !sets.discard {
        let allowed = "discard = true, of which it shortens the timer";
        checker.fail(&format!("{at}.by_importance"), "is without discard", allowed);
    }
    if bearer.is_split() {
        let allowed = "split = false for the bearer, whose PDU sets take one path";
        checker.fail(&at, "is of a bearer with two paths", allowed);
    }
}
