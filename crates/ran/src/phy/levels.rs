//! Levels of SINR: a table of the MCSs that a measured channel allows, instead of a search.

use airpath_base::{Db, math};
use airpath_net::Direction;

use super::control::{grant_elements, grant_missed};
use super::format::Format;
use super::tables::CQI_COUNT;
use super::technology::Technology;
use crate::config::{CellConfig, Control};
use crate::mac::SLOT_SYMBOLS;

/// The lowest level that is looked up in dB; what is lower counts as it.
const LOWEST_DB: f32 = -30.0;
/// Steps a decibel.
const STEPS: f32 = 8.0;
/// Up to 50 dB.
const COUNT: usize = 640;

/// Range of an outer loop beyond the levels of MCSs, in dB.
const ROOM_DB: f32 = 3.0;

/// Allowed MCS of each level of SINR in a cell.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// The lowest level of each CQI in dB, and its capacity in bits a symbol.
    cqi_db: [f32; CQI_COUNT],
    cqi_capacity: [f32; CQI_COUNT],
    /// The largest MCS, its efficiency, and the control channel elements of a grant, by level.
    steps: Vec<Step>,
    /// Chance by level that a block of the least MCS over the carrier arrives, for each number of layers.
    /// Empty where cells have one.
    arrives: Vec<[f32; 4]>,
    /// The lowest level of the least MCS and of the largest in dB.
    ends_db: (f32, f32),
}

#[derive(Clone, Copy, Debug)]
struct Step {
    efficiency: f32,
    mcs: u8,
    control_elements: u8,
    /// The chance that a grant is missed.
    missed: f32,
}

impl Levels {
    /// Levels of a cell in a direction. An MCS is allowed from the level on at which it would fail
    /// with the target probability.
    pub fn new(cell: &CellConfig, direction: Direction) -> Levels {
        let (format, technology) = (cell.format(direction), cell.technology_in(direction));
        let target = cell.adaptation.bler_target;
        let mut before = f32::NEG_INFINITY;
        let needed = |mcs| {
            before = before.max(format.needed_db(mcs, target) as f32);
            before
        };
        let least: Vec<f32> = (0..technology.mcs_count()).map(needed).collect();
        let mut cqi_db = [0.0; CQI_COUNT];
        for (cqi, level) in (0..).zip(&mut cqi_db) {
            let mcs = technology.mcs_for_cqi(cqi);
            *level = least[usize::from(mcs)] - below_db(technology, cqi, mcs);
        }
        // Out of range: as far below the first as that is below the second.
        cqi_db[0] = 2.0 * cqi_db[1] - cqi_db[2];
        let most = cell.control.most();
        let step = |n: usize| {
            let level = level_of(n);
            let not_above = least.partition_point(|least| *least <= level).max(1) as u8;
            let mcs = cell.adaptation.allowed(not_above - 1);
            let sinr = Db(f64::from(level)).linear();
            let control_elements = grant_elements(sinr, most);
            let missed = match cell.control {
                Control::Modelled { errors: true, .. } => grant_missed(sinr, control_elements),
                Control::Ideal | Control::Modelled { .. } => 0.0,
            };
            Step {
                efficiency: technology.efficiency(mcs) as f32,
                mcs,
                control_elements,
                missed: missed as f32,
            }
        };
        let ends =
            (cell.adaptation.allowed(0), cell.adaptation.allowed(technology.mcs_count() - 1));
        let capacity = |level: f32| math::log2(1.0 + Db(f64::from(level)).linear()) as f32;
        let cqi_capacity = cqi_db.map(capacity);
        let ends_db = (least[usize::from(ends.0)], least[usize::from(ends.1)]);
        let steps = (0..COUNT).map(step).collect();
        Levels { ends_db, cqi_db, cqi_capacity, steps, arrives: arrives(cell, direction) }
    }

    #[inline]
    fn step(&self, level_db: f32) -> &Step {
        &self.steps[index(level_db)]
    }

    /// Chance that a block of the least MCS over the carrier arrives with so many layers of this level. No outer
    /// loop brings errors below that of the least MCS.
    pub fn arrives(&self, layers: u8, level_db: f32) -> f32 {
        self.arrives.get(index(level_db)).map_or(1.0, |all| all[usize::from(layers) - 1])
    }

    /// The level in dB below which the least MCS that is allowed fails too often.
    pub fn least_db(&self) -> f32 {
        self.ends_db.0
    }

    /// The largest MCS that a level allows.
    #[inline]
    pub fn allowed(&self, level_db: f32) -> u8 {
        self.step(level_db).mcs
    }

    /// Its bits a symbol.
    #[inline]
    pub fn efficiency(&self, level_db: f32) -> f32 {
        self.step(level_db).efficiency
    }

    /// Control channel elements that a grant takes at a level.
    #[inline]
    pub fn control_elements(&self, level_db: f32) -> u8 {
        self.step(level_db).control_elements
    }

    /// The chance that a grant is missed at a level.
    #[inline]
    pub fn grant_missed(&self, level_db: f32) -> f32 {
        self.step(level_db).missed
    }

    /// The lowest level of the CQI that a mean capacity is reported as, in dB.
    #[inline]
    pub fn reported_db(&self, capacity: f32) -> f32 {
        let not_above = self.cqi_capacity.partition_point(|least| *least <= capacity);
        self.cqi_db[not_above.saturating_sub(1)]
    }

