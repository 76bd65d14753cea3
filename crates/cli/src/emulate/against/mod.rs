//! `airpath emulate --against-simulation`: the kernel's TCP and the simulated one, side by side.

mod compare;
mod text;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::{env, fs, io, thread};

use airpath_live::against::{Against, AgainstError, Half, Halves, Simulated};
use airpath_live::{EmulationError, transfer};
use airpath_scenario::Scenario;
use serde_json::json;

use super::EmulateArgs;
use super::scenario::scenario;
use super::start::code;
use crate::exit::{BAD_INPUT, FAILED};
use crate::output::{fail, note, print, say};
use crate::watch::{interrupt, interrupted};
use compare::Comparison;

/// First argument of the program as one end of a transfer. Users do not give it.
const CARRY: &str = "--carry-transfer";

/// The exit code of this program as one end of a transfer, if it was started as that.
pub fn carried(arguments: &[OsString]) -> Option<u8> {
    match arguments {
        [_, word, order] if word == CARRY => Some(transfer::main(&order.to_string_lossy())),
        _ => None,
    }
}

/// Words that start this program again, if its executable alone does not.
static AGAIN: OnceLock<Vec<String>> = OnceLock::new();

/// From now on this program is started again by these words, if any; the first is the executable.
pub fn started_by(again: Option<Vec<String>>) {
    // A second call has the same words, so they may be dropped.
    again.map(|words| AGAIN.set(words));
}

/// The executable, and what stands before an order.
fn again() -> io::Result<(PathBuf, Vec<String>)> {
    let (program, words) = match AGAIN.get().and_then(|words| words.split_first()) {
        Some((program, words)) => (program.into(), words.to_vec()),
        None => (env::current_exe()?, Vec::new()),
    };
    Ok((program, words.into_iter().chain([CARRY.to_owned()]).collect()))
}

/// Reason for which there is no comparison, with the exit code.
struct Refusal(String, u8);

impl From<EmulationError> for Refusal {
    fn from(error: EmulationError) -> Refusal {
        Refusal(error.to_string(), code(&error))
    }
}

impl From<AgainstError> for Refusal {
    fn from(error: AgainstError) -> Refusal {
        match error {
            AgainstError::Emulation(error) => error.into(),
            error => Refusal(error.to_string(), FAILED),
        }
    }
}

/// Compares; gives the exit code.
pub fn run(mut args: EmulateArgs) -> u8 {
    if let Some(limit) = args.limit {
        args.over.set.push(format!("duration=\"{} s\"", limit.as_secs_f64()));
    }
    let scenario = match scenario(&args) {
        Ok(scenario) => scenario,
        Err(code) => return code,
    };
    let halves = match Halves::new(&scenario, args.as_written) {
        Ok(halves) => halves,
        Err(error) => return fail(error, BAD_INPUT),
    };
    note(text::beginning(&halves, args.runs));
    match compare(&args, &scenario, &halves) {
        Ok(Some(comparison)) => show(&args, &halves, &comparison),
        Ok(None) => interrupted(),
        Err(Refusal(error, code)) => fail(error, code),
    }
}

/// Both halves of each run; nothing if it was interrupted.
fn compare(
    args: &EmulateArgs,
    scenario: &Scenario,
    halves: &Halves,
) -> Result<Option<Comparison>, Refusal> {
    let (program, arguments) =
        again().map_err(|error| Refusal(format!("where is airpath? {error}"), FAILED))?;
    let against = Against { halves, program, arguments, interrupt: Some(interrupt()) };
    let first = args.seed.unwrap_or(scenario.seed);
    let seeds: Vec<u64> = (0..args.runs).map(|run| first.wrapping_add(run)).collect();
    let mut simulated = Vec::new();
    for seed in &seeds {
        simulated.push(against.simulated(*seed, folder(args, *seed, "simulated")?.as_deref())?);
        if interrupt().load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    let runs: Vec<(u64, Simulated)> = seeds.iter().copied().zip(simulated).collect();
    let mut kernel = Vec::new();
    for together in runs.chunks(usize::from(args.jobs)) {
        for half in side_by_side(args, &against, together) {
            kernel.push(half?);
        }
        if interrupt().load(Ordering::Relaxed) {
            return Ok(None);
        }
        if runs.len() > 1 {
            note(format!("{} of {} runs", kernel.len(), runs.len()));
        }
    }
    let simulated = runs.into_iter().map(|(_, simulated)| simulated.half);
    Ok(Some(Comparison::new(seeds, simulated.collect(), kernel)))
}

/// The kernel's halves of some runs at the same time.
fn side_by_side(
    args: &EmulateArgs,
    against: &Against<'_>,
    runs: &[(u64, Simulated)],
) -> Vec<Result<Half, Refusal>> {
    let one = |(seed, simulated): &(u64, Simulated)| {
        let out = folder(args, *seed, "kernel")?;
        Ok(against.kernel(*seed, simulated, out.as_deref())?)
    };
    thread::scope(|scope| {
        let all: Vec<_> = runs.iter().map(|run| scope.spawn(move || one(run))).collect();
        all.into_iter()
            .map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The folder of one half of one run.
fn folder(args: &EmulateArgs, seed: u64, half: &str) -> Result<Option<PathBuf>, Refusal> {
    let Some(out) = &args.out else { return Ok(None) };
    let folder = out.join(format!("seed-{seed}"));
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    Ok(Some(folder.join(half)))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Refusal {
    Refusal(format!("cannot write {}: {error}", path.display()), FAILED)
}

fn show(args: &EmulateArgs, halves: &Halves, comparison: &Comparison) -> u8 {
    let json = format!("{:#}\n", json(halves, comparison));
    if let Some(out) = &args.out {
        let path = out.join("comparison.json");
        if let Err(error) = fs::write(&path, &json) {
            let Refusal(error, code) = cannot_write(&path, &error);
            return fail(error, code);
        }
    }
    match args.json {
        true => print(&json),
        false => say(&text::screen(halves, comparison)),
    }
}

fn json(halves: &Halves, comparison: &Comparison) -> serde_json::Value {
    let left = halves.left.iter().map(|(flow, why)| json!({ "flow": flow, "why": why }));
    let settings = halves.settings.iter().map(|(name, value)| (name.clone(), json!(value)));
    json!({
        "format": "airpath-against-1",
        "seeds": comparison.seeds,
        "flows": comparison.flows,
        "verdict": comparison.verdict(),
        "warnings": comparison.warnings(),
        "taken_from_the_kernel": halves.taken,
        "settings": settings.collect::<serde_json::Map<_, _>>(),
        "differences": halves.differences,
        "stay_simulated": left.collect::<Vec<_>>(),
        "simulated": comparison.simulated,
        "kernel": comparison.kernel,
    })
}
