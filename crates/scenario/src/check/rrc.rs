//! Checks of RRC: cycles that fit into each other, distributions in order.

use airpath_base::Duration;
use airpath_base::rrc::Cycle;
use airpath_schema::units::{EveryCycle, Timer};

use super::Checker;
use crate::file::{Cell, Drx, Promotion, QuartilePromotion, Rrc, Scenario};

pub(super) fn check(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    let tti = cell.tti.tti().length();
    if let Some(rrc) = &cell.rrc {
        check_one(rrc, "cell.rrc", tti, checker);
        check_inactive(rrc, "cell.rrc", cell, checker);
        check_technology(rrc, "cell.rrc", cell, checker);
    }
    for (n, group) in scenario.ue.iter().enumerate() {
        if let Some(rrc) = &group.rrc {
            let path = format!("ue.{n}.rrc");
            check_one(rrc, &path, tti, checker);
            check_inactive(rrc, &path, cell, checker);
            check_technology(rrc, &path, cell, checker);
        }
    }
}

/// A table at `path`, of a cell with this TTI.
pub(super) fn check_one(rrc: &Rrc, path: &str, tti: Duration, checker: &mut Checker<'_>) {
    if let Some(drx) = &rrc.drx {
        check_drx(drx, &format!("{path}.drx"), tti, checker);
    }
    check_promotion(&rrc.promotion, &format!("{path}.promotion"), checker);
}

fn check_promotion(promotion: &Promotion, path: &str, checker: &mut Checker<'_>) {
    match promotion {
        Promotion::Uniform(uniform) if uniform.min > uniform.max => {
            let allowed = format!("{} or more, as min", uniform.min);
            checker.fail(&format!("{path}.max"), "is less than min", allowed);
        }
        Promotion::Quartiles(quartiles) => check_quartiles(quartiles, path, checker),
        _ => {}
    }
}

/// RRC_INACTIVE, which LTE has with a 5G core only (TS 36.331, 4.2.1).
fn check_inactive(rrc: &Rrc, path: &str, cell: &Cell, checker: &mut Checker<'_>) {
    let Some(own) = &rrc.inactive else { return };
    let path = format!("{path}.inactive");
    if !cell.is_nr() {
        let allowed = "leave it out, or set cell.technology = \"nr\"";
        checker.fail(&path, "is for NR", allowed);
    }
    if rrc.release_after == Timer::Infinity {
        let allowed = "give `release_after` a time, or leave it out";
        checker.fail(&path, "never comes: `release_after` is \"infinity\"", allowed);
    }
    check_promotion(&own.resume, &format!("{path}.resume"), checker);
    if own.paging_cycle.is_some_and(|cycle| cycle > rrc.paging_cycle) {
        // TS 38.304, 7.1: the shorter counts.
        let allowed = format!("{} or less", rrc.paging_cycle);
        checker.fail(&format!("{path}.paging_cycle"), "is longer than that of an idle UE", allowed);
    }
}

/// A capture shows no state of a suspended connection.
pub(super) fn check_radio_file(rrc: &Rrc, checker: &mut Checker<'_>) {
    if rrc.pdcch_skipping.is_some() {
        let allowed = "leave it out: packets show no monitoring";
        checker.fail("rrc.pdcch_skipping", "is for simulations", allowed);
    }
    if rrc.inactive.is_some() {
        let allowed = "leave it out: packets show no difference between inactive and idle";
        checker.fail("rrc.inactive", "is for simulations", allowed);
    }
}

fn check_quartiles(quartiles: &QuartilePromotion, path: &str, checker: &mut Checker<'_>) {
    let QuartilePromotion { min, p25, p50, p75, max } = *quartiles;
    let points = [("min", min), ("p25", Some(p25)), ("p50", Some(p50)), ("p75", Some(p75))];
    let points = points.into_iter().chain([("max", max)]);
    let points: Vec<_> = points.filter_map(|(key, point)| Some((key, point?))).collect();
    for pair in points.windows(2) {
        let [(below, least), (key, point)] = [pair[0], pair[1]];
        if point < least {
            let is_wrong = format!("is less than {below}");
            checker.fail(&format!("{path}.{key}"), &is_wrong, format!("{least} or more"));
        }
    }
}

