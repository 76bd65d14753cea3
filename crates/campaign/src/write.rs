//! Writes the folder of a campaign, arm by arm: at no time are all runs in memory.

use std::path::Path;

use airpath_results::users::UserRow;
use airpath_results::{
    CsvWriter, FORMAT, Named, ResultsFolder, Table, TableWriter, VERSION, users,
};
use airpath_scenario::Campaign;

use crate::estimate;
use crate::identity::{ArmIdentity, CampaignSummary, Failure, MetricDoc};
use crate::record::RunRecord;
use crate::{BUILD, Estimate, SweepError, readme};

/// Rows that are laid out at a time.
const PART: usize = 1 << 12;

/// A campaign whose runs are made.
pub(crate) struct Made<'a> {
    pub campaign: &'a Campaign,
    pub arms: Vec<ArmIdentity>,
    pub metrics: Named<MetricDoc>,
    pub failures: Vec<Failure>,
}

type Fetch<'a> = &'a dyn Fn(usize, u64) -> Result<RunRecord, SweepError>;

/// Names that columns of runs and users have.
const TAKEN: [&str; 7] = ["arm", "seed", "ue", "cell", "application", "direction", "flows"];

/// The column of an axis.
pub(crate) fn axis_column(axis: &str) -> String {
    match TAKEN.contains(&axis) {
        true => format!("axis.{axis}"),
        false => axis.to_owned(),
    }
}

/// Each metric over the runs of each arm.
pub(crate) fn estimates(made: &Made<'_>, fetch: Fetch<'_>) -> Result<Vec<Estimate>, SweepError> {
    let mut all = Vec::new();
    for (at, arm) in made.arms.iter().enumerate() {
        let mut values = Values::new(made);
        for seed in &arm.seeds {
            values.add(&fetch(at, *seed)?);
        }
        all.extend(values.estimates(at));
    }
    Ok(all)
}

/// Writes the folder; gives each metric over the runs of each arm.
pub(crate) fn folder(
    target: &Path,
    made: &Made<'_>,
    fetch: Fetch<'_>,
) -> Result<Vec<Estimate>, SweepError> {
    let folder = ResultsFolder::create(target)?;
    let mut runs = Sheet::begin(&folder, "runs", |arms| runs_table(made, arms))?;
    let mut users = Sheet::begin(&folder, "users", |arms| users_table(made, arms))?;
    let mut all = Vec::new();
    for (at, arm) in made.arms.iter().enumerate() {
        let mut values = Values::new(made);
        for seed in &arm.seeds {
            let record = fetch(at, *seed)?;
            values.add(&record);
            let RunRecord { metrics, users: rows } = record;
            users.add(rows.into_iter().map(|row| (at, *seed, row)))?;
            runs.add([(at, *seed, metrics)])?;
        }
        all.extend(values.estimates(at));
    }
    runs.end()?;
    users.end()?;
    let table = estimates_table(made, &all);
    folder.write_table("intervals.parquet", &table)?;
    let csv = folder.file("intervals.csv")?;
    let fault = |source| SweepError::Table { path: csv.path().to_owned(), source };
    table.write_csv(csv.clone()).map_err(fault)?;
    for (arm, own) in made.campaign.arms.iter().zip(&made.arms) {
        folder.write_text(&own.scenario, &arm.scenario.to_toml())?;
    }
    let summary = summary(made);
    folder.write_text("README.md", &readme::text(&summary))?;
    folder.write_json("summary.json", &summary)?;
    folder.finish()?;
    Ok(all)
}

fn summary(made: &Made<'_>) -> CampaignSummary {
    CampaignSummary {
        format: FORMAT.to_owned(),
        version: VERSION.to_owned(),
        build: BUILD.to_owned(),
        complete: made.failures.is_empty(),
        campaign: (&made.campaign.runs).into(),
        columns: made.campaign.columns.clone(),
        arms: made.arms.clone(),
        metrics: made.metrics.clone(),
        failures: made.failures.clone(),
    }
}

/// Values of an arm's metrics.
struct Values<'a> {
    metrics: &'a Named<MetricDoc>,
    values: Vec<Vec<f64>>,
}

impl<'a> Values<'a> {
    fn new(made: &'a Made<'_>) -> Values<'a> {
        Values { metrics: &made.metrics, values: vec![Vec::new(); made.metrics.iter().count()] }
    }

    fn add(&mut self, record: &RunRecord) {
        for (values, value) in self.values.iter_mut().zip(in_order(self.metrics, &record.metrics)) {
            values.extend(value);
        }
    }

    fn estimates(&self, arm: usize) -> impl Iterator<Item = Estimate> {
        let named = self.metrics.iter().zip(&self.values);
        named.filter_map(move |((name, _), values)| Estimate::of(arm, name, values))
    }
}

/// The values of a record in the order of all metrics.
fn in_order(all: &Named<MetricDoc>, own: &Named<f64>) -> Vec<Option<f64>> {
    // Mostly a run has the same metrics in the same order as all have.
    let mut rest = own.iter().peekable();
    all.iter()
        .map(|(name, _)| match rest.peek() {
            Some((next, _)) if *next == name => rest.next().map(|(_, value)| *value),
            _ => own.get(name).copied(),
        })
        .collect()
}

