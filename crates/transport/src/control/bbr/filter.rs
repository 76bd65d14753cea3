//! The largest of recent values.

use std::collections::VecDeque;

/// Largest value of the last so many rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct MaxFilter {
    /// (round, value), values falling.
    values: VecDeque<(u64, u64)>,
}

impl MaxFilter {
    /// Takes the value of a round; forgets those `length` rounds and more before.
    pub fn update(&mut self, round: u64, value: u64, length: u64) {
        while self.values.back().is_some_and(|(_, v)| *v <= value) {
            self.values.pop_back();
        }
        self.values.push_back((round, value));
        while self.values.front().is_some_and(|(r, _)| r + length <= round) {
            self.values.pop_front();
        }
    }

    /// The largest, 0 without values.
    pub fn max(&self) -> u64 {
        self.values.front().map_or(0, |(_, v)| *v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_the_last_three_rounds() {
        let mut filter = MaxFilter::default();
        let largest: Vec<u64> = [5, 3, 4, 1, 2, 2, 0]
            .iter()
            .enumerate()
            .map(|(round, value)| {
                filter.update(round as u64, *value, 3);
                filter.max()
            })
            .collect();
        assert_eq!(largest, [5, 5, 5, 4, 4, 2, 2]);
    }
}
