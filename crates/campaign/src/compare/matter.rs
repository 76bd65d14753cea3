//! Differences that matter to a person: a threshold for each measure, and how far beyond it a
//! difference surely is.
//!
//! `docs/compare.md` has the thresholds with their sources and reasons.

use airpath_results::MetricName;

use super::row::{Finding, Row};

/// A difference that a person notices.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Threshold {
    /// So much, in the unit of the metric.
    By(f64),
    /// Such a share of the first arm's value.
    Share(f64),
}

use Threshold::{By, Share};

/// Thresholds by measure, in words as [`MetricName`] has them.
const THRESHOLDS: [(&str, Threshold); 16] = [
    // Own choice: a transfer of 10 s takes 1 s longer.
    ("goodput", Share(0.1)),
    ("transmitted rate", Share(0.1)),
    ("completion time", Share(0.1)),
    // The frame of a voice codec (RFC 3551, 4.2).
    ("delay", By(20.0)),
    ("queue delay", By(20.0)),
    ("ip delay", By(20.0)),
    ("rtt", By(20.0)),
    ("jitter", By(20.0)),
    // A frame of 60 a second.
    ("frame delay", By(16.7)),
    // R. B. Miller (1968): an answer seems to come at once up to 0.1 s.
    ("page delay", By(100.0)),
    ("request delay", By(100.0)),
    // S. Krishnan and R. Sitaraman (IMC 2012): viewers leave with each second of start-up.
    ("startup", By(1000.0)),
    // F. Dobrian et al. (SIGCOMM 2011): 1% of stalls costs minutes of viewing.
    ("stalled", By(0.01)),
    // TS 23.203, table 6.1.7-A: the loss rate that QCI 1, conversational voice, allows.
    ("loss", By(0.01)),
    ("frames late", By(0.01)),
    ("frames lost", By(0.01)),
];

/// The difference of a metric that a person notices, in its unit; none for a counter.
pub(super) fn threshold(metric: &str, first: Option<f64>) -> Option<f64> {
    let MetricName { what, over_users, .. } = MetricName::of(metric);
    if matches!(over_users.as_deref(), Some("count" | "low_rate")) {
        return None;
    }
    match THRESHOLDS.iter().find(|(name, _)| *name == what)?.1 {
        By(value) => Some(value),
        Share(share) => first.map(|first| share * first.abs()).filter(|value| *value > 0.0),
    }
}

/// How many thresholds a difference surely is, by the end of its interval that is nearer to zero.
/// Of one pair, which has no interval, by the difference itself.
pub(super) fn thresholds(row: &Row) -> Option<f64> {
    Some(sure(row)? / row.threshold?)
}

/// The same of a counter, in halves of its interval.
pub(super) fn halves(row: &Row) -> f64 {
    let Some(difference) = row.difference else { return 0.0 };
    let ends = difference.low.zip(difference.high);
    let half = ends.map_or(0.0, |(low, high)| (high - low) / 2.0);
    if half > 0.0 {
        difference.estimate.abs() / half
    } else {
        f64::from(difference.estimate != 0.0)
    }
}

fn sure(row: &Row) -> Option<f64> {
    let difference = row.difference?;
    match (difference.low.zip(difference.high), row.finding) {
        (Some((low, high)), _) if low > 0.0 || high < 0.0 => Some(low.abs().min(high.abs())),
        (Some(_), _) => Some(0.0),
        (None, Finding::OnePair) => Some(difference.estimate.abs()),
        (None, _) => None,
    }
}
