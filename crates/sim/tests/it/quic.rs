//! Flows of QUIC, from a file to its results.

use std::fs;
use std::path::Path;

use airpath_results::{FlowSummary, RunSummary};
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// A wire of 20 Mbit/s with an RTT of 20 ms.
const WIRE: &str = r#"
duration = "5 s"
radio = "none"
[path.sgi]
rate = "20 Mbit/s"
delay = "10 ms"
queue = "100 packets"
"#;

fn flow(keys: &str) -> String {
    format!("{WIRE}[[flow]]\nname = \"quic\"\nkind = \"quic\"\ndirection = \"down\"\n{keys}")
}

fn made(text: &str, out: Option<&Path>) -> RunSummary {
    let scenario = Scenario::parse("quic.toml", text, &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions { out, ..RunOptions::default() }).expect("a run").summary
}

fn only(text: &str) -> FlowSummary {
    made(text, None).flows.remove(0)
}

#[test]
fn a_download_has_handshake_streams_and_bytes() {
    let flow = only(&flow("size = \"2 MB\"\n[flow.quic]\nstreams = 4\n"));
    let quic = flow.quic.expect("results of QUIC");
    assert_eq!((quic.connections, quic.streams, quic.failed), (1, 4, None));
    assert_eq!(flow.delivered_bytes, 2_000_000);
    // One round trip (RFC 9001, 4): 20 ms, and the bytes of two flights.
    let handshake = quic.handshake_ms.expect("a handshake");
    assert!((20.0..25.0).contains(&handshake), "{handshake}");
    assert!(flow.finish_s.is_some_and(|finish| (0.82..1.3).contains(&finish)));
    assert!(flow.rtt_ms.is_some_and(|rtt| rtt > 20.0));
}

#[test]
fn an_upload_comes_whole() {
    let text = flow("size = \"1 MB\"\n").replace("\"down\"", "\"up\"");
    let flow = only(&text);
    assert_eq!(flow.delivered_bytes, 1_000_000);
    assert_eq!(flow.quic.expect("results of QUIC").streams, 1);
}

#[test]
fn a_window_holds_a_flow_to_its_bytes_in_a_round_trip() {
    let flow = only(&flow("[flow.quic]\nreceive_window = \"20 kB\"\n"));
    let quic = flow.quic.expect("results of QUIC");
    // 20 kB in 20 ms are 8 Mbit/s at most.
    let rate = flow.goodput_bps.expect("a rate");
    assert!((4e6..8e6).contains(&rate), "{rate}");
    if cfg!(not(feature = "quinn-main")) {
        assert!(quic.blocked_frames > 10, "{}", quic.blocked_frames);
    }
    assert_eq!(quic.declared_lost_packets, 0);
}

#[test]
fn requests_are_answered_and_pages_are_whole() {
    let asks =
        "[flow.requests]\nresponse = \"10 kB\"\nobjects = 5\nperiod = \"500 ms\"\ncount = 4\n";
    let flow = only(&flow(asks));
    let requests = flow.requests.expect("requests");
    assert_eq!((requests.asked, requests.answered), (20, 20));
    assert_eq!(flow.delivered_bytes, 200_000);
    // Five responses of 10 kB at a time take 20 ms at this rate, behind a round trip.
    let mean = requests.duration_ms.expect("times").mean;
    assert!((20.0..60.0).contains(&mean), "{mean}");
}

#[test]
fn datagrams_come_at_their_interval() {
    let keys = "stop = \"2 s\"\n[flow.quic.datagrams]\npayload = \"500 B\"\ninterval = \"20 ms\"\n";
    let flow = only(&flow(keys));
    // From the end of the handshake on, 1.98 s.
    assert_eq!(flow.delivered_bytes % 500, 0);
    assert!((97..=100).contains(&(flow.delivered_bytes / 500)), "{}", flow.delivered_bytes);
}

