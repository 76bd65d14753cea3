//! Layers against closed forms of independent Rayleigh fading, and against matrices that are inverted.

use airpath_base::random::Seed;
use airpath_base::{CellId, Direction, Duration, math};
use num_complex::Complex64;

use super::profile::Profile;
use super::*;
use crate::precoding::layers::{Hermitian, MOST, Selector, covariance, minors};
use crate::precoding::{Codebook, Feedback, Ports, Precoding};
use crate::testing::{DRAWS, FAR, distance, normals};

/// The ratios of layers that are sent from as many ports with equal power, 1 together, to as many
/// antennas.
fn ratios(channel: &[[Complex64; MOST]], layers: usize, power: f64) -> Vec<f32> {
    let gram = covariance(channel.iter());
    let minors = minors(&gram, layers).map(|minor| [minor as f32]);
    let rows: Vec<&[f32]> = minors.iter().map(|row| &row[..]).collect();
    let mut found = vec![[0.0_f32]; layers];
    let mut rows_found: Vec<&mut [f32]> = found.iter_mut().map(|row| &mut row[..]).collect();
    layer_ratios((power / layers as f64) as f32, &rows, &[1.0], &mut rows_found);
    found.into_iter().flatten().collect()
}

/// The ratio of layer 0 by the inverse of I + c G, which Gauss-Jordan finds: 1 / inverse(0, 0) - 1.
fn by_inverse(channel: &[[Complex64; MOST]], layers: usize, each: f64) -> f64 {
    let width = 2 * layers;
    let mut rows: Vec<Vec<Complex64>> = (0..layers)
        .map(|i| {
            let entry = |j: usize| -> Complex64 {
                let one = if i == j { 1.0 } else { 0.0 };
                let gram: Complex64 = channel.iter().map(|h| h[i].conj() * h[j]).sum();
                gram * each + one
            };
            let unit = |j: usize| Complex64::new(if i == j { 1.0 } else { 0.0 }, 0.0);
            (0..layers).map(entry).chain((0..layers).map(unit)).collect()
        })
        .collect();
    for pivot in 0..layers {
        let scale = rows[pivot][pivot];
        rows[pivot].iter_mut().for_each(|entry| *entry /= scale);
        let line = rows[pivot].clone();
        for (n, row) in rows.iter_mut().enumerate().filter(|(n, _)| *n != pivot) {
            let factor = row[pivot];
            assert!(n < layers && row.len() == width);
            row.iter_mut().zip(&line).for_each(|(entry, one)| *entry -= factor * one);
        }
    }
    1.0 / rows[0][layers].re - 1.0
}

#[test]
fn ratios_are_those_of_the_inverse() {
    let mut normal = normals(1);
    for layers in 2..=MOST {
        for power in [0.1, 1.0, 10.0, 100.0, 1e3, 1e4].repeat(30) {
            let channel: Vec<[Complex64; MOST]> =
                (0..4).map(|_| std::array::from_fn(|_| normal())).collect();
            let expected = by_inverse(&channel, layers, power / layers as f64);
            let found = f64::from(ratios(&channel, layers, power)[0]);
            assert!((found / expected - 1.0).abs() < 1e-3, "{layers} {power} {found} {expected}");
        }
    }
}

/// Zero-forcing of n layers at n antennas leaves each layer the gain of one antenna: exponential (Winters,
/// Salz and Gitlin, 1994). MMSE is zero-forcing where noise is small.
#[test]
fn without_noise_a_layer_is_exponential() {
    for layers in [2, 4] {
        let mut normal = normals(2 + layers as u64);
        let power = 1e6;
        let draw = |_| {
            let channel: Vec<[Complex64; MOST]> = (0..layers)
                .map(|_| std::array::from_fn(|n| if n < layers { normal() } else { 0.0.into() }))
                .collect();
            f64::from(ratios(&channel, layers, power)[0]) * layers as f64 / power
        };
        let samples: Vec<f64> = (0..DRAWS).map(draw).collect();
        let far = distance(samples, |x| 1.0 - math::exp(-x));
        assert!(far < FAR / (DRAWS as f64).sqrt(), "{layers} layers: {far}");
    }
}

