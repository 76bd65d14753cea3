//! `airpath evaluate`.

mod args;
mod own;
mod text;

use std::fs;
use std::path::Path;

use airpath_evaluate::{
    Card, Changed, Controller, EvaluateError, Options, Suite, WritePage, evaluate, schema, suites,
};

use airpath_results::{FORMAT, FolderError, ResultsFolder};

pub use args::EvaluateArgs;
use own::Named;
pub use own::{OwnController, OwnControllers, call_evaluate, evaluate_with, with_controllers};

use crate::embedded;
use crate::out::Out;
use crate::output::{fail, leftovers, print, say};
use crate::watch::{Steps, interrupt, interrupted};
use crate::{BAD_INPUT, DONE, FAILED, WORSE};

/// Evaluates controllers and prints their card.
pub fn run(args: &EvaluateArgs) -> u8 {
    if args.schema {
        return match serde_json::to_string_pretty(&schema()) {
            Ok(text) => print(&(text + "\n")),
            Err(error) => fail(error, FAILED),
        };
    }
    if args.controllers.is_empty() {
        return say(&text::list());
    }
    // In the folder of results there is a page anyway.
    let wanted = args.report.wanted_beside(args.out.as_deref());
    match wanted.and_then(|wanted| Ok((wanted, make(args)?))) {
        Ok((wanted, card)) => {
            let code = show(args, &card);
            let page = wanted.map(|wanted| wanted.write(Ok(card.page())));
            page.filter(|page| *page != DONE).unwrap_or(code)
        }
        Err(code) => code,
    }
}

fn make(args: &EvaluateArgs) -> Result<Card, u8> {
    let bad = |error: EvaluateError| fail(error, BAD_INPUT);
    let named =
        args.controllers.iter().map(|text| Named::find(text)).collect::<Result<Vec<_>, _>>();
    let named = named.map_err(|why| fail(why, BAD_INPUT))?;
    let controllers = named.iter().map(Named::controller).collect::<Result<Vec<_>, _>>();
    let controllers = controllers.map_err(bad)?;
    if let Some(own) = controllers.iter().find(|own| own.needs_stacks)
        && !airpath_scenario::has_stacks()
    {
        let why = "needs a program with stacks: cargo build --release --features stacks";
        return Err(fail(format!("{} {why}", own.name), BAD_INPUT));
    }
    let suites = suites(&args.suite).map_err(bad)?;
    let earlier = args.against.as_deref().map(baseline).transpose()?;
    let out = args.out.as_deref().map(Out::open).transpose()?;
    let steps = Steps::new("reading the cases", "cases");
    let progress = |done: usize, all: usize| steps.show("evaluating", done, all);
    let options = Options {
        quick: args.quick,
        full: args.full,
        seeds: args.seeds,
        progress: Some(&progress),
        interrupt: Some(interrupt()),
        cache: out.as_ref().map(|out| &out.cache),
    };
    let card = evaluate(&suites, &controllers, options);
    steps.clear();
    let stopped = |error: EvaluateError| {
        out.iter().for_each(Out::stopped);
        match error {
            EvaluateError::Interrupted => interrupted(),
            EvaluateError::Report(why) => fail(why, FAILED),
            other => fail(other, BAD_INPUT),
        }
    };
    let mut card = card.map_err(stopped)?;
    card.changes = earlier.map(|earlier| card.against(&earlier, &suites));
    if let Some(out) = &out {
        let written = write(args, &out.target, &mut card, (&suites, &controllers));
        written.map_err(stopped)?;
    }
    out.into_iter().for_each(Out::finished);
    Ok(card)
}

/// Writes the card, its page and the reports of runs to a folder of results.
fn write(
    args: &EvaluateArgs,
    target: &Path,
    card: &mut Card,
    evaluated: (&[Suite], &[Controller<'_>]),
) -> Result<(), EvaluateError> {
    let fault = |error: FolderError| EvaluateError::Report(error.to_string());
    let folder = ResultsFolder::create(target).map_err(fault)?;
    leftovers(folder.leftovers());
    let steps = Steps::new("", "reports");
    let progress = |done: usize, all: usize| steps.show("reports", done, all);
    let options =
        Options { progress: Some(&progress), interrupt: Some(interrupt()), ..Options::default() };
    let page: &WritePage<'_> =
        &|name, page| folder.write_text(name, page).map_err(|error| error.to_string());
    let reports = args.reports().map(|which| card.write_reports(evaluated, which, options, page));
    steps.clear();
    reports.transpose()?;
    let summary = serde_json::json!({
        "format": FORMAT, "version": card.version, "controllers": card.controllers,
        "cases": card.cases.len(), "complete": !card.is_broken(),
    });
    folder
        .write_text("card.json", &card.to_json())
        .and_then(|()| folder.write_text("report.html", &card.page().html()))
        .and_then(|()| folder.write_json("summary.json", &summary))
        .and_then(|()| folder.finish().map(drop))
        .map_err(fault)
}

fn baseline(path: &Path) -> Result<Card, u8> {
    let shown = path.display().to_string();
    let text =
        fs::read_to_string(path).map_err(|error| fail(format!("{shown}: {error}"), BAD_INPUT))?;
    Card::baseline(&shown, &text).map_err(|error| fail(error, BAD_INPUT))
}

fn show(args: &EvaluateArgs, card: &Card) -> u8 {
    let words = text::card(card, args.all);
    let printed = match args.json {
        true => {
            embedded::take(&words, |called| &mut called.words);
            print(&card.to_json())
        }
        false => say(&words),
    };
    let worse = card.changes.iter().flatten().any(|change| change.changed == Changed::Worse);
    match printed {
        DONE if card.is_broken() => FAILED,
        DONE if card.fails() || worse => WORSE,
        code => code,
    }
}
