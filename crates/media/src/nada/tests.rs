//! Equations of RFC 8698 with numbers that were computed by hand.

use airpath_base::{Duration, Time};

use super::*;
use crate::paced::Reported;

/// RFC 8698, figure 3: 150 kbit/s to 1.5 Mbit/s.
const RATES: Rates = Rates { min: 150e3, start: 150e3, max: 1.5e6 };
const NOTHING: Observed =
    Observed { received: 0.0, delay: 0.0, lost: 0.0, marked: 0.0, warped: false, free: false };

fn nada(reference: f64, before: f64) -> Nada {
    Nada { reference, before, ..Nada::new(Options::default(), RATES, 30.0) }
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-6 * expected.abs().max(1e-3), "{value} not {expected}");
}

#[test]
fn equations_3_and_4_of_accelerated_ramp_up() {
    // 50 ms / (40 ms + 100 ms + 120 ms) = 0.192307...
    near(nada(1e6, 0.0).growth(0.040), 5.0 / 26.0);
    // 90 ms / 120 ms = 0.75, and the largest growth is 0.5.
    let soon = Options {
        feedback_interval: Duration::ZERO,
        queue_bound: Duration::from_millis(90),
        ..Options::default()
    };
    near(Nada::new(soon, RATES, 30.0).growth(0.0), 0.5);
    let mut ramp = nada(1e6, 0.0);
    let free = Observed { received: 1e6, free: true, ..NOTHING };
    ramp.update(free, 0.1, 0.040);
    near(ramp.reference, 1e6 * 31.0 / 26.0);
    // A receiving rate below the reference leaves it.
    ramp.update(Observed { received: 2e5, ..free }, 0.1, 0.040);
    near(ramp.reference, 1e6 * 31.0 / 26.0);
}

#[test]
fn equations_5_to_7_of_the_gradual_update() {
    // x_offset = 30 - 10 * 1.5 = 15 ms; x_diff = 10 ms.
    // 1 - 0.5 * (100/500) * (15/500) - 0.5 * 2 * (10/500) = 0.977
    let mut gradual = nada(1e6, 0.020);
    gradual.update(Observed { delay: 0.030, ..NOTHING }, 0.1, 0.040);
    near(gradual.reference, 977e3);
    near(gradual.before, 0.030);
    // Rest at XREF * RMAX / r_ref = 20 ms for 750 kbit/s.
    let mut rest = nada(750e3, 0.020);
    rest.update(Observed { delay: 0.020, ..NOTHING }, 0.1, 0.040);
    near(rest.reference, 750e3);
    // The limits hold.
    let mut low = nada(160e3, 0.0);
    low.update(Observed { delay: 0.5, ..NOTHING }, 0.1, 0.040);
    near(low.reference, 150e3);
}

#[test]
fn equations_1_and_2_of_the_congestion_signal() {
    let of = |seen: Observed| 1e3 * congestion(seen);
    near(of(Observed { delay: 0.1, ..NOTHING }), 100.0);
    // 50 ms * exp(-0.5 * (100 - 50) / 50)
    let warped = Observed { delay: 0.1, warped: true, ..NOTHING };
    near(of(warped), 30.326_532_985_631_67);
    near(of(Observed { delay: 0.049, ..warped }), 49.0);
    // 10 ms * (2 %/1 %)^2, and 2 ms * (5 %/1 %)^2.
    near(of(Observed { lost: 0.02, ..NOTHING }), 40.0);
    near(of(Observed { marked: 0.05, ..NOTHING }), 50.0);
}

#[test]
fn equations_8_to_11_of_the_shaping_buffer() {
    // 0.1 * 8 * 1000 B * 30 /s = 24 kbit/s; at most 5 % of the reference rate.
    let shaped = nada(1e6, 0.0);
    near(shaped.encoder_rate(1000), 976e3);
    near(shaped.pacing_rate(1000), 1024e3);
    near(shaped.encoder_rate(100_000), 950e3);
    near(shaped.pacing_rate(100_000), 1050e3);
    near(nada(151e3, 0.0).encoder_rate(100_000), 150e3);
    near(nada(1.49e6, 0.0).pacing_rate(100_000), 1.5e6);
}

/// Reports each 100 ms on packets of 1200 bytes, one in 10 ms, with a queue delay.
fn feed(rule: &mut Nada, from: u64, to: u64, queue: impl Fn(u64) -> u64) {
    let mut packets = Vec::new();
    for ms in (from..to).step_by(10) {
        let sent = Time::from_millis(ms);
        let at = sent + Duration::from_millis(20 + queue(ms));
        let arrival = Some(crate::paced::Arrival { at, waited: Duration::ZERO, ce: false });
        packets.push(Reported { number: ms, sent, bytes: 1200, arrival, cluster: None });
        if ms % 100 == 90 {
            let rtt = Duration::from_millis(40);
            rule.on_feedback(
                at + Duration::from_millis(20),
                Feedback { packets: &packets, made: at, rtt },
            );
            packets.clear();
        }
    }
}

#[test]
fn a_queue_ends_the_ramp_up() {
    let mut rule = Nada::new(Options::default(), RATES, 30.0);
    feed(&mut rule, 0, 2000, |_| 0);
    // 960 kbit/s arrive, and the growth is 5/26.
    near(rule.target(), 960e3 * 31.0 / 26.0);
    feed(&mut rule, 2000, 4000, |ms| (ms - 2000) / 20);
    assert_eq!(rule.queue_delay(), Duration::from_millis((1990 - 150 + 10) / 20));
    assert!(rule.target() < 960e3, "{}", rule.target());
}
