//! Full buffers, from the file to the results.

use airpath_results::{SeriesRow, Subject};
use airpath_scenario::Scenario;
use airpath_sim::{Outcome, RunOptions, run};

const TEXT: &str = r#"
duration = "2 s"
output.series = "100 ms"
[cell]
resource_blocks = 50
scheduler = "round-robin"
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
start = "500 ms"
stop = "1500 ms"
"#;

fn outcome(text: &str) -> Outcome {
    let scenario = Scenario::parse("s.toml", text, &[]).unwrap_or_else(|e| panic!("{}", e.plain()));
    let parent = tempfile::tempdir().expect("a folder");
    let out = parent.path().join("out");
    let options = RunOptions { out: Some(&out), ..RunOptions::default() };
    run(&scenario, options).expect("a run without failure")
}

#[test]
fn its_goodput_is_that_of_the_tables_and_it_has_no_packets() {
    let outcome = outcome(TEXT);
    let [down, up] = &outcome.summary.flows[..] else { panic!("two flows") };
    // TS 36.213, table 7.1.7.2.1-1: 31 704 bits for MCS 27, I_TBS 25, the most at a code rate
    // of 0.93, less 3 bytes of MAC and RLC. The first block is received at 3 ms.
    assert_eq!(down.delivered_bytes, 1_998 * (31_704 / 8 - 3));
    assert_eq!(down.goodput_bps, Some(down.delivered_bytes as f64 * 4.0));
    // 36 696 bits for MCS 28, less 5 bytes; requested at 500 ms, first with 100 bytes.
    let whole = 36_696 / 8 - 5;
    assert!(up.delivered_bytes.abs_diff(1_000 * whole) < 20 * whole, "{}", up.delivered_bytes);
    assert_eq!((up.start_s, up.finish_s), (Some(0.5), None));
    for flow in [down, up] {
        assert_eq!((&*flow.kind, flow.sent_packets, flow.delay_ms), ("full-buffer", 0, None));
        assert!(flow.jitter_ms.is_none() && flow.rtt_ms.is_none() && flow.stages_ms.is_empty());
    }
    let bearer = &outcome.summary.bearers[0];
    assert_eq!(bearer.delivered_bits, (down.delivered_bytes + up.delivered_bytes) * 8);
    let cost = 50.0 / (31_704.0 - 24.0);
    assert!((bearer.resource_blocks_per_bit.expect("a cost") / cost - 1.0).abs() < 1e-9);
}

/// A cell of 20 MHz with one symbol of control, and this MCS table.
fn wide(table: &str) -> String {
    let keys = format!(
        "bandwidth = \"20 MHz\"\ncontrol_symbols = 1\nlink_adaptation.mcs_table = \"{table}\""
    );
    TEXT.replace("resource_blocks = 50", &keys)
}

#[test]
fn with_256qam_it_has_the_peak_of_the_standard() {
    // TS 36.213, table 7.1.7.2.1-1, 100 resource blocks: I_TBS 26 and 33, less 3 bytes of MAC and
    // RLC. Code rates are 75 400 / 90 000 and 97 920 / 120 000.
    for (table, mcs, bits) in [("64qam", 28.0, 75_376), ("256qam", 27.0, 97_896)] {
        let outcome = outcome(&wide(table));
        let [down, up] = &outcome.summary.flows[..] else { panic!("two flows") };
        assert_eq!(down.delivered_bytes, 1_998 * (bits / 8 - 3), "{table}");
        assert_eq!(outcome.summary.cells[0].down.mean_mcs, Some(mcs));
        // Uplink 75 376 bits, less 5 bytes.
        let whole = 75_376 / 8 - 5;
        assert!(up.delivered_bytes.abs_diff(1_000 * whole) < 20 * whole, "{}", up.delivered_bytes);
    }
}

#[test]
fn a_category_bounds_its_blocks_and_others_get_the_rest() {
    let other = "category = 1\n[[ue]]\nname = \"other\"\nsnr = \"60 dB\"\ncategory = 13\n[[flow]]";
    let text = wide("64qam").replacen("[[flow]]", other, 1);
    let outcome = outcome(&text);
    // TS 36.306, table 4.1-1: 10 296 bits in a TTI, in 14 resource blocks of 100. The other 86 carry
    // 63 776 bits (TS 36.213, table 7.1.7.2.1-1). Both are less 3 bytes.
    let delivered: Vec<u64> =
        outcome.summary.flows[..2].iter().map(|f| f.delivered_bytes).collect();
    assert_eq!(delivered, [10_296, 63_776].map(|bits| 1_998 * (bits / 8 - 3)));
}

#[test]
fn its_series_has_what_was_decoded_and_nothing_of_packets() {
    let outcome = outcome(TEXT);
    let of = |metric| {
        let rows = outcome.collector.series().iter();
        rows.filter(move |row| matches!(row.subject, Subject::Flow(_)) && row.metric == metric)
    };
    assert_eq!(of("arrival_rate_bps").count(), 0);
    let values: Vec<f64> = of("in_order_goodput_bps").map(|row: &SeriesRow| row.value).collect();
    // Ten intervals a second of each flow; the second is whole.
    assert_eq!(values.len(), 40);
    assert!((values[2] - 8_000.0 * 3_960.0).abs() < 1e-3, "{}", values[2]);
}

#[test]
fn packets_take_their_part_of_it() {
    let voice = "[[flow]]\nname = \"voice\"\nkind = \"rtp\"\ndirection = \"down\"\n";
    let outcome = outcome(&format!("{TEXT}{voice}"));
    let [down, _, voice] = &outcome.summary.flows[..] else { panic!("three flows") };
    assert_eq!(voice.received_packets, 100);
    // Ahead of the full buffer they wait for the next interval at most, and 3 ms.
    assert!(voice.delay_ms.expect("delays").max < 4.1, "{:?}", voice.delay_ms);
    // Each is 200 B, its headers and one more subheader.
    let less = 1_998 * (31_704 / 8 - 3) - down.delivered_bytes;
    assert!((100 * 200..100 * 212).contains(&less), "{less}");
}

#[test]
fn a_network_with_256qam_meets_its_target_of_errors() {
    let text = r#"
duration = "2 s"
output.warm_up = "500 ms"
[cell]
bandwidth = "10 MHz"
link_adaptation.mcs_table = "256qam"
[network]
environment = "uma"
sites = 1
carrier = "2 GHz"
[[ue]]
name = "phone"
count = 9
[[flow]]
name = "down"
kind = "full-buffer"
direction = "down"
"#;
    let outcome = outcome(text);
    // TS 36.213, 7.2.3: a tenth of first transmissions. The best UE has 256QAM.
    for cell in &outcome.summary.cells {
        let share = cell.down.bler_first.expect("blocks");
        assert!((share - 0.1).abs() < 0.015, "{}: {share}", cell.name);
    }
    let best = outcome.summary.ues.iter().filter_map(|ue| ue.down.mean_mcs).fold(0.0, f64::max);
    assert!((20.0..=27.0).contains(&best), "{best}");
}
