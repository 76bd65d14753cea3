//! What the cell has to do at its time.
//!
//! Most jobs are due a fixed time after they are made, a time for each kind, so those of
//! a kind come in order by themselves. They stand in lanes, each in order: a job joins
//! the first lane whose last is not due after it. What finds no lane is in a heap.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};
use std::hint::cold_path;

use airpath_base::Time;

/// As many as there are kinds of jobs with a fixed delay.
const LANES: usize = 6;
/// When no job is due, after all others.
const NEVER: Time = Time::MAX;

/// Jobs by their time; those of equal times in the order of their making.
pub(super) struct Jobs<J> {
    lanes: [VecDeque<Appointment<J>>; LANES],
    /// When the first job of each lane is due, and its number.
    first: [Time; LANES],
    numbers: [u64; LANES],
    /// When the last job of each lane is due; 0 for an empty one.
    last: [Time; LANES],
    heap: BinaryHeap<Reverse<Appointment<J>>>,
    /// When the first job of all is due, and its lane or, if it is `LANES`, the heap.
    next: (Time, usize),
    made: u64,
}

/// A job and its place: its time, and a number that decides among equal times.
#[derive(Clone, Copy, Debug)]
struct Appointment<J> {
    due: Time,
    number: u64,
    job: J,
}

impl<J> Default for Jobs<J> {
    fn default() -> Jobs<J> {
        Jobs {
            lanes: Default::default(),
            first: [NEVER; LANES],
            numbers: [0; LANES],
            last: [Time::ZERO; LANES],
            heap: BinaryHeap::new(),
            next: (NEVER, LANES),
            made: 0,
        }
    }
}

impl<J> Jobs<J> {
    pub fn push(&mut self, due: Time, job: J) {
        let Some(lane) = self.last.iter().position(|last| *last <= due) else {
            cold_path();
            return self.push_rare(due, job);
        };
        let appointment = self.appoint(due, job);
        if self.first[lane] == NEVER {
            (self.first[lane], self.numbers[lane]) = (due, appointment.number);
        }
        self.lanes[lane].push_back(appointment);
        self.last[lane] = due;
        if due < self.next.0 {
            self.next = (due, lane); // of equal times the one before was made earlier
        }
    }

    /// The same for a job that is due at any time, perhaps far ahead: in a lane it would
    /// stand in the way of others.
    pub fn push_rare(&mut self, due: Time, job: J) {
        let appointment = self.appoint(due, job);
        self.heap.push(Reverse(appointment));
        if due < self.next.0 {
            self.next = (due, LANES);
        }
    }

    fn appoint(&mut self, due: Time, job: J) -> Appointment<J> {
        self.made += 1;
        Appointment { due, number: self.made, job }
    }

    /// When the next job is due.
    #[inline]
    pub fn next_due(&self) -> Option<Time> {
        (self.next.0 < NEVER).then_some(self.next.0)
    }

    /// The next job, if it is due by `now`.
    #[inline]
    pub fn pop_due(&mut self, now: Time) -> Option<J> {
        if self.next.0 > now {
            return None;
        }
        self.pop()
    }

    fn pop(&mut self) -> Option<J> {
        let (_, lane) = self.next;
        let job = match self.lanes.get_mut(lane) {
            Some(jobs) => {
                let job = jobs.pop_front();
                match jobs.front() {
                    Some(next) => {
                        (self.first[lane], self.numbers[lane]) = (next.due, next.number);
                    }
                    None => (self.first[lane], self.last[lane]) = (NEVER, Time::ZERO),
                }
                job
            }
            None => {
                cold_path();
                self.heap.pop().map(|Reverse(first)| first)
            }
        };
        self.find_next();
        job.map(|appointment| appointment.job)
    }

    #[inline(always)]
    fn find_next(&mut self) {
        let first = self.heap.peek().map_or((NEVER, 0), |Reverse(first)| first.key());
        let (mut due, mut number) = first;
        let mut lane = LANES;
        for n in 0..LANES {
            let ties = self.first[n] == due && self.numbers[n] < number;
            if self.first[n] < due || ties {
                (due, number, lane) = (self.first[n], self.numbers[n], n);
            }
        }
        self.next = (due, lane);
    }
}

impl<J> Appointment<J> {
    fn key(&self) -> (Time, u64) {
        (self.due, self.number)
    }
}

impl<J> PartialEq for Appointment<J> {
    fn eq(&self, other: &Appointment<J>) -> bool {
        self.key() == other.key()
    }
}

impl<J> Eq for Appointment<J> {}

impl<J> PartialOrd for Appointment<J> {
    fn partial_cmp(&self, other: &Appointment<J>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<J> Ord for Appointment<J> {
    fn cmp(&self, other: &Appointment<J>) -> Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn by_time_and_then_by_making(
            steps in prop::collection::vec(prop::option::of((0u64..30, any::<bool>())), 0..300)
        ) {
            let (mut jobs, mut expected) = (Jobs::default(), BTreeMap::new());
            let mut now = 0;
            for (n, step) in steps.into_iter().enumerate() {
                match step {
                    Some((ahead, rare)) => {
                        let due = Time::from_nanos(now + ahead);
                        if rare { jobs.push_rare(due, n) } else { jobs.push(due, n) }
                        expected.insert((now + ahead, n), n);
                    }
                    None => {
                        now += 3;
                        while let Some(job) = jobs.pop_due(Time::from_nanos(now)) {
                            let ((due, _), first) = expected.pop_first().expect("a job");
                            prop_assert!(due <= now && job == first);
                        }
                    }
                }
                let next = expected.first_key_value().map(|((due, _), _)| *due);
                prop_assert_eq!(jobs.next_due().map(Time::as_nanos), next);
            }
        }
    }
}
