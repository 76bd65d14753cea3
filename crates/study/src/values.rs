//! Evidence on readings: values of measures by run and seed, from runs or from a table.
//!
//! Claims see nothing of a run but these values. So a table of them, which is kept or comes from
//! somewhere else, is judged as runs are.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use airpath_results::{Digests, Table, TableReader};

use crate::measure::Measure;
use crate::observe::Measured;
use crate::plan::{Plan, Reading};
use crate::quantity::Value;
use crate::span::SpanMeasure;
use crate::{Claim, Form, Quantity, Study, StudyError};

/// File of a table of values, in a folder of results and among the kept tables of a study.
pub const VALUES: &str = "values.parquet";

/// Values of a run by measure, flow and form.
type ByMeasure = BTreeMap<(&'static str, String, Form), f64>;

/// A run with one seed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Repetition {
    /// The run was made. A value that does not apply is not there.
    Made(ByMeasure),
    /// The run failed, for this reason.
    Failed(String),
    /// The run was not made, for this reason.
    NotMade(String),
}

/// The runs of a reading in the order of the plan, each with seeds from 1.
pub(crate) type Runs = Vec<(String, Vec<Repetition>)>;

/// Values of the runs of readings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    readings: Vec<(String, Runs)>,
    /// The study and the state of its files that the runs were made from.
    of: String,
}

/// The values that claims and figures of a study are about.
pub(crate) struct Wanted(Vec<Value>);

impl Wanted {
    /// # Errors
    ///
    /// A claim or a figure that is no quantity.
    pub(crate) fn of(plan: &Plan, claims: &[Claim]) -> Result<Wanted, StudyError> {
        let claims = claims.iter().map(Claim::quantities).collect::<Result<Vec<_>, _>>()?;
        let figures = plan.quantities()?.into_iter().map(|(_, quantity)| quantity);
        let all = claims.into_iter().flatten().chain(figures);
        let wanted = all.flat_map(|quantity| quantity.values().cloned().collect::<Vec<_>>());
        Ok(Wanted(wanted.collect()))
    }

    /// Figures of spans that a run must have.
    pub(crate) fn spans(&self, run: &str) -> Vec<(SpanMeasure, String)> {
        let own = self.0.iter().filter(|value| value.run == run);
        let spans = own.filter_map(|value| match value.measure {
            Measure::Span(measure) => Some((measure, value.flow.clone())),
            _ => None,
        });
        spans.collect()
    }

    /// The values of a run.
    pub(crate) fn measured(&self, run: &str, measured: &Measured) -> Repetition {
        let own = self.0.iter().filter(|value| value.run == run);
        let all = own.flat_map(|value| [Form::Published, Form::True].map(|form| (value, form)));
        let found = all.filter_map(|(value, form)| {
            let found = measured.value(value.measure, &value.flow, form)?;
            Some(((value.measure.name(), value.flow.clone(), form), found))
        });
        Repetition::Made(found.collect())
    }
}

impl Repetition {
    /// True if the run was made.
    pub(crate) fn is_made(&self) -> bool {
        matches!(self, Repetition::Made(_))
    }

    /// A value; none where the run was not made, or the value does not apply.
    pub(crate) fn value(&self, value: &Value, form: Form) -> Option<f64> {
        let Repetition::Made(values) = self else { return None };
        values.get(&(value.measure.name(), value.flow.clone(), form)).copied()
    }
}

impl Values {
    /// No values, of runs that are made from the present files of a study.
    pub(crate) fn none(study: &Study) -> Values {
        Values { readings: Vec::new(), of: origin(study) }
    }

    /// True if the runs were made from the present files of a study; false if files that runs may
    /// depend on have changed since.
    ///
    /// # Errors
    ///
    /// Values of another study.
    pub fn fits(&self, study: &Study) -> Result<bool, StudyError> {
        let own = origin(study);
        match (own.rsplit_once(", "), self.of.rsplit_once(", ")) {
            (Some((own, _)), Some((other, _))) if own != other => {
                let (own, other) = (own.to_owned(), other.to_owned());
                Err(StudyError::Data(format!("{VALUES}: {other}; expected {own}")))
            }
            _ => Ok(self.of == own),
        }
    }

