//! Dual connectivity of a scenario: its keys and their faults.

use airpath_scenario::Scenario;

const LEG: &str = "[[carrier]]\nname = \"nr\"\nrole = \"leg\"\nfrequency = \"3.5 GHz\"\n";
const CAR: &str = "[[ue]]\nname = \"car\"\nroute = { kind = \"straight\", speed = \"60 km/h\" }\n";
const FLOW: &str = "[[flow]]\nname = \"down\"\nkind = \"tcp\"\ndirection = \"down\"\n";
const FULL: &str = "[[flow]]\nname = \"fill\"\nkind = \"full-buffer\"\ndirection = \"down\"\n";
const BEARER: &str = "[[bearer]]\ndefault = true\n";
const HANDOVER: &str = "[network.handover]\n";

const COPIES: &str = "duplication = \"both\"";
const THRESHOLD: &str = "split_threshold = \"20 kB\"";

/// A network of seven sites with these parts.
fn read(parts: &[&str]) -> Result<Scenario, String> {
    let text = format!("duration = \"5 s\"\n[network]\nsites = 7\n{}", parts.concat());
    Scenario::parse("s.toml", &text, &[]).map_err(|errors| errors.plain())
}

fn read_well(parts: &[&str]) -> Scenario {
    read(parts).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn all_keys_are_read() {
    let dual = "[network.dual_connectivity]\naddition = { threshold = -100, hysteresis = \"2 dB\" }\n\
                change = { offset = \"3 dB\" }\nrelease = { threshold = -105 }\nt304 = \"200 ms\"\n\
                preparation = { kind = \"uniform\", min = \"20 ms\", max = \"60 ms\" }\nrandom_access = \"none\"\n\
                rrc_processing = \"16 ms\"\nsynchronisation = \"5 ms\"\ntransport = \"2 ms\"\nstatus_period = \"1 ms\"\n";
    let split = format!(
        "{BEARER}primary_path = \"anchor\"\nsplit_threshold = \"20 kB\"\nsplit_reordering = \"300 ms\"\n"
    );
    let wide = format!(
        "{LEG}bandwidth = \"100 MHz\"\nduplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"\n"
    );
    read_well(&[HANDOVER, dual, &wide, CAR, &split, FLOW]);
    // The legs are the last of several carriers.
    let low = "[[carrier]]\nname = \"low\"\nrole = \"cells\"\nfrequency = \"806 MHz\"\n";
    let scenario = read_well(&[HANDOVER, low, LEG, CAR, FLOW]);
    assert!(scenario.carrier[1].is_leg() && !scenario.carrier[0].is_leg());
}

#[test]
fn bearers_in_acknowledged_mode_are_split() {
    let of = |parts: &[&str]| read_well(&[&[HANDOVER, LEG, CAR], parts].concat()).bearer[0].clone();
    let bearer = of(&[FLOW]);
    let primary = bearer.primary_path.map(|path| path.word());
    assert_eq!((bearer.split, primary), (Some(true), Some("leg")));
    // TS 38.331, 6.3.2: without a threshold it is infinity; 3 s is the longest t-Reordering.
    assert_eq!(bearer.split_threshold, None);
    assert_eq!(bearer.split_reordering.map(|time| time.as_millis_f64()), Some(3_000.0));
    let um = format!("{BEARER}rlc = \"um\"\n");
    assert_eq!(of(&[&um, FLOW]).split, Some(false));
    // With duplication they are split in unacknowledged mode as well: 100 ms is t-Reordering over UM of NR.
    let copies = of(&[&um, COPIES, "\n", FLOW]);
    assert_eq!(copies.split, Some(true));
    assert_eq!(copies.split_reordering.map(|time| time.as_millis_f64()), Some(100.0));
    assert_eq!(of(&[FULL]).split, Some(false));
    let without = format!("{BEARER}split = false\n");
    assert_eq!(of(&[&without, FLOW]).split_reordering, None);
    let rrc = format!("{FLOW}[cell.rrc]\n");
    assert_eq!(of(&[&rrc]).split, Some(false));
    // Without legs the keys stay away.
    assert_eq!(read_well(&[HANDOVER, CAR, FLOW]).bearer[0].split, None);
}

#[test]
fn faults_name_the_key_and_the_mend() {
    let dual = |keys: &str| format!("{HANDOVER}[network.dual_connectivity]\n{keys}\n");
    let leg = |keys: &str| format!("{LEG}{keys}\n");
    let bearer = |keys: &str| format!("{BEARER}{keys}\n{FLOW}");
    let twice = LEG.replace("\"nr\"", "\"more\"").replace("3.5", "2.6");
    let mac = format!("{FLOW}[output]\npcap = [\"mac\"]\n");
    let nr = format!("{FLOW}[cell]\ntechnology = \"nr\"\n");
    let faults: [(&str, &str, &str, &str); 24] = [
        (&dual(""), "", FLOW, "`network.dual_connectivity` has an anchor without a leg"),
        (HANDOVER, "", &bearer("split = true"), "`bearer.0.split` is without legs"),
        (HANDOVER, "", &bearer("primary_path = \"leg\""), "is without legs"),
        ("", LEG, FLOW, "`carrier.nr.role` is \"leg\" without handover"),
        (HANDOVER, &format!("{LEG}{twice}"), FLOW, "another carrier is behind it"),
        (HANDOVER, LEG, &nr, "is \"leg\" beside a cell of NR"),
        (HANDOVER, LEG, &mac, "has one C-RNTI of a UE"),
        (HANDOVER, &leg("offset = \"3 dB\""), FLOW, "`carrier.nr.offset` does not count"),
        (HANDOVER, &leg("event = { kind = \"a3\" }"), FLOW, "`carrier.nr.event` does not count"),
        (HANDOVER, &leg("resource_blocks = 50"), FLOW, "bandwidth: a leg is a cell of NR"),
        (HANDOVER, &leg("uplink = true"), FLOW, "`carrier.nr.uplink` does not count"),
        (&format!("{HANDOVER}daps = true\n"), LEG, FLOW, "`network.handover.daps` is beside"),
        (&format!("{HANDOVER}conditional = {{}}\n"), LEG, FLOW, "conditional` is beside"),
        (&dual("release = { threshold = -90 }"), LEG, FLOW, "released as soon as it is there"),
        (&dual("addition = { threshold = 5 }"), LEG, FLOW, "no value of the measured quantity"),
        (&dual("t304 = \"60 ms\""), LEG, FLOW, "begins the random access behind T304"),
        (HANDOVER, LEG, &bearer("split = false\nprimary_path = \"leg\""), "does not count alone"),
        (HANDOVER, LEG, &bearer("rlc = \"um\"\nsplit = true"), "is true with rlc = \"um\""),
        (HANDOVER, "", &bearer(COPIES), "`bearer.0.duplication` is without legs"),
        ("", "", &bearer(COPIES), "add a [[carrier]] with role = \"leg\""),
        (HANDOVER, LEG, &bearer(&format!("split = false\n{COPIES}")), "split = true with it"),
        (
            HANDOVER,
            LEG,
            &bearer(&format!("{COPIES}\n{THRESHOLD}")),
            "does not count with duplication",
        ),
        (HANDOVER, LEG, &format!("{BEARER}split = true\n{FULL}"), "has the full buffer \"fill\""),
        (HANDOVER, LEG, &format!("{}[cell.rrc]\n", bearer("split = true")), "is beside `rrc`"),
    ];
    for (network, carriers, rest, says) in faults {
        let error = read(&[network, carriers, CAR, rest]).expect_err(says);
        assert!(error.contains(says) && error.contains("s.toml:"), "{says}\n{error}");
    }
    let alone =
        format!("duration = \"1 s\"\n{LEG}[[ue]]\nname = \"desk\"\nsnr = \"20 dB\"\n{FLOW}");
    let error = Scenario::parse("s.toml", &alone, &[]).expect_err("an error").plain();
    assert!(error.contains("is \"leg\", and there is no network"), "{error}");
}
