//! A drop for people: within 80 columns.

use airpath_channel::Sight;
use airpath_plot::plural;
use airpath_scenario::Scenario;
use airpath_scenario::world::{DroppedUe, NetworkDrop, UeFacts};

use super::json::word;
use super::reach;

/// UEs that the table of a single cell has at most.
const MOST_ROWS: usize = 10;
/// UEs that each of the two tables of a network has at most.
const MOST_OF_NETWORK: usize = 4;
/// Rows of UEs and their further carriers that a table has at most.
const MOST_WITH_CARRIERS: usize = 12;
/// Percentiles over the UEs.
const PERCENTILES: [f64; 5] = [5.0, 25.0, 50.0, 75.0, 95.0];

/// The network, the first of its UEs, the distribution over all, and who is out of reach.
pub fn of(
    scenario: &Scenario,
    dropped: Option<&NetworkDrop>,
    ues: &[UeFacts],
    seed: u64,
) -> String {
    let text = match dropped {
        Some(dropped) => network(dropped, (scenario, ues), seed),
        None => cell(scenario, ues, seed),
    };
    text + "\n" + &reach::result(scenario, ues)
}

/// A single cell and the first of its UEs.
fn cell(scenario: &Scenario, ues: &[UeFacts], seed: u64) -> String {
    let technology = match scenario.cell.as_ref().is_some_and(|cell| cell.is_nr()) {
        true => "NR",
        false => "LTE",
    };
    let mut text = format!("one cell, {technology}; {}, seed {seed}\n\n", plural(ues.len(), "UE"));
    let rows = rows(scenario, MOST_ROWS);
    text += &reach::table(scenario, &ues.iter().take(rows).collect::<Vec<_>>());
    text + &more(ues.len(), rows)
}

/// UEs that a table has: at most so many, and fewer where each has several carriers.
fn rows(scenario: &Scenario, most: usize) -> usize {
    (MOST_WITH_CARRIERS / (1 + reach::shown(scenario).len())).min(most)
}

/// Line with the number of rows that a table leaves out.
fn more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("and {more} more: --json has them all\n"),
    }
}

fn network(dropped: &NetworkDrop, (scenario, ues): (&Scenario, &[UeFacts]), seed: u64) -> String {
    let config = dropped.network.config();
    let (sites, cells) = (config.layout.sites().len(), dropped.network.cells().len());
    let wraps = if config.layout.wraps() { ", wrap-around" } else { "" };
    let [sites, cells] = [(sites, "site"), (cells, "cell")].map(|(count, what)| match count {
        1 => format!("one {what}"),
        _ => format!("{count} {what}s"),
    });
    let mut text = format!(
        "{}, {} GHz, {sites}, {cells}{wraps}; {} UEs, seed {seed}\n\n",
        config.environment.name(),
        config.carrier_hz / 1e9,
        dropped.ues.len(),
    );
    let rows = rows(scenario, MOST_OF_NETWORK);
    let shown = &dropped.ues[..dropped.ues.len().min(rows)];
    let width = shown.iter().map(|ue| ue.name.chars().count()).max().unwrap_or(0).max(8);
    text += &format!(
        "{:width$}{:>9}{:>9}{:>7}  {:9}{:>5} {:4}{:>7}{:>6}\n",
        "UE", "x, m", "y, m", "up, m", "inside", "cell", "", "RSRP", "geom."
    );
    shown.iter().for_each(|ue| text += &line(ue, width));
    text += &more(dropped.ues.len(), rows);
    text.push('\n');
    text += &reach::table(scenario, &ues.iter().take(rows).collect::<Vec<_>>());
    text.push('\n');
    text += &distribution(&dropped.ues);
    text += &of_carriers(scenario, ues);
    text
}

/// Quantity of a dropped UE.
type Figure = fn(&DroppedUe) -> f64;

fn distribution(ues: &[DroppedUe]) -> String {
    let mut text = format!("{:20}", "share of UEs below");
    PERCENTILES.iter().for_each(|percent| text += &format!("{:>8}", format!("{percent}%")));
    text.push('\n');
    let rows: [(&str, Figure); 3] = [
        ("RSRP, dBm", |ue| ue.rsrp.0),
        ("coupling gain, dB", |ue| ue.gain.0),
        ("geometry, dB", |ue| ue.geometry.0),
    ];
    for (name, of) in rows {
        text += &percentiles(name, ues.iter().map(of));
    }
    text
}

/// RSRP and SINR downlink of the further carriers over all UEs.
fn of_carriers(scenario: &Scenario, ues: &[UeFacts]) -> String {
    let mut text = String::new();
    for (n, carrier) in reach::shown(scenario).iter().enumerate() {
        let name = reach::short_name(carrier);
        let own = || ues.iter().filter_map(|ue| ue.carriers.get(n + 1));
        let sinrs = own().filter_map(|own| own.reach[0].map(|reach| reach.sinr_db));
        text += &percentiles(&format!("{name}: RSRP, dBm"), own().filter_map(|own| own.rsrp_dbm));
        text += &percentiles(&format!("{name}: SINR, dB"), sinrs);
    }
    text
}

/// A row of percentiles.
fn percentiles(name: &str, values: impl Iterator<Item = f64>) -> String {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let mut text = format!("{name:20}");
    for percent in PERCENTILES {
        let rank = percent / 100.0 * (values.len().max(1) - 1) as f64;
        let value = values.get(rank.round() as usize);
        text += &value.map_or("       -".to_owned(), |value| format!("{value:8.1}"));
    }
    text.push('\n');
    text
}

fn line(one: &DroppedUe, width: usize) -> String {
    let ue = &one.ue;
    let sight = if one.link.condition.sight == Sight::Los { "LOS" } else { "NLOS" };
    let name = &one.name;
    format!(
        "{name:width$}{:9.1}{:9.1}{:7.1}  {:9}{:>5} {sight:4}{:7.1}{:6.1}\n",
        ue.at.x,
        ue.at.y,
        ue.height_m,
        word(ue.surroundings),
        one.serving,
        one.rsrp.0,
        one.geometry.0,
    )
}
