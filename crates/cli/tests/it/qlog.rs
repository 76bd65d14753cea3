//! `airpath analyse --qlog DIR`. Files are loaded by the rules of qvis (quiclog/qvis, `QlogLoader`, `QlogLoaderV2` and the
//! congestion graph).

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{DOWNLOAD, airpath, run, said};

/// Events of a file by name, if qvis takes it without a complaint.
fn load(path: &Path) -> Vec<(String, Value)> {
    let log: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
    // QlogSchema02: Defaults.versionAliases.
    let aliases = ["draft-02", "draft-02-RC1", "qlog-03-WIP", "0.3"];
    assert!(aliases.contains(&log["qlog_version"].as_str().expect("a version")));
    assert_eq!(log["qlog_format"], "JSON");
    let [trace] = &log["traces"].as_array().expect("traces")[..] else { panic!("one trace") };
    assert!(trace.get("error_description").is_none() && trace.get("event_fields").is_none());
    assert_eq!(trace["vantage_point"]["type"], "network");
    assert!(["client", "server"].contains(&trace["vantage_point"]["flow"].as_str().unwrap()));
    let common = &trace["common_fields"];
    assert_eq!(common["time_format"], "relative");
    assert!(common["reference_time"].is_number() && trace.get("configuration").is_none());
    let events = trace["events"].as_array().expect("events");
    assert!(!events.is_empty() && events[0].get("group_id").is_none());
    let mut last = -1.0;
    let mut sent = HashSet::new();
    for event in events {
        let (time, name) = (event["time"].as_f64().unwrap(), event["name"].as_str().unwrap());
        assert!(time >= last, "in the order of time");
        last = time;
        let data = &event["data"];
        assert!(data.get("packet_type").is_none());
        if name == "recovery:metrics_updated" {
            let positive = |name: &str| data[name].as_f64().is_some_and(|value| value > 0.0);
            assert!(positive("latest_rtt") && positive("min_rtt"), "{data}");
            continue;
        }
        let header = &data["header"];
        assert!(header.get("packet_size").is_none() && header.get("payload_length").is_none());
        let kinds = ["initial", "handshake", "0RTT", "1RTT", "retry", "version_negotiation"];
        let kind = header["packet_type"].as_str().expect("a type");
        assert!(kinds.contains(&kind), "{kind}");
        let number = (kind.to_owned(), header["packet_number"].as_u64().expect("a number"));
        match name {
            "recovery:packet_lost" => assert!(sent.contains(&number), "{number:?} was not sent"),
            "transport:packet_sent" | "transport:packet_received" => {
                assert!(data["raw"]["length"].as_u64().is_some_and(|len| len > 0), "{data}");
                sent.insert(number);
            }
            other => panic!("{other}"),
        }
    }
    let named = |event: &Value| (event["name"].as_str().unwrap().into(), event["data"].clone());
    events.iter().map(named).collect()
}

fn count(events: &[(String, Value)], name: &str) -> u64 {
    events.iter().filter(|(other, _)| other == name).count() as u64
}

#[test]
fn a_tcp_flow_is_loaded_by_the_rules_of_qvis() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), DOWNLOAD).expect("a file");
    run(folder.path(), &["run", "s.toml", "--out", "r"], 0);
    let files = fs::read_dir(folder.path().join("r")).expect("results").flatten();
    let mut found = files.map(|entry| entry.path());
    let capture = found.find(|path| path.extension().is_some_and(|e| e == "pcapng"));
    let capture = capture.expect("a capture").display().to_string();
    let found = run(folder.path(), &["analyse", &capture, "--json", "--quiet", "--qlog", "q"], 0);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let flow = &found["flows"][0];
    let events = load(&folder.path().join("q/flow-1.qlog"));
    assert_eq!(count(&events, "transport:packet_sent"), flow["down"]["packets"]);
    assert_eq!(count(&events, "transport:packet_received"), flow["up"]["packets"]);
    let lost = flow["down"]["retransmissions"].as_u64().unwrap();
    assert!(lost > 0);
    assert_eq!(count(&events, "recovery:packet_lost"), lost);
    assert!(count(&events, "recovery:metrics_updated") > 20);
    // Again: airpath's own file is replaced, another one is not.
    run(folder.path(), &["analyse", &capture, "--quiet", "--qlog", "q"], 0);
    fs::write(folder.path().join("q/flow-1.qlog"), "{}").expect("a file");
    let output = airpath(folder.path(), &["analyse", &capture, "--qlog", "q"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("none of airpath's files"), "{}", said(&output));
    let output = airpath(folder.path(), &["analyse", "-", "--qlog", "q"]);
    assert!(said(&output).contains("--qlog reads captures twice"), "{}", said(&output));
}

