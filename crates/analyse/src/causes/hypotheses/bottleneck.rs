//! Bottleneck: a link was full, and the queue before it was this flow's.
//!
//! - Even the least RTT of a round trip lies above the path's own. Source: RFC 9406, 4.2 (threshold); Siekkinen et
//!   al. (root causes of TCP throughput).
//! - The flow is as fast as when the link was full. Source: Siekkinen et al., "dispersion score".
//! - The receiver reports marks (CE), or nothing was lost since it did. Source: RFC 3168, 5: a mark says that a queue
//!   grew.

use super::{Case, Measure, Rule};
use crate::causes::Cause;
use crate::causes::evidence::known::Known;

pub(crate) const RULE: Rule = Rule {
    words: "a bottleneck{rate}",
    rivals: &[Cause::BottleneckBack, Cause::LossWithoutQueue],
    trust,
    measure: Measure::Queue,
    holds: |case| case.is_limited(),
};

/// Probability that the link is the cause. Where no queue shows, the rate alone speaks for it.
fn trust(case: &Case<'_>) -> f64 {
    let Known { path, queues, near, .. } = case.known;
    match (path.serves(), queues.measured(case.stretch, path)) {
        (true, Some(false)) => 0.9,
        (true, _) if *near || path.is_behind() => 0.98,
        (true, _) => 0.95,
        (false, _) => 0.85,
    }
}

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn round_trips_that_rise_with_the_data_under_way_are_a_full_links() {
        let mut hand = Hand::new(20);
        hand.sent(0, 1000).acknowledged(20);
        for n in 0..20 {
            hand.burst(40, 60 * n + 20, 1000).acknowledged(60 * n + 80);
        }
        assert!(hand.share(Cause::Bottleneck) > 0.9, "{:?}", hand.shares());
    }

    #[test]
    fn a_window_that_marks_keep_small_is_a_full_links() {
        for (marks, cause) in [(false, Cause::SenderHost), (true, Cause::Bottleneck)] {
            let mut hand = Hand::new(30);
            for n in 0..20 {
                hand.burst(10, 30 * n, 1000);
                if marks && n % 3 == 0 {
                    hand.marked(30 * n + 30);
                }
                hand.acknowledged(30 * n + 30);
            }
            assert_eq!(hand.last(), cause);
        }
    }
}
