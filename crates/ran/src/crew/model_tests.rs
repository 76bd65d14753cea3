//! The hand-off in all orders in which its threads may act, by loom.

mod hand_off {
    include!("hand_off.rs");
}

use std::panic::AssertUnwindSafe;

use hand_off::{Crew, Job};

mod sync {
    pub use loom::hint::spin_loop;
    pub use loom::sync::atomic::AtomicUsize;
    pub use loom::sync::{Arc, Condvar, Mutex, MutexGuard};
    pub use loom::thread::{self, JoinHandle};

    /// A thread looks once before it sleeps: what it would see later is what it sees then.
    pub const LOOKS: u32 = 1;
}

/// A counter with a desk.
struct Count(usize, u32);

impl Job for Count {
    fn desk(&self) -> usize {
        self.0
    }

    fn run(&mut self) {
        self.1 += 1;
    }
}

fn model(threads: usize, stages: u32, desks: &'static [usize]) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let mut crew = Crew::new(threads);
        let mut jobs: Vec<Count> = desks.iter().map(|desk| Count(*desk, 0)).collect();
        for stage in 1..=stages {
            crew.run(&mut jobs);
            assert_eq!(jobs.len(), desks.len());
            assert!(jobs.iter().all(|job| job.1 == stage));
        }
    });
}

#[test]
fn a_worker_and_the_caller_do_each_job_once_a_stage() {
    model(2, 2, &[0, 1]);
}

#[test]
fn two_workers_do_each_job_once() {
    model(3, 1, &[1, 1, 2]);
}

/// A job that panics.
struct Fault;

impl Job for Fault {
    fn desk(&self) -> usize {
        1
    }

    fn run(&mut self) {
        std::panic::resume_unwind(Box::new("a fault"));
    }
}

#[test]
fn a_panic_reaches_the_caller() {
    loom::model(|| {
        let mut crew = Crew::new(2);
        let run = AssertUnwindSafe(|| crew.run(&mut vec![Fault]));
        let fault = std::panic::catch_unwind(run).expect_err("a panic");
        assert_eq!(fault.downcast_ref(), Some(&"a fault"));
    });
}
