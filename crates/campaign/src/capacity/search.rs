//! The search for the largest number of users.

use airpath_stats::{CONFIDENCE, Interval, mean_interval};

use super::curve::{Crossing, Curve};
use super::{CapacityError, Question};

/// Runs `seeds` of a number of users, and gives the share of satisfied users of each.
pub(super) type Evaluate<'a> = dyn FnMut(u64, usize) -> Result<Vec<f64>, CapacityError> + 'a;

/// Half width of the interval that is narrow enough, of the number of users.
const NARROW: f64 = 0.05;
/// Points that are added at the ends of the points, so that the interval lies between them.
const MOST_MORE: usize = 12;

/// Numbers are multiples of a step: `n` stands for `n` steps.
pub(super) struct Search<'a, 'b> {
    pub question: &'a Question,
    /// By steps.
    pub curve: Curve,
    pub evaluate: &'a mut Evaluate<'b>,
}

/// End of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// The largest number of steps at which enough users are satisfied; 0 for none.
    pub steps: u64,
    /// True if that is the largest number allowed.
    pub above: bool,
    pub crossing: Option<Crossing>,
    /// Seeds of each point that counts.
    pub seeds: usize,
    /// True if the interval is narrow enough.
    pub narrow: bool,
}

impl Search<'_, '_> {
    pub fn run(&mut self) -> Result<Found, CapacityError> {
        let Question { seeds, most_seeds, .. } = *self.question;
        let coarse = seeds.min(2);
        let first = self.gallop(coarse)?;
        let mut seeds = seeds;
        let (mut low, mut high) = first;
        loop {
            self.settle(low, high, seeds)?;
            self.agree(seeds)?;
            self.surround(seeds)?;
            low = self.agree(seeds)?;
            high = low + 1;
            let above = low == self.question.most_steps;
            let crossing = self.curve.crossing(self.question.share, seeds);
            let narrow = match low {
                0 => !self.may_reach(1, seeds),
                _ if above => !self.may_miss(low, seeds),
                _ => crossing.is_some_and(|crossing| is_narrow(&crossing)),
            };
            if narrow || seeds * 2 > most_seeds {
                return Ok(Found { steps: low, above, crossing, seeds, narrow });
            }
            seeds *= 2;
        }
    }

    /// True if the interval of the share at this number reaches up to the share that is wanted.
    fn may_reach(&self, steps: u64, seeds: usize) -> bool {
        let interval = self.interval(steps, seeds);
        interval.is_some_and(|interval| interval.high >= self.question.share)
    }

    /// True if the interval of the share at this number reaches below the share that is wanted.
    fn may_miss(&self, steps: u64, seeds: usize) -> bool {
        let interval = self.interval(steps, seeds);
        interval.is_some_and(|interval| interval.low < self.question.share)
    }

    fn interval(&self, steps: u64, seeds: usize) -> Option<Interval> {
        mean_interval(self.curve.0.get(&steps)?.get(..seeds)?, CONFIDENCE)
    }

    /// The largest number at which enough are satisfied by all points together, with a point next to it. Larger numbers that
    /// fewer seeds call enough are tried with all seeds first.
    fn agree(&mut self, seeds: usize) -> Result<u64, CapacityError> {
        let share = self.question.share;
        let best = self.curve.largest(share, seeds);
        let few = self.curve.0.range(best + 1..).filter(|(_, values)| values.len() < seeds);
        let few: Vec<u64> = few
            .filter(|(steps, values)| self.curve.mean(**steps, values.len()) >= Some(share))
            .map(|(steps, _)| *steps)
            .collect();
        for steps in few {
            self.is_enough(steps, seeds)?;
        }
        loop {
            let best = self.curve.largest(share, seeds);
            if best == self.question.most_steps || self.curve.mean(best + 1, seeds).is_some() {
                return Ok(best);
            }
            self.is_enough(best + 1, seeds)?;
        }
    }

    fn is_enough(&mut self, steps: u64, seeds: usize) -> Result<bool, CapacityError> {
        if self.curve.mean(steps, seeds).is_none() {
            let values = (self.evaluate)(steps, seeds)?;
            self.curve.0.insert(steps, values);
        }
        Ok(self.curve.mean(steps, seeds).is_some_and(|mean| mean >= self.question.share))
    }

    /// A number at which enough users are satisfied, or 0, and the next power of two at which they are not, or beyond the most.
    fn gallop(&mut self, seeds: usize) -> Result<(u64, u64), CapacityError> {
        let most = self.question.most_steps;
        let (mut low, mut high) = (0, 1);
        while high <= most && self.is_enough(high, seeds)? {
            low = high;
            high = if high == most { most + 1 } else { (high * 2).min(most) };
        }
        self.bisect(low, high, seeds)
    }

    /// From numbers that fewer seeds suggest to those that these seeds give: neighbours, of which the first is enough.
    fn settle(&mut self, low: u64, high: u64, seeds: usize) -> Result<(u64, u64), CapacityError> {
        let most = self.question.most_steps;
        let (mut low, mut high, mut stride) = (low, high, 1);
        while low > 0 && !self.is_enough(low, seeds)? {
            (high, low) = (low, low.saturating_sub(stride));
            stride *= 2;
        }
        let mut stride = 1;
        while high <= most && self.is_enough(high, seeds)? {
            low = high;
            high = if high == most { most + 1 } else { (high + stride).min(most) };
            stride *= 2;
        }
        self.bisect(low, high, seeds)
    }

