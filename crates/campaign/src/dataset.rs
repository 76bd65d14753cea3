//! The folder of a campaign, read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use airpath_results::users::{self, UserRow};
use airpath_results::{Digests, Named, Table, TableError, TableReader};
use airpath_scenario::Campaign;
use airpath_sim::RunCache;

use crate::estimate;
use crate::identity::{self, ArmIdentity, CampaignSummary};
use crate::record::{RunRecord, digest};
use crate::sweep::Report;
use crate::{Estimate, SweepError};

/// The folder of a campaign. A table is read on its first use.
#[derive(Clone, Debug)]
pub struct Dataset {
    folder: PathBuf,
    /// Contents of its `summary.json`.
    pub summary: CampaignSummary,
}

/// Runs of an arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmData {
    /// The arm.
    pub arm: ArmIdentity,
    /// Seeds of its runs.
    pub seeds: Vec<u64>,
    /// Values of each chosen metric, by run.
    pub values: Vec<Vec<Option<f64>>>,
}

impl Dataset {
    /// Opens the folder that `airpath sweep --out` wrote.
    ///
    /// # Errors
    ///
    /// If it is none, of another format, or a file of it is damaged.
    pub fn open(folder: &Path, digests: Digests) -> Result<Dataset, SweepError> {
        digests.check(folder)?;
        Ok(Dataset { folder: folder.to_owned(), summary: identity::read(folder)? })
    }

    /// True if a folder has results of a campaign.
    pub fn is_one(folder: &Path) -> bool {
        identity::value(folder).is_ok_and(|summary| summary.get("campaign").is_some())
    }

