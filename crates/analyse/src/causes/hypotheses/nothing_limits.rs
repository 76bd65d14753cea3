//! Nothing limits: all data was sent before the first answer.
//!
//! The initial window held all of it (RFC 6928, 2), so that the flow took a round trip whatever the path and the
//! programs do. Source: Siekkinen et al. (root causes of TCP throughput), "short transfers".

use super::{Measure, Rule};
use crate::causes::Cause;
use crate::causes::stretch::{Kind, mark};

pub(crate) const RULE: Rule = Rule {
    words: "one round trip, nothing limited",
    rivals: &[Cause::Application],
    trust: |_| 0.97,
    measure: Measure::Time,
    holds: |case| {
        let open = !case.stretch.has(mark::EDGE | mark::CLOSED | mark::LOST | mark::REPAIR);
        case.known.at_once && open && matches!(case.stretch.kind, Kind::Round | Kind::Quiet)
    },
};

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn three_segments_in_a_round_trip_are_limited_by_nothing() {
        let mut hand = Hand::new(100);
        hand.burst(3, 0, 1000).acknowledged(100);
        assert_eq!(hand.share(Cause::NothingLimits), 1.0, "{:?}", hand.shares());
        hand.sent(110, 1000).acknowledged(210);
        assert_eq!(hand.share(Cause::NothingLimits), 0.0, "{:?}", hand.shares());
    }
}
