//! Reports of the runs behind verdicts, each a page of its own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use airpath_report::report;
use airpath_results::Digests;
use airpath_scenario::Scenario;
use airpath_scenario::world::OwnParts;
use airpath_sim::{RunOptions, run};
use airpath_stats::Verdict;
use airpath_study::Quantity;
use rayon::prelude::*;

use crate::{Card, Case, CaseRun, Controller, EvaluateError, Judged, Options, Suite};

/// Seed of the runs that have a report.
const SEED: u64 = 1;

/// Verdicts whose runs have reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    /// All for which runs were made.
    All,
    /// "fails" and "not resolved".
    Failing,
}

/// Writes a page, by its path below the card's folder, from any thread. The error is the message.
pub type WritePage<'a> = dyn Fn(&str, &str) -> Result<(), String> + Sync + 'a;

/// A report to make.
struct Wanted<'a> {
    case: &'a Case,
    controller: &'a Controller<'a>,
    run: CaseRun,
    path: String,
}

impl Card {
    /// Makes the runs behind verdicts once more, with seed 1, writes the report of each as `reports/NAME.html`, and enters
    /// the paths in the verdicts ([`Judged::reports`]). A run has one report, however many criteria read it.
    ///
    /// # Errors
    ///
    /// If it was interrupted, or a report cannot be made or written.
    pub fn write_reports(
        &mut self,
        (suites, controllers): (&[Suite], &[Controller<'_>]),
        reports: Reports,
        options: Options<'_>,
        write: &WritePage<'_>,
    ) -> Result<(), EvaluateError> {
        let mut wanted: Vec<Wanted<'_>> = Vec::new();
        for card in &mut self.cases {
            let suite = suites.iter().find(|suite| suite.name == card.suite);
            let case = suite.and_then(|own| own.cases.iter().find(|own| own.name == card.case));
            let Some(case) = case else { continue };
            for controller in controllers {
                for run in case.runs_of(controller)? {
                    let path = path([&card.suite, &card.case, &controller.name, &run.name]);
                    let reads = |own: &&mut Judged| {
                        own.controller == controller.name
                            && reports.has(own)
                            && own.reads(&run.name)
                    };
                    let own: Vec<&mut Judged> = card.judged.iter_mut().filter(reads).collect();
                    if !own.is_empty() {
                        own.into_iter().for_each(|own| own.reports.push(path.clone()));
                        wanted.push(Wanted { case, controller, run, path });
                    }
                }
            }
        }
        let done = AtomicUsize::new(0);
        wanted.par_iter().try_for_each(|one| {
            let page = one.page(options.interrupt)?;
            write(&one.path, &page)
                .map_err(|why| EvaluateError::Report(format!("{}: {why}", one.path)))?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            options.progress.into_iter().for_each(|show| show(done, wanted.len()));
            Ok(())
        })
    }
}

impl Reports {
    fn has(self, own: &Judged) -> bool {
        match own.verdict {
            Verdict::Fails | Verdict::NotResolved => true,
            Verdict::Holds | Verdict::Recovered => self == Reports::All,
            Verdict::NotMade | Verdict::NotComparable => false,
        }
    }
}

impl Judged {
    /// True if the quantity is computed from this run.
    fn reads(&self, run: &str) -> bool {
        Quantity::parse(&self.quantity).is_some_and(|quantity| quantity.runs().contains(&run))
    }
}

impl Wanted<'_> {
    /// Makes the run, and gives its report.
    fn page(&self, interrupt: Option<&AtomicBool>) -> Result<String, EvaluateError> {
        let fault = |why: String| EvaluateError::Report(format!("{}: {why}", self.path));
        let read = |name: &str| {
            let found = self.case.files.get(name).cloned();
            found.ok_or_else(|| "no such file".to_owned())
        };
        let (name, set) = (&self.case.name, &self.run.set);
        let scenario = Scenario::parse_with(name, &self.case.scenario, set, &read)
            .map_err(|errors| fault(errors.plain()))?;
        let passing = tempfile::tempdir().map_err(|error| fault(error.to_string()))?;
        let out = passing.path().join("run");
        let mut made = None;
        let mut with = |own: OwnParts<'_>| {
            let options = RunOptions {
                seed: Some(SEED),
                out: Some(&out),
                interrupt,
                own,
                ..RunOptions::default()
            };
            made = Some(run(&scenario, options));
        };
        let failed = self.controller.with_parts(&self.case.file.subjects, &mut with);
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(EvaluateError::Interrupted);
        }
        match (failed, made) {
            (Some(why), _) => return Err(fault(why)),
            (None, Some(Err(error))) => return Err(fault(error.to_string())),
            (None, _) => {}
        }
        let page = report(&[out.to_string_lossy()], Digests::Unchecked)
            .map_err(|error| fault(error.to_string()))?;
        let Controller { name: controller, .. } = self.controller;
        let title = format!("{}, {controller}, run {}", self.case.file.title, self.run.name);
        let origin = ("evaluated".to_owned(), format!("{name} with {controller}, seed {SEED}"));
        let page = airpath_report::explained(page, Some(origin), None);
        Ok(airpath_plot::Page { title, ..page }.html())
    }
}

/// Path of a report, from names of which letters that are none of file names become hyphens.
fn path(names: [&str; 4]) -> String {
    let plain = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' => letter,
        _ => '-',
    };
    let names = names.map(|name| name.chars().map(plain).collect::<String>());
    format!("reports/{}.html", names.join("-"))
}
