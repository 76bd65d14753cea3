//! Tests of campaigns.

use super::*;

const FILE: &str = r#"
duration = "1 s"
seed = 5
radio = "none"

[path.sgi]
rate = "10 Mbit/s"
delay = "10 ms"

[output]
low_rate = "1 Mbit/s"
warm_up = "1 ms"

[[flow]]
name = "download"
kind = "tcp"
direction = "down"
size = "greedy"
"#;

fn none(_: &str) -> Result<String, String> {
    Err("none".to_owned())
}

fn read(sweep: &str, vary: &[&str]) -> Result<Campaign, String> {
    let vary: Vec<String> = vary.iter().map(|&text| text.to_owned()).collect();
    let variation = Variation { vary: &vary, ..Variation::default() };
    Campaign::parse("c.toml", &format!("{FILE}{sweep}"), variation, &none)
        .map_err(|errors| errors.plain())
}

fn names(campaign: &Campaign) -> Vec<&str> {
    campaign.arms.iter().map(|arm| arm.name.as_str()).collect()
}

#[test]
fn a_scenario_alone_is_one_arm_of_twenty_runs() {
    let campaign = read("", &[]).expect("valid");
    assert_eq!(names(&campaign), ["as it is"]);
    assert_eq!((campaign.runs.clone(), campaign.arms[0].scenario.seed), (Runs::Fixed(20), 5));
    assert_eq!(campaign.most_runs(), 20);
}

#[test]
fn a_grid_is_all_combinations_the_last_axis_first() {
    let sweep = "[sweep.grid]\n\"path.sgi.rate\" = [\"5 Mbit/s\", \"20 Mbit/s\"]\n\
                 output.warm_up = [\"1 ms\", \"2 ms\"]";
    let campaign = read(sweep, &[]).expect("valid");
    let expected = ["5 Mbit/s, 1 ms", "5 Mbit/s, 2 ms", "20 Mbit/s, 1 ms", "20 Mbit/s, 2 ms"];
    assert_eq!(names(&campaign), expected);
    assert_eq!(campaign.columns, ["path.sgi.rate", "output.warm_up"]);
    let other = read("", &["path.sgi.rate=5 Mbit/s,20 Mbit/s", "output.warm_up=1 ms,2 ms"]);
    let other = other.expect("valid");
    for (a, b) in campaign.arms.iter().zip(&other.arms) {
        assert_eq!((&a.name, &a.scenario), (&b.name, &b.scenario));
    }
    assert_ne!(campaign.arms[0].scenario.digest(), campaign.arms[1].scenario.digest());
}

#[test]
fn keys_that_go_together_are_one_axis() {
    let sweep = "[[sweep.zip]]\n\"path.sgi.delay\" = [\"5 ms\", \"50 ms\"]\n\
                 \"output.warm_up\" = [\"1 ms\", \"2 ms\"]";
    let campaign = read(sweep, &[]).expect("valid");
    assert_eq!(names(&campaign), ["5 ms / 1 ms", "50 ms / 2 ms"]);
    let both = read("", &["path.sgi.delay,output.warm_up=[\"5 ms\", \"1 ms\"],2 ms"]);
    let both = both.expect("valid");
    assert_eq!(names(&both), ["5 ms / 1 ms", "2 ms / 2 ms"]);
}

#[test]
fn arms_have_names_and_keys_of_their_own() {
    let sweep = "[sweep]\nreplications = 3\n[[sweep.arm]]\nname = \"cubic\"\n\
                 \"flow.download.tcp.controller\" = \"cubic\"\n\
                 [[sweep.arm]]\nname = \"far\"\npath.sgi.delay = \"50 ms\"";
    let campaign = read(sweep, &["seed=1,2"]).expect("valid");
    assert_eq!(names(&campaign), ["cubic, 1", "cubic, 2", "far, 1", "far, 2"]);
    let columns = ["name", "flow.download.tcp.controller", "path.sgi.delay", "seed"];
    assert_eq!(campaign.columns, columns);
    let far = [Some("far".to_owned()), None, Some("50 ms".to_owned()), Some("1".to_owned())];
    assert_eq!(campaign.arms[2].cells, far);
    assert_eq!(campaign.runs, Runs::Fixed(3));
}

#[test]
fn arms_of_several_axes_multiply_and_may_run_as_often_as_they_say() {
    let sweep = "[sweep]\nreplications = 3\n\
                 [[sweep.arm]]\naxis = \"load\"\nname = \"low\"\nreplications = 9\nseed = 2\n\
                 [[sweep.arm]]\naxis = \"load\"\nname = \"high\"\nseed = 3\n\
                 [[sweep.arm]]\naxis = \"wire\"\nname = \"far\"\npath.sgi.delay = \"50 ms\"";
    let campaign = read(sweep, &[]).expect("valid");
    assert_eq!(names(&campaign), ["low, far", "high, far"]);
    assert_eq!(campaign.columns, ["load", "seed", "wire", "path.sgi.delay"]);
    let runs: Vec<u64> = campaign.arms.iter().map(|arm| campaign.most_runs_of(arm)).collect();
    assert_eq!((runs, campaign.most_runs()), (vec![9, 3], 12));
}

#[test]
fn values_with_commas_are_quoted() {
    let campaign = read("", &["title=\"a, b\",c,'d'"]).expect("valid");
    assert_eq!(names(&campaign), ["a, b", "c", "d"]);
    assert_eq!(campaign.arms[0].scenario.title.as_deref(), Some("a, b"));
}

