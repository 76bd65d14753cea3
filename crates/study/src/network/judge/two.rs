//! Tests of two arms.

use airpath_base::math;
use airpath_stats::{
    Effect, Interval, Resampling, mean_interval, paired_difference, paired_ratio,
    quantile_difference, quantile_ratio,
};

use super::place::{by_interval, one_sided};
use super::single::{interval, within};
use super::test::pairs;
use super::{EQUAL, Place, Relation, SHOWN};
use crate::network::data::pairs as by_seed;
use crate::network::{Data, Kpi, Of, Run};

/// A comparison: its measure, mean or percentile, arms and loads.
pub(super) struct Sides<'a> {
    pub(super) kpi: &'a Kpi,
    pub(super) of: Of,
    pub(super) first: &'a [String],
    pub(super) second: &'a [String],
    pub(super) loads: &'a [u32],
}

/// Correlation of users' rates from which they count as proportional.
const CORRELATED: f64 = 0.7;

impl Sides<'_> {
    /// Name of the setting of two arms at some load or loads.
    pub(super) fn name(&self, loads: &str, [first, second]: [&str; 2]) -> String {
        let what = format!("{} {}", self.kpi.title, self.of.word());
        format!("{loads} users, {first} by {second}: {what}")
    }

    /// Names of settings, each with the runs of its two arms; none for arms that were not made.
    fn places<'d>(&self, data: &'d Data) -> Vec<(String, Option<[&'d [Run]; 2]>)> {
        let mut places = Vec::new();
        for pair @ [first, second] in pairs(self.first, self.second) {
            for &load in self.loads {
                let runs = data.arm(first, load).zip(data.arm(second, load));
                let name = self.name(&load.to_string(), pair);
                places.push((name, runs.map(|(first, second)| [first, second])));
            }
        }
        places
    }
}

/// Effect of the first arm by the second on the same seeds, and true if it is a ratio. A measure in
/// dB, and values of zero, have a difference instead.
pub(crate) fn effect(kpi: &Kpi, of: Of, first: &[Run], second: &[Run]) -> Option<(Effect, bool)> {
    let runs = by_seed(second, first);
    match of.per_mille() {
        None => {
            let values: Vec<(f64, f64)> = runs
                .iter()
                .filter_map(|(second, first)| Some((kpi.of_run(second)?, kpi.of_run(first)?)))
                .collect();
            let ratio = if kpi.unit == "dB" { None } else { paired_ratio(&values) };
            let found = ratio.map(|ratio| (ratio, true));
            found.or_else(|| paired_difference(&values).map(|effect| (effect, false)))
        }
        Some(per_mille) => {
            let users: Vec<(Vec<f64>, Vec<f64>)> = runs
                .iter()
                .map(|(second, first)| (kpi.of_users(second), kpi.of_users(first)))
                .collect();
            let draws = Resampling::default();
            let found = quantile_ratio(&users, per_mille, draws).map(|ratio| (ratio, true));
            found.or_else(|| {
                quantile_difference(&users, per_mille, draws).map(|effect| (effect, false))
            })
        }
    }
}

/// The first arm against the second.
pub(super) fn compare(data: &Data, sides: &Sides<'_>, relation: Relation) -> Vec<Option<Place>> {
    let place = |(name, runs): (String, Option<[&[Run]; 2]>)| {
        let [first, second] = runs?;
        Some(against(name, sides.kpi, sides.of, [first, second], relation, 1.0))
    };
    sides.places(data).into_iter().map(place).collect()
}

/// Finding at a setting at which the first runs should have `relation` to the second, times
/// `factor`.
pub(super) fn against(
    name: String,
    kpi: &Kpi,
    of: Of,
    [first, second]: [&[Run]; 2],
    relation: Relation,
    factor: f64,
) -> Place {
    let count = by_seed(first, second).len();
    related(name, kpi, count, effect(kpi, of, first, second), relation, factor)
}

/// Finding on an effect, and true if it is a ratio, that should have `relation` to none, times
/// `factor`.
pub(super) fn related(
    name: String,
    kpi: &Kpi,
    count: usize,
    effect: Option<(Effect, bool)>,
    relation: Relation,
    factor: f64,
) -> Place {
    let Some((effect, ratio)) = effect else { return Place::unknown(name, count) };
    let Some(found) = effect.interval(SHOWN) else { return Place::unknown(name, count) };
    let none = if ratio { factor } else { 0.0 };
    let p = match relation {
        Relation::Equal => equality(&effect, ratio),
        _ if factor != 1.0 => {
            let beyond = |below: bool| {
                by_interval(
                    |confidence| effect.interval(confidence),
                    |i| if below { i.high < none } else { i.low > none },
                )
            };
            [beyond(true), beyond(false)]
        }
        _ => one_sided(&effect, none),
    };
    let p = if relation == Relation::Higher { [p[1], p[0]] } else { p };
    let shown = if ratio { found } else { in_unit(kpi, found) };
    Place { ratio, ..Place::with(name, count, shown, p).of(kpi) }
}

/// The p of being equal but for the margin, and of being apart by more than that.
fn equality(effect: &Effect, ratio: bool) -> [f64; 2] {
    if !ratio {
        // Nothing on both sides is equal; other differences have no margin here.
        let nothing = effect.estimate() == 0.0 && effect.p() >= 1.0;
        return [if nothing { 0.0 } else { 1.0 }, 1.0];
    }
    let apart = |i: &Interval| i.high < 1.0 / (1.0 + EQUAL) || i.low > 1.0 + EQUAL;
    let p_fails = by_interval(|confidence| effect.interval(confidence), apart);
    [effect.p_beyond(EQUAL).unwrap_or(1.0), p_fails]
}

