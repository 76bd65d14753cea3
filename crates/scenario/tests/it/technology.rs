//! LTE and NR: what a cell's keys mean, and what is refused.

use airpath_base::Duration;
use airpath_base::random::Seed;
use airpath_scenario::world::World;
use airpath_scenario::{Cell, McsTable, Scenario};

fn text(cell: &str) -> String {
    format!("duration = \"1 s\"\n[cell]\n{cell}\n[[ue]]\nname = \"phone\"\nsnr = \"20 dB\"\n")
}

fn read(cell: &str) -> Scenario {
    let read = Scenario::parse("s.toml", &text(cell), &[]);
    read.unwrap_or_else(|errors| panic!("{cell}: {}", errors.plain()))
}

fn cell(keys: &str) -> Cell {
    read(keys).cell.expect("a cell")
}

#[test]
fn lte_unless_said_otherwise() {
    let usual = cell("");
    assert_eq!((usual.resource_blocks(), usual.numerology(), usual.control_symbols()), (50, 0, 3));
    for (mhz, blocks) in [("1.4", 6), ("3", 15), ("5", 25), ("10", 50), ("15", 75), ("20", 100)] {
        let cell = cell(&format!("bandwidth = \"{mhz} MHz\""));
        assert_eq!((cell.resource_blocks, cell.bandwidth), (Some(blocks), None));
    }
    // 50 resource blocks of 180 kHz.
    assert_eq!(usual.occupied_hz(), 9e6);
}

#[test]
fn nr_by_its_keys() {
    let cell = cell(
        "technology = \"nr\"\nbandwidth = \"100 MHz\"\nnumerology = 3\ntti = \"mu3/7sym\"\n\
         link_adaptation.mcs_table = \"256qam\"",
    );
    assert_eq!((cell.resource_blocks(), cell.control_symbols()), (66, 0));
    assert_eq!(cell.link_adaptation.max_mcs, 27);
    // 66 resource blocks of 12 subcarriers, 120 kHz apart.
    assert_eq!(cell.occupied_hz(), 66.0 * 12.0 * 120e3);
}

#[test]
fn one_key_says_the_numerology() {
    for (keys, numerology, micros, blocks) in [
        ("", 1, 500, 51),
        ("numerology = 0", 0, 1_000, 106),
        ("numerology = 0\ntti = \"1 ms\"", 0, 1_000, 106),
        ("tti = \"mu2\"", 2, 250, 24),
        ("numerology = 2\ntti = \"mu2/7sym\"", 2, 125, 24),
        ("numerology = 3", 3, 125, 66),
        ("bandwidth = \"100 MHz\"", 1, 500, 273),
    ] {
        let cell = cell(&format!("technology = \"nr\"\n{keys}"));
        assert_eq!((cell.numerology, cell.resource_blocks()), (Some(numerology), blocks), "{keys}");
        assert_eq!(cell.tti.tti().length(), Duration::from_micros(micros), "{keys}");
    }
}

#[test]
fn a_resolved_scenario_reads_as_itself() {
    for keys in [
        "",
        "bandwidth = \"5 MHz\"",
        "link_adaptation.mcs_table = \"256qam\"",
        "link_adaptation.mcs_table.down = \"64qam\"",
        "technology = \"nr\"",
        "technology = \"nr\"\ntti = \"mu0/2sym\"\nlink_adaptation.mcs_table = \"256qam\"",
    ] {
        let scenario = read(keys);
        let again = Scenario::parse("s.toml", &scenario.to_toml(), &[]);
        assert_eq!(again.unwrap_or_else(|errors| panic!("{}", errors.plain())), scenario);
    }
}

