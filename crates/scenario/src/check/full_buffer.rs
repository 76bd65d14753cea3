//! Checks of full buffers.

use std::collections::BTreeMap;

use airpath_base::Direction;
use airpath_schema::{listed, nearest, suggest};

use super::{Checker, wires};
use crate::file::{Flow, RadioKind, Scenario};

/// Nothing but the radio: no key that is of packets, and a bearer for no other kind.
pub(super) fn check(scenario: &Scenario, flow: &Flow, path: &str, checker: &mut Checker<'_>) {
    if !flow.is_full_buffer() {
        if flow.bearer.is_some() {
            let allowed = "leave it out: the filters of bearers choose, [[bearer.filter]]";
            checker.fail(&format!("{path}.bearer"), "is for no flow of packets", allowed);
        }
        return;
    }
    if scenario.radio == RadioKind::None {
        wires::needs_radio(&format!("{path}.kind"), checker);
    }
    for key in flow.keys_of_packets() {
        let is_wrong = "is in a flow of kind \"full-buffer\", which has no packets";
        let allowed = "leave it out; allowed are name, ue, only, direction, bearer, start, stop";
        checker.fail(&format!("{path}.{key}"), is_wrong, allowed);
    }
}

/// Bearers of full buffers, once default bearers are there: each UE has the one that is named,
/// and no two share one in a direction.
pub(super) fn check_resolved(scenario: &Scenario, checker: &mut Checker<'_>) {
    let defaults = default_bearers(scenario);
    let mut taken: BTreeMap<(usize, Option<&str>, bool), usize> = BTreeMap::new();
    for (n, flow) in scenario.flow.iter().enumerate().filter(|(_, flow)| flow.is_full_buffer()) {
        let members = scenario.members(&flow.ue, flow.only.as_ref());
        if let Some(name) = &flow.bearer {
            check_bearer(scenario, name, &members, &format!("flow.{n}.bearer"), checker);
        }
        for ue in members {
            let bearer = flow.bearer.as_deref().or(defaults[ue]);
            let up = flow.direction == Direction::Uplink;
            if let Some(other) = taken.insert((ue, bearer, up), n) {
                let name = &scenario.flow[other].name;
                let is_wrong = format!("has the bearer and direction of \"{name}\" at the same UE");
                let allowed = "one full buffer fills all; choose another bearer or other UEs";
                checker.fail(&format!("flow.{n}"), &is_wrong, allowed);
                return;
            }
        }
    }
}

/// Names of the default bearers by UE.
fn default_bearers(scenario: &Scenario) -> Vec<Option<&str>> {
    let mut names = vec![None; scenario.ues().count()];
    for bearer in scenario.bearer.iter().filter(|bearer| bearer.default) {
        for ue in scenario.members(&bearer.ue, bearer.only.as_ref()) {
            names[ue] = Some(bearer.name.as_str());
        }
    }
    names
}

fn check_bearer(
    scenario: &Scenario,
    name: &str,
    members: &[usize],
    path: &str,
    checker: &mut Checker<'_>,
) {
    let names = || scenario.bearer.iter().map(|bearer| bearer.name.as_str());
    let Some(bearer) = scenario.bearer.iter().find(|bearer| bearer.name == name) else {
        let allowed = format!("bearers: {}", listed(names()));
        let allowed = suggest(nearest(name, names()), &allowed);
        return checker.fail(path, &format!("names no bearer: \"{name}\""), allowed);
    };
    let own = scenario.members(&bearer.ue, bearer.only.as_ref());
    let lacking =
        members.iter().find(|ue| !own.contains(ue)).and_then(|&ue| scenario.ues().nth(ue));
    if let Some(ue) = lacking {
        let is_wrong = format!("is not at each UE of the flow: {} has none", ue.name());
        checker.fail(path, &is_wrong, "choose among its UEs with ue and only, or give it to all");
    }
}
