use proptest::prelude::*;

use super::*;

fn recording(text: &str) -> Recording {
    Recording::parse("cell.down", text).unwrap()
}

fn wrong(text: &str) -> String {
    Recording::parse("cell.down", text).unwrap_err().to_string()
}

#[test]
fn opportunities_of_a_millisecond_add_up() {
    let recording = recording("1\n1\n4\r\n\n 10 \n");
    assert_eq!(recording.opportunities, [(1, 3_000), (4, 1_500), (10, 1_500)]);
    assert_eq!(recording.duration(), Duration::from_millis(10));
    // 6000 bytes in 10 ms.
    assert_eq!(recording.mean_rate(), BitRate::from_kbps(4_800));
    assert_eq!(recording.digest(), Recording::parse("other", "1\n1\n4\n10").unwrap().digest());
    assert_ne!(recording.digest(), Recording::parse("cell.down", "1\n4\n10").unwrap().digest());
}

#[test]
fn what_is_wrong_is_said_with_name_and_line() {
    assert_eq!(wrong(" \n\n"), "cell.down: has no delivery opportunity");
    assert_eq!(
        wrong("1\n2.5\n"),
        "cell.down:2: \"2.5\" is not a time in whole milliseconds of 0 to 4294967295"
    );
    assert!(wrong("0 21 0 1 2").contains("name both of its files, as capacity = { light = "));
    assert!(
        wrong("{\"RepeatedBwPatternConfig\": 1}")
            .contains("patterns of Rattan in JSON are not read")
    );
    assert!(wrong("# a comment\n1").contains("has no comments: leave the line out"));
    assert!(wrong("0.0,1500").contains("write a line for each 1500 bytes"));
    assert!(wrong("-1").contains("cell.down:1: \"-1\" is not a time"));
    assert!(wrong("4294967296").contains("is not a time"));
    assert_eq!(wrong("5\n\n7\n6\n"), "cell.down:4: 6 ms comes after 7 ms; times must not decrease");
    assert_eq!(
        wrong("0\n0\n"),
        "cell.down:2: the last time is 0 ms, so the recording has no duration"
    );
}

#[test]
fn heavy_opportunities_have_1400_bytes() {
    let recording = Recording::parse_heavy("cell.heavy", "1\n1\n10\n").unwrap();
    assert_eq!(recording.opportunities, [(1, 2_800), (10, 1_400)]);
}

#[test]
fn it_repeats_from_its_last_millisecond_on() {
    let recording = recording("0\n3\n10\n");
    let mut at = recording.after(Time::ZERO);
    let mut times = Vec::new();
    for _ in 0..6 {
        times.push(recording.time(at).as_nanos() / 1_000_000);
        at = recording.next(at);
    }
    // The opportunity at 0 ms has passed already; the second cycle begins at 10 ms.
    assert_eq!(times, [3, 10, 10, 13, 20, 20]);
}

proptest! {
    /// Against walking from the beginning.
    #[test]
    fn any_instant_finds_its_next_opportunity(
        mut times in prop::collection::vec(0u32..50, 1..8), now in 0u64..300_000_000,
    ) {
        times.sort_unstable();
        prop_assume!(times.last() > Some(&0));
        let text: Vec<String> = times.iter().map(u32::to_string).collect();
        let recording = recording(&text.join("\n"));
        let now = Time::from_nanos(now);
        let mut walked = Cursor::default();
        while recording.time(walked) <= now {
            walked = recording.next(walked);
        }
        prop_assert_eq!(recording.after(now), walked);
    }
}