/// Keys of a cell that its technology does not have: message, line, and a part of the help.
const REFUSED: &[(&str, &str, u32, &str)] = &[
    ("numerology = 1", "`cell.numerology` does not count with LTE", 3, "leave it out"),
    ("dmrs_elements = 12", "`cell.dmrs_elements` does not count with LTE", 3, "nr"),
    ("x_overhead = 6", "`cell.x_overhead` does not count with LTE", 3, "nr"),
    (
        "link_adaptation.mcs_table = { down = \"256qam\", up = \"256qam\" }",
        "`cell.link_adaptation.mcs_table.up` is NR's",
        3,
        "or leave it out: { down = \"256qam\" }",
    ),
    (
        "link_adaptation.error_curves = \"sionna\"",
        "`cell.link_adaptation.error_curves` does not count with LTE",
        3,
        "nr",
    ),
    (
        "link_adaptation.effective_sinr = \"eesm\"",
        "`cell.link_adaptation.effective_sinr` does not count with LTE",
        3,
        "nr",
    ),
    (
        "bandwidth = \"50 MHz\"",
        "`cell.bandwidth` cannot be 50 MHz",
        3,
        "with LTE one of 1.4 MHz, 3 MHz, 5 MHz, 10 MHz, 15 MHz, 20 MHz",
    ),
    (
        "resource_blocks = 50\nbandwidth = \"10 MHz\"",
        "`cell.bandwidth` is given beside resource_blocks",
        4,
        "one of the two",
    ),
    ("control_symbols = 0", "`cell.control_symbols` cannot be 0", 3, "1 to 3 with 50"),
    (
        "NR bandwidth = \"7 MHz\"\nnumerology = 2",
        "`cell.bandwidth` cannot be 7 MHz",
        4,
        "with numerology 2 one of 10 MHz, 15 MHz,",
    ),
    (
        "NR numerology = 3\nbandwidth = \"20 MHz\"",
        "`cell.bandwidth` cannot be 20 MHz",
        5,
        "with numerology 3 one of 50 MHz, 100 MHz, 200 MHz, 400 MHz",
    ),
    ("NR resource_blocks = 50", "`cell.resource_blocks` is LTE's", 4, "bandwidth"),
    (
        "NR resource_blocks = 50\nbandwidth = \"10 MHz\"",
        "`cell.bandwidth` is given beside resource_blocks",
        5,
        "one of the two",
    ),
    ("NR numerology = 4", "`cell.numerology` is too large: 4", 4, "0 to 3"),
    ("NR tti = \"mu4\"", "`cell.tti` is of numerology 4", 4, "mu0 to mu3"),
    ("NR tti = \"0.5 ms\"", "`cell.tti` is no slot of NR", 4, "\"mu1\", or \"mu1/7sym\""),
    ("NR tti = \"1 ms\"", "`cell.tti` is not of numerology 1", 4, "\"mu1\""),
    ("NR numerology = 2\ntti = \"mu1\"", "`cell.tti` is not of numerology 2", 5, "\"mu2\""),
    ("NR control_symbols = 4", "`cell.control_symbols` cannot be 4", 4, "0 to 3 with NR"),
    (
        "NR tti = \"mu1/2sym\"\ncontrol_symbols = 1",
        "`cell.control_symbols` leaves no room for data",
        5,
        "of 24 resource elements",
    ),
    (
        "NR link_adaptation = { mcs_table = \"256qam\", min_mcs = 28 }",
        "`cell.link_adaptation.min_mcs` is above max_mcs",
        4,
        "at most max_mcs, 27",
    ),
];

#[test]
fn what_a_technology_has_not() {
    const NR: &str = "technology = \"nr\"\n";
    for &(keys, said, line, allowed) in REFUSED {
        let text = text(&keys.replace("NR ", NR));
        let Err(errors) = Scenario::parse("s.toml", &text, &[]) else { panic!("{keys}") };
        let plain = errors.plain();
        for part in [said, allowed, &format!("s.toml:{line}:")] {
            assert!(plain.contains(part), "{keys}: {part:?} is not in\n{plain}");
        }
        assert_eq!(plain.matches("s.toml:").count(), 1, "{keys}: {plain}");
    }
}

