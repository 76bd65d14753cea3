//! Link budget: path loss and noise.
//!
//! Shadowing and fading are left out.

use airpath_base::{Db, Dbm, math};

/// Speed of light in m/s (SI).
const LIGHT: f64 = 299_792_458.0;
/// Density of thermal noise, k T at 290 K, rounded (-173.98 dBm/Hz).
const NOISE_DENSITY: Dbm = Dbm(-174.0);

/// A model of path loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathLossModel {
    /// Macro cell in urban and suburban areas (TR 36.942, 4.5.2).
    Tr36942Urban {
        /// Height of the cell's antenna above the average rooftop in metres, 0.1 to 50.
        above_roof_m: f64,
    },
    /// Large cities: Hata (1980) up to 1500 MHz, above it COST 231 (final report, 4.4.1)
    /// with its 3 dB for metropolitan centres.
    OkumuraHata {
        /// Height of the cell's antenna above ground in metres, 30 to 200.
        base_m: f64,
        /// Height of the UE above ground in metres, 1 to 10.
        ue_m: f64,
    },
    /// Free space (Friis, 1946).
    FreeSpace,
}

/// Loss between antennas without gain over `distance_m`.
///
/// Heights outside the range of a model count as its end. Distances and carriers are
/// extrapolated, from 1 m and 1 MHz on, but no model goes below free space (as TR 36.942,
/// 4.5.2, demands).
pub fn path_loss(model: PathLossModel, carrier_hz: f64, distance_m: f64) -> Db {
    let (carrier_hz, distance_m) = (carrier_hz.max(1e6), distance_m.max(1.0));
    let (mhz, km) = (carrier_hz / 1e6, distance_m / 1e3);
    let free = free_space(carrier_hz, distance_m);
    let loss = match model {
        PathLossModel::Tr36942Urban { above_roof_m } => urban(above_roof_m, mhz, km),
        PathLossModel::OkumuraHata { base_m, ue_m } => hata(base_m, ue_m, mhz, km),
        PathLossModel::FreeSpace => free,
    };
    Db(loss.max(free))
}

/// Friis, "A note on a simple transmission formula", 1946.
fn free_space(carrier_hz: f64, distance_m: f64) -> f64 {
    20.0 * math::log10(4.0 * core::f64::consts::PI * distance_m * carrier_hz / LIGHT)
}

/// TR 36.942, 4.5.2.
fn urban(above_roof_m: f64, mhz: f64, km: f64) -> f64 {
    let height = above_roof_m.clamp(0.1, 50.0);
    40.0 * (1.0 - 4e-3 * height) * math::log10(km) - 18.0 * math::log10(height)
        + 21.0 * math::log10(mhz)
        + 80.0
}

/// Hata, "Empirical formula for propagation loss in land mobile radio services", 1980;
/// COST 231 final report, 4.4.1.
fn hata(base_m: f64, ue_m: f64, mhz: f64, km: f64) -> f64 {
    let (base, ue) = (math::log10(base_m.clamp(30.0, 200.0)), ue_m.clamp(1.0, 10.0));
    let carrier = math::log10(mhz);
    let slope = (44.9 - 6.55 * base) * math::log10(km);
    if mhz > 1_500.0 {
        let correction = (1.1 * carrier - 0.7) * ue - (1.56 * carrier - 0.8);
        return 46.3 + 33.9 * carrier - 13.82 * base - correction + slope + 3.0;
    }
    // For large cities, below and above 300 MHz.
    let (factor, of_height, less) =
        if mhz < 300.0 { (8.29, 1.54, 1.1) } else { (3.2, 11.75, 4.97) };
    let height = math::log10(of_height * ue);
    let correction = factor * height * height - less;
    69.55 + 26.16 * carrier - 13.82 * base - correction + slope
}

/// Link budget: the terms of the signal to noise ratio of a transmission besides path loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkBudget {
    /// Power over the bandwidth below.
    pub transmit: Dbm,
    /// Antenna gains of both ends less cable losses.
    pub gains: Db,
    /// Noise figure of the receiver.
    pub noise_figure: Db,
    /// Least loss between the antennas, gains included.
    pub min_coupling_loss: Db,
    /// Bandwidth in Hz: 180 kHz a resource block of LTE. Above zero.
    pub bandwidth_hz: f64,
}

