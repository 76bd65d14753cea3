//! Several antennas of a UE against closed forms of independent Rayleigh channels.

use airpath_base::random::Seed;
use airpath_base::{CellId, Direction, Duration, Time, math};

use super::config::LibraryConfig;
use super::library::Library;
use super::profile::Profile;
use crate::precoding::{Codebook, Correlation, Feedback, Ports, Precoding};

const LINKS: u64 = 100_000;
/// Distance of Kolmogorov and Smirnov that 65 536 realisations, read by as many links, exceed once in
/// a thousand times: 1.95 (1/65 536 + 1/100 000)^1/2.
const DISTANCE: f64 = 0.0098;

/// A library of one resource block whose realisations do not change.
fn library(precoding: Precoding, receivers: u8, correlation: Correlation) -> Library {
    let config = LibraryConfig::new(Profile::Flat, Duration::default(), 0.0).received_by(receivers);
    let config = LibraryConfig { correlation, ..config.on(1, 0, precoding) };
    Library::new(&LibraryConfig { steps: 1 << 16, ..config }, Seed(3)).unwrap()
}

/// Gains of many links, matched or not, in their order.
fn gains(library: &Library, matched: bool) -> Vec<f64> {
    let step = library.step(Time::ZERO);
    let gain = |ue| {
        let link = library.link(ue, CellId(0), Direction::Downlink);
        let of = if matched { library.matched(link, step) } else { library.unmatched(link, step) };
        f64::from(of[0][0])
    };
    let mut all: Vec<f64> = (0..LINKS).map(gain).collect();
    all.sort_by(f64::total_cmp);
    all
}

fn mean(gains: &[f64]) -> f64 {
    gains.iter().sum::<f64>() / gains.len() as f64
}

/// Largest distance of the gains' distribution from `expected`.
fn distance(gains: &[f64], expected: impl Fn(f64) -> f64) -> f64 {
    let count = gains.len() as f64;
    let at = |(n, gain): (usize, &f64)| {
        let expected = expected(*gain);
        (expected - n as f64 / count).abs().max((expected - (n + 1) as f64 / count).abs())
    };
    gains.iter().enumerate().map(at).fold(0.0, f64::max)
}

/// Distribution of the sum of `count` exponential powers of mean `scale`.
fn erlang(count: u32, scale: f64) -> impl Fn(f64) -> f64 {
    move |gain| {
        let x = gain / scale;
        let mut term = math::exp(-x);
        let mut above = 0.0;
        for n in 0..count {
            above += term;
            term *= x / f64::from(n + 1);
        }
        1.0 - above
    }
}

#[test]
fn antennas_add_their_powers() {
    for receivers in [1, 2, 4] {
        let library = library(Precoding::SinglePort, receivers, Correlation::Low);
        let gains = gains(&library, true);
        let off = distance(&gains, erlang(receivers.into(), 1.0));
        assert!(off < DISTANCE, "{receivers} antennas: {off}");
    }
    // Two ports of half the power each, at two antennas.
    let library = library(Precoding::TransmitDiversity(Ports::Two), 2, Correlation::Low);
    let off = distance(&gains(&library, true), erlang(4, 0.5));
    assert!(off < DISTANCE, "{off}");
}

#[test]
fn best_transmission_and_reception_is_the_largest_eigenvalue() {
    // Of a complex Wishart matrix of two by two, whose density is that of Khatri (1964) integrated by
    // hand: 1 - exp(-x) (x^2 + 2) + exp(-2 x), of mean 3.5.
    let library = library(Precoding::MaximumRatio { ports: 2 }, 2, Correlation::Low);
    let gains = gains(&library, true);
    let expected = |x: f64| 1.0 - math::exp(-x) * (x * x + 2.0) + math::exp(-2.0 * x);
    assert!(distance(&gains, expected) < DISTANCE);
    assert!((mean(&gains) - 3.5).abs() < 0.03);
}

#[test]
fn a_precoder_with_two_antennas_lies_between_one_port_and_the_largest_eigenvalue() {
    let feedback =
        Feedback { delay: Duration::default(), period: Duration::from_millis(1), subband: None };
    let codebook = Codebook::TwoPorts;
    let library = library(Precoding::ClosedLoop { codebook, feedback }, 2, Correlation::Low);
    // A simulation beside, of 400 000 draws with another generator.
    let mean = mean(&gains(&library, true));
    assert!((mean - 3.061).abs() < 0.03, "{mean}");
}

#[test]
fn correlated_antennas_fade_together() {
    // Two antennas of correlation b have the eigenvalues 1 + b and 1 - b: the variance of their sum is
    // 2 (1 + b^2), with b 0.9 (TS 36.101, table B.2.3.2-1).
    for (correlation, expected) in [(Correlation::Low, 2.0), (Correlation::Medium, 3.62)] {
        let gains = gains(&library(Precoding::SinglePort, 2, correlation), true);
        let mean = mean(&gains);
        let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / LINKS as f64;
        assert!((mean - 2.0).abs() < 0.03, "{mean}");
        assert!((variance - expected).abs() < 0.04 * expected, "{correlation:?} {variance}");
    }
}

#[test]
fn what_disturbs_is_received_as_by_one_antenna() {
    let library = library(Precoding::SinglePort, 4, Correlation::Low);
    assert!(distance(&gains(&library, false), erlang(1, 1.0)) < DISTANCE);
}

#[test]
fn a_cell_has_up_to_32_antennas() {
    let library = library(Precoding::MaximumRatio { ports: 32 }, 1, Correlation::Low);
    assert!(distance(&gains(&library, true), erlang(32, 1.0)) < DISTANCE);
}

#[test]
fn direct_paths_of_large_arrays_have_lines_on_a_short_axis() {
    let config = LibraryConfig::new(Profile::TdlD, Duration::from_nanos(30), 1.0).received_by(4);
    let config = config.on(1, 0, Precoding::MaximumRatio { ports: 32 });
    let library = Library::new(&LibraryConfig { steps: 2048, ..config }, Seed(3)).unwrap();
    assert!(gains(&library, true).iter().all(|gain| *gain > 1.0));
}
