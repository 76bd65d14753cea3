//! Checks of layers and ports: what a technology and antennas allow.

use airpath_ran::phy::category::most_layers;

use crate::file::{Cell, Interference, PrecodingCodebook, PrecodingScheme, Receiver, Scenario};
use crate::transmission::{LAYERED, scheme};

use super::Checker;

/// The numbers up to `most` in words.
fn up_to(most: u32) -> String {
    if most > 1 { format!("1 to {most}") } else { "1".to_owned() }
}

/// Paths of keys.
const MODE: &str = "cell.transmission_mode";
const LAYERS: &str = "cell.layers";

pub(super) fn check(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    check_mode(scenario, cell, checker);
    check_receivers(scenario, cell, checker);
    check_interference(scenario, checker);
    check_down(scenario, cell, checker);
    check_up(scenario, cell, checker);
}

/// True if a signal has one precoder in a resource block, or one port; unresolved it has one.
fn has_precoder(scheme: Option<PrecodingScheme>) -> bool {
    let usual = PrecodingScheme::ClosedLoop;
    matches!(scheme.unwrap_or(usual), PrecodingScheme::ClosedLoop | PrecodingScheme::SinglePort)
}

/// Receivers that reject interference.
fn check_receivers(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    let (usual, irc) = ("\"mmse\"", "is \"mmse-irc\"");
    let scheme = scenario.network.as_ref().map(|network| network.precoding.scheme);
    let faults = |antennas: u8, most: u8, key: &str, at_ue: bool| match scheme {
        None => Some(("has no [network] that disturbs".to_owned(), usual.to_owned())),
        Some(scheme) if at_ue && !has_precoder(scheme) => Some((
            "network.precoding.scheme is neither \"closed-loop\" nor \"single-port\"".to_owned(),
            format!("{usual}, or set network.precoding.scheme = \"closed-loop\""),
        )),
        _ if !(2..=most).contains(&antennas) => {
            let allowed = format!("{usual}, or set {key} = 2 (2 to {most} are possible)");
            Some((format!("{key} is {antennas}"), allowed))
        }
        _ => None,
    };
    let groups = scenario.ue.iter().enumerate();
    let ues = groups.map(|(n, group)| {
        (format!("ue.{n}.receiver"), group.receiver, group.receivers, "ue.receivers", true)
    });
    let at_cell = cell.receivers.unwrap_or(1);
    let own = ("cell.receiver".to_owned(), cell.receiver, at_cell, "cell.receivers", false);
    for (path, receiver, antennas, key, at_ue) in ues.chain([own]) {
        if receiver == Receiver::MmseIrc
            && let Some((why, allowed)) = faults(antennas, 4, key, at_ue)
        {
            checker.fail(&path, &format!("{irc}, and {why}"), allowed);
        }
    }
}

