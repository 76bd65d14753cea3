//! Identity of the campaign in a folder: contents of `summary.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use airpath_results::{Named, VERSION};
use airpath_scenario::{Campaign, Runs};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::digest;
use crate::{BUILD, SweepError};

/// `summary.json` of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CampaignSummary {
    /// The mark by which a folder is known as airpath's own.
    pub format: String,
    /// Version of the program.
    pub version: String,
    /// Its build: results of another are not mixed with these.
    pub build: String,
    /// True if all runs are there.
    pub complete: bool,
    /// Number of runs of each arm, as the campaign gives it.
    pub campaign: RunsAsked,
    /// Columns that say which arm a run is of.
    pub columns: Vec<String>,
    /// The arms in order.
    pub arms: Vec<ArmIdentity>,
    /// Metrics that any run has, in order.
    pub metrics: Named<MetricDoc>,
    /// Runs that failed.
    pub failures: Vec<Failure>,
}

/// Number of runs of each arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunsAsked {
    /// So often.
    Replications(u64),
    /// Adds runs until a metric is known well enough.
    Until {
        /// The metric.
        metric: String,
        /// Half width of its 95% interval, of the mean.
        interval: f64,
        /// So often at least.
        least: u64,
        /// So often at most.
        most: u64,
    },
}

/// An arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmIdentity {
    /// Its name.
    pub name: String,
    /// Its value in each column.
    pub cells: Vec<Option<String>>,
    /// File of its scenario with all defaults, in the campaign's folder.
    pub scenario: String,
    /// Fingerprint of the scenario, without its seed.
    pub digest: String,
    /// Seeds of its runs that are there, in order.
    pub seeds: Vec<u64>,
}

/// Facts of a metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricDoc {
    /// Unit; empty for counts, "1" for shares.
    pub unit: String,
    /// Meaning.
    pub meaning: String,
    /// True if more is better; null if that depends.
    pub more_is_better: Option<bool>,
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Its arm.
    pub arm: String,
    /// Its seed.
    pub seed: u64,
    /// Reason.
    pub why: String,
}

impl From<&Runs> for RunsAsked {
    fn from(runs: &Runs) -> RunsAsked {
        match runs {
            Runs::Fixed(runs) => RunsAsked::Replications(*runs),
            Runs::Until { metric, share, least, most } => RunsAsked::Until {
                metric: metric.clone(),
                interval: *share,
                least: *least,
                most: *most,
            },
        }
    }
}

impl RunsAsked {
    /// True if these are at least the runs of an `earlier` campaign.
    fn covers(&self, earlier: &RunsAsked) -> bool {
        use RunsAsked::{Replications, Until};
        match (self, earlier) {
            // Each arm is looked at.
            (Replications(_), Replications(_)) => true,
            (Until { least, .. }, Replications(then)) => least >= then,
            (Replications(now), Until { most, .. }) => now >= most,
            (
                Until { metric: m1, interval: i1, least: l1, most: most1 },
                Until { metric: m2, interval: i2, least: l2, most: most2 },
            ) => m1 == m2 && l1 == l2 && i1 <= i2 && most1 >= most2,
        }
    }
}

/// The arms of a campaign, without runs as yet.
pub(crate) fn arms(campaign: &Campaign) -> Vec<ArmIdentity> {
    let mut names = BTreeSet::new();
    let arms = campaign.arms.iter().enumerate().map(|(n, arm)| ArmIdentity {
        name: arm.name.clone(),
        cells: arm.cells.clone(),
        scenario: file_name(n, &arm.name, &mut names),
        digest: digest_text(&arm.scenario),
        seeds: Vec::new(),
    });
    arms.collect()
}

pub(crate) fn digest_text(scenario: &airpath_scenario::Scenario) -> String {
    format!("{:032x}", digest(scenario).value())
}

/// A name for the file of an arm that every file system takes.
fn file_name(n: usize, arm: &str, known: &mut BTreeSet<String>) -> String {
    let plain = |letter: char| match letter {
        letter if letter.is_ascii_alphanumeric() || letter == '.' => letter,
        _ => '-',
    };
    let words: String = arm.chars().map(plain).take(60).collect();
    let words = words.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    let words = words.trim_matches('.').to_lowercase();
    let plain = format!("arms/{words}.toml");
    let name = match words.is_empty() || known.contains(&plain) {
        true => format!("arms/{words}-{n}.toml"),
        false => plain,
    };
    known.insert(name.clone());
    name
}

