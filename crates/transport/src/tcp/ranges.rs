//! A set of positions, kept as disjoint ranges.
//!
//! The sender keeps what has been SACKed in one, the receiver what has arrived
//! out of order. It has a range for each hole, so it is short.

use std::collections::VecDeque;

/// Half-open ranges in rising order, neither overlapping nor touching.
#[derive(Clone, Debug, Default)]
pub(super) struct RangeSet {
    ranges: VecDeque<(u64, u64)>,
}

impl RangeSet {
    /// Adds [left, right) and calls `fresh` with each part that was not there.
    pub fn insert(&mut self, left: u64, right: u64, mut fresh: impl FnMut(u64, u64)) {
        if left >= right {
            return;
        }
        let first = self.ranges.partition_point(|r| r.1 < left);
        let mut last = first;
        let (mut from, mut merged) = (left, (left, right));
        while let Some(&(start, end)) = self.ranges.get(last)
            && start <= right
        {
            if from < start {
                fresh(from, start);
            }
            from = from.max(end);
            merged = (merged.0.min(start), merged.1.max(end));
            last += 1;
        }
        if from < right {
            fresh(from, right);
        }
        self.replace(first, last, merged);
    }

    fn replace(&mut self, first: usize, last: usize, merged: (u64, u64)) {
        if first == last {
            self.ranges.insert(first, merged);
            return;
        }
        self.ranges[first] = merged;
        if last > first + 1 {
            self.ranges.drain(first + 1..last);
        }
    }

    /// Forgets all below `edge`.
    pub fn remove_below(&mut self, edge: u64) {
        while let Some(front) = self.ranges.front_mut() {
            if front.0 >= edge {
                break;
            }
            if front.1 > edge {
                front.0 = edge;
                break;
            }
            self.ranges.pop_front();
        }
    }

    /// The range that holds `position`.
    #[inline(always)]
    pub fn containing(&self, position: u64) -> Option<(u64, u64)> {
        let n = self.ranges.partition_point(|r| r.1 <= position);
        self.ranges.get(n).copied().filter(|r| r.0 <= position)
    }

    /// The lowest range.
    pub fn first(&self) -> Option<(u64, u64)> {
        self.ranges.front().copied()
    }

    /// The ranges from the highest down.
    pub fn descending(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.ranges.iter().rev().copied()
    }

    /// True if it is empty.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behaves_like_a_set_of_numbers(parts in prop::collection::vec((0u64..60, 0u64..12), 0..40)) {
            let mut set = RangeSet::default();
            let mut numbers = [false; 80];
            for (left, len) in parts {
                let mut new = Vec::new();
                set.insert(left, left + len, |l, r| new.extend(l..r));
                let expected: Vec<u64> =
                    (left..left + len).filter(|n| !numbers[*n as usize]).collect();
                prop_assert_eq!(new, expected);
                (left..left + len).for_each(|n| numbers[n as usize] = true);
            }
            for n in 0..80 {
                prop_assert_eq!(set.containing(n).is_some(), numbers[n as usize]);
            }
            let mut ranges: Vec<_> = set.descending().collect();
            ranges.reverse();
            prop_assert!(ranges.windows(2).all(|w| w[0].1 < w[1].0));
            set.remove_below(30);
            for n in 0..80 {
                prop_assert_eq!(set.containing(n).is_some(), n >= 30 && numbers[n as usize]);
            }
        }
    }
}
