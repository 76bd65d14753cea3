//! Checks of handover.

use airpath_base::Duration;

use super::{Checker, inter_frequency, load, secondary};
use crate::file::{
    ConditionalForwarding, HandoverConditional, HandoverDelay, HandoverEvent, HandoverQuantity,
    NetworkHandover, NetworkLayout, PcapPoint, RecordedBlocks, Scenario, UplinkAccess,
};
use crate::world::network;

/// Keys that handover needs, and those that it excludes.
pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    check_captures(scenario, checker);
    let Some((network, own)) =
        scenario.network.as_ref().and_then(|network| Some((network, network.handover.as_ref()?)))
    else {
        return;
    };
    let key = "network.handover";
    if !scenario.ue.iter().any(|group| group.route.is_some()) {
        let allowed = "give a ue.route to UEs, or leave it out";
        checker.fail(key, "is for UEs that move, and none has a route", allowed);
    }
    let sectors: usize = network.site.iter().map(|site| site.sectors.len()).sum();
    let alone = match network.layout {
        _ if scenario.carrier.iter().any(|carrier| !carrier.is_leg()) => false,
        Some(NetworkLayout::Single) => true,
        Some(NetworkLayout::Given) => network.site.len() == 1 && sectors == 1,
        _ => false,
    };
    if alone {
        let allowed = "several cells, or leave it out";
        checker.fail(key, "has an event without neighbours: there is one cell", allowed);
    }
    check_others(scenario, checker);
    check_times(own, checker);
    check_event(own.quantity, ("network.handover.event", &own.event), checker);
    check_order("network.handover.event", &own.event, checker);
    if let Some(conditional) = &own.conditional {
        check_conditional(scenario, (own, conditional), checker);
    }
    check_daps(scenario, own, checker);
    load::check(scenario, own, checker);
    check_neighbours(own, "network.handover", checker);
    let carriers = 1 + scenario.carrier.iter().filter(|carrier| carrier.serves()).count();
    check_offsets(own, network::cells(network).saturating_mul(carriers as u32), checker);
    inter_frequency::check(scenario, own, checker);
    secondary::check(scenario, own, checker);
    check_delay("network.handover.preparation", &own.preparation, checker);
}

/// A delay between two bounds in their order.
pub(super) fn check_delay(path: &str, delay: &HandoverDelay, checker: &mut Checker<'_>) {
    if let HandoverDelay::Uniform(delay) = delay
        && delay.min > delay.max
    {
        let allowed = format!("{} or more", delay.min);
        checker.fail(&format!("{path}.max"), "is less than min", allowed);
    }
}

/// Conditional handover: its events, and forwarding.
fn check_conditional(
    scenario: &Scenario,
    (own, conditional): (&NetworkHandover, &HandoverConditional),
    checker: &mut Checker<'_>,
) {
    let key = "network.handover.conditional.prepare";
    check_event(own.quantity, (key, &conditional.prepare), checker);
    check_order(key, &conditional.prepare, checker);
    let is_nr = scenario.cell.as_ref().is_some_and(|cell| cell.is_nr());
    if matches!(own.event, HandoverEvent::A4(_)) && !is_nr {
        let is_wrong = "is no execution condition of LTE (TS 36.331, 5.5.4)";
        checker.fail("network.handover.event.kind", is_wrong, "\"a3\" or \"a5\"");
    }
    let (early, late) = (&conditional.prepare, &own.event);
    if let (HandoverEvent::A3(early), HandoverEvent::A3(late)) = (early, late)
        && early.offset.0 + early.hysteresis.0 > late.offset.0 + late.hysteresis.0
    {
        let is_wrong = "is above that of the execution condition: cells are prepared too late";
        let most = late.offset.0 + late.hysteresis.0 - early.hysteresis.0;
        checker.fail(&format!("{key}.offset"), is_wrong, format!("{most} dB or less"));
    }
    if let (HandoverEvent::A5(early), HandoverEvent::A5(late)) = (early, late)
        && early.neighbour + early.hysteresis.0 > late.neighbour + late.hysteresis.0
    {
        let is_wrong = "is above that of the execution condition: cells are prepared too late";
        let most = late.neighbour + late.hysteresis.0 - early.hysteresis.0;
        checker.fail(&format!("{key}.neighbour"), is_wrong, format!("{most} or less"));
    }
    if conditional.forwarding == ConditionalForwarding::Early && !own.forwarding {
        let is_wrong = "is \"early\" without forwarding";
        let allowed = "\"late\", or network.handover.forwarding = true";
        checker.fail("network.handover.conditional.forwarding", is_wrong, allowed);
    }
}

