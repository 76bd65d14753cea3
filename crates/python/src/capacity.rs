//! Capacities.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use airpath_campaign::capacity::{CapacityError, Question, capacity};
use airpath_campaign::{Elsewhere, Options, SweepError};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors;
use crate::farm::Farm;
use crate::scenario::Source;
use crate::supervise::{Ended, supervise};

/// Question for a capacity.
#[derive(FromPyObject)]
struct Asked {
    satisfied: String,
    users: String,
    of: f64,
    most: u64,
    seeds: usize,
    most_seeds: usize,
}

impl Asked {
    fn question(&self, source: &Source) -> Result<Result<Question, CapacityError>, PyErr> {
        let read = || -> Result<Question, CapacityError> {
            let question = Question::new(&self.satisfied, &self.users)?;
            let (share, most_steps) = (self.of, self.most);
            let (seeds, most_seeds) = (self.seeds, self.most_seeds);
            Ok(Question { share, most_steps, seeds, most_seeds, ..question })
        };
        let mut question = match read() {
            Ok(question) => question,
            Err(error) => return Ok(Err(error)),
        };
        let refused = |error| Python::attach(|py| errors::scenario(py, error));
        let scenario = source.scenario().map_err(refused)?;
        if let Err(error) = question.about(&scenario) {
            return Ok(Err(error));
        }
        question.limit(|count| source.with(count)).map_err(refused)?;
        Ok(Ok(question))
    }
}

/// Finds a capacity; gives it as JSON. `connect` takes overrides and axes of the campaign, and gives a function that makes its
/// runs elsewhere.
#[pyfunction]
#[pyo3(name = "capacity", signature = (source, asked, out=None, jobs=None, progress=None, connect=None))]
fn capacity_of(
    py: Python<'_>,
    mut source: Source,
    asked: Asked,
    out: Option<PathBuf>,
    jobs: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    connect: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let question = py.detach(|| asked.question(&source))?;
    let question = question.map_err(|error| errors::input(py, error))?;
    source.add(question.criteria.setting());
    let vary = vec![question.axis()];
    let campaign = py.detach(|| source.campaign(&vary, None));
    let campaign = campaign.map_err(|error| errors::scenario(py, error))?;
    let call = connect.map(|connect| connect.call1((source.overrides(), vary)));
    let call = call.transpose()?.map(Bound::unbind);
    let failed = Arc::new(Mutex::new(None));
    let theirs = Arc::clone(&failed);
    let ended = supervise(py, progress, move |shared| {
        let watched = Arc::clone(shared);
        let stopped = Box::new(move || watched.stop.load(Ordering::SeqCst));
        let farm = call.map(|call| Farm { call, stopped, failed: theirs });
        let at = |done: usize, all: usize| shared.at(done as f64, all as f64);
        let options = Options {
            folder: out.as_deref(),
            jobs,
            progress: Some(&at),
            interrupt: Some(&shared.stop),
            elsewhere: farm.as_ref().map(|farm| farm as &dyn Elsewhere),
            ..Options::default()
        };
        capacity(&campaign, &question, options)
    })?;
    if let Some(error) = failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    let Ended { result, raised } = ended;
    let found = result.map_err(|error| match (raised, error) {
        (Some(raised), _) => raised,
        (None, CapacityError::Sweep(error)) => sweep_error(py, &error),
        (None, error @ CapacityError::Input { .. }) => errors::input(py, error),
        (None, error) => errors::failed(py, error),
    })?;
    Ok(json!(found).to_string())
}

fn sweep_error(py: Python<'_>, error: &SweepError) -> PyErr {
    errors::sweep(py, error, &[])
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(capacity_of, module)?)
}