/// Interference with precoders, which a report has to choose, and its rejection, which has to know interferers.
fn check_interference(scenario: &Scenario, checker: &mut Checker<'_>) {
    let Some(network) = &scenario.network else { return };
    let rejects = scenario.ue.iter().any(|group| group.receiver == Receiver::MmseIrc)
        || scenario.cell.as_ref().is_some_and(|cell| cell.receiver == Receiver::MmseIrc);
    if network.interferers == 0 && rejects {
        let is_wrong = "is 0, and a receiver is \"mmse-irc\"";
        checker.fail("network.interferers", is_wrong, "1 and more, or receiver = \"mmse\"");
    }
    let chosen = has_precoder(network.precoding.scheme);
    if network.interference == Interference::Precoded && !chosen {
        let is_wrong = "is \"precoded\", and network.precoding.scheme is not \"closed-loop\"";
        let allowed = "\"unprecoded\", or set network.precoding.scheme = \"closed-loop\"";
        checker.fail("network.interference", is_wrong, allowed);
    }
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
    if let Some(mode) = cell.transmission_mode.filter(|mode| !LAYERED.contains(mode)) {
        let is_wrong = format!("{is_wrong}, and {MODE} is {mode}");
        return checker.fail(LAYERS, &is_wrong, format!("1, or set {MODE} = 3, 4 or 9"));
    }
    if let Some(network) = &scenario.network {
        let precoding = &network.precoding;
        let suits = |scheme| match scheme {
            PrecodingScheme::ClosedLoop => true,
            PrecodingScheme::OpenLoop => !cell.is_nr(),
            _ => false,
        };
        if !precoding.scheme.is_some_and(suits) {
            let suiting =
                if cell.is_nr() { "\"closed-loop\"" } else { "\"closed-loop\" or \"open-loop\"" };
            let is_wrong = format!("{is_wrong}, and network.precoding.scheme is not {suiting}");
            let allowed = format!("1, or set network.precoding.scheme = {suiting}");
            return checker.fail(LAYERS, &is_wrong, allowed);
        }
        let ports = precoding.ports.unwrap_or(1);
        if u32::from(layers) > ports {
            let is_wrong = format!("{is_wrong}, and network.precoding.ports is {ports}");
            let allowed = format!(
                "{}, or set network.precoding.ports = {}",
                up_to(ports),
                if layers > 2 { 4 } else { 2 }
            );
            return checker.fail(LAYERS, &is_wrong, allowed);
        }
    }
    let receivers = scenario.ue.iter().map(|group| group.receivers).max().unwrap_or(1);
    if layers > receivers {
        let is_wrong = format!("{is_wrong}, and ue.receivers is at most {receivers}");
        let allowed = format!(
            "{}, or set ue.receivers = {}",
            up_to(receivers.into()),
            if layers > 2 { 4 } else { 2 }
        );
        return checker.fail(LAYERS, &is_wrong, allowed);
    }
    let by_category = scenario.ue.iter().map(|group| group.category.map_or(4, most_layers)).max();
    let most = by_category.unwrap_or(4);
    if layers > most {
        let is_wrong = format!("{is_wrong}, and ue.category allows {most} at most");
        let allowed =
            format!("{} (TS 36.306, table 4.1-1), or set ue.category = 5", up_to(most.into()));
        checker.fail(LAYERS, &is_wrong, allowed);
    }
}

/// A transmission mode is LTE's, and the precoding of a network is that of the mode.
fn check_mode(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    let precoding = scenario.network.as_ref().map(|network| &network.precoding);
    let own = precoding.and_then(|precoding| precoding.scheme);
    if cell.is_nr() {
        if let Some(mode) = cell.transmission_mode {
            let allowed = "leave it out, or set cell.technology = \"lte\"";
            checker.fail(MODE, &format!("is {mode}, and NR has no modes"), allowed);
        }
        if own == Some(PrecodingScheme::OpenLoop) {
            let allowed = "\"closed-loop\", or set cell.technology = \"lte\"";
            checker.fail("network.precoding.scheme", "is \"open-loop\" with NR", allowed);
        }
        return;
    }
    let Some((mode, precoding)) = cell.transmission_mode.zip(precoding) else { return };
    let expected = scheme(mode);
    if let Some(own) = own.filter(|own| *own != expected) {
        let is_wrong = format!("is \"{}\", and {MODE} is {mode}", own.word());
        let allowed = format!("leave it out, or \"{}\"", expected.word());
        checker.fail("network.precoding.scheme", &is_wrong, allowed);
    }
    let precoded = matches!(expected, PrecodingScheme::ClosedLoop | PrecodingScheme::OpenLoop);
    if precoding.codebook == Some(PrecodingCodebook::TypeI)
        && precoded
        && precoding.ports <= Some(4)
    {
        let is_wrong = format!("is NR's, and {MODE} is {mode}");
        checker.fail("network.precoding.codebook", &is_wrong, "\"lte\", or leave it out");
    }
}
