//! The executor: failures, interruptions, and a run cache that processes share, some of them
//! killed.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, thread};

use airpath_base::Digest;
use airpath_sim::{ExecuteOptions, Interrupted, Job, Outputs, RunCache, execute};

/// Makes this test binary one of the processes of a test; holds the folder.
const WORKER: &str = "AIRPATH_TEST_WORKER";
/// The number of a job at which it stops for ever.
const STOPS: &str = "AIRPATH_TEST_STOPS";
const SEEDS: [u64; 3] = [1, 2, 3];

/// Says in a file that it runs, and gives a long output.
struct Counted {
    number: u64,
    log: Option<PathBuf>,
    fails: bool,
    panics: bool,
    stops: bool,
}

impl Job for Counted {
    type Output = Vec<u64>;
    type Failure = String;

    fn digest(&self) -> Digest {
        Digest::new().number(self.number)
    }

    fn run(&self, seed: u64, interrupt: Option<&AtomicBool>) -> Result<Option<Vec<u64>>, String> {
        if let Some(log) = &self.log {
            let mut file = File::options().create(true).append(true).open(log).expect("a log");
            file.write_all(format!("{} {seed}\n", self.number).as_bytes()).expect("written");
        }
        if self.stops {
            loop {
                pause(1000);
            }
        }
        pause(1); // so that others get their turn
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Ok(None);
        }
        assert!(!(self.panics && seed == 2), "job {} panics", self.number);
        match self.fails && seed == 2 {
            true => Err(format!("job {} is broken", self.number)),
            false => Ok(Some(output(self.number, seed))),
        }
    }
}

fn output(number: u64, seed: u64) -> Vec<u64> {
    (0..5_000).map(|n| n * number + seed).collect()
}

fn pause(millis: u64) {
    #[expect(clippy::disallowed_methods, reason = "the test waits for processes")]
    thread::sleep(Duration::from_millis(millis));
}

fn jobs(count: u64, log: Option<&Path>) -> Vec<Counted> {
    let (fails, panics, stops) = (false, false, false);
    let job = |number| Counted { number, log: log.map(Path::to_owned), fails, panics, stops };
    (0..count).map(job).collect()
}

/// True if each job has its output with each seed.
fn right(outputs: &Outputs<Counted>) -> bool {
    let expected = |job| SEEDS.map(|seed| Ok(output(job, seed))).to_vec();
    outputs.iter().zip(0..).all(|(of, job)| *of == expected(job))
}

