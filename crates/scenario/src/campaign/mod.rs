//! Campaigns: a scenario, what is varied in it, and how often each arm runs.
//!
//! What is varied stands in the file's table `[sweep]`, or in arguments as `--vary`; both are
//! axes. An arm is a combination of one point of each axis, the last axis changing fastest, and
//! is a whole scenario. Seeds are the same for all arms, so that they can be compared in pairs.

mod axis;
mod file;

use std::io::Read;
use std::path::Path;

use airpath_schema::{Decoder, Draft, Field, Json, Node, Value};

use crate::change::settings::Setting;
use crate::error::Errors;
use crate::file::Scenario;
use crate::load::{Files, complete, document};
use crate::source::Sources;
use crate::{set, text};
use axis::{Axis, Point};
use file::Sweep;

/// The key of the table in a scenario file.
pub(crate) const TABLE: &str = "sweep";
/// Runs of each arm by default.
const RUNS: u64 = 20;
/// Arms at most.
const MOST_ARMS: usize = 100_000;

/// A campaign.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Columns that say which arm a run is of: keys that are varied, and `name` where arms have
    /// names.
    pub columns: Vec<String>,
    /// Its arms, at least one.
    pub arms: Vec<Arm>,
    /// Number of runs of each.
    pub runs: Runs,
    /// Warnings about the text: keys with old names.
    pub warnings: Vec<String>,
}

/// An arm of a campaign.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Name: the points of its axes; "as it is" if nothing is varied.
    pub name: String,
    /// Text in each column; none where it leaves the key alone.
    pub cells: Vec<Option<String>>,
    /// Number of its runs, if not that of the campaign.
    pub runs: Option<u64>,
    /// The scenario that it runs; its seed is that of the first run.
    pub scenario: Scenario,
}

/// Number of runs of an arm.
#[derive(Clone, Debug, PartialEq)]
pub enum Runs {
    /// So often.
    Fixed(u64),
    /// Runs until the mean of a metric is known well enough.
    Until {
        /// Name of the metric.
        metric: String,
        /// Half width of its 95% interval, of the mean, 0 to 1.
        share: f64,
        /// So often at least.
        least: u64,
        /// So often at most.
        most: u64,
    },
}

/// Arguments beside the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variation<'a> {
    /// Overrides as [`Scenario::parse`] takes them; they count for all arms.
    pub overrides: &'a [String],
    /// Axes, each `KEY[,KEY]=VALUE,VALUE…`. One whose keys the file varies too replaces the file's.
    pub vary: &'a [String],
    /// Runs of each arm, instead of the file's.
    pub runs: Option<u64>,
    /// Settings beneath those of the arms.
    pub beneath: &'a [Beneath<'a>],
}

/// An override that counts where another key has a value, beneath the settings of arms. An arm that
/// replaces a table without the key of the override has it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beneath<'a> {
    /// The key that must have a value, as `flow.web.web`.
    pub beside: &'a str,
    /// The override, as `KEY=VALUE`.
    pub set: &'a str,
}

impl Campaign {
    /// Reads the file at `path`. Files that it names lie relative to its folder.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or with what is wrong with the first arm that is no scenario.
    pub fn read(path: &Path, variation: Variation<'_>) -> Result<Campaign, Errors> {
        let name = path.display().to_string();
        let text = text::read_scenario(path).map_err(|fault| fault.of_scenario(&name))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Campaign::parse(&name, &text, variation, &|file| {
            text::read(&folder.join(file)).map_err(|fault| fault.why())
        })
    }

    /// Reads all of `from`, which errors call `name`. Files that it names lie relative to
    /// `folder`.
    ///
    /// # Errors
    ///
    /// As [`Campaign::read`].
    pub fn read_from(
        name: &str,
        from: impl Read,
        folder: &Path,
        variation: Variation<'_>,
    ) -> Result<Campaign, Errors> {
        let text = text::read_all(from).map_err(|fault| fault.of_scenario(name))?;
        Campaign::parse(name, &text, variation, &|file| {
            text::read(&folder.join(file)).map_err(|fault| fault.why())
        })
    }

    /// Reads a campaign from text, which errors call `name`, with a way to the files that it
    /// names.
    ///
    /// # Errors
    ///
    /// As [`Campaign::read`].
    pub fn parse(
        name: &str,
        text: &str,
        variation: Variation<'_>,
        files: Files<'_>,
    ) -> Result<Campaign, Errors> {
        let mut sources = Sources::default();
        load(name, text, variation, files, &mut sources)
            .map_err(|drafts| Errors::from_drafts(drafts, &sources))
    }

