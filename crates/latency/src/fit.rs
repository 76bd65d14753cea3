//! Settings that explain measured delays: the likelihood of each setting of a [`Grid`].
//!
//! - A packet's delay is that of the setting, a constant, and an exponential time. Constant and mean of the
//!   exponential time are the processing; the most likely are taken for each setting.
//! - A small share of packets may have any delay, so that no single packet excludes a setting.
//! - Settings are in the stated set if twice the logarithm of their likelihood ratio to the best is below the 95%
//!   quantile of the chi-squared distribution, with a degree of freedom for each value that is fitted (Wilks, 1938).
//! - A measurement is unexplained if even the best setting fails a Kolmogorov-Smirnov test at 0.1%.

use airpath_base::math;

use crate::{Candidate, Distribution, Grid, ParseError};

/// Steps of the grid in ms.
const STEP: f64 = 0.1;
/// Share of packets that may have any delay.
const ANY: f64 = 0.002;
/// Steps by which the least delay of a setting may be below or above the delay that a hundredth has.
const BELOW: usize = 30;
const ABOVE: usize = 5;
/// Means of the exponential time in ms, the greatest last.
const MEANS: [f64; 6] = [0.0, 0.2, 0.5, 1.5, 3.0, GREATEST];
/// Greatest mean in ms.
const GREATEST: f64 = 5.0;
/// 95% quantile of chi-squared with seven degrees of freedom: slots, access, k2, preparation, errors, and two
/// times of processing.
const WITHIN: f64 = 14.067;
/// Probability below which a measurement is unexplained.
const REFUSED: f64 = 0.001;
/// Delays that a fit takes at least.
pub const FEWEST_DELAYS: usize = 50;

/// A setting with its times of processing, and how well it explains a measurement.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The setting.
    pub candidate: Candidate,
    /// Constant time of processing in ms.
    pub constant_ms: f64,
    /// Mean of the exponential time in ms.
    pub exponential_ms: f64,
    /// Logarithm of the likelihood, less that of the best.
    pub log_likelihood: f64,
    /// Share of the likelihood of all settings.
    pub weight: f64,
    delay: Distribution,
}

/// Settings that the measurement cannot tell apart.
#[derive(Clone, Debug)]
pub struct Group {
    /// Share of the likelihood of all settings.
    pub weight: f64,
    /// The settings, the most likely first.
    pub settings: Vec<Explanation>,
}

/// A value, and the share of the likelihood of all settings that have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// Name of what was varied.
    pub name: &'static str,
    /// Value.
    pub value: String,
    /// Share of the likelihood.
    pub weight: f64,
}

/// Outcome of a fit.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Number of delays.
    pub samples: usize,
    /// Number of settings.
    pub tried: usize,
    /// True if the best setting explains the measurement.
    pub explained: bool,
    /// Settings of the stated set, in groups, the most likely first. Of an unexplained measurement, the best alone.
    pub groups: Vec<Group>,
    /// Values by their likelihood, for all that was varied.
    pub shares: Vec<Share>,
    /// Greatest distance of the measured distribution to that of the best setting.
    pub distance: f64,
    /// Probability of that distance or more, if the best setting were the truth.
    pub probability: f64,
    /// Share in percent, measured delay, delay of the best setting in ms.
    pub left: Vec<[f64; 3]>,
}

/// Finds the settings of a grid that explain delays in ms.
///
/// # Errors
///
/// Fewer than 50 delays, or a grid in which no setting is possible.
pub fn fit(delays: &[f64], grid: &Grid) -> Result<Fitted, ParseError> {
    if delays.len() < FEWEST_DELAYS {
        let why =
            format!("has {} delays: {FEWEST_DELAYS} or more tell settings apart", delays.len());
        return Err(ParseError::new(why));
    }
    let mut sorted = delays.to_vec();
    sorted.sort_by(f64::total_cmp);
    let trial = Trial::new(&sorted);
    let mut all: Vec<Explanation> = Vec::new();
    let mut fault = ParseError::new("has no setting to be tried");
    for candidate in grid.candidates() {
        match candidate.interface.delay(grid.direction, STEP) {
            Ok(radio) => all.push(trial.best(candidate, &radio)),
            Err(error) => fault = error,
        }
    }
    all.sort_by(|one, other| other.log_likelihood.total_cmp(&one.log_likelihood));
    let Some(most) = all.first().map(|one| one.log_likelihood) else { return Err(fault) };
    weigh(&mut all, most);
    Ok(judged(&sorted, all))
}

