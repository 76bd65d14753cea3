//! Antennas of a base station and of a UE, and the correlation that scattering in an environment gives them.
//!
//! Decision: power leaves around one mean direction, the normal of the panel, with the median spreads of the
//! environment. It is normal in azimuth and Laplacian in zenith, as that of clusters (TR 38.901, 7.5, equations
//! 7.5-9 and 7.5-14). The correlation of two antennas is the sum over rays, by columns times by rows. Reason: one
//! library serves all links, and the type I codebook is the same in all directions of its beams. Price: all UEs
//! of a library have their power around one beam. In other directions a panel sees narrower spreads.
//!
//! Left out: directions of clusters of their own; differences of spreads between links.

use airpath_base::math;

/// Arrangement of a base station's antennas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Array {
    /// A row of one polarisation (TS 36.101, B.2.3).
    Linear,
    /// Columns and rows of cross-polarised pairs (TS 36.101, B.2.3A; TS 38.101-4, B.2.3.2): all antennas of one
    /// polarisation, column after column, then all of the other. UEs have cross-polarised antennas too.
    CrossPolarised {
        /// Columns of pairs, half a wavelength apart.
        columns: u8,
        /// Rows of pairs.
        rows: u8,
    },
}

/// Directions of power in an environment, for correlation `"environment"`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scattering {
    /// Azimuth spread of departure in degrees.
    pub azimuth_deg: f64,
    /// Zenith spread of departure in degrees.
    pub zenith_deg: f64,
    /// Cross polarisation ratio in dB.
    pub cross_db: f64,
    /// Distance of rows in wavelengths.
    pub row_spacing: f64,
}

/// Distance of columns, and of a UE's antennas, in wavelengths.
const SPACING: f64 = 0.5;
/// Rays of a sum.
const RAYS: usize = 1000;
/// Largest deviation of a ray in spreads. Beyond it a normal distribution has 1e-8 of the power, a Laplacian
/// 2e-6.
const NORMAL_REACH: f64 = 6.0;
const LAPLACIAN_REACH: f64 = 10.0;

/// Position of an antenna: polarisation, column and row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) polarisation: usize,
    pub(crate) column: usize,
    pub(crate) row: usize,
}

impl Array {
    /// Position of a port among so many.
    pub(crate) fn port(self, port: usize, ports: usize) -> Position {
        match self {
            Array::Linear => Position { column: port, ..Position::default() },
            Array::CrossPolarised { rows, .. } => {
                let (half, rows) = (ports.div_ceil(2), usize::from(rows));
                let (polarisation, pair) = (port / half, port % half);
                Position { polarisation, column: pair / rows, row: pair % rows }
            }
        }
    }

    /// Position of an antenna of a UE among so many.
    pub(crate) fn antenna(self, antenna: usize, antennas: usize) -> Position {
        match self {
            Array::Linear => Position { column: antenna, ..Position::default() },
            Array::CrossPolarised { .. } => {
                let half = antennas.div_ceil(2);
                let (polarisation, column) = (antenna / half, antenna % half);
                Position { polarisation, column, row: 0 }
            }
        }
    }

    /// Columns and rows of so many ports.
    pub(crate) fn size(self, ports: usize) -> (usize, usize) {
        match self {
            Array::Linear => (ports, 1),
            Array::CrossPolarised { columns, rows } => (columns.into(), rows.into()),
        }
    }

    /// This array for another number of antennas: one row, cross-polarised if their number is even.
    #[must_use]
    pub fn with_antennas(self, antennas: u8) -> Array {
        let own = |columns, rows| 2 * u32::from(columns) * u32::from(rows) == u32::from(antennas);
        match self {
            Array::CrossPolarised { columns, rows } if own(columns, rows) => self,
            Array::CrossPolarised { .. } if antennas.is_multiple_of(2) => {
                Array::CrossPolarised { columns: antennas / 2, rows: 1 }
            }
            _ => Array::Linear,
        }
    }
}

impl Scattering {
    /// Correlation gamma of both polarisations of a base station at one antenna of a UE: (r - 1) / (r + 1) for a
    /// cross polarisation ratio r. It makes the matrix Gamma of TS 36.101, B.2.3A.1, of slanted antennas at the
    /// base station and upright and level ones at the UE.
    pub(crate) fn gamma(&self) -> f64 {
        let ratio = math::exp10(self.cross_db / 10.0);
        (ratio - 1.0) / (ratio + 1.0)
    }

