//! Controllers and the cases that they are evaluated by.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use airpath_base::{BitRate, Time};
use airpath_evaluate::{Case, CaseCard, Controller, Options, Suite, evaluate};
use airpath_scenario::has_stacks;
use airpath_scenario::world::OwnParts;
use airpath_stats::Verdict;
use airpath_transport::control::{AckSample, CongestionControl, LossEvent, Start};

/// Two flows on a link of 10 Mbit/s with a round trip of 10 ms.
const LINK: &str = r#"
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
[[flow]]
name = "other"
kind = "tcp"
direction = "down"
"#;

const CASE: &str = r#"
title = "Two flows"
source = "none"
family = "transport"
scenario = "link.toml"
subjects = ["bulk"]
seeds = 1
[[criterion]]
name = "fills"
sentence = "Both flows fill the link."
quantity = "sum@main.bulk+other[3..6]"
unit = "Mbit/s"
at_least = 9.9
threshold = 0.1
[[criterion]]
name = "leaves room"
sentence = "The other flow has most of the link."
quantity = "rate@main.other[3..6]"
unit = "Mbit/s"
at_least = 9
threshold = 0.1
"#;

/// A window of one segment.
struct OneSegment(u64);

impl CongestionControl for OneSegment {
    fn on_start(&mut self, start: &Start) {
        self.0 = start.segment.into();
    }

    fn on_ack(&mut self, _: &AckSample) {}

    fn on_loss(&mut self, _: &LossEvent) {}

    fn on_congestion(&mut self, _: &LossEvent) {}

    fn on_recovered(&mut self, _: Time) {}

    fn on_rto(&mut self, _: &LossEvent) {}

    fn on_spurious(&mut self, _: Time) {}

    fn cwnd(&self) -> u64 {
        self.0
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        None
    }
}

fn one_segment() -> Box<dyn CongestionControl> {
    Box::new(OneSegment(0))
}