/// Runs in the log, in order.
fn made(log: &Path) -> Vec<String> {
    let text = fs::read_to_string(log).unwrap_or_default();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Another process, at work on all of [`share`].
fn worker(folder: &Path, stops: Option<u64>) -> Child {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", "sharing::a_worker"]).env(WORKER, folder);
    command.envs(stops.map(|job| (STOPS, job.to_string())));
    command.stdout(Stdio::null()).spawn().expect("a process")
}

fn share(folder: &Path, stops: Option<u64>) -> Outputs<Counted> {
    let mut jobs = jobs(40, Some(&folder.join("log")));
    for job in &mut jobs {
        job.stops = Some(job.number) == stops;
    }
    let cache = RunCache::open(&folder.join("runs"), "build").expect("a cache");
    let options = ExecuteOptions { cache: Some(&cache), ..ExecuteOptions::default() };
    let outputs = execute(&jobs, &SEEDS, options).expect("not interrupted");
    assert_eq!(cache.faults(), Vec::<String>::new());
    outputs
}

/// No test of its own: what [`worker`] starts.
#[test]
fn a_worker() {
    let Some(folder) = env::var_os(WORKER) else { return };
    let stops = env::var(STOPS).ok().and_then(|job| job.parse().ok());
    assert!(right(&share(Path::new(&folder), stops)));
}

#[test]
fn two_processes_share_a_folder_and_make_each_run_once() {
    let root = tempfile::tempdir().expect("a folder");
    let mut other = worker(root.path(), None);
    let outputs = share(root.path(), None);
    assert!(other.wait().expect("it ends").success());
    assert!(right(&outputs));
    let made = made(&root.path().join("log"));
    let mut once = made.clone();
    once.dedup();
    assert_eq!((made.len(), once.len()), (120, 120));
}

#[test]
fn what_a_killed_process_had_claimed_is_made_by_another() {
    let root = tempfile::tempdir().expect("a folder");
    let (log, claimed) = (root.path().join("log"), |line: &String| line.starts_with("7 "));
    let mut other = worker(root.path(), Some(7));
    while !made(&log).iter().any(claimed) {
        pause(1);
    }
    // It holds its claim of a run of job 7 for ever; here it would be waited for.
    let (folder, killer) = (root.path(), || {
        pause(100);
        other.kill().expect("still there");
        other.wait().expect("it ends")
    });
    let (outputs, _) = rayon::join(|| share(folder, None), killer);
    assert!(right(&outputs));
}

#[test]
fn whenever_a_process_is_killed_nothing_wrong_is_used() {
    let root = tempfile::tempdir().expect("a folder");
    for millis in 0..12 {
        let mut other = worker(root.path(), None);
        while other.try_wait().expect("a status").is_none()
            && made(&root.path().join("log")).is_empty()
        {
            pause(1);
        }
        pause(millis);
        other.kill().expect("killed or ended");
        other.wait().expect("it ends");
    }
    assert!(right(&share(root.path(), None)));
    // Nothing but finished runs is left.
    let names = fs::read_dir(root.path().join("runs")).expect("runs").map(|e| e.expect("a file"));
    assert!(names.into_iter().all(|entry| entry.path().extension().is_some_and(|e| e == "runs")));
}

#[test]
fn a_run_that_fails_leaves_the_others_whole_and_kept() {
    let root = tempfile::tempdir().expect("a folder");
    let log = root.path().join("log");
    let cache = || RunCache::open(&root.path().join("runs"), "build").expect("a cache");
    let mut jobs = jobs(4, Some(&log));
    jobs[2].fails = true;
    let run = |jobs: &[Counted], cache: &RunCache| {
        let options = ExecuteOptions { cache: Some(cache), ..ExecuteOptions::default() };
        execute(jobs, &SEEDS, options).expect("not interrupted")
    };
    let outputs = run(&jobs, &cache());
    assert_eq!(outputs[2][1], Err("job 2 is broken".to_owned()));
    let failed = outputs.iter().flatten().filter(|output| output.is_err()).count();
    assert_eq!((failed, made(&log).len()), (1, 12));
    // Mended, it alone is made again.
    jobs[2].fails = false;
    let cache = cache();
    assert!(right(&run(&jobs, &cache)));
    assert_eq!((cache.resumed(), made(&log).len()), (11, 13));
}

#[test]
fn a_panic_costs_one_run() {
    let root = tempfile::tempdir().expect("a folder");
    let cache = RunCache::open(&root.path().join("runs"), "build").expect("a cache");
    for cache in [None, Some(&cache)] {
        let mut jobs = jobs(4, None);
        jobs[2].panics = true;
        let outputs = execute(&jobs, &SEEDS, ExecuteOptions { cache, ..ExecuteOptions::default() });
        let outputs = outputs.expect("not interrupted");
        let why = "internal error: a model panicked: job 2 panics";
        assert_eq!(outputs[2][1], Err(why.to_owned()));
        assert_eq!(outputs.iter().flatten().filter(|output| output.is_ok()).count(), 11);
    }
    // Nothing is kept of it, and its claim is free.
    assert_eq!(cache.kept(), 11);
    let options = ExecuteOptions { cache: Some(&cache), ..ExecuteOptions::default() };
    assert!(right(&execute(&jobs(4, None), &SEEDS, options).expect("whole")));
}

#[test]
fn what_is_interrupted_is_not_kept_and_goes_on() {
    let root = tempfile::tempdir().expect("a folder");
    let cache = RunCache::open(&root.path().join("runs"), "build").expect("a cache");
    let interrupt = AtomicBool::new(false);
    let stop = |done: usize, _: usize| interrupt.store(done >= 4, Ordering::SeqCst);
    let options = ExecuteOptions { cache: Some(&cache), ..ExecuteOptions::default() };
    let interrupted =
        ExecuteOptions { progress: Some(&stop), interrupt: Some(&interrupt), ..options };
    let jobs = jobs(20, None);
    assert_eq!(execute(&jobs, &SEEDS, interrupted), Err(Interrupted));
    let kept = cache.kept();
    assert!((4..60).contains(&kept), "{kept}");
    assert!(right(&execute(&jobs, &SEEDS, options).expect("whole")));
    assert_eq!(cache.kept(), 60);
}

#[test]
fn the_same_run_twice_in_one_execution_is_made_once() {
    let root = tempfile::tempdir().expect("a folder");
    let log = root.path().join("log");
    let cache = RunCache::open(&root.path().join("runs"), "build").expect("a cache");
    let twice: Vec<Counted> =
        [jobs(1, Some(&log)), jobs(1, Some(&log))].into_iter().flatten().collect();
    let options = ExecuteOptions { cache: Some(&cache), ..ExecuteOptions::default() };
    let outputs = execute(&twice, &SEEDS, options).expect("whole");
    assert_eq!((outputs[0] == outputs[1], made(&log).len()), (true, 3));
    assert_eq!((cache.kept(), cache.resumed()), (3, 0));
}
