//! Capacity by arm: the largest number of users of whom enough are satisfied, and what full buffers beside them have.
//!
//! The data are a file with a scenario, a group of UEs, criteria, and arms with overrides. Each seed has a bisection of its
//! own in each arm. Figures are `capacity-ARM`, and `beside-ARM`: Mbit/s of all other flows at the capacity of the first
//! arm. With overrides that take the users' flows away, `cost-ARM` is what one user takes from the others, in Mbit/s.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use airpath_base::Digest;
use airpath_campaign::capacity::Question;
use airpath_results::users::User;
use airpath_scenario::Scenario;
use airpath_sim::{RunFailure, RunOptions, run};
use serde::Deserialize;
use serde_json::Value;

use super::{Order, Own, file};
use crate::StudyError;
use crate::task::digest;

/// Data of a search.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    /// File of the scenario.
    scenario: String,
    /// Group of UEs whose number is sought.
    users: String,
    /// Criteria of a satisfied UE.
    satisfied: String,
    /// Largest number that is tried; 0 for no search.
    most: u64,
    /// Overrides that take the users' flows away; none without a figure of their cost.
    #[serde(default)]
    without: Vec<String>,
    arms: Vec<Arm>,
}

/// A setting.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arm {
    name: String,
    set: Vec<String>,
}

/// A search with the text of its scenario.
struct Search {
    data: Data,
    text: String,
    overrides: Vec<String>,
    question: Question,
}

/// The search of a file.
///
/// # Errors
///
/// A file that is not there, or data of another form.
pub(super) fn make(order: &Order<'_>, data: &Value) -> Result<Box<dyn Own>, StudyError> {
    let fault = |why: String| StudyError::Data(format!("{data}: {why}"));
    let data: Data =
        serde_json::from_str(file(order, data)?).map_err(|error| fault(error.to_string()))?;
    let question = Question::new(&data.satisfied, &data.users).map_err(|e| fault(e.to_string()))?;
    let text = order.study.needed(&data.scenario)?.to_owned();
    let search = Search { data, text, overrides: order.overrides.clone(), question };
    for arm in &search.data.arms {
        search.scenario(arm, 1).map_err(&fault)?;
    }
    Ok(Box::new(search))
}

impl Search {
    fn scenario(&self, arm: &Arm, count: u64) -> Result<Scenario, String> {
        let users = format!("ue.{}.count={}", self.data.users, count.max(1));
        let without = self.data.without.iter().filter(|_| count == 0);
        let sets: Vec<String> =
            self.overrides.iter().chain(&arm.set).chain(without).cloned().chain([users]).collect();
        Scenario::parse(&self.data.scenario, &self.text, &sets).map_err(|errors| errors.plain())
    }

    /// Share of satisfied UEs, and the other flows' Mbit/s. Without users all are satisfied.
    fn outcome(
        &self,
        arm: &Arm,
        count: u64,
        (seed, interrupt): (u64, Option<&AtomicBool>),
    ) -> Result<(f64, f64), RunFailure> {
        let scenario = self.scenario(arm, count).map_err(RunFailure::Part)?;
        let options = RunOptions { seed: Some(seed), interrupt, ..RunOptions::default() };
        let outcome = run(&scenario, options)?;
        let users: Vec<_> =
            outcome.collector.users(outcome.collector.end()).iter().map(User::row).collect();
        let share = match count {
            0 => Ok(1.0),
            _ => self.question.share_of(count, &users),
        };
        let share = share.map_err(|error| RunFailure::Part(error.to_string()))?;
        let own = |ue: &str| ue.split('-').next() == Some(self.data.users.as_str());
        let others = |ue: &Option<String>| ue.as_deref().is_none_or(|ue| !own(ue));
        let beside = outcome.summary.flows.iter().filter(|flow| others(&flow.ue));
        Ok((share, beside.filter_map(|flow| flow.goodput_bps).sum::<f64>() / 1e6))
    }

    /// The largest number of users of whom enough are satisfied, by bisection.
    fn capacity(
        &self,
        arm: &Arm,
        (seed, interrupt): (u64, Option<&AtomicBool>),
    ) -> Result<u64, RunFailure> {
        let (mut low, mut high) = (0, self.data.most + 1);
        while high - low > 1 && !is_interrupted(interrupt) {
            let middle = low.midpoint(high);
            let (share, _) = self.outcome(arm, middle, (seed, interrupt))?;
            (low, high) = if share >= self.question.share { (middle, high) } else { (low, middle) };
        }
        Ok(low)
    }
}

fn is_interrupted(interrupt: Option<&AtomicBool>) -> bool {
    interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

impl Own for Search {
    fn digest(&self) -> Digest {
        let parts = [format!("{:?}", self.data), self.text.clone(), self.overrides.join("\n")];
        digest("capacity", parts.map(|part| Digest::new().field(part.as_bytes()).value()))
    }

    fn figures(
        &self,
        seed: u64,
        interrupt: Option<&AtomicBool>,
    ) -> Result<Option<BTreeMap<String, f64>>, RunFailure> {
        let mut figures = BTreeMap::new();
        let mut first = None;
        for arm in &self.data.arms {
            let capacity = self.capacity(arm, (seed, interrupt))?;
            let common = *first.get_or_insert(capacity);
            if is_interrupted(interrupt) {
                return Ok(None);
            }
            let (_, beside) = self.outcome(arm, common.max(1), (seed, interrupt))?;
            if !self.data.without.is_empty() {
                let with = |count| self.outcome(arm, count, (seed, interrupt));
                let (without, one) = (with(0)?.1, with(1)?.1);
                figures.insert(format!("cost-{}", arm.name), without - one);
            }
            figures.insert(format!("capacity-{}", arm.name), capacity as f64);
            figures.insert(format!("beside-{}", arm.name), beside);
        }
        Ok(Some(figures))
    }
}
