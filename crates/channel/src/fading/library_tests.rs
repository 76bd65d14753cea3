//! Properties of libraries: means, gains of precoding, the time axis, the positions of links.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{CellId, Db, Direction, Duration, Time, math};

use super::config::{FadingError, LibraryConfig};
use super::library::{Library, Step};
use super::profile::Profile;
use super::synthesis::Recipe;
use crate::precoding::{
    Array, Codebook, Correlation, Feedback, Ports, Precoding, Scattering, Selector,
};

const SEED: Seed = Seed(5);
/// Largest Doppler shift of most libraries here: steps of 5 ms.
const DOPPLER_HZ: f64 = 2.0;
/// Error in dB rms of a step held for a hundredth of a Doppler period.
const HELD_DB: f64 = 0.2430;

fn closed_loop(codebook: Codebook, delay: Duration, subband: Option<u16>) -> Precoding {
    let feedback = Feedback { delay, period: Duration::from_millis(1), subband };
    Precoding::ClosedLoop { codebook, feedback }
}

/// One Rayleigh tap and one resource block over more than 600 Doppler periods.
fn flat(precoding: Precoding) -> LibraryConfig {
    let config = LibraryConfig::new(Profile::Flat, Duration::default(), DOPPLER_HZ);
    LibraryConfig { steps: 65_536, ..config.on(1, 0, precoding) }
}

fn library(config: &LibraryConfig) -> Library {
    Library::new(config, SEED).unwrap()
}

/// All rows that a link reads over one period.
fn rows(library: &Library, matched: bool) -> Vec<&[f32]> {
    let link = library.link(3, CellId(1), Direction::Downlink);
    let steps = (library.period().as_nanos() / library.hold().as_nanos()).max(1);
    let at = |n: u64| library.step(Time::from_nanos(n * library.hold().as_nanos()));
    let row = |step: Step| {
        let row = if matched { library.matched(link, step) } else { library.unmatched(link, step) };
        &row.as_flattened()[..library.resource_blocks()]
    };
    (0..steps).map(|n| row(at(n))).collect()
}

fn mean_power(rows: &[&[f32]]) -> Db {
    let sum: f64 = rows.iter().flat_map(|row| row.iter()).map(|&gain| f64::from(gain)).sum();
    Db::from_linear(sum / (rows.len() * rows[0].len()) as f64)
}

fn matched_gain(config: &LibraryConfig) -> f64 {
    mean_power(&rows(&library(config), true)).0
}

fn near(measured: f64, expected: f64, tolerance: f64) {
    assert!((measured - expected).abs() < tolerance, "{measured} is not {expected}");
}

#[test]
fn precoding_without_delay_gains_what_its_codebook_allows() {
    // Mean of the largest |h w|^2 over the codebook for independent Rayleigh ports. Four ports: by
    // a separate simulation of 100,000 draws. Two ports: 1 + 2^-1/2 in closed form. The mean
    // product of two Rayleigh amplitudes is pi/4, and the mean cosine of the angle to the nearest
    // of four phases is 2^1.5 / pi.
    let none = Duration::default();
    near(matched_gain(&flat(closed_loop(Codebook::FourPorts, none, None))), 4.287, 0.1);
    near(matched_gain(&flat(closed_loop(Codebook::TypeI, none, None))), 4.363, 0.1);
    near(matched_gain(&flat(closed_loop(Codebook::TwoPorts, none, None))), 2.323, 0.1);
}

#[test]
fn a_precoder_for_each_resource_block_gains_as_much_on_a_selective_channel() {
    let spread = Duration::from_nanos(363);
    let config = LibraryConfig::new(Profile::TdlC, spread, DOPPLER_HZ);
    let gain = |subband| {
        let precoding = closed_loop(Codebook::FourPorts, Duration::default(), subband);
        matched_gain(&config.on(50, 0, precoding))
    };
    let (block, subband, wide) = (gain(Some(1)), gain(Some(6)), gain(None));
    near(block, 4.287, 0.2);
    assert!(wide > 1.0 && wide + 0.5 < subband && subband + 0.1 < block, "{wide} {subband}");
}

