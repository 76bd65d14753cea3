//! RRC of UEs: allowed values, refused ones, and the world that follows.

use airpath_base::Duration;
use airpath_base::random::Seed;
use airpath_base::rrc::{Config, Power, ShortCycle};
use airpath_scenario::world::{RrcFacts, World};
use airpath_scenario::{Scenario, template};

/// The smallest template, with `keys` in its cell and `ue` in its UE.
fn with(keys: &str, ue: &str) -> Result<Scenario, String> {
    let text = template("lte-6rb").expect("a template").text;
    let text = text.replacen("[cell]\n", &format!("[cell]\n{keys}\n"), 1);
    let text = text.replacen("[[ue]]\n", &format!("[[ue]]\n{ue}\n"), 1);
    Scenario::parse("lte-6rb.toml", &text, &[]).map_err(|errors| errors.plain())
}

fn facts(scenario: &Scenario) -> Option<RrcFacts> {
    World::build(scenario, Seed(1)).expect("a world").facts.ues[0].rrc
}

#[test]
fn nothing_said_is_no_rrc() {
    assert!(facts(&with("", "").expect("valid")).is_none());
}

#[test]
fn an_empty_table_is_what_was_measured() {
    let facts = facts(&with("rrc = { drx = {} }", "").expect("valid")).expect("RRC");
    let mut expected = Config::MOBISYS_2012;
    // In the one paging frame of the UE's 128, subframe 9.
    expected.paging.offset = facts.states.paging.offset;
    assert_eq!(facts.states, expected);
    assert_eq!(facts.states.paging.offset % Duration::from_millis(10), Duration::from_millis(9));
    assert!(facts.states.paging.offset < Duration::from_millis(1_280));
    assert_eq!((facts.connected, facts.power), (false, Power::MOBISYS_2012));
}

#[test]
fn the_ue_has_its_own_in_place_of_the_cells() {
    let own = "rrc = { start = \"connected\", release_after = \"infinity\", \
               drx = { short_cycle = \"10 ms\", short_cycles = 3, long_cycle = \"320 ms\", \
               on_duration = \"4 ms\", offset = \"17 ms\" } }";
    let facts = facts(&with("rrc = {}", own).expect("valid")).expect("RRC");
    let drx = facts.states.drx.expect("DRX");
    assert!(facts.connected && facts.states.release_after.is_none());
    assert_eq!(drx.short, Some(ShortCycle { cycle: Duration::from_millis(10).into(), count: 3 }));
    assert_eq!(drx.offset, Duration::from_millis(17));
}

#[test]
fn the_quartiles_of_the_study_have_ends() {
    let scenario = with("rrc = { promotion = \"quartiles\" }", "").expect("valid");
    let promotion = &scenario.to_json()["cell"]["rrc"]["promotion"];
    let shown = ["min", "p25", "p50", "p75", "max"].map(|key| promotion[key].as_str());
    let expected = ["203 ms", "319 ms", "435 ms", "558 ms", "681 ms"];
    assert_eq!(shown, expected.map(Some));
}

/// Fault and its mend.
#[test]
fn what_cannot_be_is_refused() {
    let cases = [
        ("{ release_after = \"0 s\" }", "`cell.rrc.release_after` is zero"),
        ("{ release_after = \"-1 s\" }", "`cell.rrc.release_after` is negative"),
        ("{ promotion = \"0 ms\" }", "`cell.rrc.promotion` is zero"),
        ("{ promotion = \"quartile\" }", "did you mean \"quartiles\"?"),
        (
            "{ promotion = { kind = \"uniform\", min = \"2 s\", max = \"1 s\" } }",
            "is less than min",
        ),
        ("{ promotion = { kind = \"quartiles\", p25 = \"500 ms\" } }", "p50` is less than p25"),
        ("{ paging_cycle = \"1 s\" }", "one of 320 ms, 640 ms, 1.28 s, 2.56 s"),
        ("{ drx = { inactivity = \"0 ms\" } }", "`cell.rrc.drx.inactivity` is zero"),
        ("{ drx = { short_cycle = \"80 ms\" } }", "`cell.rrc.drx.short_cycle` is longer than the"),
        ("{ drx = { long_cycle = \"50 ms\" } }", "is no multiple of the short cycle"),
        (
            "{ drx = { on_duration = \"30 ms\" } }",
            "`cell.rrc.drx.on_duration` is longer than short",
        ),
        ("{ drx = { on_duration = \"0.5 ms\" } }", "is shorter than a tti"),
        ("{ drx = { offset = \"40 ms\" } }", "is beyond the long cycle"),
        ("{ drx = { short_cycles = 17 } }", "1 to 16"),
        ("{ tail = \"10 s\" }", "unknown key `cell.rrc.tail`"),
        ("{ power = { up = \"5 mW\" } }", "nJ/bit"),
    ];
    for (rrc, expected) in cases {
        let errors = with(&format!("rrc = {rrc}"), "").expect_err(rrc);
        assert!(errors.contains(expected), "{rrc}: {errors}");
    }
    let errors = with("", "rrc = { drx = { long_cycle = \"50 ms\" } }").expect_err("no multiple");
    assert!(errors.contains("rrc.drx.long_cycle` is no multiple"), "{errors}");
}

