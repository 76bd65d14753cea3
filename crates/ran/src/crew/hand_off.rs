use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::sync::{
    Arc, AtomicUsize, Condvar, JoinHandle, LOOKS, Mutex, MutexGuard, spin_loop, thread,
};

/// The number of a stage that never comes: workers end.
const END: usize = usize::MAX;
/// Looks at a value between two moments at which another thread may have the core.
const LOOKS_IN_A_ROW: u32 = 64;

/// Work that any thread may do.
pub(crate) trait Job: Send + 'static {
    /// The desk that gets the job, modulo the number of threads.
    fn desk(&self) -> usize;

    /// Does the work.
    fn run(&mut self);
}

/// The caller and its workers, threads that live as long as the crew.
pub(crate) struct Crew<J> {
    shared: Arc<Shared<J>>,
    workers: Vec<JoinHandle<()>>,
    stage: usize,
}

struct Shared<J> {
    /// By thread, the caller first.
    desks: Vec<Desk<J>>,
    /// Number of the present stage.
    stage: AtomicUsize,
    /// Jobs of the stage that are not done.
    left: AtomicUsize,
    /// Rings for workers at a new stage.
    begun: Bell,
    /// Rings for the caller when all jobs are done.
    done: Bell,
    /// Panic of a job.
    fault: Mutex<Option<Box<dyn Any + Send>>>,
}

/// A bell for threads that wait.
#[derive(Default)]
struct Bell {
    /// Threads that sleep.
    asleep: Mutex<usize>,
    rung: Condvar,
}

/// Jobs of a thread. Desks do not share cache lines.
#[repr(align(128))]
struct Desk<J> {
    due: Mutex<Vec<J>>,
    done: Mutex<Vec<J>>,
}

impl<J: Job> Crew<J> {
    /// A crew of so many threads, the caller among them. Those that the system refuses are
    /// missing, and the others do their work.
    pub fn new(threads: usize) -> Crew<J> {
        let desk = |_| Desk { due: Mutex::new(Vec::new()), done: Mutex::new(Vec::new()) };
        let shared = Arc::new(Shared {
            desks: (0..threads).map(desk).collect(),
            stage: AtomicUsize::new(0),
            left: AtomicUsize::new(0),
            begun: Bell::default(),
            done: Bell::default(),
            fault: Mutex::new(None),
        });
        let worker = |own: usize| {
            let shared = Arc::clone(&shared);
            thread::Builder::new().name(format!("cells {own}")).spawn(move || shared.work(own)).ok()
        };
        let workers = (1..threads).filter_map(worker).collect();
        Crew { shared, workers, stage: 0 }
    }

    /// Does all jobs, and gives them back in any order.
    ///
    /// # Panics
    ///
    /// With the panic of a job, when all others are done.
    pub fn run(&mut self, jobs: &mut Vec<J>) {
        let shared = &self.shared;
        shared.left.store(jobs.len(), Ordering::Relaxed);
        for job in jobs.drain(..).rev() {
            lock(&shared.desks[job.desk() % shared.desks.len()].due).push(job);
        }
        self.stage += 1;
        shared.begin(self.stage);
        shared.help(0);
        shared.done.wait(|| (shared.left.load(Ordering::Acquire) == 0).then_some(()));
        if let Some(fault) = lock(&shared.fault).take() {
            resume_unwind(fault);
        }
        shared.desks.iter().for_each(|desk| jobs.append(&mut lock(&desk.done)));
    }
}

impl<J> Drop for Crew<J> {
    fn drop(&mut self) {
        self.shared.begin(END);
        for worker in self.workers.drain(..) {
            // A worker catches the panics of jobs, and has none of its own.
            let _ = worker.join();
        }
    }
}

impl<J> Shared<J> {
    fn begin(&self, stage: usize) {
        self.stage.store(stage, Ordering::Release);
        self.begun.ring();
    }
}

impl<J: Job> Shared<J> {
    /// A worker's life.
    fn work(&self, own: usize) {
        let mut stage = 0;
        loop {
            let next = || Some(self.stage.load(Ordering::Acquire)).filter(|next| *next != stage);
            stage = self.begun.wait(next);
            if stage == END {
                return;
            }
            self.help(own);
        }
    }

    /// Does jobs until no desk has any.
    fn help(&self, own: usize) {
        let mut count = 0;
        while let Some(mut job) = self.next(own) {
            match catch_unwind(AssertUnwindSafe(|| job.run())) {
                Ok(()) => lock(&self.desks[own].done).push(job),
                Err(fault) => *lock(&self.fault) = Some(fault),
            }
            count += 1;
        }
        if count > 0 && self.left.fetch_sub(count, Ordering::AcqRel) == count {
            self.done.ring();
        }
    }

    /// A job of the thread's own desk, or else of another.
    fn next(&self, own: usize) -> Option<J> {
        let mut desks = (own..self.desks.len()).chain(0..own);
        desks.find_map(|desk| lock(&self.desks[desk].due).pop())
    }
}

impl Bell {
    /// Waits until `look` finds something. A ring follows whatever it can find.
    fn wait<T>(&self, look: impl Fn() -> Option<T>) -> T {
        for looks in 1..=LOOKS {
            if let Some(found) = look() {
                return found;
            }
            match looks % LOOKS_IN_A_ROW {
                0 => thread::yield_now(),
                _ => spin_loop(),
            }
        }
        let mut asleep = lock(&self.asleep);
        *asleep += 1;
        loop {
            if let Some(found) = look() {
                *asleep -= 1;
                return found;
            }
            asleep = self.rung.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes all that sleep.
    fn ring(&self) {
        if *lock(&self.asleep) > 0 {
            self.rung.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
