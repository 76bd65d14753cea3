//! Jobs of a cell: work at its time.
//!
//! Most jobs are due within a few slots. They stand in a wheel: a list for each of the next
//! slots, in order. Timers, and what is due later, are in a heap.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

use airpath_base::{Duration, FlowId, Time};
use airpath_net::Direction;

use crate::bsr::BytesByGroup;
use crate::index::{BearerIndex, UeIndex};

/// Slots of the wheel: the bits of a word say which have jobs. More than a HARQ round trip.
const SLOTS: u64 = 64;
/// Slots before that of the first job for which an empty wheel has room.
const BEFORE: u64 = 16;
/// Due time without a job, after all others.
const NEVER: Time = Time::MAX;

/// Work of a cell at its time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Job {
    /// A block has been received and is decoded.
    Decode { block: u32 },
    /// A grant for the TTI of this number has been decoded by its UE.
    Grant { ue: UeIndex, tti: u64 },
    /// A grant of so many bytes has brought nothing: its UE missed it.
    Absent { ue: UeIndex, bytes: u32 },
    /// A UE may fill its configured grant for the TTI of this number.
    Configured { ue: UeIndex, tti: u64 },
    /// The cell learns which configured grants a UE will use: bytes of those of this period to come, and TTIs of the
    /// unused ones.
    Occasions { ue: UeIndex, ahead: u32, unused: (u64, u64) },
    /// A UE's opportunity for a scheduling request.
    Opportunity { ue: UeIndex },
    /// A scheduling request has been detected.
    Request { ue: UeIndex },
    /// A buffer status report has come without a grant.
    Report { ue: UeIndex, bytes: BytesByGroup },
    /// retxBSR-Timer of a UE may have run out.
    Retry { ue: UeIndex },
    /// A bearer's timer may have run out.
    Timer { ue: UeIndex, bearer: BearerIndex },
    /// A UE's radio state may change.
    Rrc { ue: UeIndex },
    /// A UE's radio link is to be looked at.
    Link { ue: UeIndex },
    /// A secondary cell is active for a UE.
    Activate { ue: UeIndex },
    /// A full buffer of this flow begins, or that of the bearer ends.
    FullBuffer { ue: UeIndex, bearer: BearerIndex, direction: Direction, flow: Option<FlowId> },
}

impl Job {
    /// The UE that it is about; none of a block.
    pub fn ue(self) -> Option<UeIndex> {
        match self {
            Job::Decode { .. } => None,
            Job::Grant { ue, .. }
            | Job::Absent { ue, .. }
            | Job::Configured { ue, .. }
            | Job::Occasions { ue, .. }
            | Job::Opportunity { ue }
            | Job::Request { ue }
            | Job::Report { ue, .. }
            | Job::Retry { ue }
            | Job::Timer { ue, .. }
            | Job::Rrc { ue }
            | Job::Link { ue }
            | Job::Activate { ue }
            | Job::FullBuffer { ue, .. } => Some(ue),
        }
    }

    /// True if it is about what carriers of a UE share.
    pub fn is_of_ue(self) -> bool {
        match self {
            Job::Opportunity { .. }
            | Job::Request { .. }
            | Job::Report { .. }
            | Job::Retry { .. }
            | Job::Timer { .. }
            | Job::Rrc { .. }
            | Job::Link { .. }
            | Job::FullBuffer { .. } => true,
            Job::Decode { .. }
            | Job::Grant { .. }
            | Job::Absent { .. }
            | Job::Configured { .. }
            | Job::Occasions { .. }
            | Job::Activate { .. } => false,
        }
    }
}

/// Jobs by their time; those of equal times in the order of their making.
pub(super) struct Jobs<J> {
    /// Nanoseconds of a slot.
    length: u64,
    /// The jobs of slot n are at n modulo `SLOTS`, in order.
    slots: Vec<VecDeque<Appointment<J>>>,
    /// Slots that have jobs, a bit each.
    occupied: u64,
    /// The first slot of the wheel.
    first: u64,
    heap: BinaryHeap<Reverse<Appointment<J>>>,
    /// Due time of the first job of all, and true if it is in the wheel.
    next: (Time, bool),
    made: u64,
}

/// A job with its order: its time, and a number that decides among equal times.
#[derive(Clone, Copy, Debug)]
struct Appointment<J> {
    due: Time,
    number: u64,
    job: J,
}

impl<J> Jobs<J> {
    /// No jobs, with slots of this length; none is shorter than a nanosecond.
    pub fn new(slot: Duration) -> Jobs<J> {
        Jobs {
            length: slot.as_nanos().max(1),
            slots: (0..SLOTS).map(|_| VecDeque::new()).collect(),
            occupied: 0,
            first: 0,
            heap: BinaryHeap::new(),
            next: (NEVER, false),
            made: 0,
        }
    }

