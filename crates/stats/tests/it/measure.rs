//! Shares of repetitions in which an interval holds the truth.

use std::thread;

use airpath_base::math;
use airpath_base::random::{Seed, Stream};
use airpath_stats::{
    Effect, Interval, Next, Resampling, Scale, Until, mean_effect, mean_interval,
    mean_quantile_effect, normal_quantile, paired_difference, paired_ratio, prediction_interval,
    quantile_difference, quantile_interval, quantile_ratio,
};

use crate::cases::{POPULATIONS, RATIO, SPREADS_OVER_LOADS, loads, mean, near_pair, pair, value};

/// Numbers of runs.
pub const RUNS: [usize; 11] = [2, 3, 4, 6, 8, 10, 15, 20, 30, 50, 70];
/// Numbers of drops.
pub const DROPS: [usize; 6] = [4, 8, 12, 20, 30, 50];
/// Percentiles over users.
pub const PER_MILLE: [u32; 3] = [500, 950, 990];

/// A row of a table: what it is, and a share by column.
pub struct Row {
    pub what: String,
    pub shares: Vec<f64>,
}

/// Size of a measurement.
#[derive(Clone, Copy)]
pub struct Effort {
    pub repetitions: u32,
    pub resamples: u32,
}

/// Over runs: intervals of one arm, and of two.
pub fn over_runs(effort: Effort) -> Vec<Row> {
    let row = |what: &str, sigma: f64, once: &dyn Fn(&mut Stream, usize) -> bool| {
        let what = format!("{what}, σ {sigma}");
        let shares = RUNS.map(|n| share(&format!("{what}, {n}"), effort, |s| once(s, n))).to_vec();
        Row { what, shares }
    };
    let values =
        |s: &mut Stream, n, sigma| -> Vec<f64> { (0..n).map(|_| value(s, sigma)).collect() };
    let pairs = |s: &mut Stream, n, sigma| -> Vec<_> { (0..n).map(|_| pair(s, sigma)).collect() };
    let mut rows = Vec::new();
    for sigma in [0.1, 0.5, 1.0] {
        rows.push(row("mean", sigma, &|s, n| {
            holds(mean_interval(&values(s, n, sigma), 0.95), mean(sigma))
        }));
    }
    for sigma in [0.5, 1.0] {
        rows.push(row("a further run", sigma, &|s, n| {
            holds(prediction_interval(&values(s, n, sigma), 0.95), value(s, sigma))
        }));
        rows.push(row("difference", sigma, &|s, n| {
            let effect = paired_difference(&pairs(s, n, sigma)).expect("pairs");
            holds(effect.interval(0.95), (RATIO - 1.0) * mean(sigma))
        }));
        rows.push(row("ratio", sigma, &|s, n| {
            let effect = paired_ratio(&pairs(s, n, sigma)).expect("pairs");
            holds(effect.interval(0.95), RATIO)
        }));
    }
    rows.sort_by_key(|row| row.what.split(',').next().map(str::to_owned));
    rows
}

/// Over users in drops: of one arm, and of two.
pub fn over_users(effort: Effort) -> Vec<Row> {
    let mut cases = Vec::new();
    for per_mille in PER_MILLE {
        cases.extend((0..POPULATIONS.len()).map(|population| (per_mille, population)));
    }
    let measure =
        |(per_mille, population)| DROPS.map(|drops| of_users(effort, per_mille, population, drops));
    let measured: Vec<_> = thread::scope(|scope| {
        let started: Vec<_> =
            cases.iter().map(|case| scope.spawn(move || measure(*case))).collect();
        started.into_iter().map(|case| case.join().expect("measured")).collect()
    });
    let mut rows = Vec::new();
    for ((per_mille, population), columns) in cases.into_iter().zip(measured) {
        let of = POPULATIONS[population];
        for (place, what) in ["one arm", "difference", "ratio"].into_iter().enumerate() {
            let shares = columns.iter().map(|column| column[place]).collect();
            let percentile = per_mille / 10;
            let what = format!("p{percentile}, {what}, σ {}, {} between", of.sigma, of.between);
            rows.push(Row { what, shares });
        }
    }
    rows
}

