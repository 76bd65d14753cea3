//! Slow start: the initial growth of the congestion window, the path not yet full.
//!
//! Data was under way, and no other rule holds. Source: T-RAT (Zhang et al., SIGCOMM 2002), "transport limited".

use super::{Measure, Rule};
use crate::causes::Cause;

pub(crate) const RULE: Rule = Rule {
    words: "the sender's window still grew from its start",
    rivals: &[Cause::Application, Cause::SenderHost],
    trust: |case| case.nearby(0.9, 0.75),
    measure: Measure::Time,
    holds: |case| case.stretch.is_round(),
};

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn a_window_that_doubles_is_in_slow_start() {
        let mut hand = Hand::new(100);
        for n in 0..6 {
            hand.burst(10 << n, 100 * n, 1000);
            hand.acknowledged(100 * n + 100);
        }
        assert!(hand.share(Cause::SlowStart) > 0.99, "{:?}", hand.shares());
    }
}
