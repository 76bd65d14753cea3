//! Checks of duplex and HARQ.

use airpath_base::Duration;
use airpath_ran::{MAX_PATTERN, PatternError, Tti};

use crate::file::{Cell, Duplex, Flexible, HarqUplink, NetworkLayout, Scenario, TddPart};

use super::Checker;

/// Periods of patterns in microseconds (TS 38.331, 6.3.2: dl-UL-TransmissionPeriodicity, with that of
/// version 1530).
const PERIODS_US: [u64; 10] = [500, 625, 1_000, 1_250, 2_000, 2_500, 3_000, 4_000, 5_000, 10_000];
/// Two frames, which whole patterns fill (TS 38.213, 11.1).
const FRAMES: Duration = Duration::from_millis(20);

pub(super) fn check(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    let network = scenario.network.as_ref();
    let several = network.is_some_and(|network| network.layout != Some(NetworkLayout::Single));
    if several && cell.flexible == Some(Flexible::ByNeed) {
        let allowed = "\"unused\", \"downlink\" or \"uplink\" in a network, or network.layout = \
                       \"single\": cells and UEs that disturb each other are left out";
        checker.fail("cell.flexible", "cannot be \"by-need\"", allowed);
    }
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
        ("cell.tdd_common", !cell.tdd_common.is_empty()),
        ("cell.tdd_configuration", cell.tdd_configuration.is_some()),
        ("cell.special_subframe", cell.special_subframe.is_some()),
        ("cell.special_uplink", cell.special_uplink),
        ("cell.flexible", cell.flexible.is_some()),
    ];
    for (key, _) in keys.iter().filter(|(_, given)| *given) {
        checker.fail(key, "does not count with duplex \"fdd\"", allowed);
    }
}

fn check_tdd(cell: &Cell, checker: &mut Checker<'_>) {
    match cell.tti.mini_slot().filter(|_| cell.is_nr()) {
        Some(symbols) => check_mini_slots(cell, symbols, checker),
        None if cell.tti.mini_slot().is_some() || !cell.tti.tti().is_slot() => {
            let allowed = "with duplex \"tdd\", \"mu0\" to \"mu4\" or as long: \"1 ms\", \"0.5 ms\", \
                           \"0.25 ms\", \"0.125 ms\" or \"62.5 us\"; mini-slots with technology \"nr\"";
            checker.fail("cell.tti", "is no whole slot", allowed);
        }
        None => {}
    }
    check_forms(cell, checker);
    if cell.tdd_configuration.is_some() {
        check_lte(cell, checker);
    } else {
        check_slots(cell, checker);
    }
    check_feedback(cell, checker);
}

/// Checks of mini-slots of so many symbols.
fn check_mini_slots(cell: &Cell, symbols: u8, checker: &mut Checker<'_>) {
    if !14_u8.is_multiple_of(symbols) {
        let is_wrong = format!("has mini-slots of {symbols} symbols, which do not divide a slot");
        let allowed = "/7sym or /2sym with duplex \"tdd\", whose slots have 14 symbols";
        checker.fail("cell.tti", &is_wrong, allowed);
    }
    if cell.flexible == Some(Flexible::ByNeed) {
        let allowed = "\"unused\", \"downlink\" or \"uplink\" with mini-slots, or tti as a whole slot: a \
                       guard between mini-slots is left out";
        checker.fail("cell.flexible", "cannot be \"by-need\"", allowed);
    }
}

/// Checks that a pattern is given in one form.
fn check_forms(cell: &Cell, checker: &mut Checker<'_>) {
    let common = !cell.tdd_common.is_empty();
    if cell.tdd_configuration.is_some() && common {
        let allowed = "one of them: tdd_configuration is LTE's alone";
        checker.fail("cell.tdd_common", "is beside tdd_configuration", allowed);
    } else if cell.tdd_configuration.is_some() || common {
        let other = if common { "tdd_common" } else { "tdd_configuration" };
        let given = cell.tdd_pattern.as_ref();
        if given.zip(cell.pattern_letters()).is_some_and(|(given, own)| *given != own) {
            let is_wrong = format!("is not that of {other}");
            checker.fail("cell.tdd_pattern", &is_wrong, "one of them");
        }
    } else if cell.tdd_pattern.is_none() {
        checker.fail(
            "cell.tdd_pattern",
            "is missing",
            "a pattern of slots for duplex \"tdd\", as \"DDDSU\", or tdd_common, or with LTE \
             tdd_configuration",
        );
    }
}