#[test]
fn without_a_radio_there_is_no_rrc() {
    let text = template("wires-dualpi2").expect("a template").text;
    let text = text.replacen("[path.sgi]", "[[ue]]\nname = \"host\"\nrrc = {}\n\n[path.sgi]", 1);
    let errors = Scenario::parse("wires.toml", &text, &[]).expect_err("no radio").plain();
    assert!(errors.contains("rrc` needs a radio"), "{errors}");
}

#[test]
fn a_ues_own_draws_depend_on_nobody_else() {
    let paging = |count: &str| {
        let text = template("idle-phone").expect("a template").text;
        let text = text.replacen("[[ue]]", &format!("[[ue]]\n{count}[[ue]]"), 1);
        let scenario = Scenario::parse("idle.toml", &text, &[]).map_err(|errors| errors.plain());
        let world = World::build(&scenario.expect("valid"), Seed(3)).expect("a world");
        world.facts.ues.last().and_then(|ue| ue.rrc).map(|rrc| rrc.states.paging)
    };
    let more = "name = \"other\"\nsnr = \"9 dB\"\n\n";
    let alone = {
        let scenario = Scenario::parse("idle.toml", template("idle-phone").expect("one").text, &[]);
        let world = World::build(&scenario.expect("valid"), Seed(3)).expect("a world");
        world.facts.ues[0].rrc.map(|rrc| rrc.states.paging)
    };
    assert_eq!(paging(more), alone);
}

/// The smallest template of NR, with this RRC in its cell.
fn with_nr(rrc: &str) -> Result<Scenario, String> {
    let text = template("nr-100mhz-4x4").expect("a template").text;
    let text = text.replacen("[cell]\n", &format!("[cell]\nrrc = {rrc}\n"), 1);
    Scenario::parse("nr.toml", &text, &[]).map_err(|errors| errors.plain())
}

#[test]
fn an_empty_table_of_inactive_has_the_pages_of_idle_and_stays() {
    let scenario = with_nr("{ inactive = {} }").expect("valid");
    let facts = facts(&scenario).expect("RRC");
    let inactive = facts.states.inactive.expect("inactive");
    assert_eq!((inactive.release_after, inactive.paging), (None, facts.states.paging));
    let shown = &scenario.to_json()["cell"]["rrc"]["inactive"];
    let times = ["context", "transport", "release_after", "paging_cycle"];
    let times = times.map(|key| shown[key].as_str());
    assert_eq!(times, ["18 ms", "5 ms", "infinity", "1.28 s"].map(Some));
    // 7.5 ms of random access and its answer, 10 ms of the UE, half a millisecond; up to 10 ms before.
    let resume = ["kind", "min", "max"].map(|key| shown["resume"][key].as_str());
    assert_eq!(resume, ["uniform", "18 ms", "28 ms"].map(Some));
}

#[test]
fn pages_by_the_ran_have_their_own_cycle() {
    let own = "{ inactive = { paging_cycle = \"320 ms\", release_after = \"60 s\" } }";
    let facts = facts(&with_nr(own).expect("valid")).expect("RRC");
    let inactive = facts.states.inactive.expect("inactive");
    assert_eq!(inactive.release_after, Some(Duration::from_secs(60)));
    assert_eq!(inactive.paging.cycle, Duration::from_millis(320).into());
    // The same identity in 32 and in 128 frames (TS 38.304, 7.1): SFN mod T = UE_ID mod T.
    let frame = |pattern: airpath_base::rrc::Pattern| pattern.offset.as_millis() / 10;
    assert_eq!(frame(inactive.paging), frame(facts.states.paging) % 32);
}

