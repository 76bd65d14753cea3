//! Checks of the cell.

use airpath_base::Duration;
use airpath_net::Direction;
use airpath_ran::Duplex;
use airpath_schema::units::Quantity;

use crate::file::{Cell, Pdcch, ProcessingDelay, Scenario, UplinkAccess};
use crate::interval::Span;

use super::{Checker, duplex};

/// Longest step of a transmission.
const LONGEST_STEP: Duration = Duration::from_secs(1);
/// Longest time between opportunities.
const LONGEST_PERIOD: Duration = Duration::from_secs(1);

/// Longest time over which a report averages interference in seconds. All transmissions are kept so
/// long.
const LONGEST_AVERAGE_S: f64 = 1.0;

pub(super) fn check(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    if cell.pdcch == Some(Pdcch::Ideal) && cell.control_elements.is_some() {
        let allowed = "leave it out, or set pdcch = \"modelled\"";
        checker.fail("cell.control_elements", "does not count with pdcch \"ideal\"", allowed);
    }
    let adaptation = &cell.link_adaptation;
    if adaptation.min_mcs > adaptation.max_mcs {
        let allowed = format!("at most max_mcs, {}", adaptation.max_mcs);
        checker.fail("cell.link_adaptation.min_mcs", "is above max_mcs", allowed);
    }
    let span = adaptation.cqi_period.as_secs_f64() * f64::from(adaptation.cqi_interference);
    if adaptation.cqi_interference > 1 && span > LONGEST_AVERAGE_S {
        let is_wrong = format!("times cqi_period is {span} s");
        let allowed = "1 s together, with fewer measurements or a shorter cqi_period";
        checker.fail("cell.link_adaptation.cqi_interference", &is_wrong, allowed);
    }
    let uplink = &cell.uplink;
    if uplink.min_resource_blocks > u32::from(cell.resource_blocks()) {
        let allowed = format!("at most {}", cell.resource_blocks());
        checker.fail("cell.uplink.min_resource_blocks", "is more than the cell has", allowed);
    }
    let uses = |key: &str| format!("cell.uplink.{key}");
    period(cell, &uses("bsr_period"), uplink.bsr_period, checker);
    check_opportunities(cell, "sr", uplink.sr_period, uplink.sr_offset, checker);
    let (every, offset) = (uplink.configured_period, uplink.configured_offset);
    check_opportunities(cell, "configured", every, offset, checker);
    check_proactive(cell, checker);
    if uplink.access == UplinkAccess::Configured {
        check_configured(scenario, cell, checker);
    }
    check_timing(cell, checker);
    if let Some(own) = &cell.processing {
        for (key, time) in [("up", &own.up), ("down", &own.down), ("core", &own.core)] {
            check_processing(&format!("cell.processing.{key}"), time, checker);
        }
    }
    duplex::check(scenario, cell, checker);
}

/// A time of processing between two bounds in their order.
pub(super) fn check_processing(path: &str, time: &ProcessingDelay, checker: &mut Checker<'_>) {
    if let ProcessingDelay::Uniform(time) = time
        && time.min > time.max
    {
        let allowed = format!("{} or more", time.min);
        checker.fail(&format!("{path}.max"), "is less than min", allowed);
    }
}

/// Grants without a request need a period, and UEs that would ask.
fn check_proactive(cell: &Cell, checker: &mut Checker<'_>) {
    let uplink = &cell.uplink;
    let Some(every) = uplink.proactive_period else {
        if uplink.proactive_grant.is_some() {
            let allowed = "add proactive_period = \"5 tti\", for example, or leave it out";
            checker.fail("cell.uplink.proactive_grant", "does not count without a period", allowed);
        }
        return;
    };
    if uplink.access != UplinkAccess::SchedulingRequest {
        let is_wrong = format!("does not count with access \"{}\"", uplink.access.word());
        let allowed = "leave it out, or set access = \"scheduling-request\"";
        checker.fail("cell.uplink.proactive_period", &is_wrong, allowed);
    }
    period(cell, "cell.uplink.proactive_period", every, checker);
}

