//! Real-time flows of many UEs in groups: marked and not marked.

use serde::Serialize;

use crate::UeRow;

/// The marked or the unmarked flows of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The reading.
    pub reading: String,
    /// The run.
    pub run: String,
    /// True for the group of the marked UEs.
    pub marked: bool,
    /// Number of UEs in the group.
    pub ues: usize,
    /// Number of UEs in the run.
    pub of: usize,
    /// Smallest, median and largest of the UEs' mean delays in ms.
    pub delay_ms: Option<[f64; 3]>,
    /// Smallest, median and largest of the UEs' jitters in ms.
    pub jitter_ms: Option<[f64; 3]>,
    /// Mean share of packets that did not arrive, in percent.
    pub lost_percent: Option<f64>,
}

/// The groups of all runs, in their order, the marked one first.
pub fn groups(rows: &[UeRow]) -> Vec<Group> {
    let runs = rows.chunk_by(|a, b| (&a.reading, &a.run) == (&b.reading, &b.run));
    runs.flat_map(|run| [true, false].map(|marked| group(run, marked)))
        .filter(|group| group.ues > 0)
        .collect()
}

fn group(run: &[UeRow], marked: bool) -> Group {
    let rows: Vec<&UeRow> = run.iter().filter(|row| row.marked == marked).collect();
    let spread = |of: fn(&UeRow) -> Option<f64>| {
        let mut values: Vec<f64> = rows.iter().filter_map(|row| of(row)).collect();
        values.sort_by(f64::total_cmp);
        let median = airpath_stats::quantile(&values, 0.5)?;
        Some([*values.first()?, median, *values.last()?])
    };
    let lost: Vec<f64> = rows.iter().filter_map(|row| row.lost_percent).collect();
    let first = run.first();
    Group {
        reading: first.map(|row| row.reading.clone()).unwrap_or_default(),
        run: first.map(|row| row.run.clone()).unwrap_or_default(),
        marked,
        ues: rows.len(),
        of: run.len(),
        delay_ms: spread(|row| row.delay_ms),
        jitter_ms: spread(|row| row.jitter_ms),
        lost_percent: (!lost.is_empty()).then(|| lost.iter().sum::<f64>() / lost.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_by_run_and_marking() {
        let row = |run: &str, marked, delay: f64| UeRow {
            reading: "r".into(),
            run: run.into(),
            ue: "ue".into(),
            marked,
            delay_ms: Some(delay),
            jitter_ms: None,
            lost_percent: Some(delay / 2.0),
        };
        let rows = [
            row("a", true, 4.0),
            row("a", false, 9.0),
            row("a", true, 2.0),
            row("a", true, 6.0),
            row("b", false, 1.0),
        ];
        let groups = groups(&rows);
        let of = |n: usize| (groups[n].run.as_str(), groups[n].marked, groups[n].ues, groups[n].of);
        assert_eq!(
            (of(0), of(1), of(2)),
            (("a", true, 3, 4), ("a", false, 1, 4), ("b", false, 1, 1))
        );
        assert_eq!(groups.len(), 3);
        assert_eq!(groups[0].delay_ms, Some([2.0, 4.0, 6.0]));
        assert_eq!((groups[0].jitter_ms, groups[0].lost_percent), (None, Some(2.0)));
    }
}
