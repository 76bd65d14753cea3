//! Checks of dual connectivity.

use super::Checker;
use super::handover::{check_delay, check_threshold};
use crate::file::{
    Bearer, Carrier, Network, NetworkDualConnectivity, PcapPoint, PrecodingScheme, RlcMode,
    Scenario,
};
use crate::resolve_split::obstacle;

const KEY: &str = "network.dual_connectivity";

/// Legs with their anchors, and keys that they exclude.
pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let network = scenario.network.as_ref();
    let file = network.and_then(|network| network.dual_connectivity.as_ref());
    let Some(leg) = scenario.carrier.iter().position(Carrier::is_leg) else {
        if file.is_some() {
            let allowed = "leave it out, or add a [[carrier]] with role = \"leg\"";
            checker.fail(KEY, "has an anchor without a leg", allowed);
        }
        check_keys(scenario, checker);
        return;
    };
    let role = format!("carrier.{leg}.role");
    if leg + 1 < scenario.carrier.len() {
        let is_wrong = "is \"leg\", and another carrier is behind it";
        checker.fail(&role, is_wrong, "one carrier of legs, the last one");
    }
    check_leg(&scenario.carrier[leg], leg, checker);
    if scenario.cell.as_ref().is_some_and(|cell| cell.is_nr()) {
        let allowed = "cell.technology = \"lte\" for the anchor, or role = \"cells\"";
        checker.fail(&role, "is \"leg\" beside a cell of NR", allowed);
    }
    if let Some(network) = network {
        check_network(scenario, network, &role, checker);
    }
    if let (Some(own), Some(file)) = (network.and_then(|network| network.handover.as_ref()), file) {
        let release = file.release.as_ref().map(|event| ("release", event.threshold));
        for (key, threshold) in release.into_iter().chain([("addition", file.addition.threshold)]) {
            check_threshold(own.quantity, (&format!("{KEY}.{key}.threshold"), threshold), checker);
        }
        check_order(file, checker);
    }
    let is_mac = |point: &PcapPoint| *point == PcapPoint::Mac;
    if let Some(n) = scenario.output.pcap.iter().position(is_mac) {
        let is_wrong = "has one C-RNTI of a UE, and with a leg a UE has two";
        checker.fail(&format!("output.pcap.{n}"), is_wrong, "leave it out, or leave out the legs");
    }
}

/// Keys of carriers that serve UEs alone.
fn check_leg(carrier: &Carrier, n: usize, checker: &mut Checker<'_>) {
    let keys = [
        (
            "offset",
            carrier.offset.is_some(),
            "leave it out: network.dual_connectivity chooses legs",
        ),
        ("event", carrier.event.is_some(), "network.dual_connectivity.addition instead"),
        ("resource_blocks", carrier.resource_blocks.is_some(), "bandwidth: a leg is a cell of NR"),
    ];
    for (key, _, allowed) in keys.into_iter().filter(|(_, given, _)| *given) {
        let path = format!("carrier.{n}.{key}");
        checker.fail(&path, "does not count with role = \"leg\"", allowed);
    }
}

/// Parts of the network that legs need or exclude.
fn check_network(scenario: &Scenario, network: &Network, role: &str, checker: &mut Checker<'_>) {
    let Some(handover) = &network.handover else {
        let allowed =
            "add [network.handover], which has the measurements, and the events of anchors";
        return checker.fail(role, "is \"leg\" without handover", allowed);
    };
    let beside = [("conditional", handover.conditional.is_some()), ("daps", handover.daps)];
    for (key, _) in beside.into_iter().filter(|(_, given)| *given) {
        let path = format!("network.handover.{key}");
        let is_wrong = "is beside a carrier with role = \"leg\"";
        checker.fail(&path, is_wrong, "leave out one of them");
    }
    let mode = scenario.cell.as_ref().and_then(|cell| cell.transmission_mode);
    if network.precoding.scheme == Some(PrecodingScheme::OpenLoop) || mode == Some(3) {
        let is_wrong = "is \"leg\" in a network with open loop, and NR has none";
        checker.fail(role, is_wrong, "network.precoding.scheme = \"closed-loop\"");
    }
}

/// Values that contradict each other.
fn check_order(file: &NetworkDualConnectivity, checker: &mut Checker<'_>) {
    let (add, end) = (&file.addition, file.release());
    let most = add.threshold + add.hysteresis.0 + end.hysteresis.0;
    if end.threshold > most {
        let is_wrong = "is above that of the addition: a leg is released as soon as it is there";
        checker.fail(&format!("{KEY}.release.threshold"), is_wrong, format!("{most} or less"));
    }
    check_delay(&format!("{KEY}.preparation"), &file.preparation, checker);
    if file.rrc_processing + file.synchronisation >= file.t304 {
        let is_wrong = "begins the random access behind T304";
        let allowed = "less, or a longer network.dual_connectivity.t304";
        checker.fail(&format!("{KEY}.synchronisation"), is_wrong, allowed);
    }
}

/// Keys of split bearers where there are no legs.
fn check_keys(scenario: &Scenario, checker: &mut Checker<'_>) {
    for (n, bearer) in scenario.bearer.iter().enumerate() {
        let split = ("split", bearer.is_split());
        for (key, _) in keys(bearer).into_iter().chain([split]).filter(|(_, given)| *given) {
            let allowed = "leave it out, or add a [[carrier]] with role = \"leg\"";
            checker.fail(&format!("bearer.{n}.{key}"), "is without legs", allowed);
        }
    }
}

/// Keys that count with split bearers alone, and whether they are given.
fn keys(bearer: &Bearer) -> [(&'static str, bool); 4] {
    [
        ("duplication", bearer.duplication.is_some()),
        ("primary_path", bearer.primary_path.is_some()),
        ("split_threshold", bearer.split_threshold.is_some()),
        ("split_reordering", bearer.split_reordering.is_some()),
    ]
}

/// Split bearers, once their modes are known.
pub(super) fn check_resolved(scenario: &Scenario, checker: &mut Checker<'_>) {
    if !scenario.carrier.iter().any(Carrier::is_leg) {
        return;
    }
    for (n, bearer) in scenario.bearer.iter().enumerate() {
        if !bearer.is_split() {
            for (key, _) in keys(bearer).into_iter().filter(|(_, given)| *given) {
                let allowed = "split = true with it, or leave it out";
                checker.fail(&format!("bearer.{n}.{key}"), "does not count alone", allowed);
            }
            continue;
        }
        let [_, uplink] = bearer.duplicates();
        if uplink && bearer.split_threshold.is_some() {
            let path = format!("bearer.{n}.split_threshold");
            let allowed = "leave it out, or duplication = \"downlink\"";
            checker.fail(&path, "does not count with duplication uplink", allowed);
        }
        let path = format!("bearer.{n}.split");
        if bearer.rlc != Some(RlcMode::Am) && bearer.duplication.is_none() {
            let allowed = "false, rlc = \"am\", or duplication = \"both\" with it";
            checker.fail(&path, "is true with rlc = \"um\"", allowed);
        } else if let Some(is_wrong) = obstacle(scenario, bearer) {
            checker.fail(&path, &is_wrong, "false");
        }
    }
}
