//! Checks of uplink cancellation.

use crate::file::{Cancellation, Cell, HarqUplink, Scenario, UplinkAccess};

use super::Checker;

const KEY: &str = "cell.uplink.cancellation";

/// Checks a scenario whose bearers are resolved.
pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let cell = scenario.cell.as_ref();
    let own = cell.and_then(|cell| Some((cell, cell.uplink.cancellation?)));
    let first = scenario.bearer.iter().position(|bearer| bearer.pre_empts);
    match (own, first) {
        (None, None) => {}
        (None, Some(n)) => {
            let allowed = "add cell.uplink.cancellation = {}, or leave it out";
            checker.fail(&format!("bearer.{n}.pre_empts"), "is without cancellation", allowed);
        }
        (Some(_), None) => {
            let allowed = "pre_empts = true for bearers of some UEs, or leave it out";
            checker.fail(KEY, "is without a bearer that pre-empts others", allowed);
        }
        (Some((cell, own)), Some(_)) => {
            check_cell(scenario, cell, checker);
            check_times(cell, own, checker);
            check_ues(scenario, checker);
        }
    }
}

/// Conditions of the cell.
fn check_cell(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    if !cell.is_nr() {
        checker.fail(KEY, "is for NR", "cell.technology = \"nr\", or leave it out");
    } else if cell.harq.uplink == Some(HarqUplink::Synchronous) {
        let allowed = "harq.uplink = \"asynchronous\", which grants a block again";
        checker.fail(KEY, "is beside synchronous HARQ", allowed);
    }
    let on_request =
        matches!(cell.uplink.access, UplinkAccess::SchedulingRequest | UplinkAccess::Reported);
    if !on_request {
        let allowed = "access = \"scheduling-request\" or \"reported\": others send without a grant of a slot";
        checker.fail(KEY, "is for grants on request", allowed);
    }
    if !scenario.carrier.is_empty() {
        checker.fail(KEY, "is for a cell with one carrier", "leave out [[carrier]]");
    }
}

/// Times that leave a slot in which something can be taken back.
fn check_times(cell: &Cell, own: Cancellation, checker: &mut Checker<'_>) {
    let (timing, tti) = (&cell.timing, cell.tti.tti());
    let spans = own.spans(cell);
    let grant = timing.grant_transmission.with_tti(tti);
    let decoded = grant + timing.grant_decoding.with_tti(tti);
    let usual = timing.grant_to_transmission.with_tti(tti);
    let key = format!("{KEY}.grant_to_transmission");
    if own.grant_to_transmission.whole_ttis(tti).is_none() {
        let allowed = format!("whole times {}: \"2 tti\", for example", cell.tti.show());
        checker.fail(&key, "is no multiple of the tti", allowed);
    } else if spans.grant_to_transmission >= usual {
        let is_wrong = "is no less than that of other UEs";
        let allowed = format!("less than {usual}, cell.timing.grant_to_transmission");
        checker.fail(&key, is_wrong, allowed);
    } else if spans.grant_to_transmission < decoded {
        let allowed =
            format!("{decoded} or more: grant_transmission and grant_decoding of cell.timing");
        checker.fail(&key, "is too short", allowed);
    }
    let most = usual.saturating_sub(tti.length()).saturating_sub(grant);
    if spans.indication > most {
        let allowed = format!(
            "{most} or less: grant_to_transmission of cell.timing without grant_transmission and 1 tti"
        );
        checker.fail(&format!("{KEY}.indication"), "comes too late for each grant", allowed);
    }
}

/// The cell does not know of which bearer of a UE data are.
fn check_ues(scenario: &Scenario, checker: &mut Checker<'_>) {
    let mut first: Vec<Option<bool>> = vec![None; scenario.ues().count()];
    for (n, bearer) in scenario.bearer.iter().enumerate() {
        let members = scenario.members(&bearer.ue, bearer.only.as_ref());
        let mut differs =
            |ue: usize| *first[ue].get_or_insert(bearer.pre_empts) != bearer.pre_empts;
        if members.into_iter().any(&mut differs) {
            let key = format!("bearer.{n}.pre_empts");
            let allowed = "true for all bearers of a UE, also for its default bearer, or for none";
            return checker.fail(&key, "differs from another bearer of the UE", allowed);
        }
    }
}
