use super::*;
use crate::control::HyStartKind;

const SEGMENT: u64 = 1000;

/// Acknowledgements of a segment each, so far apart, with `flight` segments under way. Their RTT
/// is 20 ms for the first `low` of them and then more by `rise`. After how many slow start is over.
fn over(apart: Duration, low: u64, rise: Duration, flight: u64) -> Option<u64> {
    let config = HyStartConfig { kind: HyStartKind::Classic, ..HyStartConfig::default() };
    let mut hystart = Classic::default();
    let base = Duration::from_millis(20);
    (0..200u64).find(|n| {
        let sample = AckSample {
            now: Time::ZERO + apart * *n,
            acked: SEGMENT,
            rtt: Some(if *n < low { base } else { base + rise }),
            // RTT of the handshake.
            min_rtt: Some(base / 2),
            delivered_in_all: SEGMENT * (n + 1),
            in_flight: flight * SEGMENT,
            ..AckSample::default()
        };
        hystart.is_full(&config, &sample, flight as f64)
    })
}

#[test]
fn the_ninth_sample_of_a_round_with_a_rise_ends_it() {
    // 20 ms / 8 is less than the least rise of 4 ms. With 20 segments under way the first round
    // has acknowledgements 0 to 20; the ninth of the next is number 29.
    let (far, ms) = (Duration::from_millis(5), Duration::from_millis);
    assert_eq!(over(far, 21, ms(4), 20), None);
    assert_eq!(over(far, 21, ms(5), 20), Some(29));
    // A single low RTT in the second round puts it off to the third, from number 42 on.
    assert_eq!(over(far, 22, ms(5), 20), Some(50));
    // The handshake had 10 ms, which does not count.
    assert_eq!(over(far, 0, ms(5), 20), None);
}

#[test]
fn nothing_is_looked_at_below_16_segments() {
    let (far, near) = (Duration::from_millis(5), Duration::from_millis(1));
    assert_eq!(over(far, 16, Duration::from_millis(5), 15), None);
    assert_eq!(over(near, 0, Duration::ZERO, 15), None);
    assert_eq!(over(far, 17, Duration::from_millis(5), 16), Some(25));
}

#[test]
fn a_train_longer_than_half_the_lowest_rtt_ends_it() {
    // Half of 20 and 1 ms is 10.5 ms.
    let ms = Duration::from_millis;
    assert_eq!(over(ms(1), 0, ms(0), 100), Some(11));
    assert_eq!(over(ms(2), 0, ms(0), 100), Some(6));
    assert_eq!(over(ms(3), 0, ms(0), 100), None);
}
