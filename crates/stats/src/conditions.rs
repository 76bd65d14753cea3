//! Mean of effects over conditions, such as loads, each with its own pairs of runs.
//!
//! Conditions have equal weights. Runs of one seed at several conditions may share draws, as users'
//! positions. A seed with its pairs at all conditions is therefore what is independent. The
//! variance is the sum over seeds of the square of what a seed adds. It is right for seeds that
//! share draws between conditions and for seeds that do not.
//!
//! K.-Y. Liang and S. L. Zeger, "Longitudinal data analysis using generalized linear models",
//! Biometrika 73 (1986); R. M. Bell and D. F. McCaffrey, "Bias reduction in standard errors for
//! linear regression with multi-stage samples", Survey Methodology 28 (2002).

use std::collections::{BTreeMap, BTreeSet};

use airpath_base::random::Seed;

use crate::Resampling;
use crate::clusters::{TAIL, is_tail};
use crate::effect::{Effect, Scale};
use crate::interval::moments;
use crate::pool::Pool;

/// Pairs of runs at one condition: seed, first arm, second arm.
pub type Condition<T> = Vec<(u64, T, T)>;

/// Mean over conditions of the paired effect at each: of differences, or the geometric mean of
/// ratios. Conditions have own numbers of runs and spreads. None without conditions, for fewer than
/// two pairs at one, or in the cases of [`crate::paired_difference`] and [`crate::paired_ratio`].
pub fn mean_effect(scale: Scale, conditions: &[Condition<f64>]) -> Option<Effect> {
    let count = conditions.len() as f64;
    let (mut estimate, mut variances) = (0.0, Vec::new());
    let mut added: BTreeMap<u64, f64> = BTreeMap::new();
    for pairs in conditions {
        let values: Option<Vec<f64>> =
            pairs.iter().map(|&(_, first, second)| scale.of(first, second)).collect();
        let values = values?;
        let (n, mean, deviation) = moments(&values)?;
        estimate += mean / count;
        variances.push(deviation * deviation / n);
        // The factor makes a condition's sum of squares free of bias.
        let weight = (n / (n - 1.0)).sqrt() / (n * count);
        for ((seed, ..), value) in pairs.iter().zip(values) {
            *added.entry(*seed).or_default() += weight * (value - mean);
        }
    }
    let error = added.values().map(|own| own * own).sum::<f64>().sqrt();
    Effect::new(scale, estimate, error, freedom(conditions, &variances)? + 1)
}

/// Mean over conditions of the effect on a percentile over all users, as
/// [`crate::quantile_difference`] and [`crate::quantile_ratio`] have it at one condition.
///
/// The standard error comes from the Bayesian bootstrap. A seed has one exponential weight at all
/// conditions, so none of the few seeds of a condition is ever left out. Weights of n seeds leave
/// the share (n - 1)/(n + 1) of the variance, which is made up for. None in the cases of
/// [`mean_effect`] and of these.
///
/// D. B. Rubin, "The Bayesian bootstrap", Annals of Statistics 9 (1981).
pub fn mean_quantile_effect(
    scale: Scale,
    conditions: &[Condition<Vec<f64>>],
    per_mille: u32,
    resampling: Resampling,
) -> Option<Effect> {
    if !(1..1000).contains(&per_mille) || conditions.iter().any(|pairs| pairs.len() < 2) {
        return None;
    }
    let pools: Option<Vec<[Pool; 2]>> = conditions.iter().map(pools).collect();
    let (pools, count) = (pools?, conditions.len() as f64);
    let single = |[first, second]: &[Pool; 2]| {
        scale.of(first.percentile(per_mille), second.percentile(per_mille))
    };
    let estimates: Option<Vec<f64>> = pools.iter().map(single).collect();
    let estimate = estimates?.iter().sum::<f64>() / count;
    let seeds: BTreeSet<u64> = conditions.iter().flatten().map(|(seed, ..)| *seed).collect();
    let seeds: Vec<u64> = seeds.into_iter().collect();
    let index = |(seed, ..): &(u64, _, _)| seeds.partition_point(|other| other < seed);
    let indices: Vec<Vec<usize>> =
        conditions.iter().map(|pairs| pairs.iter().map(index).collect()).collect();
    let (mut weights, mut own) = (vec![0; seeds.len()], Vec::new());
    let mut stream = Seed(resampling.seed).stream("Bayesian bootstrap");
    let (mut drawn, mut means) = (vec![Vec::new(); conditions.len()], Vec::new());
    for _ in 0..resampling.resamples.max(2) {
        weights.fill_with(|| stream.exponential(1000.0).ceil() as u64);
        let mut mean = 0.0;
        for ((indices, [first, second]), drawn) in indices.iter().zip(&pools).zip(&mut drawn) {
            own.clear();
            own.extend(indices.iter().map(|&seed| weights[seed]));
            let of = |pool: &Pool| pool.weighted(per_mille, &own);
            let n = own.len() as f64;
            let effect = scale.of(of(first)?, of(second)?)? * ((n + 1.0) / (n - 1.0)).sqrt();
            mean += effect / count;
            drawn.push(effect);
        }
        means.push(mean);
    }
    let deviation = |values: &Vec<f64>| moments(values).map(|(_, _, deviation)| deviation);
    let tail = if scale == Scale::Difference && is_tail(per_mille) { TAIL } else { 1.0 };
    let variances: Option<Vec<f64>> =
        drawn.iter().map(|values| deviation(values).map(|own| own * own)).collect();
    let error = deviation(&means)? * tail;
    Effect::new(scale, estimate, error, freedom(conditions, &variances?)? + 1)
}

fn pools(pairs: &Condition<Vec<f64>>) -> Option<[Pool; 2]> {
    let first = Pool::of(pairs.iter().map(|(_, first, _)| first.as_slice()))?;
    Some([first, Pool::of(pairs.iter().map(|(_, _, second)| second.as_slice()))?])
}

/// Degrees of freedom of the sum of squares over seeds, from the variance of each condition's mean.
/// The chi-squared distribution with so many has the mean and the variance that the sum has if
/// conditions are independent (Satterthwaite). Conditions with the same n seeds have n - 1.
fn freedom<T>(conditions: &[Condition<T>], variances: &[f64]) -> Option<usize> {
    let least = conditions.iter().map(Vec::len).min()?.checked_sub(1)?;
    let seeds: Vec<BTreeSet<u64>> =
        conditions.iter().map(|pairs| pairs.iter().map(|(seed, ..)| *seed).collect()).collect();
    let each = || seeds.iter().zip(variances);
    let mean: f64 = variances.iter().sum();
    // Seeds s and t of a condition add with the covariance v/(n - 1)·(δ - 1/n). The sum of squares
    // of covariances has a term for two conditions by the number m of seeds that both have.
    let mut squares = 0.0;
    for (one, v) in each() {
        for (other, w) in each() {
            let [n, k, m] =
                [one.len(), other.len(), one.intersection(other).count()].map(|n| n as f64);
            let term = m * (1.0 - 1.0 / n - 1.0 / k) + m * m / (n * k);
            squares += v * w / ((n - 1.0) * (k - 1.0)) * term;
        }
    }
    // Rounding must not take a degree from conditions with the same seeds.
    let found = mean * mean / squares * (1.0 + 1e-9);
    Some(if found.is_finite() { (found as usize).max(1) } else { least })
}

#[cfg(test)]
#[path = "conditions_tests.rs"]
mod tests;
