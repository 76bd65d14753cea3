use airpath_base::Direction;
use airpath_base::random::Seed;

use super::*;

/// Delays of LTE by draws of its steps: a wait of up to a period, 10 ms, and 8 ms more for each transmission that
/// fails.
fn drawn(seed: u64, period: f64, (bler, most): (f64, u32), constant: f64) -> Vec<f64> {
    let mut stream = Seed(seed).stream("delays");
    let mut delay = || {
        let mut delay = stream.uniform() * period + 1.0 + 3.0 + 4.0 + 1.0 + 1.0 + constant;
        for _ in 1..most {
            if !stream.chance(bler) {
                break;
            }
            delay += 8.0;
        }
        delay
    };
    (0..400).map(|_| delay()).collect()
}

fn usual() -> Grid {
    Grid::usual(Direction::Uplink).expect("a grid")
}

/// True if a setting of the stated set has all these values.
fn states(found: &Fitted, values: &[(&str, &str)]) -> bool {
    let has = |one: &Explanation| {
        values.iter().all(|(name, value)| {
            one.candidate.values.iter().any(|(known, own)| known == name && own == value)
        })
    };
    found.groups.iter().flat_map(|group| &group.settings).any(has)
}

#[test]
fn the_truth_is_in_the_stated_set() {
    for (seed, period, bler, word) in
        [(1, 10.0, 0.1, "10%"), (2, 20.0, 0.0, "0%"), (3, 40.0, 0.1, "10%")]
    {
        let found = fit(&drawn(seed, period, (bler, 4), 0.3), &usual()).expect("a fit");
        assert!(found.explained, "{}", found.probability);
        let access = format!("sr {period} ms");
        let truth = [("slots", "FDD, 1 ms"), ("access", access.as_str()), ("errors", word)];
        assert!(states(&found, &truth), "{:?}", found.shares);
        let sum: f64 = found.groups.iter().map(|group| group.weight).sum();
        assert!((0.9..=1.0 + 1e-9).contains(&sum), "{sum}");
    }
}

#[test]
fn settings_that_delays_cannot_tell_apart_are_in_a_group() {
    // A slot more of k2 and a millisecond less of processing are the same delay.
    let found = fit(&drawn(4, 20.0, (0.0, 4), 2.0), &usual()).expect("a fit");
    let first = found.groups.first().expect("a group");
    let k2 = |one: &Explanation| {
        one.candidate.values.iter().find(|(name, _)| *name == "k2").map(|(_, value)| value.clone())
    };
    let mut values: Vec<String> = first.settings.iter().filter_map(k2).collect();
    values.sort();
    values.dedup();
    assert!(values.len() > 1, "{values:?}");
}

#[test]
fn a_measurement_of_something_else_is_unexplained() {
    // Two thirds at 8 ms, a third at 33 ms: no period of opportunities.
    let two: Vec<f64> = (0..300).map(|n| if n % 3 > 0 { 8.0 } else { 33.0 }).collect();
    let found = fit(&two, &usual()).expect("a fit");
    assert!(!found.explained && found.probability < 0.001, "{}", found.probability);
    assert_eq!(found.groups.iter().map(|group| group.settings.len()).sum::<usize>(), 1);
}

#[test]
fn an_exponential_time_beyond_those_that_are_tried_lies_on_the_bound() {
    let fdd = Grid { slots: usual().slots.into_iter().take(1).collect(), ..usual() };
    for (mean, at_bound) in [(0.5, false), (3.0, false), (12.0, true)] {
        let mut stream = Seed(5).stream("processing");
        let more = |delay| delay - mean * math::ln(1.0 - stream.uniform());
        let delays: Vec<f64> = drawn(6, 10.0, (0.0, 4), 1.0).into_iter().map(more).collect();
        let found = fit(&delays, &fdd).expect("a fit");
        let best = &found.groups[0].settings[0];
        assert_eq!(best.is_at_bound(), at_bound, "{mean}: {best:?}");
    }
}

#[test]
fn few_delays_are_refused() {
    let error = fit(&[1.0; 49], &usual()).expect_err("few").to_string();
    assert!(error.contains("has 49 delays: 50 or more"), "{error}");
}

#[test]
fn the_test_of_kolmogorov_has_its_quantiles() {
    // Quantiles of the limit: 1.224 at 10%, 1.358 at 5%, 1.949 at 0.1%.
    for (scaled, expected) in [(1.224, 0.1), (1.358, 0.05), (1.949, 0.001)] {
        let found = kolmogorov(scaled / 100.0, 10_000);
        assert!((found / expected - 1.0).abs() < 0.02, "{scaled}: {found}");
    }
}
