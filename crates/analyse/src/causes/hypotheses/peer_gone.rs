//! Peer gone: the other end did not answer any more.
//!
//! The timer struck three times without an answer up to the end of the capture. Source: RFC 9293, 3.8.3 (R1).

use super::{Measure, Rule};
use crate::causes::Cause;
use crate::causes::stretch::Kind;

pub(crate) const RULE: Rule = Rule {
    words: "silence, the other end was gone",
    rivals: &[Cause::Timeout, Cause::RadioGap],
    trust: |_| 0.95,
    measure: Measure::Time,
    holds: |case| case.stretch.kind == Kind::Gone,
};

/// Timers without an answer after which the peer is gone (RFC 9293, 3.8.3: R1).
pub(crate) const STRIKES: u32 = 3;

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn three_timers_without_an_answer_are_a_peer_that_is_gone() {
        let gone = |strikes: u64| {
            let mut hand = Hand::new(100);
            hand.sent(0, 1000).acknowledged(100).sent(100, 1000);
            for n in 1..=strikes {
                hand.lost(1000 * n, 1000, true);
            }
            hand.share(Cause::PeerGone)
        };
        assert!(gone(2) == 0.0 && gone(3) > 0.9);
    }
}