/// The period and the offset of a UE's opportunities.
fn check_opportunities(
    cell: &Cell,
    what: &str,
    every: Span,
    offset: Option<Span>,
    checker: &mut Checker<'_>,
) {
    let path = |key: &str| format!("cell.uplink.{what}_{key}");
    let count = period(cell, &path("period"), every, checker);
    if let Some(offset) = offset
        && let Some(ttis) = whole(cell, &path("offset"), offset, checker)
        && count.is_some_and(|period| ttis >= period)
    {
        let allowed = format!("less than {what}_period, {}", every.show());
        checker.fail(&path("offset"), "is beyond the period", allowed);
    }
}

/// Checks of configured grants. They have to fit beside each other. The cell has to know of a grant
/// for the same interval before the UE fills its own.
fn check_configured(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    let tti = cell.tti.tti();
    let (uplink, timing) = (&cell.uplink, &cell.timing);
    let period = uplink.configured_period.whole_ttis(tti).unwrap_or(1).max(1);
    let ues = scenario.most_ues();
    let beside = duplex::beside(scenario, cell, period);
    let occasions = check_occasions(cell, period, checker);
    let beside = beside.saturating_mul(check_repetitions(scenario, cell, period, checker));
    let beside = beside.saturating_mul(occasions).min(ues);
    let needed = beside.saturating_mul(u64::from(uplink.configured_resource_blocks));
    if needed > u64::from(cell.resource_blocks()) {
        let is_wrong = format!("needs {needed} resource blocks in one interval");
        let allowed = format!(
            "{} at most, for {beside} UEs of {ues} that have the same: a longer \
             configured_period, or smaller grants",
            cell.resource_blocks()
        );
        checker.fail("cell.uplink.configured_resource_blocks", &is_wrong, allowed);
    }
    let capped = |span: Span| span.with_tti(tti).min(LONGEST_STEP);
    let lead = capped(timing.grant_preparation) + capped(timing.grant_to_transmission);
    if timing.data_preparation.with_tti(tti) > lead {
        let allowed = format!("{lead} or less: grant_preparation and grant_to_transmission");
        checker.fail("cell.timing.data_preparation", "is too long", allowed);
    }
}

/// Several configured grants of a period. Gives the number of intervals whose grants may be beside each other.
fn check_occasions(cell: &Cell, period: u64, checker: &mut Checker<'_>) -> u64 {
    let count = u64::from(cell.uplink.configured_occasions);
    let key = "cell.uplink.configured_occasions";
    if count > 1 && !cell.is_nr() {
        checker.fail(key, "is for NR", "1, or cell.technology = \"nr\"");
    }
    if count > period {
        let allowed = format!("{period} or less, as configured_period");
        checker.fail(key, "is more than the period has intervals", allowed);
    }
    check_uplink_slots(cell, count, key, checker);
    if cell.uplink.configured_unused.is_some() && count < 2 {
        let allowed = "configured_occasions = 2 or more, or leave it out";
        checker.fail("cell.uplink.configured_unused", "needs several occasions", allowed);
    }
    count
}

/// Of consecutive intervals with configured grants, those that are no uplink have none. One alone is no sequence.
fn check_uplink_slots(cell: &Cell, count: u64, key: &str, checker: &mut Checker<'_>) {
    let Some(Ok(pattern)) = cell.pattern() else { return };
    let (period, duplex) = (pattern.period(), Duplex::Tdd(pattern));
    let is_up = |n: &u64| duplex.carries_data(Direction::Uplink, *n);
    let from = |first: u64| (first..first + count).filter(is_up).count();
    if count > 1 && (0..period).filter(is_up).all(|first| from(first) < 2) {
        let is_wrong = format!("has one uplink interval in {count}, and the others have no grant");
        checker.fail(key, &is_wrong, "1, or a tdd_pattern with uplink slots side by side");
    }
}

