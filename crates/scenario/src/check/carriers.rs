//! Checks of further carriers of the cell.

use std::ops::Range;

use airpath_channel::ChannelError;
use airpath_ran::phy::category::{LAST_WITH_CARRIERS, most_bits_of_carriers};
use airpath_schema::units::{Hertz, Quantity};

use super::carrier_cells::has_uplink;
use super::{Checker, carrier_cells, duplex, technology};
use crate::bands;
use crate::file::{Carrier, Cell, Duplex, Flexible, Network, PcapPoint, QueueConfig, Scenario};
use crate::world::{links, network};

/// Most carriers beside the cell (TS 36.331, 6.4, maxSCell-r10; TS 38.331, 6.4, maxNrofSCells).
const MOST: [usize; 2] = [4, 31];

pub(super) fn check(scenario: &Scenario, own: &Cell, checker: &mut Checker<'_>) {
    check_abilities(scenario, checker);
    if scenario.carrier.is_empty() {
        return;
    }
    let have_cells = carrier_cells::check(scenario, own, checker);
    if !have_cells {
        check_beside(scenario, own, checker);
    }
    let own = &located(scenario, own);
    let cells: Vec<Cell> = scenario.carrier.iter().map(|carrier| carrier.cell(own)).collect();
    for (n, (carrier, cell)) in scenario.carrier.iter().zip(&cells).enumerate() {
        let path = format!("carrier.{n}");
        let names = scenario.carrier[..n].iter().map(|other| other.name.as_str());
        if names.chain(["cell"]).any(|name| name == carrier.name) {
            checker.fail(&format!("{path}.name"), "is that of another carrier", "another name");
        }
        checker.renamed = Some(path.clone());
        technology::check_tables(cell, checker);
        duplex::check(scenario, cell, checker);
        checker.renamed = None;
        check_keys(carrier, cell, &path, checker);
        check_network((scenario, carrier, cell), &path, checker);
        check_capture(scenario, (own, cell), &carrier.name, checker);
        if !have_cells {
            check_uplink(carrier, cell, &path, checker);
            check_feedback(own, cell, &path, checker);
        }
        let others = core::iter::once(("cell", own, true));
        let before = scenario.carrier.iter().zip(&cells[..n]);
        let before = before.map(|(other, cell)| (other.name.as_str(), cell, has_uplink(other)));
        for (name, other, uplink) in others.chain(before) {
            check_pair((name, other, have_cells), cell, &path, checker);
            if uplink && has_uplink(carrier) {
                check_uplink_pair((name, other), cell, &path, checker);
            }
        }
    }
}

/// The cell with its frequency, which in a network is that of the network.
fn located(scenario: &Scenario, own: &Cell) -> Cell {
    let mut cell = own.clone();
    if let Some(network) = &scenario.network {
        (cell.radio.carrier, cell.radio.carrier_up) = (Some(network.carrier), None);
        cell.radio.band = None;
        bands::fill(&mut cell);
    }
    cell
}

/// A carrier of a network has a channel in both directions.
fn check_network(
    (scenario, carrier, cell): (&Scenario, &Carrier, &Cell),
    path: &str,
    checker: &mut Checker<'_>,
) {
    let Some(file) = &scenario.network else { return };
    let of = |frequency| Carrier { frequency, ..carrier.clone() }.network(file);
    let checked = |file: &Network| network::config(file).and_then(|config| config.check());
    if let Some(at) = cell.radio.carrier_up.filter(|_| carrier.uplink)
        && let Err(error @ ChannelError::Carrier { .. }) = checked(&of(at))
    {
        checker.fail(&format!("{path}.frequency_up"), "cannot be so", error.to_string());
    }
    let file = of(carrier.frequency);
    let found = checked(&file);
    if let Err(error @ ChannelError::Carrier { .. }) = &found {
        checker.fail(&format!("{path}.frequency"), "cannot be so", error.to_string());
    } else if found.is_ok() && links::fading_error(scenario, &file, cell).is_some() {
        let allowed = "a narrower carrier, or fewer antennas and ports of UEs and cells";
        checker.fail(path, "has fading that cannot be", allowed);
    }
}