/// Shares of the interval of one arm, of the difference, and of the ratio.
fn of_users(effort: Effort, per_mille: u32, population: usize, drops: usize) -> [f64; 3] {
    let of = POPULATIONS[population];
    let z = normal_quantile(f64::from(per_mille) / 1000.0).expect("inside");
    let (first, second) = of.quantiles(z);
    let mut stream = Seed(1).stream(&format!("users {per_mille} {population} {drops}"));
    let mut held = [0_u32; 3];
    for repetition in 0..effort.repetitions {
        let pairs: Vec<_> = (0..drops).map(|_| of.drop(&mut stream)).collect();
        let arm: Vec<_> = pairs.iter().map(|(first, _)| first.clone()).collect();
        let resampling = Resampling { seed: u64::from(repetition), resamples: effort.resamples };
        let difference = quantile_difference(&pairs, per_mille, resampling).expect("pairs");
        let ratio = quantile_ratio(&pairs, per_mille, resampling).expect("pairs");
        held[0] += u32::from(holds(quantile_interval(&arm, per_mille, 0.95), first));
        held[1] += u32::from(holds(difference.interval(0.95), second - first));
        held[2] += u32::from(holds(ratio.interval(0.95), second / first));
    }
    held.map(|held| f64::from(held) / f64::from(effort.repetitions))
}

/// Spreads of the values of runs that are added until an interval is narrow.
pub const SPREADS: [f64; 5] = [0.05, 0.1, 0.2, 0.5, 1.0];

/// Runs until the interval is narrow: share that holds the mean, share that got there, and runs.
pub fn until(effort: Effort) -> Vec<Row> {
    let rule = Until::default();
    let columns = SPREADS.map(|sigma| {
        let mut stream = Seed(1).stream(&format!("until {sigma}"));
        let (mut held, mut reached, mut runs) = (0_u32, 0_u32, 0);
        for _ in 0..effort.repetitions {
            let mut values: Vec<f64> = Vec::new();
            let end = loop {
                match rule.next(&values) {
                    Next::RunTo(n) => {
                        values.extend((values.len()..n).map(|_| value(&mut stream, sigma)));
                    }
                    end => break end,
                }
            };
            held += u32::from(holds(mean_interval(&values, 0.95), mean(sigma)));
            reached += u32::from(end == Next::Reached);
            runs += values.len();
        }
        let all = f64::from(effort.repetitions);
        [f64::from(held) / all, f64::from(reached) / all, runs as f64 / all]
    });
    let row = |place: usize, what: &str| Row {
        what: what.to_owned(),
        shares: columns.iter().map(|column| column[place]).collect(),
    };
    vec![row(0, "holds the mean"), row(1, "is narrow in the end"), row(2, "runs in the end")]
}

/// Numbers of runs for the test of equality.
pub const EQUAL_RUNS: [usize; 4] = [6, 10, 20, 70];

/// Share of arms that are called equal although they are as far apart as the margin.
pub fn equality(effort: Effort) -> Vec<Row> {
    let mut rows = Vec::new();
    for sigma in [0.5, 1.0] {
        for (what, up) in [("10% more", true), ("1/1.1", false)] {
            let ratio: f64 = if up { 1.1 } else { 1.0 / 1.1 };
            // The noise of a pair has a median of e^-0.005 and a mean of 1.
            let (of_logs, of_means) = (ratio * math::exp(0.005), ratio);
            let margin = (ratio - 1.0).abs() * mean(sigma);
            rows.push(errors(&format!("ratio, {what}, σ {sigma}"), effort, |s, n| {
                let pairs: Vec<_> = (0..n).map(|_| near_pair(s, sigma, of_logs)).collect();
                paired_ratio(&pairs).expect("pairs").p_beyond(0.1)
            }));
            rows.push(errors(&format!("difference, {what}, σ {sigma}"), effort, |s, n| {
                let pairs: Vec<_> = (0..n).map(|_| near_pair(s, sigma, of_means)).collect();
                paired_difference(&pairs).expect("pairs").p_beyond(margin)
            }));
        }
    }
    rows.sort_by(|a, b| b.what.cmp(&a.what));
    rows
}

fn errors(what: &str, effort: Effort, p: impl Fn(&mut Stream, usize) -> Option<f64>) -> Row {
    let once = |s: &mut Stream, n| p(s, n).expect("a margin") < 0.05;
    let shares = EQUAL_RUNS.map(|n| share(&format!("{what}, {n}"), effort, |s| once(s, n)));
    Row { what: what.to_owned(), shares: shares.to_vec() }
}