    /// JSON Schema of the table `[sweep]`.
    pub(crate) fn schema() -> Json {
        let mut schema = <Sweep as Field>::schema();
        schema.set("description", "A campaign over the scenario, for `airpath sweep`.");
        schema
    }

    /// Runs in all, at most.
    pub fn most_runs(&self) -> u64 {
        self.arms.iter().map(|arm| self.most_runs_of(arm)).sum()
    }

    /// Runs of an arm, at most.
    pub fn most_runs_of(&self, arm: &Arm) -> u64 {
        match &self.runs {
            Runs::Fixed(runs) => arm.runs.unwrap_or(*runs),
            Runs::Until { most, .. } => *most,
        }
    }
}

fn load(
    name: &str,
    text: &str,
    variation: Variation<'_>,
    files: Files<'_>,
    sources: &mut Sources,
) -> Result<Campaign, Vec<Draft>> {
    let file = sources.add(name, text);
    let mut root = document(text, file)?;
    let mut drafts = Vec::new();
    for text in variation.overrides {
        drafts.extend(set::over(&mut root, text, sources).err());
    }
    let mut beneath = Vec::new();
    for Beneath { beside, set } in variation.beneath {
        match set::parse(set, sources.add("--set", set)) {
            Ok(setting) => beneath.push((*beside, setting)),
            Err(draft) => drafts.push(draft),
        }
    }
    drafts.extend(lay(&mut root, &beneath, true).err());
    let (sweep, mut warnings) = take(&mut root, &mut drafts);
    let mut given = Vec::new();
    for text in variation.vary {
        match axis::of_argument(text, sources.add("--vary", text)) {
            Ok(axis) => given.push(axis),
            Err(draft) => drafts.push(draft),
        }
    }
    let written = sweep.as_ref().map_or(Vec::new(), |sweep| axis::of_file(sweep, &mut drafts));
    let axes = merge(written, given);
    drafts.extend(conflicts(&axes));
    if !drafts.is_empty() {
        return Err(drafts);
    }
    let runs = runs(variation, sweep.as_ref());
    let columns = axes.iter().flat_map(|axis| axis.columns.iter().cloned()).collect();
    let mut arms = arms((&root, &beneath), &axes, files)?;
    if variation.runs.is_some() {
        arms.iter_mut().for_each(|arm| arm.runs = None);
    }
    warnings.extend(arms.first().into_iter().flat_map(|arm| arm.scenario.warnings.clone()));
    Ok(Campaign { columns, arms, runs, warnings })
}

/// Content of the table `[sweep]` of a file, if there is one.
pub(crate) fn decode(root: &Node, cx: &mut Decoder) -> Option<Sweep> {
    let node = &root.entry(TABLE)?.node;
    let sweep = cx.within(TABLE, |cx| Sweep::decode(node, cx))?;
    if let (Some(_), Some(_), Some(entry)) = (sweep.replications, &sweep.until, node.entry("until"))
    {
        let message = "`sweep` has both `replications` and `until`".to_owned();
        let help = Some("keep one of them".to_owned());
        return cx.report(&entry.key_place, message, "the second", help);
    }
    Some(sweep)
}

/// Takes the table `[sweep]` out of the file, with the warnings about it.
fn take(root: &mut Node, drafts: &mut Vec<Draft>) -> (Option<Sweep>, Vec<String>) {
    let mut cx = Decoder::default();
    let sweep = decode(root, &mut cx);
    let warnings = cx.take_warnings();
    drafts.extend(cx.into_drafts());
    if let Value::Table(entries) = &mut root.value {
        entries.retain(|entry| entry.key != TABLE);
    }
    (sweep, warnings)
}

fn runs(variation: Variation<'_>, sweep: Option<&Sweep>) -> Runs {
    if let Some(runs) = variation.runs {
        return Runs::Fixed(runs);
    }
    match sweep.and_then(|sweep| sweep.until.clone()) {
        Some(until) => Runs::Until {
            metric: until.metric,
            share: until.interval.0,
            least: until.least.min(until.most),
            most: until.most,
        },
        None => Runs::Fixed(sweep.and_then(|sweep| sweep.replications).unwrap_or(RUNS)),
    }
}

