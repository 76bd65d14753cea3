//! Reach of each UE, alone in its cell: a table within 80 columns, JSON, and warnings.

use airpath_net::Direction;
use airpath_results::{OutOfReach, Why, reach_warnings};
use airpath_scenario::world::{CarrierFacts, Reach, UeFacts};
use airpath_scenario::{Carrier, Cell, Network, Scenario};
use serde_json::{Value, json};

use crate::table::{number, rounded};
use crate::view::line::fit;
use crate::wrap::wrap;

/// Columns of the screen.
const WIDTH: usize = 80;
/// Further carriers on the screen at most.
const MOST_CARRIERS: usize = 4;
/// Columns of a carrier's name at most.
const MOST_NAME: usize = 9;

/// The table of these UEs. Further carriers of a UE follow it, a row each.
pub fn table(scenario: &Scenario, ues: &[&UeFacts]) -> String {
    let names = ues.iter().map(|ue| ue.name.chars().count());
    let carriers = shown(scenario).iter().map(|carrier| further(carrier).chars().count());
    let width = names.chain(carriers).max().unwrap_or(0).max(8);
    let mut text = format!(
        "{:width$}{:>9}{:>8}  {:^23}  {:^23}\n",
        "alone in", "dist.,", "RSRP,", "downlink", "uplink"
    );
    let titles = format!("{:>9}{:>5}{:>9}", "SINR, dB", "MCS", "Mbit/s");
    text += &format!("{:width$}{:>9}{:>8}  {titles}  {titles}\n", "its cell", "m", "dBm");
    for ue in ues {
        text += &line(ue, width);
        let own = ue.carriers.iter().skip(1).filter(|_| ue.served);
        for (carrier, facts) in shown(scenario).iter().zip(own) {
            let ways = facts.reach.each_ref().map(|way| way.as_ref().map_or(absent(), column));
            text += &row((&further(carrier), width), (None, facts.rsrp_dbm), &ways);
        }
    }
    text
}

/// The name of a further carrier in the table.
fn further(carrier: &Carrier) -> String {
    format!("+ {}", short_name(carrier))
}

/// Further carriers that the screen has.
pub fn shown(scenario: &Scenario) -> &[Carrier] {
    if scenario.carrier.iter().any(Carrier::has_cells) {
        return &[]; // a UE is served on one carrier
    }
    &scenario.carrier[..scenario.carrier.len().min(MOST_CARRIERS)]
}

/// The name of a carrier, cut to the width that rows have for it.
pub fn short_name(carrier: &Carrier) -> String {
    fit(&carrier.name, MOST_NAME).trim_end().to_owned()
}

fn line(ue: &UeFacts, width: usize) -> String {
    let head = ((ue.name.as_str(), width), (ue.distance_m, ue.rsrp_dbm));
    match ue.reach.as_ref().filter(|_| ue.served) {
        None => row(head.0, head.1, &["no service".to_owned()]),
        Some(reach) => row(head.0, head.1, &reach.each_ref().map(column)),
    }
}

fn row(
    (name, width): (&str, usize),
    (distance_m, rsrp_dbm): (Option<f64>, Option<f64>),
    ways: &[String],
) -> String {
    let fixed = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
    let head = format!("{name:width$}{:>9}{:>8}", fixed(distance_m), fixed(rsrp_dbm));
    format!("{head}  {}\n", ways.join("  "))
}

/// A direction in a row of the table.
fn column(one: &Reach) -> String {
    let mcs = match (one.mcs, one.layers) {
        (None, _) => "-".to_owned(),
        (Some(mcs), 1) => mcs.to_string(),
        (Some(mcs), layers) => format!("{mcs}x{layers}"),
    };
    // A UE that is out of range in its cell may have a rate by further carriers.
    let rate = match (one.mcs, one.rate.as_bps()) {
        (None, 0) => "none".to_owned(),
        (_, bps) => number(Some(bps as f64 / 1e6)),
    };
    format!("{:>9.1}{mcs:>5}{rate:>9}", one.sinr_db)
}

