//! Several configured grants of a period: what is refused, and what is built.

use airpath_base::random::Seed;
use airpath_scenario::Scenario;
use airpath_scenario::world::World;

/// A cell whose UEs have configured grants with these keys.
fn read(cell: &str, uplink: &str) -> Result<Scenario, String> {
    let text = format!(
        "duration = \"1 s\"\n[cell]\n{cell}\nuplink = {{ access = \"configured\", {uplink} }}\n\
         [[ue]]\nname = \"glasses\"\ncount = 20\nsnr = \"20 dB\"\n\
         [[flow]]\nname = \"f\"\nkind = \"rtp\"\ndirection = \"up\"\n"
    );
    Scenario::parse("s.toml", &text, &[]).map_err(|errors| errors.plain())
}

const NR: &str = "technology = \"nr\"";

/// One uplink slot in five, which is none beside another.
const TDD: &str =
    "technology = \"nr\"\nduplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"";

#[test]
fn occasions_and_their_indication_are_read() {
    let uplink = "configured_period = \"20 tti\", configured_occasions = 4, configured_unused = 3";
    let scenario = read(NR, uplink).unwrap_or_else(|error| panic!("{error}"));
    let json = scenario.to_json();
    let uplink = &json["cell"]["uplink"];
    assert_eq!(uplink["configured_occasions"].as_i64(), Some(4));
    assert_eq!(uplink["configured_unused"].as_i64(), Some(3));
    World::build(&scenario, Seed(1)).expect("a world");
}

#[test]
fn faults_name_the_key_and_the_mend() {
    let cases = [
        ("", "configured_occasions = 2", "is for NR"),
        (NR, "configured_occasions = 33", "1 to 32"),
        (NR, "configured_period = \"4 tti\", configured_occasions = 5", "4 or less"),
        (NR, "configured_unused = 4", "needs several occasions"),
        (NR, "configured_occasions = 4, configured_unused = 9", "3 to 8"),
        ("", "configured_repetitions = 2", "is for NR"),
        (NR, "configured_repetitions = 3", "one of 1, 2, 4, 8"),
        (NR, "configured_repetitions = 2, configured_occasions = 2", "is beside repetitions"),
        (NR, "configured_period = \"2 tti\", configured_repetitions = 4", "2 or less"),
        (
            TDD,
            "configured_period = \"5 tti\", configured_occasions = 5",
            "has one uplink interval in 5",
        ),
        (TDD, "configured_repetitions = 2", "has one uplink interval in 2"),
        // 20 UEs with an offset each, 16 of them beside each other: 16 times 4 of 51 resource blocks.
        (
            NR,
            "configured_period = \"20 tti\", configured_occasions = 16, configured_resource_blocks = 4",
            "needs 64 resource blocks in one interval",
        ),
    ];
    for (cell, uplink, expected) in cases {
        let message = read(cell, uplink).expect_err(uplink);
        assert!(message.contains(expected), "{uplink}: {message}");
    }
}
