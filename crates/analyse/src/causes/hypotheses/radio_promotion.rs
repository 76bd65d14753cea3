//! Radio promotion: a radio woke up, so that data after a silence took longer than the path does.
//!
//! An ACK ended a silence behind a pause, and nothing was lost. Source: Huang et al. (MobiSys 2012); TAPO (Zhou et
//! al., IMC 2015), "packet delay".

use super::{Measure, Rule};
use crate::causes::Cause;
use crate::causes::stretch::Kind;

pub(crate) const RULE: Rule = Rule {
    words: "a radio woke up",
    rivals: &[Cause::Application],
    trust: |_| 0.85,
    measure: Measure::Time,
    holds: |case| case.stretch.kind == Kind::Waking,
};

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
    #[test]
    fn all_time_behind_a_promotion_is_judged_at_the_end_of_a_capture() {
        let mut hand = Hand::new(50);
        for n in 0..5 {
            hand.burst(5, 50 * n, 1000).acknowledged(50 * n + 50);
        }
        // A second without data, a second until the first answer, and four round trips of 50 ms.
        hand.burst(5, 1250, 1000).acknowledged(2250);
        for n in 0..4 {
            hand.burst(5, 2250 + 50 * n, 1000).acknowledged(2300 + 50 * n);
        }
        let all: f64 = Cause::ALL.into_iter().map(|cause| hand.seconds(cause)).sum();
        assert!((all - 2.45).abs() < 1e-6, "{all}: {:?}", hand.shares());
    }
}