#[test]
fn an_argument_takes_the_place_of_the_same_axis() {
    let sweep = "[sweep.grid]\n\"path.sgi.rate\" = [\"5 Mbit/s\", \"20 Mbit/s\"]";
    let campaign = read(sweep, &["path.sgi.rate=7 Mbit/s"]).expect("valid");
    assert_eq!(names(&campaign), ["7 Mbit/s"]);
}

#[test]
fn until_has_a_share() {
    let sweep = "[sweep]\nuntil = { metric = \"goodput_bps\", interval = \"5%\", most = 50 }";
    let campaign = read(sweep, &[]).expect("valid");
    let metric = "goodput_bps".to_owned();
    assert_eq!(campaign.runs, Runs::Until { metric, share: 0.05, least: 10, most: 50 });
}

#[test]
fn the_scenario_itself_does_not_change() {
    let text = format!("{FILE}[sweep]\nreplications = 3");
    let with = Scenario::parse("a", &text, &[]).expect("valid");
    assert_eq!(with, Scenario::parse("b", FILE, &[]).expect("valid"));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let cases: &[(&str, &[&str], &str)] = &[
        ("[sweep.grid]\n\"path.sgi.rat\" = [1]", &[], "c.toml:20: unknown key `path.sgi.rat`"),
        ("", &["path.sgi.rat=1,2"], "--vary:1: unknown key `path.sgi.rat`"),
        (
            "[sweep.grid]\n\"path.sgi.rate\" = []",
            &[],
            "c.toml:20: `sweep.grid.path.sgi.rate` has no values",
        ),
        ("[sweep.grid]\n\"path.sgi.rate\" = 3", &[], "is no list of values"),
        (
            "[sweep.grid]\n\"path.sgi.rate\" = [\"5 Mbit/s\", \"fast\"]",
            &[],
            "c.toml:20: `path.sgi.rate`",
        ),
        ("[sweep]\nreplication = 3", &[], "did you mean `replications`?"),
        ("[sweep]\nreplications = 0", &[], "`sweep.replications` is zero"),
        ("[sweep]\nreplications = 2\nuntil = { metric = \"a\", interval = \"5%\" }", &[], "both"),
        ("[sweep]\nuntil = { metric = \"a\", interval = \"5\" }", &[], "write it as \"5%\""),
        ("[[sweep.zip]]\na = [1]\nb = [1, 2]", &[], "`a` has 1 values and `b` 2"),
        ("", &["path.sgi.rate"], "needs an equals sign"),
        ("", &["path.sgi.rate="], "a value is missing"),
        ("", &["path.sgi.rate=1 Mbit/s,,2 Mbit/s"], "a value is missing"),
        ("", &["path.sgi.rate,=1 Mbit/s"], "a key is empty"),
        ("", &["seed,path.sgi.rate=[1]"], "there are 2 keys, and not as many values here"),
        ("", &["seed=1,2,1"], "\"1\" is there twice"),
        ("[[sweep.arm]]\nseed = 1\n[sweep.grid]\nseed = [2]", &[], "`seed` is varied twice"),
        ("[[sweep.arm]]\nname = 3", &[], "`sweep.arm.0.name` is a number"),
        ("[[sweep.arm]]\nreplications = 0", &[], "`sweep.arm.0.replications` is out of range"),
        (
            "[[sweep.arm]]\naxis = \"a\"\nreplications = 2\n[[sweep.arm]]\naxis = \"b\"\nreplications = 2",
            &[],
            "two axes",
        ),
        ("", &["flow.upload.start=1 s"], "`flow.upload` does not exist"),
    ];
    for (sweep, vary, expected) in cases {
        let error = read(sweep, vary).expect_err(expected);
        assert!(error.contains(expected), "{expected:?} is not in {error:?}");
    }
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_argument_panics(text in "\\PC{0,40}", values in "[a-z0-9,\"'\\[\\]{}= .]{0,30}") {
            let _ = read("", &[&text]);
            let _ = read("", &[&format!("seed={values}")]);
        }
    }
}

#[test]
fn settings_beneath_count_where_a_key_is_and_an_arm_does_not_set_them() {
    let sweep = r#"
[[sweep.arm]]
name = "as the file"
"path.sgi.delay" = "1 ms"
[[sweep.arm]]
name = "another queue"
"path.sgi.queue" = { kind = "codel" }
[[sweep.arm]]
name = "its own"
"path.sgi.queue" = { kind = "codel", target = "7 ms" }
"#;
    let beneath = [
        Beneath { beside: "path.sgi.queue.kind", set: "path.sgi.queue.target=\"9 ms\"" },
        Beneath { beside: "output.low_rate", set: "output.warm_up=2 ms" },
        Beneath { beside: "path.s1", set: "path.s1.rate=1 Mbit/s" },
    ];
    let read = |beneath| {
        let variation = Variation { beneath, ..Variation::default() };
        Campaign::parse("c.toml", &format!("{FILE}{sweep}"), variation, &none)
    };
    let campaign = read(&beneath).expect("valid");
    let paths = |campaign: &Campaign| {
        campaign.arms.iter().map(|arm| format!("{:?}", arm.scenario.path)).collect::<Vec<_>>()
    };
    let (with, without) = (paths(&campaign), paths(&read(&[]).expect("valid")));
    assert_eq!((&with[0], &with[2]), (&without[0], &without[2]));
    assert_ne!(with[1], without[1]);
    assert!(campaign.arms.iter().all(|arm| arm.scenario.output.warm_up.as_nanos() == 2_000_000));
    let fault = read(&[Beneath { beside: "output.low_rate", set: "no" }]).expect_err("no value");
    assert!(fault.plain().contains("a change needs an equals sign"), "{}", fault.plain());
}
