use super::*;

fn plans() -> impl Iterator<Item = (Study, Plan)> {
    let all = crate::STUDIES.iter().filter_map(|kept| kept.study().network());
    all.map(|study| (study.clone(), study.plan().expect("a plan")))
}

/// Value of an arm on an axis.
fn cell(campaign: &Campaign, arm: usize, axis: &str) -> Option<String> {
    let at = campaign.columns.iter().position(|column| column == axis)?;
    campaign.arms[arm].cells.get(at)?.clone()
}

#[test]
fn each_experiment_is_a_campaign_whose_arms_have_load_scheduler_and_variant() {
    for (study, plan) in plans() {
        for (experiment, quick) in plan.experiments.iter().flat_map(|e| [(e, false), (e, true)]) {
            let campaign = study.campaign(experiment, Reading::First, quick).expect("a campaign");
            assert_eq!(campaign.is_some(), !quick || experiment.quick.is_some());
            let Some(campaign) = campaign else { continue };
            for n in 0..campaign.arms.len() {
                let [load, scheduler, variant] =
                    ["load", "scheduler", "variant"].map(|axis| cell(&campaign, n, axis));
                let users: u32 = load.expect("a load").parse().expect("a number");
                let scenario = &campaign.arms[n].scenario;
                let video = scenario.ue.iter().find(|ue| ue.name == "video");
                let count = video.expect("video users").count;
                assert_eq!(count, users, "{}", campaign.arms[n].name);
                assert!(scheduler.is_some() && variant.is_some(), "{}", campaign.arms[n].name);
            }
        }
    }
}

#[test]
fn no_two_experiments_have_an_arm_of_the_same_names_unless_one_adds_runs() {
    for (study, plan) in plans() {
        let mut known = Vec::new();
        for experiment in
            plan.experiments.iter().filter(|e| e.more_from.is_none() && e.share.is_none())
        {
            let campaign = study.campaign(experiment, Reading::First, false).expect("a campaign");
            let campaign = campaign.expect("a full form");
            for n in 0..campaign.arms.len() {
                let names = ["load", "scheduler", "variant"].map(|axis| cell(&campaign, n, axis));
                assert!(!known.contains(&names), "{}: {names:?}", experiment.name);
                known.push(names);
            }
        }
    }
}

#[test]
fn what_is_left_open_is_changed_with_l4s_and_without() {
    for (study, plan) in plans() {
        for experiment in plan.of_part(Some("open")).expect("a part") {
            let campaign = study.campaign(experiment, Reading::First, false).expect("a campaign");
            let campaign = campaign.expect("a full form");
            let mut pairs: Vec<[String; 2]> = Vec::new();
            for n in 0..campaign.arms.len() {
                let variant = cell(&campaign, n, "variant").expect("a variant");
                let (kind, change) = variant.split_once(", ").expect("a change");
                let marks = format!("{:?}", campaign.arms[n].scenario.flow);
                assert_eq!(marks.contains("ecn: L4s"), kind == "L4S", "{variant}");
                pairs.push([cell(&campaign, n, "scheduler").expect("a name"), change.to_owned()]);
            }
            pairs.sort();
            assert!(pairs.chunks(2).all(|pair| matches!(pair, [a, b] if a == b)), "{pairs:?}");
        }
    }
}

#[test]
fn runs_are_added_to_arms_that_there_are_as_they_are_with_other_seeds() {
    for (study, plan) in plans() {
        let campaign =
            |experiment| study.campaign(experiment, Reading::First, false).expect("a campaign");
        let arms = |experiment| {
            let campaign = campaign(experiment).expect("a full form");
            let names = |n| ["load", "scheduler", "variant"].map(|axis| cell(&campaign, n, axis));
            let runs = |n: usize| campaign.most_runs_of(&campaign.arms[n]);
            let arm = |n: usize| (names(n), campaign.arms[n].scenario.clone(), runs(n));
            (0..campaign.arms.len()).map(arm).collect::<Vec<_>>()
        };
        let (adding, own): (Vec<&Experiment>, Vec<_>) =
            plan.experiments.iter().partition(|experiment| experiment.more_from.is_some());
        let known: Vec<_> = own.into_iter().flat_map(arms).collect();
        for (names, mut scenario, _) in adding.into_iter().flat_map(arms) {
            let (_, of, runs) = known.iter().find(|(other, ..)| *other == names).expect("an arm");
            assert!(scenario.seed >= of.seed + runs, "{names:?}: a seed of the arm's own runs");
            scenario.seed = of.seed;
            assert_eq!(format!("{scenario:?}"), format!("{of:?}"), "{names:?}");
        }
    }
}
