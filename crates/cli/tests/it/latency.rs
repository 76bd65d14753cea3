//! `airpath latency` as a user meets it.

use std::process::{Command, Output};

use serde_json::Value;

fn latency(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.env("NO_COLOR", "1").arg("latency").args(args);
    command.output().expect("the program")
}

/// Text that a call prints.
fn printed(args: &[&str]) -> String {
    let output = latency(args);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The words of the line that begins with `start`.
fn words(text: &str, start: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(start));
    line.expect(start).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn one_setting_is_shown_step_by_step_with_both_conventions() {
    let text = printed(&["--tti", "1 ms", "--sr", "1"]);
    assert_eq!(words(&text, "wait for an SR opportunity")[..2], ["0", "0"]);
    assert_eq!(words(&text, "eNB decodes it and makes a grant")[..2], ["3", "3"]);
    assert_eq!(words(&text, "= downlink with 10% errors"), ["4.8", "4.8"]);
    assert_eq!(words(&text, "uplink access"), ["6.5", "7"]);
    assert_eq!(words(&text, "uplink with 10% errors"), ["11.3", "11.8"]);
    let half = printed(&["--tti", "1 ms", "--sr", "1", "--convention", "half-period"]);
    assert_eq!(words(&half, "wait for an SR opportunity")[..2], ["0.5", "0.5"]);
    assert_eq!(words(&half, "= access"), ["7", "7"]);
}

#[test]
fn without_errors_there_is_one_total() {
    let text = printed(&["--bler", "0"]);
    assert!(text.contains("without errors") && !text.contains("with 0%"), "{text}");
}

#[test]
fn several_settings_are_a_line_each() {
    let text = printed(&["--tti", "0.5ms", "--tti", "mu0/2sym", "--sr", "5,1"]);
    assert_eq!(text.lines().count(), 2 + 4, "{text}");
    let shortest = text.lines().last().expect("a line");
    assert!(shortest.starts_with("mu0/2sym sr 1 TTI"), "{shortest}");
    assert_eq!(
        words(&text, "0.5 ms   sr 1 TTI"),
        ["10%", "2.4", "2.4", "3.25", "5.65", "3.5", "5.9"]
    );
}

#[test]
fn each_kind_of_access_takes_its_own_period() {
    let args = ["--access", "sr,configured,instant", "--sr", "10", "--period", "1,20 ms"];
    let text = printed(&args);
    for start in ["sr 10 TTI", "configured 1 TTI", "configured 20 ms", "instant"] {
        assert_eq!(text.matches(start).count(), 1, "{start}: {text}");
    }
}

#[test]
fn json_is_one_object_without_noise() {
    let text = printed(&["--json", "--tti", "0.1ms", "--sr", "1,5", "--harq", "8"]);
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let settings = json["settings"].as_array().expect("an array");
    assert_eq!(settings.len(), 2);
    let uplink = |convention: &str| &settings[0]["totals"][convention]["errors"]["uplink_ms"];
    assert_eq!((uplink("table"), uplink("half-period")), (&1.13.into(), &1.18.into()));
    assert_eq!(settings[1]["uplink"][0]["step"], "wait");
    assert_eq!(settings[1]["uplink"][0]["ttis"], 2.5);
    assert!(text.lines().all(|line| !line.contains("99999") && !line.contains("00000")), "{text}");
}

#[test]
fn a_step_is_set_over_the_published_one() {
    let args = ["--step", "downlink-decoding=3", "--step", "downlink-decoding=0.25ms"];
    let text = printed(&args);
    assert_eq!(words(&text, "UE processing")[..2], ["0.25", "0.25"]);
    assert!(words(&text, "UE processing")[2..].contains(&"given,".to_owned()), "{text}");
}

#[test]
fn bad_values_are_named_with_their_option_and_a_mend() {
    let cases: [(&[&str], [&str; 2]); 10] = [
        (&["--tti", "0"], ["--tti", "0.5 ms"]),
        (&["--tti", "mu5/2sym"], ["--tti", "mu1/2sym"]),
        (&["--sr", "0"], ["--sr", "--access instant"]),
        (&["--sr", "5 m"], ["--sr", "1.5 tti"]),
        (&["--sr", "5", "--access", "instant"], ["--sr", "--access sr"]),
        (&["--period", "5"], ["--period", "--access configured"]),
        (&["--bler", "1.5"], ["--bler", "10%"]),
        (&["--step", "encoding=1"], ["--step", "data-encoding"]),
        (&["--step", "data-encoding"], ["--step", "data-encoding=1.5"]),
        (&["--convention", "both"], ["--convention", "half-period"]),
    ];
    for (args, expected) in cases {
        let output = latency(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(output.stdout.is_empty(), "{args:?}");
        for part in expected {
            assert!(said.contains(part), "{args:?}: {part}: {said}");
        }
    }
}
