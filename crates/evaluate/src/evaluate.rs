//! An evaluation: cases by controllers, run and judged.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use airpath_scenario::world::OwnParts;
use airpath_sim::RunCache;
use airpath_stats::{CONFIDENCE, Verdict, mean_interval};
use airpath_study::{MakeOwn, Quantity, Report, StudyError, reproduce};
use rayon::prelude::*;

use crate::study::READING;
use crate::{Card, Case, CaseCard, Controller, Criterion, EvaluateError, Judged, Suite};

/// Called with the number of finished pairs of case and controller, and with that of all.
pub type Progress<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// Options of [`evaluate`].
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// One seed, and those cases alone that are quick.
    pub quick: bool,
    /// Those cases too that are for `--full` alone.
    pub full: bool,
    /// Seeds of each case instead of its own number.
    pub seeds: Option<u64>,
    /// Called with the progress, from any thread.
    pub progress: Option<&'a Progress<'a>>,
    /// Ends everything early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Store of finished runs. Those of a caller's own controller are not kept.
    pub cache: Option<&'a RunCache>,
}

/// Runs all cases with all controllers, and judges their criteria. A run that fails makes the verdict of its case "not
/// made", and so does a scenario that does not go with a controller. The others go on.
///
/// # Errors
///
/// Two controllers of one name, a case that cannot be written as a study, or if it was interrupted.
pub fn evaluate(
    suites: &[Suite],
    controllers: &[Controller<'_>],
    options: Options<'_>,
) -> Result<Card, EvaluateError> {
    // No case is for both families, so one name may be in each.
    let same = |a: &Controller<'_>, b: &Controller<'_>| (&a.name, a.family) == (&b.name, b.family);
    let mut all = controllers.iter().enumerate();
    if let Some((_, own)) = all.find(|(n, own)| controllers[..*n].iter().any(|one| same(one, own)))
    {
        return Err(EvaluateError::Twice(own.name.clone()));
    }
    let cases = suites.iter().flat_map(|suite| suite.cases.iter().map(move |case| (suite, case)));
    let cases: Vec<(&Suite, &Case)> =
        cases.filter(|(_, case)| case.file.extent.is_in(options)).collect();
    let pairs: Vec<(&Case, &Controller<'_>)> = cases
        .iter()
        .flat_map(|(_, case)| controllers.iter().map(move |own| (*case, own)))
        .collect();
    let done = AtomicUsize::new(0);
    let one = |(case, controller): &(&Case, &Controller<'_>)| {
        let judged = case.judge(controller, options);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        options.progress.into_iter().for_each(|show| show(done, pairs.len()));
        judged
    };
    let judged: Vec<Vec<Judged>> = pairs.par_iter().map(one).collect::<Result<_, _>>()?;
    let mut judged = judged.chunks(controllers.len().max(1));
    let card = |(suite, case): (&Suite, &Case)| CaseCard {
        suite: suite.name.clone(),
        case: case.name.clone(),
        title: case.file.title.clone(),
        source: case.file.source.clone(),
        judged: judged.next().unwrap_or_default().concat(),
    };
    Ok(Card {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        quick: options.quick,
        controllers: controllers.iter().map(|own| own.name.clone()).collect(),
        cases: cases.into_iter().map(card).collect(),
        changes: None,
    })
}

impl Case {
    /// Verdicts of a controller, in the order of the criteria.
    fn judge(
        &self,
        controller: &Controller<'_>,
        options: Options<'_>,
    ) -> Result<Vec<Judged>, EvaluateError> {
        let blank = |own: &Criterion| self.blank(own, controller);
        let all = |verdict: Verdict, reason: &str| -> Vec<Judged> {
            let own = |own| Judged { verdict, reason: Some(reason.to_owned()), ..blank(own) };
            self.file.criterion.iter().map(own).collect()
        };
        if let Some(reason) = self.is_not_for(controller) {
            return Ok(all(Verdict::NotComparable, &reason));
        }
        if self.criteria_of(controller).next().is_none() {
            let none = Report::default();
            let criteria = self.file.criterion.iter();
            return Ok(criteria.map(|own| self.judged(own, controller, &none)).collect());
        }
        let seeds = if options.quick { 1 } else { options.seeds.unwrap_or(self.file.seeds) };
        let study = self.study(controller, seeds > 1)?;
        let own =
            |run: &mut dyn FnMut(OwnParts<'_>)| controller.with_parts(&self.file.subjects, run);
        let own: Option<&MakeOwn<'_>> = controller.own.map(|_| &own as _);
        let made = airpath_study::Options {
            seeds,
            interrupt: options.interrupt,
            own,
            cache: options.cache.filter(|_| own.is_none()),
            ..airpath_study::Options::default()
        };
        let report = match reproduce(&study, made) {
            Ok(report) => report,
            Err(StudyError::Interrupted) => return Err(EvaluateError::Interrupted),
            // Keys of the scenario that do not go with this controller.
            Err(error) => return Ok(all(Verdict::NotMade, &error.to_string())),
        };
        let criteria = self.file.criterion.iter();
        Ok(criteria.map(|own| self.judged(own, controller, &report)).collect())
    }

    /// The verdict on a criterion, from the report of its study.
    fn judged(&self, own: &Criterion, controller: &Controller<'_>, report: &Report) -> Judged {
        let blank = self.blank(own, controller);
        if let Some(why) = self.not_judged(own, controller) {
            return Judged { reason: Some(why.to_owned()), ..blank };
        }
        let Some(row) = report.rows.iter().find(|row| row.id == own.name) else { return blank };
        let quantity = Quantity::parse(&own.quantity);
        let runs = quantity.as_ref().map(Quantity::runs).unwrap_or_default();
        if let Some(failed) = report.failures.iter().find(|own| runs.contains(&&*own.run)) {
            let reason =
                format!("run {} with seed {} failed: {}", failed.run, failed.seed, failed.why);
            return Judged { verdict: Verdict::NotMade, reason: Some(reason), ..blank };
        }
        let values = quantity.map(|quantity| report.values.series(READING, &quantity));
        let values = values.unwrap_or_default();
        let there: Vec<f64> = values.iter().flatten().copied().collect();
        let verdict = row.verdict;
        let is_silent = matches!(verdict, Verdict::NotComparable | Verdict::NotMade);
        Judged {
            verdict,
            mean: (!there.is_empty()).then(|| there.iter().sum::<f64>() / there.len() as f64),
            half: mean_interval(&there, CONFIDENCE).map(|own| own.high - own.estimate),
            fulfilled: there.iter().filter(|value| own.excess(**value) <= 0.0).count() as u64,
            values,
            reason: row.reason.clone().filter(|_| is_silent),
            ..blank
        }
    }

    fn blank(&self, own: &Criterion, controller: &Controller<'_>) -> Judged {
        Judged {
            controller: controller.name.clone(),
            criterion: own.name.clone(),
            sentence: own.sentence.clone(),
            at: own.at.clone().unwrap_or_else(|| self.file.source.clone()),
            quantity: own.quantity.clone(),
            unit: own.unit.clone(),
            at_least: own.at_least,
            at_most: own.at_most,
            ours: own.ours.clone(),
            verdict: Verdict::NotComparable,
            mean: None,
            half: None,
            values: Vec::new(),
            fulfilled: 0,
            reason: None,
            reports: Vec::new(),
        }
    }
}
