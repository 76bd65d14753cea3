//! Verdicts on claims, from the values of a reading's runs.

use airpath_stats::{CONFIDENCE, quartiles, wilson};

use crate::plan::Reading;
use crate::quantity::holds;
use crate::values::Repetition;
use crate::{Claim, Form, Quantity, Row, Share, StudyError, Verdict};

/// A reading and its runs.
#[derive(Clone, Copy)]
pub(crate) struct Evidence<'a> {
    /// The reading.
    pub(crate) reading: &'a Reading,
    /// The runs, each by repetition.
    pub(crate) runs: &'a [(String, Vec<Repetition>)],
}

/// The row of a claim; none if the reading has none of its runs.
pub(crate) fn judge(claim: &Claim, evidence: Evidence<'_>) -> Result<Option<Row>, StudyError> {
    let quantity = claim.quantity()?;
    if !quantity.runs().into_iter().any(|run| evidence.of(run).is_some()) {
        return Ok(None);
    }
    let mut row = blank(claim, &evidence.reading.name);
    let figures = |form| quartiles(&evidence.values(&quantity, form));
    row.true_value = figures(Form::True).map(|[_, median, _]| median);
    let own = figures(Form::Published);
    row.measured = own.map(|[_, median, _]| median);
    row.reference_verdict = against_reference(claim, row.measured);
    let mut held = Vec::new();
    for n in 0..evidence.count() {
        held.extend(finding(claim, evidence, &quantity, n)?);
    }
    if evidence.reading.repeated {
        (row.low, row.high) = (own.map(|[low, ..]| low), own.map(|[.., high]| high));
        row.holds_in = share(&held);
        row.verdict = row.holds_in.map_or(Verdict::NotComparable, by_share);
    } else {
        row.verdict = single(claim, evidence, row.measured, held.first().copied());
    }
    if row.verdict == Verdict::Holds && claim.kind == "measured" {
        // The published figure went in; that it comes out again says that it is found.
        row.verdict = Verdict::Recovered;
    }
    if row.verdict == Verdict::NotComparable {
        let nothing = "nothing was measured";
        let why = evidence.reading.differs.as_deref().or(claim.note.as_deref()).unwrap_or(nothing);
        let none = claim.note.as_deref().filter(|_| claim.kind == "measured").unwrap_or(nothing);
        row.reason = Some(own.map_or(none, |_| why).to_owned());
        if let Some(failed) = evidence.failure(&quantity) {
            row.verdict = Verdict::NotMade;
            row.reason = Some(failed);
        }
    }
    Ok(Some(row))
}

impl Evidence<'_> {
    fn count(&self) -> usize {
        self.runs.first().map_or(0, |(_, all)| all.len())
    }

    /// The values in all repetitions that have one.
    pub(crate) fn values(&self, quantity: &Quantity, form: Form) -> Vec<f64> {
        (0..self.count()).filter_map(|n| self.value(quantity, form, n)).collect()
    }

    fn value(&self, quantity: &Quantity, form: Form, n: usize) -> Option<f64> {
        // Without a run that it is about, a quantity would be another one.
        let lacks =
            |run| matches!(self.of(run).and_then(|all| all.get(n)), Some(own) if !own.is_made());
        if quantity.runs().into_iter().any(lacks) {
            return None;
        }
        quantity.value(&|value| self.of(&value.run)?.get(n)?.value(value, form))
    }

    /// The repetitions of a run; none if the reading does not have the run.
    fn of(&self, run: &str) -> Option<&[Repetition]> {
        let found = self.runs.iter().find(|(name, _)| name == run);
        found.map(|(_, all)| all.as_slice())
    }

    /// The reason for which the first repetition of a quantity's runs is not there.
    fn failure(&self, quantity: &Quantity) -> Option<String> {
        quantity.runs().into_iter().find_map(|run| {
            self.of(run)?.iter().zip(1..).find_map(
                |(repetition, seed): (_, u64)| match repetition {
                    Repetition::Made(_) => None,
                    Repetition::Failed(why) => {
                        Some(format!("run {run} with seed {seed} failed: {why}"))
                    }
                    Repetition::NotMade(why) => Some(format!("run {run} was not made: {why}")),
                },
            )
        })
    }
}

fn blank(claim: &Claim, reading: &str) -> Row {
    Row {
        id: claim.id.clone(),
        part: claim.part.clone(),
        reading: reading.to_owned(),
        condition: claim.condition.clone(),
        metric: claim.metric.clone(),
        published: claim.published.clone(),
        measured: None,
        true_value: None,
        low: None,
        high: None,
        unit: claim.unit.clone(),
        tolerance: claim.allowed(),
        verdict: Verdict::NotComparable,
        reference: claim.reference,
        reference_verdict: None,
        holds_in: None,
        reason: claim.note.clone(),
    }
}

/// True if the finding holds in repetition `n`; none if a value that it needs is missing.
fn finding(
    claim: &Claim,
    evidence: Evidence<'_>,
    quantity: &Quantity,
    n: usize,
) -> Result<Option<bool>, StudyError> {
    match &claim.holds {
        Some(text) => holds(text, &|quantity| evidence.value(quantity, evidence.reading.judged, n))
            .map_err(|why| StudyError::Data(format!("{}: {why}", claim.id))),
        None => Ok(evidence
            .value(quantity, evidence.reading.judged, n)
            .and_then(|own| within(claim, own))),
    }
}

/// True if a figure is within the claim's tolerance; none for a statement without a number.
fn within(claim: &Claim, own: f64) -> Option<bool> {
    // A hair of room for sums of binary fractions.
    Some((own - claim.published()?).abs() <= claim.allowed()? + 1e-9)
}

/// Verdict on our figure against that of the reference implementation; none if either is missing.
fn against_reference(claim: &Claim, own: Option<f64>) -> Option<Verdict> {
    let reference = claim.reference?;
    let agrees = (own? - reference).abs() <= claim.allowed_of(reference)? + 1e-9;
    Some(agrees.into())
}

/// Verdict on a single run: by its figure if that can be compared, else by its finding.
fn single(claim: &Claim, evidence: Evidence<'_>, own: Option<f64>, held: Option<bool>) -> Verdict {
    let figure = own.and_then(|own| within(claim, own));
    match evidence.reading.differs {
        None => by_finding(figure.or(held)),
        Some(_) if claim.holds.is_some() || claim.kind == "exact" => by_finding(held),
        Some(_) => Verdict::NotComparable,
    }
}

fn by_finding(held: Option<bool>) -> Verdict {
    held.map_or(Verdict::NotComparable, Verdict::from)
}

fn share(held: &[bool]) -> Option<Share> {
    let holds = held.iter().filter(|held| **held).count() as u64;
    let runs = held.len() as u64;
    let interval = wilson(holds, runs, CONFIDENCE)?;
    Some(Share { holds, runs, low: interval.low, high: interval.high })
}

/// Of repeated runs: whether the finding holds in most of all that could be made. That it
/// holds in most does not say that it has the published size.
fn by_share(share: Share) -> Verdict {
    Verdict::of_share(share.low, share.high)
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
