//! Checks of handover.

use airpath_base::Duration;

use super::Checker;
use crate::file::{
    HandoverDelay, HandoverEvent, HandoverQuantity, NetworkHandover, NetworkLayout, PcapPoint,
    RecordedBlocks, Scenario, UplinkAccess,
};
use crate::world::network;

/// Keys that handover needs, and those that it excludes.
pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
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
    check_thresholds(own, checker);
    check_neighbours(own, checker);
    check_offsets(own, network::cells(network), checker);
    if let HandoverDelay::Uniform(delay) = &own.preparation
        && delay.min > delay.max
    {
        let allowed = format!("{} or more", delay.min);
        checker.fail("network.handover.preparation.max", "is less than min", allowed);
    }
    if let HandoverEvent::A5(event) = &own.event
        && event.serving > event.neighbour + 2.0 * event.hysteresis.0
    {
        let is_wrong = "is below the threshold of the serving cell: a UE would go to a worse cell";
        let allowed = format!("{} or more", event.serving - 2.0 * event.hysteresis.0);
        checker.fail("network.handover.event.neighbour", is_wrong, allowed);
    }
}

/// Parts of the radio that a UE cannot take to another cell, and recordings by cell.
fn check_others(scenario: &Scenario, checker: &mut Checker<'_>) {
    let key = "network.handover";
    let leave_out = "leave out one of them";
    if let Some(carrier) = scenario.carrier.first() {
        let is_wrong = format!("is beside `carrier.{}`", carrier.name);
        checker.fail(key, &is_wrong, "leave out one of them: UEs take no further carriers along");
    }
    let Some(cell) = &scenario.cell else { return };
    if cell.mu_mimo.is_some() {
        checker.fail(key, "is beside `cell.mu_mimo`", leave_out);
    }
    if cell.uplink.access == UplinkAccess::Configured {
        checker.fail(key, "is beside configured grants of `cell.uplink.access`", leave_out);
    }
    if scenario.output.pcap.contains(&PcapPoint::Mac) {
        let allowed = "leave \"mac\" out: captures of the air have no UE that changes its cell";
        checker.fail("output.pcap", "has \"mac\" beside `network.handover`", allowed);
    }
    if scenario.output.blocks != RecordedBlocks::Off {
        let allowed = "\"off\": the timeline of a cell has no UE that changes its cell";
        checker.fail("output.blocks", "is beside `network.handover`", allowed);
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
fn check_neighbours(own: &NetworkHandover, checker: &mut Checker<'_>) {
    if own.s_measure.is_some() && own.quantity != HandoverQuantity::Rsrp {
        let is_wrong = "is an RSRP, and `network.handover.quantity` is another";
        checker.fail("network.handover.s_measure", is_wrong, "quantity = \"rsrp\", or a2");
    }
    let Some(end) = &own.a1 else { return };
    let Some(begin) = &own.a2 else {
        let allowed = "add a2: without it neighbours are always measured";
        return checker.fail("network.handover.a1", "ends what no a2 began", allowed);
    };
    // A1 enters above the one, A2 below the other (5.5.4.2 and 5.5.4.3).
    let (above, below) = (end.threshold + end.hysteresis.0, begin.threshold - begin.hysteresis.0);
    if above < below {
        let is_wrong = format!("enters above {above}, and `network.handover.a2` below {below}");
        let allowed = format!("a threshold of {} or more", below - end.hysteresis.0);
        checker.fail("network.handover.a1", &is_wrong, allowed);
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

/// Thresholds that are no values of the measured quantity.
fn check_thresholds(own: &NetworkHandover, checker: &mut Checker<'_>) {
    // TS 38.133, 10.1.6, 10.1.11 and 10.1.16; TS 36.133, 9.1.4 and 9.1.7.
    let ((low, high), unit) = match own.quantity {
        HandoverQuantity::Rsrp => ((-156.0, -31.0), "dBm"),
        HandoverQuantity::Rsrq => ((-43.0, 20.0), "dB"),
        HandoverQuantity::Sinr => ((-23.0, 40.0), "dB"),
    };
    let mut thresholds = match &own.event {
        HandoverEvent::A3(_) => Vec::new(),
        HandoverEvent::A4(event) => vec![("event.threshold", event.threshold)],
        HandoverEvent::A5(event) => {
            vec![("event.serving", event.serving), ("event.neighbour", event.neighbour)]
        }
    };
    thresholds.extend(own.a1.as_ref().map(|event| ("a1.threshold", event.threshold)));
    thresholds.extend(own.a2.as_ref().map(|event| ("a2.threshold", event.threshold)));
    for (key, value) in thresholds.into_iter().filter(|(_, value)| !(low..=high).contains(value)) {
        let is_wrong = format!("is {value}, no value of the measured quantity");
        let allowed = format!("{low} to {high} {unit}");
        checker.fail(&format!("network.handover.{key}"), &is_wrong, allowed);
    }
}
