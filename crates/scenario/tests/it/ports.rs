//! Antenna ports of a network's cells and their panel.

use airpath_base::random::Seed;
use airpath_scenario::Scenario;
use airpath_scenario::world::World;

/// A network of NR cells, or what is wrong with it.
fn network(cell: &str, network: &str, ue: &str) -> Result<Scenario, String> {
    let text = format!(
        "duration = \"1 s\"\n[cell]\n{cell}\n[network]\n{network}\n[[ue]]\nname = \"phone\"\n{ue}\n\
         [[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n"
    );
    Scenario::parse("s.toml", &text, &[]).map_err(|errors| errors.plain().to_string())
}

const NR: &str = "technology = \"nr\"";

/// Ports, columns and rows of a network of NR cells, and the codebook.
fn panel(keys: &str) -> (Option<u32>, Option<u8>, Option<u8>, String) {
    let read = network(NR, keys, "").unwrap_or_else(|error| panic!("{error}"));
    let own = read.network.expect("a network").precoding;
    let codebook = own.codebook.expect("a codebook").word().to_owned();
    (own.ports, own.columns, own.rows, codebook)
}

#[test]
fn panels_by_their_keys() {
    let of = |ports, columns, rows| (Some(ports), Some(columns), Some(rows), "type-1".to_owned());
    for (ports, columns, rows) in [(8, 4, 1), (12, 6, 1), (16, 8, 1), (24, 6, 2), (32, 8, 2)] {
        assert_eq!(panel(&format!("precoding.ports = {ports}")), of(ports, columns, rows));
    }
    assert_eq!(panel("precoding.columns = 4\nprecoding.rows = 2"), of(16, 4, 2));
    assert_eq!(panel("precoding.ports = 32\nprecoding.rows = 4"), of(32, 4, 4));
    assert_eq!(panel("precoding.ports = 24\nprecoding.columns = 12"), of(24, 12, 1));
    assert_eq!(panel(""), (Some(4), None, None, "lte".to_owned()));
    let pair = (Some(4), Some(2), Some(1), "lte".to_owned());
    assert_eq!(panel("precoding.columns = 2"), pair);
}

#[test]
fn a_panel_is_slanted_and_receives_with_its_ports() {
    let read = network(NR, "precoding.ports = 32", "").expect("a scenario");
    let polarisation = read.network.expect("a network").antenna.polarisation;
    assert_eq!(polarisation.map(|own| own.word()), Some("slanted"));
    assert_eq!(read.cell.expect("a cell").receivers, Some(32));
    let few = network(NR, "", "").expect("a scenario").network.expect("a network");
    assert_eq!(few.antenna.polarisation.map(|own| own.word()), Some("vertical"));
}

fn has(found: Result<Scenario, String>, words: &[&str]) {
    let message = found.expect_err("a fault");
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

#[test]
fn ports_that_are_not_possible() {
    for ports in [3, 6, 20, 31] {
        let keys = format!("precoding.ports = {ports}");
        has(network(NR, &keys, ""), &["network.precoding.ports", "8, 12, 16, 24 or 32"]);
    }
    let eight = "precoding.ports = 8";
    has(network("", eight, ""), &["network.precoding.ports", "is 8", "lte", "technology = \"nr\""]);
    let mode = "transmission_mode = 4";
    has(network(mode, eight, ""), &["network.precoding.ports", "with mode 4", "1, 2 or 4"]);
    for scheme in ["maximum-ratio", "transmit-diversity", "single-port"] {
        let keys = format!("{eight}\nprecoding.scheme = \"{scheme}\"");
        has(network(NR, &keys, ""), &["network.precoding.ports", scheme, "closed-loop"]);
    }
    let of_lte = format!("{eight}\nprecoding.codebook = \"lte\"");
    has(network(NR, &of_lte, ""), &["network.precoding.codebook", "ports is 8", "\"type-1\""]);
}

#[test]
fn panels_that_are_not_possible() {
    let columns = "network.precoding.columns";
    let sixteen = "precoding.ports = 16\nprecoding.columns = 5";
    has(network(NR, sixteen, ""), &[columns, "are 5", "columns = 4 and rows = 2", "columns = 8"]);
    let both = "precoding.ports = 16\nprecoding.columns = 8\nprecoding.rows = 2";
    has(network(NR, both, ""), &[columns, "rows 2", "columns = 8 and rows = 1"]);
    let one = "precoding.ports = 1\nprecoding.columns = 1";
    has(network(NR, one, ""), &[columns, "ports is 1", "leave out"]);
    let odd = "precoding.columns = 5";
    has(network(NR, odd, ""), &["network.precoding.ports", "is 10"]);
    let wide = "precoding.ports = 8\nprecoding.subband = 40";
    has(network(NR, wide, ""), &["network.precoding.subband", "is 40", "1 to 32"]);
}

#[test]
fn precoded_interference_of_many_ports_has_a_bound() {
    let small = "bandwidth = \"5 MHz\"\ntechnology = \"nr\"\nlayers = 2";
    let precoded = "sites = 1\nwrap_around = false\ninterference = \"precoded\"\n";
    let keys = |ports: u32| format!("{precoded}precoding.ports = {ports}");
    let ue = "receivers = 2\nreceiver = \"mmse-irc\"";
    let read = network(small, &keys(8), ue).unwrap_or_else(|error| panic!("{error}"));
    World::build(&read, Seed(1)).expect("a world");
    let large = "bandwidth = \"100 MHz\"\ntechnology = \"nr\"\nlayers = 4";
    let found = network(large, &keys(32), "receivers = 4");
    has(found, &["128 MiB", "network.precoding.ports", "unprecoded"]);
}
