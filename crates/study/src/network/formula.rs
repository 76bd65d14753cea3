//! Columns of runs from the metrics of a campaign.

use serde::Deserialize;

/// A value from metrics; none where a metric that it needs was not measured.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Formula {
    /// A metric.
    Metric(String),
    /// An operation.
    Of(Operation),
}

/// An operation on values.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Operation {
    /// A product.
    Times(Box<[Formula; 2]>),
    /// The first value that there is.
    First(Vec<Formula>),
    /// A mean: values, each with its weight. A pair that is not whole does not count.
    Mean(Vec<[Formula; 2]>),
    /// The part of a value that is in the proportion of one amount to it and others together.
    Part(Box<Part>),
}

/// A part of a value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    of: Formula,
    own: Formula,
    /// Nothing if it was not measured.
    others: Formula,
}

impl Formula {
    /// The value, from metrics by name.
    pub(crate) fn value(&self, metric: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let operation = match self {
            Formula::Metric(name) => return metric(name),
            Formula::Of(operation) => operation,
        };
        match operation {
            Operation::Times(both) => Some(both[0].value(metric)? * both[1].value(metric)?),
            Operation::First(all) => all.iter().find_map(|one| one.value(metric)),
            Operation::Mean(pairs) => {
                let pairs = pairs.iter().filter_map(|[value, weight]| {
                    Some((value.value(metric)?, weight.value(metric)?))
                });
                let (sum, weight) = pairs.fold((0.0, 0.0), |(sum, all), (value, weight)| {
                    (sum + value * weight, all + weight)
                });
                (weight > 0.0).then(|| sum / weight)
            }
            Operation::Part(part) => {
                let own = part.own.value(metric)?;
                let all = own + part.others.value(metric).unwrap_or(0.0);
                Some(part.of.value(metric)? * own / all).filter(|part| part.is_finite())
            }
        }
    }

    /// The names of all metrics in it.
    pub(crate) fn metrics(&self) -> Vec<&str> {
        match self {
            Formula::Metric(name) => vec![name],
            Formula::Of(Operation::Times(both)) => both.iter().flat_map(Formula::metrics).collect(),
            Formula::Of(Operation::First(all)) => all.iter().flat_map(Formula::metrics).collect(),
            Formula::Of(Operation::Mean(pairs)) => {
                pairs.iter().flatten().flat_map(Formula::metrics).collect()
            }
            Formula::Of(Operation::Part(part)) => {
                [&part.of, &part.own, &part.others].into_iter().flat_map(Formula::metrics).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<f64> {
        let formula: Formula = serde_json::from_str(text).expect("a formula");
        let known = [("a", 6.0), ("b", 2.0), ("none", 0.0)];
        formula.value(&|name| known.iter().find(|(known, _)| *known == name).map(|(_, v)| *v))
    }

    #[test]
    fn values_that_are_not_there_count_for_nothing() {
        assert_eq!(value(r#"{ "times": ["a", "b"] }"#), Some(12.0));
        assert_eq!(value(r#"{ "times": ["a", "x"] }"#), None);
        assert_eq!(value(r#"{ "first": ["x", { "times": ["b", "b"] }] }"#), Some(4.0));
        // 6 twice and 2 six times are 24 in 8.
        assert_eq!(value(r#"{ "mean": [["a", "b"], ["b", "a"], ["x", "a"]] }"#), Some(3.0));
        assert_eq!(value(r#"{ "mean": [["a", "none"]] }"#), None);
        // 6 of 6 and 2 is three quarters.
        let part = |others: &str| {
            value(&format!(r#"{{ "part": {{ "of": "b", "own": "a", "others": "{others}" }} }}"#))
        };
        assert_eq!((part("b"), part("x")), (Some(1.5), Some(2.0)));
    }
}
