//! Survey of a UE along its route, before anything runs.

use airpath_base::random::Seed;
use airpath_base::{Time, UeId};
use airpath_ran::{Ran, Surveyed};

use super::bearers::Bearers;
use super::{Facts, WorldError, dropped, radio};
use crate::file::Scenario;

/// Positions of the UE of this number at these times, with cell, levels and rates there; none of a UE without a route.
///
/// # Errors
///
/// If a model refuses what the checks of the scenario let through.
pub fn survey(
    scenario: &Scenario,
    seed: Seed,
    ue: usize,
    times: impl Iterator<Item = Time>,
) -> Result<Vec<Surveyed>, WorldError> {
    let arrived = scenario.with_arrivals(seed);
    let scenario = arrived.as_ref();
    let Some(cell) = &scenario.cell else { return Ok(Vec::new()) };
    let (network, mobility) = dropped::network((scenario, cell), seed)
        .map_err(|error| WorldError::new("network", error))?;
    let Some(mobility) = mobility else { return Ok(Vec::new()) };
    let (bearers, mut facts) = (Bearers::new(scenario)?, Facts::default());
    let config = radio::config((scenario, cell), network, &bearers, seed, &mut facts);
    let mut ran = Ran::new(config, seed).map_err(|error| WorldError::new("cell", error))?;
    ran.set_mobility(mobility);
    Ok(times.filter_map(|at| ran.survey(at, UeId(ue as u32))).collect())
}
