use airpath_base::random::Seed;
use airpath_wire::Ecn;

use super::*;
use crate::queue::samples::{millis, ms, packet};

fn protection() -> Protection {
    Protection::new(ProtectionConfig::default(), Seed(1).keyed("flows"))
}

#[test]
fn a_score_is_bytes_times_probability_over_the_ageing_rate() {
    let mut protection = protection();
    let bucket = protection.pick(ms(5), 1234);
    // 1000 B * 0.5 * 2^30 / 2^19 ns = 1.024 ms.
    assert_eq!(protection.fill(ms(5), bucket, 1000, 0.5), Duration::from_micros(1_024));
    assert_eq!(protection.fill(ms(5), bucket, 1000, 0.5), Duration::from_micros(2_048));
    // It ages with time, and is never above 5 s.
    assert_eq!(protection.fill(ms(6), bucket, 1000, 0.0), Duration::from_micros(1_048));
    assert_eq!(protection.fill(ms(6), bucket, u32::MAX, 1.0), Duration::from_secs(5));
}

#[test]
fn score_times_delay_decides() {
    let sanctions = |micros, packets| {
        let mut protection = protection();
        let mut last = false;
        for _ in 0..packets {
            let packet = packet(1, 0, 1000, Ecn::Ect1);
            last = protection.sanctions(ms(1), &packet, Duration::from_micros(micros), 1.0);
        }
        last
    };
    // Each packet scores 2.048 ms; 4 ms * 1 ms is critical.
    assert!(!sanctions(1_000, 100), "not above the critical delay");
    assert!(!sanctions(1_900, 1) && sanctions(2_000, 1));
    assert!(sanctions(1_001, 2));
}

#[test]
fn flows_have_buckets_of_their_own_until_none_is_left() {
    let mut protection = protection();
    // Both attempts of each flow lead to buckets 3 and 4.
    let flow = |n: u64| n << 20 | 4 << 5 | 3;
    let picked = [1, 2, 3, 4, 1, 2].map(|n| {
        let bucket = protection.pick(ms(1), flow(n));
        protection.fill(ms(1), bucket, 1500, 1.0);
        bucket
    });
    assert_eq!(picked, [3, 4, BUCKETS, BUCKETS, 3, 4]);
    // Once a score has expired, its bucket is free.
    assert_eq!(protection.pick(ms(1) + millis(100), flow(9)), 3);
}