/// Checks of LTE's configurations.
fn check_lte(cell: &Cell, checker: &mut Checker<'_>) {
    if cell.is_nr() {
        let allowed = "with technology \"nr\", tdd_pattern or tdd_common";
        checker.fail("cell.tdd_configuration", "is LTE's", allowed);
    }
    let tti = cell.tti.tti();
    if tti != Tti::LTE {
        checker.fail("cell.tti", "is no subframe", "\"1 ms\" with tdd_configuration");
    }
    let keys = [
        ("special_slot", cell.special_slot.is_some(), "special_subframe = 7, or 0 to 9"),
        ("special_uplink", cell.special_uplink, "false: LTE sends no PUSCH in special subframes"),
        ("flexible", cell.flexible.is_some(), "leave it out: LTE's subframes are not flexible"),
    ];
    for (key, _, allowed) in keys.iter().filter(|(_, given, _)| *given) {
        checker.fail(&format!("cell.{key}"), "does not count with tdd_configuration", *allowed);
    }
    if cell.harq.uplink == Some(HarqUplink::Asynchronous) {
        let allowed = "\"synchronous\" with tdd_configuration, or tdd_pattern with it";
        checker.fail("cell.harq.uplink", "cannot be asynchronous", allowed);
    }
    let timing = &cell.timing;
    let tables = [
        ("grant_to_transmission", timing.grant_to_transmission, "table 8-2"),
        ("data_to_feedback", timing.data_to_feedback, "table 10.1.3.1-1"),
    ];
    let usual = Tti::LTE.times(4);
    for (key, span, table) in tables {
        if span.with_tti(tti) != usual {
            let allowed = format!("leave it out: TS 36.213, {table}, has it by subframe");
            let is_wrong = "does not count with tdd_configuration";
            checker.fail(&format!("cell.timing.{key}"), is_wrong, allowed);
        }
    }
    let [sent, processed] = [timing.uplink_transmission, timing.uplink_processing];
    if sent.with_tti(tti) + processed.with_tti(tti) > usual {
        let allowed = "with uplink_transmission 4 ms at most, when PHICH is due (TS 36.213, table \
                       9.1.2-1)";
        checker.fail("cell.timing.uplink_processing", "is too long", allowed);
    }
}

/// Checks of other patterns.
fn check_slots(cell: &Cell, checker: &mut Checker<'_>) {
    if cell.special_subframe.is_some() {
        let allowed = "tdd_configuration with it, or special_slot = \"10:2:2\" instead";
        checker.fail("cell.special_subframe", "does not count without tdd_configuration", allowed);
    }
    if cell.harq.uplink == Some(HarqUplink::Synchronous) {
        let allowed = "\"asynchronous\" with duplex \"tdd\"";
        checker.fail("cell.harq.uplink", "cannot be synchronous", allowed);
    }
    if !cell.tdd_common.is_empty() && !check_common(cell, checker) {
        return;
    }
    match cell.pattern_of_slots() {
        Some(Err(error)) => report_pattern(cell, error, checker),
        Some(Ok(pattern)) if cell.special_uplink && !pattern.has_special_uplink() => {
            let allowed = "special slots with 2 symbols uplink or more";
            checker.fail("cell.special_uplink", "has no room in the pattern", allowed);
        }
        _ => {}
    }
    let letters = cell.pattern_letters().or_else(|| cell.tdd_pattern.clone());
    if cell.flexible.is_some() && letters.is_some_and(|letters| !letters.contains('F')) {
        let allowed = "an F in tdd_pattern with it, or more slots in tdd_common";
        checker.fail("cell.flexible", "is of slots that the pattern does not have", allowed);
    }
}

