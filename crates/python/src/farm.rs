//! Runs of a campaign that are made elsewhere, by a function of Python's.

use std::sync::{Arc, Mutex, PoisonError};

use airpath::ClusterWork;
use airpath_campaign::{Elsewhere, SweepError, Take};
use airpath_results::Refused;
use airpath_scenario::Campaign;
use pyo3::prelude::*;

use crate::errors;
use crate::scenario::Source;

/// Calls the function with the runs, as pairs of an arm's index and a seed. It gives an iterator of
/// triples: index of the run, success, and its record as JSON or the reason. None means that there
/// is nothing yet.
pub struct Farm {
    pub call: Py<PyAny>,
    /// True if the runs are to end early.
    pub stopped: Box<dyn Fn() -> bool + Send + Sync>,
    /// The exception of the function.
    pub failed: Arc<Mutex<Option<PyErr>>>,
}

impl Farm {
    fn all(&self, py: Python<'_>, runs: &[(usize, u64)], take: &Take<'_>) -> PyResult<bool> {
        let given = self.call.bind(py).call1((runs.to_vec(),))?;
        for item in given.try_iter()? {
            if (self.stopped)() {
                given.call_method0("close")?;
                return Ok(false);
            }
            let Some((place, made, text)) = item?.extract::<Option<(usize, bool, String)>>()?
            else {
                continue;
            };
            if place >= runs.len() {
                return Err(errors::failed(py, format!("there is no run {place}")));
            }
            py.detach(|| {
                let record = || serde_json::from_str(&text).map_err(|error| error.to_string());
                take(place, if made { record() } else { Err(text.clone()) });
            });
        }
        Ok(true)
    }
}

impl Elsewhere for Farm {
    fn make(&self, runs: &[(usize, u64)], take: &Take<'_>) -> Result<(), SweepError> {
        if runs.is_empty() {
            return Ok(());
        }
        Python::attach(|py| match self.all(py, runs, take) {
            Ok(true) => Ok(()),
            Ok(false) => Err(SweepError::Interrupted),
            Err(error) => {
                let why = reason(py, &error);
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                Err(why)
            }
        })
    }
}

/// The reason in an exception, which names a damaged file by its attribute `damaged`.
fn reason(py: Python<'_>, error: &PyErr) -> SweepError {
    let value = error.value(py);
    match value.getattr("damaged").and_then(|damaged| damaged.extract()) {
        Ok((path, fault)) => SweepError::Refused(Refused::Damaged { path, fault }),
        Err(_) => SweepError::Elsewhere(value.to_string()),
    }
}

/// Lets the program use what a function of Python's connects to.
pub fn lend(connect: Py<PyAny>) {
    airpath::with_cluster(Box::new(move |work: ClusterWork| {
        let ClusterWork { address, store, unchecked, name, text, folder, overrides, vary, runs } =
            work;
        let source = (name, text, folder, overrides);
        let call = Python::attach(|py| {
            let call = connect.call1(py, (address, store, source, vary, runs, unchecked));
            call.map_err(|error| error.value(py).to_string())
        })?;
        Ok(Box::new(Farm { call, stopped: Box::new(airpath::is_stopped), failed: Arc::default() }))
    }));
}

/// A campaign, to make some of its runs.
#[pyclass(frozen, module = "airpath._airpath")]
pub struct Plan {
    campaign: Campaign,
}

#[pymethods]
impl Plan {
    #[new]
    fn new(py: Python<'_>, source: Source, vary: Vec<String>, runs: Option<u64>) -> PyResult<Plan> {
        let campaign = py.detach(|| source.campaign(&vary, runs));
        Ok(Plan { campaign: campaign.map_err(|error| errors::scenario(py, error))? })
    }

    /// Identity of each arm's runs beside their seeds, of this build: hexadecimal.
    fn keys(&self) -> Vec<String> {
        let arms = self.campaign.arms.iter();
        arms.map(|arm| format!("{:032x}", airpath_campaign::work(&arm.scenario).value())).collect()
    }

    /// Makes a run: whether it was made, and its record as JSON or why not.
    fn make(&self, py: Python<'_>, arm: usize, seed: u64) -> PyResult<(bool, String)> {
        let arm = self.campaign.arms.get(arm);
        let arm = arm.ok_or_else(|| errors::input(py, format!("there is no arm {arm:?}")))?;
        match py.detach(|| airpath_campaign::make(&arm.scenario, seed, None)) {
            Ok(record) => {
                Ok((true, serde_json::to_string(&record).map_err(|e| errors::failed(py, e))?))
            }
            Err(why) => Ok((false, why)),
        }
    }
}
