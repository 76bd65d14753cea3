//! Published rows: the two forms in which they come.

use std::collections::BTreeSet;

use airpath_channel::calibration::{self, RP_180524, Setup};
use csv::{ReaderBuilder, StringRecord};

/// Quantity of a row, in dB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Coupling gain to the serving cell.
    CouplingGain,
    /// Signal over interference, and noise if the calibration has it.
    Geometry,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 2] = [Metric::CouplingGain, Metric::Geometry];

    /// Its name in rows.
    pub fn word(self) -> &'static str {
        match self {
            Metric::CouplingGain => "coupling_gain_db",
            Metric::Geometry => "geometry_db",
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Metric::CouplingGain => "coupling gain",
            Metric::Geometry => "geometry",
        }
    }
}

/// A published figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Percent of users with less.
    pub percentile: f64,
    /// The figure in dB.
    pub published_db: f64,
    /// The least and the most of all companies in dB, if published.
    pub range_db: Option<(f64, f64)>,
}

/// A published distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the calibration.
    pub calibration: String,
    /// Name of the scenario within the calibration.
    pub scenario: String,
    /// Carrier in GHz.
    pub carrier_ghz: f64,
    /// Quantity that is distributed over users.
    pub metric: Metric,
    /// Its percentiles, in the order of the rows.
    pub points: Vec<Point>,
}

impl Row {
    /// Name of its calibration, its scenario and its carrier.
    pub fn name(&self) -> String {
        format!("{}, {}, {} GHz", self.calibration, self.scenario, self.carrier_ghz)
    }

    /// Checks a name given with `--only` against the row's scenario and calibration, without regard
    /// to case.
    pub fn is_called(&self, name: &str) -> bool {
        self.scenario.eq_ignore_ascii_case(name) || self.calibration.eq_ignore_ascii_case(name)
    }

    /// The set-up that it was measured on.
    ///
    /// # Errors
    ///
    /// An unknown scenario, or a carrier outside its models' range: what is allowed.
    pub fn setup(&self) -> Result<Setup, String> {
        let setup = calibration::setup(&self.calibration, &self.scenario, self.carrier_ghz);
        let setup = setup.ok_or_else(|| self.unknown())?.map_err(|error| error.to_string())?;
        setup.check().map_err(|error| error.to_string())?;
        Ok(setup)
    }

    fn unknown(&self) -> String {
        let listed = |words: Vec<&str>| {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            words.join(", ")
        };
        let of = |wanted: &str| {
            calibration::known().filter(|known| known.0 == wanted).map(|known| known.1).collect()
        };
        let scenarios: Vec<&str> = of(&self.calibration);
        if !scenarios.is_empty() {
            let (scenario, calibration) = (&self.scenario, &self.calibration);
            return format!(
                "no scenario \"{scenario}\" in \"{calibration}\": allowed are {}",
                listed(scenarios)
            );
        }
        let calibrations: BTreeSet<&str> =
            calibration::known().map(|known| known.0).filter(|name| *name != RP_180524).collect();
        let calibrations = listed(calibrations.into_iter().collect());
        format!("no calibration \"{}\": allowed are {calibrations}", self.calibration)
    }
}

/// First columns of the first form; percentiles follow.
const FIRST: [&str; 4] = ["calibration", "scenario", "carrier_ghz", "metric"];
/// Columns of the second form.
const SECOND: [&str; 7] =
    ["configuration", "metric", "n_companies", "percentile", "mean_db", "min_db", "max_db"];

/// The rows of a file; messages begin with `file` and the line.
///
/// # Errors
///
/// What is wrong with it, where, and what is allowed.
pub fn parse(file: &str, text: &str) -> Result<Vec<Row>, String> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut form = None;
    let mut rows: Vec<Row> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| format!("{file}: cannot be read as CSV: {error}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        let here = |why: String| format!("{file}:{line}: {why}");
        match &form {
            None => form = Some(Form::of(&record).map_err(here)?),
            Some(form) => form.add(&record, &mut rows).map_err(here)?,
        }
    }
    if rows.is_empty() {
        return Err(format!("{file}: holds no row: a header and at least one row are needed"));
    }
    Ok(rows)
}

