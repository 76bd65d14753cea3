//! Precedence over other work, for the thread that keeps to the clock.

use libc::{SCHED_RESET_ON_FORK, SCHED_RR, sched_param, sched_setscheduler};

/// Lets the calling thread run before all threads without real-time priority (sched(7)). True if
/// the system allows it, which takes root or a limit for it (`RLIMIT_RTPRIO`). Programs that the
/// thread starts have no such precedence.
///
/// A thread that never waits keeps a core to itself then, but for the 5% that the kernel leaves to
/// others (`sched_rt_runtime_us`).
#[expect(unsafe_code, reason = "the standard library has no scheduling")]
pub fn urgent() -> bool {
    let lowest = sched_param { sched_priority: 1 };
    // SAFETY: 0 is the calling thread, and the kernel reads a `sched_param` that lives as long.
    unsafe { sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &raw const lowest) == 0 }
}
