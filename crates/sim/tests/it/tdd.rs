//! Whole runs with time division duplex.

use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

const TEXT: &str = r#"
duration = "10 s"
[path.sgi]
delay = "2 ms"
[cell]
bandwidth = "20 MHz"
duplex = "tdd"
tdd_pattern = "DSUDDDSUDD"
special_slot = "10:2:2"
[[ue]]
name = "phone"
count = 2
snr = "15 dB"
[[bearer]]
name = "voice"
qci = 1
discard_timer = "infinity"
filter = [{ dscp = "EF" }]
[[flow]]
name = "voice"
kind = "rtp"
direction = "up"
dscp = "EF"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

/// Acknowledgements leave empty reports on their way when voice asks to send. One that was made
/// before the request does not undo it: otherwise the UE waits for retxBSR-Timer, 320 ms.
#[test]
fn a_report_from_before_a_request_does_not_undo_it() {
    let scenario = Scenario::parse("tdd.toml", TEXT, &[]).expect("a valid scenario");
    let summary = run(&scenario, RunOptions::default()).expect("a run without failure").summary;
    let voices: Vec<_> =
        summary.flows.iter().filter(|flow| flow.direction.as_deref() == Some("up")).collect();
    assert_eq!(voices.len(), 2);
    for voice in voices {
        let delay = voice.delay_ms.as_ref().expect("packets");
        assert!(delay.p99 < 60.0, "{}: {} ms", voice.name, delay.p99);
    }
}

/// Full buffers both ways for a UE alone at 20 MHz; bytes that arrive downlink and uplink in 1 s.
fn full(cell: &str) -> [u64; 2] {
    let text = format!(
        "duration = \"1 s\"\n[cell]\nbandwidth = \"20 MHz\"\nduplex = \"tdd\"\n{cell}\n\
         link_adaptation.code_rate_limit = \"none\"\n[[ue]]\nname = \"phone\"\nsnr = \"60 dB\"\n\
         [[flow]]\nname = \"down\"\nkind = \"full-buffer\"\ndirection = \"down\"\n\
         [[flow]]\nname = \"up\"\nkind = \"full-buffer\"\ndirection = \"up\"\n"
    );
    let read = Scenario::parse("tdd.toml", &text, &[]);
    let scenario = read.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let summary = run(&scenario, RunOptions::default()).expect("a run without failure").summary;
    let [down, up] = &summary.flows[..] else { panic!("two flows") };
    [down.delivered_bytes, up.delivered_bytes]
}

#[test]
fn a_ue_alone_has_the_peak_rate_of_each_configuration_of_lte() {
    // TS 36.213, table 7.1.7.2.1-1, I_TBS 26: 75 376 bits of 100 resource blocks, and in special
    // subframes those of 75 or 37 (7.1.7). Less 3 bytes of MAC and RLC downlink.
    let whole = 75_376 / 8;
    for (special, block) in [(7, 55_056 / 8), (9, 27_376 / 8), (5, 0)] {
        // TS 36.211, table 4.2-2: downlink, special and uplink subframes of a frame.
        let counts = [[2, 2, 6], [4, 2, 4], [6, 2, 2], [6, 1, 3], [7, 1, 2], [8, 1, 1], [3, 2, 5]];
        for (n, [downlink, specials, uplink]) in counts.into_iter().enumerate() {
            let cell = format!("tdd_configuration = {n}\nspecial_subframe = {special}");
            let [down, up] = full(&cell);
            // Subframe 0 is decided before the run. The last is received after it, and configuration
            // 0 has it for the uplink.
            let lost = if n == 0 { 1 } else { 2 };
            let own = u64::saturating_sub(block, 3);
            let expected = (100 * downlink - lost) * (whole - 3) + 100 * specials * own;
            assert_eq!(down, expected, "{cell}");
            // Uplink the first ask, and the blocks have reports.
            let all = 100 * uplink * whole;
            assert!(up < all && up > all - (6 * uplink + 1) * whole, "{cell}: {up} of {all}");
        }
    }
}

#[test]
fn the_forms_of_a_pattern_are_one() {
    // 30 kHz, two parts of 2.5 ms: D D D S U and D D S U U.
    let letters = "tti = \"mu1\"\ntdd_pattern = \"DDDSUDDSUU\"\nspecial_slot = \"10:2:2\"";
    let common = "tti = \"mu1\"\ntdd_common = [{ period = \"2.5 ms\", downlink_slots = 3, \
                  downlink_symbols = 10, uplink_symbols = 2, uplink_slots = 1 }, \
                  { period = \"2.5 ms\", downlink_slots = 2, downlink_symbols = 10, \
                  uplink_symbols = 2, uplink_slots = 2 }]";
    let bytes = full(letters);
    assert_eq!(full(common), bytes);
    // Flexible slots that are used for a direction are slots of that direction.
    let flexible = letters.replace("DDDSUDDSUU", "DFDSUDFSUU");
    assert_eq!(full(&format!("{flexible}\nflexible = \"downlink\"")), bytes);
    // By need they are shared: each is used by one of both directions.
    let by_need = full(&format!("{flexible}\nflexible = \"by-need\""));
    let unused = full(&flexible);
    let more =
        [0, 1].map(|way| (by_need[way] - unused[way]) as f64 / (75_376.0 / 16.0 * 12.0 / 14.0));
    assert!(more.iter().all(|slots| (slots - 200.0).abs() < 20.0), "{more:?}");
    let slots = |bytes: u64| bytes as f64 / (75_376.0 / 16.0);
    assert!((slots(bytes[0] - unused[0]) - 400.0).abs() < 2.0);
    assert!((slots(bytes[1]) - slots(unused[1])).abs() < 20.0);
}