/// Numbers of delays by steps of the grid.
fn counts(sorted: &[f64]) -> Vec<(usize, f64)> {
    let mut counts: Vec<(usize, f64)> = Vec::new();
    for delay in sorted {
        let step = (delay / STEP) as usize;
        match counts.last_mut() {
            Some((last, count)) if *last == step => *count += 1.0,
            _ => counts.push((step, 1.0)),
        }
    }
    counts
}

/// The measurement and the exponential times that are tried.
struct Trial {
    /// Numbers of delays by steps of the grid.
    counts: Vec<(usize, f64)>,
    /// The step below which a hundredth of the delays is.
    first: usize,
}

impl Trial {
    fn new(sorted: &[f64]) -> Trial {
        let first = sorted.get(sorted.len() / 100).map_or(0, |delay| (delay / STEP) as usize);
        Trial { counts: counts(sorted), first }
    }

    /// The most likely times of processing of a setting. Constants that leave a part of its packets before all
    /// delays, or a part of the delays before all packets, are left out.
    fn best(&self, candidate: Candidate, radio: &Distribution) -> Explanation {
        let least = radio.shares().iter().position(|share| *share > 0.0).unwrap_or(0);
        let (from, to) =
            (self.first.saturating_sub(least + BELOW), (self.first + ABOVE).saturating_sub(least));
        let mut found: Option<(f64, usize, f64)> = None;
        for mean in MEANS {
            let logarithms = self.logarithms(&radio.plus_exponential(mean));
            for constant in from..=to {
                let sum = self.log_likelihood(&logarithms, constant);
                if found.is_none_or(|(most, ..)| sum > most) {
                    found = Some((sum, constant, mean));
                }
            }
        }
        let (log_likelihood, constant, mean) = found.unwrap_or((f64::NEG_INFINITY, 0, 0.0));
        Explanation {
            candidate,
            constant_ms: constant as f64 * STEP,
            exponential_ms: mean,
            log_likelihood,
            weight: 0.0,
            delay: radio.plus_exponential(mean),
        }
    }

    /// Logarithms of the probabilities of steps, that of a step beyond all others last.
    fn logarithms(&self, delay: &Distribution) -> Vec<f64> {
        let end = self.counts.last().map_or(1, |(last, _)| last + 1);
        let any = ANY / end.max(delay.shares().len()) as f64;
        let own = delay.shares().iter().map(|share| (1.0 - ANY) * share);
        own.chain([0.0]).map(|share| math::ln(share + any)).collect()
    }

    fn log_likelihood(&self, logarithms: &[f64], constant: usize) -> f64 {
        let outside = logarithms.len() - 1;
        let at = |step: usize| step.checked_sub(constant).map_or(outside, |n| n.min(outside));
        self.counts.iter().map(|(step, count)| count * logarithms[at(*step)]).sum()
    }
}

/// Makes likelihoods relative to the best, and shares of their sum.
fn weigh(all: &mut [Explanation], most: f64) {
    all.iter_mut().for_each(|one| one.log_likelihood -= most);
    let sum: f64 = all.iter().map(|one| math::exp(one.log_likelihood)).sum();
    all.iter_mut().for_each(|one| one.weight = math::exp(one.log_likelihood) / sum);
}

fn judged(sorted: &[f64], all: Vec<Explanation>) -> Fitted {
    let (tried, shares) = (all.len(), shares(&all));
    let distance = all.first().map_or(1.0, |best| best.distance(sorted));
    let probability = kolmogorov(distance, sorted.len());
    let explained = probability >= REFUSED;
    let left = all.first().map_or(Vec::new(), |best| left(best, sorted));
    let within = |one: &Explanation| -2.0 * one.log_likelihood <= WITHIN;
    let stated = all.into_iter().take_while(within).take(if explained { usize::MAX } else { 1 });
    let groups = grouped(stated, sorted.len());
    Fitted { samples: sorted.len(), tried, explained, groups, shares, distance, probability, left }
}

