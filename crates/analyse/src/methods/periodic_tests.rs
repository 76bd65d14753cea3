use airpath_base::random::{Seed, Stream};

use super::*;

const RUNS: u64 = 150;

/// Beats of a period of 10 s, jittered by up to a part of it on either side, some missing.
fn beats(random: &mut Stream, n: usize, jitter: f64, missing: f64) -> Vec<f64> {
    let there = (0..n).filter(|_| random.uniform() >= missing).collect::<Vec<_>>();
    there.iter().map(|k| 10.0 * (*k as f64 + jitter * (2.0 * random.uniform() - 1.0))).collect()
}

/// Times that lie so far apart.
fn sums(n: usize, mut apart: impl FnMut() -> f64) -> Vec<f64> {
    let mut now = 0.0;
    let mut next = || {
        now += apart();
        now
    };
    (0..n).map(|_| next()).collect()
}

/// In how many of the runs a period is found, and the worst error of it.
fn found(name: &str, times: impl Fn(&mut Stream) -> Vec<f64>) -> (usize, f64) {
    let periods: Vec<f64> = (0..RUNS)
        .filter_map(|seed| periodic(&times(&mut Seed(seed).stream(name))))
        .map(|periodic| periodic.period)
        .collect();
    let worst = periods.iter().map(|p| (p / 10.0 - 1.0).abs()).fold(0.0, f64::max);
    (periods.len(), worst)
}

#[test]
fn even_requests_have_their_period() {
    let times: Vec<f64> = (0..8).map(|k| 3.0 + 10.0 * f64::from(k)).collect();
    let found = periodic(&times).unwrap();
    assert_eq!((found.requests, found.fitting), (8, 7));
    assert!((found.period - 10.0).abs() < 1e-9 && found.jitter < 1e-9, "{found:?}");
    assert!(found.confidence > 0.9999, "{found:?}");
}

#[test]
fn jitter_and_missing_requests_do_not_hide_the_period() {
    for (n, jitter, missing, least) in
        [(12, 0.03, 0.0, 0.99), (30, 0.05, 0.2, 0.99), (60, 0.08, 0.3, 0.95)]
    {
        let (found, worst) = found("beats", |random| beats(random, n, jitter, missing));
        assert!(found as f64 >= least * RUNS as f64, "{n} {jitter} {missing}: {found}");
        assert!(worst < 0.05, "{worst}");
    }
}

#[test]
fn the_wait_after_each_answer_may_vary() {
    // Each request comes 10 s, give or take 0.5 s, after the one before.
    let drifting = |random: &mut Stream| sums(20, || 9.5 + random.uniform());
    let (found, worst) = found("drift", drifting);
    assert!(found as u64 == RUNS && worst < 0.05, "{found} {worst}");
}

#[test]
fn requests_at_random_are_not_called_periodic() {
    for n in [6, 10, 30, 100] {
        let poisson = |random: &mut Stream| sums(n, || random.exponential(10.0));
        let (found, _) = found("poisson", poisson);
        assert!(found <= 1, "{n}: {found} of {RUNS}");
    }
}

#[test]
fn few_requests_say_nothing_and_simultaneous_ones_do_no_harm() {
    assert_eq!(periodic(&[0.0, 10.0, 20.0, 30.0, 40.0]), None);
    assert_eq!(periodic(&[5.0; 20]), None);
}

#[test]
fn the_binomial_tail() {
    // 1 - 0.7^3 - 3 * 0.3 * 0.7^2 and 0.3^3.
    assert!((at_least(3, 2, 0.3) - 0.216).abs() < 1e-12);
    assert!((at_least(3, 3, 0.3) - 0.027).abs() < 1e-12);
    assert!((at_least(3, 0, 0.3) - 1.0).abs() < 1e-12);
}
