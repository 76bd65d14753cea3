use airpath_wire::SeqNumber;
use proptest::prelude::*;

use super::*;
use crate::tcp::holes::MOST_HOLES;

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

fn passes(at: Time, timestamp: u32) -> Passes {
    Passes { at, timestamp, print: 0, ident: 0 }
}

#[test]
fn an_ack_at_the_end_of_a_segment_gives_its_rtt() {
    let mut queue = Queue::default();
    (1..=3).for_each(|n| queue.push(n * 100, passes(ms(n.into()), n)));
    let acked = queue.ack(200, ms(12), None);
    assert_eq!((acked.segments, acked.exact, acked.rtt), (2, Some(ms(2)), Some(10_000_000)));
    let within = queue.ack(250, ms(13), None);
    assert_eq!((within.segments, within.rtt), (0, None));
}

#[test]
fn what_waited_behind_a_gap_gives_no_rtt() {
    let mut queue = Queue::default();
    queue.push(100, passes(ms(1), 0));
    queue.gap(100, 200, &passes(ms(3), 0));
    queue.push(300, passes(ms(3), 0));
    assert!(queue.fill(100, 200, passes(ms(90), 0)));
    let acked = queue.ack(300, ms(91), None);
    assert_eq!((acked.segments, acked.exact, acked.rtt), (3, Some(ms(3)), None));
}

#[test]
fn a_filled_gap_is_gone() {
    let mut queue = Queue::default();
    queue.push(100, passes(ms(1), 0));
    queue.gap(100, 400, &passes(ms(2), 0));
    queue.push(500, passes(ms(2), 0));
    assert!(queue.fill(200, 300, passes(ms(3), 0)));
    assert!(!queue.fill(200, 300, passes(ms(4), 0)));
    assert!(queue.fill(100, 200, passes(ms(5), 0)));
    assert_eq!(queue.sent(300), Some(ms(3)));
    // The second half of what ends at 300 passes once more.
    assert!(queue.fill(250, 400, passes(ms(6), 0)));
    assert_eq!((queue.sent(200), queue.sent(300)), (Some(ms(5)), None));
    assert!(queue.holes.is_empty());
}

#[test]
fn a_retransmission_of_two_segments_touches_both() {
    let mut queue = Queue::default();
    (1..=3).for_each(|n| queue.push(n * 100, passes(ms(n.into()), n)));
    queue.repeat(0, 200, passes(ms(50), 9));
    assert_eq!((queue.sent(100), queue.sent(200), queue.sent(300)), (None, None, Some(ms(3))));
    // The echo tells that the second one arrived.
    assert_eq!(queue.ack(200, ms(60), Some(9)).rtt, Some(10_000_000));
}

proptest! {
    #[test]
    fn it_stays_in_order_and_bounded(
        steps in prop::collection::vec((0u8..5, 0u32..3000, 1u32..300), 0..300),
    ) {
        let mut queue = Queue::default();
        let mut next = 0;
        for (n, (kind, at, len)) in steps.into_iter().enumerate() {
            let time = ms(n as u64);
            match kind {
                0 => {
                    queue.push(next + len, passes(time, 0));
                    next += len;
                }
                1 => {
                    queue.gap(next, next + len, &passes(time, 0));
                    queue.push(next + 2 * len, passes(time, 0));
                    next += 2 * len;
                }
                2 => queue.repeat(at.min(next), (at + len).min(next), passes(time, 0)),
                3 => drop(queue.fill(at.min(next), (at + len).min(next), passes(time, 0))),
                _ => drop(queue.ack(at.min(next), time, None)),
            }
            let ends: Vec<u32> = queue.segments.iter().map(|s| s.end).collect();
            prop_assert!(ends.is_sorted(), "{:?}", ends);
            prop_assert!(queue.holes.len() <= MOST_HOLES + 1);
        }
        queue.ack(next, ms(1000), None);
        prop_assert!(queue.is_empty());
    }
}

#[test]
fn a_sack_block_reports_what_the_blocks_before_did_not() {
    let mut queue = Queue::default();
    (1..=100u32).for_each(|n| queue.push(n * 100, passes(ms(n.into()), 0)));
    queue.repeat(1000, 1100, passes(ms(500), 0));
    let blocks = |all: &[(u32, u32)]| {
        let mut blocks = SackBlocks::default();
        for (left, right) in all {
            blocks.push(SeqNumber(*left), SeqNumber(*right));
        }
        blocks
    };
    let known = blocks(&[(1500, 2000), (500, 1000)]);
    assert_eq!(queue.latest((1500, 2100), &known), Some(ms(21)));
    assert_eq!(queue.latest((1500, 2000), &known), None);
    // A segment that was sent again has filled a hole.
    assert_eq!(queue.latest((500, 1100), &known), Some(ms(500)));
    let filled = blocks(&[(500, 1000), (1100, 2000)]);
    assert_eq!(queue.latest((500, 2000), &filled), Some(ms(500)));
    // Below all that is there, above it, and the wrong way round.
    assert_eq!(queue.latest((20_000, 30_000), &known), None);
    assert_eq!(queue.latest((0, 0), &known), None);
    assert_eq!(queue.latest((2100, 1500), &known), None);
    // Of many anew the last are looked at.
    assert_eq!(queue.latest((2000, 9000), &known), Some(ms(90)));
    assert_eq!(queue.latest((500, 9000), &blocks(&[])), Some(ms(90)));
}
