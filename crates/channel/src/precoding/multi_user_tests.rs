//! Zero-forcing to several UEs against closed forms of independent Rayleigh fading, and by hand.

use airpath_base::math;

use super::*;
use crate::testing::{DRAWS, FAR, distance, normals};

/// Power over noise at which regularisation counts no more.
const STRONG: f64 = 1e8;

fn zero_forcing(channels: &[Vec<Complex64>]) -> ZeroForcing {
    let mut made = ZeroForcing::default();
    made.set(channels.len(), |a, b| product(&channels[a], &channels[b]));
    made
}

fn precoders(channels: &[Vec<Complex64>]) -> Vec<Vec<Complex64>> {
    let made = zero_forcing(channels);
    let all = || channels.iter().map(Vec::as_slice);
    (0..channels.len()).map(|n| made.precoder(n, all())).collect()
}

fn gain(channel: &[Complex64], precoder: &[Complex64]) -> Complex64 {
    channel.iter().zip(precoder).map(|(h, w)| h * w).sum()
}

/// The distribution of Gamma of an integer shape and scale 1 (Erlang).
fn gamma(shape: usize, x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 0.0;
    for n in 0..shape {
        sum += term;
        term *= x / (n + 1) as f64;
    }
    1.0 - math::exp(-x) * sum
}

#[test]
fn ratios_of_zero_forcing_are_gamma_distributed() {
    // M ports to K UEs of one antenna each: P / K times Gamma(M - K + 1).
    for (ports, count) in [(4, 2), (4, 3), (4, 4), (8, 4)] {
        let mut normal = normals(ports as u64 * 16 + count as u64);
        let mut samples = Vec::with_capacity(DRAWS);
        for _ in 0..DRAWS {
            let channels: Vec<Vec<Complex64>> = (0..count)
                .map(|_| (0..ports).map(|_| normal() * STRONG.sqrt()).collect())
                .collect();
            samples.push(zero_forcing(&channels).ratio(0) / STRONG * count as f64);
        }
        let farthest = distance(samples, |x| gamma(ports - count + 1, x));
        assert!(farthest < FAR / (DRAWS as f64).sqrt(), "{ports} {count}: {farthest}");
    }
}

#[test]
fn orthogonal_channels_have_half_of_the_power_each() {
    let i = Complex64::new(0.0, 1.0);
    let one = Complex64::new(1.0, 0.0);
    let channels = [vec![one, i, one, i], vec![one * 3.0, -i * 3.0, one * 3.0, -i * 3.0]];
    assert_eq!(product(&channels[0], &channels[1]), Complex64::default());
    let made = zero_forcing(&channels);
    for (n, power) in [4.0, 36.0].into_iter().enumerate() {
        assert!((made.ratio(n) / (power / 2.0) - 1.0).abs() < 1e-12);
    }
    let weights = precoders(&channels);
    for (n, channel) in channels.iter().enumerate() {
        assert!(gain(channel, &weights[1 - n]).norm_sqr() < 1e-24, "no interference");
        let power: f64 = weights[n].iter().map(Complex64::norm_sqr).sum();
        assert!((power - 1.0).abs() < 1e-12);
    }
}

#[test]
fn one_channel_for_both_leaves_less_than_one_layer_alone() {
    // Both layers arrive alike: the ratio is (g / 2) / (1 + g / 2), whatever the precoder.
    let channel: Vec<Complex64> = [1.0, 2.0, -1.0, 2.0].map(|x| Complex64::new(x, x)).to_vec();
    let made = zero_forcing(&[channel.clone(), channel]);
    for n in 0..2 {
        assert!((made.ratio(n) - 10.0 / 11.0).abs() < 1e-9, "{}", made.ratio(n));
    }
}

