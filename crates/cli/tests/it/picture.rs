//! `airpath analyse --flow N -o FILE`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{DOWNLOAD, airpath, run, said};

/// A folder with a capture `c.pcapng` of one flow that loses packets.
fn capture() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), DOWNLOAD).expect("a file");
    run(folder.path(), &["run", "s.toml", "--out", "r"], 0);
    let files = fs::read_dir(folder.path().join("r")).expect("results").flatten();
    let mut found = files.map(|entry| entry.path());
    let found = found.find(|path| path.extension().is_some_and(|e| e == "pcapng"));
    fs::copy(found.expect("a capture"), folder.path().join("c.pcapng")).expect("a copy");
    folder
}

/// A capture with a SYN and nothing else: pcap, of IP packets.
fn only_a_syn() -> Vec<u8> {
    let head = [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 65_535, 101].map(u32::to_be_bytes);
    let record = [1_u32, 0, 40, 40].map(u32::to_be_bytes);
    let ip = [0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    let tcp = [0x9c, 0x40, 0, 80, 0, 0, 0, 1, 0, 0, 0, 0, 0x50, 2, 4, 0, 0, 0, 0, 0];
    [head.as_flattened(), record.as_flattened(), &ip, &tcp].concat()
}

fn refused(folder: &Path, args: &[&str]) -> String {
    let output = airpath(folder, &[&["analyse"], args].concat());
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", said(&output));
    said(&output)
}

#[test]
fn a_flow_is_drawn_as_a_picture_and_as_a_page() {
    let folder = capture();
    let told = run(folder.path(), &["analyse", "c.pcapng", "--json"], 0);
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let flow = &told["flows"][0];
    assert_eq!(flow["number"], 1);
    let again = flow["down"]["retransmissions"].as_u64().expect("a count");
    assert!(again > 0, "{flow:#}");
    run(folder.path(), &["analyse", "c.pcapng", "--flow", "1", "-o", "f.svg"], 0);
    run(folder.path(), &["analyse", "c.pcapng", "--flow", "1", "-o", "f.html"], 0);
    let [svg, page] = ["f.svg", "f.html"]
        .map(|name| fs::read_to_string(folder.path().join(name)).expect("a file that was written"));
    let sentence = flow["verdict"]["sentence"].as_str().expect("a verdict");
    let begin = sentence.split(':').next().expect("words");
    for text in [&svg, &page] {
        assert!(text.contains(begin), "{begin}");
        assert!(text.contains(&format!("{again} sent again")), "{again}");
        for series in ["acknowledged", "SACKed ranges", "sent again"] {
            assert!(text.contains(series), "{series}");
        }
        // It is six times as far as the data, which would be a flat line below it.
        assert!(text.contains("edge lies above, at"));
        for panel in ["Round trip from the capture point", "What limited it"] {
            assert!(text.contains(panel), "{panel}");
        }
    }
    // The leading cause is a row of the strip.
    let cause = flow["verdict"]["cause"].as_str().expect("a cause").replace('_', " ");
    assert!(svg.contains(&cause), "{cause}");
}

#[test]
fn what_cannot_be_drawn_is_named() {
    let folder = capture();
    let at = folder.path();
    let drawn =
        |file: &str, number: &str, to: &str| refused(at, &[file, "--flow", number, "-o", to]);
    let none = drawn("c.pcapng", "7", "f.svg");
    assert!(none.contains("--flow 7: there is one flow, number 1"), "{none}");
    let none = drawn("c.pcapng", "0", "f.svg");
    assert!(none.contains("--flow 0"), "{none}");
    let ending = drawn("c.pcapng", "1", "f.pdf");
    assert!(ending.contains(".svg, .png or .html"), "{ending}");
    let input = drawn("-", "1", "f.svg");
    assert!(input.contains("twice") && input.contains("standard input"), "{input}");
    fs::write(at.join("mine.svg"), "<svg/>").expect("a file");
    let mine = drawn("c.pcapng", "1", "mine.svg");
    assert!(mine.contains("not made by airpath"), "{mine}");
    assert!(refused(at, &["c.pcapng", "-o", "f.svg"]).contains("--flow"));
    assert!(refused(at, &["c.pcapng", "--flow", "1"]).contains("-o"));
    fs::write(at.join("syn.pcap"), only_a_syn()).expect("a file");
    let empty = drawn("syn.pcap", "1", "f.svg");
    assert!(empty.contains("flow 1 (tcp) carried no payload"), "{empty}");
    assert!(!at.join("f.svg").exists());
}

#[test]
fn a_flow_is_named_by_an_end_unless_several_have_it() {
    let folder = capture();
    let told = run(folder.path(), &["analyse", "c.pcapng", "--json"], 0);
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let end = told["flows"][0]["server"].as_str().expect("an end");
    run(folder.path(), &["analyse", "c.pcapng", "--flow", end, "-o", "f.svg"], 0);
    assert!(folder.path().join("f.svg").exists());
    let none = refused(folder.path(), &["c.pcapng", "--flow", "203.0.113.9", "-o", "g.svg"]);
    assert!(none.contains("--flow 203.0.113.9: no flow has this end"), "{none}");
    let bad = refused(folder.path(), &["c.pcapng", "--flow", "phone", "-o", "g.svg"]);
    assert!(bad.contains("a flow's number, or an end"), "{bad}");
    // Two flows between two hosts.
    let mut two = only_a_syn();
    let record = two.split_off(24);
    let mut other = record.clone();
    other[16 + 20] = 0x9d;
    fs::write(folder.path().join("two.pcap"), [two, record, other].concat()).expect("a file");
    let several = refused(folder.path(), &["two.pcap", "--flow", "10.0.0.2:80", "-o", "g.svg"]);
    assert!(several.contains("2 flows have this end"), "{several}");
    assert!(several.contains("10.0.0.1:40000 > 10.0.0.2:80, tcp, 40 bytes"), "{several}");
    assert!(several.contains("10.0.0.1:40256 > 10.0.0.2:80, tcp, 40 bytes"), "{several}");
}

#[test]
fn what_is_selected_is_what_is_in_flows() {
    let folder = capture();
    let flows = |args: &[&str]| {
        let told = run(folder.path(), &[&["analyse", "c.pcapng", "--json"], args].concat(), 0);
        let told: Value = serde_json::from_str(&told).expect("JSON");
        told["flows"].as_array().expect("flows").len()
    };
    assert_eq!(flows(&["--select", "tcp and not port 1"]), 1);
    assert_eq!(flows(&["--select", "udp"]), 0);
    assert_eq!(flows(&["--from", "1000"]), 0);
    assert_eq!(flows(&["--to", "0.5"]), 1);
    let bad = refused(folder.path(), &["c.pcapng", "--select", "host 10.0.0.1 or port"]);
    assert!(bad.contains("column 22: expected a port"), "{bad}");
    let bad = refused(folder.path(), &["c.pcapng", "--from", "noon"]);
    assert!(bad.contains("seconds since the first packet"), "{bad}");
}
