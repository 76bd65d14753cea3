//! `airpath evaluate`.

mod args;
mod text;

use std::fs;
use std::path::Path;

use airpath_evaluate::{
    Card, Change, Changed, EvaluateError, Options, controllers, evaluate, schema, suites,
};

use airpath_results::{FORMAT, FolderError, ResultsFolder};

pub use args::EvaluateArgs;

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
        Ok((wanted, (card, changes))) => {
            let code = show(args, &card, &changes);
            let page = wanted.map(|wanted| wanted.write(Ok(card.page())));
            page.filter(|page| *page != DONE).unwrap_or(code)
        }
        Err(code) => code,
    }
}

fn make(args: &EvaluateArgs) -> Result<(Card, Option<Vec<Change>>), u8> {
    let bad = |error: EvaluateError| fail(error, BAD_INPUT);
    let controllers = controllers(&args.controllers).map_err(bad)?;
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
    let card = card.map_err(|error| {
        out.iter().for_each(Out::stopped);
        match error {
            EvaluateError::Interrupted => interrupted(),
            other => fail(other, BAD_INPUT),
        }
    })?;
    let changes = earlier.map(|earlier| card.against(&earlier, &suites));
    if let Some(out) = out {
        match write(&out.target, &card) {
            Ok(()) => out.finished(),
            Err(error) => {
                out.stopped();
                return Err(fail(error, FAILED));
            }
        }
    }
    Ok((card, changes))
}

/// Writes the card and its page to a folder of results.
fn write(target: &Path, card: &Card) -> Result<(), FolderError> {
    let folder = ResultsFolder::create(target)?;
    leftovers(folder.leftovers());
    folder.write_text("card.json", &card.to_json())?;
    folder.write_text("report.html", &card.page().html())?;
    let summary = serde_json::json!({
        "format": FORMAT, "version": card.version, "controllers": card.controllers,
        "cases": card.cases.len(), "complete": !card.is_broken(),
    });
    folder.write_json("summary.json", &summary)?;
    folder.finish().map(|_| ())
}

fn baseline(path: &Path) -> Result<Card, u8> {
    let shown = path.display().to_string();
    let text =
        fs::read_to_string(path).map_err(|error| fail(format!("{shown}: {error}"), BAD_INPUT))?;
    Card::baseline(&shown, &text).map_err(|error| fail(error, BAD_INPUT))
}

fn show(args: &EvaluateArgs, card: &Card, changes: &Option<Vec<Change>>) -> u8 {
    let printed = match args.json {
        true => print(&card.to_json()),
        false => say(&text::card(card, changes.as_deref(), args.all)),
    };
    let worse = changes.iter().flatten().any(|change| change.changed == Changed::Worse);
    match printed {
        DONE if card.is_broken() => FAILED,
        DONE if card.fails() || worse => WORSE,
        code => code,
    }
}
