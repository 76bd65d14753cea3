//! Which metrics are compared.

use airpath_scenario::nearest;

use super::Side;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// What a person looks at first.
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
    /// What was asked for.
    pub name: String,
    /// What has nearly that name.
    pub nearest: Option<String>,
}

fn help(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(": did you mean `{name}`?")).unwrap_or_default()
}

/// Measures that a person looks at first, of all flows.
const MAIN: [&str; 12] = [
    "goodput_bps",
    "delay_p50_ms",
    "queue_delay_p99_ms",
    "loss_rate",
    "completion_time_mean_ms",
    "frame_delay_p99_ms",
    "frames_late_share",
    "page_p95_ms",
    "request_p95_ms",
    "startup_mean_ms",
    "stalled_share",
    "pdsch_share",
];
/// The same of a flow group.
const OF_GROUP: [&str; 6] = [
    "goodput_bps",
    "queue_delay_p99_ms",
    "frame_delay_p99_ms",
    "page_p95_ms",
    "request_p95_ms",
    "stalled_share",
];
/// The same over users, where there are several.
const OVER_USERS: [&str; 3] =
    ["transmitted_bps.p5", "frame_delay_p99_ms.p95", "page_delay_mean_ms.p95"];
/// More rows than these do not fit a screen.
const SCREEN: usize = 18;

impl Choice {
    /// The names of what is asked for, in the order of the runs.
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

fn main(known: Vec<String>, sides: &[&Side]) -> Vec<String> {
    let wanted = |name: &String| match name.rsplit_once('.') {
        _ if name.starts_with("users.") => {
            OVER_USERS.iter().any(|end| name.ends_with(end)) && several(name, sides)
        }
        Some((_, measure)) => OF_GROUP.contains(&measure),
        None => MAIN.contains(&name.as_str()),
    };
    known
        .into_iter()
        .filter(wanted)
        .filter(|name| tells(name, sides) && !repeats(name, sides))
        .take(SCREEN)
        .collect()
}

/// Whether it is anything but zero in any run.
fn tells(name: &str, sides: &[&Side]) -> bool {
    let mut runs = sides.iter().flat_map(|side| side.runs.values());
    runs.any(|run| run.metrics.get(name).is_some_and(|value| *value != 0.0))
}

/// Whether a flow group has in all runs what all flows have.
fn repeats(name: &str, sides: &[&Side]) -> bool {
    let Some((_, measure)) = name.rsplit_once('.').filter(|_| !name.starts_with("users.")) else {
        return false;
    };
    let mut runs = sides.iter().flat_map(|side| side.runs.values());
    runs.all(|run| run.metrics.get(name) == run.metrics.get(measure))
}

/// Whether any run has several users of this kind.
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
