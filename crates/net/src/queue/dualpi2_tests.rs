use airpath_base::BitRate;
use airpath_base::random::Seed;

use super::*;
use crate::queue::samples::{Wire, millis, ms, packet, stream};

fn dual(config: DualPi2Config) -> DualPi2 {
    DualPi2::new(config, [stream("l"), stream("c")], Seed(1).keyed("flows"))
}

fn unlimited() -> DualPi2Config {
    DualPi2Config { limit: Limit::NONE, ..DualPi2Config::default() }
}

#[test]
fn the_ramp_of_the_low_latency_queue() {
    // RFC 9332, figure 5, with 800 us and 400 us.
    let native = DualPi2Config::default().native;
    let at = |micros| native.probability(Duration::from_micros(micros));
    assert_eq!([500, 800, 900, 1000, 1200, 2000].map(at), [0.0, 0.0, 0.25, 0.5, 1.0, 1.0]);
    let step = DualPi2Config::linux().native;
    assert_eq!(step.probability(millis(1)), 0.0);
    assert_eq!(step.probability(Duration::from_micros(1_001)), 1.0);
}

#[test]
fn both_probabilities_follow_from_the_base() {
    // One packet that waits: p' = 0.05136 at 16 ms and 0.10528 at 32 ms.
    let mut queue = dual(unlimited());
    queue.classic.push(Time::ZERO, packet(1, 0, 1000, Ecn::Ect0));
    queue.catch_up(ms(33));
    let (classic, coupled) = queue.probabilities;
    assert!((classic - 0.10528 * 0.10528).abs() < 1e-12);
    assert!((coupled - 0.21056).abs() < 1e-12);
    // Equal windows: 1.22 / sqrt(p_C) against 2 / p_CL (RFC 9332, 2.1), a ratio that
    // does not depend on p': 1 / 1.2247 for k = 2.
    let ratio = (2.0 / coupled) / (1.5_f64.sqrt() / classic.sqrt());
    assert!((ratio - 0.816_496_580_927_726).abs() < 1e-12);
}

#[test]
fn recur_hits_as_often_as_it_should() {
    let mut chances = Chances::new(Chance::Recur, stream("l"));
    let hits: Vec<usize> = (0..20).filter(|_| chances.hit(0.25)).collect();
    // The sum must pass one: 1.25 for the first time with the fifth packet.
    assert_eq!(hits, [4, 8, 12, 16]);
    let mut chances = Chances::new(Chance::Random, stream("l"));
    let hits = (0..100_000).filter(|_| chances.hit(0.3)).count();
    assert!(hits.abs_diff(30_000) < 5 * 145, "five standard deviations: {hits}");
}

#[test]
fn unresponsive_traffic_loses_what_exceeds_the_rate() {
    for config in [unlimited(), DualPi2Config { limit: Limit::NONE, ..DualPi2Config::linux() }] {
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1] {
            let mut wire = Wire::new(dual(config), BitRate::from_mbps(10));
            wire.load(Time::ZERO, ms(60_000), BitRate::from_mbps(12), ecn);
            let (drops, _) = wire.signals(ms(20_000));
            assert!((drops - 1.0 / 6.0).abs() < 0.005, "{ecn:?} {drops}");
            // Packets that are not ECN-capable need p_C = 1/6. ECN-capable ones are marked until
            // p_Cmax = 1/4 and then dropped, now and then.
            let base = wire.queue.base_probability();
            let expected = if ecn == Ecn::NotEct { (1.0_f64 / 6.0).sqrt() } else { 0.5 };
            assert!((base - expected).abs() < 0.02, "{ecn:?} {base}");
            let oldest = wire.queue.low_latency.oldest().or(wire.queue.classic.oldest());
            let delay = ms(60_000).since(oldest.unwrap());
            assert!(delay < millis(40), "{ecn:?} {delay:?}");
        }
    }
}

/// Both queues always have packets: shares of bytes that leave L.
fn share(scheduler: DualScheduler) -> f64 {
    let mut queue = dual(DualPi2Config { scheduler, ..unlimited() });
    for n in 0..4_000 {
        queue.low_latency.push(Time::ZERO, packet(1, n, 1000, Ecn::Ect1));
        queue.classic.push(Time::ZERO, packet(2, n, 500, Ecn::Ect0));
    }
    let mut sent = [0u64; 2];
    for _ in 0..1_000 {
        let (waiting, low_latency, change) = queue.take(Time::ZERO).unwrap();
        queue.credit += change;
        sent[usize::from(low_latency)] += u64::from(waiting.size);
    }
    sent[1] as f64 / (sent[0] + sent[1]) as f64
}

