use super::*;

/// CellReplay's lines: 100 ms apart, 20 ms and 30 ms of base delay, the last line as the end.
const TRAINS: &str = "0 20 0 0 5\n100 30 0 2\r\n\n200 20 0\n";

fn wrong(text: &str) -> String {
    Light::parse("cell.light", text).unwrap_err().to_string()
}

#[test]
fn the_delay_goes_from_one_train_to_the_next() {
    let light = Light::parse("cell.light", TRAINS).unwrap();
    let delay = |ms| light.begin(ms).delay;
    assert_eq!([0, 50, 99, 100, 150, 199].map(delay), [20, 25, 29, 30, 25, 21]);
    // The recording begins again after the last line.
    assert_eq!([200, 250, 300, 2_150].map(delay), [20, 25, 30, 25]);
    assert_eq!(light.arrivals(light.begin(120)), [0, 2]);
    assert_eq!(light.arrivals(light.begin(210)), [0, 0, 5]);
}

#[test]
fn a_recording_may_begin_later_and_trains_may_share_a_time() {
    let light = Light::parse("cell.light", "10 20 0\n10 40 0\n20 60 0\n30 0 0\n").unwrap();
    assert_eq!([5, 10, 15, 25].map(|ms| light.begin(ms).delay), [20, 40, 50, 30]);
}

#[test]
fn a_fault_has_file_line_and_mend() {
    assert_eq!(
        wrong("0 20 0\n100 20.5 0\n"),
        "cell.light:2: \"100 20.5 0\" is not a train: its time, its base delay, and the time of each arrival, in \
         whole milliseconds"
    );
    assert!(wrong("0 20 0\n\n-1 20 0\n").starts_with("cell.light:3: \"-1 20 0\" is not a train"));
    assert!(wrong("0,20,0").contains("cell.light:1: \"0,20,0\" is not a train"));
    // mahimahi's format, or the heavy file in the light one's stead.
    assert!(
        wrong("1\n1\n4\n")
            .contains("cell.light:1: \"1\" is a single time, as in a heavy recording")
    );
    assert!(wrong("0 20\n").contains("has no arrival; the first one of a train is 0"));
    assert!(wrong("0 20 0 5 3\n").contains("arrivals that decrease"));
    assert!(wrong("0 20 0\n9 20 0\n8 20 0\n").contains("cell.light:3: 8 ms comes after 9 ms"));
    assert!(
        wrong("0 20 0\n9 20 0\n").contains("has 2 lines; a light recording has 3 trains or more")
    );
    assert!(wrong("0 20 0\n0 20 0\n0 20 0\n").contains("no duration"));
}

#[test]
fn fingerprints_differ_by_any_number() {
    let digest = |text: &str| Light::parse("any", text).unwrap().digest();
    assert_eq!(digest(TRAINS), digest(&format!("\n{TRAINS}")));
    assert_ne!(digest(TRAINS), digest(&TRAINS.replace("0 0 5", "0 0 6")));
    assert_ne!(digest("1 2 0 3\n4 5 0\n6 7 0"), digest("1 2 0\n3 4 5\n6 7 0"));
}
