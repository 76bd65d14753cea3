use crate::template;
use crate::{DropTailConfig, Limit, QueueConfig, Scenario, Size};
use airpath_base::{Bytes, Duration};

fn with(overrides: &[&str]) -> Result<Scenario, String> {
    let text = template("lte-6rb").expect("a template").text;
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    Scenario::parse("lte-6rb.toml", text, &overrides).map_err(|errors| errors.plain())
}

#[test]
fn keys_names_and_numbers_lead_to_a_value() {
    let scenario =
        with(&["duration=3 s", "flow.download.start=50 ms", "ue.0.snr=\"10 dB\""]).expect("valid");
    assert_eq!(scenario.duration, Duration::from_secs(3));
    assert_eq!(scenario.flow[0].start.min, Duration::from_millis(50));
    assert_eq!(scenario.ue[0].snr.as_ref().map(|snr| snr.up.0), Some(10.0));
}

#[test]
fn tables_that_are_not_there_are_made() {
    let scenario = with(&["path.s1.up.queue.limit=5 packets", "flow.download.size=1 MB"]);
    let scenario = scenario.expect("valid");
    let five = DropTailConfig { limit: Limit::packets(5) };
    let s1 = scenario.path.s1.as_ref().expect("a link to the cell");
    assert_eq!(s1.up().queue, QueueConfig::DropTail(five));
    assert_eq!(scenario.flow[0].size, Some(Size::Bytes(Bytes(1_000_000))));
}

#[test]
fn later_overrides_win() {
    let scenario = with(&["seed=2", "seed = 3"]).expect("valid");
    assert_eq!(scenario.seed, 3);
}

#[test]
fn values_may_be_whole_tables() {
    let scenario = with(&["ue.0.snr={ down = \"7 dB\", up = \"5 dB\" }"]).expect("valid");
    assert_eq!(scenario.ue[0].snr.as_ref().map(|snr| (snr.down.0, snr.up.0)), Some((7.0, 5.0)));
}

#[test]
fn a_second_key_cannot_be_smuggled_into_a_value() {
    let error = with(&["seed=2\nduration=\"1 s\""]).expect_err("two lines");
    assert!(error.contains("seed"), "{error}");
}

#[test]
fn a_large_integer_is_a_number() {
    // 2^64 - 1, with and without underscores, is a seed, and reads back as one.
    for text in ["seed=18446744073709551615", "seed=18_446_744_073_709_551_615"] {
        let scenario = with(&[text]).expect("valid");
        assert_eq!(scenario.seed, u64::MAX);
        let again = Scenario::parse("again.toml", &scenario.to_toml(), &[]);
        assert_eq!(again.map_err(|errors| errors.plain()), Ok(scenario));
    }
    for (text, expected) in [
        ("seed=18446744073709551616", "is too large"),
        ("seed=-9999999999999999999", "is negative"),
        ("cell.resource_blocks=99999999999999999999", "is too large"),
        ("seed=999999999999999999999999999999999999999999999999", "is too large"),
        ("flow.download.size=99999999999999999999", "has no unit"),
        ("path.sgi.loss=99999999999999999999", "is"),
        ("seed=99999999999999999999x", "is a string"),
    ] {
        let error = with(&[text]).expect_err(text);
        assert!(error.contains(expected), "{text}: {error}");
        assert_eq!(error.contains("string"), expected.contains("string"), "{text}: {error}");
    }
}

#[test]
fn faults_are_named() {
    for (text, expected) in [
        ("duration", "equals sign"),
        ("=1", "empty part"),
        ("a..b=1", "empty part"),
        ("duration=", "no value"),
        ("flow.upload.start=1 s", "`flow.upload` does not exist"),
        ("ue.3.snr=1 dB", "`ue.3` does not exist"),
        ("duration.x=1 s", "`duration.x` does not exist"),
    ] {
        let error = with(&[text]).expect_err(text);
        assert!(error.contains(expected) && error.starts_with("--set:1: "), "{text}: {error}");
    }
}