impl LinkBudget {
    /// Signal to noise ratio behind a path loss: the received power is the transmitted
    /// less max(loss - gains, least coupling loss), as coupling loss is defined.
    pub fn snr(&self, loss: Db) -> Db {
        self.transmit - self.coupling_loss(loss) - self.noise()
    }

    /// Loss between the antennas, gains included, behind a path loss.
    pub fn coupling_loss(&self, loss: Db) -> Db {
        Db((loss - self.gains).0.max(self.min_coupling_loss.0))
    }

    /// Thermal noise over the bandwidth, with the receiver's noise figure.
    pub fn noise(&self) -> Dbm {
        NOISE_DENSITY + Db::from_linear(self.bandwidth_hz) + self.noise_figure
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const URBAN: PathLossModel = PathLossModel::Tr36942Urban { above_roof_m: 15.0 };
    const HATA: PathLossModel = PathLossModel::OkumuraHata { base_m: 30.0, ue_m: 1.5 };

    #[test]
    fn urban_loss_of_the_report() {
        // TR 36.942, 4.5.2: at 2 GHz and 15 m, 128.1 + 37.6 log10(R); at 900 MHz 120.9.
        assert!((path_loss(URBAN, 2e9, 1_000.0).0 - 128.1).abs() < 0.1);
        assert!((path_loss(URBAN, 2e9, 500.0).0 - (128.1 - 11.319)).abs() < 0.1);
        assert!((path_loss(URBAN, 900e6, 1_000.0).0 - 120.9).abs() < 0.1);
    }

    #[test]
    fn hata_by_hand() {
        // 900 MHz, 1 km, 30 m, 1.5 m: 69.55 + 77.2828 - 20.4137 + 0.0009.
        assert!((path_loss(HATA, 900e6, 1_000.0).0 - 126.420).abs() < 2e-3);
        // At 10 km: 44.9 - 6.55 x 1.477121 = 35.2249 more.
        assert!((path_loss(HATA, 900e6, 10_000.0).0 - 161.645).abs() < 2e-3);
        // 200 MHz: 69.55 + 60.1949 - 20.4137 - (8.29 x 0.132216 - 1.1).
        assert!((path_loss(HATA, 200e6, 1_000.0).0 - 109.335).abs() < 2e-3);
        // COST 231 at 2 GHz: 46.3 + 111.9049 - 20.4137 - 0.0470 + 3.
        assert!((path_loss(HATA, 2e9, 1_000.0).0 - 140.744).abs() < 2e-3);
    }

    #[test]
    fn free_space_by_hand() {
        // 32.4478 + 20 log10(MHz) + 20 log10(km).
        let loss = path_loss(PathLossModel::FreeSpace, 2e9, 1_000.0).0;
        assert!((loss - 98.468).abs() < 1e-3);
    }

    #[test]
    fn noise_and_coupling() {
        let mut budget = LinkBudget {
            transmit: Dbm(46.0),
            gains: Db(15.0),
            noise_figure: Db(9.0),
            min_coupling_loss: Db(70.0),
            bandwidth_hz: 50.0 * 180e3,
        };
        // -174 + 69.5424 + 9.
        assert!((budget.noise().0 + 95.4576).abs() < 1e-4);
        // 46 - (128.1 - 15) + 95.4576.
        assert!((budget.snr(Db(128.1)).0 - 28.3576).abs() < 1e-4);
        // Not closer than 70 dB: 46 - 70 + 95.4576.
        assert!((budget.snr(Db(40.0)).0 - 71.4576).abs() < 1e-4);
        budget.bandwidth_hz = 1.0;
        budget.noise_figure = Db(0.0);
        assert!((budget.noise().0 + 174.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn loss_grows_with_distance_and_exceeds_free_space(
            mhz in 100.0..6_000.0,
            from in 0.0..50_000.0,
            more in 0.0..1_000.0,
            height in 0.0..300.0,
        ) {
            let models = [
                PathLossModel::Tr36942Urban { above_roof_m: height },
                PathLossModel::OkumuraHata { base_m: height, ue_m: height },
                PathLossModel::FreeSpace,
            ];
            for model in models {
                let near = path_loss(model, mhz * 1e6, from);
                prop_assert!(near <= path_loss(model, mhz * 1e6, from + more));
                prop_assert!(near >= path_loss(PathLossModel::FreeSpace, mhz * 1e6, from));
            }
        }
    }
}
