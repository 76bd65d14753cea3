//! PDU sets of a bearer: defaults, faults, and what the network is built of.

use airpath_base::Duration;
use airpath_base::random::Seed;
use airpath_scenario::world::World;
use airpath_scenario::{RlcMode, Scenario, Timer};

/// A cell of NR with a bearer of these keys.
fn text(cell: &str, bearer: &str) -> String {
    format!(
        "duration = \"1 s\"\n[cell]\n{cell}\n[[ue]]\nname = \"glasses\"\nsnr = \"20 dB\"\n\
         [[bearer]]\nname = \"xr\"\ndefault = true\n{bearer}\n\
         [[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n"
    )
}

fn read(cell: &str, bearer: &str) -> Result<Scenario, String> {
    Scenario::parse("s.toml", &text(cell, bearer), &[]).map_err(|errors| errors.plain())
}

const NR: &str = "technology = \"nr\"\ntti = \"mu1\"";

/// Message on a bearer with these sets.
fn refused(cell: &str, bearer: &str) -> String {
    read(cell, bearer).expect_err("a fault")
}

#[test]
fn the_timer_and_the_mode_follow_from_the_sets() {
    let resolved = |bearer: &str| {
        let scenario = read(NR, bearer).unwrap_or_else(|error| panic!("{error}"));
        let again = Scenario::parse("s.toml", &scenario.to_toml(), &[]).expect("valid");
        assert_eq!(again, scenario);
        World::build(&scenario, Seed(1)).expect("a world");
        let bearer = &scenario.bearer[0];
        (bearer.rlc, bearer.discard_timer)
    };
    // TS 38.331, 6.3.2: of 10, 20, 30 ms, the least that is not below 12 ms.
    let ms = |millis| Some(Timer::After(Duration::from_millis(millis)));
    assert_eq!(
        resolved("pdu_sets = { delay_budget = \"12 ms\", error_rate = 0.01, discard = true }"),
        (Some(RlcMode::Um), ms(20))
    );
    // QCI 9 has AM and no timer; an error rate below 10^-3 keeps it.
    let without = "pdu_sets = { delay_budget = \"12 ms\", error_rate = 0.0001 }";
    assert_eq!(resolved(without), (Some(RlcMode::Am), Some(Timer::Infinity)));
    let given = "discard_timer = \"8 ms\"\npdu_sets = { delay_budget = \"12 ms\", discard = true }";
    assert_eq!(resolved(given).1, ms(8));
}

#[test]
fn faults_name_the_key_and_the_mend() {
    let has = |message: String, words: &[&str]| {
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    let sets = |keys: &str| format!("pdu_sets = {{ {keys} }}");
    let usual = "delay_budget = \"10 ms\"";
    has(refused("", &sets(usual)), &["pdu_sets", "is for a user plane of NR", "user_plane"]);
    has(refused(NR, &sets("discard = true")), &["pdu_sets", "delay_budget"]);
    let short = sets("delay_budget = \"0.4 ms\"");
    has(refused(NR, &short), &["delay_budget", "less than a slot", "500 us or more"]);
    let endless =
        format!("discard_timer = \"infinity\"\n{}", sets(&format!("{usual}, discard = true")));
    has(refused(NR, &endless), &["pdu_sets.discard", "no timer that runs out", "discard_timer"]);
    let alone = sets(&format!("{usual}, by_importance = true"));
    has(refused(NR, &alone), &["pdu_sets.by_importance", "without discard", "discard = true"]);
    let rate = sets(&format!("{usual}, error_rate = 0"));
    has(refused(NR, &rate), &["pdu_sets.error_rate"]);
    // Video without congestion control goes one way; ACKs of TCP go the other.
    let one_way = |direction: &str, keys: &str| {
        let other = "kind = \"rtp\"\nrtp.video = {}\ndirection = ";
        let text = text(NR, &sets(&format!("{usual}, {keys}")));
        let text = text
            .replace("kind = \"tcp\"\ndirection = \"down\"", &format!("{other}\"{direction}\""));
        Scenario::parse("s.toml", &text, &[]).map_err(|errors| errors.plain())
    };
    let (status, order) = ("delay_status = \"5 ms\"", "schedule = \"remaining-time\"");
    let words = ["pdu_sets.delay_status", "no flow of the bearer is uplink", "direction \"up\""];
    has(one_way("down", status).expect_err("a fault"), &words);
    let words = ["pdu_sets.schedule", "no flow of the bearer is downlink", "direction \"down\""];
    has(one_way("up", order).expect_err("a fault"), &words);
    assert!(one_way("up", status).is_ok() && one_way("down", order).is_ok());
    assert!(read(NR, &sets(&format!("{usual}, {status}"))).is_ok());
    let importance = sets(&format!("{usual}, low_importance = 16"));
    has(refused(NR, &importance), &["pdu_sets.low_importance", "1 to 15"]);
}