/// DAPS: forwarding, conditional handover beside it, and captures of a UE that two cells serve.
fn check_daps(scenario: &Scenario, own: &NetworkHandover, checker: &mut Checker<'_>) {
    if !own.daps {
        return;
    }
    let key = "network.handover.daps";
    if own.conditional.is_some() {
        let is_wrong = "is beside `network.handover.conditional`";
        checker.fail(key, is_wrong, "false, or leave out network.handover.conditional");
    }
    if !own.forwarding {
        let is_wrong = "is without forwarding, and the target needs copies of downlink packets";
        checker.fail(key, is_wrong, "false, or network.handover.forwarding = true");
    }
    let is_mac = |point: &PcapPoint| *point == PcapPoint::Mac;
    if let Some(n) = scenario.output.pcap.iter().position(is_mac) {
        let is_wrong = "has one C-RNTI of a UE, and with `network.handover.daps` a UE has two";
        let allowed = "leave it out, or set network.handover.daps = false";
        checker.fail(&format!("output.pcap.{n}"), is_wrong, allowed);
    }
}

/// Thresholds of event A5 that send a UE to a worse cell.
fn check_order(key: &str, event: &HandoverEvent, checker: &mut Checker<'_>) {
    if let HandoverEvent::A5(event) = event
        && event.serving > event.neighbour + 2.0 * event.hysteresis.0
    {
        let is_wrong = "is below the threshold of the serving cell: a UE would go to a worse cell";
        let allowed = format!("{} or more", event.serving - 2.0 * event.hysteresis.0);
        checker.fail(&format!("{key}.neighbour"), is_wrong, allowed);
    }
}

/// Parts of the radio that a UE cannot take to another cell, and recordings by cell.
fn check_others(scenario: &Scenario, checker: &mut Checker<'_>) {
    let key = "network.handover";
    let leave_out = "leave out one of them";
    let Some(cell) = &scenario.cell else { return };
    if cell.mu_mimo.is_some() {
        checker.fail(key, "is beside `cell.mu_mimo`", leave_out);
    }
    if cell.uplink.access == UplinkAccess::Configured {
        checker.fail(key, "is beside configured grants of `cell.uplink.access`", leave_out);
    }
    if scenario.output.blocks != RecordedBlocks::Off {
        let allowed = "\"off\": the timeline of a cell has no UE that changes its cell";
        checker.fail("output.blocks", "is beside `network.handover`", allowed);
    }
}

/// Captures between cells.
fn check_captures(scenario: &Scenario, checker: &mut Checker<'_>) {
    let output = &scenario.output;
    let Some(n) = output.pcap.iter().position(|point| *point == PcapPoint::X2) else { return };
    let handover = scenario.network.as_ref().and_then(|network| network.handover.as_ref());
    let key = format!("output.pcap.{n}");
    match handover {
        None => {
            let allowed = "leave it out, or add [network.handover] with forwarding = true";
            checker.fail(&key, "is between cells, and UEs keep their cells", allowed);
        }
        Some(own) if !own.forwarding => {
            let allowed = "leave it out, or set network.handover.forwarding = true";
            checker.fail(&key, "is between cells, and nothing is forwarded", allowed);
        }
        Some(_) if output.qlog == Some(PcapPoint::X2) => {
            let allowed = "a point that all packets of a flow pass, as \"server\" or \"ue\"";
            checker.fail("output.qlog", "has parts of flows", allowed);
        }
        Some(_) => {}
    }
}

/// Times that end before others begin.
fn check_times(own: &NetworkHandover, checker: &mut Checker<'_>) {
    // The shorter processing is that of NR (TS 38.331, 12).
    let processing = own.rrc_processing.unwrap_or(Duration::from_millis(10));
    let interruption = processing + own.synchronisation;
    if interruption >= own.t304 {
        let is_wrong =
            format!("ends before the interruption, {interruption}: each handover would fail");
        checker.fail(
            "network.handover.t304",
            &is_wrong,
            "a longer one, or less rrc_processing and synchronisation",
        );
    }
    if own.forwarding && own.forwarding_delay > interruption {
        let is_wrong = format!("is longer than the interruption, {interruption}");
        let allowed = "at most that: what the source has is at the target before the UE";
        checker.fail("network.handover.forwarding_delay", &is_wrong, allowed);
    }
}

