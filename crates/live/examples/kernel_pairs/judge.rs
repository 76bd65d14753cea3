//! Verdicts of criteria in the three ways of a run.

use airpath_evaluate::Criterion;
use airpath_stats::Verdict;
use airpath_study::Quantity;

use crate::list::{Pair, Wanted};
use crate::runs::{Made, Way};

/// A criterion of a pair, judged.
pub struct Judged {
    /// Name of the criterion.
    pub criterion: String,
    /// Unit of its quantity.
    pub unit: String,
    /// Its bounds.
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    /// Mean over seeds, and verdict: as written, with the kernel's settings, and of the kernel.
    pub found: [(Option<f64>, Verdict); 3],
}

/// A pair, judged.
pub struct JudgedPair {
    /// Name of the pair.
    pub name: String,
    /// Explanation of a known difference; empty for none.
    pub why: String,
    /// Its criteria.
    pub criteria: Vec<Judged>,
    /// Runs whose clock was late.
    pub late: usize,
}

impl Judged {
    /// True if the kernel has the verdict of the simulated controller in this way.
    pub fn is_same(&self, way: usize) -> bool {
        self.found[way].1 == self.found[2].1
    }
}

impl JudgedPair {
    /// True if all criteria have the same verdict with the kernel as in this way.
    pub fn is_same(&self, way: usize) -> bool {
        self.criteria.iter().all(|own| own.is_same(way))
    }
}

/// Judges all pairs.
pub fn judge(pairs: &[Pair], made: &Made, wanted: &Wanted) -> Vec<JudgedPair> {
    let judged = |(n, pair): (usize, &Pair)| {
        let name = pair.name();
        let seeds = pair.seeds(wanted);
        let criterion = |(own, quantity): (&Criterion, Quantity)| Judged {
            criterion: own.name.clone(),
            unit: own.unit.clone(),
            at_least: own.at_least,
            at_most: own.at_most,
            found: [Way::Written, Way::Adopted, Way::Kernel].map(|way| {
                let value = |seed| quantity.from_packets(made.packets.get(&(n, way, seed))?);
                found(own, &(1..=seeds).map(value).collect::<Vec<_>>())
            }),
        };
        let late = made.late.iter().filter(|run| run.starts_with(&format!("{name} "))).count();
        let criteria = pair.criteria().into_iter().map(criterion).collect();
        JudgedPair { name, why: pair.why.clone(), criteria, late }
    };
    pairs.iter().enumerate().map(judged).collect()
}

/// Mean and verdict, as `airpath evaluate` has them.
fn found(own: &Criterion, values: &[Option<f64>]) -> (Option<f64>, Verdict) {
    let there: Vec<f64> = values.iter().flatten().copied().collect();
    let mean = there.iter().sum::<f64>() / there.len() as f64;
    ((!there.is_empty()).then_some(mean), own.verdict(values))
}

/// True if each pair whose verdicts differ has an explanation in the list.
pub fn is_explained(all: &[JudgedPair]) -> bool {
    all.iter().all(|pair| pair.is_same(0) || !pair.why.is_empty())
}
