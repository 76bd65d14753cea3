//! Antennas of base stations: elements, vertical arrays, and their gain over angles.
//!
//! An antenna is a column of elements behind one port, steered downwards by phases. A
//! mechanical tilt, several columns, and the second polarisation are left out here.
//!
//! Sources: TR 36.873, 7.1 (the same in TR 38.901, 7.3).

mod averaged;
mod element;

pub use averaged::{Averages, Spread, Vertical};
pub use element::Element;

use airpath_base::math;
use airpath_schema::choice;

use crate::geometry::cos_deg;

// Slanted: half the power of a straight way is lost, and part of it comes back where reflections
// turn the polarisation (TR 38.901, 7.3.2, model 2, and 7.5, step 11).
choice! {
    /// Polarisation of a port, against UEs that are vertical.
    #[derive(Hash)]
    pub enum Polarisation {
        /// Vertical polarisation.
        Vertical = "vertical",
        /// One half of a pair slanted by 45 degrees (TR 38.901, 7.3.2).
        Slanted = "slanted",
    }
}

impl Polarisation {
    /// Share of the power that a vertical element receives over ways whose cross polarisation
    /// ratio is `1 / crossed`.
    pub fn share(self, crossed: f64) -> f64 {
        match self {
            Polarisation::Vertical => 1.0,
            Polarisation::Slanted => 0.5 * (1.0 + crossed),
        }
    }
}

/// A column of elements behind one port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Antenna {
    /// Its elements.
    pub element: Element,
    /// Number of elements above each other; 1 or more.
    pub elements: u32,
    /// Distance between neighbours in wavelengths.
    pub spacing: f64,
    /// Electrical downtilt in degrees below the horizon.
    pub downtilt_deg: f64,
    /// Polarisation of the port.
    pub polarisation: Polarisation,
}

impl Antenna {
    /// A single element without tilt (K = M = 1 of TR 36.873, table 8.2-1).
    pub const SINGLE: Antenna = Antenna {
        element: Element::Sector,
        elements: 1,
        spacing: 0.5,
        downtilt_deg: 0.0,
        polarisation: Polarisation::Vertical,
    };

    /// Gain in this direction, as a factor. The azimuth is that from the boresight.
    pub fn gain(&self, azimuth_deg: f64, zenith_deg: f64) -> f64 {
        self.element.gain(azimuth_deg, zenith_deg) * self.array(zenith_deg)
    }

    /// Factor by which the column exceeds one element (TR 36.873, 7.1: the weights have unit
    /// norm, so that it is the number of elements at most).
    pub fn array(&self, zenith_deg: f64) -> f64 {
        let n = f64::from(self.elements);
        let steered = cos_deg(90.0 + self.downtilt_deg);
        let half = core::f64::consts::PI * self.spacing * (cos_deg(zenith_deg) - steered);
        let below = math::sin(half);
        if below.abs() < 1e-9 {
            return n;
        }
        let ratio = math::sin(n * half) / below;
        ratio * ratio / n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: Antenna = Antenna { elements: 10, downtilt_deg: 12.0, ..Antenna::SINGLE };

    #[test]
    fn a_column_by_hand() {
        // On its tilt ten elements have ten times the gain of one: 10 + 8 dBi, less
        // 12 (12/65)^2 = 0.40899 dB of the element.
        let at_tilt = 10.0 * math::log10(TEN.gain(0.0, 102.0));
        assert!((at_tilt - (18.0 - 0.40899)).abs() < 1e-4, "{at_tilt}");
        // At the horizon half the phase between neighbours is x = pi / 2 sin(12 degrees):
        // sin(10 x)^2 / (10 sin(x)^2).
        assert!((TEN.array(90.0) - 0.0149293).abs() < 1e-6, "{}", TEN.array(90.0));
    }

    #[test]
    fn a_column_sends_no_more_than_it_gets() {
        // Over the sphere the array's factor has mean one at half a wavelength.
        let steps = 20_000;
        let mean = (0..steps)
            .map(|step| {
                let cosine = -1.0 + (f64::from(step) + 0.5) * 2.0 / f64::from(steps);
                TEN.array(crate::geometry::slope_deg((1.0 - cosine * cosine).sqrt(), cosine))
            })
            .sum::<f64>()
            / f64::from(steps);
        assert!((mean - 1.0).abs() < 1e-3, "{mean}");
    }

    #[test]
    fn a_slanted_port_loses_half_of_a_straight_way() {
        assert_eq!(Polarisation::Vertical.share(0.0), 1.0);
        assert_eq!(Polarisation::Slanted.share(0.0), 0.5);
        assert_eq!(Polarisation::Slanted.share(1.0), 1.0);
    }
}
