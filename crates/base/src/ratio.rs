//! Power ratios and powers on a logarithmic scale.

use core::ops::{Add, Neg, Sub};

use crate::math;

/// A power ratio in decibels.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Db(pub f64);

/// A power in decibels above one milliwatt.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Dbm(pub f64);

impl Db {
    /// The ratio as a factor.
    pub fn linear(self) -> f64 {
        math::exp10(self.0 / 10.0)
    }

    /// The decibels of a factor above zero.
    pub fn from_linear(factor: f64) -> Db {
        Db(10.0 * math::log10(factor))
    }
}

impl Dbm {
    /// The power in milliwatts.
    pub fn milliwatts(self) -> f64 {
        math::exp10(self.0 / 10.0)
    }

    /// The power of `milliwatts` above zero.
    pub fn from_milliwatts(milliwatts: f64) -> Dbm {
        Dbm(10.0 * math::log10(milliwatts))
    }
}

impl Add for Db {
    type Output = Db;
    fn add(self, other: Db) -> Db {
        Db(self.0 + other.0)
    }
}

impl Sub for Db {
    type Output = Db;
    fn sub(self, other: Db) -> Db {
        Db(self.0 - other.0)
    }
}

impl Neg for Db {
    type Output = Db;
    fn neg(self) -> Db {
        Db(-self.0)
    }
}

impl Add<Db> for Dbm {
    type Output = Dbm;
    fn add(self, gain: Db) -> Dbm {
        Dbm(self.0 + gain.0)
    }
}

impl Sub<Db> for Dbm {
    type Output = Dbm;
    fn sub(self, loss: Db) -> Dbm {
        Dbm(self.0 - loss.0)
    }
}

impl Sub for Dbm {
    type Output = Db;
    fn sub(self, other: Dbm) -> Db {
        Db(self.0 - other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_db_is_twice() {
        assert!((Db(3.010_299_956_639_812).linear() - 2.0).abs() < 1e-12);
        assert!((Db::from_linear(100.0).0 - 20.0).abs() < 1e-12);
    }

    #[test]
    fn thermal_noise_of_a_resource_block() {
        // -174 dBm/Hz over 180 kHz.
        let noise = Dbm(-174.0) + Db::from_linear(180e3);
        assert!((noise.0 + 121.447).abs() < 1e-3);
    }
}