#[test]
fn categories_of_ues() {
    let with = |cell: &str, category: u8| {
        Scenario::parse("s.toml", &format!("{}category = {category}\n", text(cell)), &[])
    };
    let large = "link_adaptation.mcs_table = \"256qam\"";
    for (cell, categories) in [("", 1..=26), (large, 11..=26)] {
        for category in categories {
            assert!(with(cell, category).is_ok(), "{cell} {category}");
        }
    }
    // TS 36.306, table 4.1-1: 256QAM from category 11 on.
    for (cell, category, said, mend) in [
        (large, 10, "is 10, which has no 256QAM", "11 to 26 (TS 36.306"),
        (large, 1, "`ue.phone.category` is 1, which", "mcs_table = \"64qam\""),
        ("technology = \"nr\"", 13, "does not count with NR", "leave it out"),
        ("", 0, "is zero", "1 to 26"),
        ("", 27, "is too large: 27", "1 to 26"),
    ] {
        let errors = with(cell, category).expect_err("no such category").plain();
        for part in [said, mend, "s.toml:7:"] {
            assert!(errors.contains(part), "{part} {errors}");
        }
    }
    // Groups differ: the one that the table does not suit is named.
    let more = "[[ue]]\nname = \"old\"\nsnr = \"20 dB\"\ncategory = 4\n";
    let all = format!("{}category = 12\n{more}", text(large));
    let errors = Scenario::parse("s.toml", &all, &[]).expect_err("no 256QAM").plain();
    assert!(errors.contains("`ue.old.category` is 4") && errors.contains("s.toml:11:"), "{errors}");
    assert_eq!(errors.matches("s.toml:").count(), 1, "{errors}");
}

#[test]
fn groups_of_buffer_status_reports() {
    let with = |cell: &str, group: u8| {
        let bearer = format!("[[bearer]]\nname = \"own\"\ndefault = true\ngroup = {group}\n");
        Scenario::parse("s.toml", &(text(cell) + &bearer), &[])
    };
    // TS 36.321, 5.4.5: LCG ID has 2 bits; TS 38.321, 5.4.5: eight groups.
    assert!(with("", 3).is_ok() && with("technology = \"nr\"", 7).is_ok());
    assert!(with("user_plane = \"nr\"", 7).is_ok());
    for (cell, group, said) in
        [("", 4, "is a group of NR"), ("technology = \"nr\"", 8, "is too large: 8")]
    {
        let errors = with(cell, group).expect_err("no such group").plain();
        assert!(errors.contains(said) && errors.contains("bearer.own.group"), "{errors}");
        assert!(errors.contains("s.toml:10:"), "{errors}");
    }
}

/// SNR of the first UE, downlink and uplink.
fn snr_db(text: &str) -> [f64; 2] {
    let scenario = Scenario::parse("s.toml", text, &[]).unwrap_or_else(|e| panic!("{}", e.plain()));
    let world = World::build(&scenario, Seed(1)).expect("a world");
    world.facts.ues[0].snr_db.expect("a UE with a ratio")
}

#[test]
fn receive_antennas_add_to_a_ratio() {
    // 10 log10 of 2 and of 8.
    let both = |cell: &str, ue: &str| snr_db(&format!("{}{ue}\n", text(cell)));
    let near = |[down, up]: [f64; 2], expected: [f64; 2]| {
        assert!(
            (down - expected[0]).abs() < 1e-3 && (up - expected[1]).abs() < 1e-3,
            "{down} {up}"
        );
    };
    near(both("", ""), [20.0, 20.0]);
    near(both("receivers = 8", "receivers = 2"), [23.010, 29.031]);
    // RSRP is that of one antenna (TS 36.214, 5.1.1), and so is cell selection's floor.
    let distance = |receivers: u8| {
        let text = text("").replace("snr = \"20 dB\"", "distance = \"500 m\"");
        let text = format!("{text}receivers = {receivers}\n");
        let scenario = Scenario::parse("s.toml", &text, &[]).expect("a scenario");
        let world = World::build(&scenario, Seed(1)).expect("a world");
        (world.facts.ues[0].rsrp_dbm, world.facts.ues[0].snr_db.expect("a ratio")[0])
    };
    let (one, four) = (distance(1), distance(4));
    assert_eq!(one.0, four.0);
    assert!((four.1 - one.1 - 6.0206).abs() < 1e-3);
}

#[test]
fn a_cell_of_a_network_receives_with_its_ports() {
    let receivers = |network: &str| {
        let text = format!("duration = \"1 s\"\n[network]\n{network}\n[[ue]]\nname = \"a\"\n");
        let read = Scenario::parse("s.toml", &text, &[]);
        read.unwrap_or_else(|e| panic!("{}", e.plain())).cell.expect("a cell").receivers
    };
    assert_eq!(receivers(""), Some(4));
    assert_eq!(receivers("precoding.scheme = \"single-port\""), Some(1));
    assert_eq!(receivers("precoding.ports = 2\n[cell]\nreceivers = 32"), Some(32));
}

