//! Checks of scenarios without a radio: nothing that needs one is there.

use airpath_base::Duration;
use airpath_schema::units::Rate;

use super::Checker;
use crate::file::{EcnTunnel, FlowKind, Link, PcapPoint, Scenario};

pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let path = &scenario.path;
    let given = [
        ("path.gateway_delay", path.gateway_delay != Duration::ZERO),
        ("path.ecn_tunnel", path.ecn_tunnel != EcnTunnel::Normal),
        ("path.s5", path.s5.is_some()),
        ("path.s1", path.s1.is_some()),
        ("path.ipsec", path.ipsec.is_some()),
        ("cell", scenario.cell.is_some()),
        ("carrier", !scenario.carrier.is_empty()),
        ("network", scenario.network.is_some()),
        ("bearer", !scenario.bearer.is_empty()),
    ];
    for (key, _) in given.into_iter().filter(|(_, given)| *given) {
        needs_radio(key, checker);
    }
    for (n, group) in scenario.ue.iter().enumerate() {
        let given = [
            ("snr", group.snr.is_some()),
            ("distance", group.distance.is_some()),
            ("category", group.category.is_some()),
            ("rrc", group.rrc.is_some()),
            ("radio_link", group.radio_link.is_some()),
            ("implementation", group.implementation.is_some()),
            ("processing", group.processing.is_some()),
        ];
        for (key, _) in given.into_iter().filter(|(_, given)| *given) {
            needs_radio(&format!("ue.{n}.{key}"), checker);
        }
    }
    if takes_no_time(&path.sgi) && scenario.flow.iter().any(|flow| flow.kind == FlowKind::Tcp) {
        let allowed = "add a rate, as rate = \"50 Mbit/s\", or a delay";
        checker.fail("path.sgi", "lets TCP send without end in no time", allowed);
    }
    for (n, point) in scenario.output.pcap.iter().enumerate() {
        if *point == PcapPoint::Mac {
            let allowed =
                "\"server\" or \"ue\", or leave out radio = \"none\" for a path with a cell";
            checker.fail(&format!("output.pcap.{n}"), "needs a radio, and there is none", allowed);
        }
        if matches!(point, PcapPoint::Sgi | PcapPoint::S1) {
            let allowed = "\"server\" or \"ue\", the ends of the link";
            checker.fail(&format!("output.pcap.{n}"), "is at no end of the link", allowed);
        }
    }
}

/// True if packets go there and back in the same instant, however many.
fn takes_no_time(link: &Link) -> bool {
    let up = &link.up;
    let limits = link.rate != Rate::Unlimited || link.capacity.is_some();
    let limits_up = up.rate.is_some_and(|rate| rate != Rate::Unlimited) || up.capacity.is_some();
    let delays =
        link.delay > Duration::ZERO || up.delay.is_some_and(|delay| delay > Duration::ZERO);
    !(limits || limits_up || delays)
}

/// Reports a key that stands beside `radio = "none"`.
pub(super) fn needs_radio(key: &str, checker: &mut Checker<'_>) {
    let allowed = "leave it out, or leave out radio = \"none\" for a path with a cell";
    checker.fail(key, "needs a radio, and there is none", allowed);
}
