use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Crew, Job};

struct Square(usize, usize);

impl Job for Square {
    fn desk(&self) -> usize {
        self.0 / 3
    }

    fn run(&mut self) {
        assert_ne!(self.0, 13, "a job of bad luck");
        self.1 = self.0 * self.0;
    }
}

fn squares(numbers: std::ops::Range<usize>) -> Vec<Square> {
    numbers.map(|n| Square(n, 0)).collect()
}

#[test]
fn all_jobs_of_many_stages_are_done() {
    for threads in [1, 2, 3, 8] {
        let mut crew = Crew::new(threads);
        for stage in 0..500 {
            let mut jobs = squares(20..20 + stage % 40);
            crew.run(&mut jobs);
            assert_eq!(jobs.len(), stage % 40);
            assert!(jobs.iter().all(|job| job.1 == job.0 * job.0), "{threads} threads");
        }
    }
}

#[test]
fn a_panic_of_any_thread_ends_the_stage_with_its_message() {
    for threads in [1, 2, 8] {
        let mut crew = Crew::new(threads);
        let run = AssertUnwindSafe(|| crew.run(&mut squares(0..20)));
        let fault = catch_unwind(run).expect_err("a panic");
        let message = fault.downcast_ref::<String>().expect("a message");
        assert!(message.contains("a job of bad luck"), "{message}");
    }
}
