//! Gain averaged over the directions in which a signal leaves.
//!
//! The rays of a cluster lie around its direction as a Laplacian in either plane (TR 38.901,
//! table 7.5-3). Their mean gain needs four angles; it is put together from tables over two of
//! them each. That is exact but where the element is 27 dB or more below its peak without
//! being at its floor in one of the planes.

use std::sync::Arc;

use airpath_base::math;

use super::Antenna;
use crate::geometry::wrapped_deg;
use crate::made::Made;

/// Degrees between the rows of the tables.
const STEP_DEG: f64 = 1.0;
/// Rows in azimuth (0 to 180 degrees, the pattern being even) and in zenith.
const ROWS: usize = 181;
/// Spreads in the tables: from `LEAST_DEG` on, `PER_OCTAVE` to a doubling, 32 degrees at most.
/// Less counts as the least: no antenna here resolves it.
const SPREADS: usize = 22;
const LEAST_DEG: f64 = 0.25;
const PER_OCTAVE: f64 = 3.0;
/// Samples of a degree in the integrals.
const SAMPLES: i32 = 8;
/// Degrees beyond 0 and 180 to which the widest spread reaches.
const REACH_DEG: i32 = 225;

/// Spread of power around its mean direction, as columns of the tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    azimuth: Column,
    zenith: Column,
}

impl Spread {
    /// Of these root mean square spreads in degrees.
    pub fn new(azimuth_deg: f64, zenith_deg: f64) -> Spread {
        Spread { azimuth: Column::of(azimuth_deg), zenith: Column::of(zenith_deg) }
    }
}

/// The tables of one antenna.
#[derive(Clone, Debug)]
pub struct Averages {
    floor: f64,
    peak: f64,
    /// Mean of the element in azimuth.
    azimuth: Table,
    /// Mean of the array in zenith.
    array: Table,
    /// Mean of element times array in zenith.
    zenith: Table,
}

/// Part of an average that does not depend on the azimuth, which the sectors of a site share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vertical {
    array: f64,
    lobe: f64,
    spread: Column,
}

impl Averages {
    /// Tables for this antenna.
    pub fn new(antenna: &Antenna) -> Averages {
        let element = antenna.element;
        let array = |zenith| antenna.array(zenith);
        let both = |zenith| antenna.array(zenith) * element.lobe(zenith - 90.0);
        let circles =
            [Circle::new(|azimuth| element.lobe(azimuth)), Circle::new(array), Circle::new(both)];
        let [azimuth, array, zenith] = tables(&circles);
        Averages { floor: element.floor(), peak: element.peak(), azimuth, array, zenith }
    }

    /// Averages of an antenna for all runs of the process, made once.
    pub fn shared(antenna: &Antenna) -> Arc<Averages> {
        static MADE: Made<Antenna, Arc<Averages>> = Made::new(1 << 20);
        let bytes = 3 * ROWS * SPREADS * size_of::<f32>();
        MADE.get(*antenna, bytes, || Arc::new(Averages::new(antenna)))
    }

    /// The part of the average that depends on the zenith, around this angle.
    pub fn vertical(&self, zenith_deg: f64, spread: Spread) -> Vertical {
        Vertical {
            array: self.array.at(zenith_deg, spread.zenith),
            lobe: self.zenith.at(zenith_deg, spread.zenith),
            spread: spread.azimuth,
        }
    }

    /// Mean gain, as a factor, around this azimuth from the boresight.
    pub fn gain(&self, vertical: &Vertical, azimuth_deg: f64) -> f64 {
        let floor = self.floor;
        let above = vertical.lobe - floor * vertical.array;
        if floor >= 1.0 {
            return self.peak * vertical.array;
        }
        let azimuth = self.azimuth.at(azimuth_deg.abs(), vertical.spread) - floor;
        self.peak * (floor * vertical.array + azimuth * above / (1.0 - floor))
    }
}

/// Samples of a function of an angle, which is mirrored at 0 and 180 degrees.
struct Circle {
    /// Those that are n samples behind a whole degree, from `-REACH_DEG` on.
    behind: [Vec<f64>; SAMPLES as usize],
}

impl Circle {
    fn new(function: impl Fn(f64) -> f64) -> Circle {
        let sample = |n| function(f64::from(n) / f64::from(SAMPLES));
        let half: Vec<f64> = (0..=180 * SAMPLES).map(sample).collect();
        let at = |n: i32| {
            let n = n.rem_euclid(360 * SAMPLES);
            half[n.min(360 * SAMPLES - n) as usize]
        };
        let degrees = -REACH_DEG..=180 + REACH_DEG;
        Circle {
            behind: std::array::from_fn(|behind| {
                degrees.clone().map(|degree| at(degree * SAMPLES + behind as i32)).collect()
            }),
        }
    }

    /// The samples at `off` from 0, 1, 2 … degrees, of all rows.
    fn off(&self, off: i32) -> &[f64] {
        let first = REACH_DEG + off.div_euclid(SAMPLES);
        &self.behind[off.rem_euclid(SAMPLES) as usize][first as usize..][..ROWS]
    }