/// Fault and its mend.
#[test]
fn what_cannot_be_inactive_is_refused() {
    let cases = [
        ("{ inactive = { resume = \"0 ms\" } }", "`cell.rrc.inactive.resume` is zero"),
        (
            "{ inactive = { resume = { kind = \"uniform\", min = \"20 ms\", max = \"10 ms\" } } }",
            "`cell.rrc.inactive.resume.max` is less than min",
        ),
        ("{ inactive = { paging_cycle = \"2.56 s\" } }", "is longer than that of an idle UE"),
        ("{ inactive = { release_after = \"0 s\" } }", "release_after` is zero"),
        ("{ release_after = \"infinity\", inactive = {} }", "`cell.rrc.inactive` never comes"),
        ("{ inactive = { resum = \"5 ms\" } }", "did you mean `resume`?"),
    ];
    for (rrc, expected) in cases {
        let errors = with_nr(rrc).expect_err(rrc);
        assert!(errors.contains(expected), "{rrc}: {errors}");
    }
    for (cell, ue) in [("rrc = { inactive = {} }", ""), ("", "rrc = { inactive = {} }")] {
        let errors = with(cell, ue).expect_err("LTE");
        assert!(errors.contains("rrc.inactive` is for NR"), "{errors}");
        assert!(errors.contains("set cell.technology = \"nr\""), "{errors}");
        assert!(errors.contains("lte-6rb.toml:"), "a line: {errors}");
    }
}

#[test]
fn a_cycle_may_be_a_fraction_of_milliseconds() {
    let drx = "{ long_cycle = \"50/3 ms\", short_cycle = \"25/3 ms\", on_duration = \"4 ms\", offset = \"5 ms\" }";
    let scenario = with_nr(&format!("{{ drx = {drx} }}")).expect("valid");
    assert_eq!(scenario.to_json()["cell"]["rrc"]["drx"]["long_cycle"].as_str(), Some("50/3 ms"));
    let drx = facts(&scenario).expect("RRC").states.drx.expect("DRX");
    assert_eq!(drx.long_cycle.as_fraction(), Some((50, 3)));
    assert_eq!(drx.offset, Duration::from_millis(5));
}

#[test]
fn fractions_that_cannot_be_are_refused() {
    let cases = [
        ("{ long_cycle = \"50/4 ms\" }", "fractions are those of TS 38.331"),
        ("{ long_cycle = \"50/3 ms\" }", "`cell.rrc.drx.short_cycle` does not go with long_cycle"),
        ("{ long_cycle = \"250/3 ms\", short_cycle = \"250/3 ms\" }", "cannot be 250/3 ms"),
        ("{ long_cycle = \"50/3 ms\", short_cycle = \"40/3 ms\" }", "is no multiple of the short"),
        (
            "{ long_cycle = \"50/3 ms\", short_cycle = \"off\", on_duration = \"16.5 ms\" }",
            "is longer than long_cycle",
        ),
        (
            "{ long_cycle = \"50/3 ms\", short_cycle = \"off\", offset = \"0.5 ms\" }",
            "is no subframe",
        ),
    ];
    for (drx, expected) in cases {
        let errors = with_nr(&format!("{{ drx = {drx} }}")).expect_err(drx);
        assert!(errors.contains(expected), "{drx}: {errors}");
    }
    let rrc = "rrc = { drx = { long_cycle = \"50/3 ms\", short_cycle = \"off\" } }";
    let errors = with(rrc, "").expect_err("LTE");
    assert!(errors.contains("is a fraction, which LTE has not"), "{errors}");
}

#[test]
fn skipping_has_micro_sleep_and_is_for_nr() {
    let facts = facts(&with_nr("{ pdcch_skipping = \"8 ms\" }").expect("valid")).expect("RRC");
    assert_eq!(facts.states.skipping, Some(Duration::from_millis(8)));
    // 45 over 100 of 1288.04 mW.
    assert!((facts.power.skip - 579.618).abs() < 1e-9);
    let errors = with("rrc = { pdcch_skipping = \"8 ms\" }", "").expect_err("LTE");
    assert!(errors.contains("`cell.rrc.pdcch_skipping` is for NR"), "{errors}");
}
