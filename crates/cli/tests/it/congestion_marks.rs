//! What `airpath analyse` says of congestion marks on captures that `airpath run` made.

use std::fs;

use serde_json::Value;

use crate::common::{airpath, run, said};

/// A sender with accurate feedback and one with classic feedback through a queue that marks.
const SCENARIO: &str = r#"duration = "3 s"
radio = "none"
[path.sgi]
rate = "10 Mbit/s"
delay = "10 ms"
queue = "dualpi2"
[[flow]]
name = "accurate"
kind = "tcp"
direction = "down"
dscp = "AF11"
tcp = { controller = "prague" }
[[flow]]
name = "classic"
kind = "tcp"
direction = "down"
tcp = { controller = "cubic", ecn = "classic" }
[output]
pcap = ["server", "ue"]
"#;

#[test]
fn feedback_of_simulated_senders_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), SCENARIO).expect("a file");
    run(folder.path(), &["run", "s.toml", "--out", "r"], 0);
    let output = airpath(folder.path(), &["analyse", "r/capture-ue.pcapng", "--json"]);
    assert!(output.status.success(), "{}", said(&output));
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let flows = value["flows"].as_array().expect("flows");
    let of = |feedback: &str| {
        let found = flows.iter().find(|flow| flow["ecn"]["answered"] == feedback);
        found.unwrap_or_else(|| panic!("no flow with {feedback} feedback: {value:#}"))
    };
    let (accurate, classic) = (of("accurate"), of("classic"));
    assert_eq!(
        (&accurate["ecn"]["asked"], &classic["ecn"]["asked"]),
        (&"accurate".into(), &"classic".into())
    );
    // At the receiver all marks are seen, and all but those of the last data are reported.
    let marked = accurate["down"]["ce_packets"].as_u64().expect("a count");
    let reported = accurate["up"]["ecn_reports"]["ce_packets"].as_u64().expect("a count");
    assert!(
        marked > 10 && (marked.saturating_sub(4)..=marked).contains(&reported),
        "{marked} {reported}"
    );
    assert_eq!(accurate["down"]["ecn_reports"]["ce_packets"], 0);
    assert!(classic["up"]["ecn_reports"].is_null());
    let dscp = &accurate["down"]["dscp"];
    assert_eq!((&dscp[0]["dscp"], &dscp[0]["name"]), (&10.into(), &"AF11".into()));
    assert_eq!(dscp[0]["packets"], accurate["down"]["packets"]);
    assert_eq!(classic["down"]["dscp"][0]["name"], "CS0");
    // What marks keep small has neither losses nor much of a queue, and is limited by the link.
    for flow in [accurate, classic] {
        let shares = &flow["down"]["causes"]["shares"];
        let full: f64 = ["bottleneck", "shared_bottleneck"]
            .iter()
            .map(|cause| shares[cause].as_f64().expect("a share"))
            .sum();
        assert!(full > 0.8, "{}", flow["down"]["causes"]);
    }
}
