//! One run.

use std::path::PathBuf;
use std::sync::Arc;

use airpath_sim::{Progress, RunOptions};
use pyo3::prelude::*;

use crate::errors;
use crate::outcome::Outcome;
use crate::scenario::Resolved;
use crate::supervise::supervise;

/// Runs a scenario; gives what it came to, and what was raised meanwhile.
#[pyfunction]
#[pyo3(signature = (resolved, seed=None, out=None, progress=None))]
fn run(
    py: Python<'_>,
    resolved: &Resolved,
    seed: Option<u64>,
    out: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Outcome, Option<Py<PyAny>>)> {
    let scenario = Arc::clone(&resolved.scenario);
    let ended = supervise(py, progress, move |shared| {
        let mut at = |p: Progress| shared.at(p.now.as_secs_f64(), p.end.as_secs_f64());
        let options = RunOptions {
            seed,
            out: out.as_deref(),
            keep: true,
            progress: Some(&mut at),
            interrupt: Some(&shared.stop),
            ..RunOptions::default()
        };
        airpath_sim::run(&scenario, options)
    })?;
    let outcome = ended.result.map_err(|failure| errors::run(py, &failure))?;
    let raised = ended.raised.map(|error| error.into_value(py).into_any());
    Ok((Outcome::new(outcome), raised))
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run, module)?)
}
