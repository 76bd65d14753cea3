//! Bottleneck on the way back: ACKs waited in a queue, longer than the data did.
//!
//! A queue stands, and the delay of the ACKs has risen by more than the delay of the data has. Timestamps of both ends
//! give the delays. Or another flow of the host, whose data goes that way, has measured a longer queue. Source: Zhang, Shenker and Clark (SIGCOMM 1991), ACK compression; RFC 3449, 3.1 (asymmetric paths);
//! Moon, Skelly and Towsley (INFOCOM 1999), clocks.

use super::{Case, Measure, Rule};
use crate::causes::Cause;
use crate::causes::evidence::known::queues::rise;

pub(crate) const RULE: Rule = Rule {
    words: "a queue on the way back",
    rivals: &[Cause::Bottleneck, Cause::SharedBottleneck],
    trust,
    measure: Measure::Queue,
    holds: |case| {
        let delays = case.known.queues.delays();
        let own = case.is_limited() && delays.is_some_and(|delays| delays.back > delays.forth());
        own || is_against(case)
    },
};

/// True if another flow has measured a queue against the data, which is longer than that of the data.
fn is_against(case: &Case<'_>) -> bool {
    let (stretch, path) = (case.stretch, &case.known.path);
    let against = stretch.against;
    let forth = match path.queued(stretch) {
        Some(queued) => queued.forth(),
        None => path.level(stretch).saturating_sub(against),
    };
    stretch.is_round() && against >= rise(path.least()) && against > forth
}

/// Probability that the queue is on the way back. A queue on both ways may be longer in the other.
fn trust(case: &Case<'_>) -> f64 {
    let delays = case.known.queues.delays().unwrap_or_default();
    if case.stretch.against > 0 || delays.back / 3 >= delays.forth() { 0.97 } else { 0.8 }
}

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    /// Share of a cause where data waits `before` the capture point and `after` it, and its ACK on the way `back`, in
    /// milliseconds.
    fn share(cause: Cause, before: u64, after: u64, back: u64) -> f64 {
        let mut hand = Hand::new(20);
        hand.stamped(0, 0).sent(0, 1000).acknowledged(20);
        let trip = 20 + after + back;
        for n in 0..20 {
            hand.burst(40, trip * n + 20, 1000).stamped(10 + before, 10 + back);
            hand.acknowledged(trip * (n + 1) + 20);
        }
        hand.share(cause)
    }

    #[test]
    fn a_queue_that_another_flow_measures_against_the_data_is_on_the_way_back() {
        for (against, cause) in [(100, Cause::BottleneckBack), (5, Cause::SlowStart)] {
            let mut hand = Hand::new(60);
            for n in 0..6 {
                hand.burst(10 << n, 60 * n, 1000).beside(0, against).acknowledged(60 * n + 60);
            }
            assert!(hand.share(cause) > 0.99, "{:?}", hand.shares());
        }
    }

    #[test]
    fn the_delay_that_has_risen_names_the_way_of_the_queue() {
        assert!(share(Cause::BottleneckBack, 0, 0, 60) > 0.9);
        assert!(share(Cause::Bottleneck, 0, 60, 0) > 0.9);
        assert!(share(Cause::QueueBefore, 60, 0, 0) > 0.9);
    }
}
