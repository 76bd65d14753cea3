//! Classes of traffic and schedulers in the file: allowed values, their meaning, and the messages
//! about faults.

use crate::templates::document;
use airpath_base::random::Seed;
use airpath_scenario::{Errors, Scenario, world::World};

/// Two UEs with video and web, and what is behind the bearers' names.
fn with(video: &str, web: &str, cell: &str) -> Result<Scenario, Errors> {
    let text = format!(
        "duration = \"1 s\"\n[cell]\n{cell}\n\
         [[ue]]\nname = \"ue\"\ncount = 2\nsnr = \"20 dB\"\n\
         [[bearer]]\nname = \"web\"\ndefault = true\n{web}\n\
         [[bearer]]\nname = \"video\"\n{video}\n\
         [[bearer.filter]]\nprotocol = \"udp\"\n\
         [[flow]]\nname = \"page\"\nkind = \"tcp\"\ndirection = \"down\"\n\
         [[flow]]\nname = \"film\"\nkind = \"rtp\"\ndirection = \"down\"\n"
    );
    Scenario::parse("s.toml", &text, &[])
}

fn wrong(video: &str, web: &str, cell: &str) -> String {
    with(video, web, cell).expect_err("a mistake").plain()
}

const VIDEO: &str = "traffic_class = \"video\"";

#[test]
fn bearers_have_classes_of_traffic() {
    let scenario = with(VIDEO, "", "").expect("a scenario");
    assert_eq!(scenario.traffic_classes(), ["video"]);
    let world = World::build(&scenario, Seed(1)).expect("a world");
    let classes = world.facts.bearers.iter().map(|bearer| bearer.traffic_class.as_deref());
    assert_eq!(classes.collect::<Vec<_>>(), [None, Some("video"), None, Some("video")]);
}

#[test]
fn each_kind_may_be_a_word_or_a_table_and_reads_back_as_itself() {
    for kind in ["proportional-fair", "round-robin", "delay-based"] {
        let [word, table] = [format!("\"{kind}\""), format!("{{ kind = \"{kind}\" }}")]
            .map(|value| with("", "", &format!("scheduler = {value}")).expect("a scenario"));
        assert_eq!(word, table);
        let json = word.to_json().to_string();
        assert!(json.contains(&format!("\"scheduler\":\"{kind}\"")), "{json}");
        World::build(&word, Seed(1)).expect("a world");
    }
    let usual = with("", "", "").expect("a scenario");
    assert_eq!(usual, with("", "", "scheduler = \"proportional-fair\"").expect("a scenario"));
    let set = ["cell.scheduler=round-robin".to_owned()];
    let text = "duration = \"1 s\"\n[[ue]]\nname = \"ue\"\nsnr = \"9 dB\"\n\
                [[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n";
    let overridden = Scenario::parse("s.toml", text, &set).expect("a scenario");
    let scheduler = overridden.cell.expect("a cell").scheduler;
    assert_eq!(scheduler.word(), "round-robin");
}

#[test]
fn rules_go_together() {
    let rules = "priority = [\"video\"], starvation = \"100 ms\", minimum_rate = true";
    let raise = "raise = { class = \"video\", beyond = \"7 ms\" }";
    let video = "traffic_class = \"video\"\nqci = 3\nguaranteed_bit_rate = \"2 Mbit/s\"";
    for scheduler in [
        format!("{{ kind = \"round-robin\", ues_per_slot = 1, {rules}, {raise} }}"),
        format!("{{ kind = \"proportional-fair\", {rules}, {raise} }}"),
        format!("{{ kind = \"delay-based\", class = \"video\", others = \"by-age\", {rules} }}"),
    ] {
        let scenario = with(video, "", &format!("scheduler = {scheduler}")).expect("a scenario");
        let written = document(&scenario.to_json());
        let again = Scenario::parse("s.toml", &written, &[]).expect("a scenario");
        assert_eq!(again, scenario);
        World::build(&scenario, Seed(1)).expect("a world");
    }
}

#[test]
fn mistakes_point_at_their_line_and_say_what_is_allowed() {
    let scheduler = |text: &str| wrong(VIDEO, "", &format!("scheduler = {text}"));
    let rules = |rules: &str| scheduler(&format!("{{ kind = \"round-robin\", {rules} }}"));
    insta::assert_snapshot!(
        [
            wrong("traffic_class = \"a/b\"", "", ""),
            scheduler("\"round-robbin\""),
            scheduler("5"),
            scheduler("{ kind = \"max-rate\" }"),
            scheduler("{ kind = \"delay-based\", class = \"vidio\" }"),
            scheduler("{ kind = \"delay-based\", raise = { } }"),
            scheduler("{ kind = \"delay-based\", threshold = \"2 min\" }"),
            rules("priority = [\"voice\"]"),
            rules("priority = [\"video\", \"video\"]"),
            rules("starvation = \"0 s\""),
            rules("minimum_rate = true"),
            rules("raise = { class = \"films\" }"),
            rules("raise = { beyond = \"5 min\" }"),
            rules("ues_per_slot = 0"),
            wrong("", "", "scheduler = { priority = \"video\" }"),
        ]
        .join("\n")
    );
}

#[test]
fn classes_have_a_limit() {
    let bearers = (0..32).map(|n| {
        format!(
            "[[bearer]]\nname = \"b{n}\"\ntraffic_class = \"c{n}\"\n\
             [[bearer.filter]]\nremote_port = {}\nmay_be_unused = true\n",
            n + 1
        )
    });
    let text = "duration = \"1 s\"\n[[ue]]\nname = \"ue\"\nsnr = \"9 dB\"\n\
                [[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n";
    let text = format!("{text}{}", bearers.collect::<String>());
    let errors = Scenario::parse("s.toml", &text, &[]).expect_err("too many").plain();
    assert!(errors.contains("`bearer.b31.traffic_class` is class 32 of traffic"), "{errors}");
}
