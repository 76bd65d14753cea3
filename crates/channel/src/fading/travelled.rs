//! Periods of the Doppler shift that UEs on routes have passed.

use airpath_base::Time;

use super::doppler::doppler_hz;
use crate::route::Route;

/// Periods of the Doppler shift over time: its integral. The shift is that of the speed on a route, or of the scatterers
/// if they are faster ([`doppler_hz`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Travelled {
    /// In the order of time; the first begins at zero.
    legs: Vec<Leg>,
}

/// A time of one Doppler shift.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Leg {
    from: Time,
    /// Periods before it.
    cycles: f64,
    shift_hz: f64,
}

impl Travelled {
    /// Along a route, with scatterers of this speed in km/h, at a carrier in Hz. A UE rests until its first leg begins.
    pub fn new(route: &Route, scatterers_kmh: f64, carrier_hz: f64) -> Travelled {
        let still = doppler_hz(0.0, scatterers_kmh, carrier_hz);
        let mut legs = vec![Leg { from: Time::ZERO, cycles: 0.0, shift_hz: still }];
        for leg in route.legs() {
            let kmh = 3.6 * leg.motion.velocity.length();
            let shift_hz = doppler_hz(kmh, scatterers_kmh, carrier_hz);
            let cycles = of(&legs, leg.from).0;
            legs.push(Leg { from: leg.from, cycles, shift_hz });
        }
        Travelled { legs }
    }

    /// Periods up to a time, and the Doppler shift in Hz.
    pub fn at(&self, time: Time) -> (f64, f64) {
        of(&self.legs, time)
    }
}

fn of(legs: &[Leg], time: Time) -> (f64, f64) {
    let leg = match legs {
        [.., last] if last.from <= time => *last,
        _ => legs[legs.partition_point(|leg| leg.from <= time).max(1) - 1],
    };
    let seconds = time.saturating_since(leg.from).as_secs_f64();
    (leg.cycles + seconds * leg.shift_hz, leg.shift_hz)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Point;
    use crate::route::{Leg, Motion};

    #[test]
    fn periods_by_hand() {
        let leg = |millis, x| Leg {
            from: Time::from_millis(millis),
            motion: Motion { at: Point::default(), velocity: Point { x, y: 0.0 } },
        };
        // 3 m/s at 299.792458 MHz are 3 Hz; scatterers of 3.6 km/h 1 Hz.
        let route = Route::new(vec![leg(1_000, 3.0), leg(3_000, 0.0), leg(5_000, -30.0)]);
        let own = Travelled::new(&route, 3.6, 299_792_458.0);
        for (millis, cycles, shift) in [
            (0, 0.0, 1.0),
            (500, 0.5, 1.0),
            (2_000, 4.0, 3.0),
            (4_000, 8.0, 1.0),
            (5_100, 12.0, 30.0),
        ] {
            let (found, found_hz) = own.at(Time::from_millis(millis));
            assert!(
                (found - cycles).abs() < 1e-9 && (found_hz - shift).abs() < 1e-9,
                "{millis} ms"
            );
        }
        assert_eq!(
            Travelled::new(&Route::new(Vec::new()), 0.0, 1e9).at(Time::from_millis(9)).0,
            0.0
        );
    }
}