/// Correlations of a seed's runs between loads.
pub const SHARED: [f64; 3] = [0.0, 0.5, 1.0];

/// Means over loads: coverage, and how often a statement gets a verdict at a level of 5%.
pub fn over_loads(effort: Effort) -> Vec<Row> {
    type Judged = fn(&Effect) -> bool;
    let covers: Judged = |effect| holds(effect.interval(0.95), RATIO);
    let lower: Judged = |effect| effect.estimate() < 1.0 && effect.p() < 0.1;
    let equal: Judged = |effect| effect.p_beyond(0.1).is_some_and(|p| p < 0.05);
    let questions = [
        ("holds the ratio", RATIO, covers),
        ("called lower at 1", 1.0, lower),
        ("called lower at 0.95", 0.95, lower),
        ("called equal at 1.1", 1.1, equal),
        ("called equal at 1", 1.0, equal),
    ];
    let mut rows = Vec::new();
    for (question, ratio, judged) in questions {
        for (name, of) in &SPREADS_OVER_LOADS {
            let what = format!("{question}, {name}");
            let once = |s: &mut Stream, shared| {
                let effect = mean_effect(Scale::Ratio, &loads(s, of, ratio, shared));
                judged(&effect.expect("pairs"))
            };
            let shares = SHARED
                .map(|shared| share(&format!("{what}, {shared}"), effort, |s| once(s, shared)));
            rows.push(Row { what, shares: shares.to_vec() });
        }
    }
    rows
}

/// Means over loads of percentiles: coverage, and how often equal arms are called lower.
pub fn users_over_loads(effort: Effort) -> Vec<Row> {
    let cases: Vec<(u32, usize)> =
        [950, 990].iter().flat_map(|&p| (0..POPULATIONS.len()).map(move |of| (p, of))).collect();
    let measured: Vec<_> = thread::scope(|scope| {
        let case = |&(per_mille, of): &(u32, usize)| {
            scope.spawn(move || SHARED.map(|shared| users_at(effort, per_mille, of, shared)))
        };
        let started: Vec<_> = cases.iter().map(case).collect();
        started.into_iter().map(|case| case.join().expect("measured")).collect()
    });
    let mut rows = Vec::new();
    for ((per_mille, of), columns) in cases.into_iter().zip(measured) {
        for (n, question) in ["holds the ratio", "called lower at 1"].into_iter().enumerate() {
            let (percentile, of) = (per_mille / 10, POPULATIONS[of]);
            let what = format!("p{percentile} {question}, σ {}, {} between", of.sigma, of.between);
            rows.push(Row { what, shares: columns.iter().map(|column| column[n]).collect() });
        }
    }
    rows
}

/// Shares that hold the ratio, and that call it lower than it is.
fn users_at(effort: Effort, per_mille: u32, population: usize, shared: f64) -> [f64; 2] {
    let of = POPULATIONS[population];
    let z = normal_quantile(f64::from(per_mille) / 1000.0).expect("inside");
    let (first, second) = of.quantiles(z);
    let mut stream = Seed(1).stream(&format!("loads {per_mille} {population} {shared}"));
    let mut held = [0_u32; 2];
    for repetition in 0..effort.repetitions {
        let loads = of.loads(&mut stream, shared);
        let draws = Resampling { seed: u64::from(repetition), resamples: effort.resamples };
        let effect = mean_quantile_effect(Scale::Ratio, &loads, per_mille, draws).expect("users");
        held[0] += u32::from(holds(effect.interval(0.95), second / first));
        // A one-sided test at 5% calls the ratio lower.
        held[1] += u32::from(effect.interval(0.9).is_some_and(|i| i.high < second / first));
    }
    held.map(|held| f64::from(held) / f64::from(effort.repetitions))
}

/// The share of repetitions in which something holds.
fn share(name: &str, effort: Effort, once: impl Fn(&mut Stream) -> bool) -> f64 {
    let mut stream = Seed(1).stream(name);
    let held = (0..effort.repetitions).filter(|_| once(&mut stream)).count();
    held as f64 / f64::from(effort.repetitions)
}

fn holds(interval: Option<Interval>, truth: f64) -> bool {
    interval.expect("enough values").contains(truth)
}
