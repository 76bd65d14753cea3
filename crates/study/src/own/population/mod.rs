//! A synthetic operator's population: flows drawn from published distributions, written as
//! the packets of a capture, and found again by the analyser.
//!
//! The population is a workload, not a model: no packet of it passes a simulated network. Its
//! parameters are data (a study's `population.json`, [`Params`]). Flows come in strata, so that
//! rare classes have enough of them. The weight of a stratum's flows is its share of all flows.
//!
//! Each attribute is drawn evenly over its distribution within a stratum, in random order (`even`).
//! Content types fill quotas of bytes ([`plan`]). So the sample has the given distributions up to a
//! flow, and the analyser alone causes any difference from them.
//!
//! [`script`] and [`bulk`] write a flow's packets, as a monitor between server and radio sees them.
//! [`capture`] orders the packets and has the analyser read them like any capture. [`tally`] makes
//! figures of the analyser's records.
//!
//! The analyser gets bytes only. The one thing that passes beside them is a flow's
//! stratum, as a range of client addresses: a weight, as any survey knows it.
//!
//! Left out: users who differ from each other; flows that share a bottleneck.

mod bulk;
mod capture;
mod params;
mod plan;
mod script;
mod segments;
mod tally;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use airpath_base::Digest;
use airpath_base::random::Seed;
use airpath_sim::RunFailure;
use rayon::prelude::*;
use serde_json::Value;

use capture::Found;
use params::Params;
use plan::User;

use super::{Order, Own, file};
use crate::StudyError;
use crate::task::digest;

/// Flows of at most so many packets (by their plans) are captured together.
const CAPTURE: u64 = 200_000;

/// The population of a run: the parameters of a file, with the run's overrides
/// `path.to.key=value`, the value in JSON.
///
/// # Errors
///
/// A file that is not there, parameters that are none, or an override of nothing.
pub(super) fn make(order: &Order<'_>, data: &Value) -> Result<Box<dyn Own>, StudyError> {
    let fault = |why: String| StudyError::Data(format!("{data}: {why}"));
    let mut value: Value =
        serde_json::from_str(file(order, data)?).map_err(|error| fault(error.to_string()))?;
    for set in &order.overrides {
        let (path, new) = set.split_once('=').ok_or_else(|| fault(set.clone()))?;
        let old = value.pointer_mut(&format!("/{}", path.replace('.', "/")));
        let new = serde_json::from_str(new).map_err(|error| fault(error.to_string()))?;
        *old.ok_or_else(|| fault(set.clone()))? = new;
    }
    let params: Params = serde_json::from_value(value).map_err(|error| fault(error.to_string()))?;
    Ok(Box::new(params))
}

impl Own for Params {
    fn digest(&self) -> Digest {
        digest("population", [Digest::new().field(format!("{self:?}").as_bytes()).value()])
    }

    fn figures(
        &self,
        seed: u64,
        interrupt: Option<&AtomicBool>,
    ) -> Result<Option<BTreeMap<String, f64>>, RunFailure> {
        Ok(figures(self, seed, interrupt))
    }
}

/// Draws a population, captures it, analyses the capture, and gives figures by name; none
/// if it was interrupted.
fn figures(
    params: &Params,
    seed: u64,
    interrupt: Option<&AtomicBool>,
) -> Option<BTreeMap<String, f64>> {
    let groups = groups(plan::users(params, Seed(seed)));
    let stop = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let each = |group: &Vec<User>| (!stop()).then(|| capture::analysed(params, group));
    let found: Vec<Option<Found>> = groups.par_iter().map(each).collect();
    let mut all = Found::default();
    for found in found {
        let found = found?;
        all.flows.extend(found.flows);
        all.hosts.extend(found.hosts);
    }
    Some(tally::figures(params, &all))
}

/// Users in their order, so many together as make a capture.
fn groups(users: Vec<User>) -> Vec<Vec<User>> {
    let (mut groups, mut group, mut load) = (Vec::new(), Vec::new(), 0);
    for user in users {
        let packets = user.packets();
        if load + packets > CAPTURE && !group.is_empty() {
            groups.push(std::mem::take(&mut group));
            load = 0;
        }
        load += packets;
        group.push(user);
    }
    groups.push(group);
    groups
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
