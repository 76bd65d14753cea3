//! The program's commands.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::supervise::{Ended, supervise};
use crate::{evaluate, farm};

/// The program: runs with these arguments, the first its name, and gives its exit code. `again` is
/// how a process starts it once more; `connect` connects to a cluster, and `controller` finds one in a file of Python.
#[pyfunction]
fn main(
    py: Python<'_>,
    arguments: Vec<OsString>,
    again: Vec<String>,
    connect: Py<PyAny>,
    controller: Py<PyAny>,
) -> u8 {
    farm::lend(connect);
    evaluate::lend(controller);
    py.detach(|| airpath::main(arguments, Some(again)))
}

/// A command without the program around it. Gives its exit code, its output, its errors and notes,
/// its output without `--json`, and the exception that was raised meanwhile.
#[pyfunction]
#[pyo3(signature = (arguments, progress=None))]
fn call(
    py: Python<'_>,
    arguments: Vec<OsString>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(u8, [String; 3], Option<Py<PyAny>>)> {
    let Ended { result, raised } = supervise(py, progress, move |_| airpath::call(&arguments))?;
    let raised = raised.map(|error| error.into_value(py).into_any());
    Ok((result.code, [result.out, result.err, result.words], raised))
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(call, module)?)
}