#[test]
fn lost_packets_are_declared_lost_and_sent_again() {
    let text =
        flow("size = \"1 MB\"\n").replace("queue = \"100 packets\"", "loss = { every = 50 }");
    let flow = only(&text);
    assert_eq!(flow.delivered_bytes, 1_000_000);
    let quic = flow.quic.expect("results of QUIC");
    assert!(quic.declared_lost_packets >= 10, "{}", quic.declared_lost_packets);
    assert_eq!(quic.spurious_packets, Some(0));
}

#[test]
fn a_wire_that_loses_all_ends_the_connection() {
    let text = flow("[flow.quic]\nidle_timeout = \"2 s\"\n")
        .replace("queue = \"100 packets\"", "loss = { every = 1 }");
    let quic = only(&text).quic.expect("results of QUIC");
    assert_eq!((quic.connections, quic.handshake_ms), (0, None));
    assert_eq!(quic.failed.as_deref(), Some("no packet for the idle timeout"));
}

#[test]
fn a_flow_that_stops_ends_whenever_that_is() {
    // Before its handshake is complete, and in the middle: what waits is not sent, as the queue takes 60 ms.
    for (direction, stop, most) in
        [("down", 10, 0), ("up", 10, 0), ("down", 500, 650), ("up", 500, 650)]
    {
        let text = flow(&format!("stop = \"{stop} ms\"\n")).replace("down", direction);
        let flow = only(&text);
        let rate = 20e6 / 8e3; // bytes in a millisecond
        assert!(flow.delivered_bytes as f64 <= f64::from(most) * rate, "{}", flow.delivered_bytes);
        assert!(flow.sent_bytes as f64 <= f64::from(most.max(20)) * rate, "{}", flow.sent_bytes);
        let failed = flow.quic.and_then(|quic| quic.failed);
        assert_eq!(failed, None, "{direction} {stop}");
    }
}

#[test]
fn a_pause_holds_all_but_what_is_written_ahead() {
    let change = "[[change]]\nat = \"1 s\"\nset = { \"flow.quic.active\" = false }\n";
    let flow = only(&flow(change));
    // 1 s at 20 Mbit/s, twice a window of 100 packets and 50 kB in the path, and 64 KiB.
    let most = 2_500_000.0 + 2.0 * 200_000.0 + 65_536.0;
    assert!((2e6..most).contains(&(flow.delivered_bytes as f64)), "{}", flow.delivered_bytes);
}

#[test]
fn two_runs_write_the_same_files() {
    let root = tempfile::tempdir().expect("a folder");
    let keys = "[flow.quic]\nconnections = 2\n[output]\npcap = [\"ue\"]\nqlog = \"ue\"\n";
    let text = flow(&format!("size = \"500 kB\"\n{keys}"));
    let files = |name: &str| {
        let folder = root.path().join(name);
        made(&text, Some(&folder));
        let names = ["capture-ue.pcapng", "capture.keys", "flows.parquet", "summary.json"];
        let qlogs =
            ["ue-0", "ue-1", "server-0", "server-1"].map(|end| format!("quic-0-{end}.qlog"));
        let all = names.iter().map(|name| (*name).to_owned()).chain(qlogs);
        all.map(|name| fs::read(folder.join(&name)).expect(&name)).collect::<Vec<_>>()
    };
    let (one, other) = (files("one"), files("other"));
    assert!(one == other);
    // Five secrets of a handshake (draft-ietf-tls-keylogfile, 2) for each of two connections: no exporter's at QUIC.
    let keys = String::from_utf8(one[1].clone()).expect("text");
    let labels = ["CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET"];
    for label in labels.into_iter().chain(["CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"]) {
        let lines = keys.lines().filter(|line| line.split(' ').next() == Some(label));
        assert_eq!(lines.count(), 2, "{label}");
    }
    assert!(one[4..].iter().all(|qlog| qlog.len() > 1_000));
}
