//! Threads, locks and atomics of the standard library.

pub use std::hint::spin_loop;
pub use std::sync::atomic::AtomicUsize;
pub use std::sync::{Arc, Condvar, Mutex, MutexGuard};
pub use std::thread::{self, JoinHandle};

/// Looks at a value before a thread sleeps: about 100 µs.
pub const LOOKS: u32 = 4_096;
