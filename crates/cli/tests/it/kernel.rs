//! The kernel's TCP beside the simulated one, for some seconds, where the machine allows it.
#![cfg(target_os = "linux")]

use std::env;
use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::common::{airpath, names, said};
use crate::skipped::skipped;

/// Wires of `rate` Mbit/s and `delay` ms each way, and a flow for each of `controllers`.
fn wires(rate: u32, delay: u32, queue: &str, controllers: &[&str]) -> String {
    let mut text = format!(
        "duration = \"4 s\"\nradio = \"none\"\n[path.sgi]\nrate = \"{rate} Mbit/s\"\n\
         delay = \"{delay} ms\"\nqueue = {queue}\n[path.sgi.up]\nrate = \"unlimited\"\n\
         [[ue]]\nname = \"phone\"\n"
    );
    for controller in controllers {
        text += &format!(
            "[[flow]]\nname = \"{controller}\"\nkind = \"tcp\"\ndirection = \"down\"\n\
             start = {{ min = \"0 s\", max = \"1 s\" }}\ntcp = {{ controller = \"{controller}\" }}\n"
        );
    }
    text
}

/// Comparison as JSON; none where the machine forbids namespaces, and then the test is reported as
/// skipped.
fn compared(scenario: &str, more: &[&str]) -> Option<Value> {
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join("wires.toml"), scenario).expect("it can be written");
    let args = ["emulate", "wires.toml", "--against-simulation", "--json", "--out", "out"];
    let output = airpath(folder.path(), &[&args, more].concat());
    let said = said(&output);
    let forbidden = ["TUN", "namespace", "IPv6", "congestion control"];
    if !output.status.success() && forbidden.iter().any(|word| said.contains(word)) {
        skipped(&said);
        return None;
    }
    assert!(output.status.success(), "{said}");
    let out = folder.path().join("out");
    assert_eq!(names(&out.join("seed-1")), ["kernel", "simulated"]);
    assert!(out.join("seed-1/kernel/summary.json").exists());
    let kept = fs::read_to_string(out.join("comparison.json")).expect("it is kept");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json, serde_json::from_str::<Value>(&kept).expect("JSON"));
    Some(json)
}

/// Means of a measure of the flow with this index: simulated, then the kernel's.
fn means(of: &Value, flow: usize, measure: &str) -> [f64; 2] {
    let rows = of["flows"][flow]["rows"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["measure"] == measure).expect("the measure");
    ["simulated", "kernel"].map(|half| row[half]["mean"].as_f64().expect("a mean"))
}

#[test]
fn the_kernel_s_cubic_and_the_simulated_one_fill_a_link() {
    let scenario = wires(5, 20, "\"40 packets\"", &["cubic"]);
    let Some(compared) = compared(&scenario, &[]) else { return };
    // A fifth of what the link carries is left to a machine that is busy.
    for goodput in means(&compared, 0, "goodput") {
        assert!((3.5..4.9).contains(&goodput), "{goodput} in {compared:#}");
    }
    // The model counted the kernel's packets as those of the flow: 4 s of 5 Mbit/s are some 1500.
    let kernel = &compared["kernel"][0]["flows"][0];
    assert!(kernel["sent_packets"].as_u64().expect("a count") > 700, "{kernel}");
    let [_, queue] = means(&compared, 0, "of this in queues");
    // 40 packets of 1500 bytes at 5 Mbit/s.
    assert!((1.0..96.0).contains(&queue), "{queue}");
    let [_, rtt] = means(&compared, 0, "RTT");
    assert!((40.0..250.0).contains(&rtt), "{rtt}");
}

#[test]
fn what_the_kernel_cannot_carry_is_refused() {
    let folder = tempdir().expect("a folder");
    let scenario = wires(5, 20, "\"40 packets\"", &["prague"]);
    fs::write(folder.path().join("wires.toml"), scenario).expect("it can be written");
    let output = airpath(folder.path(), &["emulate", "wires.toml", "--against-simulation"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("the kernel has no TCP Prague"), "{}", said(&output));
}

/// Limits for the means of ten runs: goodput within 5%, time in queues within 15%. The rate of
/// retransmissions has to hold within a factor of 2, shares within 10 points.
fn near(of: &Value, name: &str) {
    for flow in of["flows"].as_array().expect("flows") {
        for row in flow["rows"].as_array().expect("rows") {
            let what = format!("{name}, {}, {}", flow["name"], row["measure"]);
            let simulated = &row["simulated"]["mean"];
            eprintln!("{what}: {simulated} {} {}", row["kernel"]["mean"], row["verdict"]);
            // Beside others, a flow is judged by its share.
            let alone = of["flows"].as_array().expect("flows").len() == 1;
            let judged = alone || row["measure"] == "share of the goodput";
            assert!(!judged || row["verdict"] != "differs", "{what}: {row}");
        }
    }
}

/// The whole grid takes 2 hours of real time, on a machine that does nothing else.
#[test]
fn the_kernel_judges_the_simulated_tcp() {
    if env::var_os("AIRPATH_TEST_LONG").is_none() {
        return;
    }
    let ten = ["--runs", "10", "--for", "20 s"];
    for controller in ["cubic", "newreno"] {
        for (rate, delay) in [(5, 10), (5, 30), (20, 10), (20, 30), (50, 10), (50, 30)] {
            // One and a half products of rate and round trip, at least 20 packets.
            let packets = (rate * 2 * delay * 1000 * 3 / 2 / 12_000).max(20);
            for queue in [format!("\"{packets} packets\""), "{ kind = \"pie\" }".to_owned()] {
                let name = format!("{controller}, {rate} Mbit/s, {delay} ms, {queue}");
                let scenario = wires(rate, delay, &queue, &[controller]);
                let Some(compared) = compared(&scenario, &ten) else { return };
                near(&compared, &name);
            }
        }
    }
    let cell = fs::read_to_string("../../scenarios/lte-6rb.toml").expect("a template");
    for controller in ["cubic", "newreno"] {
        let set = format!("flow.download.tcp.controller={controller}");
        // With a round trip of 3 s a hole keeps data from the application for long. At 20 s there
        // is one, at 40 s there is none.
        let options = ["--runs", "10", "--for", "40 s", "--set", &set];
        let Some(compared) = compared(&cell, &options) else { return };
        near(&compared, &format!("{controller}, LTE"));
    }
    for other in ["newreno", "bbr1"] {
        for products in [1, 4] {
            // 5 Mbit/s and a round trip of 40 ms are 16 packets.
            let queue = format!("\"{} packets\"", 17 * products);
            let scenario = wires(5, 20, &queue, &["cubic", other]);
            let ten = ["--runs", "10", "--for", "60 s"];
            let Some(compared) = compared(&scenario, &ten) else { return };
            near(&compared, &format!("cubic beside {other}, {products} products"));
        }
    }
}