/// Checks of the parts of a pattern as system information has them; gives whether they fit.
fn check_common(cell: &Cell, checker: &mut Checker<'_>) -> bool {
    let parts = &cell.tdd_common;
    if parts.len() > 2 {
        let is_wrong = format!("has {} parts", parts.len());
        checker.fail("cell.tdd_common", &is_wrong, "one or two (TS 38.213, 11.1)");
        return false;
    }
    if cell.special_slot.is_some() {
        let allowed = "downlink_symbols and uplink_symbols of its parts";
        checker.fail("cell.special_slot", "does not count with tdd_common", allowed);
    }
    let fit = (0..).zip(parts).filter(|(n, part)| check_part(cell, *n, part, checker)).count();
    let all: Duration = parts.iter().map(|part| part.period).sum();
    let divides = !all.is_zero() && FRAMES.as_nanos().is_multiple_of(all.as_nanos());
    if !divides {
        let (last, is_wrong) = (parts.len() - 1, format!("makes {all} of all parts"));
        let allowed = "periods that together divide 20 ms, as 5 ms, or 3 and 2 ms";
        checker.fail(&format!("cell.tdd_common.{last}.period"), &is_wrong, allowed);
    }
    divides && fit == parts.len()
}

fn check_part(cell: &Cell, n: usize, part: &TddPart, checker: &mut Checker<'_>) -> bool {
    let (path, slot) = (format!("cell.tdd_common.{n}"), cell.tti.slot());
    let known = PERIODS_US.iter().any(|us| part.period == Duration::from_micros(*us));
    let Some(count) = slot.count(part.period).filter(|_| known) else {
        let fits = |us: &&u64| slot.count(Duration::from_micros(**us)).is_some();
        let own = PERIODS_US.iter().filter(fits).map(|us| format!("{}", *us as f64 / 1e3));
        let allowed = format!("{} ms with these slots", own.collect::<Vec<_>>().join(", "));
        let is_wrong = format!("cannot be {}", part.period);
        checker.fail(&format!("{path}.period"), &is_wrong, allowed);
        return false;
    };
    let room = part.slots(slot, Flexible::Unused).is_some();
    if !room {
        let TddPart { downlink_slots, downlink_symbols, uplink_slots, uplink_symbols, .. } = part;
        let is_wrong = format!(
            "has {downlink_slots} slots and {downlink_symbols} symbols downlink, {uplink_slots} and \
             {uplink_symbols} uplink"
        );
        let allowed = format!("what fits into {count} slots, symbols of a slot 14 at most");
        checker.fail(&path, &is_wrong, allowed);
    }
    room
}

fn report_pattern(cell: &Cell, error: PatternError, checker: &mut Checker<'_>) {
    let form = if cell.tdd_common.is_empty() { "tdd_pattern" } else { "tdd_common" };
    let (key, allowed) = match error {
        PatternError::Letter(_) => {
            (form, "D for downlink, F for flexible, S for special, U for uplink")
        }
        PatternError::NoDownlink => (form, "at least one D, a slot that is all downlink"),
        PatternError::NoUplink => (form, "at least one U, a slot that is all uplink"),
        PatternError::NoSpecial => (form, "no S, or special_slot = \"10:2:2\" with it"),
        PatternError::UnusedSpecial => ("special_slot", "an S in tdd_pattern with it"),
        PatternError::Length(_) => {
            let allowed = format!("at most {MAX_PATTERN}");
            return checker.fail(&format!("cell.{form}"), &error.to_string(), allowed);
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
    let waiting = match cell.pattern() {
        Some(Ok(pattern)) => pattern.longest_wait().min(period),
        _ => 1,
    };
    // The first of the period have one more where they do not divide.
    ues / period * waiting + (ues % period).min(waiting)
}
