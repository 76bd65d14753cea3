//! Interference rejection against closed forms, and against the receiver without it.

use airpath_base::random::Seed;
use airpath_base::{CellId, Db, Direction, Duration, Time, math};
use num_complex::Complex64;

use super::*;
use crate::precoding::{Codebook, Feedback, Precoding};

/// Complex normal numbers of mean power 1.
fn normals(seed: u64) -> impl FnMut() -> Complex64 {
    let mut stream = Seed(seed).stream("normals");
    move || {
        let radius = (-math::ln(1.0 - stream.uniform())).sqrt();
        let angle = 2.0 * core::f64::consts::PI * stream.uniform();
        Complex64::new(radius * math::cos(angle), radius * math::sin(angle))
    }
}

/// Rows of gains in one resource block.
fn rows(gains: &[Complex64]) -> Vec<Eight> {
    gains.iter().flat_map(|gain| [[gain.re as f32; 8], [gain.im as f32; 8]]).collect()
}

fn ratio(
    noise: f32,
    disturbing: &[(f32, &[Complex64])],
    wanted: &[Complex64],
    antennas: usize,
) -> f64 {
    let mut covariance = Covariance::white(antennas, &[[noise; 8]]);
    for (power, gains) in disturbing {
        covariance.add(&rows(gains), &[[*power; 8]], (1.0, 0.0), 1);
    }
    let mut ratios = [0.0];
    covariance.ratios(&rows(wanted), 1.0, 3, &mut ratios);
    if antennas == 2 {
        let pair = covariance.ratios_of_pair(&rows(wanted), 1.0, 0)[3];
        assert!((pair - ratios[0]).abs() <= 1e-5 * pair, "{pair} {ratios:?}");
    }
    f64::from(ratios[0])
}

/// One interferer of rank 1 in white noise N, by the formula of Sherman and Morrison:
///
/// - h^H R^-1 h = |h|^2 / N - P |f^H h|^2 / (N (N + P |f|^2)).
#[test]
fn one_interferer_has_its_closed_form() {
    let mut normal = normals(7);
    for antennas in [2, 3, 4] {
        for power_db in [-20.0, 0.0, 20.0, 40.0] {
            let (power, noise) = (Db(power_db).linear(), 0.1);
            for _ in 0..200 {
                let h: Vec<Complex64> = (0..antennas).map(|_| normal()).collect();
                let f: Vec<Complex64> = (0..antennas).map(|_| normal()).collect();
                let inner: Complex64 = f.iter().zip(&h).map(|(f, h)| f.conj() * h).sum();
                let [own, other] = [&h, &f].map(|v| v.iter().map(Complex64::norm_sqr).sum::<f64>());
                let expected =
                    own / noise - power * inner.norm_sqr() / (noise * (noise + power * other));
                let found = ratio(noise as f32, &[(power as f32, &f)], &h, antennas);
                // Floats resolve what is left of a strong interferer to some parts of ten million.
                let resolved = 2e-7 * power * other * own / (noise * noise);
                let near = (found - expected).abs() < 1e-3 * expected + resolved;
                assert!(near, "{antennas} {power_db}: {found} {expected}");
            }
        }
    }
}

/// Two antennas and an interferer of ratio I to noise, all Rayleigh. In the direction of the interferer the
/// signal has noise 1 + I |f|^2, across it 1. |f|^2 has the density x e^-x. Over the ratio of an antenna in
/// noise, the mean is
///
/// - 1 + E[1 / (1 + I |f|^2)].
#[test]
fn mean_ratio_of_two_antennas_is_that_of_theory() {
    let (mut normal, draws, strength) = (normals(9), 100_000, 10.0);
    let mut sum = 0.0;
    for _ in 0..draws {
        let [h, f] = [[normal(), normal()], [normal(), normal()]];
        sum += ratio(1.0, &[(strength as f32, &f)], &h, 2);
    }
    // By the midpoint rule over x from 0 to 40.
    let width = 1e-3;
    let middle = |n: u32| (f64::from(n) + 0.5) * width;
    let part: f64 = (0..40_000).map(middle).map(|x| x * math::exp(-x) / (1.0 + strength * x)).sum();
    let expected = 1.0 + part * width;
    let mean = sum / f64::from(draws);
    assert!((mean - expected).abs() < 0.02, "{mean} {expected}");
}

/// Two antennas cancel one interferer, however strong, but not two.
#[test]
fn as_many_interferers_as_antennas_cannot_be_rejected() {
    let mut normal = normals(11);
    let [h, f, g] = [[normal(), normal()], [normal(), normal()], [normal(), normal()]];
    let strong = 1e4;
    assert!(ratio(0.01, &[(strong, &f)], &h, 2) > 1.0);
    assert!(ratio(0.01, &[(strong, &f), (strong, &g)], &h, 2) < 0.01);
}

fn library(antennas: u8, layers: u8) -> Library {
    let feedback = Feedback {
        delay: Duration::from_millis(6),
        period: Duration::from_millis(5),
        subband: Some(6),
    };
    let precoding = Precoding::ClosedLoop { codebook: Codebook::TypeI, feedback };
    let config = LibraryConfig::new(Profile::TdlA, Duration::from_nanos(93), 100.0);
    let config = config.received_by(antennas).layered(layers).rejecting(layers);
    Library::new(&LibraryConfig { steps: 2_048, ..config.on(11, 0, precoding) }, Seed(5)).unwrap()
}

