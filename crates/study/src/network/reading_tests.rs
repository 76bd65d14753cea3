use super::*;
use crate::network::page::tests::study;

/// The scenarios of an experiment's arms in a reading.
fn scenarios(study: &Study, experiment: &Experiment, reading: Reading) -> Vec<String> {
    let campaign = study.campaign(experiment, reading, false).expect("a campaign");
    let campaign = campaign.expect("a full form");
    campaign.arms.iter().map(|arm| format!("{:?}", arm.scenario)).collect()
}

#[test]
fn each_share_differs_in_its_choice() {
    let study = study();
    let plan = study.plan().expect("a plan");
    let shares: Vec<&Experiment> =
        plan.experiments.iter().filter(|one| one.share.is_some()).collect();
    for choice in &plan.choices {
        let own = |share: &&&Experiment| share.share.as_ref() == Some(&choice.id);
        assert!(shares.iter().any(|share| own(&share)), "{}", choice.id);
    }
    for share in shares {
        // The same files without a choice: the first reading has none, the second all.
        let whole = Experiment { share: None, ..share.clone() };
        for reading in Reading::ALL {
            let [with, without] = [share, &whole].map(|of| scenarios(&study, of, reading));
            assert!(with.iter().zip(&without).any(|(a, b)| a != b), "{} {reading:?}", share.name);
        }
        let [first, second] = Reading::ALL.map(|reading| scenarios(&study, share, reading));
        assert!(plan.choices.len() < 2 || first != second, "{}", share.name);
    }
}

#[test]
fn each_experiment_of_the_second_reading_is_a_campaign() {
    let study = study();
    let plan = study.plan().expect("a plan");
    let second = plan.of_reading(Reading::Second, None).expect("experiments");
    assert!(second.iter().any(|experiment| experiment.name == "main"));
    let fixed = |one: &Experiment| one.part == "fixed-rate" || one.name.contains("fixed");
    for experiment in second {
        let [first, second] = Reading::ALL.map(|reading| scenarios(&study, experiment, reading));
        assert!(first != second || fixed(experiment), "{}", experiment.name);
    }
}

#[test]
fn a_part_without_experiments_of_a_reading_is_an_error_with_those_that_there_are() {
    let plan = study().plan().expect("a plan");
    let error = plan.of_reading(Reading::Second, Some("why")).expect_err("first only");
    let text = error.to_string();
    assert!(text.starts_with("the second reading has no part \"why\"; it has: main, "), "{text}");
    assert!(error.is_bad_input());
    assert!(plan.of_reading(Reading::First, Some("why")).is_ok());
}

#[test]
fn a_fingerprint_heeds_what_a_campaign_is_and_no_comment() {
    let study = study();
    let plan = study.plan().expect("a plan");
    let of = |study: &Study, name: &str, reading| {
        let own = plan.experiments.iter().find(|one| one.name == name).expect("an experiment");
        study.fingerprint(own, reading).expect("a fingerprint")
    };
    let [first, second] = Reading::ALL.map(|reading| of(&study, "main", reading));
    assert!(first != second && first.len() == 16);
    let main = study.text("main.toml").expect("a piece");
    let commented = study.clone().with("main.toml", &format!("# Remark.\n\n{main}  # Another.\n"));
    assert_eq!(of(&commented, "main", Reading::First), first);
    let other = study.clone().with("main.toml", &main.replace("\"1 s\"", "\"2 s\""));
    assert_ne!(of(&other, "main", Reading::First), first);
    assert_eq!(of(&other, "rtt", Reading::First), of(&study, "rtt", Reading::First));
    let other = study.clone().with("frames.txt", "1\n");
    assert_ne!(of(&other, "main", Reading::First), first);
    assert_eq!(without_comment("a = \"#1\" # 2"), "a = \"#1\"");
}
