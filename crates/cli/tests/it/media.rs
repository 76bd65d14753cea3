//! `airpath analyse` on captures of RTP that `airpath run` made, against what the run says.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::judges::{installed, tshark};

/// Video over a path that loses packets, captured in front of the loss and behind it.
const SCENARIO: &str = r#"duration = "6 s"
[path.sgi]
rate = "20 Mbit/s"
delay = "10 ms"
loss = 0.01
[[ue]]
name = "phone"
snr = "25 dB"
[[flow]]
name = "call"
kind = "rtp"
direction = "down"
[flow.rtp]
congestion_control = "scream"
video = { frame_rate = 30, max_rate = "5 Mbit/s" }
[[flow]]
name = "voice"
kind = "rtp"
direction = "up"
rtp = { payload = "172 B", interval = "20 ms" }
[output]
pcap = ["server", "ue"]
"#;

fn json(folder: &Path, args: &[&str]) -> Value {
    let program =
        Command::new(env!("CARGO_BIN_EXE_airpath")).current_dir(folder).args(args).output();
    let output = program.expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn loss_frames_and_jitter_are_those_of_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("s.toml"), SCENARIO).expect("a file");
    let summary = json(folder, &["run", "s.toml", "--out", "r", "--json"]);
    let truth = &summary["flows"][0];
    let seen = |point: &str| {
        let capture = format!("r/capture-{point}.pcapng");
        let value = json(folder, &["analyse", &capture, "--json"]);
        let flows = value["flows"].as_array().expect("flows").clone();
        agrees(&folder.join(capture), &flows);
        flows.into_iter().find(|flow| flow["server"] == "198.51.100.1:5001").expect("the call")
    };
    let (server, ue) = (seen("server"), seen("ue"));
    assert_eq!((&ue["protocol"], &ue["application"]), (&"rtp".into(), &"rtp".into()));
    let sent = &server["down"]["rtp"]["streams"][0];
    assert_eq!((&sent["packets"], &sent["lost"]), (&truth["sent_packets"], &0.into()));
    assert_eq!(sent["frames"]["damaged"], 0);
    let got = &ue["down"]["rtp"]["streams"][0];
    assert_eq!(
        (&got["packets"], &got["lost"]),
        (&truth["received_packets"], &truth["lost_packets"])
    );
    assert!(truth["lost_packets"].as_u64().is_some_and(|lost| lost > 10), "{truth:#}");
    assert_eq!((&got["clock_hz"], &got["clock_source"]), (&90_000.into(), &"arrival".into()));
    let media = &truth["media"];
    // The last one is under way.
    let frames = [got, sent].map(|stream| stream["frames"]["count"].as_u64().expect("a count"));
    assert_eq!(frames, [frames[1] - 1, frames[1]]);
    assert_eq!(got["frames"]["damaged"], media["frames_lost"], "{media:#}");
    let feedback = &ue["up"]["rtp"]["rtcp"]["congestion_feedback"];
    assert_eq!(feedback, &truth["feedback_packets"]);
    let number = |value: &Value| value.as_f64().expect("a number");
    let jitter = number(&got["jitter_mean_ms"]) / number(&truth["jitter_ms"]);
    assert!((jitter - 1.0).abs() < 0.01, "{jitter}");
}

/// Compares streams with what tshark says of them, where it is installed. It knows the clocks of
/// static payload types only.
fn agrees(capture: &Path, flows: &[Value]) {
    if !installed("tshark") {
        return;
    }
    let decode = ["-d", "udp.port==5001,rtp", "-d", "udp.port==5002,rtp"];
    let lines = tshark::lines(capture, &[&decode[..], &["-q", "-z", "rtp,streams"]].concat());
    let streams: Vec<Vec<&str>> = lines
        .iter()
        .filter(|line| line.contains(" 0x"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(streams.len(), 2, "{lines:#?}");
    for told in streams {
        // From, port, to, port, source, payload type, packets, lost, share, deltas, jitters.
        let from = format!("{}:{}", told[2], told[3]);
        let flow = flows.iter().find(|flow| flow["client"] == from || flow["server"] == from);
        let flow = flow.expect("a flow");
        let way = if flow["client"] == from { "up" } else { "down" };
        let stream = &flow[way]["rtp"]["streams"][0];
        let counts = [told[8], told[9]].map(|n| n.parse::<u64>().expect("a count"));
        assert_eq!([&stream["packets"], &stream["lost"]], [&counts[0], &counts[1]]);
        if stream["clock_source"] == "payload_type" {
            let jitter = ["jitter_mean_ms", "jitter_max_ms"].map(|key| stream[key].as_f64());
            let rounded = jitter.map(|ms| format!("{:.3}", ms.expect("jitter")));
            assert_eq!(rounded, [told[15], told[16]], "{told:?}");
        }
    }
}
