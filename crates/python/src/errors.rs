//! Exceptions. Their classes are Python's (`airpath/_errors.py`).

use std::any::Any;

use airpath_campaign::SweepError;
use airpath_report::ReportError;
use airpath_scenario::{Errors, Problem};
use airpath_sim::RunFailure;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

/// An exception of the package, made with these arguments.
fn raised<'py, A>(py: Python<'py>, class: &str, arguments: A) -> PyErr
where
    A: pyo3::call::PyCallArgs<'py>,
{
    let made = py
        .import("airpath._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Error of the user's input.
pub fn input(py: Python<'_>, message: impl ToString) -> PyErr {
    raised(py, "InputError", (message.to_string(),))
}

/// A run failed.
pub fn failed(py: Python<'_>, message: impl ToString) -> PyErr {
    raised(py, "RunError", (message.to_string(),))
}

/// A part that is written in Python failed, with what it raised.
pub fn part(py: Python<'_>, message: String, cause: PyErr) -> PyErr {
    let error = part_alone(py, message);
    error.set_cause(py, Some(cause));
    error
}

/// A part that is written in Python failed without an exception.
pub fn part_alone(py: Python<'_>, message: String) -> PyErr {
    raised(py, "PartError", (message,))
}

/// Text of an exception, with its class unless it is of those for values.
pub fn words(py: Python<'_>, error: &PyErr) -> String {
    let value = error.value(py).to_string();
    let class = error.get_type(py).name().map(|name| name.to_string()).unwrap_or_default();
    match value.is_empty() {
        true => class,
        false if error.is_instance_of::<pyo3::exceptions::PyValueError>(py) => value,
        false => format!("{class}: {value}"),
    }
}

/// Everything that is wrong with a scenario, as the program says it.
pub fn scenario(py: Python<'_>, errors: Errors) -> PyErr {
    let problem = |problem: &Problem| {
        let words = (problem.position(), problem.message(), problem.allowed());
        words.into_py_any(py)
    };
    let problems: PyResult<Vec<_>> = errors.problems().iter().map(problem).collect();
    let plain = errors.plain();
    let report = airpath::problems_text(&errors);
    match problems {
        Ok(problems) => raised(py, "ScenarioError", (plain, problems, report.trim_end())),
        Err(error) => error,
    }
}

/// A run that failed.
pub fn run(py: Python<'_>, failure: &RunFailure) -> PyErr {
    match failure {
        RunFailure::Out(_) => input(py, failure),
        _ => failed(py, failure),
    }
}

/// A campaign that failed, with what else there is to say.
pub fn sweep(py: Python<'_>, error: &SweepError, notes: &[String]) -> PyErr {
    match error {
        SweepError::Interrupted => {
            let words = ["interrupted".to_owned()].into_iter().chain(notes.iter().cloned());
            raised(py, "Interrupted", (words.collect::<Vec<_>>().join("; "),))
        }
        error if error.is_bad_input() => input(py, error),
        error => failed(py, error),
    }
}

/// A chart that cannot be.
pub fn report(py: Python<'_>, error: &ReportError) -> PyErr {
    input(py, error)
}

/// A mistake of airpath's that panicked.
pub fn panicked(py: Python<'_>, why: &(dyn Any + Send)) -> PyErr {
    let text = why.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| why.downcast_ref::<String>().cloned());
    failed(py, format!("internal error: {}", text.unwrap_or_default()))
}
