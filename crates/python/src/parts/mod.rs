//! Parts of a run that are written in Python: congestion controllers, queues, schedulers, sources.
//!
//! A part is called in the thread of the run. The run ends at the first part that raises, gives an
//! impossible answer, or takes too long. From then on no part is called, each repeats its last
//! answer, and the failure is the result of the run. One of several runs goes on to its end then.

mod controller;
mod facts;
mod keys;
mod queue;
mod scheduler;
mod source;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use airpath_base::Time;
use airpath_media::Pattern;
use airpath_net::queue::Queue;
use airpath_ran::mac::Scheduler;
use airpath_scenario::{Flow, QuicEcn, Scenario};
use airpath_transport::control::CongestionControl;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub use controller::OnQuic;
pub use keys::check;

use crate::call::Call;
use crate::errors;
use crate::supervise::Shared;

/// Makes the parts of a run, by the keys of the scenario that they replace.
pub struct Parts {
    makers: Vec<(String, Py<PyAny>)>,
    fate: Arc<Fate>,
    ues: Arc<[String]>,
    /// Names of flows whose packets are ECT(1) whatever their controller answers.
    scalable: Vec<String>,
}

/// State that all parts of a run share.
pub struct Fate {
    shared: Arc<Shared>,
    /// Running call of the run's parts.
    call: Arc<Call>,
    /// True if work that has further runs goes on when a part of this one has failed.
    goes_on: bool,
    is_sealed: AtomicBool,
    failure: Mutex<Option<PyErr>>,
}

/// A part.
struct Part {
    /// The key, and the flow or cell, as `flow.download.tcp.controller of download-3`.
    name: Arc<str>,
    class: String,
    object: Py<PyAny>,
    fate: Arc<Fate>,
}

impl Parts {
    pub fn new(
        makers: Vec<(String, Py<PyAny>)>,
        scenario: &Scenario,
        shared: Arc<Shared>,
    ) -> Parts {
        let fate = Arc::new(Fate::new(shared, false));
        let is_l4s = |flow: &&Flow| flow.quic.as_ref().is_some_and(|own| own.ecn() == QuicEcn::L4s);
        let scalable = scenario.flow.iter().filter(is_l4s).map(|flow| flow.name.clone()).collect();
        Parts { makers, fate, ues: scenario.ues().map(|ue| ue.name()).collect(), scalable }
    }

    /// The controller of one of several runs. A failure ends its parts, and no other run.
    pub fn of_a_run(maker: Py<PyAny>, shared: Arc<Shared>) -> Parts {
        let fate = Arc::new(Fate::new(shared, true));
        Parts {
            makers: vec![(String::new(), maker)],
            fate,
            ues: Arc::new([]),
            scalable: Vec::new(),
        }
    }

    /// The only part, as the controller of a flow of TCP or of QUIC, whose packets are ECT(1) if `scalable` has a value.
    pub fn only(&self, name: &str, on_quic: Option<OnQuic>) -> Option<Box<dyn CongestionControl>> {
        let part = self.make("", name)?;
        Some(Box::new(controller::Own::new(part, on_quic)))
    }

    /// Holder of failures.
    pub fn fate(&self) -> Arc<Fate> {
        Arc::clone(&self.fate)
    }

    /// True if a scheduler is among them.
    pub fn has_scheduler(&self) -> bool {
        self.maker(keys::SCHEDULER).is_some()
    }

    /// The controller of a flow of the file; `name` is that of this one of its flows.
    pub fn controller(&self, flow: &str, name: &str) -> Option<Box<dyn CongestionControl>> {
        if let Some(part) = self.make(&keys::controller(flow), name) {
            return Some(Box::new(controller::Own::new(part, None)));
        }
        let part = self.make(&keys::quic_controller(flow), name)?;
        let on_quic = controller::OnQuic { scalable: self.scalable.iter().any(|own| own == flow) };
        Some(Box::new(controller::Own::new(part, Some(on_quic))))
    }

    /// The queue of a link, as `sgi down`.
    pub fn queue(&self, link: &str) -> Option<Box<dyn Queue>> {
        let part = keys::queues(link).into_iter().find_map(|key| self.make(&key, link))?;
        Some(Box::new(queue::Own::new(part)))
    }

    /// The scheduler of a cell, and one that grants nothing if it cannot be made.
    pub fn scheduler(&self, cell: usize) -> Box<dyn Scheduler> {
        let part = self.make(keys::SCHEDULER, &format!("cell {cell}"));
        Box::new(scheduler::Own::new(part, Arc::clone(&self.ues)))
    }

