//! The worker pool: threads that work on shards.
//!
//! A job has a part for each shard. Whoever is free takes the next part, the largest first, the
//! thread that reads the capture too, once it has nothing left to read ahead. A job is done when all
//! its parts are; only then the next begins. So a shard sees its packets in order, and
//! what it makes of them does not depend on the number of threads.

use std::cmp::Reverse;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

use crate::batch::{Batch, SHARDS};
use crate::shard::Shard;

/// Number of looks before a thread sleeps. Other threads are ready at about the same time, some
/// microseconds later, and a wake-up takes longer than that.
const SPINS: u32 = 500;

/// The shards, and the threads that work on them.
pub(crate) struct WorkerPool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    job: Option<Arc<Job>>,
}

/// Work on each shard.
pub(crate) enum Work {
    /// Packets to be analysed.
    Packets(Batch),
    /// Flows to be ended, by their numbers, for each shard.
    Flows(Vec<Vec<u32>>),
    /// Hosts to be ended, by their numbers, for each shard.
    Hosts(Vec<Vec<u32>>),
}

impl Work {
    /// Shards by how much is to be done with them, those with most of it first.
    fn order(&self) -> [u8; SHARDS] {
        let mut order = core::array::from_fn(|n| n as u8);
        let size = |n: &u8| match self {
            Work::Packets(batch) => batch.shard(usize::from(*n)).len(),
            Work::Flows(list) | Work::Hosts(list) => list[usize::from(*n)].len(),
        };
        order.sort_unstable_by_key(|n| Reverse(size(n)));
        order
    }
}

struct Job {
    work: Work,
    /// Shards, in the order in which they are taken.
    order: [u8; SHARDS],
    next: AtomicUsize,
    left: AtomicUsize,
}

struct Shared {
    shards: Vec<Mutex<Shard>>,
    /// Number of the last job.
    number: AtomicU64,
    slot: Mutex<Slot>,
    /// There is a job, or no more will come.
    posted: Condvar,
    /// The job is done.
    done: Condvar,
}

#[derive(Default)]
struct Slot {
    job: Option<Arc<Job>>,
    number: u64,
    closed: bool,
}

impl WorkerPool {
    /// So many threads, that of the caller included.
    pub(crate) fn new(shards: impl Iterator<Item = Shard>, threads: usize) -> WorkerPool {
        let shared = Arc::new(Shared {
            shards: shards.map(Mutex::new).collect(),
            number: AtomicU64::new(0),
            slot: Mutex::default(),
            posted: Condvar::new(),
            done: Condvar::new(),
        });
        let begin = |_| {
            let shared = Arc::clone(&shared);
            thread::Builder::new().spawn(move || shared.serve()).ok()
        };
        // Fewer threads than wished for do the same.
        let threads = (1..threads.min(SHARDS)).filter_map(begin).collect();
        WorkerPool { shared, threads, job: None }
    }

    /// Begins a job; the one before must have been finished.
    pub(crate) fn begin(&mut self, work: Work) {
        let (next, left) = (AtomicUsize::new(0), AtomicUsize::new(SHARDS));
        let order = work.order();
        let job = Arc::new(Job { work, order, next, left });
        self.job = Some(Arc::clone(&job));
        if self.threads.is_empty() {
            return self.shared.work(&job);
        }
        let mut slot = lock(&self.shared.slot);
        slot.job = Some(job);
        slot.number += 1;
        self.shared.number.store(slot.number, Ordering::Release);
        self.shared.posted.notify_all();
    }

    /// Works on the job that was begun until it is done; gives its packets back.
    pub(crate) fn finish(&mut self) -> Option<Batch> {
        let job = self.job.take()?;
        self.shared.work(&job);
        spin_until(|| job.left.load(Ordering::Acquire) == 0);
        let mut slot = lock(&self.shared.slot);
        while job.left.load(Ordering::Acquire) > 0 {
            slot = self.shared.done.wait(slot).expect("no thread panics with the slot");
        }
        slot.job = None;
        drop(slot);
        // A thread that found no part left may still look at the job. What is in it is worth
        // the wait: its memory is used again.
        spin_until(|| Arc::strong_count(&job) == 1);
        match Arc::try_unwrap(job).ok()?.work {
            Work::Packets(batch) => Some(batch),
            Work::Flows(_) | Work::Hosts(_) => None,
        }
    }

    /// A shard, while there is no job.
    pub(crate) fn shard(&self, n: usize) -> MutexGuard<'_, Shard> {
        lock(&self.shared.shards[n])
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        lock(&self.shared.slot).closed = true;
        self.shared.posted.notify_all();
        for thread in self.threads.drain(..) {
            let panicked = thread.join().is_err();
            assert!(!panicked || thread::panicking(), "a thread of the analysis panicked");
        }
    }
}

impl Shared {
    /// Loop of a thread until no more jobs come.
    fn serve(&self) {
        let mut last = 0;
        loop {
            spin_until(|| self.number.load(Ordering::Acquire) != last);
            let mut slot = lock(&self.slot);
            while !slot.closed && (slot.job.is_none() || slot.number == last) {
                slot = self.posted.wait(slot).expect("no thread panics with the slot");
            }
            let Some(job) = slot.job.clone().filter(|_| !slot.closed) else { return };
            last = slot.number;
            drop(slot);
            self.work(&job);
        }
    }

    /// Takes parts of a job as long as there are any.
    fn work(&self, job: &Job) {
        loop {
            let next = job.next.fetch_add(1, Ordering::Relaxed);
            let Some(n) = job.order.get(next).copied().map(usize::from) else { return };
            let part = Part { shared: self, job };
            lock(&self.shards[n]).work(&job.work, n);
            drop(part);
        }
    }
}

/// A part of a job in the course of being done; it counts as done even if that fails, so
/// that nobody waits for it.
struct Part<'a> {
    shared: &'a Shared,
    job: &'a Job,
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if self.job.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            // The one who waits holds the slot until he sleeps.
            drop(self.shared.slot.lock());
            self.shared.done.notify_all();
        }
    }
}

/// Looks a while whether something has happened.
fn spin_until(happened: impl Fn() -> bool) {
    for _ in 0..SPINS {
        if happened() {
            return;
        }
        spin_loop();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("a thread of the analysis panicked")
}
