//! Radio gap: nothing came for longer than the path takes, and nothing of it was lost.
//!
//! An ACK ended a silence with data under way. Source: TAPO (Zhou et al., IMC 2015), "packet delay".

use super::{Measure, Rule};
use crate::causes::Cause;
use crate::causes::stretch::Kind;

pub(crate) const RULE: Rule = Rule {
    words: "nothing got through (a radio gap)",
    rivals: &[Cause::Timeout, Cause::Application],
    trust: |_| 0.85,
    measure: Measure::Time,
    holds: |case| case.stretch.kind == Kind::Gap,
};

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn an_answer_that_is_late_while_data_goes_on_is_a_gap() {
        let mut hand = Hand::new(50);
        for n in 0..10 {
            hand.burst(5, 50 * n, 1000);
            hand.acknowledged(50 * n + 50);
        }
        hand.burst(5, 500, 1000);
        hand.acknowledged(1550);
        let waited = hand.seconds(Cause::RadioGap);
        assert!((waited - 1.0).abs() < 0.01, "{:?}", hand.shares());
    }
}
