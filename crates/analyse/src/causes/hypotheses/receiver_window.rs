//! Receiver's window: the receiver announced no more room.
//!
//! Nothing is under way and the window is closed, or the sender came to its edge. Where the link is full, the sender
//! was at the edge for half of the round trip. Source: T-RAT (Zhang et al., SIGCOMM 2002), "receiver window limited";
//! Linux, the chronograph `rwnd_limited`.

use super::{Case, Measure, Rule};
use crate::causes::Cause;
use crate::causes::stretch::{Kind, mark};

pub(crate) const RULE: Rule = Rule {
    words: "the receiver's window was full",
    rivals: &[Cause::SenderHost, Cause::BottleneckBack],
    trust: |_| 0.98,
    measure: Measure::Flight,
    holds,
};

fn holds(case: &Case<'_>) -> bool {
    let stretch = case.stretch;
    let bounded = stretch.has(mark::EDGE | mark::CLOSED);
    match stretch.kind {
        Kind::Pause => bounded,
        Kind::Round | Kind::Quiet => {
            let always = stretch.edged > stretch.nanos() / 10 * 9;
            always || bounded && (!case.is_full() || 2 * stretch.edged >= stretch.nanos())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn a_sender_at_the_edge_waits_for_the_receiver() {
        let mut hand = Hand::new(100);
        hand.window(4000);
        for n in 0..20 {
            hand.burst(4, 100 * n, 1000);
            hand.acknowledged(100 * n + 100);
        }
        assert!(hand.share(Cause::ReceiverWindow) > 0.9, "{:?}", hand.shares());
    }
}
