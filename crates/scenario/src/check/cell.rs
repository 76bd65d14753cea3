//! Checks of the cell.

use airpath_base::Duration;

use crate::file::Scenario;

use super::Checker;

/// Longest step of a transmission.
const LONGEST_STEP: Duration = Duration::from_secs(1);

pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let cell = &scenario.cell;
    // TS 36.211, table 6.7-1.
    let symbols = if cell.resource_blocks > 10 { 1..=3 } else { 2..=4 };
    if !symbols.contains(&cell.control_symbols) {
        let is_wrong = format!("cannot be {}", cell.control_symbols);
        let allowed = format!(
            "{} to {} with {} resource blocks (TS 36.211, table 6.7-1)",
            symbols.start(),
            symbols.end(),
            cell.resource_blocks
        );
        checker.fail("cell.control_symbols", &is_wrong, allowed);
    }
    let adaptation = &cell.link_adaptation;
    if adaptation.min_mcs > adaptation.max_mcs {
        let allowed = format!("at most max_mcs, {}", adaptation.max_mcs);
        checker.fail("cell.link_adaptation.min_mcs", "is above max_mcs", allowed);
    }
    let uplink = &cell.uplink;
    if uplink.min_resource_blocks > cell.resource_blocks {
        let allowed = format!("at most {}", cell.resource_blocks);
        checker.fail("cell.uplink.min_resource_blocks", "is more than the cell has", allowed);
    }
    let whole = |path: &str, time: Duration, checker: &mut Checker<'_>| {
        if !(time % cell.tti).is_zero() {
            checker.fail(path, "is no multiple of the tti", format!("whole times {}", cell.tti));
        }
    };
    whole("cell.uplink.sr_period", uplink.sr_period, checker);
    whole("cell.uplink.bsr_period", uplink.bsr_period, checker);
    if let Some(offset) = uplink.sr_offset {
        whole("cell.uplink.sr_offset", offset, checker);
        if offset >= uplink.sr_period {
            let allowed = format!("less than sr_period, {}", uplink.sr_period);
            checker.fail("cell.uplink.sr_offset", "is beyond the period", allowed);
        }
    }
    check_timing(scenario, checker);
}

/// Steps that the model takes at the boundaries of intervals, and those that have to
/// fit into others.
fn check_timing(scenario: &Scenario, checker: &mut Checker<'_>) {
    let (timing, tti) = (&scenario.cell.timing, scenario.cell.tti);
    let path = |key: &str| format!("cell.timing.{key}");
    let whole = [
        ("downlink_preparation", timing.downlink_preparation),
        ("report_preparation", timing.report_preparation),
        ("grant_preparation", timing.grant_preparation),
        ("grant_to_transmission", timing.grant_to_transmission),
        ("harq_round_trip", timing.harq_round_trip),
    ];
    for (key, span) in whole {
        if !(span.with_tti(tti) % tti).is_zero() {
            checker.fail(&path(key), "is no multiple of the tti", "\"2 tti\", for example");
        }
    }
    let spans = [
        ("downlink_processing", timing.downlink_processing),
        ("sr_transmission", timing.sr_transmission),
        ("sr_detection", timing.sr_detection),
        ("grant_transmission", timing.grant_transmission),
        ("grant_decoding", timing.grant_decoding),
        ("uplink_processing", timing.uplink_processing),
    ];
    for (key, span) in whole.into_iter().chain(spans) {
        if span.with_tti(tti) > LONGEST_STEP {
            checker.fail(&path(key), "is too long", format!("at most {LONGEST_STEP}"));
        }
    }
    if timing.harq_round_trip.with_tti(tti) < tti {
        checker.fail(&path("harq_round_trip"), "is too short", "1 tti or more");
    }
    let air = timing.uplink_transmission.with_tti(tti);
    if air.is_zero() || air > tti {
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