    /// Means with these weights around each row.
    fn means(&self, weights: &[f64]) -> impl Iterator<Item = f64> {
        let mut sums = [0.0; ROWS];
        for (n, weight) in (0..).zip(weights).skip(1) {
            for (sum, (low, high)) in sums.iter_mut().zip(self.off(-n).iter().zip(self.off(n))) {
                *sum += weight * (low + high);
            }
        }
        let centre = weights[0];
        self.off(0).iter().zip(sums).map(move |(own, sum)| centre * own + sum)
    }
}

/// The table of each function.
fn tables<const N: usize>(circles: &[Circle; N]) -> [Table; N] {
    let mut tables = [(); N].map(|()| Table(vec![[0.0; SPREADS]; ROWS]));
    for column in 0..SPREADS {
        let weights = weights(LEAST_DEG * math::exp2(column as f64 / PER_OCTAVE));
        for (circle, Table(rows)) in circles.iter().zip(&mut tables) {
            for (row, mean) in rows.iter_mut().zip(circle.means(&weights)) {
                row[column] = mean as f32;
            }
        }
    }
    tables
}

/// Means by angle (rows) and spread (columns).
#[derive(Clone, Debug)]
struct Table(Vec<[f32; SPREADS]>);

/// Column of a spread: index, and share of the next column.
#[derive(Clone, Copy, Debug, Default)]
struct Column(usize, f64);

impl Column {
    fn of(spread_deg: f64) -> Column {
        let place = PER_OCTAVE * math::log2(spread_deg.max(LEAST_DEG) / LEAST_DEG);
        let index = (place as usize).min(SPREADS - 2);
        Column(index, (place - index as f64).min(1.0))
    }
}

impl Table {
    fn at(&self, angle_deg: f64, Column(column, share): Column) -> f64 {
        let place = mirrored(angle_deg) / STEP_DEG;
        let row = (place as usize).min(ROWS - 2);
        let between = |low: f32, high: f32, share: f64| {
            f64::from(low) + (f64::from(high) - f64::from(low)) * share
        };
        let [near, far] = [&self.0[row], &self.0[row + 1]]
            .map(|row| between(row[column], row[column + 1], share));
        near + (far - near) * (place - row as f64)
    }
}

/// An angle brought to 0 to 180 degrees by mirroring.
fn mirrored(angle: f64) -> f64 {
    wrapped_deg(angle).abs()
}

/// Weights of the samples 0, 1, 2 … off the centre, whose sum over both sides is one.
fn weights(spread_deg: f64) -> Vec<f64> {
    // Far enough that what is cut off is below 1e-4.
    let reach = (7.0 * spread_deg * f64::from(SAMPLES)) as i32 + 2;
    let mut weights: Vec<f64> =
        (0..=reach).map(|n| laplacian(f64::from(n) / f64::from(SAMPLES) / spread_deg)).collect();
    let sum = 2.0 * weights.iter().sum::<f64>() - weights[0];
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

fn laplacian(deviations: f64) -> f64 {
    math::exp(-core::f64::consts::SQRT_2 * deviations)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EIGHT: Antenna =
        Antenna { elements: 8, spacing: 0.8, downtilt_deg: 9.0, ..Antenna::SINGLE };

    /// Mean over both planes, without tables and without taking them apart.
    fn brute(antenna: &Antenna, angles: [f64; 2], spreads: [f64; 2]) -> f64 {
        let steps = 240;
        let offset = |n: i32, spread: f64| (f64::from(n) + 0.5) / f64::from(steps) * 6.0 * spread;
        let (mut sum, mut weight) = (0.0, 0.0);
        for n in -steps..steps {
            for m in -steps..steps {
                let [off, tilt] = [offset(n, spreads[0]), offset(m, spreads[1])];
                let own =
                    laplacian((off / spreads[0]).abs()) * laplacian((tilt / spreads[1]).abs());
                let zenith = mirrored(angles[1] + tilt);
                sum += own * antenna.gain(wrapped_deg(angles[0] + off), zenith);
                weight += own;
            }
        }
        sum / weight
    }

    #[test]
    fn tables_against_integrals_over_both_planes() {
        let averages = Averages::new(&EIGHT);
        for (angles, spreads) in [
            ([0.0, 99.0], [5.0, 1.0]),
            ([40.0, 95.0], [2.0, 3.0]),
            ([-70.0, 101.0], [10.0, 0.6]),
            ([120.0, 120.0], [5.0, 8.0]),
            ([179.0, 91.0], [2.0, 2.0]),
        ] {
            let vertical = averages.vertical(angles[1], Spread::new(spreads[0], spreads[1]));
            let ours = 10.0 * math::log10(averages.gain(&vertical, angles[0]));
            let wanted = 10.0 * math::log10(brute(&EIGHT, angles, spreads));
            assert!((ours - wanted).abs() < 0.25, "{angles:?} {spreads:?}: {ours} {wanted}");
        }
    }

    #[test]
    fn an_isotropic_element_has_the_array_alone() {
        let antenna = Antenna { element: super::super::Element::Isotropic, ..Antenna::SINGLE };
        let averages = Averages::new(&antenna);
        let vertical = averages.vertical(130.0, Spread::new(5.0, 5.0));
        assert!((averages.gain(&vertical, 100.0) - 1.0).abs() < 1e-6);
    }
}
