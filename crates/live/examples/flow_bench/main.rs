//! Real flows of Linux through emulated paths, recorded with what truly limited them, and judged.
//!
//! ```text
//! cargo build -p airpath && cargo build -p airpath-live --example flow_bench
//! target/debug/examples/flow_bench record target/debug/airpath OUT 0..640 2 developed
//! target/debug/examples/flow_bench judge target/debug/airpath developed OUT/*
//! ```
//!
//! The first records the flows of seeds 0 to 639 that rules are developed with, two at a time, into
//! folders of OUT. Flows that are there already are not recorded again. It takes root and the
//! programs ip, tc, nsenter, unshare, ethtool and tcpdump. `held-out` instead of `developed` is the
//! half that is judged once at the end, `both` are all flows. `keep` writes what is kept of them, and
//! `kept` judges that.

mod bench;

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use bench::draw::Draw;
use bench::halves::is_held_out;
use bench::judge::{Judged, judge};
use bench::keep;
use bench::record::Recorder;
use bench::table::table;
use bench::truth_of;

/// Number of recordings of a doubtful flow.
const TRIES: usize = 4;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["record", program, out, seeds, jobs, half] => {
            record(program, Path::new(out), seeds, jobs, half);
        }
        ["truth", ref folders @ ..] => truths(folders),
        ["judge", program, half, ref folders @ ..] => {
            print(&judged(Path::new(program), half, folders));
        }
        ["kept", program, folder] => {
            let all = keep::judged(Path::new(program), Path::new(folder));
            return ended(all.map(|all| print(&all)));
        }
        ["keep", program, out, half, ref folders @ ..] => {
            let all = judged(Path::new(program), half, folders);
            let out = Path::new(out);
            let kept =
                keep::records(out, folders, &all).and_then(|()| keep::captures(out, folders, &all));
            return ended(kept);
        }
        // Recordings do not need this program, but another airpath may not know readings.
        ["carry", order] => return airpath_live::transfer::main(order).into(),
        ["media", order] => return ended(bench::media::run(order)),
        ["path", folder] => return ended(bench::lab::run(Path::new(folder))),
        _ => {
            eprintln!(
                "record PROGRAM OUT FIRST..END JOBS HALF, truth FOLDER…, judge PROGRAM HALF \
                 FOLDER…, keep PROGRAM OUT HALF FOLDER…, kept PROGRAM FOLDER; HALF is developed, \
                 held-out or both"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Prints what is wrong, and tables.
fn print(all: &[Judged]) {
    for one in all.iter().filter(|one| one.truth.is_some() && !one.right) {
        println!("{}", one.in_words());
    }
    print!("{}", table(all));
}

/// Exit code, after what went wrong was printed.
fn ended(result: std::io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// True if a flow belongs to the half.
fn belongs(seed: u64, half: &str) -> bool {
    match half {
        "developed" => !is_held_out(seed),
        "held-out" => is_held_out(seed),
        _ => true,
    }
}

fn record(program: &str, out: &Path, seeds: &str, jobs: &str, half: &str) {
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let (first, end) = seeds.split_once("..").expect("seeds as 1..41");
    let (next, end) = (AtomicU64::new(number(first)), number(end));
    let own = std::env::current_exe().expect("a path");
    let recorder = Recorder { program: program.into(), own };
    thread::scope(|scope| {
        for _ in 0..number(jobs) {
            scope.spawn(|| {
                let mut seed = next.fetch_add(1, Ordering::Relaxed);
                while seed < end {
                    let folder = out.join(seed.to_string());
                    if belongs(seed, half) && !folder.join("truth.json").exists() {
                        one(&recorder, seed, &folder);
                    }
                    seed = next.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
}

fn one(recorder: &Recorder, seed: u64, folder: &Path) {
    let draw = Draw::of(seed);
    for attempt in 1..=TRIES {
        match recorder.record(&draw, folder) {
            Ok(None) => return truths(&[&folder.to_string_lossy()]),
            Ok(Some(doubt)) => println!("{seed}: {:?}, attempt {attempt}: {doubt}", draw.kind),
            Err(error) => println!("{seed}: {:?}: {error}", draw.kind),
        }
    }
    drop(std::fs::remove_dir_all(folder));
}

fn truths(folders: &[&str]) {
    for folder in folders {
        match truth_of(Path::new(folder)) {
            Ok(truth) => println!("{folder} {:?}: {}", truth.draw.kind, truth.in_words()),
            Err(error) => println!("{folder}: {error}"),
        }
    }
}

/// Judges the folders' captures. Flows of the other half are left out.
fn judged(program: &Path, half: &str, folders: &[&str]) -> Vec<Judged> {
    let mut all = Vec::new();
    for folder in folders {
        let name = Path::new(folder).file_name().and_then(|name| name.to_str());
        let seed = name.and_then(|name| name.parse::<u64>().ok());
        if !seed.is_some_and(|seed| belongs(seed, half)) {
            continue;
        }
        match judge(program, Path::new(folder)) {
            Ok(captures) => all.extend(captures),
            Err(error) => println!("{folder}: {error}"),
        }
    }
    all
}
