//! Libraries of panels with more than four ports against closed forms.

use airpath_base::random::Seed;
use airpath_base::{CellId, Direction, Duration, Time};

use super::config::LibraryConfig;
use super::interference::Eight;
use super::library::Library;
use super::profile::Profile;
use crate::precoding::{Array, Codebook, Correlation, Feedback, Panel, Precoding, Scattering};

/// One direction alone, and independent polarisations.
const STRAIGHT: Scattering =
    Scattering { azimuth_deg: 0.0, zenith_deg: 0.0, cross_db: 0.0, row_spacing: 0.5 };

fn closed_loop(columns: u8, rows: u8, feedback: Feedback) -> (Precoding, Array) {
    let codebook = Codebook::Panel(Panel::new(columns, rows).expect("a panel"));
    let precoding = Precoding::ClosedLoop { codebook, feedback };
    (precoding, Array::CrossPolarised { columns, rows })
}

/// A library of one resource block whose realisations do not change.
fn fixed(
    (columns, rows): (u8, u8),
    receivers: u8,
    layers: u8,
    correlation: Correlation,
) -> Library {
    let (precoding, array) = closed_loop(columns, rows, Feedback::AT_ONCE);
    let config = LibraryConfig::new(Profile::Flat, Duration::default(), 0.0);
    let config = LibraryConfig { correlation, array, scattering: STRAIGHT, ..config };
    let config = config.received_by(receivers).layered(layers).on(1, 0, precoding);
    Library::new(&LibraryConfig { steps: 1 << 12, ..config }, Seed(3)).expect("a library")
}

/// The mean over links of a number.
fn mean(library: &Library, of: impl Fn(super::Link) -> f64) -> f64 {
    let links = 20_000;
    let link = |ue| library.link(ue, CellId(0), Direction::Downlink);
    (0..links).map(|ue| of(link(ue))).sum::<f64>() / links as f64
}

#[test]
fn one_direction_gives_the_gain_of_the_array() {
    // h = (a v, b v) with independent a and b. Beam v on N pairs: N / 2 max |a + phase b|^2 over four phases, of
    // mean N / 2 (2 + 2 pi/4 sin(pi/4) / (pi/4)) = 1.7071 N.
    for (columns, rows) in [(4, 1), (4, 2), (8, 2)] {
        let library = fixed((columns, rows), 1, 1, Correlation::Environment);
        let step = library.step(Time::ZERO);
        let found = mean(&library, |link| f64::from(library.matched(link, step)[0][0]));
        let expected = 1.7071 * f64::from(columns) * f64::from(rows);
        assert!((found / expected - 1.0).abs() < 0.03, "{columns} {rows}: {found} {expected}");
    }
}

#[test]
fn two_layers_have_the_power_of_the_array() {
    // Both polarisations of one beam: the traces of G are N / 2 times the power of both antennas and both
    // polarisations, of mean 4: 2 N. The second beam has none of it.
    let library = fixed((8, 2), 2, 2, Correlation::Environment);
    let step = library.step(Time::ZERO);
    let trace = |link| {
        let rows: Vec<f32> = library.layers(2, link, step).map(|row| row[0]).collect();
        f64::from(rows[0] + rows[1])
    };
    assert!((mean(&library, trace) / 32.0 - 1.0).abs() < 0.03);
}

#[test]
fn a_signal_for_another_has_no_gain() {
    let library = fixed((8, 2), 1, 1, Correlation::Low);
    let step = library.step(Time::ZERO);
    let found = mean(&library, |link| f64::from(library.unmatched(link, step)[0][0]));
    assert!((found - 1.0).abs() < 0.03);
}

/// A library of 13 resource blocks that changes, of 16 ports.
fn moving(feedback: Feedback, precoded: bool) -> Library {
    let (precoding, array) = closed_loop(4, 2, feedback);
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(363), 11.0);
    let config = LibraryConfig { array, ..config }.with_precoders(precoded).on(13, 0, precoding);
    Library::new(&LibraryConfig { steps: 2048, ..config }, Seed(5)).expect("a library")
}