    /// Adds the runs of a reading.
    pub(crate) fn add(&mut self, reading: &str, runs: Runs) {
        self.readings.push((reading.to_owned(), runs));
    }

    /// The runs of a reading in the order of the plan; none of a reading without a run here.
    pub(crate) fn of(&self, plan: &Plan, reading: &Reading) -> Option<Runs> {
        let (_, known) = self.readings.iter().find(|(name, _)| *name == reading.name)?;
        let count = known.iter().map(|(_, all)| all.len()).max().unwrap_or_default();
        let lacking = Repetition::NotMade("the table has no such run with this seed".to_owned());
        let own = plan.runs_of(reading).map(|run| {
            let found = known.iter().find(|(name, _)| *name == run.name);
            let mut all = found.map_or_else(Vec::new, |(_, all)| all.clone());
            all.resize(count, lacking.clone());
            (run.name.clone(), all)
        });
        Some(own.collect())
    }

    /// A quantity in each repetition of a reading's runs; none where a value is not there.
    pub fn series(&self, reading: &str, quantity: &Quantity) -> Vec<Option<f64>> {
        let known = self.readings.iter().find(|(name, _)| name == reading);
        let Some((_, runs)) = known else { return Vec::new() };
        let count = runs.iter().map(|(_, all)| all.len()).max().unwrap_or_default();
        let value = |value: &Value, n: usize| {
            let (_, all) = runs.iter().find(|(run, _)| *run == value.run)?;
            all.get(n)?.value(value, Form::True)
        };
        (0..count).map(|n| quantity.value(&|own| value(own, n))).collect()
    }

    /// The largest number of seeds of a run.
    pub fn seeds(&self) -> u64 {
        let runs = self.readings.iter().flat_map(|(_, runs)| runs);
        runs.map(|(_, all)| all.len() as u64).max().unwrap_or(0)
    }

    /// Reads the table of a folder.
    ///
    /// # Errors
    ///
    /// A folder without such a table, or a file of it that is damaged.
    pub fn read(folder: &Path, digests: Digests) -> Result<Values, StudyError> {
        digests.check(folder)?;
        let path = folder.join(VALUES);
        if !path.exists() {
            return Err(StudyError::NoValues(folder.display().to_string()));
        }
        Values::from_table(&Table::read_parquet(&path)?)
    }

    /// The values that a study keeps.
    ///
    /// # Errors
    ///
    /// A study that keeps none, or a table that is damaged.
    pub fn kept(study: &Study) -> Result<Values, StudyError> {
        let name = format!("tables/{VALUES}");
        let Some(bytes) = study.bytes(&name) else {
            return Err(StudyError::NotKept(study.name.clone()));
        };
        Values::from_table(&TableReader::from_bytes(&name, Cow::clone(bytes))?.all()?)
    }

