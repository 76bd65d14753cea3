//! Criteria by which a user is satisfied.

use std::fmt;

use airpath_base::Duration;
use airpath_results::users::{UserRow, measures};
use airpath_results::{metric_info, unit_for_people};
use airpath_scenario::{bit_rate, duration, nearest};

use super::CapacityError;

/// Measure of the share of frames that came within a time.
const SHARE: &str = "within_share";

/// Criteria of a satisfied UE: each of its streams meets each of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Criteria {
    text: String,
    within: Option<Duration>,
    all: Vec<Criterion>,
}

/// A measure of users, a relation, and a value in the measure's unit.
#[derive(Clone, Debug, PartialEq)]
struct Criterion {
    measure: String,
    /// Number of the measure in a row of users.
    column: usize,
    relation: Relation,
    value: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    AtLeast,
    AtMost,
    Above,
    Below,
}

const RELATIONS: [(&str, Relation); 4] = [
    (">=", Relation::AtLeast),
    ("<=", Relation::AtMost),
    (">", Relation::Above),
    ("<", Relation::Below),
];

impl Criteria {
    /// Reads criteria with "and" between: `share within 10 ms >= 99%`, `share within deadline >= 99%`, or a measure of
    /// `users.parquet` as `transmitted_bps >= 5 Mbit/s`.
    ///
    /// # Errors
    ///
    /// If one is none of these, or its measure is none of users.
    pub fn parse(text: &str) -> Result<Criteria, CapacityError> {
        let mut criteria = Criteria { text: text.trim().to_owned(), within: None, all: Vec::new() };
        for part in text.split(" and ") {
            let (left, relation, right) = split(part)?;
            let measure = match left.strip_prefix("share within ") {
                None => left,
                Some("deadline" | "the deadline") => SHARE,
                Some(time) => {
                    criteria.take_time(time)?;
                    SHARE
                }
            };
            let column = column(measure)?;
            let value = value(measure, right)?;
            criteria.all.push(Criterion { measure: measure.to_owned(), column, relation, value });
        }
        Ok(criteria)
    }

    fn take_time(&mut self, text: &str) -> Result<(), CapacityError> {
        let time = duration(text).map_err(|_| {
            let mend = "a time with its unit, as `share within 10 ms >= 99%`, or `deadline`";
            CapacityError::input(format!("`{text}` is no time"), mend)
        })?;
        match self.within.replace(time) {
            Some(other) if other != time => {
                let what =
                    format!("frames are counted within one time, not within {other} and {time}");
                Err(CapacityError::input(what, "name one of both"))
            }
            _ => Ok(()),
        }
    }

    /// Override of the scenario that the criteria need; none if they need none.
    pub fn setting(&self) -> Option<String> {
        self.within.map(|time| format!("output.within=\"{time}\""))
    }

    /// True if a UE is satisfied, from its rows: streams that have a value meet their criterion, and each criterion has a
    /// stream.
    pub(super) fn are_met<'a>(&self, rows: impl Iterator<Item = &'a UserRow> + Clone) -> bool {
        self.all.iter().all(|criterion| {
            let mut values = rows.clone().filter_map(|row| criterion.of(row)).peekable();
            values.peek().is_some() && values.all(|value| criterion.holds(value))
        })
    }

    /// Measure that none of these rows has; none if each is there.
    pub(super) fn missing<'a>(
        &self,
        rows: impl Iterator<Item = &'a UserRow> + Clone,
    ) -> Option<&str> {
        let has = |criterion: &Criterion| rows.clone().any(|row| criterion.of(row).is_some());
        let missing = self.all.iter().find(|criterion| !has(criterion))?;
        Some(&missing.measure)
    }
}

impl Criterion {
    fn of(&self, row: &UserRow) -> Option<f64> {
        row.values.get(self.column).copied().flatten()
    }

    fn holds(&self, value: f64) -> bool {
        match self.relation {
            Relation::AtLeast => value >= self.value,
            Relation::AtMost => value <= self.value,
            Relation::Above => value > self.value,
            Relation::Below => value < self.value,
        }
    }
}

