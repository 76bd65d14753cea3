//! Sender's host: its buffer, its pacing rate or Nagle's algorithm held data back.
//!
//! - The sender had nothing to send until an ACK came, and then had. A buffer had room again, or Nagle's algorithm let
//!   a small segment go. Source: RFC 9293, 3.7.4 (Nagle); Linux, the chronograph `sndbuf_limited`.
//! - The window does not grow, though the path is not full, and ACKs release all data: the buffer is smaller than the
//!   window. Or data leaves at even intervals: it is paced. Source: Siekkinen et al. (root causes of TCP throughput),
//!   "transport limited"; the Linux kernel, `SO_MAX_PACING_RATE`.

use super::{Case, Measure, Rule};
use crate::causes::Cause;

pub(crate) const RULE: Rule = Rule {
    words: "buffer, pacing or Nagle held data back",
    rivals: &[Cause::Application, Cause::QueueBefore],
    trust: |case| if case.known.path.serves() { case.nearby(0.88, 0.8) } else { 0.6 },
    measure: Measure::Flight,
    holds,
};

fn holds(case: &Case<'_>) -> bool {
    let stretch = case.stretch;
    if !stretch.is_round() || case.known.at_once {
        return false;
    }
    let held = stretch.held > stretch.nanos() / 2 && stretch.bursts.are_large();
    held || case.is_unfilled() && stretch.bursts.are_released() || case.is_idle() && case.is_paced()
}

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    #[test]
    fn a_constant_window_that_acks_release_is_a_buffers() {
        let mut hand = Hand::new(100);
        for n in 0..20 {
            hand.burst(10, 100 * n, 1000).acknowledged(100 * n + 100);
        }
        assert_eq!(hand.last(), Cause::SenderHost);
    }

    #[test]
    fn a_small_segment_that_waits_for_a_delayed_ack_is_nagles() {
        let mut hand = Hand::new(20);
        for n in 0..20 {
            let at = 100 * n;
            // The answer to the second segment is the next request.
            hand.sent(at, 100).acknowledged(at + 60).sent(at + 60, 300);
            hand.acknowledged(at + 80).request(at + 80);
        }
        let share = hand.share(Cause::SenderHost);
        assert!((0.55..0.7).contains(&share), "{:?}", hand.shares());
    }
}