#[test]
fn stale_feedback_gains_nothing() {
    // 40 s are 80 Doppler periods: a correlation below 0.05.
    let stale = Duration::from_secs(40);
    for codebook in [Codebook::TwoPorts, Codebook::FourPorts, Codebook::TypeI] {
        near(matched_gain(&flat(closed_loop(codebook, stale, None))), 0.0, 0.1);
    }
}

#[test]
fn late_feedback_gains_by_the_square_of_the_correlation() {
    // The channel is r times the measured one and independent else, so the gain is 1 + r^2 (g - 1).
    // With r = J0(2 pi 0.2) = 0.6425 after 100 ms and g = 4.287 dB, it is 2.29 dB.
    let late = Duration::from_millis(100);
    near(matched_gain(&flat(closed_loop(Codebook::FourPorts, late, None))), 2.29, 0.15);
}

#[test]
fn reports_age_between_one_and_the_next() {
    // Measured each 200 ms without delay, a report is 0 to 195 ms old. The expected gain is the
    // mean of 1 + J0(2 pi f age)^2 (g - 1) over 40 steps, computed from the series of J0.
    let age = |step: i32| math::j0(2.0 * core::f64::consts::PI * 0.01 * f64::from(step));
    let square = (0..40).map(|step| age(step) * age(step)).sum::<f64>() / 40.0;
    let expected = Db::from_linear(1.0 + square * (Db(4.287).linear() - 1.0)).0;
    let feedback =
        Feedback { delay: Duration::default(), period: Duration::from_millis(200), subband: None };
    let precoding = Precoding::ClosedLoop { codebook: Codebook::FourPorts, feedback };
    near(matched_gain(&flat(precoding)), expected, 0.15);
}

#[test]
fn a_precoder_for_another_ue_gains_nothing() {
    let recipe = Recipe {
        profile: Profile::Flat,
        delay_spread: 0.0,
        cycles: 300.0,
        steps: 32_768,
        resource_blocks: 1,
        width: 180e3,
        ports: 4,
        receivers: 1,
        correlation: Correlation::Low,
        array: Array::Linear,
        scattering: Scattering::default(),
    };
    let own = recipe.realise(0, SEED.keyed("own"));
    let other = recipe.realise(0, SEED.keyed("other"));
    let selector = Selector::new(Codebook::FourPorts, 1, 1);
    let mut sum = 0.0;
    for step in 0..32_768 {
        let ports =
            |of: &super::synthesis::Channel| [0, 1, 2, 3].map(|port| of.column(port, 0)[step]);
        let choice = selector.choose(&[ports(&other)]);
        sum += selector.gain(&choice, 0, &[ports(&own)]);
    }
    near(Db::from_linear(sum / 32_768.0).0, 0.0, 0.2);
}

#[test]
fn what_moves_too_fast_for_its_slots_is_still_rayleigh() {
    // 46 periods a slot: lines of the spectrum fold back onto those of the axis.
    let config = LibraryConfig::new(Profile::TdlA, Duration::from_nanos(100), 46_234.5);
    let library = library(&LibraryConfig { steps: 4096, ..config });
    let rows = rows(&library, false);
    near(mean_power(&rows).0, 0.0, 1e-5);
    let square = |shift: usize| {
        let product = |n: usize| rows[n][0] * rows[(n + shift) % rows.len()][0];
        (0..rows.len()).map(|n| f64::from(product(n))).sum::<f64>() / rows.len() as f64
    };
    // The mean square of an exponential power is 2; that of independent ones is 1, and
    // J0(2 pi 46.2345)^2 = 0.001 more from one slot to the next.
    near(square(0), 2.0, 0.15);
    near(square(1), 1.0, 0.07);
}

