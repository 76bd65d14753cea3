//! Capacity: the largest number of users of whom enough are satisfied.
//!
//! A group of UEs becomes larger until fewer of its UEs are satisfied than are wanted. All numbers run with the same seeds. A
//! search by bisection with few seeds finds the region, and seeds are added there until the number is known to 5%.
//! Without users everybody is satisfied; the number is the first one beyond which too few are.

mod answer;
mod criterion;
mod curve;
mod range;
mod search;

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Mutex, PoisonError};

use airpath_results::users::UserRow;
use airpath_scenario::{Campaign, Scenario, nearest};
use airpath_sim::RunCache;

use crate::record::RunRecord;
use crate::sweep::{Runner, in_pool};
use crate::{BUILD, Options, SweepError};

pub use answer::{Capacity, Ending, Point};
pub use criterion::Criteria;
use curve::Curve;
pub use range::Refused;
use search::Search;

/// Question for a capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Name of the group of UEs whose number is sought.
    pub group: String,
    /// Criteria of a satisfied UE.
    pub criteria: Criteria,
    /// Share of the UEs that have to be satisfied. Default: 0.9 (TR 38.835, TR 38.838).
    pub share: f64,
    /// Cells of the scenario: numbers of UEs are multiples of it.
    pub cells: u64,
    /// Largest number of users a cell. Default: 64.
    pub most_steps: u64,
    /// Numbers beyond the largest, if the scenario refuses them.
    pub refused: Option<Refused>,
    /// Runs of each number of users at first. Default: 8.
    pub seeds: usize,
    /// Runs of each number of users at most. Default: 32.
    pub most_seeds: usize,
}

/// Reason why a capacity cannot be found.
#[derive(Debug, thiserror::Error)]
pub enum CapacityError {
    /// The question is wrong.
    #[error("{what}: {mend}")]
    Input {
        /// Fault of the question.
        what: String,
        /// Advice.
        mend: String,
    },
    /// A run failed.
    #[error("the run of {count} UEs, seed {seed} failed: {why}")]
    Run {
        /// Number of UEs.
        count: u64,
        /// Its seed.
        seed: u64,
        /// The reason.
        why: String,
    },
    /// Runs cannot be made or kept.
    #[error(transparent)]
    Sweep(#[from] SweepError),
}

impl CapacityError {
    pub(crate) fn input(what: impl Into<String>, mend: impl Into<String>) -> CapacityError {
        CapacityError::Input { what: what.into(), mend: mend.into() }
    }
}

impl Question {
    /// The question with these criteria of a satisfied UE, about the UEs of this group (`ue.NAME`), with the defaults.
    ///
    /// # Errors
    ///
    /// If the criteria are none of users.
    pub fn new(satisfied: &str, users: &str) -> Result<Question, CapacityError> {
        Ok(Question {
            group: users.strip_prefix("ue.").unwrap_or(users).to_owned(),
            criteria: Criteria::parse(satisfied)?,
            share: 0.9,
            cells: 1,
            most_steps: 64,
            refused: None,
            seeds: 8,
            most_seeds: 32,
        })
    }

    /// Checks the question against its scenario, and takes the number of cells from it.
    ///
    /// # Errors
    ///
    /// If the scenario has no such group of a fixed number of UEs, or fewer seeds are allowed at most than at first.
    pub fn about(&mut self, scenario: &Scenario) -> Result<(), CapacityError> {
        let names = || scenario.ue.iter().map(|group| group.name.as_str());
        let Some(group) = scenario.ue.iter().find(|group| group.name == self.group) else {
            let what = format!("there is no group of UEs `{}`", self.group);
            let mend = match nearest(&self.group, names()) {
                Some(known) => format!("did you mean ue.{known}?"),
                None => format!("groups are {}", names().collect::<Vec<_>>().join(", ")),
            };
            return Err(CapacityError::input(what, mend));
        };
        if self.most_seeds < self.seeds {
            let Question { seeds, most_seeds, .. } = self;
            let what = format!("most-seeds {most_seeds} is below seeds {seeds}");
            let mend = format!("allow at least {seeds}, or begin with {most_seeds}");
            return Err(CapacityError::input(what, mend));
        }
        if group.arrivals.is_some() {
            let what = format!("UEs of ue.{} arrive, so that their number is drawn", self.group);
            return Err(CapacityError::input(what, "give the group a count instead of arrivals"));
        }
        self.cells = scenario.network.as_ref().map_or(1, |network| u64::from(network.cells()));
        Ok(())
    }

