//! `airpath export`.

mod args;
mod text;

use std::fs;
use std::io;
use std::path::Path;

use airpath_export::{ExportError, FORMATS, Judged, Options, Recording, judge, record};
use airpath_results::FORMAT;
use serde_json::{Value, json};

pub use args::ExportArgs;

use crate::args::ScenarioArgs;
use crate::embedded;
use crate::output::{fail, note, print, read, say};
use crate::watch::{interrupt, interrupted};
use crate::{BAD_INPUT, FAILED};

/// Records a path, writes it for other tools, and judges it.
pub fn run(args: &ExportArgs) -> u8 {
    make(args).unwrap_or_else(|code| code)
}

fn make(args: &ExportArgs) -> Result<u8, u8> {
    args.out.as_deref().map_or(Ok(()), check)?;
    let from = scenario(args)?;
    let scenario = read(&from).inspect_err(|_| {
        if args.scenario.is_dir() {
            note("note: a results folder has no copy of files that its scenario names: export the scenario itself");
        }
    })?;
    let options = Options {
        ue: args.ue.as_deref(),
        seed: args.seed,
        folder: from.scenario.parent(),
        interrupt: Some(interrupt()),
    };
    let recording = record(&scenario, options).map_err(failed)?;
    let judged = match args.judge {
        true => judge(&scenario, &recording, options).map_err(failed)?,
        false => Vec::new(),
    };
    let facts = facts(&recording, &judged);
    if let Some(out) = &args.out {
        write(args, out, &recording, &facts).map_err(|error| fail(error, FAILED))?;
    }
    text::notes(&recording).iter().for_each(|one| note(format!("note: {one}")));
    let text = text::text(args, &recording, &judged);
    if args.json {
        embedded::take(&text, |called| &mut called.words);
        return Ok(print(&format!("{facts:#}\n")));
    }
    Ok(say(&text))
}

/// The scenario: a file, or that of a results folder.
fn scenario(args: &ExportArgs) -> Result<ScenarioArgs, u8> {
    let mut over = args.over.clone();
    over.set.extend(args.time.iter().map(|time| format!("duration={}", json!(time))));
    let mut scenario = args.scenario.clone();
    if scenario.is_dir() {
        scenario = scenario.join("scenario.toml");
        if !scenario.exists() {
            let folder = args.scenario.display();
            let why = "is no results folder of a run: it has no scenario.toml";
            return Err(fail(
                format!("{folder} {why}; name a run's folder or a scenario"),
                BAD_INPUT,
            ));
        }
    }
    Ok(ScenarioArgs { scenario, over })
}

fn failed(error: ExportError) -> u8 {
    match error {
        ExportError::Interrupted => interrupted(),
        ExportError::Run(_) => fail(error, FAILED),
        other => fail(other, BAD_INPUT),
    }
}

/// Name of the file with the facts, by which an earlier export is known.
const FACTS: &str = "export.json";

/// Refuses a file, and a folder with files of others.
fn check(out: &Path) -> Result<(), u8> {
    if out.is_file() {
        let why = "is a file; name a folder for the files of the export";
        return Err(fail(format!("{} {why}", out.display()), BAD_INPUT));
    }
    let has_files = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    if has_files && !out.join(FACTS).exists() {
        let why = "has files that no export has written; name another folder";
        return Err(fail(format!("{} {why}", out.display()), BAD_INPUT));
    }
    Ok(())
}

/// Writes the files of the formats and the facts.
fn write(
    args: &ExportArgs,
    out: &Path,
    recording: &Recording,
    facts: &Value,
) -> Result<(), String> {
    let write = |name: &str, text: &str| {
        let path = out.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    // Files of an earlier export are of another recording.
    for file in FORMATS.into_iter().flat_map(|format| format.files(recording)) {
        match fs::remove_file(out.join(&file.name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(format!("{}: {error}", out.join(&file.name).display()));
            }
            _ => {}
        }
    }
    for file in args.formats().into_iter().flat_map(|format| format.files(recording)) {
        write(&file.name, &file.text)?;
    }
    write(FACTS, &format!("{facts:#}\n"))
}

fn facts(recording: &Recording, judged: &[Judged]) -> Value {
    let way = |way: &airpath_export::Way| {
        json!({
            "rate_mbps": way.mean_mbps(), "least_delay_ms": way.least_delay_ms(),
            "loss": way.loss, "loss_in_queues": way.loss_in_queues, "trains": way.trains.len(),
        })
    };
    let judged: Vec<Value> = judged
        .iter()
        .map(|one| {
            let replays: Vec<Value> = one.replays.iter().map(|figure| {
            json!({ "formats": figure.formats, "value": figure.value, "error": one.error(figure) })
        }).collect();
            json!({
                "application": one.application, "measure": one.measure, "unit": one.unit,
                "cell": one.cell, "replays": replays,
            })
        })
        .collect();
    json!({
        "format": FORMAT, "version": env!("CARGO_PKG_VERSION"),
        "ue": recording.ue, "seed": recording.seed, "length_s": f64::from(recording.length_ms) / 1e3,
        "down": way(&recording.down), "up": way(&recording.up), "judged": judged,
        "notes": text::notes(recording),
    })
}
