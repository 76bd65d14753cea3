//! Published figures beside ours.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use airpath_base::random::Seed;
use airpath_channel::calibration::{self, Measured};
use airpath_stats::Verdict;

use super::rows::{Metric, Point, Row};

/// A published distribution beside ours.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Published distribution.
    pub row: Row,
    /// Ours in dB, at the row's percentiles.
    pub measured_db: Vec<f64>,
}

/// Largest difference in dB between a computed and a published figure that agree.
const COUPLING_DB: f64 = 1.2;
const GEOMETRY_DB: f64 = 1.0;
/// For coupling gain below p15 with ten elements in TR 36.873.
const NARROW_DB: f64 = 2.0;
/// Off the mean of companies, where their range is published: inside it is near enough too.
const MEAN_DB: f64 = 1.5;

impl Compared {
    /// Each published figure with ours.
    pub fn points(&self) -> impl Iterator<Item = (Point, f64)> + '_ {
        self.row.points.iter().copied().zip(self.measured_db.iter().copied())
    }

    /// The verdict on a published figure: it holds if ours is within its tolerance.
    pub fn verdict(&self, point: &Point, measured_db: f64) -> Verdict {
        let off = (measured_db - point.published_db).abs();
        let near = match point.range_db {
            Some((low, high)) => off <= MEAN_DB || (low..=high).contains(&measured_db),
            None => off <= self.tolerance_db(point),
        };
        if near { Verdict::Holds } else { Verdict::Fails }
    }

    /// The count of published figures that hold.
    pub fn held(&self) -> usize {
        self.points().filter(|(point, ours)| self.verdict(point, *ours) == Verdict::Holds).count()
    }

    fn tolerance_db(&self, point: &Point) -> f64 {
        match self.row.metric {
            Metric::Geometry => GEOMETRY_DB,
            Metric::CouplingGain
                if self.row.scenario.ends_with("K=M=10") && point.percentile <= 10.0 =>
            {
                NARROW_DB
            }
            Metric::CouplingGain => COUPLING_DB,
        }
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
    let mut places: Vec<&Row> = Vec::new();
    let is_same = |a: &Row, b: &Row| {
        (&a.calibration, &a.scenario, a.carrier_ghz) == (&b.calibration, &b.scenario, b.carrier_ghz)
    };
    for row in &rows {
        if !places.iter().any(|place| is_same(place, row)) {
            places.push(row);
        }
    }
    let measured = measure(&places, seed, users, progress)?;
    let of = |row: &Row| {
        let place = places.iter().position(|place| is_same(place, row));
        let measured = &measured[place.expect("every row has its place")];
        let figure = |point: &Point| match row.metric {
            Metric::CouplingGain => measured.coupling_db(point.percentile),
            Metric::Geometry => measured.geometry_db(point.percentile),
        };
        row.points.iter().map(figure).collect()
    };
    let figures: Vec<Vec<f64>> = rows.iter().map(of).collect();
    let compared = rows.into_iter().zip(figures);
    Ok(compared.map(|(row, measured_db)| Compared { row, measured_db }).collect())
}

fn measure(
    places: &[&Row],
    seed: Seed,
    users: u64,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Measured>, String> {
    let setups = places.iter().map(|row| row.setup()).collect::<Result<Vec<_>, _>>()?;
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    progress(0, setups.len());
    let results: Vec<Mutex<Option<_>>> = setups.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(setup) = setups.get(place) else { break };
            *lock(&results[place]) = Some(calibration::measure(setup, seed, users));
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, setups.len());
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores.min(setups.len()) {
            scope.spawn(work);
        }
    });
    let measured = results.iter().filter_map(|result| lock(result).take());
    measured.collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// A thread that panicked ends the program, so there is no other harm to fear.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
