//! Checks of layers to several UEs.

use crate::file::{
    Cell, Duplex, Interference, MuMimo, Network, PrecodingScheme, Receiver, Scenario,
};

use super::Checker;
use super::ports::is_possible;

const PATH: &str = "cell.mu_mimo";

pub(super) fn check(scenario: &Scenario, cell: &Cell, checker: &mut Checker<'_>) {
    let Some(mu_mimo) = &cell.mu_mimo else { return };
    let Some(network) = &scenario.network else {
        let is_wrong = "is for cells whose channel is that of [network]";
        return checker.fail(PATH, is_wrong, "leave it out, or add [network]");
    };
    if !cell.is_nr() {
        let allowed = "leave it out, or set cell.technology = \"nr\"";
        return checker.fail(PATH, "is for NR", allowed);
    }
    if !scenario.carrier.is_empty() {
        let is_wrong = "is for a cell with one carrier, and there are [[carrier]] tables";
        return checker.fail(PATH, is_wrong, "leave it out, or all [[carrier]] tables");
    }
    check_network(mu_mimo, network, checker);
    if matches!(mu_mimo, MuMimo::Srs(_)) && cell.duplex == Duplex::Fdd {
        let is_wrong =
            "is by sounding uplink, which does not know the downlink with duplex \"fdd\"";
        checker.fail(PATH, is_wrong, "\"reports\", or set cell.duplex = \"tdd\"");
    }
    if let Some(n) = scenario.ue.iter().position(|group| group.receiver == Receiver::MmseIrc) {
        let path = format!("ue.{n}.receiver");
        let is_wrong =
            "is \"mmse-irc\", and cell.mu_mimo counts the layers of the UE's own cell alone";
        checker.fail(&path, is_wrong, "\"mmse\", or leave cell.mu_mimo out");
    }
}

fn check_network(mu_mimo: &MuMimo, network: &Network, checker: &mut Checker<'_>) {
    let precoding = &network.precoding;
    let scheme = precoding.scheme.unwrap_or(PrecodingScheme::ClosedLoop);
    if scheme != PrecodingScheme::ClosedLoop {
        let is_wrong =
            format!("needs reports, and network.precoding.scheme is \"{}\"", scheme.word());
        let allowed = "leave it out, or set network.precoding.scheme = \"closed-loop\"";
        return checker.fail(PATH, &is_wrong, allowed);
    }
    let ports = precoding.ports.unwrap_or(4);
    if ports == 1 {
        let allowed = "leave it out, or set network.precoding.ports = 2 or more";
        return checker.fail(PATH, "has layers from one port", allowed);
    }
    // Another check reports a number of ports that is not possible.
    let too_many = |layers: &u8| is_possible(ports) && u32::from(*layers) > ports;
    if let Some(layers) = mu_mimo.layers().filter(too_many) {
        let path = format!("{PATH}.layers");
        let is_wrong = format!("is {layers}, and network.precoding.ports is {ports}");
        let allowed = if ports > 2 { format!("2 to {ports}") } else { "2".to_owned() };
        checker.fail(&path, &is_wrong, allowed);
    }
    if network.interference == Interference::Precoded {
        let is_wrong = "is \"precoded\", and cell.mu_mimo has precoders that no report has";
        let allowed = "\"unprecoded\", or leave cell.mu_mimo out";
        checker.fail("network.interference", is_wrong, allowed);
    }
}