/// In white noise the ratios are those of the receiver without rejection, whose tables hold powers and
/// principal minors.
#[test]
fn white_noise_alone_needs_no_rejection() {
    for (antennas, most) in [(2, 2), (4, 4)] {
        let library = library(antennas, most);
        let link = library.link(3, CellId(1), Direction::Downlink);
        let noise = [[0.02; 8]; 2];
        let white = Covariance::white(antennas.into(), &noise);
        for time in 0..20 {
            let step = library.step(Time::from_millis(37 * time));
            for block in 0..11 {
                let mut one = [0.0];
                white.ratios(library.wanted(1, link, step), 3.0, block, &mut one);
                let expected = 3.0 * library.matched(link, step).as_flattened()[block] / 0.02;
                assert!((one[0] / expected - 1.0).abs() < 1e-4, "{one:?} {expected}");
                for layers in 2..=most {
                    let mut found = vec![0.0; layers.into()];
                    white.ratios(library.wanted(layers, link, step), 3.0, block, &mut found);
                    let minors = library.layers(layers, link, step).map(|row| &row[block..=block]);
                    let minors: Vec<&[f32]> = minors.collect();
                    let mut expected = vec![[0.0_f32]; layers.into()];
                    let mut rows: Vec<&mut [f32]> =
                        expected.iter_mut().map(|row| &mut row[..]).collect();
                    layer_ratios(3.0, &minors, &[0.02], &mut rows);
                    for (found, [expected]) in found.iter().zip(&expected) {
                        // Floats of determinants of four layers leave some parts of a thousand.
                        let near = (found - expected).abs() < 0.02 * expected + 0.01;
                        assert!(near, "{layers} layers: {found} {expected}");
                    }
                }
            }
        }
    }
}

/// Signals for others have mean power 1 at each antenna, and are independent of antenna and port.
#[test]
fn signals_for_others_are_white_on_average() {
    let library = library(2, 2);
    let (mut sums, mut cross, mut count) = ([0.0; 4], [0.0; 2], 0.0);
    for ue in 0..4_000 {
        let link = library.link(ue, CellId(0), Direction::Downlink);
        let rows = library.disturbing(link, library.step(Time::ZERO));
        let at = |signal: usize, antenna: usize| {
            let row = 2 * (2 * signal + antenna);
            Complex64::new(rows[2 * row][0].into(), rows[2 * row + 2][0].into())
        };
        let all = [at(0, 0), at(0, 1), at(1, 0), at(1, 1)];
        sums.iter_mut().zip(all).for_each(|(sum, gain)| *sum += gain.norm_sqr());
        cross[0] += (all[0] * all[1].conj()).re;
        cross[1] += (all[0] * all[2].conj()).re;
        count += 1.0;
    }
    // 20 to 40 independent stretches of the axis: standard errors of 0.2.
    assert!(sums.iter().all(|sum| (sum / count - 1.0).abs() < 0.3), "{sums:?}");
    assert!(cross.iter().all(|sum| (sum / count).abs() < 0.3), "{cross:?}");
}

/// A library of a link with precoders: gains of all ports times weights are what the receiver gets.
fn with_precoders(config: LibraryConfig, antennas: usize) -> Library {
    let config = config.with_precoders(true).on(11, 0, config.precoding);
    let library = Library::new(&LibraryConfig { steps: 2_048, ..config }, Seed(5)).unwrap();
    assert_eq!(library.ends().1, antennas);
    library
}

#[test]
fn gains_times_weights_are_what_arrives() {
    let feedback = Feedback {
        delay: Duration::from_millis(6),
        period: Duration::from_millis(5),
        subband: Some(4),
    };
    let config = LibraryConfig::new(Profile::TdlA, Duration::from_nanos(93), 100.0);
    let down = Precoding::ClosedLoop { codebook: Codebook::TypeI, feedback };
    let down = LibraryConfig { precoding: down, ..config.received_by(4).layered(4).rejecting(4) };
    let up = Precoding::Granted { antennas: 3, feedback };
    let up = LibraryConfig { precoding: up, ..config.received_by(2).layered(2).rejecting(2) };
    for (config, antennas, most) in [(down, 4, 4), (up, 3, 2)] {
        let library = with_precoders(config, antennas);
        let link = library.link(3, CellId(1), Direction::Downlink);
        for time in 0..9 {
            let step = library.step(Time::from_millis(41 * time));
            for layers in 1..=most {
                let parts = (library.disturbing(link, step), library.weights(layers, link, step));
                let found = precode(parts, library.ends(), 0b11);
                let expected = library.wanted(layers, link, step);
                assert_eq!(found.len(), expected.len());
                for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                    assert!((found - expected).abs() < 1e-5, "{layers} layers: {found} {expected}");
                }
            }
        }
    }
}

/// Without rejection one antenna hears what disturbs, also of a cell with many.
#[test]
fn one_antenna_hears_what_disturbs_without_rejection() {
    let config = LibraryConfig::new(Profile::TdlA, Duration::from_nanos(93), 100.0);
    let precoding = Precoding::MaximumRatio { ports: 32 };
    let library = with_precoders(LibraryConfig { precoding, ..config }, 1);
    let link = library.link(3, CellId(1), Direction::Uplink);
    let step = library.step(Time::from_millis(80));
    let parts = (library.disturbing(link, step), library.weights(1, link, step));
    // The power of the first antenna, which the table without precoders has too.
    let signal = precode(parts, library.ends(), 0b11);
    let power = |block: usize| {
        let at = |row: usize| signal[2 * row + block / 8][block % 8];
        at(0) * at(0) + at(1) * at(1)
    };
    let expected = library.unmatched(link, step).as_flattened();
    assert!((0..11).all(|block| (power(block) - expected[block]).abs() < 1e-4));
}
