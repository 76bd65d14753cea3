//! The Python module `airpath._airpath`: what the package `python/airpath` is made of.
//!
//! It has no logic of its own. Texts and JSON go in and out; tables go out through Arrow's C stream
//! interface. Long work runs in a thread of its own, so Python handles its signals and its other
//! threads go on. Texts for people are written in Python.

mod call;
mod campaign;
mod capacity;
mod charts;
mod command;
mod errors;
mod evaluate;
mod farm;
mod forked;
mod frame;
mod outcome;
mod packets;
mod parts;
mod pickled;
mod run;
mod scenario;
mod supervise;

use pyo3::prelude::*;

/// The module.
#[pymodule]
fn _airpath(module: &Bound<'_, PyModule>) -> PyResult<()> {
    forked::loaded();
    module.add("VERSION", airpath_results::VERSION)?;
    module.add("BUILD", airpath_campaign::BUILD)?;
    module.add_class::<frame::Frame>()?;
    module.add_class::<scenario::Resolved>()?;
    module.add_class::<farm::Plan>()?;
    outcome::add(module)?;
    scenario::add(module)?;
    run::add(module)?;
    parts::add(module)?;
    campaign::add(module)?;
    capacity::add(module)?;
    charts::add(module)?;
    frame::add(module)?;
    evaluate::add(module)?;
    pickled::add(module)?;
    command::add(module)
}