/// Contents of a folder that a campaign is to be written to.
pub(crate) enum Earlier {
    /// Nothing.
    Nothing,
    /// This campaign, whole.
    Same(Box<CampaignSummary>),
    /// A part of this campaign.
    Part(Box<CampaignSummary>),
}

/// Contents of `folder`.
///
/// # Errors
///
/// If it holds something else, which must stay.
pub(crate) fn earlier(folder: &Path, campaign: &Campaign) -> Result<Earlier, SweepError> {
    let path = folder.join("summary.json");
    if !path.exists() {
        return Ok(Earlier::Nothing);
    }
    let summary = read(folder)?;
    let other = |what: String| {
        let mend = "choose another folder with --out, or remove it".to_owned();
        Err(SweepError::Other { folder: folder.to_owned(), what, mend })
    };
    if summary.build != BUILD {
        return other(format!(
            "was made by another build of airpath (version {}; this is {VERSION})",
            summary.version
        ));
    }
    let runs = RunsAsked::from(&campaign.runs);
    let own = arms(campaign);
    let now: BTreeMap<&str, &str> =
        own.iter().map(|arm| (arm.name.as_str(), arm.digest.as_str())).collect();
    if summary.columns != campaign.columns {
        return other(format!("holds another campaign, which varies {}", listed(&summary.columns)));
    }
    for arm in &summary.arms {
        match now.get(arm.name.as_str()) {
            None => return other(format!("holds another campaign, with the arm \"{}\"", arm.name)),
            Some(digest) if *digest != arm.digest => {
                return other(format!(
                    "holds another campaign: its arm \"{}\" has another scenario",
                    arm.name
                ));
            }
            Some(_) => {}
        }
    }
    let arm_of = |arm: &ArmIdentity| campaign.arms.iter().find(|own| own.name == arm.name);
    let kept = |arm: &ArmIdentity| {
        arm_of(arm).is_none_or(|own| {
            arm.seeds.first().is_none_or(|first| *first == own.scenario.seed)
                && arm.seeds.len() as u64 <= campaign.most_runs_of(own)
        })
    };
    if !runs.covers(&summary.campaign) || !summary.arms.iter().all(kept) {
        return other("holds this campaign with other runs, which would be lost".to_owned());
    }
    let whole = |arm: &ArmIdentity| match runs {
        RunsAsked::Until { .. } => true,
        RunsAsked::Replications(_) => {
            arm_of(arm).is_some_and(|own| arm.seeds.len() as u64 == campaign.most_runs_of(own))
        }
    };
    let same = summary.complete
        && summary.campaign == runs
        && summary.arms.iter().all(whole)
        && summary.arms.iter().map(|arm| &arm.name).eq(own.iter().map(|arm| &arm.name));
    Ok(match same {
        true => Earlier::Same(Box::new(summary)),
        false => Earlier::Part(Box::new(summary)),
    })
}

/// Reads `summary.json` of a campaign's folder.
///
/// # Errors
///
/// If there is none, or it is of something else.
pub(crate) fn read(folder: &Path) -> Result<CampaignSummary, SweepError> {
    let other = |what: &str, mend: &str| SweepError::Other {
        folder: folder.to_owned(),
        what: what.to_owned(),
        mend: mend.to_owned(),
    };
    let value = value(folder)?;
    if value.get("campaign").is_none() {
        let mend = "name a folder that `airpath sweep --out` wrote, or choose a new one";
        return Err(other("holds no campaign", mend));
    }
    serde_json::from_value(value).map_err(|error| {
        other(&format!("has a summary.json that cannot be read ({error})"), "run again")
    })
}

/// `summary.json` of a results folder of airpath, whatever it is of.
///
/// # Errors
///
/// If it is none. Another format has been refused by [`Digests::check`](airpath_results::Digests::check).
pub(crate) fn value(folder: &Path) -> Result<Value, SweepError> {
    let other = |what: &str, mend: &str| SweepError::Other {
        folder: folder.to_owned(),
        what: what.to_owned(),
        mend: mend.to_owned(),
    };
    let none = "is no results folder of airpath";
    let text = fs::read_to_string(folder.join("summary.json"))
        .map_err(|_| other(none, "`airpath sweep --out` writes one"))?;
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    match value["format"].as_str() {
        Some(format) if format.starts_with("airpath-results") => Ok(value),
        _ => Err(other(none, "name one")),
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "nothing".to_owned(),
        names => names.join(", "),
    }
}
