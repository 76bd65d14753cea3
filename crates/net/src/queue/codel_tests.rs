use airpath_base::BitRate;
use airpath_wire::Ecn;

use super::*;
use crate::queue::samples::{Wire, millis, ms};

/// 10 packets of 1000 bytes a millisecond come, 8 leave.
fn overloaded(config: CodelConfig, ecn: Ecn, until: u64) -> Wire<Codel> {
    let mut wire = Wire::new(Codel::new(config), BitRate::from_mbps(64));
    wire.load(Time::ZERO, ms(until), BitRate::from_mbps(80), ecn);
    wire
}

#[test]
fn the_distance_of_drops_shrinks_with_the_root_of_their_number() {
    // RFC 8289, 5.3: 100 ms / sqrt(n).
    let next = |count| control_law(ms(1_000), millis(100), count).as_nanos() - 1_000_000_000;
    assert_eq!([1, 4, 25].map(next), [100_000_000, 50_000_000, 20_000_000]);
    assert_eq!(next(2), 70_710_678);
    assert_eq!(next(10), 31_622_777);
}

#[test]
fn the_first_signal_comes_an_interval_after_the_delay_passed_the_target() {
    let config = CodelConfig { limit: Limit::NONE, ..CodelConfig::default() };
    let wire = overloaded(config, Ecn::Ect0, 500);
    // The queue grows by a quarter of the time. The delay is 5 ms after 20 ms of sending 25 ms of
    // arrivals, and the first packet with that wait leaves at 25 ms.
    let times: Vec<f64> = wire.log.marks.iter().map(|(at, ..)| at.as_secs_f64() * 1e3).collect();
    assert!((times[0] - 125.0).abs() < 1.0, "{times:?}");
    // Then 100/1, 100/sqrt 2, 100/sqrt 3 and 100/2 ms apart.
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (gap, expected) in gaps.iter().zip([100.0, 70.71, 57.74, 50.0]) {
        assert!((gap - expected).abs() < 0.2, "{gaps:?}");
    }
    assert!(wire.log.drops.is_empty());
}

#[test]
fn what_is_not_ecn_capable_is_dropped_at_the_same_times() {
    let config = CodelConfig { limit: Limit::NONE, ..CodelConfig::default() };
    let wire = overloaded(config, Ecn::NotEct, 500);
    assert!(wire.log.marks.is_empty());
    let first = wire.log.drops[0].0.as_secs_f64();
    assert!((first - 0.125).abs() < 1e-3, "{first}");
    let without = CodelConfig { ecn: false, ..config };
    assert_eq!(overloaded(without, Ecn::Ect0, 500).log.drops, wire.log.drops);
}

#[test]
fn a_queue_of_one_packet_is_no_standing_queue() {
    // At 80 kbit/s each packet of 1000 bytes takes 100 ms.
    let mut wire = Wire::new(Codel::new(CodelConfig::default()), BitRate::from_kbps(80));
    wire.load(Time::ZERO, ms(20_000), BitRate::from_kbps(80), Ecn::NotEct);
    assert!(wire.log.drops.is_empty());
}

#[test]
fn a_recent_rate_of_drops_is_taken_up_again() {
    let mut control =
        Control { count: 12, last_count: 2, drop_next: ms(900), ..Control::default() };
    let config = CodelConfig { limit: Limit::NONE, ..CodelConfig::default() };
    let mut bench = crate::testing::Bench::new();
    let begin = |control: &mut Control, bench: &mut crate::testing::Bench| {
        let packet = crate::queue::samples::packet(1, 1, 100, Ecn::Ect0);
        control.begin(ms(1_000), &config, packet, &mut Fifo::new(), &mut bench.cx(ms(1_000)));
        control.count
    };
    assert_eq!(begin(&mut control, &mut bench), 10);
    // 1.6 s and more after the last drop was due it counts no more.
    control = Control { count: 12, last_count: 2, drop_next: Time::ZERO, ..Control::default() };
    let packet = crate::queue::samples::packet(1, 1, 100, Ecn::Ect0);
    let later = ms(1_600);
    control.begin(later, &config, packet, &mut Fifo::new(), &mut bench.cx(later));
    assert_eq!(control.count, 1);
}

#[test]
fn another_target_counts_from_the_change_on() {
    let config = CodelConfig { limit: Limit::NONE, ..CodelConfig::default() };
    let mut wire = Wire::new(Codel::new(config), BitRate::from_mbps(64));
    wire.queue.change(Time::ZERO, QueueChange::Target(millis(20))).expect("a target");
    wire.load(Time::ZERO, ms(500), BitRate::from_mbps(80), Ecn::Ect0);
    // 20 ms of delay after 100 ms of arrivals, and an interval.
    let first = wire.log.marks[0].0.as_secs_f64();
    assert!((first - 0.2).abs() < 1e-3, "{first}");
    let refused = wire.queue.change(ms(500), QueueChange::Low(millis(1))).expect_err("no ramp");
    assert_eq!(refused.to_string(), "has a queue without a ramp");
}
