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

/// Thresholds by declared measure.
const THRESHOLDS: [(&str, Threshold); 19] = [
    // Own choice: a transfer of 10 s takes 1 s longer.
    ("goodput_bps", Share(0.1)),
    ("transmitted_bps", Share(0.1)),
    ("completion_time_mean_ms", Share(0.1)),
    ("completion_time_max_ms", Share(0.1)),
    // The frame of a voice codec (RFC 3551, 4.2).
    ("delay", By(20.0)),
    ("queue_delay", By(20.0)),
    ("ip_delay", By(20.0)),
    ("rtt_mean_ms", By(20.0)),
    ("jitter_ms", By(20.0)),
    // A frame of 60 a second.
    ("frame_delay", By(16.7)),
    // R. B. Miller (1968): an answer seems to come at once up to 0.1 s.
    ("page", By(100.0)),
    ("page_delay", By(100.0)),
    ("request", By(100.0)),
    // S. Krishnan and R. Sitaraman (IMC 2012): viewers leave with each second of start-up.
    ("startup_mean_ms", By(1000.0)),
    // F. Dobrian et al. (SIGCOMM 2011): 1% of stalls costs minutes of viewing.
    ("stalled_share", By(0.01)),
    // TS 23.203, table 6.1.7-A: the loss rate that QCI 1, conversational voice, allows.
    ("loss_rate", By(0.01)),
    ("frames_late_share", By(0.01)),
    ("frames_lost_share", By(0.01)),
    // Complement of frames late or lost.
    ("within_share", By(0.01)),
];

/// The difference of a metric that a person notices, in its unit; none for a counter.
pub(super) fn threshold(metric: &str, first: Option<f64>) -> Option<f64> {
    let MetricName { measure, .. } = MetricName::of(metric);
    match THRESHOLDS.iter().find(|(name, _)| *name == measure)?.1 {
        By(value) => Some(value),
        Share(share) => first.map(|first| share * first.abs()).filter(|value| *value > 0.0),
    }
}

/// Number of thresholds that a difference surely is, by the end of its interval that is nearer to
/// zero. Of one pair, which has no interval, by the difference itself.
pub(super) fn thresholds(row: &Row) -> Option<f64> {
    Some(sure(row)? / row.threshold?)
}

/// Size of a counter's difference, in halves of its interval.
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

#[cfg(test)]
mod tests {
    use airpath_results::measures::is_measure;

    use super::*;

    #[test]
    fn quantities_are_declared() {
        THRESHOLDS.iter().for_each(|(name, _)| assert!(is_measure(name), "{name}"));
    }

    #[test]
    fn statistics_of_a_measure_have_its_threshold() {
        assert_eq!(threshold("video.frame_delay_p99_ms", Some(9.0)), Some(16.7));
        assert_eq!(threshold("users.web.down.page_delay_p99_ms.p95", None), Some(100.0));
        assert_eq!(threshold("completion_time_max_ms", Some(-9.0)), Some(0.9));
        for none in ["users.web.down.count", "pdsch_share", "goodput"] {
            assert_eq!(threshold(none, Some(1.0)), None, "{none}");
        }
    }
}
