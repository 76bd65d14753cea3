//! Checks of the scheduler: the classes of traffic that it names, and what its rules need.

use airpath_schema::{listed, nearest, suggest};

use crate::file::{Names, Scenario, Scheduler};

use super::Checker;

pub(super) fn check(scenario: &Scenario, scheduler: &Scheduler, checker: &mut Checker<'_>) {
    let key = |key: &str| format!("cell.scheduler.{key}");
    check_classes(scenario, &key("priority"), scheduler.priority(), checker);
    if let Some((classes, _)) = scheduler.raise() {
        let named = match scheduler {
            Scheduler::DelayBased(_) => key("class"),
            _ => key("raise.class"),
        };
        check_classes(scenario, &named, classes, checker);
    }
    let guaranteed = scenario.bearer.iter().any(|bearer| bearer.guaranteed_bit_rate.is_some());
    if scheduler.minimum_rate() && !guaranteed {
        let allowed = "add guaranteed_bit_rate to a bearer, or leave minimum_rate out";
        checker.fail(&key("minimum_rate"), "is for no bearer", allowed);
    }
}

fn check_classes(scenario: &Scenario, path: &str, names: &Names, checker: &mut Checker<'_>) {
    let classes = scenario.traffic_classes();
    for (n, name) in names.0.iter().enumerate() {
        if names.0[..n].contains(name) {
            checker.fail(path, &format!("has \"{name}\" twice"), "each class once");
        } else if !classes.contains(&name.as_str()) {
            let allowed = match classes.is_empty() {
                true => format!("add traffic_class = \"{name}\" to a bearer"),
                false => format!("classes of bearers: {}", listed(classes.iter().copied())),
            };
            let allowed = suggest(nearest(name, classes.iter().copied()), &allowed);
            let is_wrong = format!("names no class of traffic: \"{name}\"");
            checker.fail(path, &is_wrong, allowed);
        }
    }
}