/// A direction in which the UE has no link on a carrier.
fn absent() -> String {
    format!("{:>9}{:>5}{:>9}", "-", "-", "none")
}

/// The UE's part of the JSON object.
pub fn json(scenario: &Scenario, ue: &UeFacts) -> Value {
    let reach = ue.reach.as_ref().filter(|_| ue.served);
    let [down, up] = reach.map_or([Value::Null, Value::Null], |reach| reach.each_ref().map(way));
    let mut own = json!({
        "name": ue.name,
        "distance_m": ue.distance_m.map(rounded),
        "rsrp_dbm": ue.rsrp_dbm.map(rounded),
        "service": ue.served,
        "down": down,
        "up": up,
    });
    if !ue.carriers.is_empty() {
        let of = |((name, carrier_ghz), facts): ((&str, Option<f64>), &CarrierFacts)| {
            let reach = facts.reach.each_ref().map(|one| one.as_ref().filter(|_| ue.served));
            let [down, up] = reach.map(|one| one.map_or(Value::Null, way));
            let rsrp_dbm = facts.rsrp_dbm.map(rounded);
            json!({"name": name, "carrier_ghz": carrier_ghz, "rsrp_dbm": rsrp_dbm, "down": down, "up": up})
        };
        own["carriers"] = carriers(scenario).zip(&ue.carriers).map(of).collect();
    }
    own
}

/// Names of the carriers and their frequencies, that of the cell first. The cell has none where SNRs are given alone.
fn carriers(scenario: &Scenario) -> impl Iterator<Item = (&str, Option<f64>)> {
    let network = scenario.network.as_ref().map(|network| network.carrier);
    let own = network.or(scenario.cell.as_ref().and_then(|cell| cell.radio.carrier));
    let own = ("cell", own.map(|frequency| frequency.0 as f64 / 1e9));
    let others = scenario.carrier.iter();
    core::iter::once(own).chain(others.map(|carrier| (carrier.name.as_str(), Some(ghz(carrier)))))
}

fn ghz(carrier: &Carrier) -> f64 {
    carrier.frequency.0 as f64 / 1e9
}

/// A direction in the JSON object.
pub fn way(one: &Reach) -> Value {
    json!({
        "sinr_db": rounded(one.sinr_db),
        "resource_blocks": one.resource_blocks,
        "mcs": one.mcs,
        "layers": one.layers,
        "rate_bps": one.rate.as_bps(),
        "in_range": one.mcs.is_some(),
    })
}

/// UEs out of reach, in sentences.
pub fn warnings(ues: &[UeFacts]) -> Vec<String> {
    reach_warnings(&ues.iter().flat_map(out_of_reach).collect::<Vec<_>>())
}

fn out_of_reach(ue: &UeFacts) -> Vec<OutOfReach> {
    let one = |why| OutOfReach { ue: ue.name.clone(), why };
    match (ue.rsrp_dbm.filter(|_| !ue.served), &ue.reach) {
        (Some(rsrp_dbm), _) => vec![one(Why::NoService { rsrp_dbm })],
        (None, Some(reach)) => {
            let out = Direction::ALL.into_iter().zip(reach).filter(|(_, way)| way.mcs.is_none());
            out.map(|(direction, way)| {
                one(Why::OutOfRange { direction, sinr_db: way.sinr_db, share: None })
            })
            .collect()
        }
        (None, None) => Vec::new(),
    }
}

/// Count of the UEs that have 256QAM alone in their cell, in cells of LTE that have the table with it.
fn with_256qam(scenario: &Scenario, ues: &[UeFacts]) -> String {
    let Some(first) = scenario.cell.as_ref().and_then(Cell::first_256qam) else {
        return String::new();
    };
    let down = ues.iter().filter_map(|ue| ue.reach.as_ref().filter(|_| ue.served)?[0].mcs);
    let (with, all) = (down.filter(|mcs| *mcs >= first).count(), ues.len());
    format!("{with} of {all} UEs have 256QAM downlink, which is MCS {first} and above\n")
}

