//! One run of a scenario that Python starts.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use airpath_base::CellId;
use airpath_ran::CellConfig;
use airpath_scenario::Scenario;
use airpath_scenario::world::OwnParts;
use airpath_sim::{Progress, RunFailure, RunOptions};
use pyo3::prelude::*;

use crate::errors;
use crate::outcome::Outcome;
use crate::parts::{self, Parts};
use crate::scenario::Resolved;
use crate::supervise::{Shared, supervise_calls};

/// Parts of the user's own, as `airpath.run` has them.
#[derive(FromPyObject)]
struct Own {
    /// Maker of each part, by the key that the part replaces.
    makers: Vec<(String, Py<PyAny>)>,
    /// Seconds that a call may take.
    budget: Option<f64>,
}

/// Runs a scenario; gives what it came to, and what was raised meanwhile.
#[pyfunction]
#[pyo3(signature = (resolved, seed=None, out=None, progress=None, own=None, threads=None))]
fn run(
    py: Python<'_>,
    resolved: &Resolved,
    seed: Option<u64>,
    out: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
    own: Option<Own>,
    threads: Option<usize>,
) -> PyResult<(Outcome, Option<Py<PyAny>>)> {
    let scenario = Arc::clone(&resolved.scenario);
    let (makers, budget) = own.map_or((Vec::new(), None), |own| (own.makers, own.budget));
    parts::check(&scenario, &makers).map_err(|words| errors::input(py, words))?;
    let budget = budget.map(Duration::from_secs_f64);
    let ended = supervise_calls(py, progress, budget, move |shared| {
        let has_parts = !makers.is_empty();
        let threads = if has_parts { 1 } else { airpath_sim::threads(threads) };
        let parts = Parts::new(makers, &scenario, Arc::clone(shared));
        let fate = parts.fate();
        let work = || drive(&scenario, (seed, out, threads), &parts, shared);
        // An attached thread keeps Python's state of it, which is else made anew for each call.
        let made = if has_parts { Python::attach(|py| py.detach(work)) } else { work() };
        (made, fate.take())
    })?;
    let (result, failed) = ended.result;
    // A failure of a part comes first: the rest follows from it.
    let outcome = match (result, failed) {
        (Ok(outcome), failed) => (outcome, failed.or(ended.raised)),
        (Err(_), Some(failed)) => return Err(failed),
        (Err(failure), None) => return Err(errors::run(py, &failure)),
    };
    let (outcome, raised) = outcome;
    Ok((Outcome::new(outcome), raised.map(|error| error.into_value(py).into_any())))
}

fn drive(
    scenario: &Scenario,
    (seed, out, threads): (Option<u64>, Option<PathBuf>, usize),
    parts: &Parts,
    shared: &Shared,
) -> Result<airpath_sim::Outcome, RunFailure> {
    let mut at = |p: Progress| shared.at(p.now.as_secs_f64(), p.end.as_secs_f64());
    let scheduler = |cell: CellId, _: &CellConfig| parts.scheduler(cell.index());
    let controller = |flow: &str, name: &str| parts.controller(flow, name);
    let queue = |link: &str| parts.queue(link);
    let pattern = |flow: &str, name: &str| parts.pattern(flow, name);
    let options = RunOptions {
        seed,
        out: out.as_deref(),
        keep: true,
        progress: Some(&mut at),
        interrupt: Some(&shared.stop),
        scheduler: if parts.has_scheduler() { Some(&scheduler) } else { None },
        own: OwnParts {
            controller: Some(&controller),
            queue: Some(&queue),
            pattern: Some(&pattern),
            ..OwnParts::default()
        },
        threads,
        ..RunOptions::default()
    };
    airpath_sim::run(scenario, options)
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run, module)?)
}
