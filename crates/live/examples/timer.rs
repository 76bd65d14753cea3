//! Lateness of a bare absolute timer on this machine, for comparison with that of an emulation.
//!
//!     cargo run --release -p airpath-live --example timer

#[cfg(target_os = "linux")]
fn main() {
    use airpath_base::Duration;
    use airpath_live::{Lateness, os};
    use rustix::thread::{clock_nanosleep_absolute, set_current_timer_slack};
    use rustix::time::{ClockId, Timespec, clock_gettime};

    let nanos = |at: Timespec| at.tv_sec * 1_000_000_000 + at.tv_nsec;
    for precedence in [false, true] {
        let precedence = precedence && os::urgent();
        let _ = set_current_timer_slack(core::num::NonZeroU64::new(1));
        let (mut lateness, mut due) =
            (Lateness::default(), nanos(clock_gettime(ClockId::Monotonic)));
        for _ in 0..5_000 {
            due += 1_000_000;
            let at = Timespec { tv_sec: due / 1_000_000_000, tv_nsec: due % 1_000_000_000 };
            let _ = clock_nanosleep_absolute(ClockId::Monotonic, &at);
            let late = nanos(clock_gettime(ClockId::Monotonic)) - due;
            lateness.woken(Duration::from_nanos(late.unsigned_abs()));
        }
        let health = lateness.health(0.0, Duration::ZERO);
        println!(
            "{} precedence: {} ms late at the median, {} ms at p99, {} ms at most",
            if precedence { "with" } else { "without" },
            health.wake_p50_ms,
            health.wake_p99_ms,
            health.wake_max_ms
        );
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