fn check_drx(drx: &Drx, path: &str, tti: Duration, checker: &mut Checker<'_>) {
    let at = |key: &str| format!("{path}.{key}");
    if drx.on_duration < tti {
        checker.fail(&at("on_duration"), "is shorter than a tti", format!("{tti} or more"));
    }
    let mut shortest = ("long_cycle", drx.long_cycle);
    if let EveryCycle::Interval(short) = drx.short_cycle {
        if short > drx.long_cycle {
            let allowed = format!("{} or less, as long_cycle; or \"off\"", drx.long_cycle);
            checker.fail(&at("short_cycle"), "is longer than the long cycle", allowed);
        } else if !drx.long_cycle.is_multiple_of(short) {
            // TS 36.331, 6.3.2, shortDRX-Cycle.
            let allowed = format!("whole times {short}: {}, for example", short.times(2));
            checker.fail(&at("long_cycle"), "is no multiple of the short cycle", allowed);
        }
        shortest = ("short_cycle", short);
    }
    let (key, cycle) = (shortest.0, shortest.1.shortest());
    if drx.on_duration > cycle {
        let is_wrong = format!("is longer than {key}");
        checker.fail(&at("on_duration"), &is_wrong, format!("{cycle} or less"));
    }
    check_fractions(drx, path, checker);
    if drx.offset.is_some_and(|offset| Cycle::every(offset) >= drx.long_cycle) {
        let allowed = format!("less than {}", drx.long_cycle);
        checker.fail(&at("offset"), "is beyond the long cycle", allowed);
    }
}

/// Cycles of a fraction, which NR alone has (TS 38.331, 6.3.2).
fn check_technology(rrc: &Rrc, path: &str, cell: &Cell, checker: &mut Checker<'_>) {
    let fraction = rrc.drx.as_ref().and_then(|drx| drx.long_cycle.as_fraction());
    if rrc.pdcch_skipping.is_some() && !cell.is_nr() {
        let allowed = "leave it out, or cell.technology = \"nr\"";
        checker.fail(&format!("{path}.pdcch_skipping"), "is for NR", allowed);
    }
    if fraction.is_some() && !cell.is_nr() {
        let allowed = "a time, as \"40 ms\", or cell.technology = \"nr\"";
        checker.fail(
            &format!("{path}.drx.long_cycle"),
            "is a fraction, which LTE has not",
            allowed,
        );
    }
}

/// Rules of cycles of a fraction (TS 38.331, 6.3.2, DRX-ConfigExt2).
fn check_fractions(drx: &Drx, path: &str, checker: &mut Checker<'_>) {
    let at = |key: &str| format!("{path}.{key}");
    let (long, short) = (drx.long_cycle, drx.short_cycle.quantity());
    let fractions = short.map(|short| (long.as_fraction(), short.as_fraction()));
    if fractions.is_some_and(|(long, short)| long.is_some() != short.is_some()) {
        let allowed = "both cycles are fractions, or none; or short_cycle = \"off\"";
        checker.fail(&at("short_cycle"), "does not go with long_cycle", allowed);
    }
    if let Some((_, Some(short))) =
        fractions.filter(|(_, short)| short.is_some_and(|short| Cycle::ONLY_LONG.contains(&short)))
    {
        let is_wrong = format!("cannot be {}/{} ms", short.0, short.1);
        let allowed = "a fraction of drx-NonIntegerShortCycle (TS 38.331, 6.3.2), as \"25/3 ms\"";
        checker.fail(&at("short_cycle"), &is_wrong, allowed);
    }
    let whole = |offset: Duration| offset % Duration::from_millis(1) == Duration::ZERO;
    if long.as_fraction().is_some() && drx.offset.is_some_and(|offset| !whole(offset)) {
        let allowed = "whole milliseconds, as \"5 ms\"";
        checker.fail(&at("offset"), "is no subframe", allowed);
    }
}
