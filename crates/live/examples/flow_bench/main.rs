//! Real flows of Linux through emulated paths, recorded with what truly limited them, and judged.
//!
//! ```text
//! cargo build -p airpath && cargo build -p airpath-live --example flow_bench
//! target/debug/examples/flow_bench record target/debug/airpath OUT 1..41 3
//! target/debug/examples/flow_bench judge target/debug/airpath OUT/*
//! ```
//!
//! The first records the flows of seeds 1 to 40, three at a time, into folders of OUT. It takes root
//! and the programs ip, tc, nsenter, unshare, ethtool and tcpdump.

mod bench;

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use bench::draw::Draw;
use bench::judge::{judge, table};
use bench::record::Recorder;
use bench::truth_of;

/// Number of recordings of a doubtful flow.
const TRIES: usize = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["record", program, out, seeds, jobs] => record(program, Path::new(out), seeds, jobs),
        ["truth", ref folders @ ..] => truths(folders),
        ["judge", program, ref folders @ ..] => judges(Path::new(program), folders),
        // Recordings do not need this program, but another airpath may not know readings.
        ["carry", order] => return airpath_live::transfer::main(order).into(),
        _ => {
            eprintln!("record PROGRAM OUT FIRST..END JOBS, truth FOLDER…, judge PROGRAM FOLDER…");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn record(program: &str, out: &Path, seeds: &str, jobs: &str) {
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let (first, end) = seeds.split_once("..").expect("seeds as 1..41");
    let (next, end) = (AtomicU64::new(number(first)), number(end));
    let carrier = std::env::current_exe().expect("a path");
    let recorder =
        Recorder { program: program.into(), carrier: format!("{} carry", carrier.display()) };
    thread::scope(|scope| {
        for _ in 0..number(jobs) {
            scope.spawn(|| {
                let mut seed = next.fetch_add(1, Ordering::Relaxed);
                while seed < end {
                    one(&recorder, seed, &out.join(seed.to_string()));
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

/// Prints what is wrong of the folders' captures, and tables.
fn judges(program: &Path, folders: &[&str]) {
    let mut all = Vec::new();
    for folder in folders {
        match judge(program, Path::new(folder)) {
            Ok(both) => all.extend(both),
            Err(error) => println!("{folder}: {error}"),
        }
    }
    for one in all.iter().filter(|one| one.truth.is_some() && !one.right) {
        println!("{}", one.in_words());
    }
    print!("{}", table(&all));
}