/// UEs send on carriers that there are.
fn check_abilities(scenario: &Scenario, checker: &mut Checker<'_>) {
    let most = 1 + scenario.carrier.iter().filter(|carrier| carrier.uplink).count();
    for (n, ue) in scenario.ue.iter().enumerate() {
        if let Some(count) = ue.uplink_carriers.filter(|count| *count as usize > most) {
            let is_wrong = format!("is {count}, and {most} carry uplink, the cell among them");
            let allowed = format!("1 to {most}, or uplink = true for more carriers");
            checker.fail(&format!("ue.{n}.uplink_carriers"), &is_wrong, allowed);
        }
    }
}

/// Parts of a scenario that further carriers do not go with.
fn check_beside(scenario: &Scenario, own: &Cell, checker: &mut Checker<'_>) {
    let most = MOST[usize::from(own.is_nr())];
    if scenario.carrier.len() > most {
        let is_wrong = format!("has {} entries", scenario.carrier.len());
        checker.fail("carrier", &is_wrong, format!("{most} carriers at most beside the cell"));
    }
    if own.flexible == Some(Flexible::ByNeed) {
        let allowed = "\"unused\", \"downlink\" or \"uplink\" beside further carriers";
        checker.fail("cell.flexible", "cannot be \"by-need\"", allowed);
    }
    for (n, ue) in scenario.ue.iter().enumerate() {
        let unknown = |category: &u8| most_bits_of_carriers(*category).is_none();
        if let Some(category) = ue.category.filter(unknown) {
            let is_wrong = format!("is {category} beside further carriers");
            let allowed = format!(
                "1 to {LAST_WITH_CARRIERS}, or leave it out: most others have a range of bits over carriers \
                 (TS 36.306, table 4.1A-1)"
            );
            checker.fail(&format!("ue.{n}.category"), &is_wrong, allowed);
        }
    }
    for (n, bearer) in scenario.bearer.iter().enumerate() {
        let queues = bearer.qos_flow.iter().map(|flow| &flow.queue).chain([&bearer.queue]);
        if queues.flatten().any(counts_free) {
            let allowed = "leave free_above out: it counts resource blocks of one carrier";
            checker.fail(&format!("bearer.{n}.queue"), "is beside further carriers", allowed);
        }
    }
}

fn counts_free(queue: &QueueConfig) -> bool {
    matches!(queue, QueueConfig::Ramp(ramp) if ramp.free_above.is_some())
}

/// Keys that count with others only.
fn check_keys(carrier: &Carrier, cell: &Cell, path: &str, checker: &mut Checker<'_>) {
    if carrier.special_slot.is_some() && carrier.tdd_pattern.is_none() {
        let allowed = "tdd_pattern of the same carrier with it";
        checker.fail(&format!("{path}.special_slot"), "does not count alone", allowed);
    }
    let (low, high) = (cell.tti.tti().length(), carrier.activation_delay);
    if high.is_some_and(|delay| delay < low) {
        let allowed = format!("one interval or more, {low}");
        checker.fail(&format!("{path}.activation_delay"), "is too short", allowed);
    }
}

/// A carrier with uplink has spectrum for it.
fn check_uplink(carrier: &Carrier, cell: &Cell, path: &str, checker: &mut Checker<'_>) {
    if !carrier.uplink {
        if carrier.frequency_up.is_some() {
            let allowed = "uplink = true with it, or leave it out";
            checker.fail(&format!("{path}.frequency_up"), "does not count alone", allowed);
        }
        return;
    }
    if let Some(fault) = bands::fault(cell) {
        let key = fault.key.replace("carrier", "frequency");
        let own = |text: &str| text.replace("carrier_up", "frequency_up");
        let allowed = own(&fault.allowed).replace("`carrier`", "`frequency`");
        let allowed = format!("{allowed}; or leave uplink out, for the downlink alone");
        checker.fail(&format!("{path}.{key}"), &own(&fault.is_wrong), allowed);
    }
}

/// All feedback goes uplink in the cell itself: with time division duplex, its slots have to be those
/// of the carrier.
fn check_feedback(own: &Cell, cell: &Cell, path: &str, checker: &mut Checker<'_>) {
    let (lte, alike) = (cell.tdd_configuration.is_some(), is_alike(own, cell));
    match (own.duplex, cell.duplex) {
        (Duplex::Tdd, Duplex::Fdd) => {
            let allowed = "the carrier with duplex \"fdd\" as `cell`, and the other one as carrier: \
                           feedback goes uplink in the cell";
            checker.fail(
                &format!("{path}.duplex"),
                "is \"fdd\" beside a cell with \"tdd\"",
                allowed,
            );
        }
        (Duplex::Tdd, Duplex::Tdd) if !alike => {
            let allowed = "the pattern and the numerology of `cell`, or a cell with duplex \"fdd\": \
                           feedback goes uplink in the slots of the cell";
            checker.fail(&format!("{path}.tdd_pattern"), "is not that of the cell", allowed);
        }
        (Duplex::Fdd, Duplex::Tdd) if lte => {
            let allowed =
                "tdd_pattern: tables of tdd_configuration have feedback in its own subframes";
            checker.fail(&format!("{path}.duplex"), "has a tdd_configuration", allowed);
        }
        _ => {}
    }
}

