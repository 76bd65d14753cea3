//! `airpath capacity`.

mod args;
mod text;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use airpath_campaign::capacity::{Capacity, CapacityError, Question, capacity};
use airpath_campaign::{Options, SweepError};
use airpath_scenario::{Campaign, Errors, Scenario, Variation};

pub use args::CapacityArgs;

use crate::output::{fail, is_standard, note, print, refuse, say, warn};
use crate::sweep::{ClusterWork, connect};
use crate::watch::{Steps, interrupt, interrupted};
use crate::{BAD_INPUT, FAILED};

/// Finds the capacity of a scenario and prints it.
pub fn run(args: &CapacityArgs) -> u8 {
    let text = match text_of(args) {
        Ok(text) => text,
        Err(why) => return fail(why, BAD_INPUT),
    };
    let (question, overrides) = match question(args, &text) {
        Ok(question) => question,
        Err(Stopped::Scenario(errors)) => return refuse(errors),
        Err(Stopped::Question(error)) => return fail(error, BAD_INPUT),
    };
    let vary = [question.axis()];
    let variation = Variation { overrides: &overrides, vary: &vary, ..Variation::default() };
    let name = args.scenario.name();
    let campaign = match Campaign::read_from(&name, text.as_bytes(), &files(args), variation) {
        Ok(campaign) => campaign,
        Err(errors) => return refuse(errors),
    };
    warn(&campaign.warnings);
    let work = ClusterWork {
        name,
        text,
        folder: std::path::absolute(files(args)).unwrap_or_default().display().to_string(),
        store: args.store.clone(),
        overrides,
        vary: vary.to_vec(),
        ..ClusterWork::default()
    };
    match find(args, &campaign, &question, work) {
        Ok(answer) => show(args, &answer),
        Err(code) => code,
    }
}

/// Reason for which there is no question.
enum Stopped {
    Scenario(Errors),
    Question(CapacityError),
}

fn text_of(args: &CapacityArgs) -> Result<String, String> {
    let file = &args.scenario.scenario;
    let mut text = String::new();
    let read = match is_standard(file) {
        true => std::io::stdin().lock().read_to_string(&mut text).map(|_| text),
        false => fs::read_to_string(file),
    };
    read.map_err(|error| format!("{}: {error}", args.scenario.name()))
}

/// Folder of the files that the scenario names.
fn files(args: &CapacityArgs) -> PathBuf {
    args.scenario.scenario.parent().unwrap_or(Path::new("")).to_owned()
}

/// The question, and the overrides of its scenario.
fn question(args: &CapacityArgs, text: &str) -> Result<(Question, Vec<String>), Stopped> {
    let question = Question::new(&args.satisfied, &args.users).map_err(Stopped::Question)?;
    let seeds = args.seeds as usize;
    let mut question = Question {
        share: args.of,
        most_steps: args.most,
        seeds,
        most_seeds: args.most_seeds.map_or(seeds * 4, |most| most as usize),
        ..question
    };
    let mut overrides = args.scenario.over.all();
    overrides.extend(question.criteria.setting());
    let name = args.scenario.name();
    let read =
        |overrides: &[String]| Scenario::read_from(&name, text.as_bytes(), &files(args), overrides);
    let scenario = read(&overrides).map_err(Stopped::Scenario)?;
    question.about(&scenario).map_err(Stopped::Question)?;
    let with = |count: &str| read(&[&overrides[..], &[count.to_owned()]].concat());
    question.limit(with).map_err(Stopped::Scenario)?;
    Ok((question, overrides))
}

fn find(
    args: &CapacityArgs,
    campaign: &Campaign,
    question: &Question,
    work: ClusterWork,
) -> Result<Capacity, u8> {
    let elsewhere =
        connect(args.dask.as_deref(), || Ok(work)).map_err(|why| fail(why, BAD_INPUT))?;
    let steps = Steps::new("", "runs");
    let aside = |text: &str| steps.aside(|| note(text));
    let progress = |done: usize, all: usize| steps.show("", done, all);
    let options = Options {
        folder: args.out.as_deref(),
        jobs: args.threads.map(usize::from),
        progress: Some(&progress),
        interrupt: Some(interrupt()),
        note: Some(&aside),
        elsewhere: elsewhere.as_deref(),
        ..Options::default()
    };
    let found = capacity(campaign, question, options);
    steps.clear();
    found.map_err(|error| match error {
        CapacityError::Sweep(SweepError::Interrupted) => {
            match &args.out {
                Some(out) => note(format!(
                    "finished runs are kept in {}; the same command goes on",
                    out.join("runs").display()
                )),
                None => note("nothing is kept; with --out DIR finished runs are"),
            }
            fail("interrupted", interrupted())
        }
        CapacityError::Input { .. } => fail(error, BAD_INPUT),
        error => fail(error, FAILED),
    })
}

fn show(args: &CapacityArgs, answer: &Capacity) -> u8 {
    let json = match serde_json::to_string_pretty(answer) {
        Ok(json) => json + "\n",
        Err(error) => return fail(error, FAILED),
    };
    if let Some(out) = &args.out {
        let file = out.join("capacity.json");
        if let Err(error) = fs::write(&file, &json) {
            return fail(format!("{}: {error}", file.display()), FAILED);
        }
    }
    if args.json { print(&json) } else { say(&text::text(answer)) }
}