#[test]
fn the_classic_queue_has_its_share() {
    for percent in [10, 30, 50] {
        let share = share(DualScheduler::Weighted { classic_percent: percent });
        assert!((share - (1.0 - f64::from(percent) / 100.0)).abs() < 0.01, "{share}");
    }
}

#[test]
fn the_low_latency_queue_begins() {
    let mut queue = dual(unlimited());
    queue.classic.push(Time::ZERO, packet(2, 0, 1500, Ecn::Ect0));
    queue.low_latency.push(Time::ZERO, packet(1, 0, 1500, Ecn::Ect1));
    assert!(queue.take(Time::ZERO).unwrap().1);
}

#[test]
fn a_time_shift_prefers_what_came_up_to_so_much_later() {
    let scheduler = DualScheduler::TimeShifted(millis(30));
    let prefers = |l, c| scheduler.prefers_low_latency(0, ms(100), ms(l), ms(c));
    assert!(prefers(50, 20) && !prefers(51, 20) && prefers(99, 70));
}

#[test]
fn code_points_and_ecn_choose_the_queue() {
    let mut queue = dual(unlimited());
    let mut admitted = |ecn, dscp| {
        let mut packet = packet(1, 0, 100, ecn);
        packet.dscp = dscp;
        queue.admits_to_low_latency(Time::ZERO, &packet)
    };
    let by_ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce].map(|ecn| admitted(ecn, 0));
    assert_eq!(by_ecn, [false, false, true, true]);
    // RFC 9956: 45 is the code point of non-queue-building traffic.
    assert_eq!([44, 45, 46].map(|dscp| admitted(Ecn::NotEct, dscp)), [false, true, false]);
}

#[test]
fn what_is_not_ecn_capable_bears_only_the_classic_probability_in_l() {
    let mut queue = dual(unlimited());
    let mut bench = crate::testing::Bench::new();
    for n in 0..1_000 {
        let mut packet = packet(1, n, 1000, Ecn::NotEct);
        packet.dscp = 45;
        queue.low_latency.push(Time::ZERO, packet);
    }
    // 5 ms in the queue would mark everything; p' is still zero.
    let sent = (0..1_000).filter_map(|_| queue.dequeue(ms(5), &mut bench.cx(ms(5)))).count();
    assert_eq!(sent, 1_000);
}

#[test]
fn a_flow_that_builds_a_queue_is_moved_to_the_classic_one() {
    let run = |protection| {
        let queue = dual(DualPi2Config { protection, ..unlimited() });
        let mut wire = Wire::new(queue, BitRate::from_mbps(10));
        for n in 0..20_000u64 {
            // 12 Mbit/s of one flow and, each 10 ms, a small packet of another.
            let now = Time::from_nanos(n * 666_667);
            wire.arrive(now, packet(1, n, 1000, Ecn::Ect1));
            if n % 15 == 0 {
                wire.arrive(now, packet(2, n, 100, Ecn::Ect1));
            }
        }
        let born = |packet: &Packet| Time::from_nanos(packet.number * 666_667);
        let of = |flow| wire.sent.iter().filter(move |(_, p)| p.tuple.src.port == flow);
        let delays: Vec<Duration> = of(2).map(|(at, p)| at.since(born(p))).collect();
        let worst = delays[delays.len() / 2..].iter().copied().max().unwrap();
        (worst, wire.queue.sanctioned())
    };
    let (unprotected, none) = run(None);
    let (protected, sanctioned) = run(Some(ProtectionConfig::default()));
    assert!(none == 0 && sanctioned > 1_000, "{sanctioned}");
    assert!(unprotected > millis(10) && protected < millis(4), "{unprotected:?} {protected:?}");
}

#[test]
fn targets_and_thresholds_of_both_queues_change() {
    let mut queue = dual(unlimited());
    queue.classic.push(Time::ZERO, packet(1, 0, 1000, Ecn::Ect0));
    queue.change(Time::ZERO, QueueChange::Target(millis(5))).expect("a target");
    queue.catch_up(ms(17));
    // 0.16 (16 - 5) ms + 3.2 * 16 ms.
    assert!((queue.probabilities.1 - 2.0 * 0.05296).abs() < 1e-12, "{:?}", queue.probabilities);
    queue.change(ms(17), QueueChange::Low(millis(2))).expect("a ramp");
    queue.change(ms(17), QueueChange::High(millis(4))).expect("a ramp");
    assert_eq!(queue.config.native.probability(millis(3)), 0.5);
    let step = QueueChange::Threshold(Threshold::Delay(millis(3)));
    assert!(queue.change(ms(17), step).is_err());
    let mut linux = dual(DualPi2Config::linux());
    linux.change(Time::ZERO, step).expect("a step");
    assert_eq!(linux.config.native.probability(millis(3)), 0.0);
}
