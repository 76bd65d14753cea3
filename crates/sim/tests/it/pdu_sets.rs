//! PDU sets from an encoder to the radio: captures with their information, and discards in the books.

use std::fs;
use std::path::Path;
use std::process::Command;

use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

use crate::skipped::skipped;

/// Two UEs with video of 60 frames a second over a cell that has too little for both.
fn scenario(sets: &str) -> String {
    format!(
        "duration = \"2 s\"\n[cell]\ntechnology = \"nr\"\nbandwidth = \"5 MHz\"\n\
         harq.max_transmissions = 1\nharq.error = 0.02\n\
         [[ue]]\nname = \"glasses\"\ncount = 2\nsnr = \"6 dB\"\n\
         [[bearer]]\nname = \"xr\"\ndefault = true\nrlc = \"um\"\n{sets}\n\
         [[flow]]\nname = \"video\"\nkind = \"rtp\"\ndirection = \"down\"\n\
         rtp.video = {{ frame_rate = 60, min_rate = \"6 Mbit/s\", max_rate = \"6 Mbit/s\" }}\n\
         [output]\npcap = [\"s1\"]\n"
    )
}

/// Drops of the bearers by cause, of a run in this folder.
fn drops(sets: &str, out: &Path) -> [u64; 3] {
    let scenario = Scenario::parse("sets.toml", &scenario(sets), &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    // A run whose books do not close fails.
    let options = RunOptions { out: Some(out), ..RunOptions::default() };
    let done = run(&scenario, options).unwrap_or_else(|failure| panic!("{failure}"));
    let of = |cause: &str| {
        let bearers = done.summary.bearers.iter();
        bearers.filter_map(|bearer| bearer.dropped.get(cause)).sum()
    };
    ["discard_timer", "pdu_set", "rlc_loss"].map(of)
}

#[test]
fn the_rest_of_sets_is_dropped_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let discard = "discard_timer = \"10 ms\"\n";
    let [_, sets, losses] = drops(discard, &out);
    assert!(sets == 0 && losses > 0);
    fs::remove_dir_all(&out).expect("a folder");
    let keys = "pdu_sets = { delay_budget = \"10 ms\", integrated = true, discard = true, \
                schedule = \"remaining-time\" }";
    let [timers, sets, losses] = drops(keys, &out);
    assert!(timers > 0 && sets > 0 && losses > 0, "{timers}, {sets}, {losses}");
    decoded(&out.join("capture-s1.pcapng"));
}

/// Wireshark finds both extension headers, and the packets behind them.
fn decoded(capture: &Path) {
    let fields = ["gtp.ext_hdr.next", "gtp.ext_hdr.pdu_ses_con.qos_flow_id", "rtp.seq"];
    let mut command = Command::new("tshark");
    command.arg("-r").arg(capture).args(["-d", "udp.port==5004,rtp", "-Y", "gtp", "-T", "fields"]);
    command.args(fields.iter().flat_map(|field| ["-e", *field]));
    let Ok(output) = command.args(["-e", "_ws.malformed", "-e", "udp.length"]).output() else {
        return skipped("tshark is not installed (apt-get install tshark)");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.lines().count() > 100, "{text}");
    for line in text.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        // The session container with the QoS flow identifier, then the set's, then no more.
        assert_eq!(columns[..2], ["0x85,0x04,0x00", "1"], "{line}");
        assert_eq!(columns[3], "", "{line}");
        // Both UDP headers are found: that of GTP-U has 8 + 28 bytes and the IP header more.
        let lengths: Vec<u32> = columns[4].split(',').filter_map(|own| own.parse().ok()).collect();
        assert_eq!(lengths[0] - lengths[1], 8 + 28 + 20, "{line}");
    }
}