/// An interval in the unit for people.
pub(crate) fn in_unit(kpi: &Kpi, interval: Interval) -> Interval {
    let shown = |value| kpi.shown(value);
    let Interval { estimate, low, high } = interval;
    Interval { estimate: shown(estimate), low: shown(low), high: shown(high) }
}

/// One thing of the first arm is below another of the second: their intervals lie apart. Each is
/// taken at the confidence itself, so that the p is too large rather than too small.
pub(super) fn apart(data: &Data, sides: &Sides<'_>, other: Of) -> Vec<Option<Place>> {
    let place = |(name, runs): (String, Option<[&[Run]; 2]>)| {
        let [first, second] = runs?;
        let both = |confidence| {
            let first = interval(sides.kpi, sides.of, first, confidence)?;
            let second = interval(sides.kpi, other, second, confidence)?;
            // Lowest and highest ratio of values in the two intervals.
            let (low, high) = (first.low / second.high, first.high / second.low);
            Some(Interval { estimate: first.estimate / second.estimate, low, high })
        };
        let name = format!("{name} by {}", other.word());
        let place = within(name, first.len().min(second.len()), both, [None, Some(1.0)]);
        Some(Place { ratio: true, ..place })
    };
    sides.places(data).into_iter().map(place).collect()
}

/// Tests whether first by second, as the geometric mean over all settings, lies between bounds.
pub(super) fn ratio(data: &Data, sides: &Sides<'_>, bounds: [f64; 2]) -> Vec<Option<Place>> {
    let all = sides.places(data);
    let made: Vec<[&[Run]; 2]> = all.iter().filter_map(|(_, runs)| *runs).collect();
    if made.is_empty() {
        return vec![None];
    }
    let what = format!("{} {}", sides.kpi.title, sides.of.word());
    let name = format!("{} by {}: {what}", sides.first.join(", "), sides.second.join(", "));
    let runs = made.iter().map(|[first, second]| by_seed(first, second).len()).sum();
    let effects: Option<Vec<Effect>> = made
        .iter()
        .map(|[first, second]| effect(sides.kpi, sides.of, first, second))
        .map(|found| found.filter(|(_, ratio)| *ratio).map(|(effect, _)| effect))
        .collect();
    let Some(effects) = effects else { return vec![Some(Place::unknown(name, runs))] };
    let mean = |confidence: f64| {
        let n = effects.len() as f64;
        let (mut sum, mut squares) = (0.0, 0.0);
        for effect in &effects {
            let interval = effect.interval(confidence)?;
            sum += math::ln(interval.estimate);
            let half = math::ln(interval.high / interval.low) / 2.0;
            squares += half * half;
        }
        let (middle, half) = (sum / n, squares.sqrt() / n);
        let [estimate, low, high] = [middle, middle - half, middle + half].map(math::exp);
        Some(Interval { estimate, low, high })
    };
    let [low, high] = bounds;
    let place = within(name, runs, mean, [Some(low), Some(high)]);
    vec![Some(Place { ratio: true, ..place })]
}

/// An arm at each load against itself at the load before.
pub(super) fn loads(
    data: &Data,
    (kpi, of): (&Kpi, Of),
    relation: Relation,
    arms: &[String],
    loads: &[u32],
    factor: Option<f64>,
) -> Vec<Option<Place>> {
    let mut places = Vec::new();
    for name in arms {
        // In the short form some loads are missing: those that are there follow each other.
        let made = data.loads(name);
        let there: Vec<u32> = loads.iter().copied().filter(|load| made.contains(load)).collect();
        places.extend((there.len()..loads.len()).map(|_| None));
        for step in there.windows(2) {
            let &[before, after] = step else { continue };
            let runs = data.arm(name, after).zip(data.arm(name, before));
            let what = format!("{} {}", kpi.title, of.word());
            let name = format!("{after} by {before} users, {name}: {what}");
            places.push(runs.map(|(after, before)| {
                against(name, kpi, of, [after, before], relation, factor.unwrap_or(1.0))
            }));
        }
    }
    places
}

/// Tests whether users' rates in two arms are in proportion, by their correlation in each run.
pub(super) fn proportional(
    data: &Data,
    first: &str,
    second: &str,
    loads: &[u32],
) -> Vec<Option<Place>> {
    let place = |&load: &u32| {
        let runs = by_seed(data.arm(first, load)?, data.arm(second, load)?);
        let rate = data.kpi("rate")?;
        let of = |(first, second): &(&Run, &Run)| {
            correlation(&rate.of_users(first), &rate.of_users(second))
        };
        let values: Vec<f64> = runs.iter().filter_map(of).collect();
        let name = format!("{load} users, {first} and {second}: correlation of users' rates");
        let interval = |confidence| mean_interval(&values, confidence);
        Some(within(name, runs.len(), interval, [Some(CORRELATED), None]))
    };
    loads.iter().map(place).collect()
}

/// Pearson's correlation; none for fewer than three users, or where one side does not vary.
fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() != b.len() || a.len() < 3 {
        return None;
    }
    let n = a.len() as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (x - mean_a, y - mean_b);
        (ab, aa, bb) = (ab + x * y, aa + x * x, bb + y * y);
    }
    let whole = (aa * bb).sqrt();
    (whole > 0.0).then(|| ab / whole)
}
