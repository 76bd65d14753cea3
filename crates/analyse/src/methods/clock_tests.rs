use airpath_base::random::Seed;

use super::*;

/// Error of a clock of `tick` seconds. It is read by about `rate` packets a second for `span`
/// seconds, each delayed by up to `jitter` seconds.
fn error(seed: u64, tick: f64, rate: f64, span: f64, jitter: f64) -> f64 {
    let mut random = Seed(seed).stream("clock");
    let mut clock = Clock::default();
    let (mut sent, phase) = (0.0, random.uniform() * tick);
    let first = u32::MAX - 50; // wraps on the way
    while sent < span {
        let ticks = ((sent + phase) / tick) as u32;
        let at = 1000.0 + sent + jitter * random.uniform();
        clock.add(Time::from_nanos((at * 1e9) as u64), first.wrapping_add(ticks));
        sent += random.exponential(1.0 / rate);
    }
    let period = clock.period().expect("points to draw a line through");
    (period.seconds / tick - 1.0).abs()
}

fn median(mut errors: Vec<f64>) -> f64 {
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2]
}

#[test]
fn the_period_is_within_a_thousandth_after_three_seconds() {
    // LTE-like: ACKs delayed by up to 15 ms of waiting for grants, 200 a second.
    for tick in [0.001, 0.004, 0.01] {
        let errors = (0..101).map(|seed| error(seed, tick, 200.0, 3.0, 0.015)).collect();
        let median = median(errors);
        assert!(median < 0.001, "tick {tick}: {median}");
    }
}

#[test]
fn it_becomes_more_exact_with_time() {
    let after = |span| median((0..101).map(|seed| error(seed, 0.01, 100.0, span, 0.02)).collect());
    let (one, three, ten) = (after(1.0), after(3.0), after(10.0));
    assert!(one > 2.0 * three && three > 2.0 * ten, "{one} {three} {ten}");
}

#[test]
fn few_points_draw_no_line() {
    let mut clock = Clock::default();
    for n in 0..7 {
        clock.add(Time::from_millis(10 * n), n as u32);
    }
    assert_eq!(clock.period(), None);
    let mut still = Clock::default();
    (0..100).for_each(|n| still.add(Time::from_millis(n), 7));
    assert_eq!(still.period(), None);
}

#[test]
fn the_hull_stays_small() {
    let mut clock = Clock::default();
    for n in 0..100_000u32 {
        // A parabola: every point is a corner.
        clock.add(Time::from_nanos(u64::from(n) * u64::from(n)), n);
    }
    assert!(clock.heap() <= 16 * 2 * MOST_CORNERS, "{}", clock.heap());
}

#[test]
fn a_delay_with_a_trend_does_not_bend_the_slope() {
    // Delays grow by 40 ms a second; each tenth packet finds no queue.
    let mut clock = Clock::default();
    for n in 0..600u32 {
        let queued = if n % 10 == 0 { 0.0 } else { 0.04 * f64::from(n) * 0.005 };
        let at = 100.0 + f64::from(n) * 0.005 + queued;
        clock.add(Time::from_nanos((at * 1e9) as u64), 5 * n);
    }
    let period = clock.period().expect("a slope");
    assert!((period.seconds / 1e-3 - 1.0).abs() < 1e-4, "{}", period.seconds);
}

#[test]
fn without_a_trend_all_points_count() {
    // ACKs that wait for a grant each 5 ms, 300 a second: within 0.02 % after 3 s.
    let errors = (0..51).map(|seed| error(seed, 0.001, 300.0, 3.0, 0.005)).collect();
    assert!(median(errors) < 2e-4);
}