#[test]
fn a_run_writes_its_flows_by_the_rules_of_qvis() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    // A voice beside the download has no form in qlog.
    let voice = "[[flow]]\nname = \"voice\"\nkind = \"rtp\"\ndirection = \"up\"\n[output]";
    let plain = DOWNLOAD.replace("[output]", voice);
    let captured = plain.replace("pcap = [", "qlog = \"server\"\npcap = [");
    assert!(plain != DOWNLOAD && captured != plain);
    fs::write(path("plain.toml"), plain).expect("a file");
    fs::write(path("s.toml"), captured).expect("a file");
    for (scenario, out) in [("plain.toml", "plain"), ("s.toml", "r"), ("s.toml", "again")] {
        run(folder.path(), &["run", scenario, "--out", out], 0);
    }
    let files = fs::read_dir(path("r")).expect("results").flatten();
    let logs = files.filter(|file| file.path().extension().is_some_and(|e| e == "qlog"));
    assert_eq!(logs.map(|file| file.file_name()).collect::<Vec<_>>(), ["flow-1.qlog"]);
    let events = load(&path("r/flow-1.qlog"));
    assert!(count(&events, "transport:packet_sent") > 20);
    assert!(count(&events, "transport:packet_received") > 20);
    // The same bytes as the analysis of the capture gives, and in each run.
    run(folder.path(), &["analyse", "r/capture-server.pcapng", "--quiet", "--qlog", "q"], 0);
    let read = |name: &str| fs::read(path(name)).expect("a file");
    assert!(read("r/flow-1.qlog") == read("q/flow-1.qlog"));
    assert!(read("r/flow-1.qlog") == read("again/flow-1.qlog"));
    // All else is as without the key; only the scenario names it.
    assert!(!path("plain/flow-1.qlog").exists());
    assert!(read("plain/capture-server.pcapng") == read("r/capture-server.pcapng"));
    assert!(read("plain/metrics.json") == read("r/metrics.json"));
    let scenario = fs::read_to_string(path("plain/scenario.toml")).expect("a file");
    assert!(!scenario.contains("qlog"));
}

#[test]
fn a_run_logs_only_a_point_that_is_captured() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), DOWNLOAD).expect("a file");
    for (point, why) in [("ue", "is not captured"), ("mac", "has transport blocks and no flows")] {
        let set = format!("output.qlog={point:?}");
        let output = airpath(folder.path(), &["check", "s.toml", "--set", &set]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(why), "{}", said(&output));
    }
}

#[test]
fn a_quic_flow_is_loaded_by_the_rules_of_qvis() {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/../analyse/captures/quic.pcap.gz");
    run(folder.path(), &["analyse", capture, "--qlog", "q"], 0);
    let events = load(&folder.path().join("q/flow-1.qlog"));
    // 54 datagrams up and 65 down; more packets, as some are coalesced (captures/README.md).
    assert!(count(&events, "transport:packet_sent") >= 65);
    assert!(count(&events, "transport:packet_received") >= 54);
    assert_eq!(events[0].0, "transport:packet_received");
    assert_eq!(events[0].1["header"]["packet_type"], "initial");
}
