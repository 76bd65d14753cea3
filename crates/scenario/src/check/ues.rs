//! Checks of the UEs.

use airpath_ran::phy::category::{FIRST_WITH_256QAM, LAST_CATEGORY};

use crate::arrivals::MOST_UES;
use crate::file::{RadioKind, Scenario};

use super::Checker;

pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let radio = scenario.radio != RadioKind::None;
    if scenario.ue.is_empty() {
        checker.fail("ue", "is missing", "add [[ue]] with a name and an snr or a distance");
    }
    let total = scenario.most_ues();
    if total > MOST_UES {
        let arriving = scenario.ue.iter().position(|group| group.arrivals.is_some());
        let (path, up_to) = match arriving {
            Some(n) => (format!("ue.{n}.arrivals"), "with those of all groups makes up to "),
            None => ("ue".to_owned(), "has "),
        };
        let is_wrong = format!("{up_to}{total} UEs");
        return checker.fail(&path, &is_wrong, format!("at most {MOST_UES} in all groups"));
    }
    checker.names("ue", scenario.ue.iter().map(|group| group.name.as_str()));
    for (n, group) in scenario.ue.iter().enumerate() {
        let path = format!("ue.{n}");
        if let Some(own) = &group.processing {
            for (key, time) in [("up", &own.up), ("down", &own.down), ("modem", &own.modem)] {
                super::cell::check_processing(&format!("ue.{n}.processing.{key}"), time, checker);
            }
        }
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
        if group.arrivals.is_some() && group.count > 1 {
            let allowed = "give one of them: how many arrive is drawn";
            checker.fail(&format!("{path}.arrivals"), "is beside count", allowed);
        }
        check_category(scenario, n, checker);
        let clashes = |name: &str| {
            let number = name.strip_prefix(&group.name).and_then(|rest| rest.strip_prefix('-'));
            let number = number.and_then(|number| number.parse::<u32>().ok());
            let within = |number: u32| u64::from(number) < group.most(scenario.duration);
            group.is_numbered() && number.is_some_and(within)
        };
        let clash =
            scenario.ue.iter().position(|other| !other.is_numbered() && clashes(&other.name));
        if let Some(other) = clash {
            let is_wrong = format!("is also the name of a UE of group \"{}\"", group.name);
            checker.fail(&format!("ue.{other}.name"), &is_wrong, "choose another name");
        }
    }
}

/// A category of LTE that has the modulations of its cells.
fn check_category(scenario: &Scenario, n: usize, checker: &mut Checker<'_>) {
    let (Some(category), Some(cell)) = (scenario.ue[n].category, &scenario.cell) else { return };
    let path = format!("ue.{n}.category");
    if cell.is_nr() {
        let allowed = "leave it out, or set cell.technology = \"lte\"";
        checker.fail(&path, "does not count with NR", allowed);
    } else if cell.first_256qam().is_some() && category < FIRST_WITH_256QAM {
        let is_wrong = format!(
            "is {category}, which has no 256QAM, and cell.link_adaptation.mcs_table asks for it"
        );
        let allowed = format!(
            "{FIRST_WITH_256QAM} to {LAST_CATEGORY} (TS 36.306, tables 4.1-1 and 4.1A-1), leave it \
             out, or set cell.link_adaptation.mcs_table = \"64qam\""
        );
        checker.fail(&path, &is_wrong, allowed);
    }
}
