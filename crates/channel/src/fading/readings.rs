//! Several readings of a library within a slot, for UEs so fast that gains change within it.
//!
//! Power is averaged: the mean of the signal, and the mean of what disturbs. Left out: several readings of layers, of
//! antennas and of ports, which are those of the middle of the slot.

use airpath_base::Time;

use super::interference::Eight;
use super::library::{Library, Link, Step};
use super::travelled::Travelled;

/// Most periods of the Doppler shift in a slot with one reading.
const ONE_CYCLES: f64 = 0.025;
/// Most periods in a part of a slot with two readings.
const PART_CYCLES: f64 = 0.33;
/// Parts of a slot at most.
const MOST_PARTS: u32 = 16;
/// Positions of two readings in a part, whose mean is exact for cubic polynomials (Gauss and Legendre): 1/2 -+ 1 / sqrt(12).
const PAIR: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// Readings of a slot: one in its middle, or two in each of its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Readings {
    /// Periods at the begin of the slot, and in the slot.
    begin: f64,
    cycles: f64,
    /// Parts with two readings; 0 for one reading.
    parts: u32,
}

impl Readings {
    /// Of a slot of a library that begins at a time.
    pub fn of_slot(library: &Library, travelled: &Travelled, start: Time) -> Readings {
        let (begin, shift_hz) = travelled.at(start);
        Readings::over(begin, shift_hz * library.slot().as_secs_f64())
    }

    /// Of so many periods of the Doppler shift.
    pub fn over(begin: f64, cycles: f64) -> Readings {
        let parts = ((cycles / PART_CYCLES).ceil() as u32).clamp(1, MOST_PARTS);
        Readings { begin, cycles, parts: if cycles > ONE_CYCLES { parts } else { 0 } }
    }

    /// Number of readings.
    pub fn count(&self) -> u32 {
        (2 * self.parts).max(1)
    }

    /// The step in the middle.
    pub fn middle(&self, library: &Library) -> Step {
        library.step_at(self.begin + 0.5 * self.cycles)
    }

    /// Steps of several readings, two for each part.
    pub fn pairs(self, library: &Library) -> impl Iterator<Item = [Step; 2]> {
        let part = self.cycles / f64::from(self.parts.max(1));
        let at = move |parts: f64| library.step_at(self.begin + parts * part);
        (0..self.parts).map(move |n| PAIR.map(|share| at(f64::from(n) + share)))
    }
}

impl Library {
    /// Mean over readings of [`matched`](Library::matched), in `mean` if there are several.
    pub fn mean_matched<'a>(
        &'a self,
        link: Link,
        readings: Readings,
        mean: &'a mut Vec<Eight>,
    ) -> &'a [Eight] {
        if readings.parts == 0 {
            return self.matched(link, readings.middle(self));
        }
        mean.clear();
        mean.resize(self.resource_blocks().div_ceil(8), [0.0; 8]);
        let share = 1.0 / readings.count() as f32;
        for step in readings.pairs(self).flatten() {
            for (sums, row) in mean.iter_mut().zip(self.matched(link, step)) {
                sums.iter_mut().zip(row).for_each(|(sum, one)| *sum += share * one);
            }
        }
        mean
    }
}

#[cfg(test)]
#[path = "readings_tests.rs"]
mod tests;
