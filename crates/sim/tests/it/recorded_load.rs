//! Recorded UEs take resource blocks from a cell's schedule.

use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

const HEADER: &str =
    "timestamp,system_frame_index,slot_index,dci_format,k,frequency_start,frequency_length";

/// Throughput of a full buffer in Mbit/s in a cell of 51 resource blocks, beside the recorded rows of two frames. Without rows
/// the cell has no recording.
fn throughput(direction: &str, rows: &[(u32, &str, u32, u32, u32)]) -> f64 {
    let mut log = format!("{HEADER}\n0.0,0,0,1_1,0,0,0\n");
    for (slot, format, k, first, count) in rows {
        let (frame, slot) = (slot / 20, slot % 20);
        log += &format!("0.0,{frame},{slot},{format},{k},{first},{count}\n");
    }
    // The last row is in the second frame, so that the recording has 40 slots.
    log += "0.01,1,19,1_1,0,0,0\n";
    let key = if rows.is_empty() { "" } else { "recorded_load = \"dci.csv\"\n" };
    let text = format!(
        "duration = \"2 s\"\n[cell]\n{key}technology = \"nr\"\nbandwidth = \"20 MHz\"\n\
         [[ue]]\nname = \"phone\"\nsnr = \"20 dB\"\n\
         [[flow]]\nname = \"full\"\nkind = \"full-buffer\"\ndirection = \"{direction}\"\n"
    );
    let scenario = Scenario::parse_with("s.toml", &text, &[], &|_| Ok(log.clone()));
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let summary = run(&scenario, RunOptions::default()).expect("a run").summary;
    summary.flows[0].goodput_bps.expect("a rate") / 1e6
}

#[test]
fn half_of_the_resource_blocks_is_half_of_the_rate() {
    for (direction, format, k) in [("down", "1_1", 0), ("up", "0_1", 4)] {
        let alone = throughput(direction, &[]);
        // 25 of 51 in each slot. Data of the last DCIs go round into the beginning.
        let rows: Vec<_> = (0..40).map(|slot| (slot, format, k, 0, 25)).collect();
        let share = throughput(direction, &rows) / alone;
        // Block sizes are rounded (TS 38.214, 5.1.3.2).
        assert!((share * 51.0 / 26.0 - 1.0).abs() < 0.04, "{direction}: {share} of {alone} Mbit/s");
    }
}

#[test]
fn a_full_slot_leaves_nothing_and_the_recording_repeats() {
    let alone = throughput("down", &[]);
    // All resource blocks in ten of forty slots.
    let rows: Vec<_> = (7..17).map(|slot| (slot, "1_1", 0, 0, 51)).collect();
    let share = throughput("down", &rows) / alone;
    assert!((share / 0.75 - 1.0).abs() < 0.02, "{share} of {alone} Mbit/s");
    let all: Vec<_> = (0..40).map(|slot| (slot, "1_1", 0, 0, 51)).collect();
    assert_eq!(throughput("down", &all), 0.0);
}

#[test]
fn the_other_direction_keeps_its_resource_blocks() {
    let rows: Vec<_> = (0..40).map(|slot| (slot, "0_1", 0, 0, 51)).collect();
    assert_eq!(throughput("down", &rows), throughput("down", &[]));
}
