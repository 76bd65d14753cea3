//! Checks of admission and load of cells in handovers.

use super::Checker;
use crate::file::{CellLoad, HandoverAdmission, HandoverLoadBalancing, NetworkHandover, Scenario};

/// Limits of cells, and UEs that they count.
pub(super) fn check(scenario: &Scenario, own: &NetworkHandover, checker: &mut Checker<'_>) {
    if let Some(admission) = &own.admission {
        check_admission(scenario, admission, checker);
    }
    if let Some(balancing) = &own.load_balancing {
        check_balancing(scenario, (own, balancing), checker);
    }
}

/// Load balancing: steps within the limit, and offsets within those of the standards.
fn check_balancing(
    scenario: &Scenario,
    (own, balancing): (&NetworkHandover, &HandoverLoadBalancing),
    checker: &mut Checker<'_>,
) {
    let key = "network.handover.load_balancing";
    let (step, limit) = (balancing.step.0, balancing.limit.0);
    if step > limit {
        let is_wrong = format!("is above limit, {limit} dB");
        checker.fail(&format!("{key}.step"), &is_wrong, format!("{limit} dB or less"));
    }
    let (threshold, back) = match &balancing.load {
        CellLoad::ResourceBlocks(own) => (own.threshold, own.back),
        CellLoad::Ues(own) => (own.threshold, own.back),
    };
    if back.abs() > threshold {
        let allowed = format!("-{threshold} to {threshold}, the threshold");
        checker.fail(&format!("{key}.load.back"), "is beyond threshold", allowed);
    }
    let fixed = own.cell_offset.iter().map(|entry| entry.offset.0.abs()).fold(0.0, f64::max);
    if fixed + limit > 24.0 {
        let is_wrong = format!(
            "and `network.handover.cell_offset` of {fixed} dB are more than 24 dB together"
        );
        checker.fail(&format!("{key}.limit"), &is_wrong, format!("{} dB or less", 24.0 - fixed));
    }
    if matches!(balancing.load, CellLoad::Ues(_)) {
        check_arrivals(scenario, key, checker);
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
