//! Times at which several connections of a node want to be called.

use std::collections::BTreeSet;

use airpath_base::Time;

/// A deadline for each of some numbers.
#[derive(Clone, Debug, Default)]
pub struct Timers {
    due: Vec<Option<Time>>,
    order: BTreeSet<(Time, usize)>,
}

impl Timers {
    /// Number `n` wants to be called then, or not at all.
    pub fn set(&mut self, n: usize, due: Option<Time>) {
        if n >= self.due.len() {
            self.due.resize(n + 1, None);
        }
        if self.due[n] == due {
            return;
        }
        if let Some(before) = std::mem::replace(&mut self.due[n], due) {
            self.order.remove(&(before, n));
        }
        self.order.extend(due.map(|due| (due, n)));
    }

    /// The earliest deadline.
    pub fn next(&self) -> Option<Time> {
        self.order.first().map(|(due, _)| *due)
    }

    /// A number whose deadline has come; it has none then.
    pub fn pop(&mut self, now: Time) -> Option<usize> {
        let (due, n) = *self.order.first()?;
        (due <= now).then(|| self.set(n, None))?;
        Some(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_moved_ones_once() {
        let ms = Time::from_millis;
        let mut timers = Timers::default();
        for (n, at) in [(2, 30), (0, 20), (5, 20), (2, 10), (0, 40)] {
            timers.set(n, Some(ms(at)));
        }
        assert_eq!((timers.next(), timers.pop(ms(9))), (Some(ms(10)), None));
        let popped: Vec<usize> = std::iter::from_fn(|| timers.pop(ms(30))).collect();
        assert_eq!((popped, timers.next()), (vec![2, 5], Some(ms(40))));
        timers.set(0, None);
        assert_eq!(timers.next(), None);
    }
}