/// MMSE with two antennas and two layers, each of mean ratio c at one antenna. Then P(ratio > x) =
/// exp(-x / c) (1 + x / (c (1 + x))) (Gao, Smith and Clark, 1998).
#[test]
fn two_layers_in_noise() {
    for each in [0.5, 5.0, 50.0] {
        let mut normal = normals(9);
        let draw = |_| {
            let channel = [0, 1].map(|_| [normal(), normal(), 0.0.into(), 0.0.into()]);
            f64::from(ratios(&channel, 2, 2.0 * each)[0])
        };
        let samples: Vec<f64> = (0..DRAWS).map(draw).collect();
        let beyond = |x: f64| math::exp(-x / each) * (1.0 + x / (each * (1.0 + x)));
        let far = distance(samples, |x| 1.0 - beyond(x));
        assert!(far < FAR / (DRAWS as f64).sqrt(), "{each}: {far}");
    }
}

/// Open loop of two layers on two ports (TS 36.211, 6.3.4.2.2). The precoder is fixed and unitary, so the closed
/// form above counts.
#[test]
fn two_layers_of_open_loop() {
    let selector = Selector::open_loop(2, 2);
    let choice = selector.choose(&[Hermitian::default()]);
    for each in [0.5_f64, 5.0, 50.0] {
        let mut normal = normals(11);
        let draw = |_| {
            let channel = [0, 1].map(|_| [normal(), normal(), 0.0.into(), 0.0.into()]);
            let minors = selector.minors(&choice, 0, &covariance(channel.iter()));
            let rows = [0, 1, 2].map(|set| [minors[set] as f32]);
            let rows: Vec<&[f32]> = rows.iter().map(|row| &row[..]).collect();
            let (mut one, mut two) = ([0.0], [0.0]);
            layer_ratios(2.0 * each as f32, &rows, &[1.0], &mut [&mut one, &mut two]);
            f64::from(one[0])
        };
        let samples: Vec<f64> = (0..DRAWS).map(draw).collect();
        let beyond = |x: f64| math::exp(-x / each) * (1.0 + x / (each * (1.0 + x)));
        let far = distance(samples, |x| 1.0 - beyond(x));
        assert!(far < FAR / (DRAWS as f64).sqrt(), "{each}: {far}");
    }
}

/// Open loop on four ports at four antennas, whose precoders do not know the channel. Any number of layers has the
/// power of the ports together, 4 on the mean.
#[test]
fn open_loop_has_the_power_of_the_ports() {
    let config = LibraryConfig::new(Profile::TdlA, Duration::from_nanos(30), 5.0);
    let config = config.received_by(4).layered(4).on(8, 0, Precoding::OpenLoop(Ports::Four));
    let library = Library::new(&config, Seed(5)).expect("a library");
    let link = library.link(3, CellId(1), Direction::Downlink);
    let (mut sums, mut steps) = ([0.0_f32; 4], 0.0);
    for ms in (0..20_000).step_by(37) {
        let step = library.step(airpath_base::Time::from_millis(ms));
        sums[0] += library.matched(link, step).as_flattened()[2];
        for (layers, sum) in (2_u8..).zip(&mut sums[1..]) {
            let rows: Vec<&[f32]> = library.layers(layers, link, step).collect();
            *sum += (0..layers).map(|layer| rows[(1 << layer) - 1][2]).sum::<f32>();
        }
        steps += 1.0;
    }
    for sum in sums {
        assert!((sum / steps / 4.0 - 1.0).abs() < 0.1, "{sums:?} {steps}");
    }
}