    /// The axis of a campaign with all numbers of UEs that may be tried, as `--vary` has it.
    pub fn axis(&self) -> String {
        let counts = (1..=self.most_steps).map(|steps| (steps * self.cells).to_string());
        format!("ue.{}.count={}", self.group, counts.collect::<Vec<_>>().join(","))
    }

    /// Share of the group's UEs, of which there are `count`, that are satisfied in a run with these users.
    ///
    /// # Errors
    ///
    /// If no user of the group has what the criteria are about.
    pub fn share_of(&self, count: u64, users: &[UserRow]) -> Result<f64, CapacityError> {
        let mut rows: BTreeMap<&str, Vec<&UserRow>> = BTreeMap::new();
        for row in users.iter().filter(|row| self.is_own(&row.ue, count)) {
            rows.entry(&row.ue).or_default().push(row);
        }
        let all = rows.values().flatten().copied();
        if let Some(measure) = self.criteria.missing(all) {
            let what = format!("no UE of ue.{} has a `{measure}`", self.group);
            let mend = "the criteria must be about a flow that these UEs have: frames for `share within …`, or RTP packets";
            return Err(CapacityError::input(what, mend));
        }
        let met = rows.values().filter(|rows| self.criteria.are_met(rows.iter().copied()));
        Ok(met.count() as f64 / count as f64)
    }

    /// True for a UE of the group: it has the group's name, and a number behind that if there are several.
    fn is_own(&self, ue: &str, count: u64) -> bool {
        match ue.strip_prefix(self.group.as_str()) {
            Some("") => count == 1,
            Some(tail) if count > 1 => {
                let number = tail.strip_prefix('-').and_then(|number| number.parse::<u64>().ok());
                number.is_some_and(|number| number < count)
            }
            _ => false,
        }
    }
}

/// Finds the capacity. `campaign` has an arm for each number of UEs, by [`Question::axis`]. With a folder, runs are kept in it
/// and a later call goes on with them, also with other criteria.
///
/// # Errors
///
/// If a run fails, runs cannot be made or kept, or no user has what the criteria are about.
pub fn capacity(
    campaign: &Campaign,
    question: &Question,
    options: Options<'_>,
) -> Result<Capacity, CapacityError> {
    if campaign.arms.len() as u64 != question.most_steps {
        let what = "the scenario varies other keys in its table [sweep]";
        return Err(CapacityError::input(
            what,
            "leave the table out: the number of users is what varies",
        ));
    }
    let cache = options.folder.map(|folder| {
        let path = folder.join("runs");
        let opened = fs::create_dir_all(&path).and_then(|()| RunCache::open(&path, BUILD));
        opened.map_err(|source| SweepError::Io { path, source })
    });
    let cache = cache.transpose()?;
    let found = Mutex::new(None);
    in_pool(options.jobs, || {
        let answer = find(campaign, question, options, cache.as_ref());
        *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        Ok(())
    })?;
    if let (Some(note), Some(cache)) = (options.note, &cache) {
        cache.faults().iter().for_each(|fault| note(fault));
    }
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.unwrap_or(Err(CapacityError::Sweep(SweepError::Interrupted)))
}

fn find(
    campaign: &Campaign,
    question: &Question,
    options: Options<'_>,
    cache: Option<&RunCache>,
) -> Result<Capacity, CapacityError> {
    let runner = Runner::new(campaign, options, cache);
    let mut shares: BTreeMap<(u64, usize), f64> = BTreeMap::new();
    let mut evaluate = |steps: u64, seeds: usize| {
        let arm = (steps - 1) as usize;
        let missing: Vec<usize> =
            (0..seeds).filter(|n| !shares.contains_key(&(steps, *n))).collect();
        let count = steps * question.cells;
        let records = runner.make(&missing.iter().map(|n| (arm, *n)).collect::<Vec<_>>())?;
        for (n, record) in missing.into_iter().zip(records) {
            let RunRecord { users, .. } = record.map_err(|why| {
                let seed = campaign.arms[arm].scenario.seed.wrapping_add(n as u64);
                CapacityError::Run { count, seed, why }
            })?;
            shares.insert((steps, n), question.share_of(count, &users)?);
        }
        Ok((0..seeds).filter_map(|n| shares.get(&(steps, n)).copied()).collect())
    };
    let curve = Curve::default();
    let mut search = Search { question, curve, evaluate: &mut evaluate };
    let found = search.run()?;
    let curve = search.curve;
    let resumed = cache.map_or(0, RunCache::resumed);
    Ok(Capacity::new(question, found, &curve, [shares.len(), resumed]))
}