/// Rows of all steps.
fn rows<'a>(
    library: &'a Library,
    row: impl Fn(super::Link, super::Step) -> &'a [Eight],
) -> Vec<&'a [f32]> {
    let link = library.link(0, CellId(0), Direction::Downlink);
    let hold = library.hold().as_nanos();
    let at = |n: u64| library.step(Time::from_nanos(n * hold));
    (0..2048).map(|n| row(link, at(n)).as_flattened()).collect()
}

#[test]
fn subbands_have_phases_of_their_own() {
    let wide = moving(Feedback::AT_ONCE, false);
    // Parts of ten blocks: two whole subbands, and a last one of three blocks.
    let own = moving(Feedback { subband: Some(5), ..Feedback::AT_ONCE }, false);
    let sums = |library: &Library| -> Vec<f32> {
        let rows = rows(library, |link, step| library.matched(link, step));
        rows.iter().map(|row| row[..13].iter().sum()).collect()
    };
    let (wide, own) = (sums(&wide), sums(&own));
    assert!(wide.iter().zip(&own).all(|(wide, own)| *own > wide * 0.999_99));
    let total = |all: &[f32]| all.iter().sum::<f32>();
    assert!(total(&own) > total(&wide), "some phase differs");
}

#[test]
fn a_late_report_gains_nothing() {
    // Half a second late at 11 Hz: the precoder does not know the channel of independent ports.
    let late = Feedback { delay: Duration::from_millis(500), ..Feedback::AT_ONCE };
    let library = moving(late, false);
    let all = rows(&library, |link, step| library.matched(link, step));
    let sum: f32 = all.iter().map(|row| row[..13].iter().sum::<f32>()).sum();
    let mean = sum / (13.0 * 2048.0);
    assert!((mean - 1.0).abs() < 0.15, "{mean}");
}

#[test]
fn weights_and_gains_of_ports_make_the_matched_signal() {
    let library = moving(Feedback::AT_ONCE, true);
    let (ports, antennas) = library.ends();
    assert_eq!((ports, antennas), (16, 1));
    let gains = rows(&library, |link, step| library.disturbing(link, step));
    let weights = rows(&library, |link, step| library.weights(1, link, step));
    let matched = rows(&library, |link, step| library.matched(link, step));
    for ((gains, weights), matched) in gains.iter().zip(&weights).zip(&matched) {
        for block in 0..13 {
            let part = |row: &[f32], n: usize| row[n * 16 + block];
            let (mut re, mut im) = (0.0, 0.0);
            for port in 0..ports {
                let (h, w) = (
                    (part(gains, 2 * port), part(gains, 2 * port + 1)),
                    (part(weights, 2 * port), part(weights, 2 * port + 1)),
                );
                re += h.0 * w.0 - h.1 * w.1;
                im += h.0 * w.1 + h.1 * w.0;
            }
            let power = re * re + im * im;
            assert!((power - matched[block]).abs() < 1e-4 * matched[block].max(1.0));
        }
    }
}

#[test]
fn what_a_panel_cannot_be() {
    let (precoding, array) = closed_loop(4, 1, Feedback::AT_ONCE);
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(363), 11.0);
    let config = LibraryConfig { array, ..config }.on(50, 0, precoding);
    assert!(config.check().is_ok());
    let linear = LibraryConfig { array: Array::Linear, ..config };
    assert!(linear.check().unwrap_err().to_string().contains("the panel of the codebook"));
    let (precoding, _) = closed_loop(4, 1, Feedback { subband: Some(40), ..Feedback::AT_ONCE });
    let wide = LibraryConfig { precoding, ..config };
    assert!(wide.check().unwrap_err().to_string().contains("1 to 32 resource blocks"));
}
