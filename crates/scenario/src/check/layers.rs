//! Checks of layers and ports: what a technology and antennas allow.

use crate::file::{Cell, PrecodingScheme, Scenario};

use super::Checker;

/// The numbers up to `most` in words.
fn up_to(most: u32) -> String {
    if most > 1 { format!("1 to {most}") } else { "1".to_owned() }
}

/// Path of the key.
const LAYERS: &str = "cell.layers";

pub(super) fn check(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    check_down(scenario, cell, checker);
    check_up(scenario, cell, checker);
}

/// Layers uplink, and ports of UEs.
fn check_up(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    let nr = "or set cell.technology = \"nr\"";
    for (n, group) in scenario.ue.iter().enumerate().filter(|_| !cell.is_nr()) {
        if group.ports > 1 {
            let path = format!("ue.{n}.ports");
            checker.fail(&path, &format!("is {}", group.ports), format!("1 with LTE, {nr}"));
        }
    }
    let (path, layers) = ("cell.uplink.layers", cell.uplink.layers);
    let is_wrong = format!("is {layers}");
    if layers == 1 {
        return;
    }
    if !cell.is_nr() {
        return checker.fail(path, &is_wrong, format!("1 with LTE, {nr}"));
    }
    let ports = scenario.ue.iter().map(|group| group.ports).max().unwrap_or(1);
    let receivers = cell.receivers.unwrap_or(1);
    if layers > ports {
        let is_wrong = format!("{is_wrong}, and ue.ports is at most {ports}");
        checker.fail(
            path,
            &is_wrong,
            format!("{}, or set ue.ports = {layers}", up_to(ports.into())),
        );
    } else if layers > receivers {
        let is_wrong = format!("{is_wrong}, and cell.receivers is {receivers}");
        checker.fail(
            path,
            &is_wrong,
            format!("{}, or set cell.receivers = {layers}", up_to(receivers.into())),
        );
    }
}

fn check_down(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    let layers = cell.layers;
    if cell.min_layers > layers {
        let is_wrong = format!("is {}, and cell.layers is {layers}", cell.min_layers);
        return checker.fail("cell.min_layers", &is_wrong, up_to(layers.into()));
    }
    if layers == 1 {
        return;
    }
    let is_wrong = format!("is {layers}");
    if !cell.is_nr() {
        let allowed = "1 with LTE, or set cell.technology = \"nr\"";
        return checker.fail(LAYERS, &is_wrong, allowed);
    }
    if let Some(network) = &scenario.network {
        let precoding = &network.precoding;
        if precoding.scheme != PrecodingScheme::ClosedLoop {
            let is_wrong =
                format!("{is_wrong}, and network.precoding.scheme is not \"closed-loop\"");
            let allowed = "1, or set network.precoding.scheme = \"closed-loop\"";
            return checker.fail(LAYERS, &is_wrong, allowed);
        }
        let ports = precoding.ports.unwrap_or(1);
        if u32::from(layers) > ports {
            let is_wrong = format!("{is_wrong}, and network.precoding.ports is {ports}");
            let allowed = format!("{}, or set network.precoding.ports = 4", up_to(ports));
            return checker.fail(LAYERS, &is_wrong, allowed);
        }
    }
    let receivers = scenario.ue.iter().map(|group| group.receivers).max().unwrap_or(1);
    if layers > receivers {
        let is_wrong = format!("{is_wrong}, and ue.receivers is at most {receivers}");
        let allowed = format!("{}, or set ue.receivers = 4", up_to(receivers.into()));
        checker.fail(LAYERS, &is_wrong, allowed);
    }
}
