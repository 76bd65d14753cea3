//! Statistics of the synthesised channel against those of the model.

use airpath_base::random::Seed;
use num_complex::Complex64;

use super::profile::Profile;
use super::synthesis::{Channel, Recipe};
use crate::precoding::{Array, Correlation, Scattering};

/// 32 steps of a period each.
const CYCLES: f64 = 64.0;

/// Resource blocks, real and imaginary part of the correlation.
type Correlations = [(usize, f64, f64); 4];
const FREQUENCY_A: Correlations =
    [(1, 0.8744, -0.3062), (3, 0.5838, -0.4626), (6, 0.3650, -0.6125), (12, -0.4863, -0.5162)];
const FREQUENCY_C: Correlations =
    [(1, 0.9066, -0.2416), (3, 0.6815, -0.5107), (6, 0.2584, -0.5862), (12, -0.1010, -0.2370)];
const FREQUENCY_D: Correlations =
    [(1, 0.9723, -0.0243), (3, 0.9274, -0.0306), (6, 0.9273, 0.0127), (12, 0.9440, -0.0283)];

fn recipe(profile: Profile, ports: usize) -> Recipe {
    Recipe {
        profile,
        delay_spread: 363e-9,
        cycles: CYCLES,
        steps: 2048,
        resource_blocks: 25,
        width: 180e3,
        ports,
        receivers: 1,
        correlation: Correlation::Low,
        array: Array::Linear,
        scattering: Scattering::default(),
    }
}

fn realisations(recipe: &Recipe, count: u64) -> Vec<Channel> {
    let keyed = Seed(11).keyed("waves");
    (0..count).map(|realisation| recipe.realise(realisation, keyed)).collect()
}

/// Mean of a product over steps and realisations.
fn mean(
    channels: &[Channel],
    steps: usize,
    of: impl Fn(&Channel, usize) -> Complex64,
) -> Complex64 {
    let sum: Complex64 = channels
        .iter()
        .flat_map(|channel| (0..steps).map(|step| of(channel, step)).collect::<Vec<_>>())
        .sum();
    sum / (channels.len() * steps) as f64
}

#[test]
fn autocorrelation_is_the_bessel_function() {
    // J0(2 pi f tau) at f tau of an eighth to 2, from Bessel's integral, computed beside.
    let expected =
        [(0.125, 0.85163), (0.25, 0.47200), (0.5, -0.30424), (1.0, 0.22028), (2.0, 0.15751)];
    // A single tap has the model's own over its axis; the sum of many differs by chance.
    for (profile, count, tolerance) in [(Profile::Flat, 1, 0.005), (Profile::TdlC, 16, 0.05)] {
        let channels = realisations(&recipe(profile, 1), count);
        for (turn, bessel) in expected {
            let lag = (turn * 2048.0 / CYCLES) as usize;
            let mut sum = Complex64::default();
            for block in 0..25 {
                sum += mean(&channels, 2048, |channel, step| {
                    let later = channel.column(0, block)[(step + lag) & 2047];
                    channel.column(0, block)[step].conj() * later
                });
            }
            let measured = sum / 25.0;
            let error = (measured - bessel).l1_norm();
            assert!(error < tolerance, "{profile:?} {turn}: {measured} {bessel}");
        }
    }
}

#[test]
fn frequency_correlation_is_that_of_the_delay_profile() {
    // The Fourier transform of the tables' powers over their delays at 363 ns, over 1, 3, 6 and
    // 12 resource blocks of 180 kHz, computed beside.
    let expected =
        [(Profile::TdlA, FREQUENCY_A), (Profile::TdlC, FREQUENCY_C), (Profile::TdlD, FREQUENCY_D)];
    for (profile, values) in expected {
        let channels = realisations(&recipe(profile, 1), 8);
        for (distance, re, im) in values {
            let mut sum = Complex64::default();
            for block in 0..25 - distance {
                sum += mean(&channels, 2048, |channel, step| {
                    channel.column(0, block)[step].conj()
                        * channel.column(0, block + distance)[step]
                });
            }
            let measured = sum / (25 - distance) as f64;
            let error = (measured - Complex64::new(re, im)).l1_norm();
            assert!(error < 0.06, "{profile:?} {distance}: {measured}");
        }
    }
}

#[test]
fn ports_are_correlated_as_they_should_be() {
    for (correlation, expected) in
        [(Correlation::Low, 0.0), (Correlation::Medium, 0.3), (Correlation::High, 0.9)]
    {
        let recipe = Recipe { correlation, ..recipe(Profile::TdlC, 4) };
        let channels = realisations(&recipe, 4);
        let mut sum = Complex64::default();
        for block in 0..25 {
            sum += mean(&channels, 2048, |channel, step| {
                channel.column(0, block)[step].conj() * channel.column(3, block)[step]
            });
        }
        let measured = sum / 25.0;
        assert!((measured - expected).l1_norm() < 0.05, "{correlation:?} {measured}");
    }
}

#[test]
fn static_realisations_are_independent_and_rayleigh() {
    let recipe = Recipe { cycles: 0.0, steps: 1, ..recipe(Profile::Flat, 1) };
    let channels = realisations(&recipe, 20_000);
    let powers = || channels.iter().map(|channel| channel.column(0, 0)[0].norm_sqr());
    let mean = powers().sum::<f64>() / 20_000.0;
    assert!((mean - 1.0).abs() < 0.03, "{mean}");
    // 1 - exp(-0.1) of exponential powers are below 0.1.
    let faded = powers().filter(|&power| power < 0.1).count();
    assert!((1_770..2_040).contains(&faded), "{faded}");
}

#[test]
fn powers_are_exponential() {
    // 1 - exp(-0.1) = 9.5 % and 1 - exp(-1) = 63.2 % of the powers are below 0.1 and 1.
    let channels = realisations(&recipe(Profile::TdlA, 1), 8);
    for (level, expected) in [(0.1, 0.0952), (1.0, 0.6321)] {
        let mut below = 0;
        for channel in &channels {
            for block in 0..25 {
                let gains = (0..2048).map(|step| channel.column(0, block)[step].norm_sqr());
                below += gains.filter(|&power| power < level).count();
            }
        }
        let share = below as f64 / (8 * 25 * 2048) as f64;
        assert!((share / expected - 1.0).abs() < 0.08, "{level}: {share}");
    }
}

#[test]
fn a_port_more_leaves_the_others_as_they_were() {
    let one = realisations(&recipe(Profile::TdlD, 1), 1);
    let four = realisations(&recipe(Profile::TdlD, 4), 1);
    for step in [0, 7, 1000] {
        assert_eq!(one[0].column(0, 3)[step], four[0].column(0, 3)[step]);
    }
}

#[test]
fn the_direct_path_of_crossed_antennas_carries_two_layers() {
    // Ports of both polarisations in one column, at each of two antennas of a UE. Scattered waves are independent.
    // Of TDL-D the direct path has -0.2 dB beside 13 taps (TR 38.901, table 7.7.2-4): 0.887_8 of the sum of powers.
    let array = Array::CrossPolarised { columns: 2, rows: 1 };
    let recipe = Recipe { array, receivers: 2, ..recipe(Profile::TdlD, 4) };
    let channels = realisations(&recipe, 4);
    for (antenna, expected) in [(0, -0.887_8), (1, 0.887_8)] {
        let of = |channel: &Channel, step: usize| {
            let gain = |port: usize| channel.column(antenna * 4 + port, 12)[step];
            gain(0) * gain(2).conj()
        };
        let found = mean(&channels, recipe.steps, of);
        assert!((found - expected).l1_norm() < 0.05, "{antenna}: {found}");
    }
}
