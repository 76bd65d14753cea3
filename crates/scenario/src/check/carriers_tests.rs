use crate::Scenario;

/// A cell with these keys, and further carriers with these.
fn parse(cell: &str, carriers: &[&str]) -> Result<Scenario, String> {
    let mut text = format!("duration = \"1 s\"\n[cell]\n{cell}\n");
    for (n, keys) in carriers.iter().enumerate() {
        text += &format!("[[carrier]]\nname = \"c{n}\"\n{keys}\n");
    }
    text += "[[ue]]\nname = \"a\"\nsnr = \"9 dB\"\n";
    text += "[[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n";
    Scenario::parse("a.toml", &text, &[]).map_err(|errors| errors.plain())
}

fn error(cell: &str, carriers: &[&str]) -> String {
    parse(cell, carriers).expect_err("an error")
}

const LTE: &str = "resource_blocks = 100\nradio.carrier = \"2.12 GHz\"";
const TDD: &str = "technology = \"nr\"\nbandwidth = \"40 MHz\"\nduplex = \"tdd\"\n\
                   tdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"\nradio.carrier = \"3.5 GHz\"";
const FDD: &str = "technology = \"nr\"\nbandwidth = \"20 MHz\"\nnumerology = 0\n\
                   radio.carrier = \"1.84 GHz\"";

#[test]
fn carriers_overlap_where_their_resource_blocks_do() {
    // 100 resource blocks are 18 MHz wide.
    assert!(parse(LTE, &["frequency = \"2.138 GHz\""]).is_ok());
    let text = error(LTE, &["frequency = \"2.1379 GHz\""]);
    assert!(text.contains("`carrier.c0.frequency` overlaps cell"), "{text}");
    assert!(text.contains("18 MHz or more from the middle of cell"), "{text}");
    let text = error(LTE, &["frequency = \"2.14 GHz\"", "frequency = \"2.15 GHz\""]);
    assert!(text.contains("`carrier.c1.frequency` overlaps c0"), "{text}");
    // Between 15 and 100: half of 2.7 and of 18 MHz.
    let narrow = "frequency = \"2.1304 GHz\"\nresource_blocks = 15";
    assert!(parse(LTE, &[narrow]).is_ok());
}

#[test]
fn carriers_with_other_slots_in_one_band_are_refused() {
    let tdd = |hertz: &str, letters: &str| {
        format!(
            "frequency = \"{hertz}\"\nbandwidth = \"100 MHz\"\nnumerology = 1\nduplex = \"tdd\"\n\
             tdd_pattern = \"{letters}\"\nspecial_slot = \"10:2:2\""
        )
    };
    let (one, two) = (tdd("3.5 GHz", "DDDSU"), tdd("3.7 GHz", "DDSUU"));
    let text = error(FDD, &[&one, &two]);
    assert!(
        text.contains("`carrier.c1.tdd_pattern` has other slots than c0, in the same band n77"),
        "{text}"
    );
    // Another band, and the same slots.
    assert!(parse(FDD, &[&one, &tdd("2.6 GHz", "DDSUU")]).is_ok());
    assert!(parse(FDD, &[&one, &tdd("3.7 GHz", "DDDSU")]).is_ok());
}

#[test]
fn feedback_goes_in_the_slots_of_the_cell() {
    assert!(parse(TDD, &["frequency = \"3.6 GHz\""]).is_ok());
    let text = error(
        TDD,
        &["frequency = \"1.84 GHz\"\nnumerology = 0\nduplex = \"fdd\"\nbandwidth = \"20 MHz\""],
    );
    assert!(text.contains("`carrier.c0.duplex` is \"fdd\" beside a cell with \"tdd\""), "{text}");
    let other = "frequency = \"2.6 GHz\"\ntdd_pattern = \"DDSUU\"\nspecial_slot = \"10:2:2\"";
    let text = error(TDD, &[other]);
    assert!(text.contains("`carrier.c0.tdd_pattern` is not that of the cell"), "{text}");
}

#[test]
fn keys_of_a_carrier_are_checked_as_those_of_the_cell() {
    let text = error(LTE, &["frequency = \"2.16 GHz\"\nbandwidth = \"7 MHz\""]);
    assert!(text.contains("`carrier.c0.bandwidth` cannot be 7 MHz"), "{text}");
    let text = error(LTE, &["frequency = \"2.16 GHz\"\nnumerology = 1"]);
    assert!(text.contains("`carrier.c0.numerology` does not count with LTE"), "{text}");
    let text = error(LTE, &["frequency = \"2.16 GHz\"\nduplex = \"tdd\""]);
    assert!(text.contains("`carrier.c0.tdd_pattern` is missing"), "{text}");
    let both = "frequency = \"2.16 GHz\"\nbandwidth = \"10 MHz\"\nresource_blocks = 50";
    let text = error(LTE, &[both]);
    assert!(text.contains("`carrier.c0.bandwidth` is given beside resource_blocks"), "{text}");
    assert!(error(LTE, &["bandwidth = \"10 MHz\""]).contains("frequency"));
    let five: Vec<String> =
        (0..5).map(|n| format!("frequency = \"2.{} GHz\"", 140 + 20 * n)).collect();
    let five: Vec<&str> = five.iter().map(String::as_str).collect();
    assert!(error(LTE, &five).contains("4 carriers at most beside the cell"));
}

