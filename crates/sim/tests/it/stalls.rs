//! UEs that their HARQ processes limit, from the file to the sentence.

use airpath_results::RunSummary;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// Full buffers of so many UEs in a direction, over whole round trips and whole periods.
fn full(cell: &str, count: u32, direction: &str) -> RunSummary {
    let text = format!(
        "duration = \"2020 ms\"\noutput.warm_up = \"500 ms\"\n[cell]\n{cell}\n[[ue]]\nname = \"phone\"\n\
         count = {count}\nsnr = \"30 dB\"\n[[flow]]\nname = \"f\"\nkind = \"full-buffer\"\n\
         direction = \"{direction}\"\n"
    );
    let read = Scenario::parse("s.toml", &text, &[]);
    let scenario = read.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions::default()).expect("a run without failure").summary
}

fn named(summary: &RunSummary, expected: &[&str]) -> bool {
    let warnings = summary.warnings();
    warnings.iter().any(|text| expected.iter().all(|part| text.contains(part)))
}

#[test]
fn mini_slots_with_tdd_need_more_than_16_processes() {
    let cell = |processes: u32| {
        format!(
            "technology = \"nr\"\ntti = \"mu1/2sym\"\nduplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\n\
             special_slot = \"10:2:2\"\nharq.processes = {processes}"
        )
    };
    // Three slots of 7 mini-slots and one of 5 have data downlink. All of their feedback goes in the last
    // slot, so that each process is used once in a period: 16 of 26.
    let halting = full(&cell(16), 1, "down");
    let share = halting.ues[0].down.harq_stalled_share.expect("stalls");
    assert!((share - 10.0 / 26.0).abs() < 1e-3, "{share}");
    assert_eq!(halting.ues[0].down.harq_stalls, halting.cells[0].down.harq_stalls);
    let used = halting.cells[0].utilisation.expect("resource blocks");
    assert!((used - 16.0 / 26.0).abs() < 1e-3, "{used}");
    let parts = [
        "1 UE has data and free resource blocks downlink, but no free HARQ process: phone (38%",
        "cell.harq.processes is 16, and may be 32",
    ];
    assert!(named(&halting, &parts), "{:?}", halting.warnings());
    let enough = full(&cell(32), 1, "down");
    assert_eq!(enough.ues[0].down.harq_stalls, None);
    assert!(enough.warnings().is_empty());
}

#[test]
fn four_processes_fill_half_of_a_round_trip() {
    // A round trip has 8 TTIs (TS 36.213, 7).
    let lte = "resource_blocks = 50\nharq = { uplink = \"asynchronous\", processes = 4 }";
    let nr = "technology = \"nr\"\nnumerology = 0\nbandwidth = \"20 MHz\"\nharq.processes = 4";
    for cell in [lte, nr] {
        let down = full(cell, 1, "down");
        assert_eq!(down.ues[0].down.harq_stalled_share, Some(0.5), "{cell}");
        assert!(named(&down, &["downlink, but no free HARQ process: phone (50%"]), "{cell}");
        let up = full(cell, 1, "up");
        let share = up.ues[0].up.harq_stalled_share.expect("stalls");
        let used = up.cells[0].utilisation_up.expect("resource blocks");
        assert!((share + used - 1.0).abs() < 0.02, "{cell}: {share} {used}");
        assert!(named(&up, &["uplink, but no free HARQ process: phone ("]), "{cell}");
        // Others take the resource blocks.
        let many = full(cell, 4, "down");
        assert!(many.ues.iter().all(|ue| ue.down.harq_stalls.is_none()), "{cell}");
    }
    // With synchronous HARQ there are as many as a round trip has TTIs.
    let usual = full("resource_blocks = 50", 1, "down");
    assert_eq!(usual.ues[0].down.harq_stalls, None);
}
