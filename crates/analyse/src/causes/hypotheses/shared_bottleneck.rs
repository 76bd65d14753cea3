//! Shared bottleneck: a link was full, and the queue before it was others', too.
//!
//! - It is a bottleneck, and other flows of the client's host carry a fifth of all bytes. Source: Rubenstein, Kurose and
//!   Towsley (SIGMETRICS 2000), shared congestion.
//! - It is a bottleneck, and both the handshake and the first data took longer than the path does. Source: Sundaresan et
//!   al., IMC 2017, "already congested".

use super::{Measure, Rule};
use crate::causes::Cause;

pub(crate) const RULE: Rule = Rule {
    words: "a shared bottleneck{rate}",
    rivals: &[Cause::Bottleneck, Cause::BottleneckBack],
    trust: |case| if case.known.company.counts() { 0.95 } else { 0.75 },
    measure: Measure::Queue,
    holds: |case| {
        let known = case.known;
        case.is_limited() && (known.company.counts() || known.before.was_full(&known.path))
    },
};

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn a_queue_that_stood_before_the_first_data_is_others() {
        let mut hand = Hand::new(60);
        hand.sent(0, 1000).acknowledged(60).sent(60, 1000).acknowledged(80);
        for n in 0..20 {
            hand.burst(40, 60 * n + 80, 1000).acknowledged(60 * n + 140);
        }
        assert!(hand.share(Cause::SharedBottleneck) > 0.9, "{:?}", hand.shares());
    }
}
