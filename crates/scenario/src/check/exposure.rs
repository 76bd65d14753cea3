//! Checks of rates that cells expose to applications.

use airpath_base::Direction;

use crate::file::{Bearer, Flow, FlowKind, Scenario};

use super::{Checker, filters};

/// Checks a resolved bearer.
pub(super) fn check(scenario: &Scenario, bearer: &Bearer, path: &str, checker: &mut Checker<'_>) {
    let Some(exposure) = &bearer.rate_exposure else { return };
    let at = format!("{path}.rate_exposure");
    if !scenario.has_user_plane_of_nr() {
        let allowed = "cell.user_plane = \"nr\", or leave it out: LTE exposes no rates";
        checker.fail(&at, "is for a user plane of NR", allowed);
    }
    let slot = scenario.cell.iter().map(|cell| cell.tti.tti().length()).max();
    if let Some(slot) = slot.filter(|slot| exposure.period < *slot) {
        let allowed = format!("{slot} or more");
        checker.fail(&format!("{at}.period"), "is less than a slot", allowed);
    }
    let follows = |flow: &Flow| {
        let video = flow.rtp.as_ref().is_some_and(|rtp| rtp.video.is_some());
        flow.kind == FlowKind::Rtp && flow.direction == Direction::Downlink && video
    };
    if !filters::carried(scenario, bearer).any(follows) {
        let allowed = "a flow downlink of kind \"rtp\" with rtp.video, whose encoder follows the rate, or leave it out";
        checker.fail(&at, "has no flow that can follow it", allowed);
    }
    if !scenario.carrier.is_empty() {
        let allowed = "leave one of them out: rates are those of one carrier";
        checker.fail(&at, "is beside [[carrier]]", allowed);
    }
    if scenario.network.as_ref().is_some_and(|network| network.handover.is_some()) {
        let allowed = "leave one of them out: the cell of a UE exposes its rate for the whole run";
        checker.fail(&at, "is beside network.handover", allowed);
    }
}
