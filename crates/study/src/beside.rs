//! Readings side by side: the dependence of results on settings.

use crate::{Report, Row, Verdict};

/// Rows in which our figure agrees, and all rows with a figure to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Agreement with published figures.
    pub published: [usize; 2],
    /// Agreement with figures of a reference implementation.
    pub reference: [usize; 2],
}

/// Readings side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside<'a> {
    /// Names.
    pub readings: Vec<&'a str>,
    /// Claims that all readings have, each as a row of the first, with ours by reading.
    pub claims: Vec<(&'a Row, Vec<Option<f64>>)>,
    /// Agreement by reading.
    pub agreement: Vec<Agreement>,
}

impl Agreement {
    /// Of these rows, those that the reference implementation has too.
    pub fn of(rows: &[&Row]) -> Agreement {
        let mut agreement = Agreement::default();
        for row in rows.iter().filter(|row| row.reference.is_some()) {
            let count = |[agree, all]: [usize; 2], verdict: Option<Verdict>| {
                [agree + usize::from(verdict == Some(Verdict::Holds)), all + 1]
            };
            agreement.published = count(agreement.published, Some(row.verdict));
            agreement.reference = count(agreement.reference, row.reference_verdict);
        }
        agreement
    }
}

/// The readings of a report that stand side by side; none if it has none.
pub fn beside(report: &Report) -> Option<Beside<'_>> {
    let readings: Vec<&str> = report.beside.iter().map(String::as_str).collect();
    let first = *readings.first()?;
    let of = |reading: &str| -> Vec<&Row> {
        let own = |row: &&Row| row.reading == reading && row.reference.is_some();
        report.rows.iter().filter(own).collect()
    };
    let same = |a: &Row, b: &Row| (&a.id, &a.part) == (&b.id, &b.part);
    let claims = of(first).into_iter().map(|claim| {
        let value = |reading: &&str| {
            of(reading).into_iter().find(|row| same(row, claim)).and_then(|row| row.measured)
        };
        (claim, readings.iter().map(value).collect())
    });
    let claims = claims.collect();
    let agreement = readings.iter().map(|reading| Agreement::of(&of(reading))).collect();
    Some(Beside { readings, claims, agreement })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, reading: &str, measured: f64, verdict: Verdict) -> Row {
        Row {
            id: id.into(),
            reading: reading.into(),
            measured: Some(measured),
            verdict,
            reference: Some(2.0),
            reference_verdict: Some(Verdict::Holds),
            ..Row::sample()
        }
    }

    #[test]
    fn readings_stand_side_by_side() {
        let rows = vec![
            row("A", "fast", 1.0, Verdict::Holds),
            row("A", "slow", 2.0, Verdict::Fails),
            row("B", "slow", 4.0, Verdict::Holds),
            Row { reference: None, ..row("C", "slow", 4.0, Verdict::Holds) },
        ];
        let report =
            Report { rows, beside: vec!["slow".into(), "fast".into()], ..Report::default() };
        let beside = beside(&report).expect("readings");
        let values: Vec<_> = beside.claims.iter().map(|(row, v)| (&*row.id, v.clone())).collect();
        assert_eq!(values, [("A", vec![Some(2.0), Some(1.0)]), ("B", vec![Some(4.0), None])]);
        assert_eq!(beside.agreement[0], Agreement { published: [1, 2], reference: [2, 2] });
        assert_eq!(beside.agreement[1].published, [1, 1]);
        assert_eq!(super::beside(&Report::default()), None);
    }
}
