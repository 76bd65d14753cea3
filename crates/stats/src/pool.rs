//! Values of users in clusters, sorted once, for quantiles with a weight for each cluster.

use crate::sample::rank;

/// The values of all users, and which cluster each is of.
pub(crate) struct Pool {
    sorted: Vec<(f64, usize)>,
    /// Users of each cluster.
    sizes: Vec<u64>,
}

impl Pool {
    /// None without users, or if a value is not finite.
    pub(crate) fn of<'a>(clusters: impl Iterator<Item = &'a [f64]>) -> Option<Pool> {
        let (mut sorted, mut sizes) = (Vec::new(), Vec::new());
        for (cluster, values) in clusters.enumerate() {
            sorted.extend(values.iter().map(|&value| (value, cluster)));
            sizes.push(values.len() as u64);
        }
        if sorted.is_empty() || !sorted.iter().all(|(value, _)| value.is_finite()) {
            return None;
        }
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Some(Pool { sorted, sizes })
    }

    /// All users.
    pub(crate) fn users(&self) -> u64 {
        self.sorted.len() as u64
    }

    /// The value of a rank, counted from 1, or the nearest that there is.
    pub(crate) fn at(&self, rank: f64) -> f64 {
        let last = self.sorted.len() - 1;
        self.sorted[((rank.max(1.0) as usize) - 1).min(last)].0
    }

    /// The percentile by nearest rank.
    pub(crate) fn percentile(&self, per_mille: u32) -> f64 {
        self.at(rank(self.users(), per_mille) as f64)
    }

    /// The percentile by nearest rank where each user of a cluster is there as often as the
    /// cluster's weight says; none if nobody is.
    pub(crate) fn weighted(&self, per_mille: u32, weights: &[u64]) -> Option<f64> {
        let users = self.sizes.iter().zip(weights).map(|(size, weight)| size * weight).sum();
        let rank = rank(users, per_mille);
        let mut seen = 0;
        let reached = |sought: u64| {
            move |&&(_, cluster): &&(f64, usize)| {
                seen += weights[cluster];
                seen >= sought
            }
        };
        // The search begins at the nearer end, since most requested percentiles are high ones.
        let found = match users {
            0 => None,
            _ if 2 * rank > users => self.sorted.iter().rev().find(reached(users - rank + 1)),
            _ => self.sorted.iter().find(reached(rank)),
        };
        found.map(|&(value, _)| value)
    }

    /// By cluster, users at or below `value` less `share` of its users, where `share` is that of
    /// all users.
    pub(crate) fn excesses(&self, value: f64) -> Vec<f64> {
        let mut below = vec![0_u64; self.sizes.len()];
        for &(_, cluster) in self.sorted.iter().take_while(|(other, _)| *other <= value) {
            below[cluster] += 1;
        }
        let share = below.iter().sum::<u64>() as f64 / self.users() as f64;
        let excess = |(below, size): (&u64, &u64)| *below as f64 - share * *size as f64;
        below.iter().zip(&self.sizes).map(excess).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::percentile;

    proptest! {
        /// Weights count users as often as if they were written down so often.
        #[test]
        fn weights_are_copies(
            clusters in prop::collection::vec((prop::collection::vec(-5_i8..5, 0..6), 0_u64..4), 1..6),
            per_mille in 1_u32..=1000
        ) {
            let values: Vec<Vec<f64>> =
                clusters.iter().map(|(v, _)| v.iter().map(|&v| f64::from(v)).collect()).collect();
            let weights: Vec<u64> = clusters.iter().map(|(_, weight)| *weight).collect();
            let copies: Vec<f64> = values.iter().zip(&weights)
                .flat_map(|(values, &weight)| values.repeat(weight as usize)).collect();
            if let Some(pool) = Pool::of(values.iter().map(Vec::as_slice)) {
                prop_assert_eq!(pool.weighted(per_mille, &weights), percentile(&copies, per_mille));
                let ones = vec![1; values.len()];
                prop_assert_eq!(pool.weighted(per_mille, &ones), Some(pool.percentile(per_mille)));
            }
        }
    }
}
