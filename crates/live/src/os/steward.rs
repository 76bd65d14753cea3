//! The one thread that keeps the privileges of the process.
//!
//! Starting and ending programs takes these privileges, handling packets does not, so all other
//! threads can give theirs up. The steward is also the parent of the programs for the kernel. The
//! kernel ends them when their parent ends (PR_SET_PDEATHSIG(2const) means the thread, not the
//! process).

use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

use super::OsError;

type Work = Box<dyn FnOnce() + Send>;

/// The thread, which ends with this handle.
#[derive(Debug)]
pub(super) struct Steward {
    orders: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
}

impl Steward {
    pub(super) fn start() -> Result<Steward, OsError> {
        let (orders, work) = channel::<Work>();
        let thread = Builder::new()
            .name("steward".into())
            .spawn(move || work.into_iter().for_each(|order| order()))
            .map_err(|source| OsError::system("start a thread", source))?;
        Ok(Steward { orders: Some(orders), thread: Some(thread) })
    }

    /// Has something done in the thread and waits for it. Nothing comes back from work that
    /// panicked.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (done, result) = channel();
        let order = Box::new(move || {
            let _ = done.send(work());
        });
        self.orders.as_ref()?.send(order).ok()?;
        result.recv().ok()
    }
}

impl Drop for Steward {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
