//! Channels by port of a network's links.
//!
//! A library is common to all links. Each link reads it from an offset of its own. It turns the phases of the ports by
//! the direction of the UE from its cell. The phase of column m and row n of a panel is 2 pi d (m sin(azimuth)
//! sin(zenith) + n cos(zenith)). The distance d is in wavelengths (TR 38.901, 7.5, equation 7.5-22). A turn moves the
//! spectrum of angles of departure. Each port keeps its power. Reported precoders turn with the channel, so the power of
//! one layer stays as it is.

use airpath_base::{Direction, Time, UeId, math};
use num_complex::{Complex32, Complex64};

use super::Network;
use crate::spatial::Spatial;

/// A panel of ports: columns of rows, with one polarisation or two. Ports of a polarisation are together, those of a
/// column side by side (TS 38.214, 5.2.2.2.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Panel {
    /// Columns, at least 1.
    pub columns: u8,
    /// Rows, at least 1.
    pub rows: u8,
    /// Distance between columns and between rows in wavelengths.
    pub spacing: [f64; 2],
}

impl Panel {
    /// Phases of ports towards a direction, as factors: azimuth from the panel's normal, zenith from above, in
    /// degrees.
    pub(super) fn turns(
        self,
        (azimuth_deg, zenith_deg): (f64, f64),
        ports: usize,
    ) -> Vec<Complex64> {
        let (azimuth, zenith) = (azimuth_deg.to_radians(), zenith_deg.to_radians());
        let across = math::sin(azimuth) * math::sin(zenith);
        let along = math::cos(zenith);
        let (columns, rows) = (usize::from(self.columns.max(1)), usize::from(self.rows.max(1)));
        let turn = |port: usize| {
            let port = port % (columns * rows);
            let (column, row) = ((port / rows) as f64, (port % rows) as f64);
            let [columns, rows] = self.spacing;
            let phase = std::f64::consts::TAU * (columns * column * across + rows * row * along);
            Complex64::new(math::cos(phase), math::sin(phase))
        };
        (0..ports).map(turn).collect()
    }
}

fn wide(gain: &Complex32) -> Complex64 {
    Complex64::new(gain.re.into(), gain.im.into())
}

impl Spatial for Network {
    fn group(&self) -> u16 {
        self.libraries.first().map_or(0, |[down, _]| down.group())
    }

    fn ports(&self) -> usize {
        self.libraries.first().map_or(0, |[down, _]| down.ends().0)
    }

    fn mean_gain(&self, ue: UeId) -> f32 {
        self.ue(ue).gain[Direction::Downlink as usize]
    }

    fn gains(&self, ue: UeId, at: Time, group: usize, gains: &mut Vec<Complex64>) {
        let own = self.ue(ue);
        let [library, _] = &self.libraries[own.library];
        let (link, step) = (own.link[Direction::Downlink as usize], own.step(library, at));
        let ports = library.ends().0;
        let width = ports * usize::from(own.receivers);
        let row = &library.gains(link, step)[group * width..][..width];
        for antenna in row.chunks_exact(ports) {
            gains.extend(antenna.iter().zip(&own.turns).map(|(gain, turn)| wide(gain) * turn));
        }
    }

    fn reported(&self, ue: UeId, at: Time, group: usize, weights: &mut Vec<Complex64>) {
        let own = self.ue(ue);
        let [library, _] = &self.libraries[own.library];
        let (link, step) = (own.link[Direction::Downlink as usize], own.step(library, at));
        let ports = library.ends().0;
        let row = &library.reported(link, step)[group * ports..][..ports];
        weights.extend(row.iter().zip(&own.turns).map(|(weight, turn)| wide(weight) * turn.conj()));
    }

    fn unreported(&self) -> f64 {
        self.libraries.first().map_or(0.0, |[down, _]| down.unreported())
    }

    fn alone(&self, ue: UeId, at: Time) -> f32 {
        let own = self.ue(ue);
        let [library, _] = &self.libraries[own.library];
        let (link, step) = (own.link[Direction::Downlink as usize], own.step(library, at));
        let row = &library.matched(link, step).as_flattened()[..usize::from(self.carrier)];
        row.iter().sum::<f32>() / f32::from(self.carrier.max(1))
    }
}

#[cfg(test)]
#[path = "spatial_tests.rs"]
mod tests;