#[test]
fn ratios_are_those_of_the_precoders() {
    let mut normal = normals(3);
    for count in 1..=6 {
        for scale in [0.3, 1.0, 10.0, 1e3] {
            let channels: Vec<Vec<Complex64>> =
                (0..count).map(|_| (0..6).map(|_| normal() * scale).collect()).collect();
            let (made, weights) = (zero_forcing(&channels), precoders(&channels));
            for (n, channel) in channels.iter().enumerate() {
                let powers = weights.iter().map(|w| gain(channel, w).norm_sqr() / count as f64);
                let powers: Vec<f64> = powers.collect();
                let others: f64 = powers.iter().sum::<f64>() - powers[n];
                let expected = powers[n] / (1.0 + others);
                assert!((made.ratio(n) / expected - 1.0).abs() < 1e-6, "{count} {scale}");
            }
        }
    }
}

#[test]
fn late_knowledge_leaves_the_interference_of_theory() {
    // The channel of correlation r = 0.9 with what was known is r h + sqrt(1 - r^2) e, with e independent. Two UEs
    // and four ports: the wanted layer has r^2 E[Gamma(3)] + 1 - r^2 = 0.81 x 3 + 0.19 = 2.62, and half of it
    // with half of the power. The other layer leaves (1 - r^2) / 2 = 0.095.
    let (mut normal, correlation) = (normals(9), 0.9_f64);
    let rest = (1.0 - correlation * correlation).sqrt();
    let (mut wanted, mut left) = (0.0, 0.0);
    for _ in 0..DRAWS {
        let known: Vec<Vec<Complex64>> =
            (0..2).map(|_| (0..4).map(|_| normal()).collect()).collect();
        let strong: Vec<Vec<Complex64>> =
            known.iter().map(|h| h.iter().map(|x| x * STRONG.sqrt()).collect()).collect();
        let weights = precoders(&strong);
        let now: Vec<Complex64> =
            known[0].iter().map(|h| h * correlation + normal() * rest).collect();
        wanted += gain(&now, &weights[0]).norm_sqr() / 2.0 / DRAWS as f64;
        left += gain(&now, &weights[1]).norm_sqr() / 2.0 / DRAWS as f64;
    }
    // Deviations of the means: 0.95 / sqrt(100 000) and 0.095 / sqrt(100 000), times 3.3.
    assert!((wanted - 1.31).abs() < 0.01, "{wanted}");
    assert!((left - 0.095).abs() < 0.001, "{left}");
}

#[test]
fn a_receiver_turns_from_the_other_layer() {
    // One interferer by the formula of Sherman and Morrison: |h|^2 / N - |h^H g|^2 / (N (N + |g|^2)). With h = (2, 0),
    // g = (1, j) and N = 0.5: 8 - 4 / (0.5 x 2.5) = 4.8. With one antenna: 4 / (0.5 + 1).
    let c = Complex64::new;
    let signals = [c(2.0, 0.0), c(0.0, 0.0), c(1.0, 0.0), c(0.0, 1.0)];
    assert!((received(&signals, 2, 0, 0.5) - 4.8).abs() < 1e-12);
    assert!((received(&[c(2.0, 0.0), c(0.0, 1.0)], 1, 0, 0.5) - 4.0 / 1.5).abs() < 1e-12);
}

#[test]
fn antennas_combine_by_the_strongest_direction() {
    // A channel of rank one, u v^T with |u|^2 = 5 and |v|^2 = 14, and a weak second direction.
    let c = Complex64::new;
    let (u, v) = ([c(1.0, 0.0), c(0.0, 2.0)], [c(1.0, 0.0), c(0.0, 2.0), c(3.0, 0.0)]);
    let gains: Vec<Complex64> = u.iter().flat_map(|a| v.iter().map(move |b| a * b)).collect();
    let found = combined(&gains, 3);
    let power: f64 = found.iter().map(Complex64::norm_sqr).sum();
    assert!((power - 70.0).abs() < 1e-9, "{power}");
    let along: Complex64 = found.iter().zip(&v).map(|(f, v)| f * v.conj()).sum();
    assert!((along.norm_sqr() / (70.0 * 14.0) - 1.0).abs() < 1e-9);
    assert_eq!(combined(&v, 3), v);
}
