//! Results of a run.

use std::path::PathBuf;

use airpath_results::{Collector, Named, ResultsFolder, RunSummary, Table, tables, users};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors;
use crate::frame::Frame;
use crate::packets;

/// A run that is over. A table is laid out on its first use.
#[pyclass(frozen, module = "airpath._airpath")]
pub struct Outcome {
    summary: RunSummary,
    collector: Collector,
    folder: Option<PathBuf>,
}

impl Outcome {
    pub fn new(outcome: airpath_sim::Outcome) -> Outcome {
        let airpath_sim::Outcome { summary, collector, folder, .. } = outcome;
        let folder = folder.map(|folder| folder.path().to_owned());
        Outcome { summary, collector, folder }
    }

    fn rows(&self, name: &str) -> Option<Table> {
        let (run, collector) = (&self.summary, &self.collector);
        Some(match name {
            "flows" => tables::flows(run),
            "cells" => tables::cells(run),
            "ues" => tables::ues(run),
            "bearers" => tables::bearers(run),
            "links" => tables::links(run),
            "users" => users::table(&collector.users(collector.end())),
            "series" => tables::series(collector),
            "frames" => tables::frames(collector),
            "requests" => tables::requests(collector),
            "states" => tables::states(collector),
            "positions" => tables::positions(collector),
            "handovers" => tables::handovers(collector),
            "handover_flows" => tables::handover_flows(collector),
            "handover_packets" => tables::handover_packets(collector),
            "cell_offsets" => tables::cell_offsets(collector),
            "legs" => tables::legs(collector),
            "secondary_cells" => tables::secondary_cells(collector),
            _ => return None,
        })
    }
}

#[pymethods]
impl Outcome {
    /// True if the run came to its end.
    #[getter]
    fn complete(&self) -> bool {
        self.summary.complete
    }

    /// The folder that it was written to, if any.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        self.folder.clone()
    }

    /// `summary.json`.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        self.summary.to_json().map_err(|error| errors::failed(py, error))
    }

    /// `metrics.json`.
    fn metrics(&self) -> String {
        let metrics = self.collector.metrics(&self.summary).into_iter();
        json!(metrics.map(|metric| (metric.name, metric.value)).collect::<Named<f64>>()).to_string()
    }

    /// The program's words.
    #[pyo3(signature = (all=false))]
    fn text(&self, all: bool) -> String {
        airpath::summary_text(&self.summary, all)
    }

    /// A table.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Frame> {
        if name == "packets" {
            return py
                .detach(|| packets::frame(&self.collector))
                .map_err(|e| errors::failed(py, e));
        }
        let table = py.detach(|| self.rows(name));
        let table = table.ok_or_else(|| errors::input(py, format!("there is no table {name}")))?;
        Frame::of(&table).map_err(|error| errors::failed(py, error))
    }

    /// Writes the folder that `airpath run --out` writes, without captures and `timing.json`.
    fn write(&self, py: Python<'_>, path: PathBuf, scenario: &str) -> PyResult<PathBuf> {
        let written = py.detach(|| {
            let folder = ResultsFolder::create(&path)?;
            folder.write_run(&self.collector, &self.summary)?;
            folder.write_text("scenario.toml", scenario)?;
            folder.finish()
        });
        let folder = written.map_err(|error| errors::input(py, error))?;
        Ok(folder.path().to_owned())
    }
}

/// Writes files of a results folder to another folder, with their digests.
#[pyfunction]
fn write_folder(py: Python<'_>, path: PathBuf, files: Vec<(String, Vec<u8>)>) -> PyResult<PathBuf> {
    let written = py.detach(|| {
        let folder = ResultsFolder::create(&path)?;
        files.iter().try_for_each(|(name, bytes)| folder.write_bytes(name, bytes))?;
        folder.finish()
    });
    let folder = written.map_err(|error| errors::input(py, error))?;
    Ok(folder.path().to_owned())
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Outcome>()?;
    module.add_function(wrap_pyfunction!(write_folder, module)?)
}
