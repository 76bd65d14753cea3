//! Fading at any speed, against finer samples of the same channel and closed forms.

use airpath_base::random::Seed;
use airpath_base::{CellId, Db, Direction, Duration, math};

use super::super::config::LibraryConfig;
use super::super::doppler::doppler_hz;
use super::super::profile::Profile;
use super::*;
use crate::geometry::Point;
use crate::precoding::Precoding;
use crate::route::{Leg, Motion, Route};

const BLOCKS: u16 = 8;
/// Samples of the fine library in a step.
const FINE: u32 = 16;

/// So many realisations with steps a share as long, on an axis of the same length.
fn library(finer: u32, realisations: u32) -> Library {
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(363), 5.56).of_any_speed();
    let config = config.on(BLOCKS, 0, Precoding::SinglePort);
    let hold_cycles = config.hold_cycles / f64::from(finer);
    let config = LibraryConfig { hold_cycles, steps: 16_384 * finer, realisations, ..config };
    Library::new(&config, Seed(1)).expect("the configuration is possible")
}

fn line(kmh: f64) -> Route {
    let velocity = Point { x: kmh / 3.6, y: 0.0 };
    Route::new(vec![Leg { from: Time::ZERO, motion: Motion { at: Point::default(), velocity } }])
}

fn decibels(gain: f32) -> f64 {
    Db::from_linear(f64::from(gain)).0
}

/// Error in dB rms a resource block of slots of 1 ms that go over so many periods, and with one reading.
fn errors(coarse: &Library, fine: &Library, over: f64) -> [f64; 2] {
    // Within one lap from the first step on.
    let link = Link { first: 0, offset: 0 };
    let (slots, mut sums, mut count) = (600, [0.0; 2], 0);
    let mut mean = Vec::new();
    for slot in 0..slots {
        let begin = 0.1337 * f64::from(slot);
        let samples = ((over / 0.005 * f64::from(FINE)) as u32).max(1);
        let mut truth = [0.0_f32; 8];
        for n in 0..samples {
            let at = begin + (f64::from(n) + 0.5) / f64::from(samples) * over;
            let row = fine.unmatched(link, fine.step_at(at));
            truth.iter_mut().zip(row[0]).for_each(|(sum, one)| *sum += one / samples as f32);
        }
        let readings = Readings::over(begin, over);
        let one = Readings { parts: 0, ..readings };
        for (sum, readings) in sums.iter_mut().zip([readings, one]) {
            let row = coarse.mean_matched(link, readings, &mut mean)[0];
            for (truth, found) in truth.iter().zip(row) {
                *sum += (decibels(*truth) - decibels(found)).powi(2);
            }
        }
        count += usize::from(BLOCKS);
    }
    sums.map(|sum| (sum / count as f64).sqrt())
}

#[test]
fn readings_follow_the_channel_within_a_slot() {
    let (coarse, fine) = (library(1, 1), library(FINE, 1));
    println!("km/h   GHz   readings   error in dB rms   with one reading");
    for kmh in [3.0, 30.0, 120.0, 350.0] {
        for ghz in [0.7, 2.0, 3.5] {
            let over = doppler_hz(kmh, 3.0, ghz * 1e9) * 1e-3;
            let [error, one] = errors(&coarse, &fine, over);
            let count = Readings::over(0.0, over).count();
            println!("{kmh:4} {ghz:5} {count:10} {error:17.3} {one:18.3}");
            assert!(error < 0.15, "{kmh} km/h, {ghz} GHz: {error} dB");
        }
    }
    // One reading of the fastest is no substitute.
    assert!(errors(&coarse, &fine, 1.134)[1] > 2.0);
}

#[test]
fn correlation_over_time_is_that_of_the_speed() {
    // Clarke, 1968: power of Rayleigh fading has the autocorrelation J0(2 pi f t)^2, here at 120 km/h and 2 GHz.
    let (library, shift) = (library(1, 40), 222.376);
    let travelled = Travelled::new(&line(120.0), 3.0, 2e9);
    let power = |ue: u64, micros: u64| {
        let at = Time::from_nanos(1_000 * micros);
        let link = library.link(ue, CellId(0), Direction::Downlink);
        f64::from(library.unmatched(link, library.step_at(travelled.at(at).0))[0][3])
    };
    // Links at random points of the axis, times within less than one.
    let pairs: Vec<(u64, u64)> =
        (0..4_000).flat_map(|ue| (0..20).map(move |n| (ue, 7_001 * n))).collect();
    let mean = |of: &dyn Fn(u64, u64) -> f64| {
        pairs.iter().map(|&(ue, at)| of(ue, at)).sum::<f64>() / pairs.len() as f64
    };
    let variance = mean(&|ue, at| (power(ue, at) - 1.0).powi(2));
    assert!((variance - 1.0).abs() < 0.1, "{variance}");
    for micros in [250, 500, 1_000, 1_500, 2_000, 3_000, 5_000] {
        let found =
            mean(&|ue, at| (power(ue, at) - 1.0) * (power(ue, at + micros) - 1.0)) / variance;
        let wanted = math::j0(core::f64::consts::TAU * shift * micros as f64 * 1e-6).powi(2);
        assert!((found - wanted).abs() < 0.05, "{micros} us: {found} {wanted}");
    }
}

#[test]
fn fading_never_repeats() {
    let library = library(1, 1);
    let axis = 0.005 * 16_384.0;
    let link = library.link(5, CellId(2), Direction::Downlink);
    let row = |cycles: f64| library.unmatched(link, library.step_at(cycles))[0];
    // Within its first lap, a link has its own row at each time.
    let hold = library.hold().as_nanos();
    for step in [0, 100] {
        let time = Time::from_nanos(hold * step);
        assert_eq!(row(0.005 * step as f64), library.unmatched(link, library.step(time))[0]);
    }
    // Laps of one channel would have a correlation of 1; independent ones have 0.
    let (mut same, mut sum, count) = (0, 0.0, 4_000);
    for lap in 0..20 {
        for n in 0..count / 20 {
            let at = axis * f64::from(lap) + 0.4 * f64::from(n);
            let [one, other] = [row(at), row(at + axis)].map(|row| f64::from(row[0]));
            same += i32::from(one.to_bits() == other.to_bits());
            sum += (one - 1.0) * (other - 1.0);
        }
    }
    assert!(same < 5 && (sum / f64::from(count)).abs() < 0.25, "{same} {sum}");
    // Power stays 1 on average.
    let mean = (0..50_000).map(|n| f64::from(row(0.9 * f64::from(n))[0])).sum::<f64>() / 50_000.0;
    assert!((mean - 1.0).abs() < 0.05, "{mean}");
}
