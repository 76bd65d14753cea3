//! Checks of the UEs.

use crate::file::{RadioKind, Scenario};

use super::Checker;

/// Most UEs of a scenario.
const MOST_UES: u64 = 10_000;

pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let radio = scenario.radio != RadioKind::None;
    if scenario.ue.is_empty() {
        checker.fail("ue", "is missing", "add [[ue]] with a name and an snr or a distance");
    }
    let total: u64 = scenario.ue.iter().map(|group| u64::from(group.count)).sum();
    if total > MOST_UES {
        checker.fail(
            "ue",
            &format!("has {total} UEs"),
            format!("at most {MOST_UES} in all groups"),
        );
        return;
    }
    checker.names("ue", scenario.ue.iter().map(|group| group.name.as_str()));
    for (n, group) in scenario.ue.iter().enumerate() {
        let path = format!("ue.{n}");
        match (&group.snr, &group.distance) {
            (None, None) if radio && scenario.network.is_none() => checker.fail(
                &path,
                "has neither snr nor distance",
                "add snr = \"20 dB\", or distance = \"500 m\"",
            ),
            (Some(_), Some(_)) => {
                let path = format!("{path}.distance");
                checker.fail(&path, "is beside snr", "give one of them");
            }
            (None, Some(distance)) if distance.min > distance.max => {
                let path = format!("{path}.distance.max");
                checker.fail(&path, "is less than min", "min or more");
            }
            _ => {}
        }
        let single = group.count == 1;
        let clashes = |name: &str| {
            let number = name.strip_prefix(&group.name).and_then(|rest| rest.strip_prefix('-'));
            let number = number.and_then(|number| number.parse::<u32>().ok());
            !single && number.is_some_and(|number| number < group.count)
        };
        let clash = scenario.ue.iter().position(|other| other.count == 1 && clashes(&other.name));
        if let Some(other) = clash {
            let is_wrong = format!("is also the name of a UE of group \"{}\"", group.name);
            checker.fail(&format!("ue.{other}.name"), &is_wrong, "choose another name");
        }
    }
}
