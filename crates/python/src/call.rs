//! Duration of a call of the work to Python.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::errors;

/// The call that goes on, if any. The work begins and ends it; who waits for the work looks.
#[derive(Default)]
pub struct Call {
    budget: Option<Duration>,
    /// Its beginning in nanoseconds since the epoch below; 0 while there is none.
    began: AtomicU64,
    epoch: OnceLock<Instant>,
    /// Python's number of the thread.
    thread: OnceLock<u64>,
    /// The beginning of the call that was interrupted.
    told: AtomicU64,
    /// The part that is called, and its method.
    what: Mutex<Option<(Arc<str>, &'static str)>>,
}

impl Call {
    /// Calls may take so long; any time without.
    pub fn within(budget: Option<Duration>) -> Call {
        Call { budget, ..Call::default() }
    }

    /// A call of a part's method begins, in this thread.
    pub fn begin(&self, py: Python<'_>, part: &Arc<str>, method: &'static str) -> PyResult<()> {
        if self.budget.is_none() {
            return Ok(());
        }
        *self.what() = Some((Arc::clone(part), method));
        if self.thread.get().is_none() {
            let ident = py.import("threading")?.getattr("get_ident")?.call0()?.extract()?;
            self.thread.get_or_init(|| ident);
        }
        self.began.store(self.now(), Ordering::SeqCst);
        Ok(())
    }

    /// It has ended.
    pub fn end(&self) {
        self.began.store(0, Ordering::SeqCst);
    }

    /// Raises `TimeoutError` in a call that takes too long.
    ///
    /// # Errors
    ///
    /// If it goes on for as long again.
    pub fn look(&self, py: Python<'_>) -> PyResult<()> {
        let began = self.began.load(Ordering::SeqCst);
        let (Some(budget), Some(thread)) = (self.budget, self.thread.get()) else { return Ok(()) };
        let lasts = Duration::from_nanos(self.now().saturating_sub(began));
        if began == 0 || lasts <= budget {
            return Ok(());
        }
        let words =
            format!("it took longer than the {} s that a call may take", budget.as_secs_f64());
        if self.told.swap(began, Ordering::SeqCst) != began {
            let interrupt = py.import("airpath._parts")?.getattr("_interrupt")?;
            interrupt.call1((*thread, words))?;
        } else if lasts > budget * 2 {
            return Err(errors::part_alone(
                py,
                format!("{}: {words}, and cannot be ended", self.place()),
            ));
        }
        Ok(())
    }

    fn what(&self) -> MutexGuard<'_, Option<(Arc<str>, &'static str)>> {
        self.what.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self) -> String {
        self.what().as_ref().map(|(part, method)| format!("{part}: {method}")).unwrap_or_default()
    }

    /// At least 1.
    #[expect(clippy::disallowed_methods, reason = "who waits may look at the clock")]
    fn now(&self) -> u64 {
        self.epoch.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
    }
}
