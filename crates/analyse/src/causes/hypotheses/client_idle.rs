//! Client idle: the client's last request is answered, and the next has not come.
//!
//! Nothing is under way, and a request of the client's ends the pause. Source: TAPO (Zhou et al., IMC 2015), "client
//! idle".

use super::{Measure, Rule};
use crate::causes::Cause;
use crate::causes::stretch::Kind;

pub(crate) const RULE: Rule = Rule {
    words: "the client asked for nothing",
    rivals: &[Cause::Application],
    trust: |_| 0.99,
    measure: Measure::Time,
    holds: |case| case.stretch.kind == Kind::Idle,
};

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn a_pause_that_a_request_ends_is_the_clients() {
        let mut hand = Hand::new(100);
        hand.sent(0, 700).acknowledged(100).request(5000).sent(5010, 700).acknowledged(5110);
        assert!(hand.share(Cause::ClientIdle) > 0.9, "{:?}", hand.shares());
    }
}