    /// The source of a flow.
    pub fn pattern(&self, flow: &str, name: &str) -> Option<Box<dyn Pattern>> {
        Some(Box::new(source::Own(self.make(&keys::source(flow), name)?)))
    }

    fn maker(&self, key: &str) -> Option<&Py<PyAny>> {
        self.makers.iter().find(|(name, _)| name == key).map(|(_, maker)| maker)
    }

    fn make(&self, key: &str, of: &str) -> Option<Part> {
        let maker = self.maker(key)?;
        let name = if key.is_empty() { of.to_owned() } else { format!("{key} of {of}") };
        let name: Arc<str> = name.into();
        if self.fate.is_sealed() {
            return None;
        }
        Python::attach(|py| {
            let made = self.fate.timed(py, (&name, "__init__"), || maker.call0(py));
            let made = made.and_then(|object| Ok((keys::class(object.bind(py), key)?, object)));
            match made {
                Ok((class, object)) => {
                    Some(Part { name, class, object, fate: Arc::clone(&self.fate) })
                }
                Err(error) => {
                    self.fate.seal(py, &format!("{name} cannot be made"), error);
                    None
                }
            }
        })
    }
}

impl Part {
    /// Calls a method and reads what it gave and what the part then is; none if that fails, or
    /// something has failed before.
    fn call<T>(
        &self,
        now: Time,
        method: &'static str,
        arguments: impl for<'py> PyCallArgs<'py>,
        read: impl FnOnce(&Bound<'_, PyAny>, &Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        if self.fate.is_sealed() {
            return None;
        }
        Python::attach(|py| {
            let object = self.object.bind(py);
            let gave = self
                .fate
                .timed(py, (&self.name, method), || object.call_method1(method, arguments));
            let read = gave.and_then(|gave| read(object, &gave));
            read.inspect_err(|error| {
                let (name, class) = (&self.name, &self.class);
                let place = format!("{name}: {class}.{method} at {} s", now.as_secs_f64());
                self.fate.seal(py, &place, error.clone_ref(py));
            })
            .ok()
        })
    }

    /// True if the part has a method of its own instead of that of the class `base`.
    fn overrides(&self, base: &str, method: &str) -> bool {
        let differs = |py: Python<'_>| {
            let base = py.import("airpath._parts")?.getattr(base)?.getattr(method)?;
            let own = self.object.bind(py).get_type().getattr(method)?;
            PyResult::Ok(!own.is(&base))
        };
        Python::attach(|py| differs(py).unwrap_or(true))
    }
}

impl Fate {
    fn new(shared: Arc<Shared>, goes_on: bool) -> Fate {
        let call = shared.begin_calls();
        Fate { shared, call, goes_on, is_sealed: AtomicBool::new(false), failure: Mutex::new(None) }
    }

    /// The failure, once.
    pub fn take(&self) -> Option<PyErr> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn is_sealed(&self) -> bool {
        self.is_sealed.load(Ordering::Relaxed) || self.shared.stop.load(Ordering::Relaxed)
    }

    /// Ends the run. What fails first counts.
    fn seal(&self, py: Python<'_>, place: &str, cause: PyErr) {
        let error = errors::part(py, format!("{place}: {}", errors::words(py, &cause)), cause);
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.is_sealed.store(true, Ordering::SeqCst);
        if !self.goes_on {
            self.shared.stop.store(true, Ordering::SeqCst);
        }
    }

    /// Calls, while who waits for the run looks at the time.
    fn timed<T>(
        &self,
        py: Python<'_>,
        (part, method): (&Arc<str>, &'static str),
        call: impl FnOnce() -> PyResult<T>,
    ) -> PyResult<T> {
        self.call.begin(py, part, method)?;
        let gave = call();
        self.call.end();
        gave
    }
}

/// Error of an impossible answer of a part.
fn nonsense(words: impl Into<String>) -> PyErr {
    PyValueError::new_err(words.into())
}

/// A finite number from 0 on.
fn amount(value: &Bound<'_, PyAny>, what: &str) -> PyResult<f64> {
    match value.extract::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err(nonsense(format!("{what} is {}: a number, 0 or more", shown(value)))),
    }
}

/// A value as Python writes it, cut short.
fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map(|text| text.to_string());
    text.map_or_else(|_| "something".to_owned(), |text| text.chars().take(60).collect())
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    facts::add(module)
}
