//! Published figures beside ours.

use std::sync::atomic::{AtomicUsize, Ordering};

use airpath_base::random::Seed;
use airpath_channel::calibration::{self, Measured};
use airpath_stats::Verdict;
use rayon::prelude::*;

use super::rows::{Metric, Point, Row};

/// A published distribution beside ours.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Published distribution.
    pub row: Row,
    /// Its figures beside ours.
    pub figures: Vec<Figure>,
}

/// A published figure beside ours.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Published figure.
    pub point: Point,
    /// Ours in dB.
    pub measured_db: f64,
    /// The verdict: the published figure holds if ours is within its tolerance.
    pub verdict: Verdict,
}

/// Largest difference in dB between a computed and a published figure that agree.
const COUPLING_DB: f64 = 1.2;
const GEOMETRY_DB: f64 = 1.0;
/// For coupling gain below p15 with ten elements in TR 36.873.
const NARROW_DB: f64 = 2.0;
/// Off the mean of companies, where their range is published: inside it is near enough too.
const MEAN_DB: f64 = 1.5;

impl Compared {
    /// Number of figures that hold, and of all.
    pub fn held(&self) -> [usize; 2] {
        Verdict::held(self.figures.iter().map(|figure| figure.verdict))
    }

    /// The largest difference of its figures in dB, without its sign.
    pub fn most_off_db(&self) -> f64 {
        self.figures.iter().map(|figure| figure.difference_db().abs()).fold(0.0, f64::max)
    }
}

impl Figure {
    fn new(row: &Row, point: Point, measured_db: f64) -> Figure {
        let off = (measured_db - point.published_db).abs();
        let holds = match point.range_db {
            Some((low, high)) => off <= MEAN_DB || (low..=high).contains(&measured_db),
            None => off <= tolerance_db(row, point),
        };
        Figure { point, measured_db, verdict: holds.into() }
    }

    /// Ours less the published figure, in dB.
    pub fn difference_db(&self) -> f64 {
        self.measured_db - self.point.published_db
    }
}

fn tolerance_db(row: &Row, point: Point) -> f64 {
    match row.metric {
        Metric::Geometry => GEOMETRY_DB,
        Metric::CouplingGain if row.scenario.ends_with("K=M=10") && point.percentile <= 10.0 => {
            NARROW_DB
        }
        Metric::CouplingGain => COUPLING_DB,
    }
}

/// Measures what the rows ask for, on all cores. The order of cores decides nothing. `progress` is
/// called with the set-ups that are measured and all of them: at the beginning, and behind each.
///
/// # Errors
///
/// A row whose set-up cannot be.
pub fn compare(
    rows: Vec<Row>,
    seed: Seed,
    users: u64,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Compared>, String> {
    let mut drops: Vec<&Row> = Vec::new();
    let is_same = |a: &Row, b: &Row| {
        (&a.calibration, &a.scenario, a.carrier_ghz) == (&b.calibration, &b.scenario, b.carrier_ghz)
    };
    for row in &rows {
        if !drops.iter().any(|drop| is_same(drop, row)) {
            drops.push(row);
        }
    }
    let measured = measure(&drops, seed, users, progress)?;
    let figures = |row: &Row| -> Vec<Figure> {
        let drop = drops.iter().position(|drop| is_same(drop, row));
        let measured = &measured[drop.expect("every row has its drop")];
        let figure = |point: &Point| {
            let measured_db = match row.metric {
                Metric::CouplingGain => measured.coupling_db(point.percentile),
                Metric::Geometry => measured.geometry_db(point.percentile),
            };
            Figure::new(row, *point, measured_db)
        };
        row.points.iter().map(figure).collect()
    };
    let figures: Vec<Vec<Figure>> = rows.iter().map(figures).collect();
    let compared = rows.into_iter().zip(figures);
    Ok(compared.map(|(row, figures)| Compared { row, figures }).collect())
}

fn measure(
    drops: &[&Row],
    seed: Seed,
    users: u64,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Measured>, String> {
    let setups = drops.iter().map(|row| row.setup()).collect::<Result<Vec<_>, _>>()?;
    let done = AtomicUsize::new(0);
    progress(0, setups.len());
    let measured: Vec<_> = (setups.par_iter())
        .map(|setup| {
            let measured = calibration::measure(setup, seed, users);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, setups.len());
            measured
        })
        .collect();
    measured.into_iter().collect::<Result<_, _>>().map_err(|error| error.to_string())
}