#[test]
fn what_carriers_do_not_go_with() {
    let with = |cell: &str, carrier: &str, rest: &str| {
        let text = format!(
            "duration = \"1 s\"\n[cell]\n{cell}\n[[carrier]]\nname = \"b\"\n{carrier}\n{rest}\n\
             [[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n"
        );
        Scenario::parse("a.toml", &text, &[]).map_err(|errors| errors.plain())
    };
    let (near, ue) = ("frequency = \"2.14 GHz\"", "[[ue]]\nname = \"a\"\nsnr = \"9 dB\"\n");
    let refused = |cell: &str, carrier: &str, rest: &str, why: &str| {
        let text = with(cell, carrier, rest).expect_err(why);
        assert!(text.contains(why), "{text}");
    };
    let limited = |category: u8| format!("{ue}category = {category}\n");
    assert_eq!(with(LTE, near, &limited(9)).err(), None);
    refused(LTE, near, &limited(18), "`ue.a.category` is 18 beside further carriers");
    let capture = format!("{ue}[output]\npcap = [\"mac\"]\n");
    assert_eq!(with(LTE, near, &capture).err(), None);
    let other = "frequency = \"3.5 GHz\"\nnumerology = 1";
    refused(FDD, other, &capture, "has carrier b with another interval or duplex than the cell");
    let queue = "{ kind = \"ramp\", free_above = 0.5 }";
    let queue = format!("{ue}[[bearer]]\nname = \"d\"\ndefault = true\nqci = 9\nqueue = {queue}\n");
    refused(LTE, near, &queue, "`bearer.d.queue` is beside further carriers");
}

#[test]
fn carriers_of_a_network() {
    let with = |keys: &str| {
        let text = format!(
            "duration = \"1 s\"\n[cell]\nresource_blocks = 50\n[network]\nsites = 1\n\
             site_distance = \"500 m\"\ncarrier = \"2 GHz\"\n[[carrier]]\nname = \"b\"\n{keys}\n\
             [[ue]]\nname = \"a\"\n[[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n"
        );
        Scenario::parse("a.toml", &text, &[]).map_err(|errors| errors.plain())
    };
    assert_eq!(with("frequency = \"2.6 GHz\"").err(), None);
    let refused = |keys: &str, why: &str| {
        let text = with(keys).expect_err(why);
        assert!(text.contains(why), "{text}");
    };
    // The first carrier is that of the network.
    refused("frequency = \"2.002 GHz\"", "`carrier.b.frequency` overlaps cell: 1.9955 GHz");
    // 2.65 GHz is in band 7. 2.6 GHz is time division duplex, in band 38 (TS 36.101, table 5.5-1).
    assert_eq!(with("frequency = \"2.65 GHz\"\nuplink = true").err(), None);
    refused("frequency = \"2.6 GHz\"\nuplink = true", "`carrier.b.frequency` has no pair");
    let up = "frequency = \"2.65 GHz\"\nuplink = true\nfrequency_up = ";
    refused(&format!("{up}\"400 MHz\""), "`carrier.b.frequency_up` cannot be so");
    // TR 38.901 begins at 500 MHz.
    refused("frequency = \"400 MHz\"", "`carrier.b.frequency` cannot be so");
}

#[test]
fn uplink_needs_spectrum() {
    assert!(parse(LTE, &["frequency = \"2.14 GHz\"\nuplink = true"]).is_ok());
    // Band 32 is downlink alone: 1452 to 1496 MHz (TS 36.101, table 5.5-1).
    let alone = "frequency = \"1.474 GHz\"";
    assert!(parse(LTE, &[alone]).is_ok());
    let text = error(LTE, &[&format!("{alone}\nuplink = true")]);
    assert!(text.contains("`carrier.c0.frequency` has no pair"), "{text}");
    assert!(text.contains("give frequency_up as well"), "{text}");
    assert!(text.contains("for the downlink alone"), "{text}");
    let text = error(LTE, &[&format!("{alone}\nfrequency_up = \"1.7 GHz\"")]);
    assert!(text.contains("`carrier.c0.frequency_up` does not count alone"), "{text}");
    let text = error(TDD, &["frequency = \"3.6 GHz\"\nuplink = true\nfrequency_up = \"3.7 GHz\""]);
    assert!(text.contains("`carrier.c0.frequency_up` is a second carrier"), "{text}");
    // The cell sends at 1.93 GHz.
    let over = "frequency = \"2.14 GHz\"\nuplink = true\nfrequency_up = \"1.94 GHz\"";
    let text = error(LTE, &[over]);
    assert!(text.contains("`carrier.c0.frequency_up` overlaps cell: 1.921 GHz"), "{text}");
    // A carrier without uplink has nothing there.
    let others = ["frequency = \"2.14 GHz\"\nuplink = true", "frequency = \"1.84 GHz\""];
    assert!(parse(LTE, &others).is_ok());
}

#[test]
fn ues_send_on_carriers_that_there_are() {
    let with = |count: u32| {
        let keys = format!(
            "uplink = true\n[[ue]]\nname = \"b\"\nsnr = \"9 dB\"\nuplink_carriers = {count}"
        );
        parse(LTE, &["frequency = \"1.84 GHz\"", &format!("frequency = \"2.14 GHz\"\n{keys}")])
    };
    assert!([1, 2].into_iter().all(|count| with(count).is_ok()));
    let text = with(3).expect_err("an error");
    assert!(text.contains("`ue.b.uplink_carriers` is 3, and 2 carry uplink"), "{text}");
}
