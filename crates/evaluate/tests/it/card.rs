//! Cards: verdicts whose figures are known, and comparisons with an earlier card.

use std::fs;

use airpath_evaluate::{Card, Changed, Controller, Options, Suite, evaluate};
use airpath_stats::Verdict;

/// A link of 10 Mbit/s without losses: a greedy flow of 1448 B in 1500 B has 9.65 Mbit/s of goodput at most.
const SCENARIO: &str = r#"
duration = "6 s"
radio = "none"
[path.sgi]
rate = "10 Mbit/s"
delay = "5 ms"
queue = "100 packets"
[[flow]]
name = "bulk"
kind = "tcp"
direction = "down"
start = { min = "0 s", max = "100 ms" }
"#;

const CASE: &str = r#"
title = "A greedy flow"
source = "none"
family = "transport"
scenario = "link.toml"
subjects = ["bulk"]

[[run]]
name = "main"

[[run]]
name = "half"
set = ['path.sgi.rate="5 Mbit/s"']

[[criterion]]
name = "fills"
sentence = "The sender fills the link."
quantity = "rate@main.bulk[3..6]"
unit = "Mbit/s"
at_least = 9.9
at_most = 10.1
threshold = 0.1

[[criterion]]
name = "halves"
sentence = "Half the rate is half of the rate."
quantity = "rate@half.bulk[3..6] / rate@main.bulk[3..6]"
unit = ""
at_least = 0.49
at_most = 0.51
threshold = 0.01

[[criterion]]
name = "impossible"
sentence = "The sender has more than the link."
quantity = "goodput@main.bulk[3..6]"
unit = "Mbit/s"
at_least = 9.66
threshold = 0.1

[[criterion]]
name = "of BBR"
sentence = "BBR has a state."
quantity = "rtt-min@main.bulk[3..6]"
unit = "ms"
at_most = 100
threshold = 1
bbr_only = true
"#;

fn suite() -> (tempfile::TempDir, Suite) {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("own");
    fs::create_dir(&own).expect("a folder");
    fs::write(own.join("greedy.case.toml"), CASE).expect("written");
    fs::write(own.join("link.toml"), SCENARIO).expect("written");
    let suite = Suite::open(&own).expect("a suite");
    (folder, suite)
}

fn card(controllers: &[Controller<'_>]) -> Card {
    let (_folder, suite) = suite();
    evaluate(&[suite], controllers, Options::default()).expect("a card")
}

fn known(name: &str) -> Controller<'static> {
    Controller::known(name).expect("a controller")
}

#[test]
fn verdicts_follow_from_the_link() {
    let card = card(&[known("cubic"), known("scream"), known("bbr")]);
    let case = &card.cases[0];
    let verdict = |controller: &str, criterion: &str| {
        let own = case
            .judged
            .iter()
            .find(|own| own.controller == controller && own.criterion == criterion);
        own.map(|own| own.verdict)
    };
    assert_eq!(verdict("cubic", "fills"), Some(Verdict::Holds));
    assert_eq!(verdict("cubic", "halves"), Some(Verdict::Holds));
    assert_eq!(verdict("cubic", "impossible"), Some(Verdict::Fails));
    assert_eq!(verdict("cubic", "of BBR"), Some(Verdict::NotComparable));
    assert_eq!(verdict("bbr", "of BBR"), Some(Verdict::Holds));
    assert_eq!(verdict("scream", "fills"), Some(Verdict::NotComparable));
    assert_eq!(case.verdict("cubic"), Some(Verdict::Fails));
    assert_eq!(case.verdict("scream"), Some(Verdict::NotComparable));
    assert!(card.fails() && !card.is_broken());
    let fills = &case.judged[0];
    assert_eq!((fills.values.len(), fills.fulfilled), (5, 5));
}

#[test]
fn the_same_call_gives_the_same_bytes() {
    let once = || card(&[known("cubic"), known("newreno")]).to_json();
    let first = once();
    assert_eq!(first, once());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    assert_eq!(first, pool.install(once));
    assert_eq!(Card::baseline("card.json", &first).expect("a card").to_json(), first);
}

#[test]
fn a_smaller_window_is_worse_than_before() {
    let (_folder, suite) = suite();
    let suites = [suite];
    let make = |_: &str| None;
    let usual = Controller::own("own", &make);
    // 4 kB in each 10 ms are 3.2 Mbit/s.
    let small = usual.clone().with("tcp.receive_buffer", "\"8 kB\"");
    let run = |own: &Controller<'_>| {
        evaluate(&suites, std::slice::from_ref(own), Options::default()).expect("a card")
    };
    let (before, after) = (run(&usual), run(&small));
    let changes = after.against(&before, &suites);
    let fills = changes.iter().find(|own| own.criterion == "fills").expect("a change");
    assert_eq!(fills.changed, Changed::Worse);
    assert!(fills.difference < -3.0 && fills.half < 1.0, "{fills:?}");
    let back = before.against(&after, &suites);
    assert!(back.iter().any(|own| own.criterion == "fills" && own.changed == Changed::Better));
    assert!(before.against(&before, &suites).is_empty());
}

#[test]
fn a_run_that_cannot_be_made_has_a_reason_and_the_others_go_on() {
    let wrong = known("cubic").named("wrong").with("tcp.cubic.beta", "7");
    let card = card(&[wrong, known("cubic")]);
    let of =
        |name: &'static str| card.cases[0].judged.iter().filter(move |own| own.controller == name);
    assert!(of("wrong").all(|own| own.verdict == Verdict::NotMade));
    let reason = of("wrong").next().and_then(|own| own.reason.clone()).expect("a reason");
    assert!(reason.contains("beta"), "{reason}");
    assert!(of("cubic").any(|own| own.verdict == Verdict::Holds));
    assert!(card.is_broken());
}

#[test]
fn a_baseline_of_another_version_is_refused() {
    let text = r#"{"version":"0.0.1","quick":false,"controllers":[],"cases":[]}"#;
    let error = Card::baseline("old.json", text).expect_err("another version").to_string();
    assert!(
        error.contains("old.json") && error.contains("0.0.1") && error.contains("anew"),
        "{error}"
    );
    let error = Card::baseline("no.json", "{}").expect_err("no card").to_string();
    assert!(error.contains("no.json") && error.contains("airpath evaluate --json"), "{error}");
}

#[test]
fn ones_own_controller_is_not_judged_where_an_application_opens_connections() {
    let mut suite = Suite::known("cubic").expect("a suite");
    suite.cases.retain(|case| case.name == "app-limited");
    let make = |_: &str| None;
    let options = Options { quick: true, ..Options::default() };
    let card = evaluate(&[suite], &[Controller::own("own", &make)], options).expect("a card");
    let judged = &card.cases[0].judged;
    assert!(!judged.is_empty());
    for own in judged {
        assert_eq!(own.verdict, Verdict::NotComparable);
        assert!(own.reason.as_deref().is_some_and(|why| why.contains("requests")), "{own:?}");
    }
}