    /// A job that is due soon.
    pub fn push(&mut self, due: Time, job: J) {
        let slot = due.as_nanos() / self.length;
        if self.occupied == 0 {
            self.first = self.first.max(slot.saturating_sub(BEFORE));
        }
        if slot.wrapping_sub(self.first) >= SLOTS {
            return self.push_timer(due, job);
        }
        let appointment = self.appoint(due, job);
        let jobs = &mut self.slots[(slot % SLOTS) as usize];
        let later = jobs.iter().rev().take_while(|other| other.due > due).count();
        jobs.insert(jobs.len() - later, appointment);
        self.occupied |= 1 << (slot % SLOTS);
        if due < self.next.0 {
            self.next = (due, true); // of equal times the one before was made earlier
        }
    }

    /// A job that is due at any time, perhaps far ahead.
    pub fn push_timer(&mut self, due: Time, job: J) {
        let appointment = self.appoint(due, job);
        self.heap.push(Reverse(appointment));
        if due < self.next.0 {
            self.next = (due, false);
        }
    }

    fn appoint(&mut self, due: Time, job: J) -> Appointment<J> {
        self.made += 1;
        Appointment { due, number: self.made, job }
    }

    /// Due time of the next job.
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
        let job = match self.next.1 {
            true => self.pop_slot(),
            false => self.heap.pop().map(|Reverse(first)| first),
        };
        self.find_next();
        job.map(|appointment| appointment.job)
    }

    /// Takes out the jobs for which `wanted` gives true, with their times.
    pub fn take_if(&mut self, mut wanted: impl FnMut(&J) -> bool) -> Vec<(Time, J)> {
        let mut taken = Vec::new();
        let mut keep = |one: Appointment<J>, kept: &mut dyn FnMut(Appointment<J>)| {
            if wanted(&one.job) { taken.push(one) } else { kept(one) }
        };
        for (n, slot) in self.slots.iter_mut().enumerate().filter(|(_, slot)| !slot.is_empty()) {
            for one in std::mem::take(slot) {
                keep(one, &mut |one| slot.push_back(one));
            }
            if slot.is_empty() {
                self.occupied &= !(1 << n);
            }
        }
        for Reverse(one) in std::mem::take(&mut self.heap) {
            keep(one, &mut |one| self.heap.push(Reverse(one)));
        }
        self.find_next();
        taken.sort_unstable();
        taken.into_iter().map(|one| (one.due, one.job)).collect()
    }

    /// The first slot with jobs, where it is in the list.
    #[inline]
    fn first_slot(&self) -> Option<usize> {
        let turned = self.occupied.rotate_right((self.first % SLOTS) as u32);
        let ahead = u64::from(turned.trailing_zeros());
        (ahead < SLOTS).then_some(((self.first + ahead) % SLOTS) as usize)
    }

    #[inline]
    fn pop_slot(&mut self) -> Option<Appointment<J>> {
        let slot = self.first_slot()?;
        // All before it is past.
        self.first += (slot as u64 + SLOTS - self.first % SLOTS) % SLOTS;
        let job = self.slots[slot].pop_front();
        if self.slots[slot].is_empty() {
            self.occupied &= !(1 << slot);
        }
        job
    }

    #[inline(always)]
    fn find_next(&mut self) {
        let timer = self.heap.peek().map_or((NEVER, 0), |Reverse(first)| first.key());
        let slot = self.first_slot().and_then(|slot| self.slots[slot].front());
        self.next = match slot.map(Appointment::key) {
            Some(key) if key < timer => (key.0, true),
            _ => (timer.0, false),
        };
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
            slot in 0u64..5,
            steps in prop::collection::vec(
                prop::option::of((prop_oneof![0u64..30, 0u64..2_000], any::<bool>())),
                0..300,
            ),
            pause in 1u64..500,
        ) {
            let slot = Duration::from_nanos(slot);
            let (mut jobs, mut expected) = (Jobs::new(slot), BTreeMap::new());
            let mut now = 0;
            for (n, step) in steps.into_iter().enumerate() {
                match step {
                    Some((ahead, rare)) => {
                        let due = Time::from_nanos(now + ahead);
                        if rare { jobs.push_timer(due, n) } else { jobs.push(due, n) }
                        expected.insert((now + ahead, n), n);
                    }
                    None => {
                        now += if n % 7 == 0 { pause } else { 3 };
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