#[test]
fn mean_power_is_one_without_a_precoder() {
    let spread = Duration::from_nanos(363);
    let precoder = closed_loop(Codebook::FourPorts, Duration::from_millis(6), None);
    for profile in [Profile::Flat, Profile::TdlA, Profile::TdlD] {
        for precoding in
            [Precoding::SinglePort, Precoding::TransmitDiversity(Ports::Four), precoder]
        {
            let config = LibraryConfig::new(profile, spread, DOPPLER_HZ).on(25, 0, precoding);
            let library = library(&config);
            near(mean_power(&rows(&library, false)).0, 0.0, 1e-5);
        }
    }
}

#[test]
fn diversity_divides_the_variance_by_the_ports() {
    for (precoding, expected) in [
        (Precoding::SinglePort, 1.0),
        (Precoding::TransmitDiversity(Ports::Two), 0.5),
        (Precoding::TransmitDiversity(Ports::Four), 0.25),
    ] {
        let library = library(&flat(precoding));
        let rows = rows(&library, true);
        let square: f64 = rows.iter().map(|row| f64::from(row[0]).powi(2)).sum();
        near(square / rows.len() as f64 - 1.0, expected, 0.1 * expected);
    }
}

#[test]
fn maximum_ratio_is_the_sum_of_the_ports_and_no_codebook_exceeds_it() {
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(363), DOPPLER_HZ);
    let best = |ports| library(&config.on(25, 0, Precoding::MaximumRatio { ports }));
    near(mean_power(&rows(&best(2), true)).0, 3.0103, 1e-4);
    near(mean_power(&rows(&best(4), true)).0, 6.0206, 1e-4);
    let best = best(4);
    near(mean_power(&rows(&best, false)).0, 0.0, 1e-5);
    for codebook in [Codebook::FourPorts, Codebook::TypeI] {
        // The same ports, whatever is done with them.
        let closed =
            library(&config.on(25, 0, closed_loop(codebook, Duration::default(), Some(1))));
        assert_eq!(rows(&closed, false), rows(&best, false));
        let pairs = rows(&closed, true).concat().into_iter().zip(rows(&best, true).concat());
        assert!(pairs.into_iter().all(|(closed, best)| closed <= best * 1.000_01));
    }
}

#[test]
fn a_direct_path_leaves_in_every_direction() {
    // The direct path has 88.8 % of the power of TDL-D. Over all directions of four ports in a
    // line, the best beam of the codebook gains 3.754 on the mean (computed separately; a perfect
    // one gains 4). Scattered power gains nothing. The result is 0.888 * 3.754 + 0.112, 5.4 dB.
    let precoding = closed_loop(Codebook::TypeI, Duration::default(), None);
    let config = LibraryConfig::new(Profile::TdlD, Duration::from_nanos(30), DOPPLER_HZ);
    near(matched_gain(&config.on(25, 0, precoding)), 5.4, 0.2);
}

#[test]
fn without_doppler_nothing_changes_and_links_differ() {
    let precoding = closed_loop(Codebook::FourPorts, Duration::from_millis(6), None);
    let config = LibraryConfig::new(Profile::Flat, Duration::default(), 0.0).on(1, 0, precoding);
    let library = library(&config);
    assert_eq!(library.period(), Duration::default());
    let mut sums = (0.0, 0.0);
    for ue in 0..20_000 {
        let link = library.link(ue, CellId(0), Direction::Downlink);
        let now = library.step(Time::from_millis(3));
        let later = library.step(Time::from_millis(700_000));
        assert_eq!(library.matched(link, now), library.matched(link, later));
        sums.0 += f64::from(library.matched(link, now)[0][0]);
        sums.1 += f64::from(library.unmatched(link, now)[0][0]);
    }
    near(Db::from_linear(sums.0 / 20_000.0).0, 4.287, 0.15);
    near(Db::from_linear(sums.1 / 20_000.0).0, 0.0, 0.15);
}

