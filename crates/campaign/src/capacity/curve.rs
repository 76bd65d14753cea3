//! Satisfied users by the number of users, and where they become too few.

use std::collections::BTreeMap;

use airpath_base::random::Seed;

/// Resamplings of seeds.
const DRAWS: usize = 2_000;

/// Shares of satisfied users by number of users, each with a value for each of the same seeds.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve(pub BTreeMap<u64, Vec<f64>>);

/// The number of users at which too few become satisfied, with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    pub at: f64,
    pub low: f64,
    pub high: f64,
    /// True if resamplings end at the first or at the last point: the interval may reach beyond.
    pub open: [bool; 2],
}

impl Curve {
    /// Points that have all of `seeds` values, with the mean of these.
    pub fn means(&self, seeds: usize) -> impl Iterator<Item = (u64, f64)> {
        let whole = self.0.iter().filter(move |(_, values)| values.len() >= seeds);
        whole.map(move |(count, values)| (*count, mean(values[..seeds].iter().copied())))
    }

    /// Mean of the first `seeds` values of a point; none if it lacks some.
    pub fn mean(&self, count: u64, seeds: usize) -> Option<f64> {
        let values = self.0.get(&count).filter(|values| values.len() >= seeds)?;
        Some(mean(values[..seeds].iter().copied()))
    }

    /// The largest point with `seeds` values at which the share is `share`; 0 if it is at none.
    pub fn largest(&self, share: f64, seeds: usize) -> u64 {
        let fitted = falling(self.means(seeds));
        fitted.iter().rfind(|(_, mean)| *mean >= share).map_or(0, |(count, _)| *count)
    }

    /// Number at which the share falls below `share`, along straight lines between points that have `seeds` values. Its interval
    /// is that of seeds drawn anew (bootstrap, percentiles). Seeds are drawn for all points together, since these are paired.
    pub fn crossing(&self, share: f64, seeds: usize) -> Option<Crossing> {
        let points: Vec<(u64, &[f64])> = self
            .0
            .iter()
            .filter(|(_, values)| values.len() >= seeds)
            .map(|(count, values)| (*count, &values[..seeds]))
            .collect();
        let at = crossing(&points, share, |values| mean(values.iter().copied()))?;
        let mut stream = Seed(0).stream("seeds drawn anew");
        let mut found = Vec::with_capacity(DRAWS);
        for _ in 0..DRAWS {
            let drawn: Vec<usize> =
                (0..seeds).map(|_| stream.below(seeds as u64) as usize).collect();
            let of = |values: &[f64]| mean(drawn.iter().map(|n| values[*n]));
            found.push(crossing(&points, share, of)?);
        }
        found.sort_unstable_by(f64::total_cmp);
        let (low, high) = (found[DRAWS / 40], found[DRAWS - 1 - DRAWS / 40]);
        let first = points.first()?.0 as f64;
        let open = [low < first, high >= points.last()?.0 as f64];
        Some(Crossing { at, low, high, open })
    }
}

/// The number of users at which the share falls below `share`, along straight lines; the last point if it is nowhere. Without
/// users all are satisfied. None without points.
fn crossing(points: &[(u64, &[f64])], share: f64, of: impl Fn(&[f64]) -> f64) -> Option<f64> {
    let mut before = (0.0, 1.0);
    for (count, now) in falling(points.iter().map(|(count, values)| (*count, of(values)))) {
        let count = count as f64;
        if now < share {
            let (from, was) = before;
            let part = if was > now { (was - share) / (was - now) } else { 0.0 };
            return Some(from + (count - from) * part);
        }
        before = (count, now);
    }
    points.last().map(|(count, _)| *count as f64)
}

/// The points, of which neighbours that rise have their mean, so that all fall (pool adjacent violators): M. Ayer et al., "An
/// empirical distribution function for sampling with incomplete information", Ann. Math. Stat. 26 (1955).
fn falling(points: impl Iterator<Item = (u64, f64)>) -> Vec<(u64, f64)> {
    let mut pools: Vec<(Vec<u64>, f64)> = Vec::new();
    for (count, mean) in points {
        let mut pool = (vec![count], mean);
        while let Some((mut counts, before)) = pools.pop_if(|(_, before)| *before < pool.1) {
            let (first, second) = (counts.len() as f64, pool.0.len() as f64);
            counts.append(&mut pool.0);
            pool = (counts, (before * first + pool.1 * second) / (first + second));
        }
        pools.push(pool);
    }
    let each = |(counts, mean): (Vec<u64>, f64)| counts.into_iter().map(move |n| (n, mean));
    pools.into_iter().flat_map(each).collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len();
    values.sum::<f64>() / n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(u64, &[f64])]) -> Curve {
        Curve(points.iter().map(|(count, values)| (*count, values.to_vec())).collect())
    }

    #[test]
    fn a_crossing_is_on_the_line_between_two_points() {
        let curve = curve(&[(4, &[1.0, 1.0]), (5, &[0.95, 0.95]), (6, &[0.75, 0.75])]);
        let crossing = curve.crossing(0.9, 2).expect("points");
        // A quarter of the way from 5 to 6: 0.95 - 0.9 of 0.95 - 0.75.
        assert!((crossing.at - 5.25).abs() < 1e-12, "{crossing:?}");
        assert!((crossing.low - 5.25).abs() < 1e-12 && (crossing.high - 5.25).abs() < 1e-12);
        assert_eq!(crossing.open, [false, false]);
    }

    #[test]
    fn shares_that_rise_count_with_their_mean() {
        let curve = curve(&[(1, &[0.75]), (2, &[0.875]), (3, &[0.625])]);
        let fitted = falling(curve.means(1));
        assert_eq!(fitted, [(1, 0.8125), (2, 0.8125), (3, 0.625)]);
        assert_eq!([0.8, 0.82].map(|share| curve.largest(share, 1)), [2, 0]);
        let crossing = curve.crossing(0.75, 1).expect("points");
        assert!((crossing.at - 2.0 - 1.0 / 3.0).abs() < 1e-12, "{crossing:?}");
    }

    #[test]
    fn seeds_that_differ_make_an_interval() {
        let curve = curve(&[(5, &[1.0, 1.0, 1.0, 0.8]), (6, &[0.9, 0.5, 0.9, 0.5])]);
        let crossing = curve.crossing(0.9, 4).expect("points");
        assert!(crossing.low < crossing.at && crossing.at < crossing.high, "{crossing:?}");
        // All seeds drawn are the last: 0.8 at 5, so half of the way from 0 to 5.
        assert!(crossing.low >= 2.5);
        assert_eq!(crossing.open, [true, true]);
    }

    #[test]
    fn without_a_point_below_the_last_is_the_crossing() {
        let curve = curve(&[(5, &[1.0]), (6, &[0.9])]);
        let crossing = curve.crossing(0.9, 1).expect("points");
        assert_eq!((crossing.at, crossing.open), (6.0, [false, true]));
        assert_eq!(Curve::default().crossing(0.9, 1), None);
    }
}
