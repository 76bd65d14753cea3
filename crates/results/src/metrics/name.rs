//! Names of metrics, taken apart, for those who show them in words.

use super::{OF_ALL, OF_FLOWS, OF_USERS, find};

/// A metric's name in parts: `users.video.down.frame_delay_p99_ms.p95` is the p95 over users of
/// "video down" of the p99 of "frame delay".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricName {
    /// Statistic over users, or `count` or `low_rate` of users.
    pub over_users: Option<String>,
    /// Flow group, or application and direction of users.
    pub whose: Option<String>,
    /// Declared measure; empty of numbers of users, and if there is none of this name.
    pub measure: &'static str,
    /// The measure in words, without its unit.
    pub what: String,
    /// Statistic over packets, frames, pages or requests.
    pub statistic: Option<String>,
}

impl MetricName {
    /// The parts of a name.
    pub fn of(name: &str) -> MetricName {
        let Some((front, over)) = name.strip_prefix("users.").and_then(|n| n.rsplit_once('.'))
        else {
            let (whose, measure) = match name.rsplit_once('.') {
                Some((group, measure)) => (Some(group.to_owned()), measure),
                None => (None, name),
            };
            return MetricName { whose, ..MetricName::of_measure(measure) };
        };
        let over_users = Some(over.to_owned());
        if matches!(over, "count" | "low_rate") {
            let whose = Some(front.replace('.', " "));
            return MetricName { over_users, whose, what: "users".into(), ..MetricName::default() };
        }
        let (whose, kpi) = front.rsplit_once('.').unwrap_or(("", front));
        let whose = Some(whose.replace('.', " ")).filter(|whose| !whose.is_empty());
        MetricName { over_users, whose, ..MetricName::of_measure(kpi) }
    }

    fn of_measure(name: &str) -> MetricName {
        let declared = [&OF_FLOWS, &OF_ALL, &OF_USERS].into_iter().find_map(|all| find(all, name));
        let Some(declared) = declared else {
            return MetricName { what: name.replace('_', " "), ..MetricName::default() };
        };
        MetricName {
            measure: declared.measure,
            what: declared.label.clone(),
            statistic: declared.statistic.clone(),
            ..MetricName::default()
        }
    }
}

/// Factor of a value in a unit of files, and the unit for people.
pub fn unit_for_people(unit: &str) -> (f64, &str) {
    match unit {
        "bit/s" => (1e-6, "Mbit/s"),
        "1" => (100.0, "%"),
        unit => (1.0, unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let parts = |name: &str| {
            let MetricName { over_users, whose, what, statistic, .. } = MetricName::of(name);
            [over_users, whose, Some(what), statistic].map(Option::unwrap_or_default)
        };
        assert_eq!(parts("goodput_bps"), ["", "", "goodput", ""]);
        assert_eq!(parts("video.queue_delay_p99_ms"), ["", "video", "queue delay", "p99"]);
        assert_eq!(parts("page_p95_ms"), ["", "", "page delay", "p95"]);
        assert_eq!(parts("loss_rate"), ["", "", "loss", ""]);
        assert_eq!(parts("pdsch_share"), ["", "", "PDSCH utilisation", ""]);
        assert_eq!(parts("users.web.down.low_rate"), ["low_rate", "web down", "users", ""]);
        let long = "users.video.down.frame_delay_p99_ms.p95";
        assert_eq!(parts(long), ["p95", "video down", "frame delay", "p99"]);
        assert_eq!(parts("users.web.transmitted_bps.p5"), ["p5", "web", "transmitted rate", ""]);
    }
}