#[test]
fn holding_a_step_errs_as_theory_says() {
    // The ratio of two Rayleigh powers of correlation r^2 is exp(2 asinh((1 - r^2)^1/2 u)) with
    // u of density (1 + u^2)^-3/2 / 2. Integrated numerically beside for r = J0 at the eight
    // offsets of a hundredth of a Doppler period from its middle: HELD_DB rms.
    let config = LibraryConfig::new(Profile::Flat, Duration::default(), 0.125);
    let config = LibraryConfig {
        hold_cycles: 0.01 / 8.0,
        steps: 1 << 18,
        ..config.on(1, 0, Precoding::SinglePort)
    };
    let fine = library(&config);
    let rows = rows(&fine, false);
    let mut square = 0.0;
    for held in rows.chunks_exact(8) {
        let held_db = Db::from_linear(f64::from(held[4][0]));
        let error = |row: &&[f32]| (Db::from_linear(f64::from(row[0])) - held_db).0;
        square += held.iter().map(|row| error(row).powi(2)).sum::<f64>();
    }
    near((square / rows.len() as f64).sqrt(), HELD_DB, 0.03 * HELD_DB);
}

#[test]
fn the_time_axis_closes_without_a_seam() {
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(363), DOPPLER_HZ);
    let library = library(&config);
    let rows = rows(&library, false);
    let change = |a: &[f32], b: &[f32]| -> f32 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>() / a.len() as f32
    };
    let changes: Vec<f32> = rows.windows(2).map(|pair| change(pair[0], pair[1])).collect();
    let largest = changes.iter().copied().fold(0.0, f32::max);
    let seam = change(rows[rows.len() - 1], rows[0]);
    assert!(seam <= largest, "{seam} {largest}");
    assert!(largest < 0.1, "unlike independent values: {largest}");
    let link = library.link(0, CellId(0), Direction::Downlink);
    let (begin, end) = (Time::default(), Time::default().saturating_add(library.period()));
    assert_eq!(library.step(begin), library.step(end));
    assert_eq!(library.unmatched(link, library.step(begin)).len(), 7);
}

#[test]
fn a_link_is_where_it_is_whatever_others_there_are() {
    let config = LibraryConfig { realisations: 4, ..flat(Precoding::SinglePort) };
    let config = LibraryConfig { steps: 4096, ..config };
    let (one, two) = (library(&config), library(&config));
    for ue in 0..1000 {
        two.link(ue, CellId(7), Direction::Downlink);
    }
    assert_eq!(
        one.link(3, CellId(1), Direction::Downlink),
        two.link(3, CellId(1), Direction::Downlink)
    );
    let uplink = one.link(3, CellId(1), Direction::Uplink);
    assert_ne!(one.link(3, CellId(1), Direction::Downlink), uplink);
    // Neighbouring keys are spread evenly: 16 windows of the 4 x 4096 rows, 4000 links.
    let mut windows = [0_u32; 16];
    for (ue, cell) in (0..400).flat_map(|ue| (0..10).map(move |cell| (ue, cell))) {
        let link = one.link(ue, CellId(cell), Direction::Downlink);
        windows[(link.first + link.offset) as usize / 1024] += 1;
    }
    // Chi-square of 15 degrees of freedom: below 37.7 with 99.9 %.
    let square: f64 = windows.iter().map(|&n| (f64::from(n) - 250.0).powi(2) / 250.0).sum();
    assert!(square < 37.7, "{windows:?}");
}

#[test]
fn the_usual_size_fits_the_cache() {
    let precoding = closed_loop(Codebook::FourPorts, Duration::from_millis(6), None);
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(363), DOPPLER_HZ);
    let config = config.on(50, 0, precoding);
    assert_eq!(config.steps, 8192);
    let library = library(&config);
    assert_eq!(library.bytes(), 8192 * 56 * 2 * 4);
    assert_eq!(library.hold(), Duration::from_millis(5));
    assert_eq!(config.on(273, 1, precoding).steps, 2048);
    assert_eq!(config.on(273, 1, precoding).resource_block_hz(), 360e3);
}

