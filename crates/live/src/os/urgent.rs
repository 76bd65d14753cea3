//! Precedence over other work, for the thread that keeps to the clock.

use libc::{SCHED_RESET_ON_FORK, SCHED_RR, SYS_sched_setscheduler, c_int, syscall};

/// Lets the calling thread run before all threads without real-time priority (sched(7)). True if
/// the system allows it, which takes root or a limit for it (`RLIMIT_RTPRIO`). Programs that the
/// thread starts have no such precedence.
///
/// A thread that never waits keeps a core to itself then, but for the 5% that the kernel leaves to
/// others (`sched_rt_runtime_us`).
///
/// The kernel is called directly: musl's function of this name always fails.
#[expect(unsafe_code, reason = "the standard library has no scheduling")]
pub fn urgent() -> bool {
    let lowest: c_int = 1;
    // SAFETY: 0 is the calling thread, and the kernel reads one number, which lives as long.
    unsafe {
        syscall(SYS_sched_setscheduler, 0, SCHED_RR | SCHED_RESET_ON_FORK, &raw const lowest) == 0
    }
}
