//! Checks of secondary cells of UEs that go from cell to cell.

use super::Checker;
use super::handover::check_neighbours;
use crate::file::{Carrier, Network, NetworkHandover, Scenario};
use crate::world::network;

const KEY: &str = "network.handover.secondary";

/// Events of secondary cells that there are.
pub(super) fn check(scenario: &Scenario, handover: &NetworkHandover, checker: &mut Checker<'_>) {
    let Some(own) = &handover.secondary else { return };
    if scenario.carrier.iter().all(Carrier::has_cells) {
        let allowed = "leave it out, or add a [[carrier]] with role = \"secondary\"";
        checker.fail(KEY, "is for secondary cells, and there are none", allowed);
    }
    let events = NetworkHandover {
        a2: own.a2.clone(),
        a1: own.a1.clone(),
        quantity: handover.quantity,
        ..NetworkHandover::default()
    };
    check_neighbours(&events, KEY, checker);
    if own.a6.is_none() {
        let others =
            [("other_sites", own.other_sites), ("rrc_processing", own.rrc_processing.is_some())];
        for (key, _) in others.into_iter().filter(|(_, given)| *given) {
            let path = format!("{KEY}.{key}");
            checker.fail(&path, "does not count without a6", "add a6, or leave it out");
        }
    }
    let alone = |network: &Network| {
        let sites = network::sites(network);
        sites.windows(2).all(|pair| pair[0] != pair[1])
    };
    if own.a6.is_some() && !own.other_sites && scenario.network.as_ref().is_some_and(alone) {
        let is_wrong = "compares cells of a site, and each site has one cell";
        let allowed = "network.handover.secondary.other_sites = true, or leave it out";
        checker.fail(&format!("{KEY}.a6"), is_wrong, allowed);
    }
}
