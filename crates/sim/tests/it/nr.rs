//! Rates of NR, from the file to the results: those of its tables.

use airpath_scenario::Scenario;
use airpath_sim::{Outcome, RunOptions, run};

const TEXT: &str = r#"
duration = "1 s"
cell.technology = "nr"
[[ue]]
name = "phone"
snr = "60 dB"
[[flow]]
name = "down"
kind = "full-buffer"
direction = "down"
[[flow]]
name = "up"
kind = "full-buffer"
direction = "up"
"#;

/// Both directions up to 64QAM; without it the downlink has 256QAM.
const QAM64: &str = "cell.link_adaptation.mcs_table=\"64qam\"";

fn outcome(keys: &[&str]) -> Outcome {
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    let read = Scenario::parse("nr.toml", TEXT, &keys);
    let scenario = read.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let parent = tempfile::tempdir().expect("a folder");
    let out = parent.path().join("out");
    let options = RunOptions { out: Some(&out), ..RunOptions::default() };
    run(&scenario, options).expect("a run without failure")
}

/// Bytes downlink, and the mean of blocks uplink from the second half on.
fn delivered(keys: &[&str]) -> [u64; 2] {
    let outcome = outcome(keys);
    let [down, up] = &outcome.summary.flows[..] else { panic!("two flows") };
    [down.delivered_bytes, up.delivered_bytes]
}

/// The rates of NR with time division duplex: D D D S U with special slots of 10 downlink symbols,
/// one of them control. 9 symbols have 147 576 bits.
#[test]
fn with_time_division_too() {
    let keys = [
        "cell.bandwidth=\"100 MHz\"",
        "cell.duplex=\"tdd\"",
        "cell.tdd_pattern=\"DDDSU\"",
        "cell.special_slot=\"10:2:2\"",
        QAM64,
    ];
    let outcome = outcome(&keys);
    let [down, up] = &outcome.summary.flows[..] else { panic!("two flows") };
    // The first slot is decided before the run, the last is for the uplink.
    // 3 bytes of MAC, 2 of RLC; uplink 2 more for a report.
    let (whole, special) = (217_128 / 8 - 5, 147_576 / 8 - 5);
    assert_eq!(down.delivered_bytes, (3 * 400 - 1) * whole + 400 * special);
    let whole = 237_776 / 8 - 7;
    assert!(up.delivered_bytes.abs_diff(400 * whole) < 10 * whole, "{}", up.delivered_bytes);
    let cell = &outcome.summary.cells[0];
    let used = [cell.utilisation, cell.utilisation_up].map(|used| used.unwrap_or(0.0));
    assert!(used.iter().all(|used| (0.97..=1.0).contains(used)), "{used:?}");
}

/// Special slots of 8 downlink and 4 uplink symbols that carry data both ways (TS 38.214, 5.1.3.2, by
/// hand). 7 symbols have 72 elements a resource block, 19 656 of 273, 109 183 bits of information at
/// 948/1024 and 64QAM: 13 code blocks of 108 552 bits. 4 symbols have 36, 9 828, 54 591: 7 code blocks
/// of 54 296 bits.
#[test]
fn special_slots_carry_data_both_ways() {
    let keys = [
        "cell.bandwidth=\"100 MHz\"",
        "cell.duplex=\"tdd\"",
        "cell.tdd_pattern=\"DDDSU\"",
        "cell.special_slot=\"8:2:4\"",
        "cell.special_uplink=true",
        QAM64,
    ];
    let [down, up] = delivered(&keys);
    let (whole, special) = (217_128 / 8 - 5, 108_552 / 8 - 5);
    assert_eq!(down, (3 * 400 - 1) * whole + 400 * special);
    let (whole, special) = (237_776 / 8 - 7, 54_296 / 8 - 7);
    assert!(up.abs_diff(400 * (whole + special)) < 10 * whole, "{up}");
}

/// Transport blocks of TS 38.214, 5.1.3.2, computed elsewhere with fractions: bits downlink,
/// where a symbol is control, and uplink, each with the highest MCS; slots a second.
#[test]
fn one_ue_gets_what_the_tables_say() {
    for (keys, [down_bits, up_bits], slots) in [
        // 273 resource blocks, 13 and 14 symbols of which 12 elements are reference signals.
        (&["cell.bandwidth=\"100 MHz\"", QAM64][..], [217_128, 237_776], 2_000),
        // 256QAM downlink alone, which every UE has to know (TS 38.306, 4.2.7.5).
        (&["cell.bandwidth=\"100 MHz\""], [295_176, 237_776], 2_000),
        (
            &["cell.bandwidth=\"100 MHz\"", "cell.link_adaptation.mcs_table=\"256qam\""],
            [295_176, 319_784],
            2_000,
        ),
        (&["cell.numerology=0", QAM64], [83_976, 92_200], 1_000),
    ] {
        let [down, up] = delivered(keys);
        // Less 5 bytes of MAC and RLC downlink, 7 uplink; the first is received after 3 slots.
        assert_eq!(down, (slots - 2) * (down_bits / 8 - 5), "{keys:?}");
        let whole = up_bits / 8 - 7;
        assert!(up.abs_diff(slots * whole) < 30 * whole, "{keys:?}: {}", up as f64 / whole as f64);
    }
}

