//! Cells with 32 antenna ports, from the file to the results.

use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// A UE with four receive antennas, alone near a cell of ten megahertz with 32 independent ports.
const NEAR: &str = r#"
duration = "1.5 s"
output.warm_up = "1 s"
[cell]
technology = "nr"
tti = "mu1"
bandwidth = "10 MHz"
layers = 4
link_adaptation.mcs_table = "256qam"
[network]
layout = "single"
precoding = { ports = 32, columns = 8, rows = 2 }
[[ue]]
name = "phone"
distance = "40 m"
receivers = 4
[[flow]]
name = "down"
kind = "full-buffer"
direction = "down"
"#;

/// TS 38.214, 5.1.3.2, by fractions: bits of a slot with MCS 27 of 256QAM in 24 resource blocks of 13 symbols, one of
/// these with reference signals, for four layers.
const BITS: f64 = 102_416.0;

#[test]
fn four_layers_of_32_ports_have_their_block_size() {
    let read = Scenario::parse("s.toml", NEAR, &[]);
    let scenario = read.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let summary = run(&scenario, RunOptions::default()).expect("a run without failure").summary;
    let down = &summary.cells[0].down;
    assert_eq!(down.layers.as_deref(), Some(&[0.0, 0.0, 0.0, 1.0][..]));
    assert!((999..=1_001).contains(&down.transmissions), "{}", down.transmissions);
    // Each decoded block is that large. One in ten may fail (`bler_target`), as the channel moves.
    let decoded = down.bytes as f64 * 8.0 / BITS;
    assert!(decoded.fract() == 0.0 && decoded > 900.0, "{decoded}");
}
