use airpath_base::BitRate;
use airpath_wire::Ecn;

use super::*;
use crate::queue::samples::{Wire, millis, ms, packet, stream};
use crate::testing::Bench;

fn pie(config: PieConfig) -> Pie {
    Pie::new(config, stream("pie"))
}

#[test]
fn small_probabilities_are_stepped_finely() {
    // RFC 8033, 4.2 and figure 2 of it.
    let expected = [
        (0.0, 2048.0),
        (0.9e-6, 2048.0),
        (1e-6, 512.0),
        (1e-5, 128.0),
        (1e-4, 32.0),
        (1e-3, 8.0),
        (1e-2, 2.0),
        (0.1, 1.0),
        (1.0, 1.0),
    ];
    assert!(expected.iter().all(|(p, divisor)| scale(*p) == *divisor));
}

#[test]
fn steps_of_the_controller() {
    let mut queue = pie(PieConfig::default());
    // 1/8 (35 - 15) ms + 1.25 * 35 ms = 0.04625, over 2048.
    queue.step(millis(35));
    assert!((queue.probability - 0.04625 / 2048.0).abs() < 1e-15);
    // From 2.26e-5: (1/8 * 20 ms + 0) / 128.
    queue.step(millis(35));
    assert!((queue.probability - (0.04625 / 2048.0 + 0.0025 / 128.0)).abs() < 1e-15);
    // Steps are capped at 0.02 from 0.1 on.
    queue.probability = 0.1;
    queue.step(millis(535));
    assert!((queue.probability - 0.12).abs() < 1e-15);
    // Without a queue twice in a row it also decays by 2 %.
    (queue.probability, queue.last) = (0.5, Duration::ZERO);
    queue.step(Duration::ZERO);
    assert!((queue.probability - 0.98 * (0.5 - 0.015 / 8.0)).abs() < 1e-15);
}

#[test]
fn a_burst_passes_and_is_allowed_again_after_calm() {
    let mut queue = pie(PieConfig::default());
    for n in 1..=10 {
        assert!(!queue.burst_left.is_zero(), "150 ms are 10 updates of 15 ms");
        queue.step(millis(20 + n));
    }
    assert!(queue.burst_left.is_zero());
    queue.probability = 0.0;
    queue.last = millis(7);
    queue.step(millis(7));
    assert_eq!(queue.burst_left, millis(150));
}

#[test]
fn unresponsive_traffic_loses_what_exceeds_the_rate() {
    // 12 Mbit/s into 10: one sixth must go, with or without distances.
    for derandomise in [true, false] {
        let config = PieConfig { derandomise, limit: Limit::NONE, ..PieConfig::default() };
        let mut wire = Wire::new(pie(config), BitRate::from_mbps(10));
        wire.load(Time::ZERO, ms(60_000), BitRate::from_mbps(12), Ecn::Ect0);
        let (drops, marks) = wire.signals(ms(20_000));
        assert!((drops - 1.0 / 6.0).abs() < 0.005, "{drops}");
        assert_eq!(marks, 0.0, "beyond 10 % ECN-capable packets are dropped as well");
        let delay = wire.queue.delay(ms(60_000));
        assert!(delay > millis(8) && delay < millis(25), "{delay:?}");
    }
}

#[test]
fn below_the_threshold_packets_are_marked() {
    let config = PieConfig { limit: Limit::NONE, ..PieConfig::default() };
    let mut queue = pie(config);
    let mut bench = Bench::new();
    (queue.burst_left, queue.last, queue.probability) = (Duration::ZERO, millis(30), 0.09);
    (0..10).for_each(|n| queue.fifo.push(Time::ZERO, packet(1, n, 1000, Ecn::Ect0)));
    for n in 0..200 {
        queue.enqueue(Time::ZERO, packet(1, n, 1000, Ecn::Ect0), &mut bench.cx(Time::ZERO));
    }
    assert!(bench.drops.0.is_empty());
    let marked = core::iter::from_fn(|| queue.fifo.pop()).filter(|w| w.packet.ecn == Ecn::Ce);
    // Distances are at least 10 packets (0.85 / 0.09) and at most 95 (8.5 / 0.09).
    let marked = marked.count();
    assert!((3..=20).contains(&marked), "{marked}");
}

#[test]
fn catching_up_is_the_same_as_stepping_along() {
    let config = PieConfig { limit: Limit::NONE, ..PieConfig::default() };
    let (mut lazy, mut eager) = (pie(config), pie(config));
    lazy.fifo.push(ms(3), packet(1, 0, 1000, Ecn::Ect0));
    eager.fifo.push(ms(3), packet(1, 0, 1000, Ecn::Ect0));
    (0..20_000).for_each(|at| eager.catch_up(ms(at)));
    lazy.catch_up(ms(19_999));
    assert_eq!((lazy.probability, lazy.last), (eager.probability, eager.last));
    assert_eq!(lazy.probability, 1.0);
    eager.fifo.pop();
    lazy.fifo.pop();
    (20_000..60_000).for_each(|at| eager.catch_up(ms(at)));
    lazy.catch_up(ms(59_999));
    assert_eq!((lazy.probability, lazy.last, lazy.burst_left), (0.0, Duration::ZERO, millis(150)));
    assert_eq!(eager.burst_left, lazy.burst_left);
    assert_eq!(eager.probability, 0.0);
}
