//! Faults of the user's input. The program names each fault, exits with 2, and leaves nothing
//! behind.

use std::fs;

use crate::common::{GOOD, airpath, names};

/// Runs the program where `good.toml`, a file, and a folder of somebody else are, and
/// gives what it says, on one line. Nothing of what is there may change.
fn refused(files: &[(&str, &[u8])], args: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = |name: &str| folder.path().join(name);
    fs::write(inside("good.toml"), GOOD).expect("a file");
    fs::write(inside("file"), "mine").expect("a file");
    fs::create_dir(inside("thesis")).expect("a folder");
    fs::write(inside("thesis/thesis.tex"), "work").expect("a file");
    files.iter().for_each(|(name, bytes)| fs::write(inside(name), bytes).expect("a file"));
    let before = names(folder.path());
    let output = airpath(folder.path(), args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert_eq!(names(folder.path()), before, "{args:?}: {said}");
    assert_eq!(names(&inside("thesis")), ["thesis.tex"], "{args:?}");
    assert_eq!(fs::read(inside("file")).expect("a file"), b"mine", "{args:?}");
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A scenario with one thing replaced; file and line, key, and what would be right.
#[test]
fn a_wrong_value_is_named_with_its_place_and_what_is_allowed() {
    let cases: [(&str, &str, [&str; 3]); 11] = [
        ("rate =", "rat =", ["bad.toml:3", "path.s1.rat", "did you mean `rate`"]),
        ("5 Mbit/s", "5 ms", ["bad.toml:3", "path.s1.rate", "Mbit/s"]),
        ("5 Mbit/s", "0 bit/s", ["bad.toml:3", "path.s1.rate", "more than 0 bit/s"]),
        ("5 Mbit/s", "1e30 Gbit/s", ["bad.toml:3", "path.s1.rate", "Gbit/s"]),
        ("5 Mbit/s", &format!("1{:030} Gbit/s", 0), ["bad.toml:3", "path.s1.rate", "large"]),
        ("rate = \"5 Mbit/s\"", "layer2 = \"-5 B\"", ["bad.toml:3", "path.s1.layer2", "B"]),
        ("200 ms", "0 s", ["bad.toml:1", "duration", "more than 0 s"]),
        ("200 ms", "1000000000000000000 s", ["bad.toml:1", "duration", "large"]),
        ("200 ms", "1e18 s", ["bad.toml:1", "duration", "ms"]),
        ("snr =", "count = 1000000\nsnr =", ["bad.toml:6", "count", "1 to 10000"]),
        ("dscp =", "dscp = 0\ndscp =", ["bad.toml:12", "duplicate key", "TOML"]),
    ];
    for (from, to, expected) in cases {
        let scenario = GOOD.replace(from, to);
        assert_ne!(scenario, GOOD);
        let args = ["run", "bad.toml", "--out", "results"];
        let said = refused(&[("bad.toml", scenario.as_bytes())], &args);
        for part in expected {
            assert!(said.contains(part), "{to}: {part}: {said}");
        }
    }
}

#[test]
fn what_is_no_scenario_is_named() {
    let cases: [(&str, &[u8], [&str; 2]); 5] = [
        ("nowhere.toml", b"", ["nowhere.toml", "no such file"]),
        ("bad.toml", b"\xff\xfe\x00", ["bad.toml", "UTF-8"]),
        ("bad.toml", b"", ["bad.toml:1", "`duration`"]),
        ("bad.toml", b"duration = \"1 s\"\n[[", ["bad.toml:2", "TOML"]),
        ("thesis", b"", ["thesis", "it is a directory"]),
    ];
    for (name, bytes, expected) in cases {
        let files = [(name, bytes)];
        let files = if name == "bad.toml" { &files[..] } else { &[] };
        for command in [&["run", name, "--out", "results"][..], &["check", name]] {
            let said = refused(files, command);
            for part in expected {
                assert!(said.contains(part), "{command:?}: {part}: {said}");
            }
        }
    }
}

#[test]
fn a_bearer_for_nobody_and_a_filter_for_nothing_are_named() {
    let nobody = "[[bearer]]\nname = \"b\"\nue = \"tablet\"\nfilter = [{ dscp = \"EF\" }]\n";
    let nothing = "[[bearer]]\nname = \"b\"\nfilter = [{ protocol = \"tcp\" }]\n";
    for (bearer, key) in [(nobody, "bearer.b.ue"), (nothing, "bearer.b.filter")] {
        let scenario = GOOD.to_owned() + bearer;
        let files = [("bad.toml", scenario.as_bytes())];
        let said = refused(&files, &["run", "bad.toml", "--out", "results"]);
        assert!(said.contains("bad.toml:14") && said.contains(key), "{said}");
    }
}

#[test]
fn wrong_arguments_are_named() {
    let cases: [(&[&str], [&str; 2]); 11] = [
        (&["--set", "path.s2.rate=\"1 Mbit/s\""], ["--set", "path.s2"]),
        (&["--set", "flow.nobody.start=\"1 s\""], ["--set", "\"voice\""]),
        (&["--set", "path.s1.rate"], ["--set", "equals sign"]),
        (&["--set", "path.s1.rate=\"5 ms\""], ["--set", "Mbit/s"]),
        (&["--seed", "abc"], ["--seed", "invalid"]),
        (&["--seed", "99999999999999999999999"], ["--seed", "too large"]),
        (&["--out", ""], ["--out", "value"]),
        (&["--out", "-"], ["--out", "--json"]),
        (&["--out", "file"], ["file", "choose another folder"]),
        (&["--out", "file/results"], ["file", "exists"]),
        (&["--out", "thesis"], ["thesis.tex", "choose another folder"]),
    ];
    for (more, expected) in cases {
        let mut args = vec!["run", "good.toml"];
        args.extend(more);
        if !more.contains(&"--out") {
            args.extend(["--out", "results"]);
        }
        let said = refused(&[], &args);
        for part in expected {
            assert!(said.contains(part), "{more:?}: {part}: {said}");
        }
    }
}

/// The kernel's own folders can be written by nobody, not even by root.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_made_is_named() {
    for out in ["/proc/results", "/proc/results/deeper"] {
        for args in
            [&["run", "good.toml", "--out", out][..], &["reproduce", "rate-delay", "--out", out]]
        {
            let said = refused(&[], args);
            assert!(said.contains("/proc") && said.contains("results"), "{said}");
        }
    }
}

/// Faults of an emulation that the program finds before any call of the operating system.
#[cfg(target_os = "linux")]
#[test]
fn an_emulation_that_cannot_be_is_refused() {
    let cases: [(&[&str], &[&str]); 10] = [
        (&["good.toml"], &["no program", "behind --", "terminal"]),
        (&["good.toml", "--ue", "phon", "--", "true"], &["no UE is called \"phon\"", "\"phone\""]),
        (&["good.toml", "--client", "true", "--client", "true"], &["2 clients for 1", "--ue"]),
        (&["good.toml", "--for", "5", "--", "true"], &["--for", "25 ms"]),
        (&["good.toml", "--for", "0 s", "--", "true"], &["--for", "above 0 s"]),
        (&["good.toml", "--sysctl", "kernel.panic=1", "--", "true"], &["net.ipv4.tcp_ecn=1"]),
        (&["good.toml", "--mtu", "500", "--", "true"], &["--mtu", "1280"]),
        (&["--trace", "missing", "--", "true"], &["--trace", "missing"]),
        (&["--trace", "file", "--", "true"], &["--trace", "file", "file:1"]),
        (&["--cellreplay", ".", "--", "true"], &["no down.light or down-delay-light-pdo"]),
    ];
    for (args, expected) in cases {
        let args = [&["emulate"], args].concat();
        let said = refused(&[], &args);
        expected.iter().for_each(|part| assert!(said.contains(part), "{args:?}: {said}"));
    }
}