fn library(codebook: Codebook, receivers: u8, layers: u8) -> Library {
    let feedback =
        Feedback { delay: Duration::ZERO, period: Duration::from_millis(1), subband: None };
    let config = LibraryConfig::new(Profile::TdlA, Duration::from_nanos(30), 5.0);
    let config = config.received_by(receivers).layered(layers);
    let config = config.on(6, 0, Precoding::ClosedLoop { codebook, feedback });
    Library::new(&config, Seed(5)).expect("a library")
}

/// Uplink of two ports at eight antennas: two layers have all of the power, 8 on the mean. One layer has
/// more, as its ports are added in phase, and at most twice as much.
#[test]
fn two_ports_of_a_ue_at_many_antennas() {
    let feedback =
        Feedback { delay: Duration::ZERO, period: Duration::from_millis(1), subband: None };
    let precoding = Precoding::Granted { antennas: 8, feedback };
    let config = LibraryConfig::new(Profile::TdlA, Duration::from_nanos(30), 5.0);
    let config = config.received_by(2).layered(2).on(6, 0, precoding);
    let library = Library::new(&config, Seed(5)).expect("a library");
    let link = library.link(3, CellId(1), Direction::Uplink);
    let (mut one, mut two, mut steps) = (0.0, 0.0, 0.0);
    for ms in (0..20_000).step_by(37) {
        let step = library.step(airpath_base::Time::from_millis(ms));
        let rows: Vec<&[f32]> = library.layers(2, link, step).collect();
        one += library.matched(link, step).as_flattened()[2];
        two += rows[0][2] + rows[1][2];
        // Hadamard: a determinant is at most the product of the diagonal.
        assert!(rows[2][2] <= rows[0][2] * rows[1][2] * 1.001);
        steps += 1.0;
    }
    let (one, two) = (one / steps, two / steps);
    assert!((two / 8.0 - 1.0).abs() < 0.1, "{two}");
    assert!(one > two && one < 16.0, "{one}");
}

#[test]
fn a_library_holds_layers_of_each_rank() {
    let library = library(Codebook::TypeI, 4, 4);
    let plain = {
        let feedback =
            Feedback { delay: Duration::ZERO, period: Duration::from_millis(1), subband: None };
        let config =
            LibraryConfig::new(Profile::TdlA, Duration::from_nanos(30), 5.0).received_by(4);
        let precoding = Precoding::ClosedLoop { codebook: Codebook::TypeI, feedback };
        let mut config = config.on(6, 0, precoding);
        config.steps = (library.period().as_nanos() / library.hold().as_nanos()) as u32;
        Library::new(&config, Seed(5)).expect("a library")
    };
    let link = library.link(3, CellId(1), Direction::Downlink);
    let (mut sums, mut steps) = ([0.0; 4], 0);
    for ms in (0..20_000).step_by(37) {
        let step = library.step(airpath_base::Time::from_millis(ms));
        // One layer is what it is without others.
        assert_eq!(library.matched(link, step), plain.matched(link, step));
        let traces = [2, 3, 4].map(|layers: u8| {
            let rows: Vec<&[f32]> = library.layers(layers, link, step).collect();
            assert_eq!(rows.len(), (1 << layers) - 1);
            (0..usize::from(layers)).map(|layer| rows[(1 << layer) - 1][2]).sum::<f32>()
        });
        sums[0] += library.matched(link, step).as_flattened()[2];
        sums[1..].iter_mut().zip(traces).for_each(|(sum, trace)| *sum += trace);
        steps += 1;
    }
    let means = sums.map(|sum| sum / steps as f32);
    // Power 1 over four ports at four antennas: 4, and more the better the precoder fits. Four layers have
    // the power of a precoder that does not know the channel.
    assert!(means[0] > means[1] && means[1] > means[2] && means[2] > means[3], "{means:?}");
    assert!((means[3] / 4.0 - 1.0).abs() < 0.1, "{means:?}");
}