    /// Correlation of antennas so many columns and rows apart.
    pub(crate) fn at_cell(&self, columns: usize, rows: usize) -> f64 {
        let normal = |t: f64| math::exp(-0.5 * t * t);
        let laplacian = |t: f64| math::exp(-core::f64::consts::SQRT_2 * t);
        let azimuth = ray_sum(self.azimuth_deg, NORMAL_REACH, normal, SPACING * columns as f64);
        let rise = self.row_spacing * rows as f64;
        azimuth * ray_sum(self.zenith_deg, LAPLACIAN_REACH, laplacian, rise)
    }

    /// Correlation of antennas of a UE so many columns apart: J0 of 2 pi times the distance in wavelengths.
    /// Scatterers are all around, as for the Doppler spectrum of Clarke.
    pub(crate) fn at_ue(columns: usize) -> f64 {
        let turn = |n: usize| core::f64::consts::PI * (n as f64 + 0.5) / RAYS as f64;
        let distance = 2.0 * core::f64::consts::PI * SPACING * columns as f64;
        let ray = |n: usize| math::cos(distance * math::sin(turn(n)));
        (0..RAYS).map(ray).sum::<f64>() / RAYS as f64
    }
}

/// The mean of cos(2 pi d sin x) over angles x of a symmetric density with a spread in degrees.
fn ray_sum(spread_deg: f64, reach: f64, density: impl Fn(f64) -> f64, distance: f64) -> f64 {
    let deviation = |n: usize| reach * (n as f64 + 0.5) / RAYS as f64;
    let (mut sum, mut weights) = (0.0, 0.0);
    for deviation in (0..RAYS).map(deviation) {
        let weight = density(deviation);
        let angle = (deviation * spread_deg).to_radians();
        sum += weight * math::cos(2.0 * core::f64::consts::PI * distance * math::sin(angle));
        weights += weight;
    }
    sum / weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_by_spread_has_its_closed_forms() {
        let narrow =
            Scattering { azimuth_deg: 2.0, zenith_deg: 1.0, cross_db: 7.0, row_spacing: 0.5 };
        // A narrow normal spread s in radians: exp(-(pi n s)^2 / 2) for n columns half a wavelength apart.
        // With s = 0.034907, 4 columns give 0.908_3, and 8 give 0.680_7.
        for (columns, expected) in [(0, 1.0), (4, 0.908_3), (8, 0.680_7)] {
            assert!((narrow.at_cell(columns, 0) - expected).abs() < 2e-3, "{columns}");
        }
        // A Laplacian of variance s^2: 1 / (1 + (pi m s)^2 / 2). s = 0.017453, m = 10: 0.869_3.
        assert!((narrow.at_cell(0, 10) - 0.869_3).abs() < 2e-3);
        // J0(pi), J0(2 pi) and J0(3 pi) by tables.
        for (columns, expected) in [(1, -0.304_242), (2, 0.220_277), (3, -0.181_212)] {
            assert!((Scattering::at_ue(columns) - expected).abs() < 1e-5, "{columns}");
        }
        // r = 10^0.7 = 5.012: 4.012 / 6.012.
        assert!((narrow.gamma() - 0.667_3).abs() < 1e-4);
    }

    #[test]
    fn positions_of_a_panel() {
        let array = Array::CrossPolarised { columns: 8, rows: 2 };
        let at = |polarisation, column, row| Position { polarisation, column, row };
        let found = [0, 1, 2, 15, 16, 31].map(|port| array.port(port, 32));
        let expected =
            [at(0, 0, 0), at(0, 0, 1), at(0, 1, 0), at(0, 7, 1), at(1, 0, 0), at(1, 7, 1)];
        assert_eq!(found, expected);
        let found = [0, 1, 2, 3].map(|antenna| array.antenna(antenna, 4));
        assert_eq!(found, [at(0, 0, 0), at(0, 1, 0), at(1, 0, 0), at(1, 1, 0)]);
        assert_eq!(array.antenna(1, 2), at(1, 0, 0));
        assert_eq!(array.with_antennas(32), array);
        assert_eq!(array.with_antennas(8), Array::CrossPolarised { columns: 4, rows: 1 });
        assert_eq!(array.with_antennas(1), Array::Linear);
    }
}