/// Form of a file of published rows, with its percentiles.
enum Form {
    /// A row a distribution, with the percentiles of its last columns.
    First(Vec<f64>),
    /// A row a percentile.
    Second,
}

impl Form {
    fn of(header: &StringRecord) -> Result<Form, String> {
        let names: Vec<&str> = header.iter().map(str::trim).collect();
        if names == SECOND {
            return Ok(Form::Second);
        }
        if !names.starts_with(&FIRST) || names.len() == FIRST.len() {
            return Err(format!(
                "this is no header of published rows: allowed are \"{},p5,p10,...\" and \"{}\"",
                FIRST.join(","),
                SECOND.join(",")
            ));
        }
        let percentile = |name: &&str| {
            let number = name.strip_prefix('p').and_then(|number| number.parse().ok());
            number.filter(|number| (0.0..=100.0).contains(number)).ok_or_else(|| {
                format!("\"{name}\" is no percentile: columns from p0 to p100 are allowed")
            })
        };
        names[FIRST.len()..].iter().map(percentile).collect::<Result<_, _>>().map(Form::First)
    }

    fn add(&self, record: &StringRecord, rows: &mut Vec<Row>) -> Result<(), String> {
        let columns = match self {
            Form::First(percentiles) => FIRST.len() + percentiles.len(),
            Form::Second => SECOND.len(),
        };
        if record.len() != columns {
            let found = record.len();
            return Err(format!("{found} fields where the header has {columns}"));
        }
        match self {
            Form::First(percentiles) => rows.push(first(record, percentiles)?),
            Form::Second => second(record, rows)?,
        }
        Ok(())
    }
}

fn first(record: &StringRecord, percentiles: &[f64]) -> Result<Row, String> {
    let mut points = Vec::with_capacity(percentiles.len());
    for (column, &percentile) in percentiles.iter().enumerate() {
        let published_db = number(record, FIRST.len() + column, "a figure in dB")?;
        points.push(Point { percentile, published_db, range_db: None });
    }
    let row = Row {
        calibration: word(record, 0),
        scenario: word(record, 1),
        carrier_ghz: number(record, 2, "a carrier in GHz")?,
        metric: metric(&record[3])?,
        points,
    };
    row.setup()?;
    Ok(row)
}

/// Adds a percentile to its distribution.
fn second(record: &StringRecord, rows: &mut Vec<Row>) -> Result<(), String> {
    let (scenario, metric) = (word(record, 0), metric(&record[1])?);
    let percentile = number(record, 3, "a percentile")?;
    if !(0.0..=100.0).contains(&percentile) {
        return Err(format!("{percentile} is no percentile: 0 to 100 are allowed"));
    }
    let figure = |column| number(record, column, "a figure in dB");
    let (published_db, low, high) = (figure(4)?, figure(5)?, figure(6)?);
    if low > high {
        return Err(format!(
            "min_db is {low} and max_db {high}: the least must not be above the most"
        ));
    }
    let point = Point { percentile, published_db, range_db: Some((low, high)) };
    if let Some(row) = rows.iter_mut().find(|row| row.scenario == scenario && row.metric == metric)
    {
        row.points.push(point);
        return Ok(());
    }
    let row = Row {
        calibration: RP_180524.to_owned(),
        carrier_ghz: calibration::carrier_ghz(&scenario).unwrap_or_default(),
        scenario,
        metric,
        points: vec![point],
    };
    row.setup()?;
    rows.push(row);
    Ok(())
}

fn word(record: &StringRecord, column: usize) -> String {
    record[column].trim().to_owned()
}

fn number(record: &StringRecord, column: usize, what: &str) -> Result<f64, String> {
    let text = record[column].trim();
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("\"{text}\" in column {} is not {what}", column + 1))
}

fn metric(word: &str) -> Result<Metric, String> {
    let found = Metric::ALL.into_iter().find(|metric| metric.word() == word.trim());
    let [coupling, geometry] = Metric::ALL.map(Metric::word);
    found.ok_or_else(|| {
        format!("no metric \"{word}\": allowed are \"{coupling}\" and \"{geometry}\"")
    })
}
