//! Comparison of a metric of two arms.

use airpath_results::metric_info;
use airpath_stats::{CONFIDENCE, Effect, MOST_RUNS};
use serde::Serialize;

use super::matter;
use super::metric::{Found, Measured};
use super::words::Words;

/// An estimate with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub estimate: f64,
    /// Lower end of the interval; none of one run.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Share of such intervals that were measured to hold, where that is below 93%.
    pub coverage: Option<f64>,
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// The second has more.
    Higher,
    /// The second has less.
    Lower,
    /// Each seed has the same value in both.
    Same,
    /// Equal but for the given margin.
    Equal,
    /// They may or may not differ.
    NotResolved,
    /// A single pair says nothing of others.
    OnePair,
    /// No seed has a value in both.
    Nothing,
}

/// A metric of two arms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the metric.
    pub metric: String,
    /// Unit of the values.
    pub unit: &'static str,
    /// Meaning of the metric.
    pub meaning: String,
    /// Finding in a sentence.
    pub sentence: String,
    /// The finding.
    pub finding: Finding,
    /// True if the second is better; none if that is not resolved or depends.
    pub better: Option<bool>,
    /// Seeds of which both arms have a value.
    pub pairs: usize,
    /// The first arm.
    pub first: Option<Estimate>,
    /// The second arm.
    pub second: Option<Estimate>,
    /// Second less first.
    pub difference: Option<Estimate>,
    /// Second by first: of geometric means, or of percentiles over users. None where a value is
    /// zero or negative.
    pub ratio: Option<Estimate>,
    /// The p of no difference; none of one pair.
    pub p: Option<f64>,
    /// The p of no difference, corrected for there being several comparisons (Holm).
    pub p_corrected: Option<f64>,
    /// A difference that a person notices, in the unit of the values; none for a counter.
    pub threshold: Option<f64>,
    /// More seeds that would resolve the difference, if it is as large as it seems. None if it is
    /// resolved, or if that takes more than a thousand.
    pub seeds_needed: Option<u64>,
}

impl Row {
    pub(super) fn of(
        found: &Found,
        comparisons: usize,
        margin: Option<f64>,
        words: Words<'_>,
    ) -> Row {
        let info = metric_info(&found.name);
        let finding = finding(found, margin);
        let mut row = Row {
            metric: found.name.clone(),
            unit: info.as_ref().map_or("", |info| info.unit),
            sentence: String::new(),
            finding,
            better: better(finding, info.as_ref().and_then(|info| info.more_is_better)),
            meaning: info.map_or_else(String::new, |info| info.meaning),
            pairs: found.pairs,
            first: found.first.map(measured),
            second: found.second.map(measured),
            difference: difference(found),
            ratio: found.ratio.map(|effect| of_effect(&effect, None)),
            p: found.difference.map(|effect| effect.p()),
            p_corrected: found.corrected,
            threshold: matter::threshold(&found.name, found.first.map(|first| first.estimate)),
            seeds_needed: seeds_needed(found, finding, comparisons),
        };
        row.sentence = words.sentence(&row, margin);
        row
    }
}

fn finding(found: &Found, margin: Option<f64>) -> Finding {
    let Some(effect) = found.difference else {
        return if found.pairs == 1 { Finding::OnePair } else { Finding::Nothing };
    };
    let equal = || found.ratio?.p_beyond(margin?);
    match effect.estimate() {
        _ if equal().is_some_and(|p| p < 1.0 - CONFIDENCE) => Finding::Equal,
        0.0 if effect.p_beyond(f64::MIN_POSITIVE) == Some(0.0) => Finding::Same,
        _ if found.corrected.is_none_or(|p| p >= 1.0 - CONFIDENCE) => Finding::NotResolved,
        more if more > 0.0 => Finding::Higher,
        _ => Finding::Lower,
    }
}

fn better(finding: Finding, more_is_better: Option<bool>) -> Option<bool> {
    match finding {
        Finding::Higher => more_is_better,
        Finding::Lower => more_is_better.map(|more| !more),
        _ => None,
    }
}

/// More seeds, so that the difference would be resolved among as many comparisons.
fn seeds_needed(found: &Found, finding: Finding, comparisons: usize) -> Option<u64> {
    let level = (1.0 - CONFIDENCE) / comparisons.max(1) as f64;
    let needed = found.difference?.runs_needed(1.0 - level)?;
    let unresolved = finding == Finding::NotResolved && needed <= MOST_RUNS;
    unresolved.then(|| needed.saturating_sub(found.pairs as u64).max(1))
}

fn measured(measured: Measured) -> Estimate {
    Estimate {
        estimate: measured.estimate,
        low: measured.interval.map(|interval| interval.low),
        high: measured.interval.map(|interval| interval.high),
        coverage: measured.coverage.filter(|_| measured.interval.is_some()),
    }
}

/// Of one pair, its difference without an interval.
fn difference(found: &Found) -> Option<Estimate> {
    if let Some(effect) = found.difference {
        return Some(of_effect(&effect, found.coverage));
    }
    let estimate = found.second?.estimate - found.first?.estimate;
    Some(Estimate { estimate, low: None, high: None, coverage: None })
}

fn of_effect(effect: &Effect, coverage: Option<f64>) -> Estimate {
    let interval = effect.interval(CONFIDENCE);
    Estimate {
        estimate: effect.estimate(),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        // An interval without width has no information on the spread.
        coverage: coverage
            .filter(|_| interval.is_some_and(|interval| interval.low < interval.high)),
    }
}
