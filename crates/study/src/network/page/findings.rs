//! Findings that fill a page.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::network::judge::rows;
use crate::network::{
    ArmRuns, Axes, Data, Judged, Made, Reading, Rules, Run, Sentence, Trace, Verdict, judge,
    judge_by_sentence, kept_traces,
};
use serde_json::{Value, json};

use crate::{Study, StudyError};

/// The runs of a study's experiments, and the rows that they judge.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    /// The study.
    pub study: &'a Study,
    /// The reading that the runs are of.
    pub reading: Reading,
    /// The findings of the second reading, beside those of the first.
    pub second: Option<Box<Findings<'a>>>,
    /// The axes of the arms.
    pub axes: Axes,
    /// All runs, those of each arm together.
    pub data: Data,
    /// Number of runs that each experiment made, by its name.
    pub runs: BTreeMap<String, usize>,
    /// Origins of the experiments' tables.
    pub made: &'a [Made],
    /// Rows of the study, judged by all runs.
    pub judged: Vec<Judged>,
    /// Rules of judging by the source's sentences.
    pub rules: Rules,
    /// Rows of the study, judged by all runs and by these rules.
    pub by_sentence: Vec<Judged>,
    /// Rows judged by as many runs as the source made.
    pub published: Vec<Judged>,
    /// Rows judged by the runs beyond those, at the loads that have some. These runs have other
    /// users at other positions.
    pub others: Vec<Judged>,
    /// Traces of single users over time; those that airpath comes with by default.
    pub traces: Vec<Trace>,
}

impl<'a> Findings<'a> {
    /// Judges the rows. A row some of whose settings were not made may hold only with `partly`.
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
        let rules = Rules::of(study, &rows(study, &data.measures)?, &data.measures)?;
        let judged = judge(study, &data, partly)?;
        Ok(Findings {
            study,
            reading: Reading::First,
            second: None,
            axes: study.plan()?.axes,
            made,
            by_sentence: judge_by_sentence(&rules, &judged, &data, partly),
            rules,
            judged,
            published: judge(study, &data.as_published(), partly)?,
            others: judge(study, &beyond_published(&data), true)?,
            data,
            runs,
            traces: kept_traces(study)?,
        })
    }

    /// Keeps the rows of a part only, also of the second reading.
    pub fn retain(&mut self, part: &str) {
        for judged in [&mut self.judged, &mut self.by_sentence, &mut self.published] {
            judged.retain(|judged| judged.row.part == part);
        }
        self.second.iter_mut().for_each(|second| second.retain(part));
    }

    /// The rows as JSON, each with its verdicts by published and all runs, and by its sentence.
    pub fn json(&self) -> Value {
        let row = |(published, all): (&Judged, &Judged)| {
            let mut row = json!({
                "reading": self.reading, "id": all.row.id, "where": all.row.place, "says": all.row.says,
                "part": all.row.part, "note": all.row.note,
                "verdict_with_published_runs": published.outcome, "verdict": all.outcome,
                "p_holds": all.p_holds, "p_fails": all.p_fails,
                "places_not_made": all.missing, "places": all.places,
            });
            if let Some((sentence, found)) = self.sentence(&all.row.id) {
                row["sentence"] = json!(sentence);
                row["verdict_by_sentence"] = json!(found.outcome);
                if !sentence.tests.is_empty() {
                    row["by_sentence"] = json!({
                        "p_holds": found.p_holds, "p_fails": found.p_fails,
                        "places_not_made": found.missing, "places": found.places,
                    });
                }
            }
            row
        };
        self.published.iter().zip(&self.judged).map(row).collect()
    }

    /// A row, judged by all runs.
    pub(super) fn row(&self, id: &str) -> Option<&Judged> {
        self.judged.iter().find(|judged| judged.row.id == id)
    }

    /// The sentence of a row, and the row judged by its rule; none in a study without rules.
    pub fn sentence(&self, id: &str) -> Option<(&Sentence, &Judged)> {
        let found = self.by_sentence.iter().find(|judged| judged.row.id == id)?;
        Some((self.rules.sentence(id)?, found))
    }

    /// The arms of a part; none if the study has no such part.
    pub(super) fn arms_of(&self, part: &str) -> Option<Vec<&ArmRuns>> {
        let plan = self.study.plan().ok()?;
        let own = plan.of_part(Some(part)).ok()?;
        let is_own =
            |arm: &&ArmRuns| own.iter().any(|experiment| experiment.name == arm.experiment);
        Some(self.data.arms.iter().filter(is_own).collect())
    }

    /// True if the name is that of an arm, with a value on each axis.
    pub(super) fn is_arm(&self, name: &str) -> bool {
        self.axes.values(name).count() == self.axes.arm.len()
    }

    /// The runs of an arm.
    pub(super) fn arm(&self, name: &str, load: u32) -> Option<&[Run]> {
        self.data.arm(name, load)
    }

    /// Number of rows with this verdict, in a part or in all.
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