/// Layers of UEs: their meaning in the table, or that a network's are not in it.
fn with_layers(scenario: &Scenario, ues: &[UeFacts]) -> &'static str {
    let several = |ue: &UeFacts| ue.reach.as_ref().is_some_and(|reach| reach[0].layers > 1);
    let most = scenario.cell.as_ref().map_or(1, |cell| cell.layers);
    match (most > 1, ues.iter().any(several)) {
        (true, true) => "SINR and MCS are those of a layer: 27x4 is MCS 27 on each of four\n",
        (true, false) if scenario.network.is_some() => {
            "one layer is shown: how many a UE has in a network depends on fading\n"
        }
        _ => "",
    }
}

/// Further carriers with their frequencies, and which rate counts them.
fn with_carriers(scenario: &Scenario) -> String {
    if scenario.carrier.is_empty() {
        return String::new();
    }
    if scenario.carrier.iter().any(Carrier::has_cells) {
        return cells_on_carriers(scenario);
    }
    let one = |carrier: &Carrier| format!("{} ({} GHz)", short_name(carrier), ghz(carrier));
    let mut all: Vec<String> = shown(scenario).iter().map(one).collect();
    let more = scenario.carrier.len() - all.len();
    if more > 0 {
        all.push(format!("and {more} more, which --json has"));
    }
    let text = format!(
        "a UE's row has SINR and MCS of the cell's own carrier, and the rate of all carriers; \
         rows with + are further carriers: {}",
        all.join(", ")
    );
    wrap(&text, "", "  ", WIDTH)
}

/// Further carriers with cells, as JSON: each has as many as the network's own, from a number on.
pub fn with_cells(scenario: &Scenario) -> Vec<Value> {
    let each = scenario.network.as_ref().map_or(0, Network::cells) as usize;
    let own = scenario.carrier.iter().enumerate().filter(|(_, carrier)| carrier.has_cells());
    own.map(|(n, carrier)| {
        json!({"name": carrier.name, "carrier_ghz": ghz(carrier), "first_cell": (n + 1) * each})
    })
    .collect()
}

/// Numbers of cells on further carriers.
fn cells_on_carriers(scenario: &Scenario) -> String {
    let each = scenario.network.as_ref().map_or(1, Network::cells) as usize;
    let one = |(n, carrier): (usize, &Carrier)| {
        let first = (n + 1) * each;
        let last = first + each - 1;
        let role = if carrier.is_leg() { ", legs of dual connectivity" } else { "" };
        format!("{first} to {last} on {} ({} GHz){role}", short_name(carrier), ghz(carrier))
    };
    let all: Vec<String> = scenario.carrier.iter().enumerate().map(one).collect();
    wrap(&format!("further cells: {}", all.join(", ")), "", "  ", WIDTH)
}

/// Count of the UEs within reach, and a warning about those that are not.
pub fn result(scenario: &Scenario, ues: &[UeFacts]) -> String {
    let out = ues.iter().filter(|ue| !out_of_reach(ue).is_empty()).count();
    let (all, within) = (ues.len(), ues.len() - out);
    let mut text = with_carriers(scenario);
    text += &match out {
        0 => format!("all {all} UEs are within reach in both directions\n"),
        _ => format!("{within} of {all} UEs are within reach in both directions\n"),
    };
    text += &with_256qam(scenario, ues);
    text += with_layers(scenario, ues);
    for warning in warnings(ues) {
        text += &wrap(&warning, "warning: ", "  ", WIDTH);
    }
    if let Some(cell) = scenario.cell.as_ref().filter(|_| ues.iter().any(|ue| !ue.served)) {
        let floor =
            format!("cell selection's floor, cell.q_rx_lev_min, is {} dBm", cell.q_rx_lev_min.0);
        text += &wrap(&floor, "  ", "  ", WIDTH);
    }
    text
}
