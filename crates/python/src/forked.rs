//! Threads of a process that was forked.
//!
//! A fork has the thread that called it, and no others. Rayon's common pool is then without threads,
//! and work that is handed to it would never be done. A forked process has a pool of its own.

use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::ThreadPool;

/// The process that loaded the module. The threads of the common pool are its own.
static LOADED: OnceLock<u32> = OnceLock::new();

/// The pool of a forked process, and that process.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The module is loaded.
pub fn loaded() {
    LOADED.get_or_init(process::id);
}

/// Does work whose threads are those of this process.
pub fn here<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let own = process::id();
    if LOADED.get() == Some(&own) {
        return work();
    }
    match pool(own) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// The pool of this process; none if there can be no threads.
fn pool(own: u32) -> Option<Arc<ThreadPool>> {
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, pool)) = &*kept
        && *process == own
    {
        return Some(Arc::clone(pool));
    }
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().build().ok()?);
    // The pool of the process before it has no threads here, and waits for them when it is dropped.
    if let Some((_, before)) = kept.replace((own, Arc::clone(&pool))) {
        std::mem::forget(before);
    }
    Some(pool)
}
