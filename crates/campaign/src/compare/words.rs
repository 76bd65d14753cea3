//! Findings in sentences.

use airpath_results::{MetricName, unit_for_people};

use super::row::{Estimate, Finding, Row};

/// Names of the arms, and the number of comparisons, for sentences.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) first: &'a str,
    pub(super) second: &'a str,
    pub(super) comparisons: usize,
}

impl Words<'_> {
    /// Sentence of a row, without a full stop.
    pub(super) fn sentence(self, row: &Row, margin: Option<f64>) -> String {
        let (first, second, what) = (self.first, self.second, subject(&row.metric));
        let seeds = format!("{} paired seeds", row.pairs);
        let by = row.difference.map(|difference| Shown::of(row.unit, &difference));
        let (Some(by), Some(difference)) = (by, row.difference) else {
            return format!("no seed of `{first}` and `{second}` has a {what} in both");
        };
        let than = format!("with {second} than with {first}");
        let size = by.size(difference.estimate);
        let way = if difference.estimate < 0.0 { "lower" } else { "higher" };
        match row.finding {
            Finding::Nothing => format!("no seed of `{first}` and `{second}` has a {what} in both"),
            Finding::Same => {
                format!("the {what} is the same with {second} as with {first}, {seeds}")
            }
            Finding::OnePair if difference.estimate == 0.0 => format!(
                "the {what} is the same with {second} as with {first}, by the one seed that both \
                 have; one pair gives no interval"
            ),
            Finding::OnePair => format!(
                "the {what} is {size} {way} {than}, by the one seed that both have; one pair gives \
                 no interval"
            ),
            Finding::Equal => {
                let (margin, ratio) = (100.0 * margin.unwrap_or_default(), ratio(row));
                format!(
                    "the {what} with {second} equals that with {first} within {}%: {ratio}, {seeds}",
                    number(margin)
                )
            }
            Finding::Higher | Finding::Lower => {
                let (range, trust) = (by.sizes(&difference), trust(&difference));
                let times = row.ratio.map(|_| format!(", {}", ratio(row))).unwrap_or_default();
                format!("the {what} is {size} {way} {than}, {range}{trust}{times}, {seeds}")
            }
            Finding::NotResolved => {
                let (range, trust) = (by.range(&difference), trust(&difference));
                format!(
                    "whether the {what} differs with {second} and with {first} is not resolved: \
                     {range}{trust}, {seeds}; {}",
                    self.needed(row)
                )
            }
        }
    }

    /// The percentiles of a delay in one sentence, where not all go the same way.
    pub(super) fn apart(self, rows: &[&Row]) -> String {
        let (first, second) = (self.first, self.second);
        let part = |row: &&Row| {
            let MetricName { statistic, .. } = MetricName::of(&row.metric);
            let name = match statistic.as_deref() {
                Some("p50") | None => "median".to_owned(),
                Some(percentile) => percentile.to_owned(),
            };
            let by =
                row.difference.map(|by| (Shown::of(row.unit, &by).size(by.estimate), by.estimate));
            match (row.finding, by) {
                (Finding::Higher | Finding::Lower, Some((size, by))) => {
                    format!("its {name} is {size} {}", if by < 0.0 { "lower" } else { "higher" })
                }
                (Finding::Same, _) => format!("its {name} is the same"),
                _ => format!("its {name} is not resolved"),
            }
        };
        let parts: Vec<String> = rows.iter().map(part).collect();
        let MetricName { whose, what, .. } = MetricName::of(&rows[0].metric);
        let whose = whose.map(|whose| format!(" of {whose}")).unwrap_or_default();
        format!(
            "the {what}{whose} goes both ways with {second} against {first}: {}, {} paired seeds",
            parts.join(", "),
            rows[0].pairs
        )
    }

    fn needed(self, row: &Row) -> String {
        let among = match self.comparisons {
            0 | 1 => String::new(),
            many => format!(" among {many} comparisons"),
        };
        match row.seeds_needed {
            Some(1) => format!("1 more seed would be needed{among}"),
            Some(more) => format!("{more} more seeds would be needed{among}"),
            None => "no thousand seeds would resolve so small a difference".to_owned(),
        }
    }
}