/// Repetitions of the block of a configured grant. Gives their number.
fn check_repetitions(
    scenario: &Scenario,
    cell: &Cell,
    period: u64,
    checker: &mut Checker<'_>,
) -> u64 {
    let count = u64::from(cell.uplink.configured_repetitions);
    let key = "cell.uplink.configured_repetitions";
    if count > 1 && !cell.is_nr() {
        checker.fail(key, "is for NR", "1, or cell.technology = \"nr\"");
    }
    if count > 1 && cell.uplink.configured_occasions > 1 {
        let allowed = "1, as the repetitions take the occasions of a period";
        checker.fail("cell.uplink.configured_occasions", "is beside repetitions", allowed);
    }
    if count > 1 && scenario.network.is_some() {
        checker.fail(key, "is for links without a network", "1, or leave out [network]");
    }
    check_uplink_slots(cell, count, key, checker);
    if count > period {
        let allowed = format!("{period} or less, as configured_period");
        checker.fail(key, "is more than the period has intervals", allowed);
    }
    count
}

/// The whole number of intervals that `span` has to be.
fn whole(cell: &Cell, path: &str, span: Span, checker: &mut Checker<'_>) -> Option<u64> {
    let count = span.whole_ttis(cell.tti.tti());
    if count.is_none() {
        let allowed = format!("whole times {}: \"2 tti\", for example", cell.tti.show());
        checker.fail(path, "is no multiple of the tti", allowed);
    }
    count
}

/// The number of intervals of a period.
fn period(cell: &Cell, path: &str, span: Span, checker: &mut Checker<'_>) -> Option<u64> {
    let count = whole(cell, path, span, checker)?;
    let allowed = format!("1 tti or more, at most {LONGEST_PERIOD}");
    if count == 0 {
        checker.fail(path, "is zero", allowed);
    } else if span.with_tti(cell.tti.tti()) > LONGEST_PERIOD {
        checker.fail(path, "is too long", allowed);
    } else {
        return Some(count);
    }
    None
}

/// Steps that the model takes at the boundaries of intervals, and those that have to
/// fit into others.
fn check_timing(cell: &Cell, checker: &mut Checker<'_>) {
    let (timing, tti) = (&cell.timing, cell.tti.tti());
    let air = cell.timing.uplink_transmission.with_tti(tti);
    let path = |key: &str| format!("cell.timing.{key}");
    let steps = [
        ("downlink_preparation", timing.downlink_preparation),
        ("report_preparation", timing.report_preparation),
        ("grant_preparation", timing.grant_preparation),
        ("grant_to_transmission", timing.grant_to_transmission),
        ("data_to_feedback", timing.data_to_feedback),
        ("harq_round_trip", timing.harq_round_trip),
    ];
    for (key, span) in steps {
        whole(cell, &path(key), span, checker);
    }
    let spans = [
        ("downlink_processing", timing.downlink_processing),
        ("sr_transmission", timing.sr_transmission),
        ("sr_detection", timing.sr_detection),
        ("grant_transmission", timing.grant_transmission),
        ("grant_decoding", timing.grant_decoding),
        ("data_preparation", timing.data_preparation),
        ("uplink_processing", timing.uplink_processing),
    ];
    for (key, span) in steps.into_iter().chain(spans) {
        if span.with_tti(tti) > LONGEST_STEP {
            checker.fail(&path(key), "is too long", format!("at most {LONGEST_STEP}"));
        }
    }
    if timing.harq_round_trip.with_tti(tti) < tti.length() {
        checker.fail(&path("harq_round_trip"), "is too short", "1 tti or more");
    }
    if air.is_zero() || air > tti.length() {
        let allowed = "more than 0, at most 1 tti";
        checker.fail(&path("uplink_transmission"), "does not fit its interval", allowed);
    }
    let grant = timing.grant_transmission.with_tti(tti).min(LONGEST_STEP);
    let decoded = grant + timing.grant_decoding.with_tti(tti).min(LONGEST_STEP);
    if timing.grant_to_transmission.with_tti(tti) < decoded {
        let allowed = format!("{decoded} or more: grant_transmission and grant_decoding");
        checker.fail(&path("grant_to_transmission"), "is too short", allowed);
    }
}
