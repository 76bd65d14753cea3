//! Signs of a radio in flows of simulated cells, whose slots are known, and of recorded wires.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::run;

/// Signs of all flows of a capture: kind, ms.
fn signs(folder: &Path, capture: &str) -> Vec<(String, f64)> {
    let found = run(folder, &["analyse", capture, "--json", "--quiet"], 0);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let flows = found["flows"].as_array().expect("flows").iter();
    let all = flows.flat_map(|flow| flow["signs"].as_array().cloned().unwrap_or_default());
    let read =
        |sign: Value| (sign["sign"].as_str().unwrap().to_owned(), sign["ms"].as_f64().unwrap());
    all.map(read).collect()
}

/// Signs at the server of an upload over a cell.
fn upload(cell: &str) -> Vec<(String, f64)> {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = format!(
        "duration = \"5 s\"\n[path.sgi]\nrate = \"1 Gbit/s\"\ndelay = \"10 ms\"\n[cell]\n{cell}\n\
         [[ue]]\nname = \"phone\"\nsnr = \"12 dB\"\n[[flow]]\nname = \"f\"\nkind = \"tcp\"\n\
         direction = \"up\"\nsize = \"2 MB\"\n[output]\npcap = [\"server\"]\n"
    );
    fs::write(folder.path().join("s.toml"), scenario).expect("a file");
    run(folder.path(), &["run", "s.toml", "--out", "r"], 0);
    signs(folder.path(), "r/capture-server.pcapng")
}

#[test]
fn slots_and_a_cycle_of_tdd_are_those_of_the_cell() {
    // LTE's configuration 1: two of five slots go up (TS 36.211, table 4.2-2).
    let found = upload(
        "bandwidth = \"10 MHz\"\nduplex = \"tdd\"\ntdd_pattern = \"DSUUD\"\n\
         special_slot = \"10:2:2\"\n[cell.harq]\nuplink = \"asynchronous\"\n",
    );
    assert_eq!(found, [("slots".to_owned(), 1.0), ("grant_cycle".to_owned(), 5.0)]);
}

#[test]
fn recorded_wires_have_no_signs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../live/examples/flow_bench/kept");
    let names =
        fs::read_dir(&folder).expect("kept captures").map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().expect("text"));
    // Flows of these kinds go through cells; two of the others' captures do, too.
    let radio = ["promotion", "drx", "fading", "radio_gap"];
    let wires = names
        .filter(|name| name.ends_with(".zst") && !radio.iter().any(|kind| name.starts_with(kind)));
    let wires: Vec<String> = wires.collect();
    assert!(wires.len() >= 90, "{}", wires.len());
    let named = wires.iter().filter(|name| !signs(&folder, name).is_empty()).count();
    assert!(named <= 3, "{named} of {}", wires.len());
}