#[test]
fn low_spectral_efficiency_is_of_nr() {
    let key = "link_adaptation.mcs_table = \"64qam-low-se\"";
    let tables = cell(&format!("technology = \"nr\"\n{key}")).link_adaptation.mcs_table;
    let low = Some(McsTable::Qam64LowSe);
    assert_eq!(tables.map(|tables| (tables.down, tables.up)), Some((low, low)));
    for key in [key, "link_adaptation.mcs_table = { down = \"64qam-low-se\" }"] {
        let errors = Scenario::parse("s.toml", &text(key), &[]).expect_err("a fault");
        let message = errors.plain().to_string();
        assert!(message.contains("mcs_table") && message.contains("is NR's"), "{message}");
    }
    // By the curves of 5G-LENA 120/1024 needs about -1 dB for large blocks; 30/1024 needs 6 dB less.
    let reach = |table: &str| {
        let keys = format!("technology = \"nr\"\nlink_adaptation.mcs_table = \"{table}\"");
        let text = text(&keys).replace("20 dB", "-6 dB");
        let scenario = Scenario::parse("s.toml", &text, &[]).expect("a scenario");
        let world = World::build(&scenario, Seed(1)).expect("a world");
        world.facts.ues[0].reach.expect("a radio").map(|reach| reach.mcs)
    };
    assert_eq!(reach("64qam"), [None, None]);
    assert!(reach("64qam-low-se").iter().all(|mcs| mcs.is_some_and(|mcs| mcs < 6)));
}

#[test]
fn interference_is_averaged_over_a_second_at_most() {
    let keys = "link_adaptation.cqi_period = \"20 ms\"\nlink_adaptation.cqi_interference = ";
    let adaptation = cell(&format!("{keys}50")).link_adaptation;
    assert_eq!(adaptation.cqi_interference, 50);
    let errors = Scenario::parse("s.toml", &text(&format!("{keys}51")), &[]).expect_err("a fault");
    let message = errors.plain().to_string();
    assert!(message.contains("1.02 s") && message.contains("cqi_period"), "{message}");
}

#[test]
fn numbers_of_antennas_that_are_not_possible() {
    let refused = |cell: &str, ue: &str| {
        let text = format!("{}{ue}\n", text(cell));
        let errors = Scenario::parse("s.toml", &text, &[]).expect_err("a fault");
        errors.plain().to_string()
    };
    let message = refused("", "receivers = 3");
    assert!(message.contains("ue.phone.receivers") && message.contains("1, 2, 4"), "{message}");
    let message = refused("receivers = 33", "");
    assert!(message.contains("cell.receivers") && message.contains("1 to 32"), "{message}");
}

/// Message on a scenario of one cell and one group of UEs that cannot be.
fn refused(cell: &str, ue: &str, rest: &str) -> String {
    let text = format!(
        "duration = \"1 s\"\n[cell]\n{cell}\n{rest}\n[[ue]]\nname = \"phone\"\n{ue}\n[[flow]]\n\
         name = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n"
    );
    let errors = Scenario::parse("s.toml", &text, &[]).expect_err("a fault");
    errors.plain().to_string()
}

