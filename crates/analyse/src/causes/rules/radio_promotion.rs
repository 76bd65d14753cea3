//! Radio promotion: a radio woke up, so that data after a silence took longer than the path does.
//!
//! An ACK ended a silence behind a pause, and nothing was lost. Source: Huang et al. (MobiSys 2012); TAPO (Zhou et
//! al., IMC 2015), "packet delay".

use super::Rule;
use crate::causes::stretch::Kind;

pub(crate) const RULE: Rule =
    Rule { words: "a radio woke up", holds: |case| case.stretch.kind == Kind::Waking };

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn an_answer_that_is_late_behind_a_pause_is_a_promotion() {
        let mut hand = Hand::new(50);
        hand.burst(5, 0, 1000);
        hand.acknowledged(50);
        hand.burst(5, 5000, 1000);
        hand.acknowledged(5450);
        let waited = hand.seconds(Cause::RadioPromotion);
        assert!((waited - 0.4).abs() < 0.01, "{:?}", hand.shares());
    }
}