fn ratio(row: &Row) -> String {
    let Some(ratio) = row.ratio else { return String::new() };
    let ends = ratio.low.zip(ratio.high);
    let ends = ends.map(|(low, high)| format!(" ({} to {})", number(low), number(high)));
    format!("{} times{}", number(ratio.estimate), ends.unwrap_or_default())
}

fn trust(difference: &Estimate) -> String {
    let trust = difference.coverage.map(|share| format!(" (holds in {:.0}%)", 100.0 * share));
    trust.unwrap_or_default()
}

/// The name of a metric in words: `video.queue_delay_p99_ms` is "p99 queue delay of video".
fn subject(metric: &str) -> String {
    let MetricName { over_users, whose, what, statistic, .. } = MetricName::of(metric);
    let what = match statistic.as_deref() {
        Some("p50") => format!("median {what}"),
        Some(statistic) => format!("{statistic} {what}"),
        None => what,
    };
    let whose = whose.unwrap_or_default();
    match over_users.as_deref() {
        Some("count") => format!("number of users of {whose}"),
        Some("low_rate") => format!("number of slow users of {whose}"),
        Some("mean") => format!("mean over users of {what} ({whose})"),
        Some(percentile) => format!("{percentile} over users of {what} ({whose})"),
        None if whose.is_empty() => what,
        None => format!("{what} of {whose}"),
    }
}

/// A unit as it is shown: bit/s in Mbit/s, shares in percent.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    factor: f64,
    unit: &'static str,
}

impl Shown {
    /// For differences of values in this unit.
    fn of(unit: &'static str, estimate: &Estimate) -> Shown {
        let ends = [Some(estimate.estimate), estimate.low, estimate.high];
        let size = ends.into_iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
        let (factor, unit) = match unit {
            "bit/s" if size >= 1e6 => (1e-6, "Mbit/s"),
            "bit/s" if size >= 1e3 => (1e-3, "kbit/s"),
            unit => match unit_for_people(unit) {
                (factor, "%") => (factor, "percentage points"),
                shown => shown,
            },
        };
        Shown { factor, unit }
    }

    /// "46 ms", without a sign.
    fn size(self, value: f64) -> String {
        format!("{} {}", number((value * self.factor).abs()), self.unit).trim_end().to_owned()
    }

    /// "41 to 51", without a sign: of an interval that does not hold zero.
    fn sizes(self, estimate: &Estimate) -> String {
        let (Some(low), Some(high)) = (estimate.low, estimate.high) else { return String::new() };
        let (low, high) = match estimate.estimate < 0.0 {
            true => (-high, -low),
            false => (low, high),
        };
        format!("{} to {}", number(low * self.factor), number(high * self.factor))
    }

    /// "-4.3 ms, -9.1 to 0.5".
    fn range(self, estimate: &Estimate) -> String {
        let value = format!("{} {}", number(estimate.estimate * self.factor), self.unit);
        let ends = estimate.low.zip(estimate.high);
        let ends = ends.map(|(low, high)| {
            format!(", {} to {}", number(low * self.factor), number(high * self.factor))
        });
        format!("{}{}", value.trim_end(), ends.unwrap_or_default())
    }
}

/// Three significant digits.
fn number(value: f64) -> String {
    let whole = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        size if size >= 0.1 => 3,
        _ => 4,
    };
    let text = format!("{value:.whole$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_words() {
        let words = [
            ("queue_delay_p99_ms", "p99 queue delay"),
            ("video.frame_delay_p50_ms", "median frame delay of video"),
            ("goodput_bps", "goodput"),
            ("frames_late_share", "frames late"),
            ("page_p95_ms", "p95 page delay"),
            ("users.web.down.page_delay_p99_ms.p95", "p95 over users of p99 page delay (web down)"),
            ("users.web.down.count", "number of users of web down"),
        ];
        for (name, expected) in words {
            assert_eq!(subject(name), expected);
        }
    }

    #[test]
    fn numbers_have_three_digits() {
        let numbers =
            [(46.0, "46"), (-0.04567, "-0.0457"), (1234.5, "1234"), (0.0, "0"), (9.999, "10")];
        for (value, expected) in numbers {
            assert_eq!(number(value), expected);
        }
        assert_eq!(number(-0.000_001), "0");
    }
}
