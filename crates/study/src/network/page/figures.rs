//! Placeholders that stand for a figure.

use airpath_plot::figure;

use super::Findings;
use super::form::{NOT_MADE, with_interval, with_unit};
use crate::network::judge::{LEVEL, effect, in_unit, interval};
use crate::network::{Kpi, Of};

/// Mean or percentile by the word of a placeholder; none for an unknown word.
pub(super) fn of(word: &str) -> Option<Of> {
    match word {
        "mean" => Some(Of::Mean),
        "p99" => Some(Of::P99),
        "p5" => Some(Of::P5),
        _ => None,
    }
}

/// Form in which a figure is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Saying {
    /// The estimate alone.
    Estimate,
    /// The estimate with its interval.
    Interval,
}

/// A measure in an arm. None for a measure or an arm that cannot be.
pub(super) fn single(
    findings: &Findings<'_>,
    (kpi, of): (&str, Of),
    arm: &str,
    load: &str,
    saying: Saying,
) -> Option<String> {
    let (kpi, load) = (findings.data.kpi(kpi)?, load.parse().ok()?);
    findings.is_arm(arm).then_some(())?;
    let not_made = || NOT_MADE.to_owned();
    let Some(runs) = findings.arm(arm, load) else { return Some(not_made()) };
    let found = interval(kpi, of, runs, 1.0 - LEVEL).filter(|_| saying == Saying::Interval);
    Some(match (found, of.estimate(kpi, runs)) {
        (Some(found), _) => with_interval(found, &kpi.unit),
        (None, Some(value)) => with_unit(kpi.shown(value), &kpi.unit),
        (None, None) => not_made(),
    })
}

/// An arm by another: the estimate, its interval, and whether it is a ratio. The outer is none for
/// a measure or an arm that cannot be, the inner for what was not made.
pub(super) fn by(
    findings: &Findings<'_>,
    (kpi, of): (&Kpi, Of),
    [first, second]: [&str; 2],
    load: u32,
) -> Option<(airpath_stats::Interval, bool)> {
    let (first, second) = (findings.arm(first, load)?, findings.arm(second, load)?);
    let (effect, ratio) = effect(kpi, of, first, second)?;
    let interval = effect.interval(1.0 - LEVEL)?;
    Some((if ratio { interval } else { in_unit(kpi, interval) }, ratio))
}

/// An arm by another, with its interval.
pub(super) fn ratio(
    findings: &Findings<'_>,
    what: (&str, &str),
    arms: [&str; 2],
    load: &str,
) -> Option<String> {
    let (kpi, of, load) = (findings.data.kpi(what.0)?, of(what.1)?, load.parse().ok()?);
    let found = by(findings, (kpi, of), arms, load);
    Some(found.map_or(NOT_MADE.to_owned(), |(interval, ratio)| {
        with_interval(interval, if ratio { "" } else { &kpi.unit })
    }))
}

/// By how much an arm differs from another, in words.
pub(super) fn change(
    findings: &Findings<'_>,
    what: (&str, &str),
    arms: [&str; 2],
    load: &str,
) -> Option<String> {
    let (kpi, of, load) = (findings.data.kpi(what.0)?, of(what.1)?, load.parse().ok()?);
    let Some((found, ratio)) = by(findings, (kpi, of), arms, load) else {
        return Some(NOT_MADE.to_owned());
    };
    let (change, unit) = match ratio {
        true => ((found.estimate - 1.0) * 100.0, "%"),
        false => (found.estimate, kpi.unit.as_str()),
    };
    let word = if change < 0.0 { "lower" } else { "higher" };
    Some(match change.abs() {
        // A hundred percent higher is twice as much: from there on a factor says more.
        _ if ratio && found.estimate >= 2.0 => format!("{} times as high", figure(found.estimate)),
        size => format!("{} {word}", with_unit(rounded(size, ratio), unit)),
    })
}

/// Percents of a change are whole from 10 on.
fn rounded(size: f64, percent: bool) -> f64 {
    if percent && size >= 10.0 { size.round() } else { size }
}

/// The least and the greatest ratio of two arms over their loads.
pub(super) fn range(
    findings: &Findings<'_>,
    what: (&str, &str),
    [first, second]: [&str; 2],
) -> Option<String> {
    let (kpi, of) = (findings.data.kpi(what.0)?, of(what.1)?);
    [first, second].iter().all(|arm| findings.is_arm(arm)).then_some(())?;
    let loads = findings.data.loads(first);
    let all: Vec<(f64, u32)> = loads
        .into_iter()
        .filter_map(|load| Some((by(findings, (kpi, of), [first, second], load)?.0.estimate, load)))
        .collect();
    let by_value = |a: &&(f64, u32), b: &&(f64, u32)| a.0.total_cmp(&b.0);
    let ends = all.iter().min_by(by_value).zip(all.iter().max_by(by_value));
    Some(ends.map_or(NOT_MADE.to_owned(), |(low, high)| {
        let end = |end: &(f64, u32)| format!("{} ({} users)", figure(end.0), end.1);
        format!("{} to {}", end(low), end(high))
    }))
}
