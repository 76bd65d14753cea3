//! Patterns of single elements.

use airpath_base::math;
use airpath_schema::choice;

/// Largest gain of a sector's element in dBi (TR 36.873, table 7.1-1).
const SECTOR_DBI: f64 = 8.0;
/// Angle between the halves of its power, both ways, in degrees.
const SECTOR_WIDTH_DEG: f64 = 65.0;
/// Most that it attenuates, in dB.
const SECTOR_DEPTH_DB: f64 = 30.0;

choice! {
    /// An antenna's element.
    #[derive(Hash)]
    pub enum Element {
        /// 8 dBi, 65 degrees wide in both planes (TR 36.873, table 7.1-1).
        Sector = "sector",
        /// 0 dBi everywhere.
        Isotropic = "isotropic",
    }
}

impl Element {
    /// Gain in this direction, as a factor.
    pub fn gain(self, azimuth_deg: f64, zenith_deg: f64) -> f64 {
        match self {
            Element::Isotropic => 1.0,
            Element::Sector => {
                let loss = lobe_db(azimuth_deg) + lobe_db(zenith_deg - 90.0);
                self.peak() * factor(loss.min(SECTOR_DEPTH_DB))
            }
        }
    }

    /// Largest gain, as a factor.
    pub(super) fn peak(self) -> f64 {
        match self {
            Element::Isotropic => 1.0,
            Element::Sector => factor(-SECTOR_DBI),
        }
    }

    /// Least gain beside the largest.
    pub(super) fn floor(self) -> f64 {
        match self {
            Element::Isotropic => 1.0,
            Element::Sector => factor(SECTOR_DEPTH_DB),
        }
    }

    /// Gain beside the largest, `angle` degrees off in one of the two planes.
    pub(super) fn lobe(self, angle: f64) -> f64 {
        match self {
            Element::Isotropic => 1.0,
            Element::Sector => factor(lobe_db(angle)),
        }
    }
}

fn lobe_db(angle: f64) -> f64 {
    let share = angle / SECTOR_WIDTH_DEG;
    (12.0 * share * share).min(SECTOR_DEPTH_DB)
}

fn factor(loss_db: f64) -> f64 {
    math::exp(-loss_db * (core::f64::consts::LN_10 / 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sector_by_hand() {
        let db = |azimuth, zenith| 10.0 * math::log10(Element::Sector.gain(azimuth, zenith));
        for (azimuth, zenith, wanted) in [
            (0.0, 90.0, 8.0),
            // Half the width either way: 3 dB.
            (32.5, 90.0, 5.0),
            (0.0, 122.5, 5.0),
            (-32.5, 57.5, 2.0),
            // Behind: 30 dB, and not more in both planes together.
            (180.0, 90.0, -22.0),
            (180.0, 180.0, -22.0),
        ] {
            assert!((db(azimuth, zenith) - wanted).abs() < 1e-9, "{azimuth} {zenith}");
        }
        assert_eq!(Element::Isotropic.gain(17.0, 120.0), 1.0);
    }
}