/// Values with a share of a thousandth or more, by what was varied and by their share.
fn shares(all: &[Explanation]) -> Vec<Share> {
    let mut shares: Vec<Share> = Vec::new();
    for one in all {
        for (name, value) in &one.candidate.values {
            match shares.iter_mut().find(|own| own.name == *name && own.value == *value) {
                Some(own) => own.weight += one.weight,
                None => shares.push(Share { name, value: value.clone(), weight: one.weight }),
            }
        }
    }
    let mut names: Vec<&str> = Vec::new();
    for own in &shares {
        if !names.contains(&own.name) {
            names.push(own.name);
        }
    }
    shares.retain(|own| own.weight >= 0.001);
    let order = |own: &Share| names.iter().position(|name| *name == own.name);
    shares.sort_by(|a, b| order(a).cmp(&order(b)).then(b.weight.total_cmp(&a.weight)));
    shares
}

/// Settings whose distributions lie so near each other that so many delays cannot tell them apart.
fn grouped(stated: impl Iterator<Item = Explanation>, samples: usize) -> Vec<Group> {
    // 1.36 is the 95% quantile of the Kolmogorov distribution.
    let near = 1.36 / (samples as f64).sqrt();
    let mut groups: Vec<Group> = Vec::new();
    for one in stated {
        let like = |group: &&mut Group| {
            group.settings.first().is_some_and(|first| one.apart(first) < near)
        };
        match groups.iter_mut().find(like) {
            Some(group) => {
                group.weight += one.weight;
                group.settings.push(one);
            }
            None => groups.push(Group { weight: one.weight, settings: vec![one] }),
        }
    }
    groups
}

/// Percent, measured and fitted delay.
fn left(best: &Explanation, sorted: &[f64]) -> Vec<[f64; 3]> {
    let at = |percent: f64| {
        let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
        let measured = sorted.get(rank.clamp(1, sorted.len()) - 1).copied().unwrap_or(0.0);
        [percent, measured, best.delay.quantile(percent / 100.0) + best.constant_ms]
    };
    [5.0, 25.0, 50.0, 75.0, 95.0, 99.0].map(at).to_vec()
}

impl Explanation {
    /// True if its exponential time is the greatest that is tried, so that the best one may be greater.
    pub fn is_at_bound(&self) -> bool {
        self.exponential_ms >= GREATEST
    }

    /// Share of packets by this setting that have a delay of so many ms at most.
    fn at_most(&self, sums: &[f64], ms: f64) -> f64 {
        let steps = (ms - self.constant_ms) / STEP;
        if steps <= 0.0 {
            return 0.0;
        }
        let whole = steps as usize;
        let sum = |n: usize| sums.get(n.min(sums.len() - 1)).copied().unwrap_or(1.0);
        sum(whole) + (steps - whole as f64) * (sum(whole + 1) - sum(whole))
    }

    /// Sums of the shares up to each step.
    fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0];
        for share in self.delay.shares() {
            sums.push(sums[sums.len() - 1] + share);
        }
        sums
    }

    /// Greatest distance to the distribution of measured delays.
    fn distance(&self, sorted: &[f64]) -> f64 {
        let (sums, all) = (self.sums(), sorted.len() as f64);
        let apart = |(n, delay): (usize, &f64)| {
            let own = self.at_most(&sums, *delay);
            (own - n as f64 / all).abs().max((own - (n + 1) as f64 / all).abs())
        };
        sorted.iter().enumerate().map(apart).fold(0.0, f64::max)
    }

    /// Greatest distance to the distribution of another setting.
    fn apart(&self, other: &Explanation) -> f64 {
        let (own, others) = (self.sums(), other.sums());
        let end =
            own.len().max(others.len()) + (self.constant_ms.max(other.constant_ms) / STEP) as usize;
        let at = |n: usize| {
            let ms = n as f64 * STEP;
            (self.at_most(&own, ms) - other.at_most(&others, ms)).abs()
        };
        (0..end).map(at).fold(0.0, f64::max)
    }
}

/// Probability of a distance or more of a sample to its distribution (Kolmogorov, 1933; Stephens, 1970).
fn kolmogorov(distance: f64, samples: usize) -> f64 {
    let root = (samples as f64).sqrt();
    let scaled = (root + 0.12 + 0.11 / root) * distance;
    if scaled < 0.2 {
        return 1.0;
    }
    let term = |n: u32| {
        let sign = if n % 2 == 1 { 2.0 } else { -2.0 };
        sign * math::exp(-2.0 * f64::from(n * n) * scaled * scaled)
    };
    (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0)
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
