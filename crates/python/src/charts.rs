//! Charts of results folders.

use airpath_plot::Chart;
use airpath_report::{ReportError, Results, What, all, chart};
use airpath_results::Digests;
use pyo3::prelude::*;

use crate::errors;
use crate::forked;
use crate::frame::digests;

/// A folder, and what charts call it, if not as the folder is called.
type Source = (String, Option<String>);

/// Charts of folders, as title, sentence, Vega-Lite and SVG; those of `what`, or all that there are.
#[pyfunction]
#[pyo3(signature = (folders, what=None, of=None, unchecked=false))]
fn charts(
    py: Python<'_>,
    folders: Vec<Source>,
    what: Option<&str>,
    of: Option<&str>,
    unchecked: bool,
) -> PyResult<Vec<(String, String, String, String)>> {
    let made = py.detach(|| forked::here(|| made(&folders, what, of, digests(unchecked))));
    let made = made.map_err(|e| errors::report(py, &e))?;
    let drawn = |chart: &Chart| {
        let words = (chart.title.clone(), chart.sentence.clone());
        (words.0, words.1, chart.vega_lite().to_string(), chart.svg())
    };
    Ok(py.detach(|| forked::here(|| made.iter().map(drawn).collect())))
}

fn made(
    folders: &[Source],
    what: Option<&str>,
    of: Option<&str>,
    digests: Digests,
) -> Result<Vec<Chart>, ReportError> {
    let mut results = Results::default();
    for (folder, label) in folders {
        results.add(folder, label.as_deref(), digests)?;
    }
    match what {
        None => all(&results, of),
        Some(what) => Ok(vec![chart(What::named(what)?, &results, of)?]),
    }
}

/// Names of charts, each with what it shows.
#[pyfunction]
fn chart_names() -> Vec<(&'static str, &'static str)> {
    What::ALL.iter().map(|what| (what.name(), what.meaning())).collect()
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(charts, module)?)?;
    module.add_function(wrap_pyfunction!(chart_names, module)?)
}
