//! The rule as a whole.

use super::*;
use crate::paced::Arrival;

const RATES: Rates = Rates { min: 0.3e6, start: 1e6, max: 10e6 };

/// Reports each 50 ms on packets of 1250 bytes, one in 10 ms, of which each so many is lost.
fn with_loss(variant: Variant, each: u64) -> f64 {
    let mut rule = Gcc::new(Options { variant, ..Options::default() }, RATES);
    let mut packets = Vec::new();
    for n in 0..1000 {
        let sent = Time::from_millis(10 * n);
        let at = sent + Duration::from_millis(20);
        let arrival = Some(Arrival { at, waited: Duration::ZERO, ce: false });
        let arrival = arrival.filter(|_| n % each != 0);
        packets.push(Reported { number: n, sent, bytes: 1250, arrival, cluster: None });
        if n % 5 == 4 {
            let now = at + Duration::from_millis(20);
            let rtt = Duration::from_millis(40);
            rule.on_feedback(now, Feedback { packets: &packets, made: at, rtt });
            packets.clear();
        }
    }
    rule.target()
}

#[test]
fn heavy_loss_brings_the_rate_down_and_light_loss_does_not() {
    for variant in [Variant::Draft, Variant::Libwebrtc] {
        assert!(with_loss(variant, 4) < 0.4e6, "{variant:?}");
        // 1 Mbit/s arrive, so the rate is at most 1.5 Mbit/s and a little more.
        let light = with_loss(variant, 1000);
        assert!((1.4e6..1.52e6).contains(&light), "{variant:?} {light}");
    }
}

#[test]
fn the_pace_is_that_of_the_edition() {
    let pace = |variant| Gcc::new(Options { variant, ..Options::default() }, RATES).pacing_rate(0);
    assert_eq!((pace(Variant::Draft), pace(Variant::Libwebrtc)), (1e6, 2.5e6));
}
