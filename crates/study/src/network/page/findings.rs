//! What a page is filled from.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::network::{ArmRuns, Axes, Data, Judged, Made, Run, Trace, Verdict, judge, kept_traces};
use serde_json::{Value, json};

use crate::{Study, StudyError};

/// The runs of a study's experiments and what they say of its rows.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    /// The study.
    pub study: &'a Study,
    /// The axes of the arms.
    pub axes: Axes,
    /// All runs, those of each arm together.
    pub data: Data,
    /// How many each experiment made, by its name.
    pub runs: BTreeMap<String, usize>,
    /// How experiments came about.
    pub made: &'a [Made],
    /// Its rows, judged by all runs.
    pub judged: Vec<Judged>,
    /// The same by as many runs as the source made.
    pub published: Vec<Judged>,
    /// The same by the runs beyond those, at the loads that have some: other users in other
    /// places.
    pub others: Vec<Judged>,
    /// What single users see over time: those that airpath comes with, if not put in.
    pub traces: Vec<Trace>,
}

impl<'a> Findings<'a> {
    /// Judges the rows. Of a row some of whose places were not made, that it holds is said only
    /// with `partly`.
    ///
    /// # Errors
    ///
    /// If the study's rows cannot be read.
    pub fn new(
        study: &'a Study,
        data: &Data,
        made: &'a [Made],
        partly: bool,
    ) -> Result<Findings<'a>, StudyError> {
        let mut runs = BTreeMap::new();
        for arm in &data.arms {
            *runs.entry(arm.experiment.clone()).or_default() += arm.runs.len();
        }
        let data = data.joined();
        Ok(Findings {
            study,
            axes: study.plan()?.axes,
            made,
            judged: judge(study, &data, partly)?,
            published: judge(study, &data.as_published(), partly)?,
            others: judge(study, &beyond_published(&data), true)?,
            data,
            runs,
            traces: kept_traces(study)?,
        })
    }

    /// The rows as JSON, each with both verdicts.
    pub fn json(&self) -> Value {
        let row = |(published, all): (&Judged, &Judged)| {
            json!({
                "id": all.row.id, "where": all.row.place, "says": all.row.says,
                "part": all.row.part, "note": all.row.note,
                "verdict_with_published_runs": published.outcome, "verdict": all.outcome,
                "p_holds": all.p_holds, "p_fails": all.p_fails,
                "places_not_made": all.missing, "places": all.places,
            })
        };
        self.published.iter().zip(&self.judged).map(row).collect()
    }

    /// A row, judged by all runs.
    pub(super) fn row(&self, id: &str) -> Option<&Judged> {
        self.judged.iter().find(|judged| judged.row.id == id)
    }

    /// The arms of a part; none if the study has no such part.
    pub(super) fn arms_of(&self, part: &str) -> Option<Vec<&ArmRuns>> {
        let plan = self.study.plan().ok()?;
        let own = plan.of_part(Some(part)).ok()?;
        let is_own =
            |arm: &&ArmRuns| own.iter().any(|experiment| experiment.name == arm.experiment);
        Some(self.data.arms.iter().filter(is_own).collect())
    }

    /// Whether an arm may have this name: a value on each axis.
    pub(super) fn is_arm(&self, name: &str) -> bool {
        self.axes.values(name).count() == self.axes.arm.len()
    }

    /// The runs of an arm.
    pub(super) fn arm(&self, name: &str, load: u32) -> Option<&[Run]> {
        self.data.arm(name, load)
    }

    /// How many rows fare so; of a part, or of all.
    pub(super) fn count(judged: &[Judged], outcome: Verdict, part: Option<&str>) -> usize {
        let own = |judged: &&Judged| {
            judged.outcome == outcome && part.is_none_or(|part| part == judged.row.part)
        };
        judged.iter().filter(own).count()
    }
}

/// Only the runs beyond the number that the source made.
fn beyond_published(data: &Data) -> Data {
    let cut = |arm: &ArmRuns| ArmRuns {
        runs: arm.runs.iter().filter(|run| run.extra).cloned().collect(),
        ..arm.clone()
    };
    let arms = data.arms.iter().map(cut).filter(|arm| !arm.runs.is_empty());
    Data { arms: arms.collect(), measures: Arc::clone(&data.measures) }
}
