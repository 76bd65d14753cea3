//! Cannot tell: the capture does not show the cause.
//!
//! No other rule holds. Source: none, as it is the absence of a cause.

use super::{Measure, Rule};

pub(crate) const RULE: Rule = Rule {
    words: "the cause cannot be told from here",
    rivals: &[],
    trust: |_| 0.5,
    measure: Measure::Time,
    holds: |_| true,
};

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn without_other_rules_nothing_is_known() {
        let mut hand = Hand::by(100, &[(Cause::CannotTell, super::RULE)]);
        hand.sent(0, 1000).acknowledged(100);
        assert_eq!(hand.share(Cause::CannotTell), 1.0);
    }
}