#[test]
fn bits_are_the_same_whatever_the_processor() {
    // The value is that of builds for SSE2 and for AVX2 with FMA, with and without optimisation.
    let precoding = closed_loop(Codebook::FourPorts, Duration::from_millis(6), Some(6));
    let config = LibraryConfig::new(Profile::TdlD, Duration::from_nanos(93), DOPPLER_HZ);
    let config = LibraryConfig { correlation: Correlation::Medium, ..config.on(20, 0, precoding) };
    let library = library(&LibraryConfig { steps: 2048, ..config });
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for gain in rows(&library, true).iter().chain(&rows(&library, false)).copied().flatten() {
        sum = (sum ^ u64::from(gain.to_bits())).wrapping_mul(0x0000_0100_0000_01b3);
    }
    assert_eq!(sum, 2_026_980_354_087_456_537);
}

#[test]
fn both_directions_are_made_together_and_once() {
    let precoding = closed_loop(Codebook::TwoPorts, Duration::from_millis(6), None);
    let config = LibraryConfig::new(Profile::TdlA, Duration::from_nanos(93), DOPPLER_HZ);
    let down = LibraryConfig { steps: 2048, ..config.on(20, 0, precoding) };
    let up = LibraryConfig { precoding: Precoding::MaximumRatio { ports: 2 }, ..down };
    let apart = [down, up].map(|config| library(&config));
    let both = Library::shared(&[down, up], SEED).unwrap();
    for (one, other) in apart.iter().zip(&both) {
        assert_eq!(rows(one, true), rows(other, true));
        assert_eq!(rows(one, false), rows(other, false));
    }
    let again = Library::shared(&[down, up], SEED).unwrap();
    assert!(Arc::ptr_eq(&both[0], &again[0]) && Arc::ptr_eq(&both[1], &again[1]));
    let [one, other] = Library::shared(&[up, up], SEED).unwrap();
    assert!(Arc::ptr_eq(&one, &other));
    assert_eq!(rows(&one, true), rows(&apart[1], true));
    let error = Library::shared(&[down, LibraryConfig { steps: 3000, ..up }], SEED);
    assert!(error.is_err());
}

#[test]
fn impossible_values_are_errors_that_say_what_is_possible() {
    let good = LibraryConfig::new(Profile::TdlA, Duration::from_nanos(100), DOPPLER_HZ);
    let message = |config: LibraryConfig| match Library::new(&config, SEED) {
        Ok(_) => panic!("{config:?} should be an error"),
        Err(error) => error.to_string(),
    };
    let blocks = message(LibraryConfig { resource_blocks: 0, ..good });
    assert_eq!(blocks, "resource_blocks is 0: 1 to 275 are possible");
    assert!(message(LibraryConfig { doppler_hz: f64::NAN, ..good }).starts_with("doppler is NaN"));
    assert!(message(LibraryConfig { doppler_hz: -1.0, ..good }).contains("-1 Hz"));
    assert!(message(LibraryConfig { steps: 3000, ..good }).contains("powers of two"));
    assert!(message(LibraryConfig { realisations: 0, ..good }).contains("1 to 1024"));
    assert!(message(LibraryConfig { hold_cycles: 0.0, ..good }).contains("above 0"));
    assert!(message(LibraryConfig { numerology: 7, ..good }).contains("0 to 6"));
    let spread = Duration::from_micros(3);
    assert!(message(LibraryConfig { delay_spread: spread, ..good }).contains("is 3 us"));
    let period = Feedback { delay: spread, period: Duration::default(), subband: None };
    let precoding = |feedback| Precoding::ClosedLoop { codebook: Codebook::FourPorts, feedback };
    let config = LibraryConfig { precoding: precoding(period), ..good };
    assert!(message(config).starts_with("feedback period is 0"));
    let subband = Feedback { delay: spread, period: spread, subband: Some(0) };
    let config = LibraryConfig { precoding: precoding(subband), ..good };
    assert!(message(config).starts_with("subband is 0"));
    let large = message(LibraryConfig { steps: 1 << 20, ..good });
    assert_eq!(large, "size is 224 MiB: steps and realisations of up to 128 MiB are possible");
    let short = LibraryConfig { steps: 256, ..good };
    assert!(matches!(Library::new(&short, SEED), Err(FadingError::Short { steps: 256, .. })));
}
