//! Changes of the first reading between tables of an earlier version and those of this one.

use serde::{Deserialize, Serialize};

use super::Findings;
use super::form::table as form;
use crate::network::{Data, Kpi, Of};
use crate::{Study, StudyError};

/// The file of a study that has the changes, and the reasons for them.
const FILE: &str = "moved.json";
/// Least and greatest share of arms between which the ratios of most arms lie, in per mille.
const MOST: [u32; 2] = [50, 950];

/// The change of a measure over all arms that both tables have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The measure.
    pub kpi: String,
    /// Its statistic.
    pub of: Of,
    /// Arms with the measure in both tables.
    pub arms: usize,
    /// Median over these arms of the ratio of new to old; of a measure in dB, of the difference.
    pub median: f64,
    /// 5th and 95th percentile of the same.
    pub most: [f64; 2],
}

/// The changes as a study has them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Changes {
    /// Commits and days of both tables.
    between: String,
    /// The changes of the program that moved results, each as a sentence.
    through: Vec<String>,
    moved: Vec<Moved>,
}

/// The change of each measure of users and runs from old tables to new ones.
pub fn moved(old: &Data, new: &Data) -> Vec<Moved> {
    let statistics = |kpi: &'_ Kpi| match kpi.is_of_users() {
        true => vec![Of::Mean, Of::P99],
        false => vec![Of::Mean],
    };
    let all =
        new.measures.all().flat_map(|kpi| statistics(kpi).into_iter().map(move |of| (kpi, of)));
    all.filter_map(|(kpi, of)| change(old, new, kpi, of)).collect()
}

fn change(old: &Data, new: &Data, kpi: &Kpi, of: Of) -> Option<Moved> {
    let old_kpi = old.kpi(&kpi.name)?;
    let ratio = |arm: &crate::network::ArmRuns| {
        let before = of.estimate(old_kpi, old.arm(&arm.name, arm.load)?)?;
        let after = of.estimate(kpi, &arm.runs)?;
        match kpi.unit.as_str() {
            "dB" => Some(after - before),
            _ => Some(after / before).filter(|ratio| ratio.is_finite()),
        }
    };
    let ratios: Vec<f64> = new.arms.iter().filter_map(ratio).collect();
    let at = |per_mille| airpath_stats::percentile(&ratios, per_mille);
    let most = [at(MOST[0])?, at(MOST[1])?];
    Some(Moved { kpi: kpi.name.clone(), of, arms: ratios.len(), median: at(500)?, most })
}

/// Section with a table of the changes, and the reasons for them; empty without such a file.
pub(super) fn section(findings: &Findings<'_>) -> Option<String> {
    let Some(changes) = changes(findings.study).ok()? else { return Some(String::new()) };
    let shown = |value: f64| format!("{value:.3}");
    let row = |moved: &Moved| {
        let kpi = findings.data.kpi(&moved.kpi)?;
        let name = if kpi.unit == "dB" {
            format!("{}, difference in dB", kpi.title)
        } else {
            kpi.title.clone()
        };
        let [low, high] = moved.most.map(shown);
        let (of, arms) = (moved.of.word().to_owned(), moved.arms.to_string());
        Some(vec![name, of, arms, shown(moved.median), format!("{low} to {high}")])
    };
    let rows: Option<Vec<Vec<String>>> = changes.moved.iter().map(row).collect();
    let head = ["measure", "statistic", "arms", "median of new by old", "90% of arms"];
    let through: Vec<String> = changes.through.iter().map(|why| format!("- {why}")).collect();
    let (between, table) = (changes.between, form(&head, rows?));
    let head = "## What moved since older tables";
    Some(format!("{head}\n\n{between}\n\n{table}\n\nThrough:\n\n{}", through.join("\n")))
}

fn changes(study: &Study) -> Result<Option<Changes>, StudyError> {
    study.text(FILE).map(|_| study.json(FILE)).transpose()
}
