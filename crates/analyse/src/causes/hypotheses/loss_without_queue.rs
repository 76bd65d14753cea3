//! Loss without queue: losses made the sender slow down though no queue had grown.
//!
//! Something was lost before, and no link was full. Source: Sundaresan et al., IMC 2017; what has a queue is
//! "self-induced".

use super::{Measure, Rule};
use crate::causes::Cause;
use crate::causes::evidence::known::slowdown::Slowdown;

pub(crate) const RULE: Rule = Rule {
    words: "losses without a queue slowed the sender",
    rivals: &[Cause::Bottleneck, Cause::Timeout],
    trust: |case| case.nearby(0.93, 0.9),
    measure: Measure::Time,
    holds: |case| case.stretch.is_round() && case.known.slowdown == Slowdown::Loss,
};

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn losses_at_a_flat_round_trip_slow_the_sender() {
        let mut hand = Hand::new(100);
        for n in 0..20 {
            hand.burst(10, 100 * n, 1000);
            if n % 4 == 1 {
                hand.lost(100 * n + 1, 1000, false);
            }
            hand.acknowledged(100 * n + 100);
        }
        assert!(hand.share(Cause::LossWithoutQueue) > 0.9, "{:?}", hand.shares());
    }
}