impl fmt::Display for Criteria {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn split(part: &str) -> Result<(&str, Relation, &str), CapacityError> {
    let found = RELATIONS.into_iter().find_map(|(sign, relation)| {
        let (left, right) = part.split_once(sign)?;
        Some((left.trim(), relation, right.trim()))
    });
    found.ok_or_else(|| {
        let what = format!("`{}` has no >=, <=, > or <", part.trim());
        CapacityError::input(what, "write a criterion as `share within 10 ms >= 99%`")
    })
}

fn column(measure: &str) -> Result<usize, CapacityError> {
    let all: Vec<String> = measures().collect();
    if let Some(at) = all.iter().position(|known| known == measure) {
        return Ok(at);
    }
    let nearest = nearest(measure, all.iter().map(String::as_str));
    let hint = nearest.map_or_else(
        || "columns of users.parquet are measures of users (docs/results.md)".to_owned(),
        |known| format!("did you mean `{known}`?"),
    );
    let what = match metric_info(measure) {
        Some(_) => format!("`{measure}` is a measure of flows or cells, not of users"),
        None => format!("there is no measure `{measure}` of users"),
    };
    Err(CapacityError::input(what, hint))
}

/// A value in the unit of a measure.
fn value(measure: &str, text: &str) -> Result<f64, CapacityError> {
    let unit = metric_info(&format!("users.any.{measure}.mean")).map_or("", |info| info.unit);
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    let read = match unit {
        "1" => match text.strip_suffix('%') {
            Some(percent) => number(percent).map(|value| value / 100.0),
            None => number(text),
        },
        "ms" => duration(text).ok().map(|span| span.as_secs_f64() * 1e3),
        "s" => duration(text).ok().map(|span| span.as_secs_f64()),
        "bit/s" => bit_rate(text).ok().map(|rate| rate.as_bps() as f64),
        unit => number(text.strip_suffix(unit).unwrap_or(text)),
    };
    let example = match unit {
        "1" => "99%",
        "ms" => "20 ms",
        "s" => "2 s",
        "bit/s" => "5 Mbit/s",
        _ => "10",
    };
    match read {
        Some(share) if unit == "1" && !(0.0..=1.0).contains(&share) => {
            let what = format!("`{text}` is no share from 0 to 100%, as `{measure}` is");
            let percent = text.parse::<f64>().ok().filter(|value| (0.0..=100.0).contains(value));
            let mend = percent.map_or_else(|| example.to_owned(), |_| format!("{text}%"));
            Err(CapacityError::input(what, format!("write it as {mend}")))
        }
        Some(value) => Ok(value),
        None => {
            let (_, people) = unit_for_people(unit);
            let whose = match people {
                "" => ", which is a number without a unit".to_owned(),
                people => format!(", whose unit is {people}"),
            };
            let what = match text.parse::<f64>() {
                Ok(value) if !value.is_finite() => format!("`{text}` is not finite"),
                _ => format!("`{text}` is no value of `{measure}`{whose}"),
            };
            Err(CapacityError::input(what, format!("write it as {example}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[(&str, f64)]) -> UserRow {
        let value = |name: String| values.iter().find(|(known, _)| *known == name).map(|(_, v)| *v);
        UserRow {
            ue: "xr-0".into(),
            cell: None,
            application: "vr".into(),
            direction: None,
            flows: 1,
            values: measures().map(value).collect(),
        }
    }

    #[test]
    fn each_stream_must_meet_each_criterion() {
        let both =
            Criteria::parse("share within 10 ms >= 99% and loss_rate <= 1%").expect("criteria");
        assert_eq!(both.setting().as_deref(), Some("output.within=\"10 ms\""));
        let met = |rows: &[UserRow]| both.are_met(rows.iter());
        let good = || row(&[("within_share", 0.99), ("loss_rate", 0.01)]);
        assert!(met(&[good()]));
        assert!(
            met(&[good(), row(&[("loss_rate", 0.0)])]),
            "a stream without frames is not judged"
        );
        assert!(!met(&[good(), row(&[("within_share", 0.9899)])]));
        assert!(!met(&[row(&[("loss_rate", 0.0)])]), "nothing tells of its frames");
        assert_eq!(both.missing([row(&[("loss_rate", 0.0)])].iter()), Some("within_share"));
    }

    #[test]
    fn values_have_the_unit_of_their_measure() {
        let value = |text: &str| Criteria::parse(text).expect("criteria").all[0].value;
        assert_eq!(value("transmitted_bps > 5 Mbit/s"), 5e6);
        assert_eq!(value("page_delay_p95_ms < 1.5 s"), 1_500.0);
        assert_eq!(value("share within deadline >= 0.95"), 0.95);
        assert_eq!(value("stalls <= 0"), 0.0);
    }

    #[test]
    fn what_is_no_criterion_is_refused_with_a_mend() {
        let refused = |text: &str| Criteria::parse(text).expect_err("no criterion").to_string();
        assert!(refused("share within 10 ms").contains("has no >=, <=, > or <"));
        assert!(refused("share within 10 >= 99%").contains("`10` is no time"));
        assert!(refused("frame_delay >= 1 ms").contains("did you mean `frame_delay_"));
        assert!(refused("pdsch_share <= 90%").contains("not of users"));
        assert!(refused("transmitted_bps >= 5").contains("write it as 5 Mbit/s"));
        assert!(refused("share within 10 ms >= 99").ends_with("write it as 99%"));
        assert!(refused("loss_rate <= 5").ends_with("write it as 5%"));
        assert!(refused("loss_rate <= -1").contains("no share from 0 to 100%"));
        assert!(refused("loss_rate <= 101%").ends_with("write it as 99%"));
        assert!(refused("mos >= inf").contains("`inf` is not finite"));
        assert!(refused("mos >= good").contains("a number without a unit: write it as 10"));
        let two = refused("share within 10 ms >= 99% and share within 20 ms >= 99%");
        assert!(two.contains("name one of both"), "{two}");
    }
}