    fn bisect(
        &mut self,
        mut low: u64,
        mut high: u64,
        seeds: usize,
    ) -> Result<(u64, u64), CapacityError> {
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            match self.is_enough(middle, seeds)? {
                true => low = middle,
                false => high = middle,
            }
        }
        Ok((low, high))
    }

    /// Adds points at both ends until the interval lies between them.
    fn surround(&mut self, seeds: usize) -> Result<(), CapacityError> {
        let most = self.question.most_steps;
        for _ in 0..MOST_MORE {
            let Some(crossing) = self.curve.crossing(self.question.share, seeds) else {
                return Ok(());
            };
            let points: Vec<u64> = self.curve.means(seeds).map(|(steps, _)| steps).collect();
            let (first, last) = (points[0], points[points.len() - 1]);
            let further = |steps: u64| (steps / 20).max(1);
            match crossing.open {
                [true, _] if first > 1 => _ = self.is_enough(first - further(first), seeds)?,
                [_, true] if last < most => {
                    _ = self.is_enough((last + further(last)).min(most), seeds)?;
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }
}

/// True if half of an interval's width is at most 5% of the number, or half a step.
fn is_narrow(crossing: &Crossing) -> bool {
    let half = (crossing.high - crossing.low) / 2.0;
    half <= (NARROW * crossing.at).max(0.5)
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;

    use super::*;

    fn question(most_steps: u64) -> Question {
        Question {
            most_steps,
            ..Question::new("share within deadline >= 99%", "ue.xr").expect("one")
        }
    }

    /// Finds the capacity where so many runs of these shares are made; gives it, and the runs.
    fn find(question: &Question, share: impl Fn(u64, usize) -> f64) -> (Found, usize) {
        let mut runs = 0;
        let mut known: std::collections::BTreeMap<u64, usize> = std::collections::BTreeMap::new();
        let mut evaluate = |steps: u64, seeds: usize| {
            let made = known.entry(steps).or_default();
            runs += seeds.saturating_sub(*made);
            *made = seeds.max(*made);
            Ok((0..seeds).map(|seed| share(steps, seed)).collect())
        };
        let curve = Curve::default();
        let mut search = Search { question, curve, evaluate: &mut evaluate };
        let found = search.run().expect("no run fails");
        (found, runs)
    }

    #[test]
    fn a_step_is_found_exactly() {
        for capacity in [1, 2, 7, 23, 63] {
            let (found, runs) = find(&question(64), |n, _| if n <= capacity { 1.0 } else { 0.5 });
            assert_eq!((found.steps, found.above, found.narrow), (capacity, false, true));
            assert!(runs <= 8 * 12, "{runs} runs for {capacity}");
        }
    }

    #[test]
    fn none_and_above_the_range_are_ends_too() {
        let (none, _) = find(&question(64), |_, _| 0.4);
        assert_eq!((none.steps, none.above), (0, false));
        let (above, _) = find(&question(64), |_, _| 1.0);
        assert_eq!((above.steps, above.above), (64, true));
    }

    #[test]
    fn an_end_needs_as_many_seeds_as_any_number() {
        // One user is satisfied with all seeds but each fourth: 75%, which few seeds cannot tell from 80%.
        let question = Question { share: 0.8, seeds: 4, most_seeds: 16, ..question(4) };
        let (none, _) = find(&question, |_, seed| f64::from(u8::from(seed % 4 != 3)));
        assert_eq!((none.steps, none.seeds, none.narrow), (0, 16, false));
        let question = Question { share: 0.7, ..question };
        let (all, _) = find(&question, |_, seed| f64::from(u8::from(seed % 4 != 3)));
        assert_eq!((all.above, all.seeds, all.narrow), (true, 16, false));
    }

    #[test]
    fn a_larger_number_that_is_enough_counts() {
        let question = Question { share: 0.8, seeds: 4, most_seeds: 4, ..question(20) };
        let shares = [0.75, 0.875, 0.667, 0.5];
        let noise = [-0.2, 0.2, 0.1, -0.1];
        let (found, _) = find(&question, |n, seed| {
            let share = shares.get(n as usize - 1).copied().unwrap_or(0.2);
            share + noise[seed]
        });
        assert_eq!(found.steps, 2, "{found:?}");
    }

    #[test]
    fn twice_the_seeds_move_the_answer_inside_its_interval() {
        // A share that falls from 1 at 10 to 0.5 at 60, with noise of 0.05 between seeds: 0.9 is at 20.
        let share = |n: u64, seed: usize| {
            let noise = Seed(seed as u64).keyed("noise").uniform([n, 0, 0]) - 0.5;
            (1.1 - 0.01 * n as f64 + 0.17 * noise).clamp(0.0, 1.0)
        };
        let of = |seeds| Question { seeds, most_seeds: seeds, ..question(200) };
        let (one, _) = find(&of(16), share);
        let (two, _) = find(&of(32), share);
        let interval = one.crossing.expect("an interval");
        assert!((interval.low..=interval.high).contains(&two.crossing.expect("one").at));
        assert!((interval.low.floor()..=interval.high).contains(&20.0), "{interval:?}");
    }
}