/// Cards of a case beside files, with one seed.
fn card(case: &str, files: &[(&str, &str)], controllers: &[Controller<'_>]) -> CaseCard {
    card_with(case, files, controllers, Options { quick: true, ..Options::default() })
}

fn card_with(
    case: &str,
    files: &[(&str, &str)],
    controllers: &[Controller<'_>],
    options: Options<'_>,
) -> CaseCard {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    let read = |name: &str| {
        files.get(name).map(|text| (*text).to_owned()).ok_or_else(|| "no such file".to_owned())
    };
    let case = Case::parse("own/case.case.toml", case, &read).expect("a case");
    let suite = Suite { name: "own".to_owned(), cases: vec![case] };
    evaluate(&[suite], controllers, options).expect("a card").cases.remove(0)
}

fn known(name: &str) -> Controller<'static> {
    Controller::known(name).expect("a controller")
}

/// Verdict and reason of each criterion.
fn verdicts(card: &CaseCard) -> Vec<(Verdict, String)> {
    let own = card.judged.iter();
    own.map(|own| (own.verdict, own.reason.clone().unwrap_or_default())).collect()
}

/// True if all are "not comparable" for a reason with these words.
fn are_not_comparable(card: &CaseCard, words: &str) -> bool {
    let all = verdicts(card);
    all.iter().all(|(verdict, why)| *verdict == Verdict::NotComparable && why.contains(words))
}

#[test]
fn ones_own_controller_drives_the_subject_alone() {
    let make = |_: &str| Some(one_segment());
    let runs = |run: &mut dyn FnMut(OwnParts<'_>)| {
        let control = |_: &str, _: &str| Some(one_segment());
        run(OwnParts { controller: Some(&control), ..OwnParts::default() });
        None
    };
    for own in [Controller::own("own", &make), Controller::own_runs("own", &runs)] {
        let card = card(CASE, &[("link.toml", LINK)], &[own]);
        // 1500 B in each round trip of 10 ms or more are 1.2 Mbit/s at most; the other flow has what is left.
        assert_eq!(card.verdict("own"), Some(Verdict::Holds), "{:?}", verdicts(&card));
    }
}

#[test]
fn a_run_with_a_failed_part_is_not_made_and_others_go_on() {
    let runs = |run: &mut dyn FnMut(OwnParts<'_>)| {
        run(OwnParts::default());
        Some("the window is NaN".to_owned())
    };
    let controllers = [Controller::own_runs("own", &runs), known("cubic")];
    let card = card(CASE, &[("link.toml", LINK)], &controllers);
    let all = verdicts(&card);
    assert!(all[..2].iter().all(|(verdict, why)| *verdict == Verdict::NotMade
        && why.contains("the window is NaN")));
    assert_eq!(all[2].0, Verdict::Holds, "{all:?}");
}

#[test]
fn a_run_that_fails_with_one_seed_makes_no_verdict_from_the_others() {
    let count = AtomicUsize::new(0);
    let runs = |run: &mut dyn FnMut(OwnParts<'_>)| {
        run(OwnParts::default());
        (count.fetch_add(1, Ordering::Relaxed) == 2).then(|| "the third run".to_owned())
    };
    let case = CASE.replace("seeds = 1", "seeds = 5");
    let options = Options::default();
    let card =
        card_with(&case, &[("link.toml", LINK)], &[Controller::own_runs("own", &runs)], options);
    let all = verdicts(&card);
    assert!(
        all.iter().all(|(verdict, why)| *verdict == Verdict::NotMade
            && why.contains("with seed")
            && why.contains("the third run")),
        "{all:?}"
    );
}

#[test]
fn cases_are_for_some_controllers_alone() {
    let only = CASE.replace("seeds = 1", "seeds = 1\nonly = [\"bbr\"]");
    let files = [("link.toml", LINK)];
    assert!(are_not_comparable(&card(&only, &files, &[known("cubic")]), "about bbr"));
    let variant = known("bbr").named("mine");
    assert!(verdicts(&card(&only, &files, &[variant]))[0].0 != Verdict::NotComparable);
    let make = |_: &str| Some(one_segment());
    let own = Controller::own("own", &make).variant_of("bbr");
    assert!(verdicts(&card(&only, &files, &[own]))[0].0 != Verdict::NotComparable);
    let wrong = CASE.replace("seeds = 1", "seeds = 1\nonly = [\"brr\"]");
    let read = |_: &str| Ok(LINK.to_owned());
    let fault = Case::parse("a.case.toml", &wrong, &read).expect_err("no such controller");
    assert!(fault.to_string().contains("did you mean bbr?"), "{fault}");
}

#[test]
fn runs_of_criteria_that_a_controller_lacks_are_not_made() {
    let of_bbr =
        "[[run]]\nname = \"main\"\n[[run]]\nname = \"wrong\"\nset = ['path.sgi.rate=\"-1\"']\n";
    let criterion = r#"
[[criterion]]
name = "of BBR"
sentence = "BBR has a state."
quantity = "rate@wrong.bulk[3..6]"
unit = "Mbit/s"
at_least = 1
threshold = 1
bbr_only = true
"#;
    let case = CASE.replacen("[[criterion]]", &format!("{of_bbr}[[criterion]]"), 1) + criterion;
    let files = [("link.toml", LINK)];
    let cubic = verdicts(&card(&case, &files, &[known("cubic")]));
    assert_eq!(cubic[0].0, Verdict::Holds, "{cubic:?}");
    assert!(cubic[2].1.contains("state of BBR"), "{cubic:?}");
    let bbr = verdicts(&card(&case, &files, &[known("bbr")]));
    assert!(bbr.iter().all(|(verdict, _)| *verdict == Verdict::NotMade), "{bbr:?}");
}

#[test]
fn a_scenario_names_files_beside_it() {
    // A packet of 1500 B each millisecond is 12 Mbit/s.
    let link = LINK.replace("rate = \"10 Mbit/s\"", "capacity = \"own.trace\"");
    let files = [("link.toml", link.as_str()), ("own.trace", "1\n")];
    let card = card(CASE, &files, &[known("cubic")]);
    let sum = card.judged[0].mean.expect("a figure");
    assert!((11.9..=12.1).contains(&sum), "{sum}");
}

#[test]
fn options_of_tcp_are_not_silently_left_out_over_quic() {
    let files = |link: &'static str| [("link.toml", link)];
    let table = r#"
duration = "2 s"
radio = "none"
[path.sgi]
rate = "10 Mbit/s"
delay = "5 ms"
[[flow]]
name = "bulk"
kind = "tcp"
direction = "down"
tcp = { rack = true }
[[flow]]
name = "other"
kind = "tcp"
direction = "down"
tcp = { controller = "newreno" }
"#;
    let quinn = known("quinn-cubic");
    let sets = card(CASE, &files(table), std::slice::from_ref(&quinn));
    assert!(are_not_comparable(&sets, "the case sets rack of tcp, which quic has not"));
    let set = "[[run]]\nname = \"main\"\nset = ['flow.bulk.tcp.rack=true']\n[[criterion]]";
    let case = CASE.replacen("[[criterion]]", set, 1);
    assert!(are_not_comparable(
        &card(&case, &files(LINK), std::slice::from_ref(&quinn)),
        "rack of tcp"
    ));
    if has_stacks() {
        let plain = card(CASE, &files(LINK), &[quinn]);
        assert_eq!(plain.judged[0].verdict, Verdict::Holds, "{:?}", verdicts(&plain));
    }
}

#[test]
fn expiries_are_not_counted_where_no_stack_reports_them() {
    let criterion = r#"
[[criterion]]
name = "no expiry"
sentence = "The timer does not expire."
quantity = "expiries@main.bulk[0..6]"
unit = ""
at_most = 0
threshold = 0.5
[[criterion]]
name = "no expiry beside it"
sentence = "The timer of the other flow does not expire."
quantity = "expiries@main.other[0..6]"
unit = ""
at_most = 0
threshold = 0.5
"#;
    let case = format!("{CASE}{criterion}");
    let files = [("link.toml", LINK)];
    let cubic = verdicts(&card(&case, &files, &[known("cubic")]));
    assert!(cubic[2..].iter().all(|(verdict, _)| *verdict == Verdict::Holds), "{cubic:?}");
    if has_stacks() {
        let quinn = verdicts(&card(&case, &files, &[known("quinn-cubic")]));
        assert_eq!(quinn[2].0, Verdict::NotComparable, "{quinn:?}");
        // The flow beside it is one of TCP.
        assert_ne!(quinn[3].0, Verdict::NotComparable, "{quinn:?}");
        assert!(quinn[2].1.contains("which only TCP reports"), "{quinn:?}");
    }
}

/// A call on a link of 2 Mbit/s, and a case about it.
const CALL: [&str; 2] = [
    r#"
duration = "20 s"
radio = "none"
[path.sgi]
rate = "2 Mbit/s"
delay = "20 ms"
[[flow]]
name = "media"
kind = "rtp"
direction = "down"
"#,
    r#"
title = "A call"
source = "none"
family = "media"
scenario = "call.toml"
subjects = ["media"]
video = { min_rate = "150 kbit/s", max_rate = "600 kbit/s" }
[[criterion]]
name = "rises"
sentence = "The video has its largest rate."
quantity = "rate@main.media[15..20]"
unit = "Mbit/s"
at_least = 0.5
at_most = 0.7
threshold = 0.1
"#,
];

#[test]
fn str0m_makes_a_call_of_a_media_case() {
    let files = [("call.toml", CALL[0])];
    let marks = CALL[1].replace("video =", "needs_ecn = true\nvideo =");
    assert!(are_not_comparable(&card(&marks, &files, &[known("str0m")]), "no ECN"));
    let sets = CALL[1].replace(
        "[[criterion]]",
        "[[run]]\nname = \"main\"\nset = ['flow.media.rtp.scream.ecn=\"l4s\"']\n[[criterion]]",
    );
    assert!(are_not_comparable(&card(&sets, &files, &[known("str0m")]), "which webrtc has not"));
    if has_stacks() {
        let made = card(CALL[1], &files, &[known("str0m"), known("gcc")]);
        assert!(
            made.judged.iter().all(|own| own.verdict == Verdict::Holds),
            "{:?}",
            verdicts(&made)
        );
    }
}
