//! Application: the sending program had nothing to send.
//!
//! - Nothing is under way, and the receiver's window is open. Source: Siekkinen et al. (root causes of TCP
//!   throughput), ALP.
//! - For more than half of a round trip, the sender had room and ACKs and sent nothing, or its last segment was not
//!   full. Source: T-RAT (Zhang et al., SIGCOMM 2002), "opportunity" and "application limited".
//! - The data under way does not grow, though neither the receiver nor the path keeps it small. Source: RFC 7661,
//!   4.3.

use super::{Case, Measure, Rule};
use crate::causes::Cause;
use crate::causes::stretch::{Kind, mark};

pub(crate) const RULE: Rule = Rule {
    words: "the sending program had nothing to send",
    rivals: &[Cause::SenderHost, Cause::Bottleneck],
    trust,
    measure: Measure::Time,
    holds,
};

/// Probability that the program is the cause. A window that does not grow is weak evidence.
fn trust(case: &Case<'_>) -> f64 {
    let stretch = case.stretch;
    let idle = stretch.kind == Kind::Pause || stretch.drained > stretch.nanos() / 2;
    if idle { case.nearby(0.985, 0.88) } else { case.nearby(0.75, 0.6) }
}

fn holds(case: &Case<'_>) -> bool {
    let stretch = case.stretch;
    match stretch.kind {
        Kind::Pause => !stretch.has(mark::CLOSED | mark::EDGE),
        // A short transfer waits for what was lost, and the program has nothing else to do.
        Kind::Round | Kind::Quiet if case.known.at_once => false,
        Kind::Round | Kind::Quiet => {
            case.is_idle() || case.is_limited() && case.known.drains.are_recent()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn pauses_and_small_segments_are_the_applications() {
        let mut hand = Hand::new(100);
        for n in 0..20 {
            hand.sent(500 * n, 700).acknowledged(500 * n + 100);
        }
        assert!(hand.share(Cause::Application) > 0.99, "{:?}", hand.shares());
    }

    #[test]
    fn a_window_that_does_not_grow_is_not_filled() {
        let mut hand = Hand::new(100);
        for n in 0..20 {
            hand.burst(10, 130 * n, 1000).acknowledged(130 * n + 100);
        }
        assert_eq!(hand.last(), Cause::Application);
    }
}
