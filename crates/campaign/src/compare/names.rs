//! Choice of the metrics that are compared.

use std::collections::BTreeSet;

use airpath_scenario::nearest;

use super::Side;

/// Metrics to compare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The metrics that a person reads first.
    #[default]
    Main,
    /// All that there is.
    All,
    /// These.
    Named(Vec<String>),
}

/// There is no such metric in either arm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no metric `{name}` in these runs{}; --all compares all that there are", help(.nearest.as_deref()))]
pub struct Unknown {
    /// The name that was given.
    pub name: String,
    /// A metric with nearly that name.
    pub nearest: Option<String>,
}

fn help(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(": did you mean `{name}`?")).unwrap_or_default()
}

/// Measures that a person looks at first, of all flows and of a flow group: goodput, delay, what is
/// lost or late. Counters of cells stand last.
const MAIN: [&str; 9] = [
    "goodput_bps",
    "completion_time_mean_ms",
    "loss_rate",
    WITHIN,
    "frames_late_share",
    "frozen_share",
    "startup_mean_ms",
    "stalled_share",
    "pdsch_share",
];
/// Share of frames and packets that came within a time. Only one side has it where the other names no time.
const WITHIN: &str = "within_share";
/// Delays that a person meets, the nearest to the person first: of these the first that there is
/// counts, by its median and two percentiles.
const DELAYS: [&str; 4] = ["frame_delay", "page", "request", "delay"];
const PERCENTILES: [&str; 3] = ["p50_ms", "p95_ms", "p99_ms"];
/// Metrics of these that are pooled over all flows although the flows differ in kind.
const POOLED: [&str; 2] = ["goodput_bps", "pdsch_share"];
/// Metrics of a flow group.
const OF_GROUP: [&str; 7] = [
    "goodput_bps",
    "loss_rate",
    WITHIN,
    "frames_late_share",
    "frozen_share",
    "startup_mean_ms",
    "stalled_share",
];
/// Metrics of a flow group over its users, where there are several.
const OVER_USERS: [&str; 3] =
    ["transmitted_bps.p5", "frame_delay_p99_ms.p95", "page_delay_mean_ms.p95"];
/// More rows than these do not fit a screen.
const SCREEN: usize = 18;

impl Choice {
    /// Names of the chosen metrics, in the order of the runs.
    pub(super) fn of(&self, first: &Side, second: &Side) -> Result<Vec<String>, Unknown> {
        let mut known = first.metrics.clone();
        known.extend(second.metrics.iter().filter(|name| !first.metrics.contains(name)).cloned());
        match self {
            Choice::All => Ok(known),
            Choice::Main => Ok(main(known, &[first, second])),
            Choice::Named(names) => {
                names.iter().map(|name| find(name, &known)).collect::<Result<_, _>>()
            }
        }
    }
}

/// Rows of flow groups first where flows differ in kind, else those of all flows.
fn main(known: Vec<String>, sides: &[&Side]) -> Vec<String> {
    let by_group = sides.iter().any(|side| side.kinds_differ());
    let groups: BTreeSet<String> = known.iter().filter_map(|name| group(name)).collect();
    let grouped = !groups.is_empty();
    let wanted = |name: &String| match name.rsplit_once('.') {
        _ if name.starts_with("users.") => {
            OVER_USERS.iter().any(|end| name.ends_with(end)) && several(name, sides)
        }
        Some((group, measure)) => {
            OF_GROUP.contains(&measure) || is_delay(measure, &known, &format!("{group}."))
        }
        None if by_group && grouped => POOLED.contains(&name.as_str()),
        None => MAIN.contains(&name.as_str()) || is_delay(name, &known, ""),
    };
    let mut names: Vec<String> = known
        .iter()
        .filter(|name| wanted(name) && tells(name, sides) && !repeats(name, sides))
        .filter(|name| {
            !name.ends_with(WITHIN) || sides.iter().all(|side| side.metrics.contains(name))
        })
        .cloned()
        .collect();
    // Stable: within each rank the order of the runs stays.
    names.sort_by_key(|name| match (group(name).is_some(), is_counter(name)) {
        (_, true) => 3,
        _ if name.starts_with("users.") => 2,
        (own, _) => u8::from(own != by_group),
    });
    names.truncate(SCREEN);
    names
}

/// The flow group that a metric is of.
fn group(name: &str) -> Option<String> {
    let (group, _) = name.rsplit_once('.').filter(|_| !name.starts_with("users."))?;
    Some(group.to_owned())
}

/// True if a measure is a percentile of the delay that the person meets.
fn is_delay(measure: &str, known: &[String], prefix: &str) -> bool {
    let has = |delay: &&&str| known.iter().any(|name| *name == format!("{prefix}{delay}_p50_ms"));
    let Some(delay) = DELAYS.iter().find(has) else { return false };
    PERCENTILES.iter().any(|end| measure == format!("{delay}_{end}"))
}

/// True if it is of the cell and not of a person.
fn is_counter(name: &str) -> bool {
    name == "pdsch_share"
}

/// True if it is anything but zero in any run.
fn tells(name: &str, sides: &[&Side]) -> bool {
    let mut runs = sides.iter().flat_map(|side| side.runs.values());
    runs.any(|run| run.metrics.get(name).is_some_and(|value| *value != 0.0))
}

/// True if a flow group has the value of all flows in each run.
fn repeats(name: &str, sides: &[&Side]) -> bool {
    let Some((_, measure)) = name.rsplit_once('.').filter(|_| !name.starts_with("users.")) else {
        return false;
    };
    let mut runs = sides.iter().flat_map(|side| side.runs.values());
    runs.all(|run| run.metrics.get(name) == run.metrics.get(measure))
}

/// True if any run has several users of this kind.
fn several(name: &str, sides: &[&Side]) -> bool {
    let kind = name.rsplitn(3, '.').nth(2).unwrap_or_default();
    let count = format!("{kind}.count");
    let mut runs = sides.iter().flat_map(|side| side.runs.values());
    runs.any(|run| run.metrics.get(&count).is_some_and(|users| *users > 1.0))
}

fn find(name: &str, known: &[String]) -> Result<String, Unknown> {
    if known.iter().any(|known| known == name) {
        return Ok(name.to_owned());
    }
    let nearest = nearest(name, known.iter().map(String::as_str));
    Err(Unknown { name: name.to_owned(), nearest: nearest.map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use airpath_results::measures::is_declared;

    use super::*;

    #[test]
    fn quantities_are_declared() {
        let delays =
            DELAYS.iter().flat_map(|delay| PERCENTILES.map(|end| format!("{delay}_{end}")));
        let users = OVER_USERS.iter().map(|name| format!("users.web.down.{name}"));
        let fixed = MAIN.iter().chain(&POOLED).chain(&OF_GROUP).map(|name| (*name).to_owned());
        delays.chain(users).chain(fixed).for_each(|name| assert!(is_declared(&name), "{name}"));
    }
}