/// A capture of the radio counts the intervals of all carriers alike.
fn check_capture(
    scenario: &Scenario,
    (own, cell): (&Cell, &Cell),
    name: &str,
    checker: &mut Checker<'_>,
) {
    let captured = scenario.output.pcap.iter().position(|point| *point == PcapPoint::Mac);
    if let Some(n) = captured.filter(|_| own.tti != cell.tti || own.duplex != cell.duplex) {
        let is_wrong = format!("has carrier {name} with another interval or duplex than the cell");
        let allowed = "other points, or numerology and duplex of `cell` for all carriers";
        checker.fail(&format!("output.pcap.{n}"), &is_wrong, allowed);
    }
}

/// True if two cells have the same slots.
fn is_alike(one: &Cell, other: &Cell) -> bool {
    let pattern = |cell: &Cell| cell.pattern().and_then(Result::ok);
    one.tti.tti() == other.tti.tti() && pattern(one) == pattern(other)
}

/// Carriers do not overlap, and those of one band with time division duplex have the same slots.
fn check_pair(
    (name, other, have_cells): (&str, &Cell, bool),
    cell: &Cell,
    path: &str,
    checker: &mut Checker<'_>,
) {
    let key = format!("{path}.frequency");
    check_overlap((name, &occupied(other)), &occupied(cell), &key, checker);
    // A UE has one cell of those on several carriers.
    let both_tdd = !have_cells && other.duplex == Duplex::Tdd && cell.duplex == Duplex::Tdd;
    if both_tdd
        && !is_alike(other, cell)
        && let Some(band) = bands::shared(cell, other)
    {
        let is_wrong = format!("has other slots than {name}, in the same band {band}");
        let allowed = format!(
            "tdd_pattern, special_slot and numerology of {name}: a UE cannot send and receive in \
             one band at the same time"
        );
        checker.fail(&format!("{path}.tdd_pattern"), &is_wrong, allowed);
    }
}

/// Carriers uplink do not overlap, where frequency division duplex has frequencies of their own.
fn check_uplink_pair(
    (name, other): (&str, &Cell),
    cell: &Cell,
    path: &str,
    checker: &mut Checker<'_>,
) {
    let up = [other, cell].map(|cell| Some(around(cell.radio.carrier_up?, cell)));
    if let [Some(one), Some(two)] = up {
        check_overlap((name, &one), &two, &format!("{path}.frequency_up"), checker);
    }
}

fn check_overlap(
    (name, one): (&str, &Range<f64>),
    two: &Range<f64>,
    key: &str,
    checker: &mut Checker<'_>,
) {
    if one.start < two.end && two.start < one.end {
        let show = |range: &Range<f64>| {
            let [low, high] = [range.start, range.end].map(|hertz| Hertz(hertz as u64).show());
            format!("{low} to {high}")
        };
        let is_wrong = format!("overlaps {name}: {}", show(one));
        let distance = (one.end - one.start + two.end - two.start) / 2.0;
        let allowed = format!(
            "{} or more from the middle of {name}; resource blocks here are at {}",
            Hertz(distance.ceil() as u64).show(),
            show(two)
        );
        checker.fail(key, &is_wrong, allowed);
    }
}

/// Frequencies of the resource blocks of a carrier downlink in Hz.
fn occupied(cell: &Cell) -> Range<f64> {
    around(cell.radio.carrier.unwrap_or_default(), cell)
}

/// Frequencies of the resource blocks of a carrier with this middle in Hz.
fn around(middle: Hertz, cell: &Cell) -> Range<f64> {
    let half = cell.occupied_hz() / 2.0;
    middle.0 as f64 - half..middle.0 as f64 + half
}

#[cfg(test)]
#[path = "carriers_tests.rs"]
mod tests;
