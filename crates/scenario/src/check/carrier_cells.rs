//! Checks of carriers on which a network has cells of its own.

use super::Checker;
use crate::file::{Carrier, CarrierActivation, CarrierRole, Cell, Flexible, Scenario};
use crate::world::network;

/// Most carriers with cells beside the first (TS 36.331, 6.4, maxFreq).
const MOST: usize = 7;
/// Most cells of a network on all carriers.
const MOST_CELLS: u32 = 1_000;
/// Carriers of one role, and keys that go with it. True if the network has cells on them.
pub(super) fn check(scenario: &Scenario, own: &Cell, checker: &mut Checker<'_>) -> bool {
    let (cells, secondary): (Vec<_>, Vec<_>) =
        scenario.carrier.iter().enumerate().partition(|(_, carrier)| carrier.has_cells());
    for (n, carrier) in &secondary {
        let own = [("offset", carrier.offset.is_some()), ("event", carrier.event.is_some())];
        for (key, _) in own.into_iter().filter(|(_, given)| *given) {
            let allowed = "role = \"cells\" with it, or leave it out";
            let path = format!("carrier.{n}.{key}");
            checker.fail(&path, "does not count with secondary cells", allowed);
        }
    }
    let Some((first, carrier)) = cells.first() else { return false };
    let role = role(carrier);
    if let Some((n, other)) = secondary.first() {
        let is_wrong = format!("is {role} beside a carrier with secondary cells");
        let allowed =
            format!("one role for all carriers: carrier {} (number {n}) has another", other.name);
        checker.fail(&format!("carrier.{first}.role"), &is_wrong, allowed);
    }
    if scenario.network.is_none() {
        let allowed = "\"secondary\", or add [network]";
        checker.fail(
            &format!("carrier.{first}.role"),
            &format!("is {role}, and there is no network"),
            allowed,
        );
    }
    let hands_over = scenario.network.as_ref().is_some_and(|own| own.handover.is_some());
    for (n, _) in
        cells.iter().filter(|(_, own)| own.event.is_some() && !hands_over && !own.is_leg())
    {
        let allowed = "add [network.handover], or leave it out";
        checker.fail(&format!("carrier.{n}.event"), "is without handover", allowed);
    }
    cells.iter().for_each(|(n, carrier)| check_keys(*n, carrier, checker));
    check_counts(scenario, cells.len(), checker);
    if own.flexible == Some(Flexible::ByNeed) {
        let allowed = "\"unused\", \"downlink\" or \"uplink\" beside further carriers";
        checker.fail("cell.flexible", "cannot be \"by-need\"", allowed);
    }
    true
}

/// The role of a carrier as the file has it.
fn role(carrier: &Carrier) -> String {
    format!("\"{}\"", carrier.role.unwrap_or(CarrierRole::Secondary).word())
}

/// Keys of secondary cells, which have no meaning for a cell of its own.
fn check_keys(n: usize, carrier: &Carrier, checker: &mut Checker<'_>) {
    let keys = [
        ("uplink", carrier.uplink),
        ("frequency_up", carrier.frequency_up.is_some()),
        ("activation", carrier.activation != CarrierActivation::Traffic),
        ("activation_delay", carrier.activation_delay.is_some()),
    ];
    for (key, _) in keys.into_iter().filter(|(_, given)| *given) {
        let allowed = "leave it out: a cell of its own is always there, in both directions";
        let path = format!("carrier.{n}.{key}");
        checker.fail(&path, &format!("does not count with role = {}", role(carrier)), allowed);
    }
}

/// Carriers and cells that a network may have.
fn check_counts(scenario: &Scenario, carriers: usize, checker: &mut Checker<'_>) {
    if carriers > MOST {
        let is_wrong = format!("has {carriers} carriers with cells");
        checker.fail("carrier", &is_wrong, format!("{MOST} at most beside network.carrier"));
    }
    let on_each = scenario.network.as_ref().map_or(0, network::cells);
    let all = on_each.saturating_mul(carriers as u32 + 1);
    if all > MOST_CELLS {
        let is_wrong = format!("makes {all} cells, {on_each} on each carrier");
        checker.fail("carrier", &is_wrong, format!("{MOST_CELLS} cells at most on all carriers"));
    }
}

/// The part of a carrier that its use of the uplink decides: one with cells carries it as the cell does.
pub(super) fn has_uplink(carrier: &Carrier) -> bool {
    carrier.uplink || carrier.has_cells()
}