fn has(message: String, words: &[&str]) {
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

#[test]
fn layers_that_are_not_possible() {
    let nr = "technology = \"nr\"\nlayers = 4";
    let fixed = "snr = \"20 dB\"\nreceivers = ";
    has(
        refused(nr, &format!("{fixed}2"), ""),
        &["cell.layers", "ue.receivers is at most 2", "1 to 2"],
    );
    has(refused("layers = 5", &format!("{fixed}4"), ""), &["cell.layers", "1 to 4"]);
    let least = "technology = \"nr\"\nmin_layers = 2";
    has(refused(least, &format!("{fixed}4"), ""), &["cell.min_layers", "cell.layers is 1"]);
    let up = "technology = \"nr\"\nuplink.layers = 2\nreceivers = ";
    has(
        refused(&format!("{up}2"), &format!("{fixed}4"), ""),
        &["cell.uplink.layers", "ue.ports is at most 1"],
    );
    let two = &format!("{fixed}1\nports = 2");
    has(refused(&format!("{up}1"), two, ""), &["cell.uplink.layers", "cell.receivers is 1"]);
    has(refused("", two, ""), &["ue.phone.ports", "1 with LTE"]);
    let ports = "[network]\nprecoding.ports = 2";
    has(refused(nr, "receivers = 4", ports), &["cell.layers", "ports is 2", "1 to 2"]);
    let single = "[network]\nprecoding.scheme = \"maximum-ratio\"";
    has(refused(nr, "receivers = 4", single), &["cell.layers", "closed-loop"]);
}

/// The cell and the precoding of a resolved scenario of LTE, or its errors.
fn lte(cell: &str, ue: &str, network: &str) -> Result<(Option<u8>, Option<String>), String> {
    let text = format!(
        "duration = \"1 s\"\n[cell]\n{cell}\n{network}\n[[ue]]\nname = \"phone\"\n{ue}\n[[flow]]\n\
         name = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n"
    );
    let scenario =
        Scenario::parse("s.toml", &text, &[]).map_err(|errors| errors.plain().to_string())?;
    let mode = scenario.cell.and_then(|cell| cell.transmission_mode);
    let scheme = scenario.network.and_then(|network| network.precoding.scheme);
    Ok((mode, scheme.map(|scheme| scheme.word().to_owned())))
}

#[test]
fn transmission_modes_of_lte() {
    let fixed = "snr = \"20 dB\"\nreceivers = 4";
    assert_eq!(lte("", fixed, ""), Ok((None, None)));
    assert_eq!(lte("layers = 2", fixed, ""), Ok((Some(4), None)));
    let many = "receivers = 4";
    let scheme = |word: &str| Some(word.to_owned());
    assert_eq!(lte("", many, "[network]"), Ok((None, scheme("closed-loop"))));
    for (mode, word) in [
        (1, "single-port"),
        (2, "transmit-diversity"),
        (3, "open-loop"),
        (4, "closed-loop"),
        (9, "closed-loop"),
    ] {
        let cell = format!("transmission_mode = {mode}");
        assert_eq!(lte(&cell, many, "[network]"), Ok((Some(mode), scheme(word))));
    }
    let open = "[network]\nprecoding.scheme = \"open-loop\"";
    assert_eq!(lte("layers = 2", many, open), Ok((Some(3), scheme("open-loop"))));
    assert_eq!(lte("layers = 4", many, "[network]"), Ok((Some(4), scheme("closed-loop"))));
}

#[test]
fn layers_of_lte_that_are_not_possible() {
    let fixed = "snr = \"20 dB\"\nreceivers = 4";
    let has = |found: Result<(Option<u8>, Option<String>), String>, words: &[&str]| {
        let message = found.expect_err("a fault");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    for mode in [1, 2] {
        let cell = format!("layers = 2\ntransmission_mode = {mode}");
        has(lte(&cell, fixed, ""), &["cell.layers", "is 2", "transmission_mode = 3, 4 or 9"]);
    }
    has(lte("transmission_mode = 5", fixed, ""), &["cell.transmission_mode", "1, 2, 3, 4"]);
    let nr = "technology = \"nr\"\n";
    has(lte(&format!("{nr}transmission_mode = 4"), fixed, ""), &["NR has no modes", "\"lte\""]);
    has(lte(nr, "", "[network]\nprecoding.scheme = \"open-loop\""), &["open-loop", "closed-loop"]);
    has(lte("layers = 2", "snr = \"9 dB\"", ""), &["cell.layers", "ue.receivers is at most 1"]);
    let small = format!("{fixed}\ncategory = 4");
    has(lte("layers = 4", &small, ""), &["cell.layers", "ue.category allows 2", "1 to 2"]);
    has(lte("uplink.layers = 2", fixed, ""), &["cell.uplink.layers", "1 with LTE"]);
    let eight = "[network]\nprecoding.ports = 8";
    has(lte("transmission_mode = 4", "", eight), &["network.precoding.ports", "4"]);
    let alone = "[network]\nprecoding.scheme = \"single-port\"";
    has(lte("transmission_mode = 4", "", alone), &["network.precoding.scheme", "closed-loop"]);
    let many = "receivers = 4";
    has(lte("layers = 2", many, alone), &["cell.layers", "closed-loop"]);
    let of_nr = "[network]\nprecoding.codebook = \"type-1\"";
    has(lte("layers = 2", many, of_nr), &["network.precoding.codebook", "NR's", "\"lte\""]);
    let two = "[network]\nprecoding.ports = 2";
    has(lte("layers = 4", many, two), &["cell.layers", "ports is 2"]);
    has(lte("min_layers = 2", fixed, ""), &["cell.min_layers", "cell.layers is 1"]);
}

#[test]
fn receivers_that_cannot_reject() {
    let irc = "receiver = \"mmse-irc\"";
    let two = format!("receivers = 2\n{irc}");
    let fixed = format!("snr = \"20 dB\"\n{two}");
    has(refused("", &fixed, ""), &["ue.phone.receiver", "no [network]", "\"mmse\""]);
    let network = "[network]\nprecoding.scheme = \"closed-loop\"";
    has(refused("", irc, network), &["ue.phone.receiver", "ue.receivers is 1", "= 2"]);
    has(refused(&format!("receivers = 8\n{irc}"), "", network), &["cell.receivers is 8", "2 to 4"]);
    for scheme in ["maximum-ratio", "transmit-diversity"] {
        let network = format!("[network]\nprecoding.scheme = \"{scheme}\"");
        has(refused("", &two, &network), &["ue.phone.receiver", "closed-loop"]);
        let precoded = format!("{network}\ninterference = \"precoded\"");
        has(refused("", "", &precoded), &["network.interference", "unprecoded", "closed-loop"]);
    }
}

#[test]
fn layers_to_several_ues_that_are_not_possible() {
    let srs = "technology = \"nr\"\nmu_mimo = \"srs\"\nduplex = \"tdd\"\ntdd_pattern = \"DDDDU\"";
    let fdd = "technology = \"nr\"\nmu_mimo = \"srs\"";
    let reports = "technology = \"nr\"\nmu_mimo = \"reports\"";
    has(refused(reports, "snr = \"20 dB\"", ""), &["cell.mu_mimo", "[network]", "leave it out"]);
    has(refused("mu_mimo = \"reports\"", "", "[network]"), &["cell.mu_mimo", "NR", "technology"]);
    has(refused(fdd, "", "[network]"), &["cell.mu_mimo", "\"fdd\"", "\"reports\"", "\"tdd\""]);
    let open = "[network]\nprecoding.scheme = \"maximum-ratio\"";
    has(refused(srs, "", open), &["cell.mu_mimo", "closed-loop"]);
    has(refused(reports, "", open), &["cell.mu_mimo", "needs reports", "closed-loop"]);
    let one = "[network]\nprecoding.scheme = \"closed-loop\"\nprecoding.ports = 1";
    has(refused(reports, "", one), &["cell.mu_mimo", "one port", "2 or more"]);
    let two = "[network]\nprecoding.ports = 2";
    let four = "technology = \"nr\"\nmu_mimo = { kind = \"reports\", layers = 4 }";
    has(refused(four, "", two), &["cell.mu_mimo.layers", "ports is 2"]);
    let three = refused(four, "", "[network]\nprecoding.ports = 3");
    has(three.clone(), &["network.precoding.ports", "is 3", "1, 2, 4, 8"]);
    assert!(!three.contains("cell.mu_mimo"), "{three}");
    let precoded = "[network]\ninterference = \"precoded\"";
    has(refused(reports, "", precoded), &["network.interference", "unprecoded", "cell.mu_mimo"]);
    let irc = "receivers = 2\nreceiver = \"mmse-irc\"";
    has(refused(reports, irc, "[network]"), &["ue.phone.receiver", "\"mmse\"", "cell.mu_mimo"]);
    let carrier = "[network]\n[[carrier]]\nname = \"more\"\nfrequency = \"2.14 GHz\"";
    has(refused(reports, "", carrier), &["cell.mu_mimo", "one carrier", "[[carrier]]"]);
    let most = "technology = \"nr\"\nmu_mimo = { kind = \"reports\", layers = 13 }";
    has(refused(most, "", "[network]"), &["cell.mu_mimo.layers", "2 to 12"]);
    let unknown = "technology = \"nr\"\nmu_mimo = \"sounding\"";
    has(refused(unknown, "", "[network]"), &["cell.mu_mimo", "srs", "reports"]);
}
