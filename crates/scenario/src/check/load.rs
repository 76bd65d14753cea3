//! Checks of admission and load of cells in handovers.

use super::Checker;
use crate::file::{HandoverAdmission, NetworkHandover, Scenario};

/// Limits of cells, and UEs that they count.
pub(super) fn check(scenario: &Scenario, own: &NetworkHandover, checker: &mut Checker<'_>) {
    if let Some(admission) = &own.admission {
        check_admission(scenario, admission, checker);
    }
}

/// Admission: at least one limit, and bearers for that of guaranteed rates.
fn check_admission(scenario: &Scenario, own: &HandoverAdmission, checker: &mut Checker<'_>) {
    let key = "network.handover.admission";
    if own.ues.is_none() && own.guaranteed.is_none() {
        let allowed = "add ues or guaranteed, or leave out the table";
        checker.fail(key, "has no limit: each UE is admitted", allowed);
    }
    let has_rate = scenario.bearer.iter().any(|bearer| bearer.guaranteed_bit_rate.is_some());
    if own.guaranteed.is_some() && !has_rate {
        let is_wrong = "limits guaranteed rates, and no bearer has one";
        let allowed = "add bearer.guaranteed_bit_rate, or leave it out";
        checker.fail(&format!("{key}.guaranteed"), is_wrong, allowed);
    }
    if own.ues.is_some() || own.guaranteed.is_some() {
        check_arrivals(scenario, key, checker);
    }
}

/// UEs that count as connected before they arrive, and behind their departure.
fn check_arrivals(scenario: &Scenario, key: &str, checker: &mut Checker<'_>) {
    let cell = scenario.cell.as_ref().is_some_and(|cell| cell.rrc.is_some());
    let without = |group: &&crate::file::Ue| group.arrivals.is_some() && group.rrc.is_none();
    let Some(group) = scenario.ue.iter().find(without).filter(|_| !cell) else { return };
    let is_wrong = format!(
        "counts connected UEs, and those of `ue.{}` are connected before they arrive",
        group.name
    );
    let allowed = "add cell.rrc, with which a UE without data is idle, or use count";
    checker.fail(key, &is_wrong, allowed);
}
