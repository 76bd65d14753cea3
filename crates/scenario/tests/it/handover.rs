//! Handover of a scenario: its keys and their faults.

use airpath_scenario::Scenario;

/// A network of seven sites with a car, with these keys of handover, more keys of the network, and more tables.
fn read(keys: &str, network: &str, tables: &str) -> Result<Scenario, String> {
    let text = format!(
        "duration = \"5 s\"\n[network]\nsites = 7\n{network}\n[network.handover]\n{keys}\n{tables}\n\
         [[flow]]\nname = \"down\"\nkind = \"full-buffer\"\ndirection = \"down\"\n"
    );
    Scenario::parse("s.toml", &text, &[]).map_err(|errors| errors.plain())
}

const CAR: &str = "[[ue]]\nname = \"car\"\nroute = { kind = \"straight\", speed = \"60 km/h\" }\n";

#[test]
fn all_keys_are_read() {
    let keys = "event = { kind = \"a5\", serving = -100.0, neighbour = -95.0 }\nquantity = \"rsrp\"\n\
                preparation = { kind = \"uniform\", min = \"20 ms\", max = \"60 ms\" }\n\
                random_access = \"contention\"\nprach_period = \"5 ms\"\nforwarding = false\nt304 = \"200 ms\"\n\
                cell_offset = [{ cell = \"3-5, 20\", offset = \"3 dB\" }, { cell = 4, serving = 0, offset = \"-24 dB\" }]\n\
                a2 = { threshold = -100.0 }\na1 = { threshold = -95.0, time_to_trigger = \"0 ms\" }\n\
                s_measure = \"-90 dBm\"\n";
    let conditional = "conditional = { prepare = { kind = \"a4\", threshold = -100.0 }, max_candidates = 2, \
                       execution = \"5 ms\", recovery = false, search = \"40 ms\", forwarding = \"early\" }\n";
    let gbr = format!(
        "[[bearer]]\nname = \"gbr\"\nqci = 2\nguaranteed_bit_rate = \"1 Mbit/s\"\ndefault = true\n{CAR}"
    );
    let admission = "admission = { ues = 3, guaranteed = 0.5, wait_time = \"16 s\" }\n";
    let daps = "daps = true\nevent = { kind = \"a4\", threshold = -95.0 }\n";
    let captured = format!("[output]\npcap = [\"mac\", \"s1\", \"x2\", \"ue\"]\n{CAR}");
    let all = [("", CAR), (keys, CAR), ("", &captured), (conditional, CAR), (daps, CAR)];
    let load = "cell_offset = [{ cell = 1, offset = \"18 dB\" }]\n\
                load_balancing = { load = { kind = \"ues\", threshold = 4, back = -1 }, period = \"5 s\", step = \"6 dB\" }\n";
    let more = [(admission, &*gbr), (load, CAR), ("load_balancing = {}\n", CAR)];
    for (keys, tables) in all.into_iter().chain(more) {
        read(keys, "", tables).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Keys of handover, of the network and other tables, and the fault.
const FAULTS: [(&str, &str, &str, &str); 41] = [
    ("", "", "[[ue]]\nname = \"desk\"\n", "is for UEs that move, and none has a route"),
    ("", "layout = \"single\"", CAR, "has an event without neighbours"),
    ("", "", "[cell]\nuplink.access = \"configured\"\n", "configured grants"),
    ("forwarding = false", "", "[output]\npcap = [\"x2\"]\n", "nothing is forwarded"),
    ("", "", "[output]\npcap = [\"x2\"]\nqlog = \"x2\"\n", "has parts of flows"),
    ("", "", "[output]\nblocks = \"all\"\n", "beside `network.handover`"),
    ("t304 = \"50 ms\"\nsynchronisation = \"80 ms\"", "", "", "each handover would fail"),
    ("forwarding_delay = \"1 s\"", "", "", "is longer than the interruption"),
    (
        "preparation = { kind = \"uniform\", min = \"2 s\", max = \"1 s\" }",
        "",
        "",
        "is less than min",
    ),
    (
        "event = { kind = \"a4\", threshold = -90.0 }\nquantity = \"rsrq\"",
        "",
        "",
        "no value of the measured quantity",
    ),
    (
        "event = { kind = \"a5\", serving = -90.0, neighbour = -110.0 }",
        "",
        "",
        "a UE would go to a worse cell",
    ),
    ("event = { kind = \"a3\", hysteresis = \"20 dB\" }", "", "", "hysteresis"),
    ("conditional.max_candidates = 9", "", "", "max_candidates"),
    (
        "conditional.prepare = { kind = \"a3\", offset = \"4 dB\" }",
        "",
        "",
        "is above that of the execution condition",
    ),
    (
        "event = { kind = \"a5\", serving = -100.0, neighbour = -95.0 }\n\
         conditional.prepare = { kind = \"a5\", serving = -95.0, neighbour = -90.0 }",
        "",
        "",
        "is above that of the execution condition",
    ),
    (
        "event = { kind = \"a4\", threshold = -95.0 }\nconditional = {}",
        "",
        "",
        "is no execution condition of LTE",
    ),
    (
        "forwarding = false\nconditional.forwarding = \"early\"",
        "",
        "",
        "is \"early\" without forwarding",
    ),
    (
        "quantity = \"rsrq\"\nconditional.prepare = { kind = \"a4\", threshold = -90.0 }",
        "",
        "",
        "no value of the measured quantity",
    ),
    ("cell_offset = [{ cell = 21, offset = \"1 dB\" }]", "", "", "numbers are 0 to 20"),
    (
        "cell_offset = [{ cell = 1, serving = \"0-30\", offset = \"1 dB\" }]",
        "",
        "",
        "`network.handover.cell_offset.0.serving` has no cell of number 30",
    ),
    ("cell_offset = [{ cell = 1, offset = \"25 dB\" }]", "", "", "-24 dB to 24 dB"),
    ("a1 = { threshold = -95.0 }", "", "", "`network.handover.a1` ends what no a2 began"),
    ("a2 = { threshold = -10.0 }", "", "", "`network.handover.a2.threshold` is -10, no value"),
    (
        "a2 = { threshold = -90.0, hysteresis = \"1 dB\" }\na1 = { threshold = -93.5, hysteresis = \"2 dB\" }",
        "",
        "",
        "enters above -91.5, and `network.handover.a2` below -91",
    ),
    ("s_measure = \"-95 dBm\"\nquantity = \"sinr\"", "", "", "is an RSRP"),
    ("daps = true\nconditional = {}", "", "", "is beside `network.handover.conditional`"),
    ("daps = true\nforwarding = false", "", "", "is without forwarding"),
    ("daps = true", "", "[output]\npcap = [\"mac\"]\n", "a UE has two"),
    ("load_balancing = { step = \"2 dB\", limit = \"1 dB\" }", "", "", "is above limit, 1 dB"),
    ("load_balancing.limit = \"0 dB\"", "", "", "`network.handover.load_balancing.limit` is zero"),
    ("load_balancing.period = \"50 ms\"", "", "", "100 ms to 3600 s"),
    (
        "load_balancing.load = { kind = \"resource-blocks\", threshold = 0.1, back = 0.2 }",
        "",
        "",
        "is beyond threshold",
    ),
    (
        "load_balancing = {}\ncell_offset = [{ cell = 1, offset = \"-19 dB\" }]",
        "",
        "",
        "of 19 dB are more than 24 dB together",
    ),
    (
        "load_balancing.load = { kind = \"ues\" }",
        "",
        "[[ue]]\nname = \"guest\"\narrivals = \"2 /s\"\nroute = { kind = \"straight\", speed = \"3 km/h\" }\n",
        "`network.handover.load_balancing` counts connected UEs",
    ),
    ("admission = {}", "", "", "`network.handover.admission` has no limit"),
    ("admission.ues = 0", "", "", "1 or more"),
    ("admission.ues = -1", "", "", "`network.handover.admission.ues`"),
    ("admission.guaranteed = 0.0", "", "", "more than 0.0, at most 1.0"),
    ("admission.guaranteed = 0.5", "", "", "limits guaranteed rates, and no bearer has one"),
    ("admission = { ues = 3, wait_time = \"17 s\" }", "", "", "1 s to 16 s"),
    (
        "admission.ues = 3",
        "",
        "[[ue]]\nname = \"guest\"\narrivals = \"2 /s\"\nroute = { kind = \"straight\", speed = \"3 km/h\" }\n",
        "those of `ue.guest` are connected before they arrive",
    ),
];

#[test]
fn faults_name_the_key_and_the_mend() {
    for (keys, network, tables, says) in FAULTS {
        let with_car =
            if tables.contains("[[ue]]") { tables.to_owned() } else { format!("{tables}{CAR}") };
        let error = read(keys, network, &with_car).expect_err(says);
        assert!(error.contains(says) && error.contains("s.toml:"), "{says}\n{error}");
    }
}

/// A carrier with cells, and these keys of it.
fn low(keys: &str) -> String {
    format!("[[carrier]]\nname = \"low\"\nrole = \"cells\"\nfrequency = \"806 MHz\"\n{keys}\n")
}

#[test]
fn carriers_with_cells_are_read() {
    let keys = "inter_frequency = { event = { kind = \"a4\", threshold = -100 }, a2 = { threshold = -100 }, a1 = \
                { threshold = -90 }, gap_period = \"80 ms\", measurement = \"960 ms\", synchronisation = \"40 ms\" }\n\
                cell_offset = [{ cell = 41, serving = 20, offset = \"3 dB\" }]\n";
    let own = "offset = \"-3 dB\"\nevent = { kind = \"a5\", serving = -100, neighbour = -105 }\nresource_blocks = 25\n";
    let nr = "[cell]\ntechnology = \"nr\"\nduplex = \"tdd\"\ntdd_pattern = \"DDDDU\"\n";
    let nr_keys =
        "inter_frequency = { gap_period = \"20 ms\", gap_length = \"3 ms\", needs_gaps = false }";
    for (keys, tables) in [
        ("", low("")),
        (keys, low(own)),
        ("daps = true", low("")),
        ("conditional = {}", low("")),
        (nr_keys, format!("{nr}{}", low("numerology = 0\nduplex = \"fdd\""))),
    ] {
        let scenario = read(keys, "", &format!("{tables}{CAR}"));
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
        assert!(scenario.carrier[0].has_cells());
    }
    // Cells alone, without handover and routes.
    let text = format!(
        "duration = \"1 s\"\n[network]\nlayout = \"single\"\n{}[[ue]]\nname = \"desk\"\n\
         [[flow]]\nname = \"down\"\nkind = \"full-buffer\"\ndirection = \"down\"\n",
        low("")
    );
    Scenario::parse("s.toml", &text, &[]).unwrap_or_else(|errors| panic!("{}", errors.plain()));
}

#[test]
fn faults_of_carriers_with_cells_name_the_key_and_the_mend() {
    let secondary = "[[carrier]]\nname = \"high\"\nfrequency = \"3.5 GHz\"\n";
    let both = format!("{}{secondary}", low(""));
    let faults: [(&str, &str, &str); 15] = [
        ("", &both, "`carrier.low.role` is \"cells\" beside a carrier with secondary cells"),
        ("", &low("uplink = true"), "`carrier.low.uplink` does not count with role"),
        ("", &low("activation = \"always\""), "`carrier.low.activation` does not count with role"),
        (
            "",
            &low("event = { kind = \"a4\", threshold = 10 }"),
            "no value of the measured quantity",
        ),
        ("", &low("offset = \"25 dB\""), "-24 dB to 24 dB"),
        ("inter_frequency = {}", "", "is for cells on several carriers, and there is one"),
        ("inter_frequency.gap_period = \"20 ms\"", &low(""), "is 20 ms, no gap of the standard"),
        ("inter_frequency.gap_period = \"60 ms\"", &low(""), "40 ms, 80 ms"),
        (
            "inter_frequency.gap_length = \"3 ms\"",
            &low(""),
            "`network.handover.inter_frequency.gap_length`",
        ),
        ("inter_frequency.measurement = \"30 ms\"", &low(""), "40 ms or more, a gap period"),
        ("inter_frequency.synchronisation = \"2 s\"", &low(""), "T304 ends before"),
        ("inter_frequency.a1 = { threshold = -90 }", &low(""), "ends what no a2 began"),
        (
            "inter_frequency.a2 = { threshold = 0 }",
            &low(""),
            "`network.handover.inter_frequency.a2.threshold` is 0",
        ),
        (
            "conditional = {}\ninter_frequency.event = { kind = \"a4\", threshold = -90 }",
            &low(""),
            "whose events count for all carriers",
        ),
        ("cell_offset = [{ cell = 42, offset = \"1 dB\" }]", &low(""), "numbers are 0 to 41"),
    ];
    for (keys, tables, says) in faults {
        let error = read(keys, "", &format!("{tables}{CAR}")).expect_err(says);
        assert!(error.contains(says) && error.contains("s.toml:"), "{says}\n{error}");
    }
    let parse = |network: &str, carrier: &str| {
        let text = format!(
            "duration = \"1 s\"\n{network}{carrier}[[ue]]\nname = \"desk\"\n[[flow]]\nname = \"down\"\n\
             kind = \"full-buffer\"\ndirection = \"down\"\n"
        );
        Scenario::parse("s.toml", &text, &[]).expect_err("an error").plain()
    };
    let network = "[network]\nsites = 7\n";
    for (network, carrier, says) in [
        ("[cell]\nradio.carrier = \"2 GHz\"\n", low(""), "is \"cells\", and there is no network"),
        (network, low("event = { kind = \"a3\" }"), "is without handover"),
        (network, format!("{secondary}offset = \"3 dB\"\n"), "does not count with secondary cells"),
    ] {
        let error = parse(network, &carrier);
        assert!(error.contains(says) && error.contains("s.toml:"), "{says}\n{error}");
    }
}

#[test]
fn without_handover_nothing_passes_between_cells() {
    let flow = "[[flow]]\nname = \"down\"\nkind = \"tcp\"\ndirection = \"down\"\n";
    let network =
        format!("duration = \"5 s\"\n[network]\nsites = 7\n[[ue]]\nname = \"desk\"\n{flow}");
    let link =
        format!("radio = \"none\"\nduration = \"5 s\"\n[path.sgi]\ndelay = \"5 ms\"\n{flow}");
    for text in [network, link] {
        let text = format!("{text}[output]\npcap = [\"x2\"]\n");
        let error = Scenario::parse("s.toml", &text, &[]).expect_err("an error").plain();
        let says = "is between cells, and UEs keep their cells";
        let mend = "add [network.handover] with forwarding = true";
        assert!([says, mend, "s.toml:"].iter().all(|part| error.contains(part)), "{error}");
    }
}

/// A carrier with secondary cells.
const SECONDARY: &str = "[[carrier]]\nname = \"low\"\nfrequency = \"806 MHz\"\n";

/// Events of secondary cells with these keys.
fn events(keys: &str) -> String {
    format!("[network.handover.secondary]\n{keys}\n{SECONDARY}{CAR}")
}

#[test]
fn secondary_cells_are_read() {
    let all = "a6 = { offset = \"2 dB\", hysteresis = \"1 dB\", time_to_trigger = \"40 ms\" }\nother_sites = true\n\
               rrc_processing = \"10 ms\"\na2 = { threshold = -110 }\na1 = { threshold = -105 }\n";
    let plain = format!("{SECONDARY}{CAR}");
    let always = format!("{SECONDARY}activation = \"always\"\nactivation_delay = \"30 ms\"\n{CAR}");
    for tables in [&plain, &always, &events(all), &events("a6 = {}"), &events("")] {
        read("", "", tables).unwrap_or_else(|error| panic!("{error}"));
    }
    // Two sites with a cell each.
    let site =
        |x: u32| format!("[[network.site]]\nx = \"{x} m\"\ny = \"0 m\"\nsectors = [\"0 deg\"]\n");
    let text = |keys: &str| {
        format!(
            "duration = \"5 s\"\n[network]\nlayout = \"given\"\n{}{}[network.handover]\n{}\n\
             [[flow]]\nname = \"down\"\nkind = \"full-buffer\"\ndirection = \"down\"\n",
            site(0),
            site(300),
            events(keys).replace("straight", "random-waypoint")
        )
    };
    let parse = |keys: &str| Scenario::parse("s.toml", &text(keys), &[]);
    parse("a6 = {}\nother_sites = true").unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let error = parse("a6 = {}").expect_err("a fault").plain();
    let says =
        "`network.handover.secondary.a6` compares cells of a site, and each site has one cell";
    assert!(error.contains(says) && error.contains("other_sites = true"), "{error}");
}

#[test]
fn faults_of_secondary_cells_name_the_key_and_the_mend() {
    let alone = format!("[network.handover.secondary]\na6 = {{}}\n{CAR}");
    let uplink = format!("{SECONDARY}uplink = true\n{CAR}");
    let faults = [
        (alone, "`network.handover.secondary` is for secondary cells, and there are none"),
        (events("other_sites = true"), "`network.handover.secondary.other_sites` does not count"),
        (
            events("rrc_processing = \"5 ms\""),
            "secondary.rrc_processing` does not count without a6",
        ),
        (
            events("a1 = { threshold = -90 }"),
            "`network.handover.secondary.a1` ends what no a2 began",
        ),
        (events("a2 = { threshold = -20 }"), "secondary.a2.threshold` is -20, no value"),
        (events("a6 = { offset = \"16 dB\" }"), "secondary.a6.offset"),
        (uplink, "further carriers of UEs that move are downlink"),
    ];
    for (tables, says) in faults {
        let error = read("", "", &tables).expect_err(says);
        assert!(error.contains(says), "{says}: {error}");
    }
}