    /// True if a level of the carrier is reported as CQI 1 or more: CQI 0 is "out of range" (TS
    /// 36.213, 7.2.3; TS 38.214, 5.2.2.1).
    #[inline]
    pub fn in_range(&self, level_db: f32) -> bool {
        level_db >= self.cqi_db[1]
    }

    /// Offset of an outer loop after a step. It ends with some room beyond the largest and below
    /// the least MCS, where all blocks may arrive, or all fail.
    pub fn shifted(&self, level_db: f32, offset_db: f32, step_db: f32) -> f32 {
        let (least, most) = self.ends_db;
        let shifted = offset_db + step_db;
        match step_db > 0.0 {
            true => shifted.min((most + ROOM_DB - level_db).max(offset_db)),
            false => shifted.max((least - ROOM_DB - level_db).min(offset_db)),
        }
    }
}

/// Index of a level.
#[inline]
fn index(level_db: f32) -> usize {
    ((level_db - LOWEST_DB) * STEPS).clamp(0.0, (COUNT - 1) as f32) as usize
}

/// The level with this index in dB.
fn level_of(index: usize) -> f32 {
    LOWEST_DB + index as f32 / STEPS
}

/// See [`Levels::arrives`]. Of two codewords the one with more layers counts, whose block is the larger.
fn arrives(cell: &CellConfig, direction: Direction) -> Vec<[f32; 4]> {
    if cell.layers[direction as usize] < 2 {
        return Vec::new();
    }
    let (technology, mcs) = (cell.technology_in(direction), cell.adaptation.allowed(0));
    let bytes = [1, 2, 3, 4].map(|layers| {
        let codewords = technology.codewords(layers).iter();
        let layers = codewords.map(|one| one.layers).max().unwrap_or(layers);
        let format = Format { layers, ..cell.format(direction) };
        format.block_bytes(direction, mcs, cell.resource_blocks, SLOT_SYMBOLS)
    });
    let at = |n: usize| {
        let sinr = Db(f64::from(level_of(n))).linear();
        bytes.map(|bytes| 1.0 - technology.error_at(mcs, sinr, bytes) as f32)
    };
    (0..COUNT).map(at).collect()
}

/// Distance in dB from the lowest MCS down to a CQI with less efficiency, as NR has one. At such
/// low rates efficiency is in proportion to SINR.
fn below_db(technology: &Technology, cqi: u8, mcs: u8) -> f32 {
    let efficiency = technology.cqi_efficiency(cqi);
    match (cqi, mcs) {
        (1.., 0) => 10.0 * math::log10(technology.efficiency(0) / efficiency).max(0.0) as f32,
        _ => 0.0,
    }
}

/// Bits of a mantissa that count: 64 steps an octave, 0.05 dB.
const MANTISSA: u32 = 6;
/// Octaves from 2^-14, -42 dB, to 2^18, 54 dB.
const OCTAVES: (i32, i32) = (-14, 18);
const FIRST: u32 = ((127 + OCTAVES.0) as u32) << MANTISSA;
const ENTRIES: usize = ((OCTAVES.1 - OCTAVES.0) as usize) << MANTISSA;

/// Capacity of a channel by its SINR (Shannon, 1948), looked up.
#[derive(Clone, Debug)]
pub(crate) struct Capacity(Vec<f32>);

impl Capacity {
    pub fn new() -> Capacity {
        let middle = |n: usize| {
            let bits = (FIRST + n as u32) << (23 - MANTISSA) | 1 << (22 - MANTISSA);
            math::log2(1.0 + f64::from(f32::from_bits(bits))) as f32
        };
        Capacity((0..ENTRIES).map(middle).collect())
    }

    /// Bits a symbol at a SINR as a factor.
    #[inline]
    pub fn at(&self, sinr: f32) -> f32 {
        let n = (sinr.to_bits() >> (23 - MANTISSA)).saturating_sub(FIRST) as usize;
        self.0[n.min(ENTRIES - 1)]
    }

    /// Mean bits a symbol over several resource blocks.
    #[inline]
    pub fn mean(&self, sinrs: &[f32]) -> f32 {
        // Four sums, in fixed order: one addition need not wait for the one before.
        let (fours, rest) = sinrs.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for four in fours {
            sums.iter_mut().zip(four).for_each(|(sum, &sinr)| *sum += self.at(sinr));
        }
        let rest: f32 = rest.iter().map(|&sinr| self.at(sinr)).sum();
        (sums[0] + sums[1] + (sums[2] + sums[3]) + rest) / sinrs.len().max(1) as f32
    }

    /// The SINR in dB that would give each of several resource blocks the capacity that they
    /// have on average.
    pub fn effective_db(&self, sinrs: &[f32]) -> f32 {
        Capacity::level_db(self.mean(sinrs))
    }

    /// The SINR in dB that gives so many bits a symbol.
    pub fn level_db(bits: f32) -> f32 {
        (10.0 * math::log10((math::exp2(f64::from(bits)) - 1.0).max(1e-6))) as f32
    }
}

#[cfg(test)]
#[path = "levels_tests.rs"]
mod tests;
