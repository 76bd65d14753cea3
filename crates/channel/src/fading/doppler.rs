//! Doppler: the shift of a speed, the spectrum of Clarke as lines of a periodic axis, and the hold
//! of a sample.

use airpath_base::{Duration, math};

/// Speed of light in metres a second.
const LIGHT: f64 = 299_792_458.0;

/// Speed in km/h at which scatterers move around a user who sits still (TR 38.901, 7.8 and
/// Report ITU-R M.2412, table 5: 3 km/h for users indoors).
pub const SCATTERERS_KMH: f64 = 3.0;

/// Largest Doppler shift in Hz at a carrier in Hz. The UE moves with `ue_kmh`, the scatterers with
/// `scatterers_kmh` (0: they stand still).
///
/// A UE slower than the scatterers has their Doppler spectrum.
pub fn doppler_hz(ue_kmh: f64, scatterers_kmh: f64, carrier_hz: f64) -> f64 {
    ue_kmh.max(scatterers_kmh) / 3.6 * carrier_hz / LIGHT
}

/// Hold of a sample: `cycles` of the largest Doppler shift, rounded to whole slots, at least one.
pub(super) fn hold(doppler_hz: f64, cycles: f64, slot: Duration) -> Duration {
    let slots = cycles / doppler_hz / slot.as_secs_f64();
    let whole = (slots + 0.5).clamp(1.0, 1e9) as u64;
    Duration::from_nanos(slot.as_nanos() * whole)
}

/// The classical spectrum (Clarke, 1968; Jakes, 1974) of `cycles` Doppler shifts in a
/// period, as the power in each line of the period's harmonics, -n to n.
///
/// Each line has the power between its neighbours' middles. Its autocorrelation is
/// J0(2 pi f tau) sinc(tau / period), repeated with the period.
pub(super) fn spectrum(cycles: f64) -> Vec<(i64, f64)> {
    let edge = (cycles + 0.5).floor() as i64;
    let angle = |line: f64| math::asin((line / cycles).clamp(-1.0, 1.0));
    let power = |line: i64| {
        let line = line as f64;
        (angle(line + 0.5) - angle(line - 0.5)) / core::f64::consts::PI
    };
    (-edge..=edge).map(|line| (line, power(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_of_a_walk_and_of_a_car() {
        // v f / c, by hand: 3 km/h at 2 GHz 5.5594 Hz, 120 km/h at 700 MHz 77.832 Hz.
        assert!((doppler_hz(0.0, SCATTERERS_KMH, 2e9) - 5.5594).abs() < 1e-4);
        assert!((doppler_hz(120.0, SCATTERERS_KMH, 700e6) - 77.832).abs() < 1e-3);
        assert_eq!(doppler_hz(0.0, 0.0, 2e9), 0.0);
    }

    #[test]
    fn held_for_whole_slots() {
        let slot = Duration::from_millis(1);
        assert_eq!(hold(2.0, 0.01, slot), Duration::from_millis(5));
        assert_eq!(hold(1.9, 0.01, slot), Duration::from_millis(5));
        assert_eq!(hold(5.56, 0.01, slot), Duration::from_millis(2));
        assert_eq!(hold(222.0, 0.01, slot), slot);
        assert_eq!(hold(2.0, 0.01, Duration::from_micros(250)), Duration::from_millis(5));
    }

    #[test]
    fn the_spectrum_has_the_autocorrelation_of_bessel() {
        let cycles = 68.3;
        let lines = spectrum(cycles);
        let total: f64 = lines.iter().map(|&(_, power)| power).sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
        for tenth in 0..50 {
            let turn = 2.0 * core::f64::consts::PI * f64::from(tenth) / 10.0;
            let term = |&(line, power): &(i64, f64)| power * math::cos(turn * line as f64 / cycles);
            let correlation: f64 = lines.iter().map(term).sum();
            assert!((correlation - math::j0(turn)).abs() < 0.003, "{turn} {correlation}");
        }
    }
}
