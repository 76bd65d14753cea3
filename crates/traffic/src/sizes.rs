//! Sizes and times that are fixed or drawn evenly.

use airpath_base::Duration;
use airpath_base::random::Stream;

/// Sizes of responses in bytes.
#[derive(Clone, Debug)]
pub enum Sizes {
    /// Always the same.
    Fixed(u64),
    /// Drawn evenly from the first to the last.
    Even(u64, u64, Stream),
}

/// Times between one thing and the next.
#[derive(Clone, Debug)]
pub enum Spans {
    /// Always the same.
    Fixed(Duration),
    /// Drawn evenly from the shortest to the longest.
    Even(Duration, Duration, Stream),
}

impl Sizes {
    /// The next size; at least a byte.
    pub fn draw(&mut self) -> u64 {
        let size = match self {
            Sizes::Fixed(size) => *size,
            Sizes::Even(low, high, draws) => *low + draws.below(high.saturating_sub(*low) + 1),
        };
        size.max(1)
    }
}

impl Spans {
    /// The next time.
    pub fn draw(&mut self) -> Duration {
        match self {
            Spans::Fixed(span) => *span,
            Spans::Even(low, high, draws) => {
                let more = draws.below(high.saturating_sub(*low).as_nanos().saturating_add(1));
                *low + Duration::from_nanos(more)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airpath_base::random::Seed;

    #[test]
    fn draws_fill_their_interval() {
        let mut sizes = Sizes::Even(3, 5, Seed(1).stream("sizes"));
        let mut drawn: Vec<u64> = (0..100).map(|_| sizes.draw()).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn, [3, 4, 5]);
        let (low, high) = (Duration::from_secs(1), Duration::from_secs(2));
        let mut spans = Spans::Even(low, high, Seed(1).stream("spans"));
        assert!((0..100).all(|_| (low..=high).contains(&spans.draw())));
        assert_eq!(Sizes::Fixed(0).draw(), 1);
    }
}
