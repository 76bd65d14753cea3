//! Timeout: the sender waited for its retransmission timer, or recovers from it.
//!
//! The timer ended a silence, or what it made the sender send again is not all acknowledged. Source: TAPO (Zhou et al.,
//! IMC 2015), "timeout retransmission".

use super::{Case, Measure, Rule};
use crate::causes::Cause;
use crate::causes::stretch::{Kind, mark};

pub(crate) const RULE: Rule = Rule {
    words: "the sender waited for its timer after losses",
    rivals: &[Cause::LossWithoutQueue, Cause::Application],
    trust: |_| 0.94,
    measure: Measure::Time,
    holds,
};

fn holds(case: &Case<'_>) -> bool {
    let stretch = case.stretch;
    stretch.kind == Kind::Timer || stretch.is_round() && stretch.has(mark::TIMER)
}

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn a_silence_that_the_timer_ends_is_a_timeout() {
        let mut hand = Hand::new(100);
        hand.sent(0, 1000).lost(1000, 1000, true).acknowledged(1100);
        assert!(hand.share(Cause::Timeout) > 0.99, "{:?}", hand.shares());
    }
}
