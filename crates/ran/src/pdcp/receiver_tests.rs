use airpath_net::testing::Bench;
use proptest::prelude::*;

use super::*;
use crate::rlc::testing::packet;

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn receiver() -> Receiver {
    Receiver::new(Some(Duration::from_millis(50)), true)
}

/// Counts that are delivered when this one comes.
fn comes(receiver: &mut Receiver, count: u64, now: Time, bench: &mut Bench) -> Vec<u64> {
    let mut delivered = Vec::new();
    let out = &mut |packet: Packet| delivered.push(packet.number);
    receiver.receive(count, now, packet(count, 100, now), &mut bench.cx(now), out);
    delivered
}

fn wakes(receiver: &mut Receiver, now: Time) -> Vec<u64> {
    let mut delivered = Vec::new();
    receiver.wake(now, &mut |packet| delivered.push(packet.number));
    delivered
}

#[test]
fn a_gap_is_waited_for() {
    let (mut receiver, mut bench) = (receiver(), Bench::new());
    assert_eq!(comes(&mut receiver, 0, ms(0), &mut bench), [0]);
    assert_eq!(comes(&mut receiver, 2, ms(1), &mut bench), []);
    assert_eq!((receiver.next_wake(), receiver.held().packets), (Some(ms(51)), 1));
    assert_eq!(comes(&mut receiver, 1, ms(9), &mut bench), [1, 2]);
    assert_eq!((receiver.next_wake(), receiver.held().packets), (None, 0));
}

#[test]
fn t_reordering_ends_the_wait_and_starts_again_for_what_came_later() {
    let (mut receiver, mut bench) = (receiver(), Bench::new());
    assert_eq!(comes(&mut receiver, 1, ms(0), &mut bench), []);
    assert_eq!(comes(&mut receiver, 4, ms(10), &mut bench), []);
    // RX_REORD is 2: what is below goes up, and 2 is waited for from now on.
    assert_eq!(wakes(&mut receiver, ms(50)), [1]);
    assert_eq!(receiver.next_wake(), Some(ms(100)));
    assert_eq!(comes(&mut receiver, 0, ms(60), &mut bench), []);
    assert_eq!(bench.drops.0, [DropCause::Reordering]);
    assert_eq!(comes(&mut receiver, 2, ms(70), &mut bench), [2]);
    assert_eq!(wakes(&mut receiver, ms(100)), [4]);
}

#[test]
fn out_of_order_delivery_waits_for_nothing() {
    let mut bench = Bench::new();
    let mut receiver = Receiver::new(Some(Duration::from_millis(50)), false);
    let delivered = [3, 0, 7].map(|count| comes(&mut receiver, count, ms(0), &mut bench));
    assert_eq!(delivered, [[3], [0], [7]]);
    assert_eq!(receiver.next_wake(), None);
}

proptest! {
    #[test]
    fn everything_is_delivered_in_order_or_was_late(
        counts in prop::collection::vec(0u64..60, 1..60), gaps in prop::collection::vec(0u64..30, 60),
    ) {
        let (mut receiver, mut bench) = (receiver(), Bench::new());
        let mut counts: Vec<u64> = counts;
        counts.sort_unstable();
        counts.dedup();
        // At random, but each once.
        let mut shuffled: Vec<u64> = Vec::new();
        for (n, count) in counts.iter().enumerate() {
            let at = (*count as usize * 7 + n * 13) % (shuffled.len() + 1);
            shuffled.insert(at, *count);
        }
        let (mut now, mut delivered) = (ms(0), Vec::new());
        for (count, gap) in shuffled.iter().zip(&gaps) {
            now += Duration::from_millis(*gap);
            while let Some(due) = receiver.next_wake().filter(|due| *due <= now) {
                delivered.extend(wakes(&mut receiver, due));
            }
            delivered.extend(comes(&mut receiver, *count, now, &mut bench));
        }
        while let Some(due) = receiver.next_wake() {
            delivered.extend(wakes(&mut receiver, due));
        }
        prop_assert!(delivered.is_sorted());
        prop_assert_eq!(delivered.len() + bench.drops.0.len(), counts.len());
        prop_assert_eq!(receiver.held().packets, 0);
    }
}
