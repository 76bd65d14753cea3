//! What the cell has to do at its time.
//!
//! Most jobs are due a fixed time after they are made, a time for each kind, so those of
//! a kind come in order by themselves. They stand in lanes, each in order: a job joins
//! the first lane whose last is not due after it. What finds no lane is in a heap.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

use airpath_base::Time;

/// As many as there are kinds of jobs with a fixed delay.
const LANES: usize = 6;
/// The key of no job, after all others.
const NONE: u128 = u128::MAX;

/// Jobs by their time; those of equal times in the order of their making.
pub(super) struct Jobs<J> {
    lanes: [VecDeque<Appointment<J>>; LANES],
    /// Keys of the first job of each lane.
    first: [u128; LANES],
    /// When the last job of each lane is due; 0 for an empty one.
    last: [Time; LANES],
    heap: BinaryHeap<Reverse<Appointment<J>>>,
    /// Key of the first job of all, and its lane or, if it is `LANES`, the heap.
    next: (u128, usize),
    made: u64,
}

/// A job and its place: its time, and a number that decides among equal times.
#[derive(Clone, Copy, Debug)]
struct Appointment<J> {
    key: u128,
    job: J,
}

impl<J> Default for Jobs<J> {
    fn default() -> Jobs<J> {
        Jobs {
            lanes: Default::default(),
            first: [NONE; LANES],
            last: [Time::ZERO; LANES],
            heap: BinaryHeap::new(),
            next: (NONE, LANES),
            made: 0,
        }
    }
}

impl<J> Jobs<J> {
    pub fn push(&mut self, due: Time, job: J) {
        let key = u128::from(due.as_nanos()) << 64 | u128::from(self.made);
        self.made += 1;
        let lane = self.last.iter().position(|last| *last <= due).unwrap_or(LANES);
        match self.lanes.get_mut(lane) {
            Some(jobs) => {
                jobs.push_back(Appointment { key, job });
                self.last[lane] = due;
                self.first[lane] = self.first[lane].min(key);
            }
            None => self.heap.push(Reverse(Appointment { key, job })),
        }
        self.next = self.next.min((key, lane));
    }

    /// The same for a job that is due at any time, perhaps far ahead: in a lane it would
    /// stand in the way of others.
    pub fn push_rare(&mut self, due: Time, job: J) {
        let key = u128::from(due.as_nanos()) << 64 | u128::from(self.made);
        self.made += 1;
        self.heap.push(Reverse(Appointment { key, job }));
        self.next = self.next.min((key, LANES));
    }

    /// When the next job is due.
    #[inline]
    pub fn next_due(&self) -> Option<Time> {
        let (key, _) = self.next;
        (key != NONE).then(|| Time::from_nanos((key >> 64) as u64))
    }

    /// The next job, if it is due by `now`.
    #[inline]
    pub fn pop_due(&mut self, now: Time) -> Option<J> {
        if self.next_due().is_none_or(|due| due > now) {
            return None;
        }
        self.pop()
    }

    fn pop(&mut self) -> Option<J> {
        let (_, lane) = self.next;
        let job = match self.lanes.get_mut(lane) {
            Some(jobs) => {
                let job = jobs.pop_front().map(|appointment| appointment.job);
                self.first[lane] = jobs.front().map_or(NONE, |next| next.key);
                if self.first[lane] == NONE {
                    self.last[lane] = Time::ZERO;
                }
                job
            }
            None => self.heap.pop().map(|Reverse(appointment)| appointment.job),
        };
        let heap = self.heap.peek().map_or(NONE, |Reverse(first)| first.key);
        self.next = (heap, LANES);
        for (lane, key) in self.first.iter().enumerate() {
            if *key < self.next.0 {
                self.next = (*key, lane);
            }
        }
        job
    }
}

impl<J> PartialEq for Appointment<J> {
    fn eq(&self, other: &Appointment<J>) -> bool {
        self.key == other.key
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
        self.key.cmp(&other.key)
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
