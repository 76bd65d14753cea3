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
    refused(LTE, near, "[network]\n[[ue]]\nname = \"a\"\n", "`carrier` is in a network");
    let limited = format!("{ue}category = 4\n");
    refused(LTE, near, &limited, "`ue.a.category` is beside further carriers");
    let capture = format!("{ue}[output]\npcap = [\"mac\"]\n");
    assert_eq!(with(LTE, near, &capture).err(), None);
    let other = "frequency = \"3.5 GHz\"\nnumerology = 1";
    refused(FDD, other, &capture, "has carrier b with another interval or duplex than the cell");
    let queue = "{ kind = \"ramp\", free_above = 0.5 }";
    let queue = format!("{ue}[[bearer]]\nname = \"d\"\ndefault = true\nqci = 9\nqueue = {queue}\n");
    refused(LTE, near, &queue, "`bearer.d.queue` is beside further carriers");
}
