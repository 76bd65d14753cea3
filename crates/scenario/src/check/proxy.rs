//! Checks of a proxy.

use airpath_schema::units::Rate;
use airpath_schema::{listed, nearest, suggest};

use super::{Checker, flows};
use crate::file::{Opener, PcapPoint, Proxy, ProxyPlace, RadioKind, Scenario, Tcp};

pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let Some(proxy) = &scenario.path.proxy else {
        let points = scenario.output.pcap.iter().enumerate();
        for (n, _) in points.filter(|(_, point)| **point == PcapPoint::Proxy) {
            let allowed = "add [path.proxy], or choose another point";
            checker.fail(&format!("output.pcap.{n}"), "is at a proxy, and there is none", allowed);
        }
        return;
    };
    check_place(scenario, proxy, checker);
    check_flows(scenario, proxy, checker);
    for (key, tcp) in [("ue", &proxy.ue), ("server", &proxy.server)] {
        tcp.iter().for_each(|tcp| check_side(tcp, &format!("path.proxy.{key}"), checker));
    }
}

fn check_place(scenario: &Scenario, proxy: &Proxy, checker: &mut Checker<'_>) {
    let place = proxy.place(scenario.radio);
    if place == ProxyPlace::Gateway && scenario.radio == RadioKind::None {
        let allowed = "\"servers\"; or leave out radio = \"none\"";
        checker.fail("path.proxy.at", "is a gateway, which needs a radio", allowed);
    }
    if place == ProxyPlace::Gateway && proxy.link.is_some() {
        let allowed = "use [path.sgi] for that link, or set at = \"servers\"";
        checker.fail("path.proxy.link", "is not there with a proxy at the gateway", allowed);
    }
}

fn check_flows(scenario: &Scenario, proxy: &Proxy, checker: &mut Checker<'_>) {
    let names = || scenario.flow.iter().map(|flow| flow.name.as_str());
    let unknown = proxy.flow.0.iter().filter(|name| !names().any(|known| known == name.as_str()));
    for name in unknown {
        let allowed = format!("flows: {}", listed(names()));
        let allowed = suggest(nearest(name, names()), &allowed);
        checker.fail("path.proxy.flow", &format!("names no flow: \"{name}\""), allowed);
    }
}

/// Checks that something passes it, once ports are known.
pub(super) fn check_resolved(scenario: &Scenario, checker: &mut Checker<'_>) {
    let Some(proxy) = &scenario.path.proxy else { return };
    if !scenario.flow.iter().any(|flow| proxy.splits(flow)) {
        let allowed = "it needs a flow of kind \"tcp\" with one of these names and ports";
        checker.fail("path.proxy", "splits no flow", allowed);
    }
}

fn check_side(tcp: &Tcp, path: &str, checker: &mut Checker<'_>) {
    flows::check_tcp(tcp, path, checker);
    if tcp.opened_by != Opener::Ue {
        let allowed = "leave it out: the proxy opens when somebody opens to it";
        checker.fail(&format!("{path}.opened_by"), "is not for a proxy", allowed);
    }
    if tcp.read_rate != Rate::Unlimited {
        let allowed = "leave it out: the proxy reads what relay_buffer has room for";
        checker.fail(&format!("{path}.read_rate"), "is not for a proxy", allowed);
    }
}
