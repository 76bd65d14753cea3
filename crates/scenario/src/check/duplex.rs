//! Checks of duplex and HARQ.

use airpath_ran::{MAX_PATTERN, Pattern, PatternError};

use crate::file::{Cell, Duplex, HarqUplink, Scenario};
use crate::interval::Interval;

use super::Checker;

pub(super) fn check(cell: &Cell, checker: &mut Checker<'_>) {
    match cell.duplex {
        Duplex::Fdd => check_fdd(cell, checker),
        Duplex::Tdd => check_tdd(cell, checker),
    }
    let harq = &cell.harq;
    if harq.uplink == Some(HarqUplink::Synchronous) && harq.processes.is_some() {
        let allowed = "uplink = \"asynchronous\" with it; otherwise the round trip decides";
        checker.fail("cell.harq.processes", "does not count with synchronous HARQ", allowed);
    }
}

fn check_fdd(cell: &Cell, checker: &mut Checker<'_>) {
    let allowed = "duplex = \"tdd\" with it";
    let keys = [
        ("cell.tdd_pattern", cell.tdd_pattern.is_some()),
        ("cell.special_slot", cell.special_slot.is_some()),
    ];
    for (key, _) in keys.iter().filter(|(_, given)| *given) {
        checker.fail(key, "does not count with duplex \"fdd\"", allowed);
    }
}

fn check_tdd(cell: &Cell, checker: &mut Checker<'_>) {
    let mini_slot = matches!(cell.tti, Interval::Nr { symbols: 1..14, .. });
    if mini_slot || !cell.tti.tti().is_slot() {
        let allowed = "with duplex \"tdd\", \"mu0\" to \"mu4\" or as long: \"1 ms\", \"0.5 ms\", \
                       \"0.25 ms\", \"0.125 ms\" or \"62.5 us\"";
        checker.fail("cell.tti", "is no whole slot", allowed);
    }
    match &cell.tdd_pattern {
        None => checker.fail(
            "cell.tdd_pattern",
            "is missing",
            "a pattern of slots for duplex \"tdd\", as \"DDDSU\"",
        ),
        Some(letters) => check_pattern(cell, letters, checker),
    }
    if cell.harq.uplink == Some(HarqUplink::Synchronous) {
        let allowed = "\"asynchronous\" with duplex \"tdd\"";
        checker.fail("cell.harq.uplink", "cannot be synchronous", allowed);
    }
    check_feedback(cell, checker);
}

fn check_pattern(cell: &Cell, letters: &str, checker: &mut Checker<'_>) {
    let special = cell.special_slot;
    let Err(error) = Pattern::new(letters, special) else { return };
    let (key, allowed) = match error {
        PatternError::Letter(_) => ("tdd_pattern", "D for downlink, S for special, U for uplink"),
        PatternError::NoDownlink => ("tdd_pattern", "at least one D"),
        PatternError::NoUplink => ("tdd_pattern", "at least one U: data are sent in U alone"),
        PatternError::NoSpecial => ("tdd_pattern", "no S, or special_slot = \"10:2:2\" with it"),
        PatternError::UnusedSpecial => ("special_slot", "an S in tdd_pattern with it"),
        PatternError::Length(_) => {
            let allowed = format!("at most {MAX_PATTERN}");
            return checker.fail("cell.tdd_pattern", &error.to_string(), allowed);
        }
    };
    let is_wrong = match error {
        PatternError::UnusedSpecial => "is of slots that the pattern does not have".to_owned(),
        _ => error.to_string(),
    };
    checker.fail(&format!("cell.{key}"), &is_wrong, allowed);
}

/// Feedback comes after the data and before what is sent again.
fn check_feedback(cell: &Cell, checker: &mut Checker<'_>) {
    let (timing, tti) = (&cell.timing, cell.tti.tti());
    let feedback = timing.data_to_feedback.with_tti(tti);
    if feedback < tti.length() {
        checker.fail("cell.timing.data_to_feedback", "is too short", "1 tti or more");
    }
    if timing.harq_round_trip.with_tti(tti) <= feedback {
        let allowed = "more than data_to_feedback: of the round trip, what follows it begins with \
                       the slot of the feedback";
        checker.fail("cell.timing.harq_round_trip", "is too short", allowed);
    }
}

/// UEs whose configured grants are for one interval at most, of `ues` spread over `period`
/// intervals.
pub(super) fn beside(scenario: &Scenario, cell: &Cell, period: u64) -> u64 {
    let ues = scenario.most_ues();
    if cell.uplink.configured_offset.is_some() {
        return ues;
    }
    let waiting = match &cell.tdd_pattern {
        Some(letters) if cell.duplex == Duplex::Tdd => longest_wait(letters).min(period),
        _ => 1,
    };
    // The first of the period have one more where they do not divide.
    ues / period * waiting + (ues % period).min(waiting)
}

/// Slots from one uplink slot to the next at most.
fn longest_wait(letters: &str) -> u64 {
    let twice = letters.repeat(2);
    twice.split('U').map(|others| others.len() as u64 + 1).max().unwrap_or(1)
}