/// A row: arm, seed, and what it has beside.
type Row<T> = (usize, u64, T);

/// Makes a table of rows.
type LayOut<'a, T> = Box<dyn Fn(&[Row<T>]) -> Table + 'a>;

/// A table as Parquet and as CSV, written part by part.
struct Sheet<'a, T> {
    parquet: TableWriter,
    csv: CsvWriter,
    path: std::path::PathBuf,
    rows: Vec<Row<T>>,
    lay_out: LayOut<'a, T>,
}

impl<'a, T> Sheet<'a, T> {
    fn begin(
        folder: &ResultsFolder,
        name: &str,
        lay_out: impl Fn(&[Row<T>]) -> Table + 'a,
    ) -> Result<Sheet<'a, T>, SweepError> {
        let like = lay_out(&[]);
        let parquet = folder.file(&format!("{name}.parquet"))?;
        let path = parquet.path().to_owned();
        let fault = |source| SweepError::Table { path: path.clone(), source };
        let parquet = TableWriter::create(parquet, &like).map_err(fault)?;
        let csv = folder.file(&format!("{name}.csv"))?;
        let csv = CsvWriter::create(csv, &like).map_err(fault)?;
        Ok(Sheet { parquet, csv, path, rows: Vec::new(), lay_out: Box::new(lay_out) })
    }

    fn add(&mut self, rows: impl IntoIterator<Item = Row<T>>) -> Result<(), SweepError> {
        for row in rows {
            self.rows.push(row);
            if self.rows.len() == PART {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SweepError> {
        let part = (self.lay_out)(&self.rows);
        self.rows.clear();
        let written = self.parquet.write(&part);
        let written = written.and_then(|()| self.csv.write(&part));
        written.map_err(|source| SweepError::Table { path: self.path.clone(), source })
    }

    fn end(mut self) -> Result<(), SweepError> {
        if !self.rows.is_empty() {
            self.flush()?;
        }
        let path = self.path;
        let ended = self.parquet.finish().and_then(|()| self.csv.finish());
        ended.map_err(|source| SweepError::Table { path, source })
    }
}

fn runs_table(made: &Made<'_>, rows: &[Row<Named<f64>>]) -> Table {
    let table = begun(made, rows).describe("A run. Metrics without a value in it are null.");
    let values: Vec<Vec<Option<f64>>> =
        rows.iter().map(|(.., metrics)| in_order(&made.metrics, metrics)).collect();
    made.metrics.iter().enumerate().fold(table, |table, (n, (name, doc))| {
        table.optional_f64(name, values.iter().map(|row| row[n])).doc(&doc.meaning)
    })
}

fn users_table(made: &Made<'_>, rows: &[Row<UserRow>]) -> Table {
    let own: Vec<UserRow> = rows.iter().map(|(.., row)| row.clone()).collect();
    users::add_to(begun(made, rows), &own)
        .describe("A user of a run: a UE with one kind of application in one direction.")
}

/// Arm, axes and seed of each row.
fn begun<T>(made: &Made<'_>, rows: &[Row<T>]) -> Table {
    let arms: Vec<usize> = rows.iter().map(|(arm, ..)| *arm).collect();
    axes(made, &arms).u64("seed", rows.iter().map(|(_, seed, _)| *seed)).doc("Seed of the run.")
}

/// Arm and axes of each row.
fn axes(made: &Made<'_>, rows: &[usize]) -> Table {
    let name = |arm: &usize| &made.arms[*arm].name;
    let table = Table::new().utf8("arm", rows.iter().map(name)).doc("Name of the arm.");
    made.campaign.columns.iter().enumerate().fold(table, |table, (column, axis)| {
        let all = made.arms.iter().filter_map(|arm| arm.cells[column].as_deref());
        let cell = |arm: &usize| made.arms[*arm].cells[column].as_deref();
        let values = rows.iter().map(cell);
        let name = axis_column(axis);
        let numbers = all.clone().all(|text| text.parse::<f64>().is_ok());
        let integers = all.clone().all(|text| text.parse::<i64>().is_ok());
        let table = match (integers, numbers) {
            (true, _) => table.optional_i64(&name, values.map(|text| text?.parse().ok())),
            (_, true) => table.optional_f64(&name, values.map(|text| text?.parse().ok())),
            _ => table.optional_utf8(&name, values),
        };
        table.doc("Value of this key in the arm; null if the arm leaves it as it is.")
    })
}

fn estimates_table(made: &Made<'_>, of: &[Estimate]) -> Table {
    let arms: Vec<usize> = of.iter().map(|estimate| estimate.arm).collect();
    let unit = |metric: &str| made.metrics.get(metric).map_or_else(String::new, |m| m.unit.clone());
    estimate::add_to(axes(made, &arms), of, unit)
        .describe("A metric over the runs of an arm: mean and 95% interval.")
}
