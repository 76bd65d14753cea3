//! Scenarios: text and overrides in, what they say out.

use std::path::Path;
use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_scenario::{Campaign, Errors, Scenario, Variation, profiles, templates};
use pyo3::prelude::*;
use serde_json::Value;

use crate::errors;

/// A scenario without a mistake, with every default.
#[pyclass(frozen, module = "airpath._airpath")]
pub struct Resolved {
    pub scenario: Arc<Scenario>,
}

#[pymethods]
impl Resolved {
    /// All keys as JSON.
    fn to_json(&self) -> String {
        self.scenario.to_json().to_string()
    }

    /// All keys as the text of a file.
    fn to_toml(&self) -> String {
        self.scenario.to_toml()
    }

    /// Warnings about its text.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.scenario.warnings.clone()
    }

    /// A fingerprint, hexadecimal.
    fn digest(&self) -> String {
        format!("{:032x}", self.scenario.digest().value())
    }

    /// Names of its UEs.
    fn ues(&self) -> Vec<String> {
        self.scenario.ues().map(|ue| ue.name()).collect()
    }

    /// Its UEs and flows, with those that arrive by chance.
    fn counts(&self) -> (usize, usize) {
        let drawn = self.scenario.with_arrivals(Seed(self.scenario.seed));
        let flows = self.scenario.flow.iter();
        let flows = flows.map(|flow| drawn.members(&flow.ue, flow.only.as_ref()).len()).sum();
        (drawn.ues().count(), flows)
    }
}

/// Origin of a scenario: its name in errors, its text, the folder of the files that it names, and
/// overrides.
#[derive(FromPyObject)]
pub struct Source {
    name: String,
    text: String,
    folder: String,
    overrides: Vec<String>,
}

impl Source {
    /// Adds an override, if there is one.
    pub fn add(&mut self, setting: Option<String>) {
        self.overrides.extend(setting);
    }

    /// Its overrides.
    pub fn overrides(&self) -> Vec<String> {
        self.overrides.clone()
    }

    pub fn scenario(&self) -> Result<Scenario, Errors> {
        let folder = Path::new(&self.folder);
        Scenario::read_from(&self.name, self.text.as_bytes(), folder, &self.overrides)
    }

    /// The scenario with one more override.
    pub fn with(&self, setting: &str) -> Result<Scenario, Errors> {
        let overrides = [&self.overrides[..], &[setting.to_owned()]].concat();
        let folder = Path::new(&self.folder);
        Scenario::read_from(&self.name, self.text.as_bytes(), folder, &overrides)
    }

    pub fn campaign(&self, vary: &[String], runs: Option<u64>) -> Result<Campaign, Errors> {
        let variation =
            Variation { overrides: &self.overrides, vary, runs, ..Variation::default() };
        let folder = Path::new(&self.folder);
        Campaign::read_from(&self.name, self.text.as_bytes(), folder, variation)
    }
}

/// Reads a scenario.
#[pyfunction]
fn resolve(py: Python<'_>, source: Source) -> PyResult<Resolved> {
    let scenario = py.detach(|| source.scenario()).map_err(|e| errors::scenario(py, e))?;
    Ok(Resolved { scenario: Arc::new(scenario) })
}

/// A scenario as it is written, with its overrides, as JSON.
#[pyfunction]
fn written(py: Python<'_>, source: Source) -> PyResult<String> {
    let written = Scenario::written(&source.name, &source.text, &source.overrides);
    Ok(written.map_err(|e| errors::scenario(py, e))?.to_string())
}

/// JSON as the text of a TOML file.
#[pyfunction]
fn toml(py: Python<'_>, json: &str) -> PyResult<String> {
    let value: Value = serde_json::from_str(json).map_err(|e| errors::input(py, e))?;
    let keys = value.as_object().ok_or_else(|| errors::input(py, "a scenario is a table"))?;
    Ok(airpath_scenario::toml(keys))
}

/// Arms of a campaign: name, and runs at most.
#[pyfunction]
fn arms(
    py: Python<'_>,
    source: Source,
    vary: Vec<String>,
    runs: Option<u64>,
) -> PyResult<Vec<(String, u64)>> {
    let campaign = source.campaign(&vary, runs).map_err(|e| errors::scenario(py, e))?;
    let arm = |arm: &airpath_scenario::Arm| (arm.name.clone(), campaign.most_runs_of(arm));
    Ok(campaign.arms.iter().map(arm).collect())
}

/// Templates, then profiles: name, content in a line, and text.
#[pyfunction(name = "templates")]
fn all_templates() -> Vec<(&'static str, &'static str, &'static str)> {
    let all = templates().iter().chain(profiles());
    all.map(|template| (template.name, template.summary, template.text)).collect()
}

/// The JSON Schema of scenario files.
#[pyfunction]
fn schema() -> String {
    Scenario::schema().to_string()
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(resolve, module)?)?;
    module.add_function(wrap_pyfunction!(written, module)?)?;
    module.add_function(wrap_pyfunction!(toml, module)?)?;
    module.add_function(wrap_pyfunction!(arms, module)?)?;
    module.add_function(wrap_pyfunction!(all_templates, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)
}