#[test]
fn mini_slots_and_overhead() {
    // 51 resource blocks, 7 symbols without control; 25, 13 symbols, 30 elements lost.
    let [mini, _] = delivered(&["cell.tti=\"mu1/7sym\"", QAM64]);
    assert_eq!(mini, (4_000 - 2) * (20496 / 8 - 5));
    let keys = [
        "cell.numerology=0",
        "cell.bandwidth=\"5 MHz\"",
        "cell.dmrs_elements=24",
        "cell.x_overhead=6",
        "cell.link_adaptation.mcs_table=\"256qam\"",
    ];
    assert_eq!(delivered(&keys)[0], (1_000 - 2) * (23568 / 8 - 5));
}

/// Slots cut into mini-slots (TS 38.214, 5.1.3.2, by hand). In 51 resource blocks 7 symbols have 20 496 bits. A special
/// slot is a mini-slot downlink and one with 3 symbols downlink: 24 elements a resource block, 1 224, 6 799 bits of
/// information and a block of 6 784. 2 symbols have 612 elements: MCS 28 would have 3 496 bits, a code rate of 0.96;
/// MCS 27 has 3 240.
#[test]
fn mini_slots_with_time_division() {
    let tdd = |keys: &[&str]| {
        let common = ["cell.duplex=\"tdd\"", QAM64];
        delivered(&[&common[..], keys].concat())
    };
    let pattern = ["cell.tdd_pattern=\"DDDSU\"", "cell.special_slot=\"10:2:2\""];
    let [down, up] = tdd(&[&["cell.tti=\"mu1/7sym\""][..], &pattern].concat());
    assert_eq!(down, (7 * 400 - 1) * (20_496 / 8 - 5) + 400 * (6_784 / 8 - 5));
    let whole = 20_496 / 8 - 7;
    assert!(up.abs_diff(800 * whole) < 20 * whole, "{}", up as f64 / whole as f64);
    let [down, up] = tdd(&["cell.tti=\"mu1/2sym\"", "cell.tdd_pattern=\"DU\""]);
    assert_eq!(down, (7 * 1_000 - 1) * (3_240 / 8 - 5));
    let whole = 3_240 / 8 - 7;
    assert!(up.abs_diff(7_000 * whole) < 50 * whole, "{}", up as f64 / whole as f64);
}

#[test]
fn the_error_curves_decide_the_rate() {
    // At 10 dB MCS 13 and 18: 14088 and 19968 bits, less what is sent again.
    let at = |curves: &str| {
        let curves = format!("cell.link_adaptation.error_curves=\"{curves}\"");
        delivered(&["ue.phone.snr=\"10 dB\"", QAM64, &curves])[0] as f64 * 8.0 / 2_000.0
    };
    let (lena, sionna) = (at("5g-lena") / 14088.0, at("sionna") / 19968.0);
    assert!((0.89..1.0).contains(&lena) && (0.89..1.0).contains(&sionna), "{lena} {sionna}");
}

#[test]
fn a_network_of_nr_runs() {
    let text = r#"
duration = "300 ms"
[cell]
technology = "nr"
bandwidth = "10 MHz"
link_adaptation.mcs_table = "256qam"
[network]
environment = "uma"
sites = 1
carrier = "3.5 GHz"
[[ue]]
name = "phone"
count = 6
[[flow]]
name = "down"
kind = "full-buffer"
direction = "down"
"#;
    let scenario = Scenario::parse("nr.toml", text, &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let outcome = run(&scenario, RunOptions::default()).expect("a run without failure");
    let bytes: u64 = outcome.summary.flows.iter().map(|flow| flow.delivered_bytes).sum();
    // Three cells of 10 MHz, at most 6.8 bits a symbol each; a tenth is little.
    let most = 0.3 * 3.0 * 10e6 * 6.8 / 8.0;
    assert!((0.1 * most..most).contains(&(bytes as f64)), "{bytes} of {most}");
}

/// Bytes uplink of a UE alone, whose buffer is always full, in a pattern at 100 MHz.
fn uplink_of(pattern: &str) -> u64 {
    let pattern = format!("cell.tdd_pattern=\"{pattern}\"");
    delivered(&["cell.bandwidth=\"100 MHz\"", "cell.duplex=\"tdd\"", &pattern])[1]
}

/// More uplink slots bring more: 237 776 bits in each, less 7 bytes, in 2000 slots a second. The
/// first are lost to the request and its grant.
#[test]
fn a_full_buffer_fills_every_uplink_slot() {
    let block = 237_776 / 8 - 7;
    let patterns = ["UD", "UUD", "UUUD", "UUUUD", "UUUUUD"];
    let longer = ["DDDDDDDDDU", "DDDDDDDUUU", "DDDDDUUUUU", "DDDUUUUUUU"];
    for patterns in [&patterns[..], &longer[..]] {
        let mut before = 0;
        for pattern in patterns {
            let slots = pattern.matches('U').count() as u64 * 2_000 / pattern.len() as u64;
            let found = uplink_of(pattern);
            assert!(found >= before, "{pattern}: {found} after {before}");
            let lost = slots - found / block;
            assert!(lost <= 60, "{pattern}: {lost} of {slots} slots carry nothing");
            before = found;
        }
    }
}
