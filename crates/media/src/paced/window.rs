//! Sums over the last moments.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

/// Values of the last so long a time, and their sum.
#[derive(Debug)]
pub(crate) struct Window {
    span: Duration,
    values: VecDeque<(Time, f64)>,
    first: Option<(Time, f64)>,
    sum: f64,
}

impl Window {
    pub fn new(span: Duration) -> Window {
        Window { span, values: VecDeque::new(), first: None, sum: 0.0 }
    }

    /// Adds a value of `at`. Values come in the order of their times, or nearly so.
    pub fn add(&mut self, at: Time, value: f64) {
        self.first.get_or_insert((at, value));
        self.values.push_back((at, value));
        self.sum += value;
    }

    /// Forgets what is older than the span at `now`.
    pub fn forget(&mut self, now: Time) {
        while self.values.front().is_some_and(|(at, _)| now.saturating_since(*at) >= self.span) {
            self.values.pop_front();
        }
        // No rest of a rounding stays.
        self.sum = self.values.iter().map(|(_, value)| value).sum();
    }

    pub fn sum(&self) -> f64 {
        self.sum
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Largest value; zero without one.
    pub fn largest(&self) -> f64 {
        self.values.iter().fold(0.0, |most, (_, value)| value.max(most))
    }

    /// Sum of the values in each second. Until the span has passed once, the first value is left out. The
    /// time since the first value counts then, at least a fifth of the span.
    pub fn rate(&self, now: Time) -> f64 {
        let begun = self.first.map(|(at, value)| (now.saturating_since(at), value));
        match begun.filter(|(begun, _)| *begun < self.span) {
            Some((begun, first)) => (self.sum - first) / begun.max(self.span / 5).as_secs_f64(),
            None => self.sum / self.span.as_secs_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_that_of_the_last_span() {
        let mut window = Window::new(Duration::from_millis(500));
        for ms in 0..1000 {
            window.add(Time::from_millis(ms), if ms < 700 { 1.0 } else { 3.0 });
            window.forget(Time::from_millis(ms));
        }
        // 200 values of 1, and 300 of 3.
        assert_eq!((window.sum(), window.len(), window.largest()), (1100.0, 500, 3.0));
        assert_eq!(window.rate(Time::from_millis(999)), 2200.0);
    }

    #[test]
    fn a_young_rate_is_that_of_the_time_since_the_first_value() {
        let mut window = Window::new(Duration::from_millis(500));
        (0..=3).for_each(|n| window.add(Time::from_millis(20 * n), 1.0));
        assert!((window.rate(Time::from_millis(60)) - 30.0).abs() < 1e-9, "three over 100 ms");
        (4..=10).for_each(|n| window.add(Time::from_millis(20 * n), 1.0));
        assert!((window.rate(Time::from_millis(200)) - 50.0).abs() < 1e-9);
    }
}