/// Axes of the file. Axes of arguments replace those over the same keys, or stand behind.
fn merge(mut written: Vec<Axis>, given: Vec<Axis>) -> Vec<Axis> {
    for axis in given {
        let same = |other: &Axis| other.columns.iter().all(|column| axis.columns.contains(column));
        match written.iter().position(same) {
            Some(at) => written[at] = axis,
            None => written.push(axis),
        }
    }
    written
}

/// Settings that are made twice: a key by two axes, or a point of an axis.
fn conflicts(axes: &[Axis]) -> Vec<Draft> {
    let mut drafts = Vec::new();
    let mut keys: Vec<&str> = Vec::new();
    for axis in axes {
        let twice = axis.columns.iter().find(|column| keys.contains(&column.as_str()));
        if let Some(key) = twice {
            let message = format!("`{key}` is varied twice");
            let help = "vary it on one axis; keys that go together stand in one [[sweep.zip]], \
                        or in one --vary with commas between";
            let place = axis.place.clone();
            drafts.push(Draft { message, label: "again".into(), help: Some(help.into()), place });
        }
        keys.extend(axis.columns.iter().map(String::as_str));
        drafts.extend(repeated(&axis.points));
    }
    let mut counted = axes.iter().filter(|axis| axis.points.iter().any(|p| p.runs.is_some()));
    if let (Some(_), Some(axis)) = (counted.next(), counted.next()) {
        let message = "arms of two axes have `replications`".to_owned();
        let help = Some("say on one axis how often its arms run".to_owned());
        let place = axis.place.clone();
        drafts.push(Draft { message, label: "the second".to_owned(), help, place });
    }
    let arms = axes.iter().try_fold(1_usize, |arms, axis| arms.checked_mul(axis.points.len()));
    if let (false, Some(axis)) = (arms.is_some_and(|arms| arms <= MOST_ARMS), axes.last()) {
        let message = format!("there would be more than {MOST_ARMS} arms");
        let help = Some("vary less, or in several campaigns".to_owned());
        let place = axis.place.clone();
        drafts.push(Draft { message, label: "with this axis".to_owned(), help, place });
    }
    drafts
}

fn repeated(points: &[Point]) -> Option<Draft> {
    let mut known = std::collections::BTreeSet::new();
    let point = points.iter().find(|point| !known.insert(&point.name))?;
    let message = format!("\"{}\" is there twice", point.name);
    let help = Some("each arm needs a name or value of its own".to_owned());
    Some(Draft { message, label: "again".to_owned(), help, place: point.place.clone() })
}

/// A scenario, and settings beneath those of its arms, each with the key that must have a value.
type Base<'b> = (&'b Node, &'b [(&'b str, Setting)]);

/// The scenario of each combination of points.
fn arms(base: Base<'_>, axes: &[Axis], files: Files<'_>) -> Result<Vec<Arm>, Vec<Draft>> {
    let count: usize = axes.iter().map(|axis| axis.points.len()).product();
    let points = |n: usize| {
        let mut rest = n;
        let mut chosen: Vec<&Point> = Vec::new();
        for axis in axes.iter().rev() {
            chosen.push(&axis.points[rest % axis.points.len()]);
            rest /= axis.points.len();
        }
        chosen.reverse();
        chosen
    };
    (0..count).map(|n| arm(base, &points(n), files)).collect()
}

/// Makes settings where the key beside each has a value. Without `over`, a value that is there
/// stays.
fn lay(root: &mut Node, beneath: &[(&str, Setting)], over: bool) -> Result<(), Draft> {
    for (beside, own) in beneath {
        if set::has(root, beside) && (over || !set::has(root, &own.key)) {
            set::put_at(root, &own.key, &own.place, own.node.clone())?;
        }
    }
    Ok(())
}

fn arm((root, beneath): Base<'_>, points: &[&Point], files: Files<'_>) -> Result<Arm, Vec<Draft>> {
    let mut root = root.clone();
    for setting in points.iter().flat_map(|point| &point.settings) {
        set::put_at(&mut root, &setting.path, &setting.place, setting.node.clone())
            .map_err(|draft| vec![draft])?;
    }
    lay(&mut root, beneath, false).map_err(|draft| vec![draft])?;
    let scenario = complete(&root, files)?;
    let name = match points {
        [] => "as it is".to_owned(),
        points => points.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", "),
    };
    let cells = points.iter().flat_map(|point| point.cells.iter().cloned()).collect();
    let runs = points.iter().find_map(|point| point.runs);
    Ok(Arm { name, cells, runs, scenario })
}

#[cfg(test)]
#[path = "campaign_tests.rs"]
mod tests;
