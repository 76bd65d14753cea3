//! Quantities in the table of claims.
//!
//! ```text
//! measure@run.flow          a measure of a flow, the mean over UEs that have it
//! rate@run.flow[20..40]     a figure of a span of the run, in seconds
//! a % b                     change of a against b in percent
//! a / b                     ratio
//! a - b                     difference
//! x ; y ; z                 the largest of those whose runs there are
//! x < 1 and y >= 2          a condition
//! ```

use serde::Deserialize;

use crate::measure::Measure;

/// Form in which a figure is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Form of the published program: delays are cut down to whole milliseconds, jitter is the
    /// distance from the first delay.
    #[default]
    Published,
    /// Form without rounding, by the printed formula.
    True,
}

impl Form {
    /// The form of this name.
    pub(crate) fn named(name: &str) -> Option<Form> {
        [Form::Published, Form::True].into_iter().find(|form| form.name() == name)
    }

    /// The name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Form::Published => "published",
            Form::True => "true",
        }
    }
}

/// A measure of a flow in a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) measure: Measure,
    pub(crate) run: String,
    pub(crate) flow: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Term {
    Value(Value),
    Change(Value, Value),
    Ratio(Value, Value),
    Difference(Value, Value),
}

/// A quantity: the largest of one or more terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity(Vec<Term>);

impl Quantity {
    /// Reads a quantity; none if the text is none.
    pub fn parse(text: &str) -> Option<Quantity> {
        text.split(" ; ").map(term).collect::<Option<_>>().map(Quantity)
    }

    /// Names of the runs it is about.
    pub fn runs(&self) -> Vec<&str> {
        self.values().map(|value| value.run.as_str()).collect()
    }

    /// The values that it is computed from.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().flat_map(Term::values)
    }

    /// Its value from the values that there are; none without any.
    pub(crate) fn value(&self, value: &dyn Fn(&Value) -> Option<f64>) -> Option<f64> {
        let term = |term: &Term| match term {
            Term::Value(a) => value(a),
            Term::Change(a, b) => Some((value(a)? / value(b)? - 1.0) * 100.0),
            Term::Ratio(a, b) => Some(value(a)? / value(b)?),
            Term::Difference(a, b) => Some(value(a)? - value(b)?),
        };
        let finite = self.0.iter().filter_map(term).filter(|value| value.is_finite());
        finite.max_by(f64::total_cmp)
    }
}

impl Term {
    fn values(&self) -> Vec<&Value> {
        match self {
            Term::Value(a) => vec![a],
            Term::Change(a, b) | Term::Ratio(a, b) | Term::Difference(a, b) => vec![a, b],
        }
    }
}

/// True if a condition holds, by the value of each of its quantities.
///
/// # Errors
///
/// If the text is no condition. `Ok(None)` if a value is not there.
pub(crate) fn holds(
    text: &str,
    value: &dyn Fn(&Quantity) -> Option<f64>,
) -> Result<Option<bool>, String> {
    let mut all = Some(true);
    for part in text.split(" and ") {
        let fault = || format!("no condition: {part}");
        let (quantity, operator, bound) = compare(part).ok_or_else(fault)?;
        let holds = value(&quantity).map(|value| match operator {
            "<" => value < bound,
            "<=" => value <= bound,
            ">" => value > bound,
            _ => value >= bound,
        });
        all = all.zip(holds).map(|(a, b)| a && b);
    }
    Ok(all)
}

/// The quantities of a condition.
///
/// # Errors
///
/// A text that is no condition.
pub(crate) fn quantities(text: &str) -> Result<Vec<Quantity>, String> {
    let one = |part: &str| {
        let found = compare(part).map(|(quantity, ..)| quantity);
        found.ok_or_else(|| format!("no condition: {part}"))
    };
    text.split(" and ").map(one).collect()
}

fn compare(part: &str) -> Option<(Quantity, &str, f64)> {
    let (rest, bound) = part.trim().rsplit_once(' ')?;
    let (quantity, operator) = rest.rsplit_once(' ')?;
    let known = ["<", "<=", ">", ">="].contains(&operator);
    known.then_some((Quantity::parse(quantity)?, operator, bound.parse().ok()?))
}

fn term(text: &str) -> Option<Term> {
    let pair = |(a, b): (&str, &str)| Some((one(a)?, one(b)?));
    if let Some(sides) = text.split_once(" % ") {
        return pair(sides).map(|(a, b)| Term::Change(a, b));
    }
    if let Some(sides) = text.split_once(" / ") {
        return pair(sides).map(|(a, b)| Term::Ratio(a, b));
    }
    if let Some(sides) = text.split_once(" - ") {
        return pair(sides).map(|(a, b)| Term::Difference(a, b));
    }
    one(text).map(Term::Value)
}

fn one(text: &str) -> Option<Value> {
    let (measure, place) = text.trim().split_once('@')?;
    let (run, flow) = place.split_once('.')?;
    let measure = Measure::named(measure).filter(|measure| measure.has_flow(flow))?;
    Some(Value { measure, run: run.to_owned(), flow: flow.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_join_and_compare() {
        let text = "delay-mean@a.x < 2 and delay-mean@b.x % delay-mean@a.x >= -5";
        let by_run = |a: f64, b: f64| {
            holds(text, &|q: &Quantity| Some(if q.runs().len() == 1 { a } else { b }))
        };
        assert_eq!(by_run(1.0, -5.0), Ok(Some(true)));
        assert_eq!(by_run(2.0, 0.0), Ok(Some(false)));
        assert_eq!(by_run(1.0, -5.1), Ok(Some(false)));
        assert_eq!(holds(text, &|_| None), Ok(None));
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in ["", "delay-mean", "delay-mean@run", "size@run.flow", "delay-mean@a.b % 3"] {
            assert_eq!(Quantity::parse(text), None, "{text}");
        }
        assert!(holds("delay-mean@a.b = 3", &|_| None).is_err());
    }
}