/// Events that begin and end measurements of neighbours.
pub(super) fn check_neighbours(own: &NetworkHandover, at: &str, checker: &mut Checker<'_>) {
    let both = [("a1", &own.a1), ("a2", &own.a2)];
    for (key, event) in both.into_iter().filter_map(|(key, event)| Some((key, event.as_ref()?))) {
        let threshold = (&*format!("{at}.{key}.threshold"), event.threshold);
        check_threshold(own.quantity, threshold, checker);
    }
    if own.s_measure.is_some() && own.quantity != HandoverQuantity::Rsrp {
        let is_wrong = "is an RSRP, and `network.handover.quantity` is another";
        checker.fail("network.handover.s_measure", is_wrong, "quantity = \"rsrp\", or a2");
    }
    let Some(end) = &own.a1 else { return };
    let Some(begin) = &own.a2 else {
        let allowed = "add a2: without it neighbours are always measured";
        return checker.fail(&format!("{at}.a1"), "ends what no a2 began", allowed);
    };
    // A1 enters above the one, A2 below the other (5.5.4.2 and 5.5.4.3).
    let (above, below) = (end.threshold + end.hysteresis.0, begin.threshold - begin.hysteresis.0);
    if above < below {
        let is_wrong = format!("enters above {above}, and `{at}.a2` below {below}");
        let allowed = format!("a threshold of {} or more", below - end.hysteresis.0);
        checker.fail(&format!("{at}.a1"), &is_wrong, allowed);
    }
}

/// Offsets of cells that the network does not have, or of so many.
fn check_offsets(own: &NetworkHandover, cells: u32, checker: &mut Checker<'_>) {
    if !checker.length("network.handover.cell_offset", own.cell_offset.len()) || cells == 0 {
        return;
    }
    for (n, entry) in own.cell_offset.iter().enumerate() {
        let both = [("cell", Some(&entry.cell)), ("serving", entry.serving.as_ref())];
        for (key, numbers) in both {
            let Some(last) = numbers.map(|numbers| numbers.last()).filter(|last| *last >= cells)
            else {
                continue;
            };
            let path = format!("network.handover.cell_offset.{n}.{key}");
            let allowed = format!("numbers are 0 to {}, as `airpath drop` shows", cells - 1);
            checker.fail(&path, &format!("has no cell of number {last}"), allowed);
        }
    }
}

/// Thresholds of an event that are no values of the measured quantity.
pub(super) fn check_event(
    quantity: HandoverQuantity,
    (name, event): (&str, &HandoverEvent),
    checker: &mut Checker<'_>,
) {
    let thresholds = match event {
        HandoverEvent::A3(_) => Vec::new(),
        HandoverEvent::A4(event) => vec![("threshold", event.threshold)],
        HandoverEvent::A5(event) => {
            vec![("serving", event.serving), ("neighbour", event.neighbour)]
        }
    };
    for (key, value) in thresholds {
        check_threshold(quantity, (&format!("{name}.{key}"), value), checker);
    }
}

/// A threshold that is no value of the measured quantity.
pub(super) fn check_threshold(
    quantity: HandoverQuantity,
    (key, value): (&str, f64),
    checker: &mut Checker<'_>,
) {
    // TS 38.133, 10.1.6, 10.1.11 and 10.1.16; TS 36.133, 9.1.4 and 9.1.7.
    let ((low, high), unit) = match quantity {
        HandoverQuantity::Rsrp => ((-156.0, -31.0), "dBm"),
        HandoverQuantity::Rsrq => ((-43.0, 20.0), "dB"),
        HandoverQuantity::Sinr => ((-23.0, 40.0), "dB"),
    };
    if !(low..=high).contains(&value) {
        let is_wrong = format!("is {value}, no value of the measured quantity");
        checker.fail(key, &is_wrong, format!("{low} to {high} {unit}"));
    }
}
