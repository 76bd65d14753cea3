//! Queue before the capture: data waited between the sender's TCP and the capture point.
//!
//! The capture is near the sender, and the timestamps of data say that it waited longer than all other queues took.
//! In the sender's own queueing discipline the wait is short, as TCP keeps its queue small there. Then departures are
//! even, and the window does not grow, or it grows while the rate does not. Source: the Linux kernel, `tcp_small_queue_check` (TCP small queues); Moon,
//! Skelly and Towsley (INFOCOM 1999), clocks.

use super::{Case, Measure, Rule, receiver_window};
use crate::causes::Cause;
use crate::causes::evidence::known::slowdown::Slowdown;

/// Least wait that is no tick of the clock, in microseconds.
const WAITED: u32 = 1_500;

pub(crate) const RULE: Rule = Rule {
    words: "a bottleneck{rate} before the capture",
    rivals: &[Cause::SenderHost, Cause::Bottleneck],
    trust: |case| if case.is_limited() { 0.97 } else { 0.85 },
    measure: Measure::Queue,
    holds,
};

fn holds(case: &Case<'_>) -> bool {
    let path = &case.known.path;
    if !case.stretch.is_round() {
        return false;
    }
    let delays = case.known.queues.delays();
    let stands = delays.is_some_and(|delays| delays.before > delays.after + delays.back);
    let waited = path.waited(case.stretch).is_some_and(|waited| waited >= WAITED);
    // A queue in the sender's host makes its answers late, so that only the handshake shows how near it is.
    let near = path.is_behind() || case.known.near;
    let most = path.queued(case.stretch).is_none_or(|here| here.before > here.after + here.back);
    let here = waited && most && case.stretch.bursts.are_even();
    // A window that grows while the rate does not fills a queue, if the receiver has room.
    let room = !(receiver_window::RULE.holds)(case);
    let filled = room && case.known.growth.is_flat(path) && case.known.slowdown == Slowdown::None;
    near && (case.is_limited() && stands || here)
        || waited && case.is_paced() && (case.is_idle() || most && filled && !case.is_limited())
}

#[cfg(test)]
mod tests {
    use crate::causes::Cause;
    use crate::causes::by_hand::Hand;

    /// Share of a cause where data leaves at even intervals, each waiting so many milliseconds.
    fn share(cause: Cause, waits: u64) -> f64 {
        let mut hand = Hand::new(20);
        hand.stamped(10, 10).burst(2, 0, 1000).acknowledged(20);
        hand.stamped(10 + waits, 10);
        for n in 0..200 {
            hand.burst(2, 5 * n + 25, 1000);
            if n >= 3 {
                hand.acknowledged_to(5 * n + 29, 2000 * (n as u32 - 2));
            }
        }
        hand.share(cause)
    }

    #[test]
    fn even_departures_that_waited_have_a_queue_before_them_and_others_a_pacer() {
        assert!(share(Cause::QueueBefore, 5) > 0.8, "{}", share(Cause::SenderHost, 5));
        assert!(share(Cause::SenderHost, 0) > 0.8);
    }
}
