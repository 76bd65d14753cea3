//! Uplink cancellation: what is refused, and what is built.

use airpath_base::random::Seed;
use airpath_scenario::Scenario;
use airpath_scenario::world::World;

/// A cell with these keys of it and its uplink, whose machines have these keys of a bearer.
fn read(cell: &str, uplink: &str, bearer: &str) -> Result<Scenario, String> {
    let text = format!(
        "duration = \"1 s\"\n[cell]\n{cell}\nuplink = {{ {uplink} }}\n\
         [[ue]]\nname = \"machine\"\nsnr = \"20 dB\"\n[[ue]]\nname = \"other\"\nsnr = \"20 dB\"\n\
         [[bearer]]\nname = \"control\"\nue = \"machine\"\ndefault = true\n{bearer}\n\
         [[flow]]\nname = \"f\"\nkind = \"rtp\"\ndirection = \"up\"\n"
    );
    Scenario::parse("s.toml", &text, &[]).map_err(|errors| errors.plain())
}

const NR: &str = "technology = \"nr\"";
const URGENT: &str = "pre_empts = true";

#[test]
fn cancellation_is_read() {
    let scenario = read(NR, "cancellation = {}", URGENT).unwrap_or_else(|error| panic!("{error}"));
    World::build(&scenario, Seed(1)).expect("a world");
    let json = scenario.to_json();
    assert_eq!(json["bearer"][0]["pre_empts"].as_bool(), Some(true));
    assert_eq!(json["bearer"][1]["pre_empts"].as_bool(), Some(false));
    let own = "cancellation = { grant_to_transmission = \"3 tti\", indication = \"0.3 ms\" }";
    read(NR, own, URGENT).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn faults_name_the_key_and_the_mend() {
    let k2 = |count: u8| format!("cancellation = {{ grant_to_transmission = \"{count} tti\" }}");
    let second = "pre_empts = true\n[[bearer]]\nname = \"more\"\nue = \"machine\"\n\
                  filter = [{ dscp = 46, may_be_unused = true }]";
    let carrier = "pre_empts = true\n[[carrier]]\nname = \"low\"\nfrequency = \"806 MHz\"";
    let cases: [(&str, &str, &str, &str); 11] = [
        ("", "cancellation = {}", URGENT, "cancellation` is for NR"),
        (NR, "", URGENT, "control.pre_empts` is without cancellation"),
        (NR, "cancellation = {}", "", "is without a bearer that pre-empts others"),
        (
            NR,
            "cancellation = {}, access = \"instant\"",
            URGENT,
            "access = \"scheduling-request\" or",
        ),
        (
            "technology = \"nr\"\nharq.uplink = \"synchronous\"",
            "cancellation = {}",
            URGENT,
            "harq.uplink = \"asynchronous\"",
        ),
        (NR, &k2(4), URGENT, "is no less than that of other UEs"),
        (NR, &k2(1), URGENT, "grant_transmission and grant_decoding of cell.timing"),
        (
            NR,
            "cancellation = { grant_to_transmission = \"1.2 ms\" }",
            URGENT,
            "is no multiple of the tti",
        ),
        (NR, "cancellation = { indication = \"3 tti\" }", URGENT, "comes too late for each grant"),
        (NR, "cancellation = {}", carrier, "is for a cell with one carrier"),
        (NR, "cancellation = {}", second, "more.pre_empts` differs from another bearer of the UE"),
    ];
    for (cell, uplink, bearer, expected) in cases {
        let message = read(cell, uplink, bearer).expect_err(expected);
        assert!(message.contains(expected), "{cell} {uplink} {bearer}: {message}");
    }
}