    /// Writes the table into a folder.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), StudyError> {
        Ok(self.table().write_parquet(folder.join(VALUES))?)
    }

    /// The values as a table. A run without a value has a row without a measure.
    pub fn table(&self) -> Table {
        let runs = self.readings.iter().flat_map(|(reading, runs)| {
            runs.iter().map(move |(run, repetitions)| (reading, run, repetitions))
        });
        let rows: Vec<Line<'_>> = runs
            .flat_map(|(reading, run, repetitions)| {
                let seeds = repetitions.iter().zip(1..);
                seeds.flat_map(move |(repetition, seed)| lines(reading, run, seed, repetition))
            })
            .collect();
        let text = |of: fn(&Line<'_>) -> Option<String>| rows.iter().map(of).collect::<Vec<_>>();
        Table::new()
            .describe(&self.of)
            .utf8("reading", rows.iter().map(|row| row.reading))
            .doc("The reading of the study.")
            .utf8("run", rows.iter().map(|row| row.run))
            .doc("The run of the plan.")
            .u64("seed", rows.iter().map(|row| row.seed))
            .doc("The seed of the run.")
            .optional_utf8("measure", text(|row| Some(row.value?.0.0.to_owned())))
            .doc("The measure, as claims name it.")
            .optional_utf8("flow", text(|row| Some(row.value?.0.1.clone())))
            .doc("The flow, or the name of a figure.")
            .optional_utf8("form", text(|row| Some(row.value?.0.2.name().to_owned())))
            .doc("published: computed as the source did; true: without its rounding.")
            .optional_f64("value", rows.iter().map(|row| Some(*row.value?.1)))
            .doc("The value, in the unit of the measure.")
            .optional_utf8("failed", text(|row| row.failed.map(str::to_owned)))
            .doc("The reason for which the run failed.")
            .optional_utf8("not_made", text(|row| row.not_made.map(str::to_owned)))
            .doc("The reason for which the run was not made.")
    }

    fn from_table(table: &Table) -> Result<Values, StudyError> {
        let fault = |name: &str| StudyError::Data(format!("{VALUES} lacks {name}"));
        let texts = |name: &str| table.texts(name).ok_or_else(|| fault(name));
        let [readings, runs, measures, flows] =
            [texts("reading")?, texts("run")?, texts("measure")?, texts("flow")?];
        let [forms, failed, not_made] = [texts("form")?, texts("failed")?, texts("not_made")?];
        let seeds = table.integers("seed").ok_or_else(|| fault("seed"))?;
        let values = table.numbers("value").ok_or_else(|| fault("value"))?;
        let mut all = Values { of: table.description().to_owned(), ..Values::default() };
        for row in 0..table.rows() {
            let key = (readings[row], runs[row], seeds[row]);
            let (Some(reading), Some(run), Some(seed)) = key else { return Err(fault("a key")) };
            let to = all.repetition(reading, run, seed);
            let to =
                to.ok_or_else(|| StudyError::Data(format!("{VALUES}: seed {seed} of {run}")))?;
            match (failed[row], not_made[row], to) {
                (Some(why), _, to) => *to = Repetition::Failed(why.to_owned()),
                (_, Some(why), to) => *to = Repetition::NotMade(why.to_owned()),
                (None, None, Repetition::Made(own)) => {
                    let value = measures[row].zip(flows[row]).zip(forms[row]).zip(values[row]);
                    let Some((((measure, flow), form), value)) = value else { continue };
                    let measure = crate::measure::Measure::named(measure);
                    let (measure, form) =
                        measure.zip(Form::named(form)).ok_or_else(|| fault("a measure"))?;
                    own.insert((measure.name(), flow.to_owned(), form), value);
                }
                _ => {}
            }
        }
        Ok(all)
    }

    /// The repetition of a row of a table; none for a seed that does not follow the one before.
    fn repetition(&mut self, reading: &str, run: &str, seed: i64) -> Option<&mut Repetition> {
        let runs = entry(&mut self.readings, reading);
        let all = entry(runs, run);
        let at = usize::try_from(seed).ok()?.checked_sub(1)?;
        if at == all.len() {
            all.push(Repetition::Made(BTreeMap::new()));
        }
        all.get_mut(at)
    }
}

/// The study, and the state of its files, as the text of a table.
fn origin(study: &Study) -> String {
    format!("Values of the study {}, files {:032x}", study.name, study.state().value())
}

/// The entry of a name; a new one at the end if there is none.
fn entry<'a, T: Default>(all: &'a mut Vec<(String, T)>, name: &str) -> &'a mut T {
    let at = all.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
        all.push((name.to_owned(), T::default()));
        all.len() - 1
    });
    &mut all[at].1
}

/// A row of the table.
struct Line<'a> {
    reading: &'a str,
    run: &'a str,
    seed: u64,
    value: Option<(&'a (&'static str, String, Form), &'a f64)>,
    failed: Option<&'a str>,
    not_made: Option<&'a str>,
}

fn lines<'a>(
    reading: &'a str,
    run: &'a str,
    seed: u64,
    repetition: &'a Repetition,
) -> Vec<Line<'a>> {
    let (failed, not_made) = match repetition {
        Repetition::Made(_) => (None, None),
        Repetition::Failed(why) => (Some(why.as_str()), None),
        Repetition::NotMade(why) => (None, Some(why.as_str())),
    };
    let line = |value| Line { reading, run, seed, value, failed, not_made };
    match repetition {
        Repetition::Made(values) if !values.is_empty() => {
            values.iter().map(|value| line(Some(value))).collect()
        }
        _ => vec![line(None)],
    }
}

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;
