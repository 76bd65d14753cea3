use airpath_base::BitRate;
use airpath_wire::Ecn;

use super::*;
use crate::queue::samples::{Wire, millis, ms, packet};

/// A burst of ten packets of 1000 bytes at 8 Mbit/s: packet n waits n ms.
fn burst(threshold: Threshold, ecn: Ecn) -> Wire<Step> {
    let queue = Step::new(StepConfig { threshold, limit: Limit::NONE });
    let mut wire = Wire::new(queue, BitRate::from_mbps(8));
    (0..10).for_each(|n| wire.arrive(Time::ZERO, packet(1, n, 1000, ecn)));
    wire.run(ms(100));
    wire
}

fn marked(wire: &Wire<Step>) -> Vec<u64> {
    wire.log.marks.iter().map(|(.., number)| *number).collect()
}

#[test]
fn everything_above_the_threshold_is_marked() {
    let wire = burst(Threshold::Delay(millis(6)), Ecn::Ect1);
    assert_eq!(marked(&wire), [7, 8, 9]);
    // On arrival n packets wait.
    assert_eq!(marked(&burst(Threshold::Packets(6), Ecn::Ect1)), [7, 8, 9]);
    assert_eq!(marked(&burst(Threshold::Bytes(6_500), Ecn::Ect0)), [7, 8, 9]);
}

#[test]
fn what_cannot_be_marked_is_dropped_and_the_next_goes_out_instead() {
    let wire = burst(Threshold::Delay(millis(6)), Ecn::NotEct);
    assert_eq!(wire.log.drops.len(), 3);
    assert_eq!(wire.sent.len(), 7);
    assert_eq!(burst(Threshold::Packets(6), Ecn::NotEct).log.drops.len(), 3);
}

#[test]
fn marking_can_be_switched_and_the_threshold_moved() {
    let config = StepConfig { threshold: Threshold::Delay(millis(1)), limit: Limit::NONE };
    let mut wire = Wire::new(Step::new(config), BitRate::from_mbps(8));
    (0..10).for_each(|n| wire.arrive(Time::ZERO, packet(1, n, 1000, Ecn::Ect1)));
    let changes = [
        (3, QueueChange::Marking(false)),
        (5, QueueChange::Marking(true)),
        (6, QueueChange::Threshold(Threshold::Delay(millis(8)))),
    ];
    for (at, change) in changes {
        wire.run(ms(at));
        wire.queue.change(ms(at), change).expect("a step has that");
    }
    wire.run(ms(100));
    // Packet n leaves behind the change at n ms.
    assert_eq!(marked(&wire), [2, 5, 9]);
    let refused = wire.queue.change(ms(100), QueueChange::Low(millis(1))).expect_err("no ramp");
    assert_eq!(refused.to_string(), "has a queue without a ramp");
}