    pub(crate) fn of(folder: &Path, summary: CampaignSummary) -> Result<Dataset, SweepError> {
        Ok(Dataset { folder: folder.to_owned(), summary })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Index of the arm of this name.
    pub fn arm(&self, name: &str) -> Option<usize> {
        self.summary.arms.iter().position(|arm| arm.name == name)
    }

    /// Values of these metrics in the runs of an arm.
    ///
    /// # Errors
    ///
    /// If the table cannot be read, or no run has such a metric.
    pub fn runs(&self, arm: usize, metrics: &[&str]) -> Result<ArmData, SweepError> {
        let known = || self.summary.metrics.iter().map(|(name, _)| name);
        if let Some(none) = metrics.iter().find(|metric| known().all(|name| name != **metric)) {
            return Err(SweepError::no_metric(none, known()));
        }
        let columns: Vec<&str> =
            ["arm", "seed"].into_iter().chain(metrics.iter().copied()).collect();
        let table = self.table("runs.parquet", &columns)?;
        let own = self.rows_of(&table, arm)?;
        let column = |name: &str| Ok(pick(&self.column(&table, name)?, &own));
        let seeds = self.seeds(&table)?;
        let seeds = own.iter().filter_map(|row| seeds[*row]).collect();
        let values =
            metrics.iter().map(|metric| column(metric)).collect::<Result<_, SweepError>>()?;
        Ok(ArmData { arm: self.summary.arms[arm].clone(), seeds, values })
    }

    /// The users of an arm's runs: the columns `seed`, `ue`, `application`, `direction`, and those
    /// of these measures.
    ///
    /// # Errors
    ///
    /// If the table cannot be read.
    pub fn users(&self, measures: &[&str]) -> Result<Table, SweepError> {
        let front = ["arm", "seed", "ue", "application", "direction"];
        self.table(
            "users.parquet",
            &front.into_iter().chain(measures.iter().copied()).collect::<Vec<_>>(),
        )
    }

    /// Each metric over the runs of each arm.
    ///
    /// # Errors
    ///
    /// If the table cannot be read.
    pub fn estimates(&self) -> Result<Vec<Estimate>, SweepError> {
        let path = self.folder.join("intervals.parquet");
        let fault = |source| SweepError::Table { path: path.clone(), source };
        let table = Table::read_parquet(&path).map_err(fault)?;
        let arms: Vec<&str> = self.summary.arms.iter().map(|arm| arm.name.as_str()).collect();
        estimate::read(&table, &arms).map_err(fault)
    }

    /// Report on the campaign.
    pub(crate) fn report(self) -> Result<Report, SweepError> {
        let estimates = self.estimates()?;
        let CampaignSummary { columns, arms, metrics, failures, campaign, .. } = self.summary;
        let open = match campaign {
            identity::RunsAsked::Until { metric, interval, .. } => {
                open(&estimates, &metric, interval)
            }
            identity::RunsAsked::Replications(_) => Vec::new(),
        };
        let resumed = arms.iter().map(|arm| arm.seeds.len()).sum();
        let folder = Some(self.folder);
        Ok(Report { columns, arms, metrics, estimates, failures, open, resumed, folder })
    }

    /// Puts all runs into a cache, from which a larger campaign goes on.
    pub(crate) fn restore(&self, campaign: &Campaign, cache: &RunCache) -> Result<(), SweepError> {
        let users = self.all_users()?;
        for (at, arm) in self.summary.arms.iter().enumerate() {
            let Some(own) = campaign.arms.iter().find(|own| own.name == arm.name) else { continue };
            let digest = digest(&own.scenario);
            for (seed, record) in self.records(at, &users)? {
                cache.keep(digest, seed, &record);
            }
        }
        Ok(())
    }

    /// The table of users with all columns that it has: those of earlier versions have fewer.
    pub(crate) fn all_users(&self) -> Result<Table, SweepError> {
        let path = self.folder.join("users.parquet");
        Table::read_parquet(&path).map_err(|source| SweepError::Table { path, source })
    }

    /// The runs of an arm with their seeds, from the table of users among others.
    pub(crate) fn records(
        &self,
        arm: usize,
        users: &Table,
    ) -> Result<Vec<(u64, RunRecord)>, SweepError> {
        let metrics: Vec<&str> = self.summary.metrics.iter().map(|(name, _)| name).collect();
        let runs = self.runs(arm, &metrics)?;
        let mut rows = self.users_by_seed(users, arm)?;
        let record = |(n, seed): (usize, &u64)| {
            let values = metrics.iter().zip(&runs.values);
            let metrics = values.filter_map(|(name, values)| Some((*name, values[n]?)));
            let metrics = metrics.collect::<Named<f64>>();
            (*seed, RunRecord { metrics, users: rows.remove(seed).unwrap_or_default() })
        };
        Ok(runs.seeds.iter().enumerate().map(record).collect())
    }

    fn users_by_seed(
        &self,
        table: &Table,
        arm: usize,
    ) -> Result<BTreeMap<u64, Vec<UserRow>>, SweepError> {
        let all = users::rows(table).ok_or_else(|| self.lost("users.parquet", "ue"))?;
        let mut all: Vec<Option<UserRow>> = all.into_iter().map(Some).collect();
        let seeds = self.seeds(table)?;
        let mut rows: BTreeMap<u64, Vec<UserRow>> = BTreeMap::new();
        for row in self.rows_of(table, arm)? {
            rows.entry(seeds[row].unwrap_or(0)).or_default().extend(all[row].take());
        }
        Ok(rows)
    }

    fn table(&self, name: &str, columns: &[&str]) -> Result<Table, SweepError> {
        let path = self.folder.join(name);
        let table = TableReader::open(&path).and_then(|reader| reader.select(columns));
        table.map_err(|source| SweepError::Table { path, source })
    }

    fn rows_of(&self, table: &Table, arm: usize) -> Result<Vec<usize>, SweepError> {
        let name = self.summary.arms[arm].name.as_str();
        let arms = table.texts("arm").ok_or_else(|| self.lost("", "arm"))?;
        Ok((0..arms.len()).filter(|row| arms[*row] == Some(name)).collect())
    }

    fn column(&self, table: &Table, name: &str) -> Result<Vec<Option<f64>>, SweepError> {
        table.numbers(name).ok_or_else(|| self.lost("", name))
    }

    fn seeds(&self, table: &Table) -> Result<Vec<Option<u64>>, SweepError> {
        let seeds = table.integers("seed").ok_or_else(|| self.lost("", "seed"))?;
        Ok(seeds.into_iter().map(|seed| u64::try_from(seed?).ok()).collect())
    }

    fn lost(&self, file: &str, column: &str) -> SweepError {
        let source = TableError::Missing(column.to_owned());
        SweepError::Table { path: self.folder.join(file), source }
    }
}

fn pick(all: &[Option<f64>], rows: &[usize]) -> Vec<Option<f64>> {
    rows.iter().map(|row| all[*row]).collect()
}

/// Arms whose interval is wider than the campaign allows.
fn open(estimates: &[Estimate], metric: &str, share: f64) -> Vec<usize> {
    let wide = |estimate: &&Estimate| {
        let half = estimate.interval.map(|interval| interval.half_width());
        estimate.metric == metric && half.is_none_or(|half| half > share * estimate.mean.abs())
    };
    estimates.iter().filter(wide).map(|estimate| estimate.arm).collect()
}
