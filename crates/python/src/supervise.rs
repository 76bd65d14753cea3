//! Work that takes long, in a thread of its own, while Python hears its signals.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::call::Call;
use crate::errors;
use crate::forked;

/// Between two looks at signals.
const LOOK: Duration = Duration::from_millis(50);
/// The stack of a program's first thread on Linux.
const STACK: usize = 8 << 20;

/// State that the work shares with the thread that waits for it.
#[derive(Default)]
pub struct Shared {
    /// Asks the work to end early, with what there is.
    pub stop: AtomicBool,
    /// Longest time that a call to Python may take; any without.
    budget: Option<Duration>,
    /// Calls to Python, those of each run.
    calls: Mutex<Vec<Weak<Call>>>,
    /// Progress and end of the work: bits of `f64`.
    done: AtomicU64,
    all: AtomicU64,
}

impl Shared {
    /// The work is so far.
    pub fn at(&self, done: f64, all: f64) {
        self.all.store(all.to_bits(), Ordering::Relaxed);
        self.done.store(done.to_bits(), Ordering::Relaxed);
    }

    /// Calls of a run, which this watches as long as there are any.
    pub fn begin_calls(&self) -> Arc<Call> {
        let call = Arc::new(Call::within(self.budget));
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|call| call.strong_count() > 0);
        calls.push(Arc::downgrade(&call));
        call
    }

    /// Raises in calls that take too long ([`Call::look`]).
    fn look(&self, py: Python<'_>) -> PyResult<()> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone();
        calls.iter().filter_map(Weak::upgrade).try_for_each(|call| call.look(py))
    }

    /// Progress of the work; that of a command is counted by the program.
    fn progress(&self) -> (f64, f64) {
        let of = |bits: &AtomicU64| f64::from_bits(bits.load(Ordering::Relaxed));
        let steps = airpath::steps();
        match of(&self.all) {
            0.0 => (steps.0 as f64, steps.1 as f64),
            all => (of(&self.done), all),
        }
    }
}

/// Result of work, and the exception that Python raised meanwhile: `KeyboardInterrupt` as a rule.
/// After an exception the work ends early.
pub struct Ended<T> {
    /// Result of the work.
    pub result: T,
    /// The exception that was raised.
    pub raised: Option<PyErr>,
}

type Message<T> = Result<T, Box<dyn Any + Send>>;

/// Does the work. `progress` is called with how far it is and where it ends.
///
/// # Errors
///
/// If the work panics, or Python raises a second time before it has ended: it is then left alone.
pub fn supervise<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Arc<Shared>) -> T + Send + 'static,
) -> PyResult<Ended<T>> {
    supervise_calls(py, progress, None, work)
}

/// Supervises work of which no call to Python may take longer than `budget`.
///
/// # Errors
///
/// Likewise, and if a call goes on after its interruption.
pub fn supervise_calls<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    budget: Option<Duration>,
    work: impl FnOnce(&Arc<Shared>) -> T + Send + 'static,
) -> PyResult<Ended<T>> {
    let shared = Arc::new(Shared { budget, ..Shared::default() });
    let mut waiting = begin(Arc::clone(&shared), work)?;
    let mut raised = None;
    loop {
        let (back, message) = py.detach(move || {
            let message = waiting.recv_timeout(LOOK);
            (waiting, message)
        });
        waiting = back;
        match message {
            Ok(Ok(result)) => {
                let ending = listen(py, progress.filter(|_| raised.is_none()), &shared);
                return Ok(Ended { result, raised: raised.or(ending.err()) });
            }
            Ok(Err(why)) => return Err(errors::panicked(py, &*why)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(errors::failed(py, "internal error: the work is gone"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = listen(py, progress.filter(|_| raised.is_none()), &shared) {
            shared.stop.store(true, Ordering::SeqCst);
            airpath::stop();
            if raised.replace(error).is_some() {
                return Err(raised.take().expect("just put there"));
            }
        }
    }
}

fn begin<T: Send + 'static>(
    shared: Arc<Shared>,
    work: impl FnOnce(&Arc<Shared>) -> T + Send + 'static,
) -> PyResult<Receiver<Message<T>>> {
    let (sender, receiver) = channel();
    thread::Builder::new().stack_size(STACK).spawn(move || {
        let result = panic::catch_unwind(AssertUnwindSafe(|| forked::here(|| work(&shared))));
        // Nobody waits any more if Python gave up.
        let _ = sender.send(result);
    })?;
    Ok(receiver)
}

fn listen(py: Python<'_>, progress: Option<&Bound<'_, PyAny>>, shared: &Shared) -> PyResult<()> {
    py.check_signals()?;
    shared.look(py)?;
    progress.map_or(Ok(()), |call| call.call1(shared.progress()).map(drop))
}
