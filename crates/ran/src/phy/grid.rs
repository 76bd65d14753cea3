//! Mutual information looked up by the upper bits of a float: 32 points in each octave from
//! 2^-8 to 2^12 (-24 to 36 dB), straight lines between them.

/// Bits of a float's fraction below those that choose a point.
const LOWER_BITS: u32 = 18;
/// The upper bits of the first and the last point: 2^-8 and 2^12.
const FIRST: u32 = (127 - 8) << 5;
const LAST: u32 = (127 + 12) << 5;
/// Points of a grid.
const COUNT: usize = (LAST - FIRST) as usize + 1;

/// Mutual information of a coded bit by linear SINR. It rises, from above zero to one.
#[derive(Debug)]
pub(super) struct Grid {
    pub values: [f64; COUNT],
}

/// The linear SINR of a point.
fn point(n: usize) -> f64 {
    f64::from(f32::from_bits((n as u32 + FIRST) << LOWER_BITS))
}

impl Grid {
    /// With the values of a function of linear SINR.
    pub fn new(value: impl Fn(f64) -> f64) -> Grid {
        Grid { values: std::array::from_fn(|n| value(point(n))) }
    }

    /// Mutual information at a linear SINR: below the first point straight to zero, from the
    /// last on its value. None for what is no number above zero.
    #[inline]
    pub fn at(&self, sinr: f32) -> f64 {
        let bits = sinr.to_bits();
        let n = (bits >> LOWER_BITS).wrapping_sub(FIRST) as usize;
        let Some(&[from, to]) = self.values.get(n..).and_then(|rest| rest.first_chunk()) else {
            return self.outside(sinr);
        };
        let part = f64::from(bits & ((1 << LOWER_BITS) - 1)) / f64::from(1 << LOWER_BITS);
        from + (to - from) * part
    }

    #[cold]
    fn outside(&self, sinr: f32) -> f64 {
        match f64::from(sinr) {
            above if above >= 1.0 => self.values[COUNT - 1],
            below if below > 0.0 => self.values[0] * (below / point(0)),
            _ => 0.0,
        }
    }

    /// The linear SINR of the last point, and the mutual information there.
    pub fn end(&self) -> (f64, f64) {
        (point(COUNT - 1), self.values[COUNT - 1])
    }

    /// Mean over several SINRs; zero for none.
    pub fn mean(&self, sinrs: &[f32]) -> f64 {
        let sum: f64 = sinrs.iter().map(|&sinr| self.at(sinr)).sum();
        sum / sinrs.len().max(1) as f64
    }

    /// The linear SINR at which a coded bit has this mutual information, above zero; infinite
    /// beyond the last point.
    pub fn inverse(&self, information: f64) -> f64 {
        match self.values.partition_point(|&value| value < information) {
            0 => point(0) * (information / self.values[0]),
            COUNT => f64::INFINITY,
            above => {
                let (from, to) = (self.values[above - 1], self.values[above]);
                let (low, high) = (point(above - 1), point(above));
                low + (high - low) * (information - from) / (to - from)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rises from 0 to 1.
    fn example(sinr: f64) -> f64 {
        sinr / (1.0 + sinr)
    }

    #[test]
    fn points_and_edges() {
        let grid = Grid::new(example);
        assert_eq!(grid.values.len(), 641);
        assert_eq!(point(0), 1.0 / 256.0);
        assert_eq!(point(640), 4096.0);
        assert_eq!(grid.at(1.0), 0.5);
        // Half-way between 1 and 1 + 1/32.
        let middle = (0.5 + 33.0 / 65.0) / 2.0;
        assert!((grid.at(1.015_625) - middle).abs() < 1e-12);
        assert_eq!([0.0, -1.0, f32::NAN, f32::NEG_INFINITY].map(|x| grid.at(x)), [0.0; 4]);
        assert_eq!([4096.0, 1e9, f32::INFINITY].map(|x| grid.at(x)), [4096.0 / 4097.0; 3]);
        assert!((grid.at(1.0 / 512.0) - 0.5 / 257.0).abs() < 1e-12);
        assert_eq!((grid.mean(&[]), grid.mean(&[1.0, 0.0])), (0.0, 0.25));
        assert_eq!(grid.inverse(0.9999), f64::INFINITY);
    }

    proptest! {
        #[test]
        fn near_the_function_and_back(exponent in -12.0f64..11.9) {
            let sinr = f64::from(airpath_base::math::exp2(exponent) as f32);
            let grid = Grid::new(example);
            let value = grid.at(sinr as f32);
            prop_assert!((value - example(sinr)).abs() < 1e-4, "{} {}", value, example(sinr));
            prop_assert!((grid.inverse(value) / sinr - 1.0).abs() < 1e-6);
        }
    }
}
