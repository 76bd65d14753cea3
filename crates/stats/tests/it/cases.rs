//! Values as those of runs: lognormal delays, arms on the same seeds, users in drops.

use airpath_base::math::{exp, ln};
use airpath_base::random::Stream;
use airpath_stats::Condition;

/// Second arm by first, in every case with two arms.
pub const RATIO: f64 = 0.8;

/// A run's value: lognormal with median 1.
pub fn value(stream: &mut Stream, sigma: f64) -> f64 {
    exp(stream.normal(0.0, sigma))
}

/// The mean of [`value`].
pub fn mean(sigma: f64) -> f64 {
    exp(sigma * sigma / 2.0)
}

/// Two arms on one seed: lognormal alike but for [`RATIO`], logarithms correlated by a half.
pub fn pair(stream: &mut Stream, sigma: f64) -> (f64, f64) {
    let shared = stream.normal(0.0, sigma * 0.5_f64.sqrt());
    let mut own = || exp(shared + stream.normal(0.0, sigma * 0.5_f64.sqrt()));
    (own(), RATIO * own())
}

/// Two arms that are nearly equal: the second is `ratio` times the first but for noise of 10%.
pub fn near_pair(stream: &mut Stream, sigma: f64, ratio: f64) -> (f64, f64) {
    let first = value(stream, sigma);
    (first, first * ratio * exp(stream.normal(-0.005, 0.1)))
}

/// Runs at each load, and users of a run.
pub const LOADS: [(usize, u64); 6] = [(70, 2), (40, 5), (28, 10), (20, 15), (10, 30), (8, 50)];

/// Runs at each load, and the spread of the logarithm of a seed's ratio: with few users, with
/// many, and of as many runs.
pub const SPREADS_OVER_LOADS: [(&str, [(usize, f64); 6]); 3] = [
    ("few users spread", [(70, 0.3), (40, 0.25), (28, 0.2), (20, 0.15), (10, 0.1), (8, 0.1)]),
    ("many users spread", [(70, 0.1), (40, 0.1), (28, 0.15), (20, 0.2), (10, 0.25), (8, 0.3)]),
    ("8 runs each", [(8, 0.2); 6]),
];

/// Two arms at several loads. The ratio is `ratio` in the geometric mean over loads, and spreads
/// by 20% around it. Logarithms of one seed's ratios are correlated between loads by `shared`.
pub fn loads(
    stream: &mut Stream,
    of: &[(usize, f64); 6],
    ratio: f64,
    shared: f64,
) -> Vec<Condition<f64>> {
    let of_seeds: Vec<f64> = (0..of[0].0).map(|_| stream.normal(0.0, shared.sqrt())).collect();
    let mut loads = vec![Vec::new(); of.len()];
    for (n, (load, &(runs, sigma))) in loads.iter_mut().zip(of).enumerate() {
        let here = ln(ratio) + if n % 2 == 0 { 0.2 } else { -0.2 };
        for (seed, of_seed) in (1..).zip(&of_seeds[..runs]) {
            let first = value(stream, 0.5);
            let noise = of_seed + stream.normal(0.0, (1.0 - shared).sqrt());
            load.push((seed, first, first * exp(here + sigma * noise)));
        }
    }
    loads
}

/// Users in drops: lognormal delays of which a part of the variance is their drop's.
#[derive(Clone, Copy)]
pub struct Population {
    /// Standard deviation of the logarithm.
    pub sigma: f64,
    /// Share of its variance that is between drops.
    pub between: f64,
}

/// The populations that are measured.
pub const POPULATIONS: [Population; 2] =
    [Population { sigma: 0.5, between: 0.1 }, Population { sigma: 1.0, between: 0.3 }];

impl Population {
    /// One drop in two arms, with 10 to 30 users. The logarithms of both arms are correlated by 0.8
    /// in the drop's part and by 0.6 in the user's part. The logarithms of the second arm spread
    /// 0.8 times as much, around a median of [`RATIO`].
    pub fn drop(self, stream: &mut Stream) -> (Vec<f64>, Vec<f64>) {
        let of_drop = correlated(stream, self.between, 0.8);
        let users = 10 + stream.below(21);
        self.users(stream, of_drop, users)
    }

    /// Users of a drop, from the drop's part in both arms.
    fn users(self, stream: &mut Stream, of_drop: (f64, f64), users: u64) -> (Vec<f64>, Vec<f64>) {
        let user = |_| {
            let (own, other) = correlated(stream, 1.0 - self.between, 0.6);
            let log = |x: f64| exp(self.sigma * x);
            (log(of_drop.0 + own), RATIO * log(0.8 * (of_drop.1 + other)))
        };
        (0..users).map(user).unzip()
    }

    /// Drops at [`LOADS`]. The drop's parts of one seed are correlated between loads by `shared`.
    pub fn loads(self, stream: &mut Stream, shared: f64) -> Vec<Condition<Vec<f64>>> {
        let of_seeds: Vec<(f64, f64)> =
            (0..LOADS[0].0).map(|_| correlated(stream, self.between, 0.8)).collect();
        let mut loads = vec![Vec::new(); LOADS.len()];
        for (load, (runs, users)) in loads.iter_mut().zip(LOADS) {
            for (seed, of_seed) in (1..).zip(&of_seeds[..runs]) {
                let own = correlated(stream, self.between, 0.8);
                let mixed = |seed: f64, own| shared.sqrt() * seed + (1.0 - shared).sqrt() * own;
                let of_drop = (mixed(of_seed.0, own.0), mixed(of_seed.1, own.1));
                let (first, second) = self.users(stream, of_drop, users);
                load.push((seed, first, second));
            }
        }
        loads
    }

    /// The quantile over all users of either arm, for the normal distribution's `z`.
    pub fn quantiles(self, z: f64) -> (f64, f64) {
        (exp(self.sigma * z), exp(ln(RATIO) + 0.8 * self.sigma * z))
    }
}

/// Two normal values with this variance and correlation.
fn correlated(stream: &mut Stream, variance: f64, correlation: f64) -> (f64, f64) {
    let (first, own) = (stream.normal(0.0, 1.0), stream.normal(0.0, 1.0));
    let second = correlation * first + (1.0 - correlation * correlation).sqrt() * own;
    (variance.sqrt() * first, variance.sqrt() * second)
}
