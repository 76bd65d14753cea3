//! Campaigns and comparisons.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use airpath_campaign::compare::{Choice, Options as CompareOptions, compare, run_both};
use airpath_campaign::{Elsewhere, Failure, Options, Report, sweep};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors;
use crate::farm::Farm;
use crate::frame::digests;
use crate::scenario::{Resolved, Source};
use crate::supervise::{Ended, supervise};

/// Runs a campaign into a folder; gives what it came to as JSON.
#[pyfunction]
#[pyo3(
    name = "sweep",
    signature = (
        source, out, vary, runs=None, jobs=None, progress=None, elsewhere=None, unchecked=false
    )
)]
#[expect(clippy::too_many_arguments, reason = "they are those of Python's function")]
fn sweep_into(
    py: Python<'_>,
    source: Source,
    out: PathBuf,
    vary: Vec<String>,
    runs: Option<u64>,
    jobs: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    elsewhere: Option<Py<PyAny>>,
    unchecked: bool,
) -> PyResult<String> {
    let campaign = py.detach(|| source.campaign(&vary, runs));
    let campaign = campaign.map_err(|error| errors::scenario(py, error))?;
    let failed = Arc::new(Mutex::new(None));
    let theirs = Arc::clone(&failed);
    let ended = supervise(py, progress, move |shared| {
        let watched = Arc::clone(shared);
        let stopped = Box::new(move || watched.stop.load(Ordering::SeqCst));
        let elsewhere = elsewhere.map(|call| Farm { call, stopped, failed: theirs });
        let elsewhere = elsewhere.as_ref().map(|farm| farm as &dyn Elsewhere);
        let notes = Mutex::new(campaign.warnings.clone());
        let note = |text: &str| {
            // No holder of the lock panics.
            if let Ok(mut notes) = notes.lock() {
                notes.push(text.to_owned());
            }
        };
        let at = |done: usize, all: usize| shared.at(done as f64, all as f64);
        let options = Options {
            folder: Some(&out),
            jobs,
            progress: Some(&at),
            interrupt: Some(&shared.stop),
            note: Some(&note),
            digests: digests(unchecked),
            elsewhere,
        };
        let report = sweep(&campaign, options);
        (report, notes.into_inner().unwrap_or_default())
    })?;
    let Ended { result: (report, notes), raised } = ended;
    if let Some(error) = failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    let report = report.map_err(|error| match raised {
        Some(raised) if !raised.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) => {
            raised
        }
        _ => errors::sweep(py, &error, &notes),
    })?;
    Ok(said(&report, &notes))
}

fn said(report: &Report, notes: &[String]) -> String {
    let open: Vec<&str> = report.open.iter().map(|arm| report.arms[*arm].name.as_str()).collect();
    json!({
        "failures": report.failures,
        "open": open,
        "resumed": report.resumed,
        "notes": notes,
    })
    .to_string()
}

/// Options of a comparison.
#[derive(FromPyObject)]
struct Asked {
    seeds: Vec<u64>,
    metrics: Vec<String>,
    all: bool,
    margin: Option<f64>,
    jobs: Option<usize>,
}

/// Runs two scenarios with the same seeds and compares them; gives JSON, the program's words, and
/// the runs that failed.
#[pyfunction]
#[pyo3(name = "compare", signature = (first, second, asked, progress=None))]
fn compare_both(
    py: Python<'_>,
    first: (String, PyRef<'_, Resolved>),
    second: (String, PyRef<'_, Resolved>),
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String, String)> {
    let (names, scenarios) = ([first.0, second.0], [first.1, second.1]);
    let scenarios = scenarios.map(|resolved| Arc::clone(&resolved.scenario));
    let choice = match (asked.all, asked.metrics.is_empty()) {
        (true, _) => Choice::All,
        (false, true) => Choice::Main,
        (false, false) => Choice::Named(asked.metrics),
    };
    let ended = supervise(py, progress, move |shared| {
        let at = |done: usize, all: usize| shared.at(done as f64, all as f64);
        let interrupt = Some(&shared.stop);
        let options =
            Options { jobs: asked.jobs, progress: Some(&at), interrupt, ..Options::default() };
        let pair = [0, 1].map(|n| (names[n].as_str(), &*scenarios[n]));
        let (sides, failures) = run_both(pair, &asked.seeds, options)?;
        let options = CompareOptions { choice, margin: asked.margin, ..CompareOptions::default() };
        Ok((compare(&sides[0], &sides[1], &options), failures))
    })?;
    let (compared, failures) = match (ended.result, ended.raised) {
        (Ok(both), _) => both,
        (Err(_), Some(raised)) => return Err(raised),
        (Err(error), None) => return Err(errors::sweep(py, &error, &[])),
    };
    let compared = compared.map_err(|error| match failures.first() {
        None => errors::input(py, error),
        Some(Failure { arm, seed, why }) => {
            errors::failed(py, format!("the run of {arm}, seed {seed} failed: {why}"))
        }
    })?;
    let text = airpath::comparison_text(&compared);
    Ok((json!(compared).to_string(), text, json!(failures).to_string()))
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sweep_into, module)?)?;
    module.add_function(wrap_pyfunction!(compare_both, module)?)
}
