//! `airpath evaluate` with controllers that are written in Python.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use airpath::OwnController;
use airpath_scenario::world::OwnParts;
use pyo3::prelude::*;

use crate::errors;
use crate::parts::{OnQuic, Parts};
use crate::supervise::{Ended, Shared, supervise_calls};

/// A controller: its name, keys below the flow with their values in TOML, and its class or a function that makes one.
#[derive(FromPyObject)]
struct Given(String, Vec<(String, String)>, Py<PyAny>);

impl Given {
    fn controller(self, shared: &Arc<Shared>) -> OwnController {
        let Given(name, keys, maker) = self;
        let has = |key: &str, value: &str| keys.iter().any(|(k, v)| k == key && v == value);
        let scalable = has("quic.ecn", "\"l4s\"");
        let on_quic = has("kind", "\"quic\"").then_some(OnQuic { scalable });
        let shared = Arc::clone(shared);
        let make = move |run: &mut dyn FnMut(OwnParts<'_>)| {
            let maker = Python::attach(|py| maker.clone_ref(py));
            let parts = Parts::of_a_run(maker, Arc::clone(&shared));
            let controller = |_: &str, name: &str| parts.only(name, on_quic);
            run(OwnParts { controller: Some(&controller), ..OwnParts::default() });
            let failed = parts.fate().take()?;
            Some(Python::attach(|py| failed.value(py).to_string()))
        };
        OwnController { name, keys, make: Arc::new(make) }
    }
}

/// Runs `airpath evaluate` with these arguments, in which the names of controllers of the caller's own are those given. Gives
/// what `call` gives.
#[pyfunction]
#[pyo3(signature = (arguments, own, budget=None, progress=None))]
fn evaluate(
    py: Python<'_>,
    arguments: Vec<OsString>,
    own: Vec<Given>,
    budget: Option<f64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(u8, [String; 3], Option<Py<PyAny>>)> {
    let budget = budget.map(Duration::from_secs_f64);
    let Ended { result, raised } = supervise_calls(py, progress, budget, move |shared| {
        let own = own.into_iter().map(|given| given.controller(shared)).collect();
        airpath::call_evaluate(&arguments, own)
    })?;
    let raised = raised.map(|error| error.into_value(py).into_any());
    Ok((result.code, [result.out, result.err, result.words], raised))
}

/// Lets the program use controllers that a function of Python's finds: of a text as `FILE.py:CLASS`, the triple above.
pub fn lend(find: Py<PyAny>) {
    airpath::with_controllers(Box::new(move |text| {
        let given = Python::attach(|py| {
            let given = find.call1(py, (text,)).and_then(|given| given.extract::<Given>(py));
            given.map_err(|error| errors::words(py, &error))
        });
        Ok(given?.controller(&Arc::default()))
    }));
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(evaluate, module)?)
}
